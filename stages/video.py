"""The record of one video: who it is (its bytes), what is delivered of it, and how long that is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stages.instant import Timeline

__all__ = ["AudioTrack", "Video"]


@dataclass(frozen=True, slots=True)
class AudioTrack:
    """The audio stream that was chosen, of those in the original."""

    index: int
    """Its place among the original's audio streams, from 0."""
    count: int
    """How many audio streams the original has."""
    language: str
    """As the container's metadata says; empty when it does not."""
    codec: str


@dataclass(frozen=True, slots=True)
class Video:
    """An ingested video. Identity is the SHA-256 of the original's bytes; every instant is on the `media` file."""

    sha256: str
    source: Path
    """The original file as given."""
    source_name: str
    """Its file name, for people; untrusted text."""
    slug: str
    """Safe, unique name within the batch: `[a-z0-9-]`, at most 60 characters."""
    media: Path
    """The delivered file: browser-safe, starts at 0."""
    media_sha256: str
    timeline: Timeline
    """The extent of `media`."""
    width: int
    """Displayed width in px (after rotation and pixel aspect); 0 without a picture."""
    height: int
    frame_ms: float
    """Typical time between presented frames, ms; 0 without a picture."""
    audio: AudioTrack | None
    recorded: str
    """When the container says it was recorded, ISO date or empty."""
    remade: bool
    """True when `media` was encoded anew, False when the original's streams were copied."""
    notes: tuple[str, ...] = ()
    """Facts about the original that a reader should know, stable words: `start_offset`, `edit_list`, `rotated`, `decode_errors`, …"""
    damaged_picture: tuple[tuple[int, int], ...] = ()
    """Stretches of `media`, ms, whose picture the decoder made up, because the original is damaged there."""
    damaged_sound: tuple[tuple[int, int], ...] = ()
    """The same of the sound."""

    @property
    def has_picture(self) -> bool:
        return self.width > 0
