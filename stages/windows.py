"""Evidence in portions that a model can take, the closest to the question first, and a count of what fits in none of them.

A transcript that is silently cut at the model's limit makes a claim about the last minutes impossible, and an absence look proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stages.beside import beside
from stages.engines.embeddings import likeness
from stages.evidence import Evidence
from stages.quarantine import LONGEST_LINE
from stages.retrieval import retrieve

__all__ = ["Windows", "about", "estimated_tokens", "windows"]

_PER_CHARACTER: Final = 0.4
"""Tokens of one letter: cautious for Portuguese and Spanish in the tokenizers of current models."""
_PER_WIDE_CHARACTER: Final = 1.5
_WIDE: Final = "\u2e80"
"""From here on, writing has a token or more for each character."""
_RANK_FUSION: Final = 60
_BY_MEANING: Final = 20
"""Pieces of evidence that are taken for their meaning alone."""
_LINE_TOKENS: Final = 12
"""An id, a label, the end of the line."""


@dataclass(frozen=True, slots=True)
class Windows:
    """What is shown for one question."""

    portions: tuple[tuple[Evidence, ...], ...]
    """Each in the order of the video."""
    left_out: int
    """Pieces of evidence that are in none of them, or only in part."""


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few."""
    return int(sum(_PER_CHARACTER if character < _WIDE else _PER_WIDE_CHARACTER for character in text)) + 1


def windows(question: str, offered: Sequence[Evidence], tokens: int, most: int, portion: int) -> Windows:
    """One portion, whatever the question, where everything fits `tokens`; else at most `most` portions of `portion` tokens each."""
    cost = {item.id: estimated_tokens(item.text[:LONGEST_LINE]) + _LINE_TOKENS for item in offered}
    cut = sum(len(item.text) > LONGEST_LINE for item in offered)
    if sum(cost.values()) <= tokens:
        return Windows((_in_order(offered),), cut)
    portions: list[list[Evidence]] = [[]]
    room = portion
    left = 0
    for item in _by_closeness(question, offered):
        if cost[item.id] > room and portions[-1]:
            if len(portions) == most:
                left += 1
                continue
            portions.append([])
            room = portion
        portions[-1].append(item)
        room -= cost[item.id]
    return Windows(tuple(_in_order(portion) for portion in portions), left + cut)


def _by_closeness(question: str, offered: Sequence[Evidence]) -> list[Evidence]:
    """What is about the question, each with what is seen or said next to it; then the rest, in the order of the video."""
    ordered = _in_order(offered)
    chosen: dict[str, Evidence] = {}
    for item in about(question, ordered):
        for other in (item, *beside(item, ordered)):
            chosen.setdefault(other.id, other)
    return [*chosen.values(), *(item for item in ordered if item.id not in chosen)]


def about(question: str, offered: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that is about a question, closest first: by its words, and by its meaning where the extra `embeddings` is installed.

    The two orders are fused by reciprocal rank (Cormack, Clarke and Büttcher 2009).
    """
    by_words = [hit.evidence for hit in retrieve(question, offered)]
    scores = likeness(question, [item.text for item in offered])
    pairs = sorted(zip(scores, offered, strict=True), key=lambda pair: -pair[0]) if scores else []
    by_meaning = [item for _, item in pairs[: max(_BY_MEANING, len(by_words))]]
    rank: dict[str, float] = {}
    for order in (by_words, by_meaning):
        for place, item in enumerate(order):
            rank[item.id] = rank.get(item.id, 0.0) + 1 / (_RANK_FUSION + place)
    known = {item.id: item for item in (*by_words, *by_meaning)}
    return sorted(known.values(), key=lambda item: -rank[item.id])


def _in_order(items: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(sorted(items, key=lambda item: (item.span.start, item.id)))
