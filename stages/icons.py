"""Marks that are no text, known again wherever they stand: a cursor, above all.

A cursor that comes to rest on blank paper is something new there, and to the reader nothing, or a sign it is not sure of. The same pixels
give the same answer: what was read in vain once is not read again in another place. One that is taken for a 4, and surely, is told by
where it was a moment ago: elsewhere, and it is there no longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, PixelBox
from stages.readings import Reading

__all__ = ["Icons", "came_along", "mark_in"]

_STANDS_OUT: Final = 16
"""Grey levels from its plain surroundings by which a pixel belongs to a mark."""
_LARGEST: Final = 48
_SMALLEST: Final = 4
"""Px a side; what is larger is no cursor, and what is smaller is found everywhere."""
_SURROUNDED: Final = 2
"""How many times as much of the area as the mark takes must be plain."""
_ALIKE: Final = 0.95
"""Correlation from which two marks are one: it lies elsewhere between the pixels, and the codec and the ground behind it differ."""
_MARGIN: Final = 4
"""Px around an area in which a mark may reach."""
_KEPT: Final = 8
_REACH: Final = 160
"""Px that a cursor may move while it is followed back."""
_FOUND: Final = 0.9
_ABSENT: Final = 0.6
"""Correlation from which a mark is somewhere, and below which it is not."""

Mark = NDArray[np.uint8]


def mark_in(luma: NDArray[np.uint8], area: PixelBox) -> Mark | None:
    """The one small mark in an otherwise plain area of a picture, (height, width), cut out; None where there is something else."""
    pixels = luma[area.y0 : area.y1, area.x0 : area.x1]
    if not pixels.size or max(pixels.shape) > 3 * _LARGEST:
        return None
    far = np.asarray(cv2.absdiff(pixels, np.full_like(pixels, round(float(np.median(pixels)))))) >= _STANDS_OUT
    rows, columns = np.flatnonzero(far.any(1)), np.flatnonzero(far.any(0))
    if not rows.size:
        return None
    mark = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return mark.copy() if max(mark.shape) <= _LARGEST and _SURROUNDED * mark.size <= pixels.size else None


def came_along(luma: NDArray[np.uint8], box: PixelBox, earlier: Sequence[NDArray[np.uint8]]) -> bool:
    """Whether the mark in a box of a picture stood elsewhere in one of the earlier pictures, where now it does not: it is a cursor."""
    mark = mark_in(luma, box.grown(TILE, TILE, luma.shape))
    if mark is None or min(mark.shape) < _SMALLEST:
        return False
    reach = box.grown(_REACH, _REACH, luma.shape)
    now = cv2.matchTemplate(reach.cut(luma), mark, cv2.TM_CCOEFF_NORMED)
    for before in earlier:
        then = cv2.matchTemplate(reach.cut(before), mark, cv2.TM_CCOEFF_NORMED)
        _, likeness, _, (x, y) = cv2.minMaxLoc(then)
        if likeness >= _FOUND and now[y, x] < _ABSENT:
            return True
    return False


class Icons:
    """The marks of one video that were read in vain, as many as are likely to come again."""

    def __init__(self) -> None:
        self._marks: deque[Mark] = deque(maxlen=_KEPT)

    def find(self, luma: NDArray[np.uint8], area: PixelBox) -> PixelBox | None:
        """Where in a small area a mark stands that was read in vain before."""
        if max(area.x1 - area.x0, area.height) > 3 * _LARGEST:
            return None
        around = area.grown(_MARGIN, _MARGIN, luma.shape)
        pixels = around.cut(luma)
        for mark in self._marks:
            height, width = mark.shape
            if height <= pixels.shape[0] and width <= pixels.shape[1]:
                _, likeness, _, (x, y) = cv2.minMaxLoc(cv2.matchTemplate(pixels, mark, cv2.TM_CCOEFF_NORMED))
                if likeness >= _ALIKE:
                    return PixelBox(around.x0 + x, around.y0 + y, around.x0 + x + width, around.y0 + y + height)
        return None

    def learn(self, luma: NDArray[np.uint8], area: PixelBox, found: Sequence[Reading]) -> None:
        """Remember what was read in an area as nothing, or as a sign that is none."""
        places = [reading.box.grown(TILE, TILE, luma.shape) for reading in found if reading.is_icon] if found else [area]
        for place in places:
            mark = mark_in(luma, place)
            if mark is not None and min(mark.shape) >= _SMALLEST and not self.find(luma, place):
                self._marks.append(mark)
