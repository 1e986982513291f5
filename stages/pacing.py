"""How long a place rests after it was read in vain.

A webcam in a corner, a film, a spinner: there is always something new, and never a text. Each reading without result doubles the time
until the next one there, up to a limit; one that finds something ends the rest, and so does time.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Pacing"]

_FIRST_REST_MS: Final = 60.0
_LONGEST_REST_MS: Final = 2560.0


class Pacing:
    """The rests of a grid of tiles; a reading counts for the tiles up to `around` tiles away."""

    def __init__(self, shape: tuple[int, int], around: int) -> None:
        self.rest_ms = np.zeros(shape)
        """How long each tile rests."""
        self._until = np.full(shape, -np.inf)
        self._kernel = np.ones((2 * around + 1, 2 * around + 1), np.uint8)

    def rested(self, now: float) -> NDArray[np.bool_]:
        """The tiles that may be read again at `now` ms."""
        return np.asarray(now >= self._until)

    def was_read(self, tiles: NDArray[np.bool_], now: float, *, in_vain: bool) -> None:
        """Note that `tiles` were read at `now` ms."""
        place = np.asarray(cv2.dilate(tiles.astype(np.uint8), self._kernel), np.bool_)
        if in_vain:
            lately = now - self._until < 2 * _LONGEST_REST_MS
            longer = np.where(lately, np.minimum(2 * self.rest_ms + _FIRST_REST_MS, _LONGEST_REST_MS), _FIRST_REST_MS)
            self.rest_ms[place] = longer[place]
        else:
            self.rest_ms[place] = 0.0
        self._until[place] = now + self.rest_ms[place]
