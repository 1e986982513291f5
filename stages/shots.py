"""The shots of a video and one frame of each to look at: what is visible, and written nowhere.

Fed by the scan, so that the file is decoded once, and from what the scan knows already: a frame that changed nothing costs nothing here. A
shot ends

- at a *cut*: the picture differs from the one before by much more than those around it differ from theirs (after PySceneDetect's adaptive
  detector). The largest of these is left out, so that of a flash both sides are seen;
- at a *passage*: a picture rests, and looks unlike the last one that rested. So dissolves, wipes, scrolls and slides that move in are one
  passage, however slow their steps are. Still pictures and slides rest in every detail, footage in its rough outlines;
- at a *fade*: the picture was blank in between.

What lasts a moment only is no shot. A video has at least one, however still. The frame to look at is sharp, close to the middle, and away
from both ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Shot", "ShotFinder"]

_SIZE: Final = (64, 36)
"""The picture is compared in so many cells, each the mean of its pixels."""
_DIFFERS: Final = 12
"""Grey levels by which a cell must differ to count."""
_UNLIKE: Final = 0.2
"""Share of differing cells from which one picture after the other is a cut, if it stands out."""
_STANDS_OUT: Final = 3.0
"""How many times larger than around it the difference of a cut is."""
_AROUND_MS: Final = 100
_REST_MS: Final = 500
"""How long a picture must stay to have rested."""
_BLANK: Final = 4.0
"""Standard deviation over the cells, grey levels, below which there is nothing to see."""
_FADE_MS: Final = 100
"""A picture blank for less than this is a flash."""
_SHORTEST_MS: Final = 200
_APART_MS: Final = 100
"""Frames that may be chosen are at least this far apart."""
_MOST_CHOICES: Final = 64
_EDGE: Final = 0.15
"""Share of a shot, at either end, and at most `_REST_MS`, that is left to the transition."""

Cells = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Look:
    """How closely pictures are compared for a passage."""

    size: tuple[int, int]
    differs: int
    """Grey levels by which a cell must differ to count."""
    alike: float
    """Share of differing cells up to which a picture rests."""
    unlike: float
    """Share of differing cells from which two that rested are different shots."""

    def unlikeness(self, one: Cells, other: Cells) -> float:
        if self.size != _SIZE:
            one, other = (np.asarray(cv2.resize(cells, self.size, interpolation=cv2.INTER_AREA), np.uint8) for cells in (one, other))
        return float((cv2.absdiff(one, other) > self.differs).mean())


_CLOSE: Final = _Look(_SIZE, _DIFFERS, 0.03, 0.08)
_ROUGH: Final = _Look((16, 9), 24, 0.25, 0.6)


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot, ms on the delivered file."""

    start_ms: int
    end_ms: int
    instant_ms: int
    """In the middle of the time for which the frame to look at is shown."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A frame that may stand for its shot."""

    ms: int
    until_ms: int
    sharpness: float
    blank: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """One frame against the one before."""

    ms: int
    share: float
    """Of the cells that differ."""
    mean: float
    """Mean difference, grey levels."""
    before: Cells
    after: Cells


@dataclass(slots=True)
class _Open:
    """The shot that is going on."""

    start_ms: int
    before: Cells | None = None
    """The picture before it began."""
    choices: list[_Choice] = field(default_factory=list)
    apart_ms: int = _APART_MS

    def add(self, choice: _Choice) -> None:
        """One more; of many, every second is dropped, so that they stay few and spread over the shot."""
        self.choices.append(choice)
        if len(self.choices) > _MOST_CHOICES:
            self.choices, self.apart_ms = self.choices[::2], 2 * self.apart_ms

    def best(self, end_ms: int) -> _Choice | None:
        """The sharpest for its distance from the middle, away from the ends where there is one."""
        length = end_ms - self.start_ms
        edge, middle = min(_EDGE * length, _REST_MS), self.start_ms + length / 2

        def merit(choice: _Choice) -> float:
            return (1 + choice.sharpness) * (1 - abs((choice.ms + choice.until_ms) / 2 - middle) / max(length, 1))

        seen = [choice for choice in self.choices if not choice.blank] or self.choices
        inside = [choice for choice in seen if self.start_ms + edge <= choice.ms and choice.until_ms <= end_ms - edge]
        return max(inside or seen, key=merit, default=None)


@dataclass(slots=True)
class _Rest:
    """The last picture of the shot that rested, at one closeness."""

    look: _Look
    cells: Cells | None = None
    until_ms: int = 0

    def passage(self, then: Cells, since: int, cells: Cells, now: int) -> tuple[int, Cells] | None:
        """When and from which picture the passage to `cells` was, which stand at `now`; `then` stood `_REST_MS` before, from `since` on."""
        if self.look.unlikeness(then, cells) > self.look.alike:
            return None
        came_from, left = self.cells, self.until_ms
        self.until_ms = now
        if came_from is not None and self.look.unlikeness(came_from, cells) < self.look.unlike:
            return None
        self.cells = cells
        return None if came_from is None else ((left + max(left, since)) // 2, came_from)


class ShotFinder:
    """Finds the shots of one video. Give it every frame in order (`step`), then `finish`. Memory grows with the number of shots only."""

    def __init__(self) -> None:
        self._ended: list[tuple[int, _Choice]] = []
        """Start and frame of the shots that are over."""
        self._before: _Open | None = None
        """The shot that ended last; it goes on when what interrupted it was a flash."""
        self._open = _Open(0)
        self._past: deque[tuple[int, Cells]] = deque()
        """Pictures of the last `_REST_MS`, each from when it appeared, and the one before them."""
        self._steps: deque[_Step] = deque()
        self._judged_until = 0
        self._rests = (_Rest(_CLOSE), _Rest(_ROUGH))
        self._blank_since: int | None = None
        self._offered: _Choice | None = None
        """The last frame, where it may be chosen."""
        self._sharpness = (-1, 0.0)
        """When the picture appeared that was measured last, and how sharp it was."""

    def step(self, ms: int, luma: NDArray[np.uint8], *, changed: bool) -> None:
        """Look at the frame that appears at `ms`; `luma` is (height, width). `changed`: it differs visibly from the one before."""
        if self._past:
            self._judge_cuts(ms)
            self._let_stand(ms)
        if changed or not self._past:
            cells = _cells(luma)
            before = self._past[-1][1] if self._past else cells
            difference = cv2.absdiff(cells, before)
            self._steps.append(_Step(ms, float((difference > _DIFFERS).mean()), float(difference.mean()), before, cells))
            self._past.append((ms, cells))
            self._watch_blank(ms, cells)
        self._offer(ms, luma)

    def pause(self, ms: int) -> None:
        """What the picture is from `ms` on is not known, until the next frame is given."""
        if self._past:
            self._let_stand(ms)

    def finish(self, end_ms: int) -> list[Shot]:
        """All shots, in order; the last frame is shown until `end_ms`. None where there was no frame."""
        if not self._past:
            return []
        self._judge_cuts(end_ms + _AROUND_MS)
        self._let_stand(end_ms)
        self._keep(self._before, self._open.start_ms)
        self._keep(self._open, end_ms)
        return _shots(self._ended, end_ms)

    def _let_stand(self, now: int) -> None:
        """The last frame stood until `now`: it may be chosen, and the picture may have rested."""
        if self._offered and self._offered.ms < now:
            self._open.add(replace(self._offered, until_ms=now))
        self._offered = None
        while len(self._past) > 1 and self._past[1][0] <= now - _REST_MS:
            self._past.popleft()
        (since, then), (_, cells) = self._past[0], self._past[-1]
        if since > now - _REST_MS or _is_blank(then) or _is_blank(cells):
            return
        for rest in self._rests:
            if passage := rest.passage(then, since, cells, now):
                self._cut(*passage, cells)

    def _watch_blank(self, ms: int, cells: Cells) -> None:
        if _is_blank(cells):
            self._blank_since = ms if self._blank_since is None else self._blank_since
        elif self._blank_since is not None:
            since, self._blank_since = self._blank_since, None
            if ms - since >= _FADE_MS and since > self._open.start_ms:
                self._cut((since + ms) // 2, self._past[-2][1], cells)

    def _judge_cuts(self, now: int) -> None:
        """Decide on the steps whose surroundings have all been seen."""
        for step in self._steps:
            if not self._judged_until < step.ms <= now - _AROUND_MS:
                continue
            self._judged_until = step.ms
            around = sorted(other.mean for other in self._steps if other is not step and abs(other.ms - step.ms) <= _AROUND_MS)
            stands_out = step.mean * max(len(around) - 1, 1) >= _STANDS_OUT * sum(around[:-1])
            if stands_out and step.share >= _UNLIKE:
                self._cut(step.ms, step.before, step.after)
        while self._steps and self._steps[0].ms < now - 3 * _AROUND_MS:
            self._steps.popleft()

    def _offer(self, ms: int, luma: NDArray[np.uint8]) -> None:
        """Let this frame be chosen, unless one was that is close; the first of what may be a shot always can."""
        last = self._open.choices[-1].ms if self._open.choices else None
        may_begin = bool(self._steps) and self._steps[-1].ms == ms and self._steps[-1].share >= _UNLIKE
        if last is None or may_begin or ms - last >= self._open.apart_ms:
            since, cells = self._past[-1]
            if self._sharpness[0] != since:
                self._sharpness = (since, _sharpness(luma))
            self._offered = _Choice(ms, ms, self._sharpness[1], _is_blank(cells))

    def _cut(self, ms: int, before: Cells, after: Cells) -> None:
        """The picture `before` ends and the picture `after` begins at `ms`."""
        if ms <= self._open.start_ms:
            return
        self._rests = (_Rest(_CLOSE), _Rest(_ROUGH))
        while len(self._past) > 1 and self._past[0][0] < ms:
            self._past.popleft()
        ended = self._open
        later = [choice for choice in ended.choices if choice.ms >= ms]
        ended.choices = [choice for choice in ended.choices if choice.ms < ms]
        if ms - ended.start_ms >= _SHORTEST_MS:
            self._keep(self._before, ended.start_ms)
            self._before, self._open = ended, _Open(ms, before, later)
        elif self._before and ended.before is not None and _CLOSE.unlikeness(ended.before, after) < _CLOSE.unlike:
            self._open, self._before = self._before, None
            self._open.choices += later
        else:
            ended.choices = later

    def _keep(self, ended: _Open | None, end_ms: int) -> None:
        if ended and (choice := ended.best(end_ms)):
            self._ended.append((ended.start_ms, choice))


def _shots(ended: Sequence[tuple[int, _Choice]], end_ms: int) -> list[Shot]:
    """Each from its start to the next one's; a blank one counts only where there is no other."""
    shown = [(start, choice) for start, choice in ended if not choice.blank] or list(ended[:1])
    starts = [start for start, _ in ended[:1]] + [start for start, _ in shown[1:]]
    return [
        Shot(start, following, (choice.ms + choice.until_ms) // 2)
        for start, following, (_, choice) in zip(starts, [*starts[1:], end_ms], shown, strict=True)
    ]


def _cells(luma: NDArray[np.uint8]) -> Cells:
    """The picture, small. Of large ones every fourth pixel of every fourth row is enough, or every second."""
    stride = max(1, min(luma.shape) // 256)
    return np.asarray(cv2.resize(np.ascontiguousarray(luma[::stride, ::stride]), _SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def _is_blank(cells: Cells) -> bool:
    return float(cells.std()) < _BLANK


def _sharpness(luma: NDArray[np.uint8]) -> float:
    """Standard deviation of the Laplacian (Pech-Pacheco et al. 2000) of every second pixel; comparable within one shot."""
    _, deviation = cv2.meanStdDev(cv2.Laplacian(np.ascontiguousarray(luma[::2, ::2]), cv2.CV_16S))
    return float(deviation[0, 0])
