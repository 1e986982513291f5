"""Strokes that stand still while the picture around them moves: captions over film, a notice over a webcam.

There nothing ever settles, and reading often enough to catch a caption of 0.2 s would cost more than everything else. But the edges of
letters stay where they are, at the same brightness, and those of a moving scene do not. They are worth reading when they have stood for
a while, and at the latest when they go.

What is kept of a pixel is since when it stands, so that one that goes on standing costs nothing.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, extent, pixels_of
from stages.grid import in_a_row, tile_mean

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
_NEVER: Final = 2**31 - 1
_HALF: Final = TILE // 2
"""Side of a tile, px at half size."""

_Pixels = NDArray[np.uint8]


class StandingStrokes:
    """Follows the edges of pictures of one size, in tiles. Give it each frame that changes something, in order."""

    def __init__(self, rows: int, columns: int) -> None:
        size = (rows * _HALF, columns * _HALF)
        self._started = False
        self._last: _Pixels = np.zeros(size, np.uint8)
        self._since = np.full(size, _NEVER, np.int32)
        self._standing = np.zeros((rows, columns), np.bool_)
        self._stirred = np.ones((rows, columns), np.bool_)
        self._read = np.zeros((rows, columns), np.bool_)

    def update(self, luma: _Pixels, now: float, differs: Mask) -> Mask:
        """Look at the frame presented at `now` ms, (height, width) in whole tiles, of which `differs` are the tiles that are not exactly
        what they were in the frame given before; returns the tiles, (rows, columns), to read in that frame: words that have stood for a
        while, and words that stood briefly and go with this one."""
        waiting = extent(self._standing & ~self._read, _LETTERS)
        stood = self._stood(waiting, now) if waiting else None
        self._look(luma, now, differs)
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

    def _stood(self, part: tuple[slice, slice], now: float) -> tuple[Mask, Mask]:
        """The tiles of a part whose strokes have stood for a while, and briefly at least."""
        since = self._since[pixels_of(part, _HALF)]
        return _holding(since <= now - _WHILE_MS, _SHARE), _holding(since <= now - _BRIEFLY_MS, _SHARE)

    def _look(self, luma: _Pixels, now: float, differs: Mask) -> None:
        # What was stirred the last time and is still now begins to stand now.
        part = extent(differs | self._stirred, 1)
        if part is None:
            return
        here = pixels_of(part, _HALF)
        last = self._last[here]
        height, width = last.shape
        half = np.asarray(cv2.resize(luma[pixels_of(part)], (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        still = cv2.absdiff(half, last) <= _STILL
        last[:] = half
        if self._started:
            since, stands = self._since[here], still & self._edges(here)
            np.minimum(since, round(now), out=since)
            np.copyto(since, _NEVER, where=~stands)
            self._standing[part] = _holding(stands, _SHARE_LEFT)
            self._stirred[:] = differs
        self._started = True

    def _edges(self, here: tuple[slice, slice]) -> NDArray[np.bool_]:
        """Where a part of the last picture has the edges of letters; they depend on the pixels around it."""
        rows, columns = here
        top, left = max(0, rows.start - 1), max(0, columns.start - 1)
        around = self._last[top : rows.stop + 1, left : columns.stop + 1]
        steep = cv2.morphologyEx(around, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) >= _EDGE
        return steep[rows.start - top :, columns.start - left :][: rows.stop - rows.start, : columns.stop - columns.start]


def _holding(pixels: NDArray[np.bool_], share: int) -> Mask:
    """The tiles in which that share of the pixels (of 255), at half size, is set."""
    return np.asarray(tile_mean(pixels.astype(np.uint8) * np.uint8(255), halved=1) >= share)
