"""The same thing with two values: on the screen and in the speech, or at two instants. Shown side by side, never averaged."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from stages.evidence import Evidence, EvidenceSet
from stages.findings import Contradiction
from stages.values import Confirmation, Value, confirm_values, read_values
from stages.words import content_words, same_word, shared_words

__all__ = ["contradictions"]

_SHARED = 2
"""Content words that two readings share before their values are about the same thing."""


def contradictions(evidence: EvidenceSet) -> tuple[Contradiction, ...]:
    """Pairs of trusted values of one kind, about the same words, that differ; cited or not. Quadratic in the values, which are few."""
    said = [mention for item in evidence if item.quotable for mention in _mentions(item)]
    found = (_contradiction(one, other) for one, other in combinations(said, 2) if one.item is not other.item)
    return tuple(item for item in found if item is not None)


@dataclass(frozen=True, slots=True)
class _Mention:
    """One value of one reading."""

    item: Evidence
    value: Value
    around: str
    """What stands between it and the values beside it: two dates in May are not about May."""
    counted: str
    """The first content word after the value: what it is an amount of. Empty where nothing follows."""
    alone: bool
    """It is the only value of its reading."""


def _mentions(item: Evidence) -> list[_Mention]:
    values = read_values(item.text, item.language)
    edges = [0, *(value.end for value in values)], [*(value.start for value in values), len(item.text)]
    found = []
    for place, value in enumerate(values):
        before, after = item.text[edges[0][place] : value.start], item.text[value.end : edges[1][place + 1]]
        found.append(_Mention(item, value, f"{before} {after}", next(iter(content_words(after)), ""), len(values) == 1))
    return found


def _contradiction(left: _Mention, right: _Mention) -> Contradiction | None:
    if left.value.kind != right.value.kind or left.item.text == right.item.text:
        return None
    if left.item.channel is right.item.channel and left.value.kind == "number":
        return None  # a bare number that changes on the screen is a counter, not a contradiction
    shared = shared_words(left.around, right.around)
    needed = min(_SHARED, len(set(content_words(left.around))), len(set(content_words(right.around))))
    # One word in common, or a value among others: then it must be an amount of the same thing.
    same_thing = bool(left.counted) and bool(right.counted) and same_word(left.counted, right.counted)
    alone = left.alone and right.alone
    if not shared or (alone and len(shared) < needed) or (not same_thing and (len(shared) == 1 or not alone)):
        return None
    if confirm_values(left.value.text, [right.value.text]).status is not Confirmation.REFUSED:
        return None
    return Contradiction(left.item, right.item, left.value.text, right.value.text, " ".join(shared))
