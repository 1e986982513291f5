"""The records of value reading: one value in a text, and each meaning its spelling may have.

Where a spelling is ambiguous ("1.500", "2:30", "libras") all its readings are kept; where the words may be no value at
all ("uma colher", "segundo") the reading says so, and a check can neither refuse nor vouch because of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from stages._values.cardinals import Amount
from stages._values.dates import NO_DATE, Date
from stages._values.units import Unit

__all__ = ["Found", "Reading", "Value", "bare", "integer", "kind_of", "measured"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a spelling."""

    dimension: str
    """What is measured: "number" for a bare one, "mass", "time", "money:BRL", "percent", "date", "clock", "ordinal", ..."""
    number: Fraction = Fraction(0)
    """As written, in `unit`."""
    unit: str = ""
    base: Fraction = Fraction(0)
    """In the base unit of the dimension; seconds since midnight for a clock time."""
    step: Fraction = Fraction(0)
    """One unit of the last digit written, in base units; 0 where the spelling is exact (a fraction)."""
    system: str = ""
    """Units of one system convert exactly into each other."""
    family: str = ""
    """As in `Unit`."""
    date: Date = NO_DATE
    terms: tuple[int, ...] = ()
    """The terms of a ratio."""
    literal: str = ""
    """Letters and digits of a name with digits in it."""
    certain: bool = True
    """False where the words may be no value ("uma colher", "segundo", "maio")."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value read in a text."""

    text: str
    """Verbatim."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    kind: str
    """As in "number", "quantity", "money", "percent", "date", "year", "clock", "duration", "ordinal", "ratio", "name" or "vague"."""
    readings: tuple[Reading, ...]
    """At least one; several where the spelling is ambiguous."""

    @property
    def certain(self) -> bool:
        """Whether the words are surely a value."""
        return any(reading.certain for reading in self.readings)


@dataclass(frozen=True, slots=True)
class Found:
    """A value with its neighbourhood."""

    value: Value
    first: int
    """Index of its first token."""
    last: int
    """Index after its last token."""
    amounts: tuple[Amount, ...] = ()
    """The bare amounts, for a neighbour that lends its unit."""
    noun: str = ""
    """Stem of what is counted or measured, where the text says so right after the value."""
    plural: bool = False
    """The noun is in the plural."""
    article: bool = False
    """No value of its own in a claim: an article, a word that may be a number, the number of a list."""
    limit: str = ""
    """`up` ("mais de"), `down` ("até") or `times` ("o dobro de"), where the text limits the value so."""
    per: str = ""
    """What it is for one of ("por quilo", "/kg"): the key of a unit, or a noun."""


def integer(value: int) -> tuple[Fraction, str, Fraction, Fraction]:
    return Fraction(value), "", Fraction(value), Fraction(1)


def bare(amounts: Sequence[Amount], *, certain: bool = True) -> list[Reading]:
    return [Reading("number", amount.value, "", amount.value, amount.step, certain=certain) for amount in amounts]


def measured(amounts: Sequence[Amount], units: Sequence[Unit], *, certain: bool = True) -> list[Reading]:
    return [
        Reading(
            unit.dimension,
            amount.value,
            unit.key,
            amount.value * unit.factor + unit.offset,
            amount.step * unit.factor,
            unit.system,
            unit.family,
            certain=certain,
        )
        for amount in amounts
        for unit in units
    ]


def kind_of(units: Sequence[Unit]) -> str:
    dimension = units[0].dimension
    if dimension in ("time", "months"):
        return "duration"
    if dimension == "percent":
        return "percent"
    return "money" if dimension.startswith("money:") else "quantity"
