"""Whole and decimal numbers as people and recognisers write them: digits, words and both ("2 mil e 500", "30 e 5").

A recogniser wrote "30 e 5 minutos" for "trinta e cinco minutos", so digits and words share one grammar here. Words of one
language that are everyday words of another ("dos", "doce", "once") count only where the text is in the language of the number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from stages._values.text import GROUP_SPACE, Token, TokenKind, Tokens, languages_of

__all__ = ["ARTICLES", "Amount", "Number", "parse_digits", "plain_integer", "read_cardinal"]


@dataclass(frozen=True, slots=True)
class Amount:
    """One value a spelling may have."""

    value: Fraction
    step: Fraction
    """Size of one unit of the last digit written; 0 for an exact fraction."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number found in a token list."""

    amounts: tuple[Amount, ...]
    end: int
    """Index of the token after it."""
    article: bool = False
    """Only "um", "una", "one", "a": a number or an article."""
    fraction: bool = False
    certain: bool = True
    """False when the words may not be a number at all."""
    ratio: tuple[int, int] | None = None
    """The two terms, when written "a/b"."""
    scale: int = 1
    """Multiplier the last word named ("milhões"): half after it is half of that."""

    @property
    def value(self) -> Fraction:
        """The likeliest value."""
        return self.amounts[0].value


@dataclass(frozen=True, slots=True)
class _Word:
    value: int
    role: str
    """zero, unit, teen, ten, hundred, scale."""
    languages: frozenset[str]


_LEXICON = {
    "pt": """zero=0 um=1 uma=1 dois=2 duas=2 tres=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 onze=11 doze=12 treze=13
        catorze=14 quatorze=14 quinze=15 dezesseis=16 dezasseis=16 dezessete=17 dezassete=17 dezoito=18 dezenove=19 dezanove=19
        vinte=20 trinta=30 quarenta=40 cinquenta=50 cincoenta=50 sessenta=60 setenta=70 oitenta=80 noventa=90 cem=100 cento=100
        duzentos=200 trezentos=300 quatrocentos=400 quinhentos=500 seiscentos=600 setecentos=700 oitocentos=800 novecentos=900
        mil=1000 milhao=1000000 milhoes=1000000 bilhao=1000000000 bilhoes=1000000000 trilhao=1000000000000 trilhoes=1000000000000""",
    "es": """cero=0 un=1 uno=1 una=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 trece=13
        catorce=14 quince=15 dieciseis=16 diecisiete=17 dieciocho=18 diecinueve=19 veinte=20 veintiun=21 veintiuno=21 veintiuna=21
        veintidos=22 veintitres=23 veinticuatro=24 veinticinco=25 veintiseis=26 veintisiete=27 veintiocho=28 veintinueve=29
        treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90 cien=100 ciento=100 doscientos=200
        trescientos=300 cuatrocientos=400 quinientos=500 seiscientos=600 setecientos=700 ochocientos=800 novecientos=900
        mil=1000 millon=1000000 millones=1000000 billon=1000000000000 billones=1000000000000""",
    "en": """zero=0 a=1 an=1 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13
        fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 twenty=20 thirty=30 forty=40 fourty=40 fifty=50
        sixty=60 seventy=70 eighty=80 ninety=90 hundred=100 thousand=1000 million=1000000 billion=1000000000
        trillion=1000000000000""",
}
_AMBIGUOUS = {"dos": "es", "once": "es", "doce": "es", "quince": "es", "ten": "en", "a": "en", "an": "en"}
_CONNECTORS = {"e": "pt", "y": "es", "and": "en", "-": "en"}
ARTICLES = frozenset("um uma un uno una one a an".split())
_EXACT_HUNDREDS = frozenset("cem cien".split())


def _role(word: str, value: int) -> str:
    if word == "hundred" or value >= 1000:
        return "scale"
    if value >= 100:
        return "hundred"
    if value == 0:
        return "zero"
    if value < 10:
        return "unit"
    return "ten" if value >= 20 and value % 10 == 0 else "teen"


def _build_words() -> dict[str, _Word]:
    words: dict[str, _Word] = {}
    for language, listing in _LEXICON.items():
        for entry in listing.split():
            word, _, digits = entry.partition("=")
            forms = {word, word[:-2] + "as"} if word.endswith(("entos", "ientos")) or word == "duzentos" else {word}
            for form in forms:
                known = words.get(form)
                languages = frozenset({language}) | (known.languages if known else frozenset())
                words[form] = _Word(int(digits), _role(word, int(digits)), languages)
    return words


_WORDS = _build_words()
_LONGEST = 24
"""Characters of the longest number: longer runs of digits are names, and are compared as such."""
_POINTS = frozenset("virgula ponto coma punto point".split())


def parse_digits(text: str, language: str = "") -> tuple[Amount, ...]:
    """The values a run of digits with points and commas may have; empty when it is no number.

    "1.500" and "1,500" are one thousand five hundred or one and a half: both are given, the usual one of the language first.
    """
    text = text.replace(GROUP_SPACE, "").replace(" ", "")
    if len(text) > _LONGEST:
        return ()
    marks = [char for char in text if char in ".,"]
    if not marks:
        return (Amount(Fraction(int(text)), Fraction(1)),)
    groups = re.split(r"[.,]", text)
    if len(marks) > 1:
        grouped = groups[:-1] if marks[-1] != marks[-2] else groups
        if len(set(marks[: len(grouped) - 1])) > 1 or not _is_grouped(grouped):
            return ()
        return (_decimal("".join(grouped), "" if grouped is groups else groups[-1]),)
    decimal = _decimal(groups[0], groups[1])
    if not _is_grouped(groups) or groups[0].startswith("0"):
        return (decimal,)
    thousands = Amount(Fraction(int("".join(groups))), Fraction(1))
    usual = "," if language == "en" else "."
    return (thousands, decimal) if marks[0] == usual else (decimal, thousands)


def _is_grouped(groups: list[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])


def _decimal(whole: str, digits: str) -> Amount:
    return Amount(Fraction(int(whole + digits), 10 ** len(digits)), Fraction(1, 10 ** len(digits)))


def _word(token: Token, language: str, *, spanish: bool = False) -> _Word | None:
    """`spanish`: what follows is a word of Spanish only ("dos kilos"), whatever the rest of the text is in."""
    word = _WORDS.get(token.text) if token.kind is TokenKind.WORD else None
    if word is None or token.raw == "é" or (token.text in ("a", "an") and token.accented):
        return None
    wanted = _AMBIGUOUS.get(token.text)
    if (wanted and language not in (wanted, "") and not spanish) or (token.text in ("a", "an") and language != "en"):
        return None
    return word


def plain_integer(tokens: Tokens, i: int, digits: int) -> int | None:
    """The plain integer of at most so many digits at token i."""
    if i < len(tokens) and tokens[i].kind is TokenKind.NUMBER and tokens[i].text.isdecimal() and len(tokens[i].text) <= digits:
        return int(tokens[i].text)
    return None


def _connected(tokens: Tokens, i: int, languages: frozenset[str]) -> int:
    """The index after a word that joins the parts of one number in one of the languages, or i."""
    if i < len(tokens) and _CONNECTORS.get(tokens[i].text) in languages and not tokens[i].accented:
        return i + 1
    return i


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A number below a thousand, or the digits written in its place."""

    amounts: tuple[Amount, ...]
    end: int
    languages: frozenset[str]
    certain: bool = True
    digits: bool = False


_ANY = frozenset({"pt", "es", "en"})


def _tail(tokens: Tokens, i: int, languages: frozenset[str], language: str, *, below: int) -> tuple[int, int, frozenset[str]] | None:
    """(value, end, languages) of the tens and units that continue a number at i, in words or digits."""
    digits = plain_integer(tokens, i, 2)
    if digits is not None:
        return (digits, i + 1, languages) if 0 < digits < below and not tokens[i].text.startswith("0") else None
    if i >= len(tokens):
        return None
    word = _word(tokens[i], language)
    if word is None or not word.languages & languages or word.value >= below or tokens[i].text in ("a", "an"):
        return None
    common = word.languages & languages
    if word.role in ("unit", "teen") and not (word.value == 10 and "es" in common and below > 10):
        return word.value, i + 1, common
    if word.role in ("ten", "teen"):
        joined = _connected(tokens, i + 1, common)
        unit = _tail(tokens, joined, common, language, below=10)
        if unit and (joined > i + 1 or tokens[joined].kind is TokenKind.WORD):
            return word.value + unit[0], unit[1], unit[2]
        return word.value, i + 1, common
    return None


def _chunk(tokens: Tokens, i: int, language: str) -> _Chunk | None:
    token = tokens[i]
    if token.kind is TokenKind.NUMBER:
        return _digit_chunk(tokens, i, language)
    spanish = i + 1 < len(tokens) and languages_of(tokens[i + 1]) == {"es"}
    word = _word(token, language, spanish=spanish)
    if word is None or word.role == "scale":
        return None
    certain = token.text not in _AMBIGUOUS or (bool(language) and language == _AMBIGUOUS[token.text])
    if spanish and token.text == "dos" and language not in ("es", ""):
        return _Chunk(_whole(2), i + 1, word.languages, certain=False)
    if word.role == "zero":
        return _Chunk(_whole(0), i + 1, word.languages)
    if word.role != "hundred":
        tail = _tail(tokens, i, word.languages, language, below=100)
        return _Chunk(_whole(tail[0]), tail[1], tail[2], certain) if tail else _Chunk(_whole(1), i + 1, word.languages, certain)
    if token.text not in _EXACT_HUNDREDS:
        joined = _connected(tokens, i + 1, word.languages)
        tail = _tail(tokens, joined, word.languages, language, below=100)
        if tail:
            return _Chunk(_whole(word.value + tail[0]), tail[1], tail[2])
    return _Chunk(_whole(word.value), i + 1, word.languages)


def _whole(value: int) -> tuple[Amount, ...]:
    return (Amount(Fraction(value), Fraction(1)),)


def _digit_chunk(tokens: Tokens, i: int, language: str) -> _Chunk | None:
    """Digits, spaced groups ("10 000") and the recogniser's "30 e 5" for thirty-five."""
    grouped = _spaced_groups(tokens, i)
    if grouped:
        return _Chunk(parse_digits(grouped[0]), grouped[1], _ANY, digits=True)
    tens = plain_integer(tokens, i, 2)
    if tens and tens >= 20 and tens % 10 == 0 and i + 2 < len(tokens) and tokens[i + 1].text in ("e", "y"):
        joined = _connected(tokens, i + 1, frozenset({"pt", "es"}))
        unit = _tail(tokens, joined, frozenset({"pt", "es"}), language, below=10) if joined > i + 1 else None
        if unit:
            return _Chunk(_whole(tens + unit[0]), unit[1], unit[2])
    amounts = parse_digits(tokens[i].text, language)
    return _Chunk(amounts, i + 1, _ANY, digits=True) if amounts else None


def _spaced_groups(tokens: Tokens, i: int) -> tuple[str, int] | None:
    """Groups with spaces ("10 000"): only with a group of zeros, which no separate number is written as."""
    if not (tokens[i].text.isdecimal() and len(tokens[i].text) <= 3 and not tokens[i].text.startswith("0")):
        return None
    end = i + 1
    while end < len(tokens) and end <= i + 4 and len(tokens[end].text) == 3 and tokens[end].text.isdecimal() and not tokens[end].glued:
        end += 1
    groups = [token.text for token in tokens[i:end]]
    return (" ".join(groups), end) if "000" in groups[1:] else None


_SHORT_SCALES = {"k": 1000, "mi": 1_000_000, "bi": 1_000_000_000}


def _scale(tokens: Tokens, i: int, language: str, *, after_digits: bool) -> int:
    """The multiplier at token i, or 0."""
    if i >= len(tokens):
        return 0
    token = tokens[i]
    short = _SHORT_SCALES.get(token.text, 0) if after_digits else 0
    if short and (token.glued or token.text != "k") and not (token.text == "mi" and language == "en"):
        return short
    word = _word(token, language)
    return word.value if word is not None and word.role == "scale" else 0


def read_cardinal(tokens: Tokens, i: int, language: str = "") -> Number | None:
    """The whole or decimal number that starts at token i, as far as it goes."""
    if i >= len(tokens) or tokens[i].kind not in (TokenKind.NUMBER, TokenKind.WORD):
        return None
    key = ("cardinal", i, language)
    if key not in tokens.parsed:
        tokens.parsed[key] = _read_cardinal(tokens, i, language)
    return cast("Number | None", tokens.parsed[key])


def _read_cardinal(tokens: Tokens, i: int, language: str) -> Number | None:
    total: tuple[Amount, ...] = ()
    certain, last_scale, end, at = True, 0, i, i
    languages = _ANY
    while True:
        group = _group(tokens, at, language, bare_scale=not total)
        if group is None or (total and not _continues(tokens, at, end, group, languages, last_scale)):
            break
        chunk, scale, after = group
        scaled = tuple(Amount(a.value * scale, a.step * scale) for a in chunk.amounts) if scale > 1 else chunk.amounts
        total = tuple(Amount(t.value + s.value, s.step) for t in total for s in scaled) if total else scaled
        certain, last_scale, end, languages = certain and chunk.certain, scale, after, languages & chunk.languages
        if scale == 1:
            break
        at = _connected(tokens, end, languages or _ANY)
        if at == end and end < len(tokens) and tokens[end].text == "," and tokens[i].kind is TokenKind.WORD:
            at += 1
    if not total:
        return None
    article = end == i + 1 and tokens[i].text in ARTICLES
    if not article:
        year = _spoken_year(tokens, i, end, total[0].value, language)
        if year:
            return year
    spoken = _spoken_decimal(tokens, total, end, language)
    return spoken or Number(total, end, article=article, certain=certain, scale=last_scale)


def _group(tokens: Tokens, at: int, language: str, *, bare_scale: bool) -> tuple[_Chunk, int, int] | None:
    """A chunk with its multipliers ("cento e vinte mil", "mil millones", "fifteen hundred"): (chunk, scale, end)."""
    if at >= len(tokens):
        return None
    chunk = _chunk(tokens, at, language)
    if chunk is None:
        if not bare_scale or tokens[at].text != "mil":
            return None
        chunk = _Chunk(_whole(1), at, frozenset({"pt", "es"}))
    end = chunk.end
    if end < len(tokens) and tokens[end].text == "hundred" and "en" in chunk.languages and chunk.amounts[0].value < 100:
        hundreds = int(chunk.amounts[0].value) * 100
        joined = _connected(tokens, end + 1, frozenset({"en"}))
        tail = _tail(tokens, joined, frozenset({"en"}), language, below=100)
        chunk = _Chunk(_whole(hundreds + (tail[0] if tail else 0)), tail[1] if tail else end + 1, frozenset({"en"}), chunk.certain)
        end = chunk.end
    scale = 1
    while factor := _scale(tokens, end, language, after_digits=chunk.digits):
        if scale != 1 and factor <= scale:
            break
        scale *= factor
        end += 1
    return chunk, scale, end


def _continues(tokens: Tokens, at: int, end: int, group: tuple[_Chunk, int, int], languages: frozenset[str], last_scale: int) -> bool:
    """Whether a group read at `at` belongs to the number that reached `end`: smaller, same language, joined as numbers are."""
    chunk, scale, _ = group
    if scale >= last_scale or chunk.amounts[0].value * scale >= last_scale or not chunk.languages & languages:
        return False
    if at > end and tokens[at - 1].text == ",":
        return not chunk.digits and chunk.amounts[0].value >= 100
    if not chunk.digits:
        return tokens[at].text not in ("a", "an")
    return len(chunk.amounts) == 1 and chunk.amounts[0].step == 1 and (at > end or len(tokens[at].text) == 3)


def _spoken_year(tokens: Tokens, i: int, end: int, value: Fraction, language: str) -> Number | None:
    """A year in words ("nineteen eighty-four"): two pairs of digits, in English only."""
    if tokens[i].kind is not TokenKind.WORD or language != "en" or end >= len(tokens):
        return None
    pairs = (int(value), 0) if end == i + 1 and 18 <= value <= 20 else (0, 0)
    if not pairs[0]:
        return None
    tail = _tail(tokens, end, frozenset({"en"}), language, below=100)
    if tail is None or tail[0] < 10 or tokens[end].kind is not TokenKind.WORD:
        return None
    return Number(_whole(pairs[0] * 100 + tail[0]), tail[1])


def _spoken_decimal(tokens: Tokens, whole: tuple[Amount, ...], end: int, language: str) -> Number | None:
    """As in "dois vírgula cinco", "two point two five", "12 coma 5"."""
    if end + 1 >= len(tokens) or tokens[end].text not in _POINTS or whole[0].value.denominator != 1:
        return None
    digits, at = "", end + 1
    while at < len(tokens) and len(digits) < 12:
        if tokens[at].kind is TokenKind.NUMBER and tokens[at].text.isdecimal() and not digits:
            digits, at = tokens[at].text, at + 1
            break
        word = _word(tokens[at], language)
        if word is None or word.role not in ("zero", "unit", "teen", "ten") or tokens[at].text in ("a", "an"):
            break
        if word.role in ("unit", "zero"):
            digits, at = digits + str(word.value), at + 1
            continue
        tail = _tail(tokens, at, word.languages, language, below=100)
        if tail is None:
            break
        digits, at = digits + str(tail[0]), tail[1]
        break
    if not digits:
        return None
    amount = _decimal(str(int(whole[0].value)), digits)
    scale = _scale(tokens, at, language, after_digits=False)
    return Number((Amount(amount.value * (scale or 1), amount.step * (scale or 1)),), at + bool(scale), scale=scale or 1)
