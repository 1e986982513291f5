"""Numbers in writings that are not read: "muitas toneladas", "D g", "九百 g". They neither confirm nor accuse, and a reader should know."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from stages._values.text import Tokens
from stages._values.units import match_unit

__all__ = ["VAGUE_PHRASES", "VAGUE_STARTS", "VAGUE_TAILS", "VAGUE_WORDS", "roman_value", "unread_end"]

VAGUE_TAILS = (
    ("e", "poucos"), ("e", "poucas"), ("e", "tantos"), ("e", "tantas"), ("y", "pico"), ("y", "tantos"), ("y", "tantas"), ("y", "pocos"),
    ("y", "algo"), ("-", "odd"), ("odd",), ("-", "something"), ("something",), ("ish",), ("-", "ish"), ("e", "alguma", "coisa"),
    ("e", "qualquer", "coisa"),
)  # fmt: skip
VAGUE_STARTS = frozenset(tail[0] for tail in VAGUE_TAILS)
VAGUE_WORDS = frozenset(
    """several varios varias dozens dezenas decenas docenas duzias centenas hundreds cientos milhares thousands millares millions
    milhoes millones inumeros inumeras diversos diversas numerosos numerosas veintitantos veintitantas treintaitantos""".split()
)
VAGUE_PHRASES = (
    ("a", "few"), ("a", "couple"), ("a", "handful"), ("uns", "poucos"), ("umas", "poucas"), ("unos", "cuantos"), ("unas", "cuantas"),
    ("unos", "pocos"), ("unas", "pocas"), ("um", "punhado"), ("un", "punado"),
)  # fmt: skip

_ROMAN: Final = re.compile(r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_DIGITS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_MANY: Final = frozenset("muitas muitos muchas muchos many poucas poucos pocas pocos few algumas alguns algunas algunos some".split())


def roman_value(text: str) -> int:
    """The value of a Roman numeral in capitals; 0 where it is none."""
    if not _ROMAN.fullmatch(text):
        return 0
    digits = [_DIGITS[char] for char in text]
    return sum(-digit if digit < max(digits[place:]) else digit for place, digit in enumerate(digits))


def unread_end(tokens: Tokens, i: int, language: str) -> int:
    """The index after the unit that an unread number at token i stands before; 0 where none does."""
    token = tokens[i]
    many = token.text in _MANY
    foreign = any("LATIN" not in unicodedata.name(char, "LATIN") for char in token.text if char.isalpha())
    if not (many or foreign or roman_value(token.raw)):
        return 0
    unit = match_unit(tokens, i + 1, language)
    return 0 if unit is None or (unit.casual and many) else unit.end
