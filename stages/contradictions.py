"""The same thing with two values: on the screen and in the speech, or at two instants. Shown side by side, never averaged."""

from __future__ import annotations

from itertools import combinations

from stages.evidence import Evidence, EvidenceSet
from stages.findings import Contradiction
from stages.values import Confirmation, Value, confirm_values, read_values
from stages.words import content_words, shared_words

__all__ = ["contradictions"]

_SHARED = 2
"""Content words that two readings share before their values are about the same thing."""


def contradictions(evidence: EvidenceSet) -> tuple[Contradiction, ...]:
    """Pairs of trusted readings of one value each, of the same kind, about the same words, that differ. Quadratic in the readings
    that carry a value, which are few."""
    single = [(item, values[0]) for item in evidence if (values := _single(item))]
    found = (_contradiction(one, other) for one, other in combinations(single, 2))
    return tuple(item for item in found if item is not None)


def _single(item: Evidence) -> tuple[Value, ...]:
    values = read_values(item.text, item.language) if item.quotable else ()
    return values if len(values) == 1 else ()


def _contradiction(one: tuple[Evidence, Value], other: tuple[Evidence, Value]) -> Contradiction | None:
    (left, left_value), (right, right_value) = one, other
    if left_value.kind != right_value.kind or left.text == right.text:
        return None
    if left.channel is right.channel and left_value.kind == "number":
        return None  # a bare number that changes on the screen is a counter, not a contradiction
    left_words, right_words = _around(left.text, left_value), _around(right.text, right_value)
    shared = shared_words(left_words, right_words)
    needed = min(_SHARED, len(set(content_words(left_words))), len(set(content_words(right_words))))
    if not shared or len(shared) < needed:
        return None
    if len(shared) == 1 and not (
        _counted(left.text, left_value) in shared and _counted(right.text, right_value) in content_words(left_words)
    ):
        return None
    if confirm_values(left_value.text, [right_value.text]).status is not Confirmation.REFUSED:
        return None
    return Contradiction(left, right, left_value.text, right_value.text, " ".join(shared))


def _around(text: str, value: Value) -> str:
    """The text without its value: two dates in May are not about May."""
    return f"{text[: value.start]} {text[value.end :]}"


def _counted(text: str, value: Value) -> str:
    """The first content word after the value: what it is an amount of. Empty where nothing follows."""
    return next(iter(content_words(text[value.end :])), "")
