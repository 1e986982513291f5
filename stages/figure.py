"""The geometry of a report's figures: where every claim lies on the video's timeline, and the shape of a sound.

Coordinates are units of the figure's own box; the templates draw them, with links for the screen and without for paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from stages.claim import READ, ReadClaim
from stages.evidence import Channel, EvidenceSet
from stages.instant import Span, clock

__all__ = ["Bar", "Figure", "Lane", "Mark", "Wave", "timeline_figure", "waveform"]

_LEFT: Final = 84
"""Where time 0 is, in a box 1000 wide: the names of the lanes stand before it."""
_RIGHT: Final = 952
_LABEL_ROWS: Final = 4
_DIGIT: Final = 11
"""Width of one digit of a label."""
_STEPS_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
_MOST_TICKS: Final = 8
_WAVE_WIDTH: Final = 400
_WAVE_HALF: Final = 20
_WAVE_SWINGS: Final = 45


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Mark:
    """One read claim. `row` is the row of its label, from the lane outwards; None where there is no room to print it."""

    x: float
    claim: ReadClaim
    row: int | None

    @property
    def label(self) -> str:
        """The claim's number, short: `7` for C-0007."""
        return self.claim.id.removeprefix("C-").lstrip("0")

    @property
    def start(self) -> float:
        """Where the label starts to stand above the middle of its mark; a layout that had to find it out would draw each label apart."""
        return round(self.x - _DIGIT * 0.42 * len(self.label), 1)


@dataclass(frozen=True, slots=True)
class Lane:
    """One channel: where something was read, where nothing could be, and its claims."""

    channel: Channel
    read: tuple[Bar, ...]
    unread: tuple[Bar, ...]
    marks: tuple[Mark, ...]

    @property
    def rows(self) -> int:
        return 1 + max((mark.row for mark in self.marks if mark.row is not None), default=-1)


@dataclass(frozen=True, slots=True)
class Figure:
    """The timeline, in a box 1000 wide."""

    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, str], ...]
    """Place and label of each tick of the time axis."""
    left: float = _LEFT
    right: float = _RIGHT


@dataclass(frozen=True, slots=True)
class Wave:
    """A sound as a line in a box 400 x 40, and where in it the quoted words are."""

    points: str
    """As SVG writes the points of a line."""
    words: Bar


def timeline_figure(evidence: EvidenceSet, claims: Sequence[ReadClaim]) -> Figure:
    """The figure of one video. Marks and bars keep the order of time."""
    duration = max(evidence.timeline.duration_ms, 1)
    lanes = tuple(
        Lane(
            channel,
            _bars((item.span for item in evidence.of(channel) if item.quotable), duration),
            _bars(coverage.unread, duration),
            _marks((claim for claim in claims if READ[claim.base] is channel), duration),
        )
        for channel in Channel
        if (coverage := evidence.coverage.get(channel)) is not None
    )
    return Figure(lanes, _ticks(duration))


def waveform(peaks: Sequence[float], heard: Span, words: Span) -> Wave:
    """`peaks` (0..1, evenly spaced over `heard`) as one line that swings up and down by the loudest of each share, with `words` in it."""
    count = min(len(peaks), _WAVE_SWINGS)
    step = _WAVE_WIDTH / max(count, 1)
    swings = [(_WAVE_HALF - 1) * max(peaks[n * len(peaks) // count : (n + 1) * len(peaks) // count]) for n in range(count)]
    points = [
        f"{(n + 0.25) * step:.4g} {_WAVE_HALF - half:.3g} {(n + 0.75) * step:.4g} {_WAVE_HALF + half:.3g}" for n, half in enumerate(swings)
    ]
    scale = _WAVE_WIDTH / max(heard.length_ms, 1)
    left = max((words.start.ms - heard.start.ms) * scale, 0.0)
    right = min((words.end.ms - heard.start.ms) * scale, float(_WAVE_WIDTH))
    return Wave(" ".join(points), Bar(round(left, 1), round(max(right - left, 1.0), 1)))


def _x(ms: float, duration: int) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * min(ms / duration, 1.0), 1)


def _bars(spans: Iterable[Span], duration: int) -> tuple[Bar, ...]:
    """The spans as bars, those that touch joined, none too thin to see."""
    bars: list[list[float]] = []
    for span in sorted(spans):
        left, right = _x(span.start.ms, duration), _x(span.end.ms, duration)
        if bars and left <= bars[-1][1] + 1:
            bars[-1][1] = max(bars[-1][1], right)
        else:
            bars.append([left, max(right, left + 1)])
    return tuple(Bar(left, round(right - left, 1)) for left, right in bars)


def _marks(claims: Iterable[ReadClaim], duration: int) -> tuple[Mark, ...]:
    """Each label goes to the nearest row where it does not touch the one before; where all rows are full, the mark stands alone."""
    ends = [-1.0] * _LABEL_ROWS
    marks = []
    for claim in sorted(claims, key=lambda claim: (claim.instant, claim.id)):
        mark = Mark(_x(claim.instant.ms, duration), claim, None)
        half = _DIGIT * len(mark.label) / 2 + 2
        row = next((row for row, end in enumerate(ends) if mark.x - half > end), None)
        if row is not None:
            ends[row] = mark.x + half
        marks.append(Mark(mark.x, claim, row))
    return tuple(marks)


def _ticks(duration: int) -> tuple[tuple[float, str], ...]:
    step = next((step for step in _STEPS_S if duration / 1000 / step <= _MOST_TICKS), _STEPS_S[-1]) * 1000
    return tuple((_x(ms, duration), clock(ms, millis=False)) for ms in range(0, duration + 1, step))
