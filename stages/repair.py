"""A draft as a read claim: grounded where it points, else where its words stand verbatim or with the line beside that has its figure.

Small models often copy the right sentence and cite the wrong id, or cite the label and give the figure next to it. The pipeline repairs
that and marks it; `check`, which judges other people's answers, never does. Asking and validating share this judgement, so that what a
model is told of its refused drafts is what the report records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from stages.beside import beside
from stages.claim import ReadClaim
from stages.draft import Draft
from stages.evidence import EvidenceSet
from stages.grounding import ground, repaired
from stages.rule import Rule, RuleBroken

__all__ = ["grounded_or_repaired"]

_REPAIRABLE: Final = frozenset(
    {
        Rule.EVIDENCE_REQUIRED,
        Rule.EVIDENCE_UNKNOWN,
        Rule.EVIDENCE_WRONG_CHANNEL,
        Rule.EVIDENCE_UNTRUSTED,
        Rule.VALUE_NOT_IN_EVIDENCE,
        Rule.NAME_NOT_IN_EVIDENCE,
        Rule.NEGATION_FLIPPED,
        Rule.NO_SUPPORT,
    }
)
"""Rules that a wrong id breaks. A time in the text is not one: the same words elsewhere would be as wrong."""
_ONE_LINE_SHORT: Final = frozenset({Rule.VALUE_NOT_IN_EVIDENCE, Rule.NAME_NOT_IN_EVIDENCE, Rule.TIME_IN_TEXT})
"""Rules that a line which is not cited would satisfy: opening hours are times, and stand below what is open."""


def grounded_or_repaired(draft: Draft, evidence: EvidenceSet) -> ReadClaim:
    """The read claim that a draft of a read base makes. Raises `RuleBroken` with the first rule it broke."""
    if draft.off_topic:
        raise RuleBroken(Rule.NOT_AN_ANSWER, draft.off_topic)
    try:
        return ground(draft, evidence, "")
    except RuleBroken as broken:
        for mended in _mended(draft, broken.rule, evidence):
            with suppress(RuleBroken):
                return ground(mended, evidence, "", marks=("repaired",))
        raise


def _mended(draft: Draft, broken: Rule, evidence: EvidenceSet) -> Iterator[Draft]:
    if broken in _REPAIRABLE and (moved := repaired(draft, evidence)):
        yield moved
    if broken in _ONE_LINE_SHORT:
        cited = [item for name in draft.evidence if (item := evidence.get(name)) is not None]
        for name in dict.fromkeys(other.id for item in cited for other in beside(item, evidence.items)):
            yield replace(draft, evidence=(*draft.evidence, name))
