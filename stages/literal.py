"""The floor of the provider chain: no language model, the evidence quoted verbatim, chosen by retrieval.

It cannot misquote, and it answers only what the words of the question find. Without questions it is the full timeline of what was
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stages.claim import READ
from stages.draft import Draft
from stages.evidence import Evidence, Kind
from stages.findings import Question
from stages.retrieval import retrieve

__all__ = ["quote_answers", "quote_timeline"]

_ENOUGH: Final = 0.5
"""Share of the question, by the rarity of its words, that a piece of evidence must cover before it is quoted as an answer."""
_NEARLY_AS_GOOD: Final = 0.85
_MOST: Final = 3


def quote_answers(question: Question, evidence: Sequence[Evidence]) -> list[Draft]:
    """The closest evidence, quoted; one draft of the base `nao_consta` where nothing covers enough of the question."""
    hits = [hit for hit in retrieve(question.text, evidence) if hit.coverage >= _ENOUGH]
    if not hits:
        return [Draft("nao_consta", question.text, question=question.number)]
    best = hits[0].coverage
    chosen = [hit.evidence for hit in hits if hit.coverage >= best * _NEARLY_AS_GOOD][:_MOST]
    return [_quoted(item, question.number) for item in sorted(chosen, key=lambda item: item.span.start)]


def quote_timeline(evidence: Sequence[Evidence]) -> list[Draft]:
    """Everything that was read, in the order in which it is seen or heard."""
    written = [item for item in evidence if item.kind is not Kind.FRAME and item.text.strip()]
    return [_quoted(item, None) for item in sorted(written, key=lambda item: (item.span.start, item.id))]


def _quoted(item: Evidence, question: int | None) -> Draft:
    base = next(base for base, channel in READ.items() if channel is item.channel)
    return Draft(base.value, item.text, (item.id,), quote=item.text, question=question)
