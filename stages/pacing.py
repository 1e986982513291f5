"""How long a place rests after it was read in vain.

A webcam in a corner, a film, a spinner: there is always something new, and never a text. Each reading without result doubles the time
until the next one there, up to a limit; one that finds something ends the rest, and so does time.

A place that is restless, one that spends much of its time changing, rests as a whole: in a webcam it is now the head that moves and now the
hand, and a reading in vain of one tells about the other.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["LONG_AGO", "Pacing", "Restless"]

_FIRST_REST_MS: Final = 60
_LONGEST_REST_MS: Final = 2560
_LATELY_MS: Final = 1500.0
"""Over how long it is judged whether a place is restless."""
_RESTLESS: Final = 0.08
"""Share of that time spent changing from which it is."""
_BESIDE: Final = 6
"""Tiles around a restless one that belong to the same place."""
LONG_AGO: Final = -(10**9)
"""Before any frame, ms."""


class Pacing:
    """The rests of a grid of tiles; the first one lasts `first_ms`, and a reading counts for the tiles up to `around` tiles away."""

    def __init__(self, shape: tuple[int, int], around: int, first_ms: int = _FIRST_REST_MS) -> None:
        self.rest_ms = np.zeros(shape, np.int32)
        """How long each tile rests."""
        self._until = np.full(shape, LONG_AGO, np.int32)
        self._first_ms = first_ms
        self._kernel = np.ones((2 * around + 1, 2 * around + 1), np.uint8)

    def rested(self, now: float, part: tuple[slice, slice] = (slice(None), slice(None))) -> NDArray[np.bool_]:
        """The tiles of a part that may be read again at `now` ms."""
        return np.asarray(int(now) >= self._until[part])

    def near(self, tiles: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The tiles up to `around` tiles away from those given: a reading counts for them too."""
        return np.asarray(cv2.dilate(tiles.astype(np.uint8), self._kernel), np.bool_)

    def was_read(self, place: NDArray[np.bool_], now: float, *, in_vain: bool) -> None:
        """Note that `place` was read at `now` ms."""
        now = int(now)
        rest: NDArray[np.int32] | int = 0
        if in_vain:
            lately = now - self._until[place] < 2 * _LONGEST_REST_MS
            rest = np.where(lately, np.minimum(2 * self.rest_ms[place] + self._first_ms, _LONGEST_REST_MS), self._first_ms)
        self.rest_ms[place] = rest
        self._until[place] = now + rest


class Restless:
    """How much of the last time each tile of a grid spent changing."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self._share = np.zeros(shape, np.float32)
        self._at = 0.0

    def changed(self, tiles: NDArray[np.bool_], now: float, passed: float) -> None:
        """Note that `tiles` changed with the frame at `now` ms, `passed` ms after the one before."""
        self._share *= np.float32(math.exp((self._at - now) / _LATELY_MS))
        self._share += tiles * np.float32(1 - math.exp(-passed / _LATELY_MS))
        self._at = now

    def tiles(self, now: float) -> NDArray[np.bool_]:
        """The tiles that are restless at `now` ms, with those beside them."""
        least = np.float32(_RESTLESS * math.exp((now - self._at) / _LATELY_MS))
        side = 2 * _BESIDE + 1
        return np.asarray(cv2.dilate((self._share >= least).astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)

    def around(self, tiles: NDArray[np.bool_], now: float) -> NDArray[np.bool_]:
        """All of each restless place that touches `tiles`."""
        if not tiles.any():
            return np.zeros_like(tiles)
        count, places = cv2.connectedComponents(self.tiles(now).astype(np.uint8), connectivity=8)
        touched = np.zeros(count, np.bool_)
        touched[places[tiles]] = True
        touched[0] = False
        return np.asarray(touched[places])
