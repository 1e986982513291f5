"""Fractions, mixed numbers and ordinals on top of the cardinals ("três quartos", "1 1/2", "um e meio", "3º", "twenty-first")."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from typing import cast

from stages._values.cardinals import Amount, Number, plain_integer, read_cardinal
from stages._values.text import TokenKind, Tokens

__all__ = ["HALF", "read_number", "read_ordinal"]

HALF = Fraction(1, 2)
_HALVES = {"meio": "pt", "meia": "pt", "medio": "es", "media": "es", "half": "en", "metade": "pt", "mitad": "es"}
_DENOMINATORS = {
    "half": 2, "halves": 2, "meios": 2, "medios": 2, "terco": 3, "tercos": 3, "tercio": 3, "tercios": 3, "third": 3, "thirds": 3,
    "quarto": 4, "quartos": 4, "cuarto": 4, "cuartos": 4, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "quinto": 5,
    "quintos": 5, "fifth": 5, "fifths": 5, "sexto": 6, "sextos": 6, "sixth": 6, "sixths": 6, "oitavo": 8, "oitavos": 8, "octavo": 8,
    "octavos": 8, "eighth": 8, "eighths": 8, "decimo": 10, "decimos": 10, "tenth": 10, "tenths": 10, "sixteenth": 16,
    "sixteenths": 16,
}  # fmt: skip
_SURE_THIRDS = frozenset("terco tercio third".split())


def read_number(tokens: Tokens, i: int, language: str = "") -> Number | None:
    """The number at token i, fractions and mixed numbers included ("¾", "1 1/2", "dois e meio", "três quartos", "half")."""
    if i >= len(tokens):
        return None
    key = ("number", i, language)
    if key not in tokens.parsed:
        tokens.parsed[key] = _read_number(tokens, i, language)
    return cast("Number | None", tokens.parsed[key])


def _read_number(tokens: Tokens, i: int, language: str) -> Number | None:
    fraction = _fraction(tokens, i, language)
    if fraction:
        return fraction
    whole = read_cardinal(tokens, i, language)
    if whole is None:
        return None
    return _mixed(tokens, whole, language) or whole


def _mixed(tokens: Tokens, whole: Number, language: str) -> Number | None:
    """A whole number and the fraction that follows it."""
    at = whole.end
    if at >= len(tokens) or whole.value.denominator != 1:
        return None
    joined = at + 1 if tokens[at].text in ("e", "y", "and") and not tokens[at].accented else at
    if joined == at and tokens[at].text == "-" and at + 1 < len(tokens) and tokens[at + 1].glued:
        joined += 1
    if joined < len(tokens) and tokens[joined].text in ("a", "um", "un", "uma", "una") and joined > at:
        half = _half(tokens, joined + 1)
        if half:
            return _added(whole, HALF, half)
    if joined > at and _half(tokens, joined):
        return _added(whole, HALF, joined + 1)
    fraction = _fraction(tokens, joined, language) if joined < len(tokens) else None
    if fraction is None or not fraction.fraction or fraction.value >= 1:
        return None
    if joined == at and (whole.article or tokens[at].kind is TokenKind.WORD):
        return None
    return _added(whole, fraction.value, fraction.end)


def _added(whole: Number, part: Fraction, end: int) -> Number:
    return Number(tuple(Amount(amount.value + part * whole.scale, Fraction(0)) for amount in whole.amounts), end, fraction=True)


def _half(tokens: Tokens, i: int) -> int:
    """The index after a word for one half, or 0. "médio" and "média" are other words: the accent tells."""
    if i < len(tokens) and tokens[i].text in ("meio", "meia", "medio", "media", "half") and not tokens[i].accented:
        return i + 1
    return 0


def _fraction(tokens: Tokens, i: int, language: str) -> Number | None:
    token = tokens[i]
    if token.kind is TokenKind.FRACTION:
        exact = Fraction(unicodedata.numeric(token.text)).limit_denominator(20)
        return Number((Amount(exact, Fraction(0)),), i + 1, fraction=True)
    if token.kind is TokenKind.NUMBER:
        slashed = _slashed(tokens, i)
        if slashed:
            return slashed
    if token.text in _HALVES and not token.accented and language in ("", _HALVES[token.text]):
        return Number((Amount(HALF, Fraction(0)),), i + 1, fraction=True, certain=False)
    count = read_cardinal(tokens, i, language)
    if count is None or count.end >= len(tokens) or count.value.denominator != 1 or not 1 <= count.value <= 20:
        return None
    at = count.end + 1 if tokens[count.end].text == "-" and count.end + 1 < len(tokens) else count.end
    denominator = _DENOMINATORS.get(tokens[at].text)
    if denominator is None or (tokens[at].accented and denominator == 2):
        return None
    value = count.value / denominator
    sure = count.value > 1 or (tokens[at].text in _SURE_THIRDS and tokens[i].text != "a")
    amounts = [Amount(value, Fraction(0))]
    if tokens[at].text in ("quartos", "cuartos", "quarters", "halves"):
        amounts += list(count.amounts)
    return Number(tuple(amounts), at + 1, fraction=True, certain=sure)


def _slashed(tokens: Tokens, i: int) -> Number | None:
    """As in "3/4"."""
    if i + 2 >= len(tokens) or tokens[i + 1].text != "/" or not (tokens[i + 1].glued and tokens[i + 2].glued):
        return None
    top, bottom = plain_integer(tokens, i, 4), plain_integer(tokens, i + 2, 4)
    if top is None or not bottom or (i + 3 < len(tokens) and tokens[i + 3].text == "/" and tokens[i + 3].glued):
        return None
    return Number((Amount(Fraction(top, bottom), Fraction(0)),), i + 3, fraction=True, ratio=(top, bottom))


_ORDINALS = {
    "o": """primeir=1 primer=1 segund=2 terceir=3 tercer=3 quart=4 cuart=4 quint=5 sext=6 setim=7 septim=7 oitav=8 octav=8 non=9
        noven=9 decim=10 undecim=11 duodecim=12 vigesim=20 trigesim=30 quadragesim=40 cuadragesim=40 quinquagesim=50
        quincuagesim=50 sexagesim=60 septuagesim=70 setuagesim=70 octogesim=80 nonagesim=90 centesim=100""",
    "": """primer=1 tercer=3 first=1 second=2 third=3 fourth=4 fifth=5 sixth=6 seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11
        twelfth=12 thirteenth=13 fourteenth=14 fifteenth=15 sixteenth=16 seventeenth=17 eighteenth=18 nineteenth=19 twentieth=20
        thirtieth=30 fortieth=40 fiftieth=50 sixtieth=60 seventieth=70 eightieth=80 ninetieth=90 hundredth=100""",
}
_ORDINAL_WORDS = {
    stem + ending: int(value)
    for kind, listing in _ORDINALS.items()
    for stem, _, value in (entry.partition("=") for entry in listing.split())
    for ending in (("o", "a", "os", "as") if kind else ("",))
}
_TENS = {
    word: value
    for listing in (
        "twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90",
        " ".join(
            f"{ten}{ending}={value}"
            for ten, value in (
                ("decim", 10),
                ("vigesim", 20),
                ("trigesim", 30),
                ("quadragesim", 40),
                ("cuadragesim", 40),
                ("quinquagesim", 50),
                ("quincuagesim", 50),
                ("sexagesim", 60),
                ("septuagesim", 70),
                ("octogesim", 80),
                ("nonagesim", 90),
            )
            for ending in "oa"
        ),
    )
    for word, value in ((entry.split("=")[0], int(entry.split("=")[1])) for entry in listing.split())
}
_OTHER_WORDS = frozenset(
    """primeiro primeira primero primera first segundo segunda segundos segundas second quarto quarta quartos cuarto cuarta quinta
    quintas sexta sextas terceira""".split()
)
"""Ordinals that are also an adverb, a preposition, a room or a weekday."""
_SUFFIXES = frozenset("st nd rd th o a os as er ro ra do da to ta mo ma vo va no na".split())


def read_ordinal(tokens: Tokens, i: int) -> Number | None:
    """The ordinal at token i ("3º", "3.ª", "21st", "terceiro", "décimo segundo", "twenty-first")."""
    if i >= len(tokens):
        return None
    digits = plain_integer(tokens, i, 4)
    if digits is not None:
        return _marked_ordinal(tokens, i, digits)
    tens = _TENS.get(tokens[i].text)
    if tens and i + 1 < len(tokens):
        at = i + 2 if tokens[i + 1].text == "-" and i + 2 < len(tokens) else i + 1
        unit = _ORDINAL_WORDS.get(tokens[at].text, 10)
        if unit < 10:
            return _ordinal(tens + unit, at + 1)
    value = _ORDINAL_WORDS.get(tokens[i].text)
    return _ordinal(value, i + 1, certain=tokens[i].text not in _OTHER_WORDS) if value else None


def _ordinal(value: int, end: int, *, certain: bool = True) -> Number:
    return Number((Amount(Fraction(value), Fraction(1)),), end, certain=certain)


def _marked_ordinal(tokens: Tokens, i: int, digits: int) -> Number | None:
    at = i + 1
    if at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].text in ("º", "ª") and tokens[at + 1].glued:
        at += 1
    if at >= len(tokens) or not tokens[at].glued:
        return None
    mark = tokens[at]
    if mark.text in ("º", "ª") or (mark.text in _SUFFIXES and not mark.raw.isupper()):
        return _ordinal(digits, at + 1)
    return None
