"""The floor of the provider chain: no language model, the evidence quoted verbatim, chosen by retrieval.

It cannot misquote, and it answers only what the words of the question find. Without questions it is the full timeline of what was
read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from stages.beside import beside
from stages.claim import BASE_OF
from stages.draft import Draft
from stages.evidence import Channel, Evidence
from stages.findings import Question
from stages.pertinence import gives_what_is_asked
from stages.retrieval import Hit, asked_parts, retrieve
from stages.values import read_values
from stages.words import fold, shared_words

__all__ = ["asks_for_value", "quote_answers", "quote_timeline", "quoted"]

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
    """The closest evidence, quoted, for each thing that is asked; one draft of the base `nao_consta` where nothing covers enough of it."""
    drafts = [draft for part in asked_parts(question.text) for draft in _quotes(part, question.number, evidence)]
    return [draft for place, draft in enumerate(drafts) if draft not in drafts[:place]] or [
        Draft("nao_consta", question.text, question=question.number)
    ]


def quoted(item: Evidence, question: int | None, figure: Evidence | None = None) -> Draft:
    """A piece of evidence in its own words as an answer, after its label where `item` is the label of `figure`."""
    if figure is None:
        return Draft(BASE_OF[item.channel].value, item.text, (item.id,), quote=item.text, question=question)
    text = f"{item.text.rstrip(' :')}: {figure.text}"
    return Draft(BASE_OF[item.channel].value, text, (figure.id, item.id), quote=figure.text, question=question)


def _quotes(question: str, number: int, evidence: Sequence[Evidence]) -> list[Draft]:
    value = asks_for_value(question)
    found = [(hit, _figure(question, hit.evidence, evidence)) for hit in retrieve(question, evidence)]
    found = [(hit, figure) for hit, figure in found if _answers(hit, value, figure)]
    if not found:
        return []
    best = found[0][0].rarity
    chosen = [(hit.evidence, figure) for hit, figure in found if hit.rarity >= best * _NEARLY_AS_GOOD][:_MOST]
    chosen = [(item, figure) for item, figure in chosen if figure or gives_what_is_asked(question, item.text)] or chosen
    return [quoted(item, number, figure) for item, figure in sorted(chosen, key=lambda pair: pair[0].span.start)]


def asks_for_value(question: str) -> bool:
    """Whether a question asks for an amount or a time."""
    return bool(_ASKS_FOR_VALUE.search(fold(question)))


def _figure(question: str, label: Evidence, evidence: Sequence[Evidence]) -> Evidence | None:
    """The one line beside `label` that gives what is asked, where the label itself does not: a label and its figure are two lines."""
    if gives_what_is_asked(question, label.text) or label.text.rstrip().endswith((".", "!", "?")):
        return None
    if label.channel is not Channel.TELA:
        return None
    given = [item for item in beside(label, evidence) if gives_what_is_asked(question, item.text)]
    return given[0] if len(given) == 1 and not shared_words(question, given[0].text) else None


def _answers(hit: Hit, value: bool, figure: Evidence | None) -> bool:
    if value:
        return hit.coverage >= _ENOUGH_WITH_VALUE and (figure is not None or bool(read_values(hit.evidence.text)))
    return hit.coverage >= _ENOUGH


def quote_timeline(evidence: Sequence[Evidence]) -> list[Draft]:
    """Everything that was read, in the order in which it is seen or heard."""
    written = [item for item in evidence if item.quotable]
    return [quoted(item, None) for item in sorted(written, key=lambda item: (item.span.start, item.id))]
