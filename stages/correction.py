"""One pass of self-correction: what the checks refused goes back to the model once, with the reasons, never in a loop.

A revision that only apologises, says nothing, or says less that can stand is no improvement: the first answer then stands, without its
refused statements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from stages.claim import READ
from stages.draft import Draft
from stages.evidence import EvidenceSet
from stages.quarantine import plain
from stages.repair import grounded_or_repaired
from stages.rule import Rule, RuleBroken
from stages.words import fold

__all__ = ["correction", "refusals", "replaces", "verbatim"]

_APOLOGY: Final = re.compile(
    r"\b(?:sorry|apologi[sz]e\w*|my mistake|as an ai|desculp\w+|perdao|lamento|perdon\w*|lo siento|disculp\w+|"
    r"i (?:cannot|can't|am unable)|nao (?:posso|consigo)|no puedo)\b"
)
_OF_WORDING: Final = frozenset(
    {Rule.VALUE_NOT_IN_EVIDENCE, Rule.NAME_NOT_IN_EVIDENCE, Rule.NEGATION_FLIPPED, Rule.NO_SUPPORT, Rule.TIME_IN_TEXT, Rule.EMPTY_TEXT}
)
"""Rules that a sentence breaks and the words it was made from do not."""
_ASK_AGAIN: Final = """A program compared your answer with the lines and refused this:
{refused}
Answer the question again, in the same form, with what the lines do say.
When they do not say it, say so in the form: that is a good answer."""


def refusals(drafts: Sequence[Draft], evidence: EvidenceSet) -> list[tuple[Draft, RuleBroken]]:
    """The drafts of read bases that the checks refuse, each with the first rule it broke."""
    refused: list[tuple[Draft, RuleBroken]] = []
    for draft in drafts:
        try:
            if draft.base in READ:
                grounded_or_repaired(draft, evidence)
            elif not draft.base and draft.quote:
                raise RuleBroken(Rule.QUOTE_NOT_IN_EVIDENCE, f"no line holds the words {draft.quote!r}")
        except RuleBroken as broken:
            refused.append((draft, broken))
    return refused


def correction(refused: Sequence[tuple[Draft, RuleBroken]]) -> str:
    """What the model is told of its refused drafts."""
    lines = (f"- {plain(draft.text or draft.quote)!r}: {plain(broken.detail)}" for draft, broken in refused)
    return _ASK_AGAIN.format(refused="\n".join(lines))


def replaces(revised: Sequence[Draft], first: Sequence[Draft], evidence: EvidenceSet) -> bool:
    """Whether a revision is used: it refuses fewer, loses nothing that stood, and is no apology."""
    if not revised or any(_APOLOGY.search(fold(draft.text)) for draft in revised):
        return False
    refused_first, refused_again = len(refusals(first, evidence)), len(refusals(revised, evidence))
    stood = sum(draft.base in READ for draft in first) - sum(draft.base in READ for draft, _ in refusals(first, evidence))
    stands = sum(draft.base in READ for draft in revised) - sum(draft.base in READ for draft, _ in refusals(revised, evidence))
    return refused_again < refused_first and stands >= stood


def verbatim(drafts: Sequence[Draft], evidence: EvidenceSet) -> list[Draft]:
    """For each draft refused for its wording, the evidence it cites, word for word: small models find the line and miswrite it."""
    return [
        replace(draft, text=item.text, evidence=(name,), quote=item.text)
        for draft, broken in refusals(drafts, evidence)
        if broken.rule in _OF_WORDING
        for name in draft.evidence
        if (item := evidence.get(name)) is not None and item.text.strip()
    ]
