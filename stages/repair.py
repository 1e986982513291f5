"""A draft as a read claim: grounded where it points, else where its words stand verbatim.

Small models often copy the right sentence and cite the wrong id. The pipeline repairs that and marks it; `check`, which judges other
people's answers, never does. Asking and validating share this judgement, so that what a model is told of its refused drafts is what the
report records.
"""

from __future__ import annotations

from typing import Final

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
"""Rules that a wrong id breaks. A time in the text is not one: no other id would mend it."""


def grounded_or_repaired(draft: Draft, evidence: EvidenceSet) -> ReadClaim:
    """The read claim that a draft of a read base makes. Raises `RuleBroken` with the first rule it broke."""
    if draft.off_topic:
        raise RuleBroken(Rule.NOT_AN_ANSWER, draft.off_topic)
    try:
        return ground(draft, evidence, "")
    except RuleBroken as broken:
        moved = repaired(draft, evidence) if broken.rule in _REPAIRABLE else None
        if moved is None:
            raise
        try:
            return ground(moved, evidence, "", marks=("repaired",))
        except RuleBroken:
            raise broken from None
