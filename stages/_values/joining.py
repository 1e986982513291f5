"""Joins what belongs together: the ends of a range share a unit, "1 hora e 30 minutos" is one length of time.

Read apart, the parts would confirm claims that the text does not make ("20 segundos" from "3 minutos e 20 segundos") and
refuse ones that it does ("10 minutos" from "10 a 15 minutos").
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from stages._values.bounds import with_limits
from stages._values.cardinals import Amount
from stages._values.codes import is_code
from stages._values.reader import read_each
from stages._values.reading import Found, Reading, Value, measured
from stages._values.text import Tokens, guess_language, tokenize
from stages._values.units import UNITS

__all__ = ["language_of", "read_found"]

_RANGE = frozenset("- – a à ao ate to ou or o u hasta until as x por by".split())
_LIST = frozenset("e y and ,".split())
_COMPOUND = frozenset("e y and con com".split())
_SMALLER = {
    "h": ("min", 60), "min": ("s", 60), "kg": ("g", 1000), "m": ("cm", 100), "BRL": ("BRLc", 100), "USD": ("USDc", 100),
    "EUR": ("EURc", 100), "GBP": ("GBPc", 100), "peso": ("pesoc", 100),
}  # fmt: skip
_EXTENTS = frozenset(
    ("", *"comprimento altura largura profundidade espessura largo ancho alto longitud length width height depth long wide tall".split())
)
"""What may follow a measure without being what is counted: "um metro e vinte de comprimento"."""
_PARTS = {
    "h": {"min", "s"}, "min": {"s"}, "day": {"h", "min"}, "kg": {"g"}, "m": {"cm", "mm"}, "km": {"m"}, "cm": {"mm"}, "l": {"ml"},
    "ft": {"in"}, "lb": {"oz"}, "year": {"month"}, "BRL": {"BRLc"}, "USD": {"USDc"}, "EUR": {"EURc"}, "GBP": {"GBPc"},
    "peso": {"pesoc"},
}  # fmt: skip


def language_of(text: str) -> str:
    """One of "pt", "es", "en" or "", by the words of the text."""
    return guess_language(tokenize(text))


def read_found(text: str, language: str = "", *, evidence: bool = False) -> list[Found]:
    """The values of a text with their neighbourhood, joined.

    `evidence` keeps what a claim does not count as a value of its own: articles ("um ovo" is one egg for a claim that
    says "1 ovo") and the numbers of a numbered list.
    """
    tokens = tokenize(text, is_code)
    found = read_each(text, tokens, guess_language(tokens) or language, evidence=evidence)
    found = _share_units(found, tokens)
    found = _join_parts(found, text, tokens)
    found = with_limits(found, tokens)
    return _without_list_nouns(found, tokens) if evidence else found


def _between(left: Found, right: Found, tokens: Tokens) -> list[str]:
    return [token.text for token in tokens[left.last : right.first]]


def _share_units(found: list[Found], tokens: Tokens) -> list[Found]:
    """Gives the bare end of a range or list the unit of the other end."""
    out = list(found)
    for k in range(len(out) - 2, -1, -1):
        left, right = out[k], out[k + 1]
        between = _between(left, right, tokens)
        if len(between) == 1 and left.value.kind == "number" and left.amounts and not left.article:
            out[k] = _lend(left, right, sure=between[0] in _RANGE) if between[0] in _RANGE | _LIST else left
    for k in range(len(out) - 1):
        left, right = out[k], out[k + 1]
        between = _between(left, right, tokens)
        is_prefix_price = left.value.kind == "money" and not left.value.text[-1:].isalpha()
        if len(between) == 1 and between[0] in _RANGE and is_prefix_price and right.value.kind == "number" and right.amounts:
            out[k + 1] = _lend(right, left, sure=False)
    return out


def _lend(bare_end: Found, whole: Found, *, sure: bool) -> Found:
    lent: list[Reading] = []
    for key in dict.fromkeys(reading.unit for reading in whole.value.readings if reading.unit in UNITS and whole.amounts):
        lent += measured(bare_end.amounts, [UNITS[key]])
    amount = bare_end.amounts[0].value
    if whole.value.kind == "clock" and amount.denominator == 1 and 0 <= amount <= 24:
        halves = {amount * 3600, (amount * 3600 + 43200) % 86400} if 1 <= amount <= 12 else {amount * 3600}
        lent += [Reading("clock", base=half, step=Fraction(60)) for half in sorted(halves)]
    if not lent:
        return bare_end
    kept = () if sure and whole.value.kind != "clock" else bare_end.value.readings
    return replace(bare_end, value=replace(bare_end.value, kind=whole.value.kind, readings=(*lent, *kept)))


def _join_parts(found: list[Found], text: str, tokens: Tokens) -> list[Found]:
    out: list[Found] = []
    for item in found:
        joined = _joined(out[-1], item, text, tokens) if out else None
        if joined is None:
            out.append(item)
        else:
            out[-1] = joined
    return out


def _joined(left: Found, right: Found, text: str, tokens: Tokens) -> Found | None:
    """The two as one quantity, where the right one is the smaller part of the left one."""
    between = _between(left, right, tokens)
    if between in (["con"], ["com"]) and left.value.kind == "number":
        return _price_with_cents(left, right, text)
    if between not in ([], ["e"], ["y"], ["and"], ["con"], ["com"]) or (between and tokens[left.last].accented):
        return None
    sums: list[Reading] = []
    for big in left.value.readings:
        for small in _as_part_of(big, right, tokens, glued=not between):
            sums.append(replace(big, number=Fraction(0), unit=small.unit, base=big.base + small.base, step=small.step))
    if not sums:
        return None
    value = Value(text[left.value.start : right.value.end], left.value.start, right.value.end, left.value.kind, tuple(sums))
    kind = "duration" if sums[0].dimension == "time" else left.value.kind
    return replace(left, value=replace(value, kind=kind), last=right.last, amounts=(), noun=right.noun, plural=right.plural)


def _price_with_cents(left: Found, right: Found, text: str) -> Found | None:
    """ "quince con noventa euros": 15,90 €."""
    cents = right.amounts[0].value if right.amounts and right.value.kind == "money" else Fraction(0)
    if not 10 <= cents < 100 or cents.denominator != 1 or left.amounts[0].value.denominator != 1:
        return None
    total = (Amount(left.amounts[0].value + cents / 100, Fraction(1, 100)),)
    readings = measured(total, [UNITS[reading.unit] for reading in right.value.readings if reading.unit in UNITS])
    value = Value(text[left.value.start : right.value.end], left.value.start, right.value.end, "money", tuple(readings))
    return replace(right, value=value, first=left.first, amounts=total)


def _as_part_of(big: Reading, right: Found, tokens: Tokens, *, glued: bool) -> list[Reading]:
    """The readings of the right value that count smaller units of the left one."""
    named = [small for small in right.value.readings if small.unit in _PARTS.get(big.unit, ())]
    if named or right.value.kind != "number" or not right.amounts or right.article:
        return [small for small in named if small.base < _size(big.unit)]
    implied = _SMALLER.get(big.unit)
    amount = right.amounts[0]
    if implied is None or len(right.amounts) > 1 or amount.step != 1 or right.noun not in _EXTENTS:
        return []
    unit, limit = implied
    least = {"g": 100, "cm": 10}.get(unit, 10 if glued else 1)
    if not least <= amount.value < limit or (big.dimension == "mass" and big.number.denominator != 1):
        return []
    return measured(right.amounts, [UNITS[unit]])


def _size(unit: str) -> Fraction:
    return UNITS[unit].factor


def _without_list_nouns(found: list[Found], tokens: Tokens) -> list[Found]:
    """Forgets the nouns in a text laid out as "Ovos 3 Leite 2": there the word after a value belongs to the next one."""
    if not found or found[-1].last != len(tokens):
        return found
    return [item if item.value.kind == "ordinal" else replace(item, noun="", plural=False) for item in found]
