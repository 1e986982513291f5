"""What was asked of a video and what could be established: the hand-over from validation to the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stages.claim import Claim, ReadClaim, UnobservedClaim
from stages.draft import ProviderSeal, Rejection
from stages.evidence import Channel, Coverage, Evidence

__all__ = ["Contradiction", "Findings", "Gap", "Question", "Stated"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the brief. `number` counts from 1 within one video."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two pieces of evidence that give the same thing different values; shown side by side, never averaged."""

    left: Evidence
    right: Evidence
    left_value: str
    right_value: str
    topic: str
    """The words both share."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A question the video does not answer."""

    question: Question
    proven: bool
    """True when the channels asked were read completely, so that the absence is proven."""
    coverage: Mapping[Channel, Coverage]


@dataclass(frozen=True, slots=True)
class Stated:
    """One claim of a delivered report, as the index of its folder speaks of it."""

    code: str
    base: str
    text: str
    question: str = ""
    """The text of the question it answers; empty where it answers none."""
    instant_ms: int | None = None
    """None for a claim that was not read."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a report may state about one video."""

    questions: tuple[Question, ...]
    claims: tuple[Claim, ...]
    rejections: tuple[Rejection, ...]
    contradictions: tuple[Contradiction, ...]
    gaps: tuple[Gap, ...]
    provider: ProviderSeal
    language: str
    """Language of the report and of its labels, BCP 47."""

    @property
    def read(self) -> tuple[ReadClaim, ...]:
        return tuple(claim for claim in self.claims if isinstance(claim, ReadClaim))

    @property
    def unobserved(self) -> tuple[UnobservedClaim, ...]:
        return tuple(claim for claim in self.claims if isinstance(claim, UnobservedClaim))
