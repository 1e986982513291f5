"""Strokes that stand still while the picture around them moves: captions over film, a notice over a webcam.

There nothing ever settles, and reading often enough to catch a caption of 0.2 s would cost more than everything else. But the edges of
letters stay where they are, at the same brightness, and those of a moving scene do not. They are worth reading when they have stood for
a while, and at the latest when they go.

What is kept of a pixel is for how long it has stood, until it is read: one byte, so that following them takes vector instructions and
little memory.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import Mask, extent, pixels_of
from stages.tiles import HALF, in_a_row, tile_mean

__all__ = ["StandingStrokes"]

_EDGE: Final = 56
"""Grey levels between neighbours at half size: what a caption needs to be read over a moving picture."""
_STILL: Final = 12
"""Grey levels by which a pixel that stands may differ from one frame to the next."""
_SHARE: Final = 80
"""Of 255: the share of a tile's pixels that must stand (five of sixteen)."""
_SHARE_LEFT: Final = 20
"""The share that must still stand of strokes that did: at the edge of a letter the picture behind it shimmers."""
_LETTERS: Final = 4
"""Tiles in a row that a word takes at least."""
_WHILE_MS: Final = 250
_BRIEFLY_MS: Final = 120
"""How long words stand before they are read; and, when they go before that, how long they must have stood."""
_TICK_MS: Final = 2
"""What the age of a pixel is counted in, which starts with 1; up to twice `_WHILE_MS` fits in a byte."""
_FIRST: Final = np.full(1, 1.0)
_OLDEST: Final = 255

_Pixels = NDArray[np.uint8]


class StandingStrokes:
    """Follows the edges of pictures of one size, in tiles. Give it each frame that changes something, in order."""

    def __init__(self, rows: int, columns: int) -> None:
        size = (rows * HALF, columns * HALF)
        self._started = False
        self._last: _Pixels = np.zeros(size, np.uint8)
        self._age: _Pixels = np.zeros(size, np.uint8)
        self._at = 0
        """The tick of the last look."""
        self._standing = np.zeros((rows, columns), np.bool_)
        self._stirred = np.ones((rows, columns), np.bool_)
        self._read = np.zeros((rows, columns), np.bool_)

    def update(self, half: _Pixels, now: float, differs: Mask) -> Mask:
        """Look at the frame presented at `now` ms, (height, width) in whole tiles, at half size, of which `differs` are the tiles that are
        not exactly what they were in the frame given before; returns the tiles, (rows, columns), to read in that frame: words that have
        stood for a while, and words that stood briefly and go with this one."""
        tick = int(now) // _TICK_MS
        waiting = extent(self._standing & ~self._read, _LETTERS)
        if waiting:
            age, passed = self._age[pixels_of(waiting, HALF)], min(_OLDEST - 1, tick - self._at)
            age[:] = cv2.threshold(cv2.add(age, np.full(1, float(passed))), passed, _OLDEST, cv2.THRESH_TOZERO)[1]
        self._at = tick
        stood = self._stood(waiting) if waiting else None
        self._look(half, differs)
        due = np.zeros_like(self._read)
        if waiting and stood:
            lasting, brief = stood
            due[waiting] = (in_a_row(lasting, _LETTERS) | in_a_row(brief & ~self._standing[waiting], _LETTERS)) & ~self._read[waiting]
        self._read &= self._standing
        return due

    def mark_read(self, tiles: Mask) -> None:
        """What stands in `tiles` was read; it is not given again until it goes."""
        self._read |= tiles

    def standing(self) -> Mask:
        """The tiles in which strokes stand, if only some of those that did."""
        return self._standing

    def _stood(self, part: tuple[slice, slice]) -> tuple[Mask, Mask]:
        """The tiles of a part whose strokes have stood for a while, and briefly at least."""
        age = self._age[pixels_of(part, HALF)]
        lasting, brief = (cv2.threshold(age, ms // _TICK_MS, 255, cv2.THRESH_BINARY)[1] for ms in (_WHILE_MS, _BRIEFLY_MS))
        return _holding(lasting, _SHARE), _holding(brief, _SHARE)

    def _look(self, half: _Pixels, differs: Mask) -> None:
        # What was stirred the last time and is still now begins to stand now.
        part = extent(differs | self._stirred, 1)
        if part is None:
            return
        here = pixels_of(part, HALF)
        last, age = self._last[here], self._age[here]
        if self._started:
            stands = cv2.bitwise_and(_still(half[here], last), _edges(half, here))
            age[:] = cv2.bitwise_and(cv2.max(age, _FIRST), stands)
            self._standing[part] = _holding(stands, _SHARE_LEFT)
            self._stirred[:] = differs
        last[:] = half[here]
        self._started = True


def _still(now: _Pixels, before: _Pixels) -> cv2.typing.MatLike:
    """255 where two pictures show the same."""
    return cv2.threshold(cv2.absdiff(now, before), _STILL, 255, cv2.THRESH_BINARY_INV)[1]


def _edges(half: _Pixels, here: tuple[slice, slice]) -> cv2.typing.MatLike:
    """255 where a part of the picture has the edges of letters; they depend on the pixels around it."""
    rows, columns = here
    top, left = max(0, rows.start - 1), max(0, columns.start - 1)
    around = half[top : rows.stop + 1, left : columns.stop + 1]
    steep = cv2.threshold(cv2.morphologyEx(around, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)), _EDGE - 1, 255, cv2.THRESH_BINARY)[1]
    return steep[rows.start - top :, columns.start - left :][: rows.stop - rows.start, : columns.stop - columns.start]


def _holding(pixels: cv2.typing.MatLike, share: int) -> Mask:
    """The tiles in which that share of the pixels (of 255) is set, at half size."""
    return np.asarray(tile_mean(np.asarray(pixels, np.uint8), halvings=1) >= share)
