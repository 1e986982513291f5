"""Confirms the values of a claim in the evidence it cites, in any spelling, in Portuguese, Spanish and English.

The law: a number, price, date, duration, share or ordinal in a read claim is found in the cited evidence or the claim is
refused. `500 g` is `quinhentos gramas` is `meio quilo`; `1,5 kg` against `500 g` is a lie. What cannot be parsed neither
confirms nor accuses. No model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from stages._values.codes import compact, is_code
from stages._values.dates import Date
from stages._values.joining import language_of, read_found
from stages._values.reading import Found, Reading, Value
from stages._values.text import TokenKind, tokenize
from stages._values.units import match_unit

__all__ = ["Confirmation", "Reading", "Value", "ValueCheck", "confirm_values", "language_of", "read_values"]

ROUNDING = Fraction(2, 100)
"""Largest relative difference that rounding between systems of units may make: 1 lb is 450 g, but not 500 g."""


_LISTED = re.compile(r" [^\W\d]+(?: [^\W\d]+)? ?: ([^.!?;\n]+)")
_LIST_JOINT = re.compile(r",| e | y | and | ou | o | or ")


class Confirmation(StrEnum):
    """What the evidence says about the values of a claim."""

    CONFIRMED = "confirmed"
    UNCHECKED = "unchecked"
    NONE = "none"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """The values of a claim, each as written, by what the evidence says about them."""

    status: Confirmation
    detail: str
    """One line that names the values that decided."""
    confirmed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """In the claim, not in the evidence, or contradicted by it."""
    unchecked: tuple[str, ...] = ()
    """Could not be parsed, or may be no value."""


def read_values(text: str, language: str = "") -> tuple[Value, ...]:
    """The values written in a text, in order.

    `language` ("pt", "es", "en") decides where the words themselves do not tell. Never raises.
    """
    return tuple(found.value for found in read_found(text, language))


def confirm_values(claim: str, evidence: Sequence[str], *, language: str = "") -> ValueCheck:
    """Whether every value of the claim is in the evidence.

    `language` is the claim's, where known. The precision written rules: 177 °C confirms 350 °F, 1.5 kg does not confirm 1.52 kg.
    """
    texts = _continued(evidence)
    spoken = language_of(" ".join(texts)) or language_of(claim) or language
    proof = _Proof.of(texts, spoken)
    confirmed: list[str] = []
    missing: list[str] = []
    unchecked: list[str] = []
    for found in read_found(claim, language or spoken, evidence=True):
        verdict = None if _is_counted_out(found, claim) else _verdict(found, proof)
        if verdict is not None:
            {Confirmation.CONFIRMED: confirmed, Confirmation.REFUSED: missing}.get(verdict, unchecked).append(found.value.text)
    return _summary(confirmed, missing, unchecked)


def _summary(confirmed: list[str], missing: list[str], unchecked: list[str]) -> ValueCheck:
    groups = (tuple(confirmed), tuple(missing), tuple(unchecked))
    if missing:
        return ValueCheck(Confirmation.REFUSED, "not in the evidence: " + ", ".join(missing), *groups)
    if unchecked:
        return ValueCheck(Confirmation.UNCHECKED, "could not be checked: " + ", ".join(unchecked), *groups)
    if confirmed:
        return ValueCheck(Confirmation.CONFIRMED, "found in the evidence: " + ", ".join(confirmed), *groups)
    return ValueCheck(Confirmation.NONE, "no value in the claim")


def _continued(evidence: Sequence[str]) -> list[str]:
    """The texts, a sentence that runs on into the next one joined: "trinta" + "e cinco minutos"."""
    texts: list[str] = []
    for text in evidence:
        start = text.lstrip()
        if texts and texts[-1].rstrip()[-1:].isalnum() and start[:1].islower():
            texts[-1] = f"{texts[-1]} {start}"
        else:
            texts.append(text)
    return texts


@dataclass(frozen=True, slots=True)
class _Proof:
    """What the evidence says."""

    found: tuple[Found, ...]
    names: frozenset[str]
    """Runs of letters and digits, and pairs of neighbours run together."""
    headings: frozenset[str]
    """Units named apart from a number, as over a column: "(g)"."""

    @classmethod
    def of(cls, texts: Sequence[str], language: str) -> _Proof:
        found: list[Found] = []
        names: set[str] = set()
        headings: set[str] = set()
        for text in texts:
            found += read_found(text, language, evidence=True)
            words = [compact(word) for word in _words(text)]
            names.update(words)
            names.update(left + right for left, right in pairwise(words))
            headings.update(_heading_units(text, language))
        return cls(tuple(found), frozenset(names), frozenset(headings))


def _words(text: str) -> list[str]:
    """Folded words, a name with digits in it whole."""
    return [token.text for token in tokenize(text, is_code) if token.kind is not TokenKind.MARK]


def _heading_units(text: str, language: str) -> Iterable[str]:
    tokens = tokenize(text)
    for i, token in enumerate(tokens[:-1]):
        if token.text not in ("(", "["):
            continue
        unit = match_unit(tokens, i + 1, language)
        if unit and unit.end < len(tokens) and tokens[unit.end].text in (")", "]"):
            yield from (one.key for one in unit.units)


_PARTITIVE = frozenset("parte part lado side vez time metade pedaco piece momento momento cada dia day outro otro outra otra".split())


def _verdict(found: Found, proof: _Proof) -> Confirmation | None:
    """What the evidence says of one value; None where the words turn out to be no value."""
    value = found.value
    if value.kind == "vague":
        return Confirmation.UNCHECKED
    if value.kind == "name" and value.readings[0].literal in proof.names:
        return Confirmation.CONFIRMED
    matches = [other for other in proof.found if _agree(found, other, proof)]
    if value.kind == "ratio" and not matches and _side_by_side(value.readings[0].terms, proof.found):
        return Confirmation.CONFIRMED
    lone_article = found.article and value.kind == "number"
    if lone_article and matches and value.readings[0].step == 0:
        return Confirmation.CONFIRMED
    if lone_article:
        contradicted = not matches and found.noun not in _PARTITIVE and _noun_says_otherwise(found, proof)
        return Confirmation.UNCHECKED if contradicted else None
    if matches:
        return Confirmation.REFUSED if _is_swapped(found, matches, proof) else _limited(found, matches)
    if value.certain:
        return Confirmation.REFUSED
    return Confirmation.REFUSED if _is_contradicted(found, proof) else Confirmation.UNCHECKED


def _limited(found: Found, matches: Sequence[Found]) -> Confirmation:
    """Whether what limits the value in the claim ("mais de", "por quilo") limits it in the evidence too.

    A claim may leave a limit out; one that the evidence does not have is unchecked, another one is refused.
    """
    verdicts = [{_same_limit(found.limit, match.limit), _same_limit(found.per, match.per)} for match in matches]
    for worst in (Confirmation.CONFIRMED, Confirmation.UNCHECKED):
        if any(verdict <= {Confirmation.CONFIRMED, worst} for verdict in verdicts):
            return worst
    return Confirmation.REFUSED


def _same_limit(mine: str, theirs: str) -> Confirmation:
    if mine in ("", theirs):
        return Confirmation.CONFIRMED
    return Confirmation.REFUSED if theirs else Confirmation.UNCHECKED


def _is_counted_out(found: Found, claim: str) -> bool:
    """Whether the number only counts the list that follows it: "três ingredientes: ovos, leite e óleo"."""
    items = _LISTED.match(claim, found.value.end)
    if items is None or found.value.kind != "number" or not found.amounts:
        return False
    return len([one for one in _LIST_JOINT.split(items.group(1)) if one.strip()]) == found.amounts[0].value


def _side_by_side(terms: Sequence[int], found: Sequence[Found]) -> bool:
    """Whether the terms of a ratio stand one after the other ("2 para 1")."""
    bare = [{reading.number for reading in one.value.readings if reading.dimension == "number"} for one in found]
    return any(terms[0] in left and terms[1] in right for left, right in pairwise(bare))


def _agree(claim: Found, evidence: Found, proof: _Proof) -> bool:
    counted = claim.plural and all(reading.dimension in ("number", "year") and reading.step for reading in claim.value.readings)
    has_unit = any(reading.unit for reading in claim.value.readings)
    alike = len(claim.amounts) > 1 and claim.amounts == evidence.amounts
    for mine in claim.value.readings:
        for theirs in evidence.value.readings:
            if alike and mine.number != theirs.number:
                continue
            if has_unit and theirs.unit and mine.dimension == "number":
                continue  # "3 bars" may be three things, but not the 3 of "3 days"
            if counted and theirs.unit and theirs.dimension != "number" and claim.noun != evidence.noun:
                continue
            if _same(mine, theirs, proof):
                return True
            if mine.unit in proof.headings and theirs.dimension == "number" and not evidence.noun and mine.number == theirs.number:
                return True
    return False


def _same(mine: Reading, theirs: Reading, proof: _Proof) -> bool:
    """Whether what the evidence says covers what the claim says."""
    pair = (mine.dimension, theirs.dimension)
    if "vague" in pair or "name" in pair:
        return False
    if pair == ("date", "date"):
        return _same_date(mine.date, theirs.date, proof)
    if pair == ("year", "date"):
        return mine.number == theirs.date.year
    if "ratio" in pair:
        return mine.terms == theirs.terms if pair == ("ratio", "ratio") else pair[0] == "number" and mine.number in theirs.terms
    if pair == ("clock", "clock"):
        return mine.base == theirs.base or (mine.base // 60 == theirs.base // 60 and mine.base % 60 == 0)
    if mine.dimension == theirs.dimension:
        return _same_amount(mine, theirs)
    if set(pair) == {"percent", "number"}:
        share = mine if mine.dimension == "number" else theirs
        if share.step == 0 or (0 <= share.base <= 1 and share.step < 1):
            return _same_amount(mine, theirs)
    if mine.dimension == "number" and theirs.unit:
        return mine.number == theirs.number
    return bool(theirs.family) and mine.dimension == theirs.family and mine.number == theirs.number


def _same_date(mine: Date, theirs: Date, proof: _Proof) -> bool:
    """Every field the claim writes is the evidence's; a year may stand apart from the day."""
    fields = [(mine.month, theirs.month), (mine.day, theirs.day), (mine.weekday, theirs.weekday)]
    if any(wanted and wanted != given for wanted, given in fields):
        return False
    if not mine.year or mine.year == theirs.year:
        return True
    years = {r.number for found in proof.found for r in found.value.readings if r.dimension == "year"}
    return not theirs.year and mine.year in years


def _same_amount(mine: Reading, theirs: Reading) -> bool:
    """Equal, or the one a correct rounding of the other where the two spellings cannot be exactly equal.

    The claim is the rounded one, unless it is a fraction. Temperatures are rounded in recipes both ways (177 °C is a rounded
    350 °F), so between scales either may be.
    """
    if mine.family and theirs.family and mine.system != theirs.system:
        return False
    if mine.base == theirs.base:
        return True
    exact, rounded = (theirs, mine) if mine.step else (mine, theirs)
    if mine.system == theirs.system and _is_writable(exact, rounded):
        return False
    difference = abs(mine.base - theirs.base)
    if mine.dimension == "temperature":
        return difference <= max(mine.step, theirs.step) / 2
    return difference <= min(rounded.step / 2, ROUNDING * abs(exact.base))


def _is_writable(exact: Reading, rounded: Reading) -> bool:
    """Whether the one amount can be written out in the unit of the other with a few digits (80 min in hours cannot)."""
    if not rounded.base:
        return True
    rest = (exact.base * rounded.number / rounded.base).denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _is_swapped(found: Found, matches: Sequence[Found], proof: _Proof) -> bool:
    """Whether the evidence has the amount, but of something else: "300 g de açúcar" from "300 g de farinha e 500 g de açúcar"."""
    if not found.noun or any(match.noun in ("", found.noun) for match in matches):
        return False
    return _noun_says_otherwise(found, proof)


def _noun_says_otherwise(found: Found, proof: _Proof) -> bool:
    """Whether the evidence gives the same thing in the same dimension, and never this amount."""
    mine = {reading.dimension for reading in found.value.readings}
    same_thing = [
        other for other in proof.found if found.noun and other.noun == found.noun and mine & {r.dimension for r in other.value.readings}
    ]
    return bool(same_thing) and not any(_agree(found, other, proof) for other in same_thing)


def _is_contradicted(found: Found, proof: _Proof) -> bool:
    """Whether the evidence says another value in place of one that may be none."""
    mine = found.value.readings
    certain = [r for other in proof.found if not other.article for r in other.value.readings if r.certain]
    if mine[0].dimension == "date":
        wanted = mine[0].date
        dates = [r.date for other in proof.found for r in other.value.readings if r.dimension == "date"]
        return any((wanted.month and date.month) or (wanted.weekday and date.weekday) for date in dates)
    if mine[0].unit:
        units = {reading.unit for reading in mine}
        if any(found.noun and other.noun == found.noun and other.value.certain for other in proof.found if other.amounts):
            return True
        return any(reading.unit in units for reading in certain) or _noun_says_otherwise(found, proof)
    if mine[0].dimension == "number":
        return any(reading.dimension == "percent" or (reading.dimension == "number" and reading.step == 0) for reading in certain)
    return _noun_says_otherwise(found, proof)
