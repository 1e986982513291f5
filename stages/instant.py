"""Time in a video: whole milliseconds from the first presented frame of the delivered file.

A link to an instant that the video does not contain is the product's worst lie: it looks like proof and opens nothing. So a bare
number never becomes an address. `Timeline`, which knows how long the video is, is the only maker of an `Instant`; what it cannot
place it refuses, and never moves to the nearest valid place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

__all__ = ["TOLERANCE_MS", "Instant", "OutsideTimeline", "Span", "Timeline", "clock"]

TOLERANCE_MS: Final = 500
"""Half a second past the end is rounding between clocks; more is another video."""

_BEYOND_ANY_VIDEO_MS: Final = 10**15
"""Some 30,000 years; a larger whole number cannot be told in seconds without overflow."""
_MAKER: Final = object()


class OutsideTimeline(ValueError):
    """A time that the video cannot contain."""


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """A moment of one video, in ms from its first presented frame. Made by `Timeline` only."""

    ms: int

    def __new__(cls, ms: int, _maker: object = None) -> Instant:
        if _maker is not _MAKER:
            raise TypeError("an Instant comes from Timeline.instant(), which knows the video's duration")
        return object.__new__(cls)

    def __init__(self, ms: int, _maker: object = None) -> None:
        object.__setattr__(self, "ms", ms)

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored_instant, (self.ms,))

    def __str__(self) -> str:
        return clock(self.ms)


def _restored_instant(ms: int) -> Instant:
    """Pickling: the instant passed its timeline when it was made."""
    return Instant(ms, _MAKER)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From `start` to `end`, both instants of one timeline; may have zero length."""

    start: Instant
    end: Instant

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise OutsideTimeline(f"a span cannot end ({self.end}) before it starts ({self.start})")

    @property
    def length_ms(self) -> int:
        return self.end.ms - self.start.ms

    def __contains__(self, instant: Instant) -> bool:
        return self.start <= instant <= self.end


@dataclass(frozen=True, slots=True)
class Timeline:
    """The extent of one delivered video: `duration_ms` whole milliseconds, from 0."""

    duration_ms: int

    def __post_init__(self) -> None:
        if isinstance(self.duration_ms, bool) or not isinstance(self.duration_ms, int) or self.duration_ms < 0:
            raise ValueError(f"a duration is a whole number of ms >= 0, not {self.duration_ms!r}")

    @classmethod
    def of_seconds(cls, duration_s: float) -> Timeline:
        """A timeline `duration_s` seconds long (finite, >= 0)."""
        if not math.isfinite(duration_s) or duration_s < 0:
            raise ValueError(f"a duration is a finite number of seconds >= 0, not {duration_s!r}")
        return cls(round(duration_s * 1000))

    def instant(self, ms: float) -> Instant:
        """The instant at `ms` milliseconds; rounds once, refuses what the video cannot contain.

        Raises `OutsideTimeline` for a negative, NaN or infinite time and for one more than half a second past the end.
        """
        if isinstance(ms, bool) or not isinstance(ms, int | float):
            raise OutsideTimeline(f"not a time: {ms!r}")
        if isinstance(ms, float) and not math.isfinite(ms):
            raise OutsideTimeline(f"not a time: {ms!r}")
        if abs(ms) > _BEYOND_ANY_VIDEO_MS:
            raise OutsideTimeline("longer than any video")
        if ms < 0:
            raise OutsideTimeline(f"{ms / 1000:g} s is before the video starts")
        if ms > self.duration_ms + TOLERANCE_MS:
            raise OutsideTimeline(f"{ms / 1000:g} s is past the end of a video of {self.duration_ms / 1000:g} s")
        return Instant(round(ms), _MAKER)

    def instant_at(self, seconds: float) -> Instant:
        """The instant at `seconds` seconds, under the same rule as `instant`."""
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise OutsideTimeline(f"not a time: {seconds!r}")
        return self.instant(seconds * 1000)

    def span(self, start_ms: float, end_ms: float) -> Span:
        """The span between two times in ms; refuses one that lies outside or runs backwards."""
        return Span(self.instant(start_ms), self.instant(end_ms))

    def whole(self) -> Span:
        """From the first frame to the end."""
        return self.span(0, self.duration_ms)


def clock(ms: int, *, millis: bool = True) -> str:
    """`hh:mm:ss.mmm` (or `hh:mm:ss`, floored) of a whole number of ms: split after rounding, so no field overflows."""
    seconds, rest = divmod(ms, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    stamp = f"{hour:02d}:{minute:02d}:{second:02d}"
    return f"{stamp}.{rest:03d}" if millis else stamp
