"""The texts the drafts are made from: pieces of evidence with what a person says of each.

`evidence.toml` was read in real videos, `written.toml` was written for the benchmark, `heldout.toml` once the checker was mended on these.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, evidence_id
from stages.instant import Timeline

__all__ = ["HALVES", "Piece", "Video", "evidence_of", "load_videos"]

HALVES: Final = ("tune", "score", "all", "heldout")
_STEP_MS: Final = 2000


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence and what is true of it, by hand."""

    id: str
    channel: Channel
    text: str
    say: tuple[str, ...] = ()
    """Faithful ways to say it; {v} is the place of the value."""
    deny: tuple[str, ...] = ()
    """Its yes turned into a no, or its no into a yes."""
    names: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    """Two steps in their order."""
    amount: str = ""
    """Decimal number, or empty."""
    unit: str = ""
    """Key of `spellings.UNITS`; empty for a count."""
    span: str = ""
    """The value as it stands in the text."""
    date: str = ""
    clock: str = ""
    near: str = ""
    """Text of the piece beside it that says what the value is of."""
    digits_only: bool = False

    @property
    def half(self) -> str:
        """`tune` or `score`, by a hash of the text: the checker is tuned on the one and scored on the other."""
        return HALVES[hashlib.sha256(self.text.encode()).digest()[0] % 2]

    @property
    def day(self) -> tuple[int, int, int]:
        """(year, month, day) of the date."""
        year, month, day = (int(part) for part in self.date.split("-"))
        return year, month, day

    @property
    def has_value(self) -> bool:
        return bool(self.amount or self.date or self.clock)


@dataclass(frozen=True, slots=True)
class Video:
    """One video's pieces."""

    name: str
    language: str
    real: bool
    """Read in a real video, not written for the benchmark."""
    pieces: tuple[Piece, ...]
    translates: str = ""
    """Name of the video that says the same in another language: what is true of one is no lie about the other."""


def load_videos(half: str = "all") -> tuple[Video, ...]:
    """The videos of the first two files with what is said of one half of their pieces, or those of the held-out file."""
    folder = Path(__file__).parent
    found: list[Video] = []
    files = (("heldout.toml", False),) if half == "heldout" else (("evidence.toml", True), ("written.toml", False))
    for name, real in files:
        for said in tomllib.loads((folder / name).read_text(encoding="utf-8"))["video"]:
            pieces = [
                _piece(evidence_id(channel, number), channel, entry)
                for channel in Channel
                for number, entry in enumerate(said[channel.value], start=1)
            ]
            found.append(Video(said["name"], said["lang"], real, tuple(pieces), said.get("translates", "")))
    return _half_of(tuple(found), half)


def _half_of(videos: tuple[Video, ...], half: str) -> tuple[Video, ...]:
    """The pieces of the other half stay as the evidence around these, with nothing said of them."""
    if half not in HALVES[:2]:
        return videos
    return tuple(
        replace(video, pieces=tuple(piece if piece.half == half else Piece(piece.id, piece.channel, piece.text) for piece in video.pieces))
        for video in videos
    )


def evidence_of(video: Video, planted: tuple[tuple[Channel, str], ...] = ()) -> EvidenceSet:
    """The pieces as evidence, one every two seconds, screen lines that name each other at one time; `planted` texts come after."""
    timeline, sha256 = Timeline(_STEP_MS * 400), hashlib.sha256(video.name.encode()).hexdigest()
    counts = {channel: sum(piece.channel is channel for piece in video.pieces) for channel in Channel}
    items = [_evidence(piece.id, piece.channel, piece.text, place, timeline, sha256, video) for place, piece in enumerate(video.pieces)]
    for place, (channel, text) in enumerate(planted):
        counts[channel] += 1
        name = evidence_id(channel, counts[channel])
        items.append(_evidence(name, channel, text, len(video.pieces) + place + 1, timeline, sha256, video))
    return EvidenceSet(sha256, timeline, tuple(items), {channel: Coverage(channel, CoverageState.COMPLETE) for channel in Channel})


def _evidence(name: str, channel: Channel, text: str, place: int, timeline: Timeline, sha256: str, video: Video) -> Evidence:
    spoken = channel is Channel.FALA
    near = next((piece.near for piece in video.pieces if piece.id == name), "")
    beside = [number for number, piece in enumerate(video.pieces) if near and near in piece.text] or [place]
    first, last = min(place, *beside), max(place, *beside)
    return Evidence(
        id=name,
        channel=channel,
        kind=Kind.SPEECH if spoken else Kind.TEXT,
        span=timeline.span(first * _STEP_MS, (last + 1) * _STEP_MS),
        instant=timeline.instant(beside[0] * _STEP_MS + 1),
        text=text,
        confidence=0.9,
        engine="benchmark",
        model="none",
        video_sha256=sha256,
        language=video.language if spoken else "",
    )


def _piece(name: str, channel: Channel, entry: dict[str, Any]) -> Piece:
    lists: dict[str, Any] = {key: tuple(entry.get(key, ())) for key in ("say", "deny", "names", "steps")}
    words: dict[str, Any] = {key: str(entry.get(key, "")) for key in ("amount", "unit", "span", "date", "clock", "near")}
    return Piece(name, channel, entry["text"], **lists, **words, digits_only=entry.get("style") == "digits")
