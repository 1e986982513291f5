"""Numbers in words, from 0 to 999,999, in Portuguese, Spanish and English: the writer that the reader is tested against.

Made apart from the reader, and found equal to num2words for every number below 100,000 but one form of the Spanish, where
"veintiún mil" is right and num2words writes "veintiuno mil".
"""

from __future__ import annotations

__all__ = ["LANGUAGES", "spell"]

LANGUAGES = ("pt", "es", "en")

_SMALL = {
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho "
    "diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen",
}
_TENS = {
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
}
_HUNDREDS = {
    "pt": "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
    "es": "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
}
_JOINT = {"pt": " e ", "es": " y ", "en": "-"}
_FEMININE = {"um": "uma", "dois": "duas", "uno": "una", "veintiuno": "veintiuna", "veintiún": "veintiuna", "un": "una"}


def spell(number: int, language: str, *, feminine: bool = False) -> str:
    """The number in words; `feminine` agrees with a feminine noun where the language does."""
    thousands, rest = divmod(number, 1000)
    words = _below_thousand(rest, language) if rest or not thousands else ""
    if thousands:
        words = _thousands(thousands, rest, language) + words
    return " ".join(_feminine(word) for word in words.split()) if feminine and language != "en" else words


def _thousands(thousands: int, rest: int, language: str) -> str:
    scale = "thousand" if language == "en" else "mil"
    count = "" if thousands == 1 and language != "en" else _below_thousand(thousands, language) + " "
    if language == "es":
        count = count.replace("veintiuno ", "veintiún ").replace("uno ", "un ")
    if not rest:
        return count + scale
    if language == "en":
        return f"{count}{scale} and " if rest < 100 else f"{count}{scale}, "
    if language == "pt":
        return f"{count}{scale} e " if rest < 100 or rest % 100 == 0 else f"{count}{scale}, "
    return f"{count}{scale} "


def _below_thousand(number: int, language: str) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest, language)
    if language == "en":
        head = _below_hundred(hundreds, language) + " hundred"
        return f"{head} and {_below_hundred(rest, language)}" if rest else head
    if number == 100:
        return {"pt": "cem", "es": "cien"}[language]
    head = _HUNDREDS[language].split()[hundreds - 1]
    return head + (" e " if language == "pt" else " ") + _below_hundred(rest, language) if rest else head


def _below_hundred(number: int, language: str) -> str:
    small = _SMALL[language].split()
    if number < len(small):
        return small[number]
    tens, unit = divmod(number, 10)
    ten = _TENS[language].split()[tens - 2]
    return ten + _JOINT[language] + small[unit] if unit else ten


def _feminine(word: str) -> str:
    plain = word.rstrip(",")
    changed = _FEMININE.get(plain, plain[:-2] + "as" if plain.endswith(("entos", "ientos")) else plain)
    return changed + word[len(plain) :]
