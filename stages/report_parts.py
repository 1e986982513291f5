"""The parts that a report has by its mode, and what of the claims goes into each: pure.

Shorter is never less cited: a mode chooses parts, and every read claim in any part keeps its evidence, its instant and its link. What a
mode leaves out is counted, and a part that a mode demands and that this video gives nothing for is said to be empty. The comparison of a
briefing is a part of the folder's index and only pointed at here: a bundle travels alone, often to somebody who may not see other videos.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from stages.claim import Base
from stages.profile import Profile
from stages.values import Value, read_values
from stages.view import ClaimView, Quantity

__all__ = ["INTERPRETED", "doubtful", "quantities", "sections_of", "shown"]

_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "breve": ("verdict", "answers", "gaps"),
    "completo": ("verdict", "answers", "chronology", "quantities", "contradictions", "interpretations", "gaps"),
    "briefing": ("verdict", "answers", "chronology", "quantities", "comparison", "risks", "next"),
}
"""What a mode asks for. How to check, coverage, refusals, limit and provenance end every report and are no choice."""

INTERPRETED: Final = (Base.INFERIDO, Base.FORA_DO_VIDEO)
"""What was concluded and what comes from elsewhere: neither read nor missing."""
_MEASURES: Final = ("quantity", "money", "percent", "date", "clock", "duration", "ratio")
"""Kinds of value that are figures by themselves; a bare number is one where the profile says so."""


def sections_of(mode: str, profile: Profile, asked: bool) -> tuple[str, ...]:
    """The parts of a report, what the profile highlights right after the answers. Without questions the answers are the chronology."""
    wanted = _SECTIONS[mode]
    if not asked:
        wanted = tuple(name for name in wanted if name != "chronology" or mode == "briefing")
    if mode != "completo":  # the seven of a briefing are fixed, and a short report has nothing to bring forward
        return wanted
    forward = [name for name in profile.highlight if name in wanted]
    rest = [name for name in wanted if name not in forward]
    after = rest.index("answers") + 1
    return (*rest[:after], *forward, *rest[after:])


def shown(mode: str, claims: Sequence[ClaimView]) -> tuple[ClaimView, ...]:
    """The claims of the kinds that `mode` shows: the short one has what was read and what is missing, nothing concluded."""
    return tuple(item for item in claims if mode != "breve" or item.claim.base not in INTERPRETED)


def quantities(read: Sequence[ClaimView], profile: Profile) -> tuple[Quantity, ...]:
    """The read claims that have figures, with them, in order of time."""
    kinds = {*_MEASURES, *profile.risky_values}
    found = ((item, [value for value in read_values(item.claim.text) if _counts(value, kinds)]) for item in read)
    return tuple(Quantity(tuple(dict.fromkeys(value.text for value in values)), item) for item, values in found if values)


def doubtful(claims: Sequence[ClaimView]) -> tuple[ClaimView, ...]:
    """What to look at first: a fabricated term, or a risky read claim that code could not confirm."""
    return tuple(
        item for item in claims if item.fabricated or (item.read is not None and item.risks and item.read.checks.status != "confirmed")
    )


def _counts(value: Value, kinds: set[str]) -> bool:
    return value.certain and value.kind in kinds
