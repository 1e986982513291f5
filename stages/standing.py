"""Strokes that stand still while the picture around them moves: captions over film, a notice over a webcam.

There nothing ever settles, and reading often enough to catch a caption of 0.2 s would cost more than everything else. But the edges of
letters stay where they are, at the same brightness, and those of a moving scene do not. They are worth reading when they have stood for
a while, and at the latest when they go.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["StandingStrokes"]

_EDGE: Final = 56.0
"""Grey levels between neighbours at half size: what a caption needs to be read over a moving picture."""
_STILL: Final = 12.0
"""Grey levels by which a pixel that stands may differ from one frame to the next."""
_SHARE: Final = 80.0
"""Of 255: the share of a tile's pixels that must stand (five of sixteen)."""
_LETTERS: Final = 4
"""Tiles in a row that a word takes at least."""
_UNIT_MS: Final = 2.0
"""What one step of a pixel's counter stands for, so that 255 is about half a second."""
_WHILE: Final = 250.0 / _UNIT_MS
_BRIEFLY: Final = 120.0 / _UNIT_MS
"""How long words stand before they are read; and, when they go before that, how long they must have stood. In counter steps."""

_Pixels = NDArray[np.uint8]


class StandingStrokes:
    """Follows the edges of pictures of one size, in tiles of `tile` px. Give it each frame that changes something, in order."""

    def __init__(self, rows: int, columns: int, tile: int) -> None:
        self._tiles = (columns, rows)
        self._size = (columns * tile // 2, rows * tile // 2)
        self._last: _Pixels | None = None
        self._stood: _Pixels = np.zeros(self._size[::-1], np.uint8)
        self._looked_ms = 0.0
        self._read = np.zeros((rows, columns), np.bool_)

    def update(self, luma: _Pixels, now: float) -> NDArray[np.bool_]:
        """Look at the frame presented at `now` ms, (height, width) in whole tiles; returns the tiles, (rows, columns), to read in the
        frame before it: words that have stood for a while, and words that stood briefly and go with this frame."""
        half = np.asarray(cv2.resize(luma, self._size, interpolation=cv2.INTER_AREA), np.uint8)
        stood = cv2.add(self._stood, np.full(1, round((now - self._looked_ms) / _UNIT_MS)), dtype=cv2.CV_8U)
        stood = cv2.bitwise_and(stood, cv2.compare(self._stood, np.zeros(1), cv2.CMP_GT))
        lasting, brief = self._tiles_of(stood, _WHILE), self._tiles_of(stood, _BRIEFLY)
        if self._last is not None:
            edges = cv2.morphologyEx(half, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
            still = cv2.compare(cv2.absdiff(half, self._last), np.full(1, _STILL), cv2.CMP_LE)
            stands = cv2.bitwise_and(still, cv2.compare(edges, np.full(1, _EDGE), cv2.CMP_GE))
            stood = cv2.bitwise_and(cv2.max(stood, np.ones(1)), stands)
        self._stood, self._last, self._looked_ms = np.asarray(stood, np.uint8), half, now
        due: NDArray[np.bool_] = (_words(lasting) | _words(brief & ~self.standing())) & ~self._read
        self._read &= self.standing()
        return due

    def mark_read(self, tiles: NDArray[np.bool_]) -> None:
        """What stands in `tiles` was read; it is not given again until it goes."""
        self._read |= tiles

    def standing(self) -> NDArray[np.bool_]:
        """The tiles in which strokes stand, if only some of those that did: at the edge of a letter the picture behind it shimmers."""
        return self._tiles_of(self._stood, 1.0, _SHARE / 4)

    def _tiles_of(self, stood: cv2.typing.MatLike, least: float, enough: float = _SHARE) -> NDArray[np.bool_]:
        """The tiles in which enough pixels (of 255) stood at least so long."""
        share = cv2.resize(cv2.compare(stood, np.full(1, least), cv2.CMP_GE), self._tiles, interpolation=cv2.INTER_AREA)
        return np.asarray(np.asarray(share) >= enough)


def _words(tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of `tiles` that have as many beside them as a word takes."""
    return np.asarray(cv2.morphologyEx(tiles.astype(np.uint8), cv2.MORPH_OPEN, np.ones((1, _LETTERS), np.uint8)), np.bool_)
