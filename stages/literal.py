"""The floor of the provider chain: no language model, the evidence quoted verbatim, chosen by retrieval.

It cannot misquote, and it answers only what the words of the question find. Without questions it is the full timeline of what was
read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from stages.claim import BASE_OF
from stages.draft import Draft
from stages.evidence import Evidence, Kind
from stages.findings import Question
from stages.retrieval import Hit, retrieve
from stages.values import read_values
from stages.words import fold

__all__ = ["quote_answers", "quote_timeline"]

_ENOUGH: Final = 0.6
"""Share of the question's words that a piece of evidence must have before it is quoted as an answer."""
_ENOUGH_WITH_VALUE: Final = 0.5
"""The same where the question asks for a value and the evidence has one; without one it is no answer to such a question."""
_NEARLY_AS_GOOD: Final = 0.85
_MOST: Final = 3
_ASKS_FOR_VALUE: Final = re.compile(
    r"\b(?:quant[oa]s?|cuant[oa]s?|how (?:many|much|long|hot|far|old|often)|que horas?|what time|when|quando|cuando|que dia|what date)\b"
)


def quote_answers(question: Question, evidence: Sequence[Evidence]) -> list[Draft]:
    """The closest evidence, quoted; one draft of the base `nao_consta` where nothing covers enough of the question."""
    asks_for_value = bool(_ASKS_FOR_VALUE.search(fold(question.text)))
    hits = [hit for hit in retrieve(question.text, evidence) if _answers(hit, asks_for_value)]
    if not hits:
        return [Draft("nao_consta", question.text, question=question.number)]
    best = hits[0].rarity
    chosen = [hit.evidence for hit in hits if hit.rarity >= best * _NEARLY_AS_GOOD][:_MOST]
    return [_quoted(item, question.number) for item in sorted(chosen, key=lambda item: item.span.start)]


def _answers(hit: Hit, asks_for_value: bool) -> bool:
    if asks_for_value:
        return hit.coverage >= _ENOUGH_WITH_VALUE and bool(read_values(hit.evidence.text))
    return hit.coverage >= _ENOUGH


def quote_timeline(evidence: Sequence[Evidence]) -> list[Draft]:
    """Everything that was read, in the order in which it is seen or heard."""
    written = [item for item in evidence if item.kind is not Kind.FRAME and item.text.strip()]
    return [_quoted(item, None) for item in sorted(written, key=lambda item: (item.span.start, item.id))]


def _quoted(item: Evidence, question: int | None) -> Draft:
    return Draft(BASE_OF[item.channel].value, item.text, (item.id,), quote=item.text, question=question)
