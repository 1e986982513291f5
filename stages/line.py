"""One line of text while it is followed: what it says, how it looks, since when."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, PixelBox, tiles_of
from stages.frames import Frame
from stages.patches import Look, Patch
from stages.readings import Reading
from stages.votes import Votes

__all__ = ["COVERED_MS", "Line", "Moment", "Picture", "Sighting", "take_patch"]

COVERED_MS: Final = 200
"""Absent for less than this, a line was covered, not gone."""

_MOVING_SHARE: Final = 0.3
"""Part of a line's place that must move for it to be text over moving pictures."""
_CURSOR: Final = 3
"""Heights of a line within which a cursor comes or goes."""
_LEAST_STRAY: Final = 2
_PASSED_MS: Final = 1000
_FLASH_MS: Final = 100
_LOOKS: Final = 2
"""How many later looks of a line are kept beside the first: with something in front of it, or read better."""
_REACHES: Final = ((3, 3), (2, 96), (96, 2), (12, 12))
"""How far aside and above or below a line that has moved is searched for, px: it creeps, it scrolls, it runs by, a camera sways."""
_STRONGER: Final = 1.1
"""Contrast, against that it was read at, that makes a frame the better one to show."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One decoded frame, as far as following lines needs it."""

    ms: int
    """When it appears."""
    luma: NDArray[np.uint8]
    """(height, width)."""
    half: NDArray[np.uint8]
    """Its whole tiles at half size."""
    frame: Frame


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A frame that is read, between its neighbours."""

    picture: Picture
    until_ms: int
    """When the next frame appears."""
    after: NDArray[np.uint8] | None
    """The next frame's luma, None at the end."""
    before: Sequence[Picture]
    """Frames before it, latest first, as far as they are kept whole; frames that changed nothing are left out."""
    long_before: Sequence[tuple[int, NDArray[np.uint8]]]
    """Those before them, at half size, each with when it appeared."""
    moving: Mask
    """Tiles that change from frame to frame."""

    @property
    def middle_ms(self) -> int:
        """The middle of the time for which the frame is shown: a player that seeks there shows it, however it rounds."""
        return self.picture.ms + (self.until_ms - self.picture.ms) // 2

    def moves(self, box: PixelBox) -> bool:
        """Whether the picture moves behind a line at `box`."""
        place = self.moving[tiles_of(box)]
        return bool(place.sum() >= _MOVING_SHARE * max(1, place.size))


@dataclass(frozen=True, slots=True)
class Sighting:
    """A line from the first frame that shows it to the first that does not."""

    text: str
    confidence: float
    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 as fractions of the picture, 0..1."""
    start_ms: int
    end_ms: int
    instant_ms: int
    """The middle of the frame it was read in, or that shows it best."""


@dataclass(slots=True, eq=False)
class Line:
    """A line that is open (its `end_ms` is None) or closed."""

    reading: Reading
    """The one that gives the words; its box is where they stood then."""
    box: PixelBox
    """Where the line stands now."""
    look_first: Patch
    frame: tuple[int, int]
    """Height and width of the picture, px."""
    start_ms: int
    instant_ms: int
    moving: bool
    """The picture moved behind it when it was first read."""
    looks_later: deque[Patch] = field(default_factory=lambda: deque(maxlen=_LOOKS))
    end_ms: int | None = None
    unlike_since: int | None = None
    """The first frame since which its pixels do not look as they were read."""
    gone: bool = False
    searched: bool = False
    """It was searched for elsewhere since it is gone, and not found."""
    missed: bool = False
    """Its place was read since then, without it."""
    votes: Votes = field(kw_only=True)
    step: tuple[int, int] | None = None
    """How far to the right and down it moved when it last moved from one frame to the next, px."""
    passed_ms: float = -inf
    """When something last changed beside it and in it at once, as when a cursor comes or goes."""
    instead_of: Line | None = None
    """The line that a cursor may have made into this one."""

    @classmethod
    def begun(cls, reading: Reading, moment: Moment, not_before: int = 0) -> Line:
        """A line that was just read for the first time; it began in the first frame that shows it, looking back."""
        patch = take_patch(reading.box, moment)
        start = max(not_before, _first_seen(patch, moment))
        shape = moment.picture.luma.shape[:2]
        return cls(reading, reading.box, patch, shape, start, moment.middle_ms, moment.moves(reading.box), votes=Votes(reading))

    @property
    def standing(self) -> Reading:
        """Its reading where it stands now."""
        return replace(self.reading, box=self.box)

    def touches(self, tiles: Mask) -> bool:
        """Whether any of `tiles` lies where the line, or its margin, is."""
        return bool(tiles[tiles_of(self.look_first.box)].any())

    def look(self, luma: NDArray[np.uint8]) -> Look:
        """Whether `luma` shows the line, in any of its looks."""
        looks = {patch.look(luma) for patch in (self.look_first, *self.looks_later)}
        return next(look for look in (Look.SAME, Look.ALTERED, Look.GONE) if look in looks)

    def watch(self, picture: Picture, changed: Mask) -> None:
        """Note how a frame, in which `changed` tiles changed, shows the line."""
        look = self.look(picture.luma)
        if look is Look.SAME:
            self.confirm()
        elif self.unlike_since is None:
            self.unlike_since = picture.ms
        self.gone = look is Look.GONE
        if self._beside(changed, picture.luma.shape):
            self.passed_ms = picture.ms

    def was_passed(self, ms: int) -> bool:
        """Whether a cursor may have come or gone shortly before `ms`."""
        return ms - self.passed_ms <= _PASSED_MS

    def _beside(self, changed: Mask, shape: tuple[int, ...]) -> bool:
        """Whether tiles beside the line, but not many, are among those that changed."""
        box = self.look_first.box
        near, reach = box.grown(TILE, TILE, shape), round(_CURSOR * self.box.height)
        far = near.grown(reach, reach, shape)
        stray = int(changed[tiles_of(far)].sum() - changed[tiles_of(near)].sum())
        return _LEAST_STRAY <= stray <= reach * reach // TILE**2

    def reopen(self, reading: Reading, moment: Moment) -> None:
        """The line was only covered."""
        self.learn(reading, moment)
        self.end_ms = None

    def confirm(self) -> None:
        """The line is there."""
        self.unlike_since, self.gone, self.searched, self.missed = None, False, False, False

    def learn(self, reading: Reading, moment: Moment) -> None:
        """Another reading of the same text: most of them decide what it says; the surest that says so gives the place and the instant."""
        if self.look(moment.picture.luma) is not Look.SAME:
            self.looks_later.append(take_patch(reading.box, moment))
        self.confirm()
        if self.votes.prefers(reading, self.reading):
            self.reading, self.box, self.instant_ms = reading, reading.box, moment.middle_ms

    def read_whole(self, reading: Reading, moment: Moment) -> None:
        """The first reading of it now that all of it is there: what was read before does not count."""
        self.votes = Votes(reading)
        self.looks_later.append(take_patch(reading.box, moment))
        self.reading, self.box, self.instant_ms = reading, reading.box, moment.middle_ms
        self.confirm()

    def cover(self, moment: Moment) -> None:
        """Something stands in front of the line; it is there all the same."""
        self.looks_later.append(take_patch(self.box, moment))
        self.confirm()

    def move(self, reading: Reading, moment: Moment) -> None:
        """The line is now elsewhere, where it was read."""
        self.look_first = take_patch(reading.box, moment)
        self.looks_later.clear()
        self.box, self.end_ms = reading.box, None
        self.learn(reading, moment)

    def follow(self, luma: NDArray[np.uint8], steps: Sequence[tuple[int, int]], *, far: bool) -> bool:
        """Go to where `luma` shows the line, if it has moved there since the frame before: by one of `steps`, or as far as can be
        searched, which is a few px unless it may be `far`."""
        step = follow_patch(self.look_first, luma, [self.step, *steps] if self.step else steps, far=far)
        if step is None:
            return False
        self.step = step
        self.look_first = self.look_first.moved(*step)
        self.looks_later = deque((patch.moved(*step) for patch in self.looks_later), maxlen=_LOOKS)
        self.box = self.box.moved(*step)
        self.confirm()
        return True

    def show_better(self, moment: Moment) -> None:
        """Have the instant show the line at its strongest: a text that fades in is read before it is whole."""
        if self.appears(moment.picture.luma):
            self.look_first = take_patch(self.box, moment)
            self.reading, self.instant_ms = replace(self.reading, box=self.box), moment.middle_ms

    def appears(self, luma: NDArray[np.uint8]) -> bool:
        """Whether it was read while it faded in: now it stands out more."""
        return self.look_first.shown(luma) >= _STRONGER

    @property
    def is_flash(self) -> bool:
        """Whether it was there for a frame or two of moving pictures only: a chance likeness to letters."""
        return self.moving and self.end_ms is not None and self.end_ms - self.start_ms < _FLASH_MS

    def sighting(self) -> Sighting:
        """The record of a closed line."""
        height, width = self.frame
        shown = self.reading.box
        box = (shown.x0 / width, shown.y0 / height, shown.x1 / width, shown.y1 / height)
        end = max(self.start_ms, self.start_ms if self.end_ms is None else self.end_ms)
        instant = min(max(self.instant_ms, self.start_ms), end)
        return Sighting(self.reading.text, self.reading.confidence, box, self.start_ms, end, instant)


def take_patch(box: PixelBox, moment: Moment) -> Patch:
    """The look of a line; over moving pictures, of what stays of it in the frames before and after."""
    neighbours = [picture.luma for picture in moment.before[:1]] + ([] if moment.after is None else [moment.after])
    return Patch.of(moment.picture.luma, box, neighbours if moment.moves(box) else ())


def follow_patch(patch: Patch, luma: NDArray[np.uint8], steps: Sequence[tuple[int, int]], *, far: bool) -> tuple[int, int] | None:
    """How far the look of a line moved to be where `luma` shows it: one of `steps`, px, or what a search finds; None where it is not."""
    for right, down in steps:
        expected = patch.moved(right, down)
        if expected.lies_in(luma) and expected.look(luma) is Look.SAME:
            return right, down
        aside, below = expected.find(luma, *_REACHES[0]) or (0, 0)
        if _shows(patch, luma, (right + aside, below + down)):
            return right + aside, below + down
    for aside, above in _REACHES if far else _REACHES[:1]:
        step = patch.find(luma, aside, above)
        if step and _shows(patch, luma, step):
            return step
    return None


def _shows(patch: Patch, luma: NDArray[np.uint8], step: tuple[int, int]) -> bool:
    moved = patch.moved(*step)
    return step != (0, 0) and moved.lies_in(luma) and moved.look(luma) is not Look.GONE


def _first_seen(patch: Patch, moment: Moment) -> int:
    """When a line began, looking back frame by frame."""
    moves = moment.moves(patch.line)
    start, found = _back(patch, [(earlier.ms, earlier.luma) for earlier in moment.before], moment.picture.ms, moves)
    if found is None or not moment.long_before:
        return start
    whole, frames = moment.before or [moment.picture], moment.long_before
    half, neighbours = whole[-1].half, [picture.half for picture in whole[-2:-1]] + [frames[0][1]]
    place = PixelBox(*(edge // 2 for edge in found.line)).grown(0, 0, half.shape)
    return _back(Patch.of(half, place, neighbours if moves else ()), frames, start, moves)[0] if place.area else start


def _back(patch: Patch, frames: Iterable[tuple[int, NDArray[np.uint8]]], start: int, moves: bool) -> tuple[int, Patch | None]:
    """Go back, latest first, past what only covered a line, and over moving pictures as long as it is there, or was beside where it is
    later. Returns the first of the frames that shows it, and where it is there, None where it was not in all of them."""
    steps = list[tuple[int, int]]()
    for ms, luma in frames:
        look = patch.look(luma, margin=False)
        if look is not Look.SAME and moves and (step := follow_patch(patch, luma, steps, far=not steps)):
            patch, steps, look = patch.moved(*step), [step], Look.SAME
        if look is Look.SAME or (moves and look is Look.ALTERED):
            start = ms
        elif look is Look.GONE or start - ms > COVERED_MS:
            return start, None
    return start, patch
