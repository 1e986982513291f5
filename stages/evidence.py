"""What the machine saw and heard: immutable, verbatim, placed on the video's timeline.

Evidence is never edited after it is made, not even to mend an obvious misreading: a claim is checked against what was read, and a
reader must be able to see exactly that. What the extractor itself distrusts is kept and marked; it can be shown, and can carry no
claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from stages.instant import Instant, Span, Timeline

__all__ = ["Box", "Channel", "Coverage", "CoverageState", "Evidence", "EvidenceSet", "Kind", "Word", "evidence_id"]


class Channel(StrEnum):
    """Where a reading came from; the values are the contract (DESIGN: the five bases)."""

    TELA = "tela"
    FALA = "fala"


class Kind(StrEnum):
    """What one piece of evidence is."""

    TEXT = "text"
    """Words written in the image."""
    FRAME = "frame"
    """A keyframe: visible, not written."""
    SPEECH = "speech"
    """Words said in the audio."""


_LETTER: Final[Mapping[Channel, str]] = {Channel.TELA: "T", Channel.FALA: "F"}
_ID: Final = re.compile(r"[TF]-\d{6,}")


def evidence_id(channel: Channel, number: int) -> str:
    """`T-000012` for the twelfth screen reading, `F-000034` for speech."""
    return f"{_LETTER[channel]}-{number:06d}"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle as fractions of the displayed frame, 0..1, origin at the top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    def __post_init__(self) -> None:
        if not (0 <= self.x0 <= self.x1 <= 1 and 0 <= self.y0 <= self.y1 <= 1):
            raise ValueError(f"a box lies inside the frame, in fractions: {self}")


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word; `prob` 0..1 is the recogniser's own."""

    text: str
    span: Span
    prob: float
    approximate: bool = False
    """The recogniser gave no time of its own; the span comes from the neighbours or the segment."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reading. `text` is verbatim; `instant` (inside `span`) is where a person sees or hears it best."""

    id: str
    channel: Channel
    kind: Kind
    span: Span
    instant: Instant
    text: str
    confidence: float
    """0..1, the engine's own."""
    engine: str
    model: str
    video_sha256: str
    language: str = ""
    """BCP 47 tag; empty where the engine does not say."""
    box: Box | None = None
    words: tuple[Word, ...] = ()
    distrust_reason: str = ""
    """Why the extractor itself does not believe this; empty when it does."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id) or self.id[0] != _LETTER[self.channel]:
            raise ValueError(f"evidence of channel {self.channel} cannot have the id {self.id!r}")
        if (self.kind is Kind.SPEECH) != (self.channel is Channel.FALA):
            raise ValueError(f"{self.id}: kind {self.kind} is not of channel {self.channel}")
        if self.instant not in self.span:
            raise ValueError(f"{self.id}: the instant {self.instant} lies outside its span")

    @property
    def trusted(self) -> bool:
        return not self.distrust_reason

    @property
    def quotable(self) -> bool:
        """Trusted, and has words: a frame is there to be looked at."""
        return self.trusted and self.kind is not Kind.FRAME


class CoverageState(StrEnum):
    COMPLETE = "complete"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one channel could be read, as its stage states it; nobody guesses it."""

    channel: Channel
    state: CoverageState
    unread: tuple[Span, ...] = ()
    reason: str = ""
    """Stable word for why something is unread, or for what a complete channel lacks: `no_audio_track`, `silent`, `no_speech`,
    `no_video_stream`, `no_text`, `decode_error`, `engine_failed`, `impossible_times`, `unintelligible`."""
    detail: str = ""
    """For people and logs: figures, the engine's words."""

    def __post_init__(self) -> None:
        if self.state is CoverageState.PARTIAL and not self.unread:
            raise ValueError(f"partial coverage of {self.channel} names the unread spans")

    @property
    def complete(self) -> bool:
        return self.state is CoverageState.COMPLETE


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """All the evidence of one video, in order of id, with what could be read of each channel."""

    video_sha256: str
    timeline: Timeline
    items: tuple[Evidence, ...]
    coverage: Mapping[Channel, Coverage]
    _by_id: Mapping[str, Evidence] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = {item.id: item for item in self.items}
        if len(by_id) != len(self.items):
            raise ValueError("evidence ids repeat")
        if foreign := [item.id for item in self.items if item.video_sha256 != self.video_sha256]:
            raise ValueError(f"evidence of another video: {foreign[0]}")
        object.__setattr__(self, "_by_id", by_id)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def get(self, evidence_id: str) -> Evidence | None:
        """The evidence with this id, or None: an unknown id is a lie to report, not a crash."""
        return self._by_id.get(evidence_id)

    def of(self, channel: Channel) -> tuple[Evidence, ...]:
        return tuple(item for item in self.items if item.channel is channel)

    @classmethod
    def joined(cls, video_sha256: str, timeline: Timeline, parts: Iterable[tuple[Iterable[Evidence], Coverage]]) -> EvidenceSet:
        """One set of the readings of each channel."""
        parts = [(tuple(items), coverage) for items, coverage in parts]
        return cls(
            video_sha256,
            timeline,
            tuple(item for items, _ in parts for item in items),
            {coverage.channel: coverage for _, coverage in parts},
        )
