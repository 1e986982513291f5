"""Which language a report is written in: the one that was asked for, else that of the questions, else the video's own."""

from __future__ import annotations

from collections import Counter
from typing import Final

from stages.brief import VideoBrief
from stages.evidence import Channel, EvidenceSet
from stages.language import majority_language
from stages.settings import Settings

__all__ = ["report_language"]

_FALLBACK: Final = "en"
_ENOUGH_TEXTS: Final = 200
"""Screen texts that are looked at; an hour of slides has thousands and the first ones tell."""


def report_language(settings: Settings, brief: VideoBrief, evidence: EvidenceSet) -> str:
    """BCP 47 tag; English where nothing tells."""
    return (
        settings.language
        or brief.language
        or majority_language(brief.questions)
        or _spoken(evidence)
        or majority_language(item.text for item in evidence.of(Channel.TELA)[:_ENOUGH_TEXTS] if item.quotable)
        or _FALLBACK
    )


def _spoken(evidence: EvidenceSet) -> str:
    """The language that most of the trusted speech is in, by its length."""
    lengths: Counter[str] = Counter()
    for item in evidence.of(Channel.FALA):
        if item.language and item.trusted:
            lengths[item.language] += len(item.text)
    return lengths.most_common(1)[0][0] if lengths else ""
