"""How one line of text looks, and whether a later picture still shows it.

The recogniser says what a line reads; when it was there is measured on its pixels, frame by frame, which is exact and costs next to
nothing. Two questions are told apart. *Is it gone?* The pattern of its strokes no longer correlates with the picture, or has faded to a
trace. *Was it altered?* The strokes are there, but somewhere, in a spot as small as the bar that makes a 6 an 8, the picture differs by
more than compression does: a counter went on, a letter was typed behind it, or a cursor stands in front.

Over moving pictures only the pixels that stay are compared: those of the text. Text that moves itself, as credits and panned boards do, is
followed from frame to frame: where its pixels are found again, it is the same line elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import PixelBox

__all__ = ["Look", "Patch"]

_GONE_CORRELATION: Final = 0.5
_FOUND_CORRELATION: Final = 0.75
"""Correlation from which a line is found elsewhere."""
_SEARCHED_WIDTH: Final = 320
"""Px of a line that are searched for: enough to know it by, and a search costs by the px."""
_TRACE: Final = 0.1
_LEAST_CONTRAST: Final = 8.0
"""Share of the contrast it was read at, and grey levels, below which a fading text is not visible."""
_ALTERED: Final = 0.35
_LEAST_ALTERED: Final = 8.0
"""A spot differs from this many grey levels on, or from that share of the text's contrast, whichever is more."""
_SPOT: Final = 12
"""Spots to the height of a line."""
_EDGE: Final = 0.35
"""Share of the steepest edges from which a pixel belongs to a stroke's border."""
_STEADY: Final = 12
"""Grey levels by which a pixel may differ between neighbouring frames and count as staying."""
_LEAST_STEADY: Final = 0.3
"""Share of the strokes' pixels that must stay for the rest to be left out as moving background."""
_BLANK: Final = 0.2
"""Share of a text's contrast that edges have at least where strokes are."""
_ASIDE: Final = 0.5
_ABOVE: Final = 0.1
"""How far around a line its look is watched, to the sides and above and below, in heights of the line."""


class Look(Enum):
    """What a picture shows where a line was."""

    SAME = "same"
    ALTERED = "altered"
    GONE = "gone"


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """The pixels of one line, and a little around it, as they were when it was read."""

    line: PixelBox
    box: PixelBox
    """The line with its margin."""
    pixels: NDArray[np.uint8]
    _strokes: NDArray[np.bool_]
    """The borders of strokes that stay."""
    _steady: NDArray[np.bool_]
    """Where the picture stays."""
    _contrast: float
    """Grey levels between dark and light."""

    @classmethod
    def of(cls, luma: NDArray[np.uint8], line: PixelBox, neighbours: Sequence[NDArray[np.uint8]] = ()) -> Patch:
        """The look of `line` in `luma`, (height, width); `neighbours` are the pictures just before and after."""
        box = line.grown(round(_ASIDE * line.height), round(_ABOVE * line.height), luma.shape)
        pixels = box.cut(luma)
        edges = np.asarray(cv2.morphologyEx(pixels, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))
        borders = (edges >= max(1.0, _EDGE * float(np.percentile(edges, 98)))).astype(np.uint8)
        strokes = np.asarray(cv2.dilate(borders, np.ones((3, 3), np.uint8)), np.bool_)
        steady = np.ones(pixels.shape, np.bool_)
        for neighbour in neighbours:
            steady &= np.asarray(cv2.blur(cv2.absdiff(pixels, box.cut(neighbour)), (3, 3))) <= _STEADY
        if (strokes & steady).sum() < _LEAST_STEADY * strokes.sum():
            steady[:] = True
        low, high = np.percentile(pixels, (2, 98))
        return cls(line, box, pixels, strokes & steady, steady, float(high - low))

    def look(self, luma: NDArray[np.uint8], *, margin: bool = True) -> Look:
        """Whether `luma`, (height, width), shows this line where it was; without its margin, what stands around it is ignored."""
        pixels = self.box.cut(luma)
        if float(np.asarray(cv2.absdiff(pixels, self.pixels)).max()) <= _LEAST_ALTERED:
            return Look.SAME
        shown = self._shown(pixels)
        if shown < _TRACE or shown * self._contrast < _LEAST_CONTRAST:
            return Look.GONE
        differing = self._differing(pixels, shown)
        if not margin:
            line = self.line.moved(-self.box.x0, -self.box.y0)
            differing = differing[line.y0 : line.y1, line.x0 : line.x1]
        return Look.ALTERED if differing.any() else Look.SAME

    def moved(self, right: int, down: int) -> Patch:
        """The same look elsewhere."""
        return replace(self, line=self.line.moved(right, down), box=self.box.moved(right, down))

    def lies_in(self, luma: NDArray[np.uint8]) -> bool:
        """Whether all of the line lies inside the picture."""
        height, width = luma.shape
        return self.box.x0 >= 0 and self.box.y0 >= 0 and self.box.x1 <= width and self.box.y1 <= height

    def find(self, luma: NDArray[np.uint8], aside: int, above: int) -> tuple[int, int] | None:
        """How far to the right and down, px, `luma` shows the line, if no further than that; None where it is not found."""
        known = self.box._replace(x1=min(self.box.x1, self.box.x0 + _SEARCHED_WIDTH))
        window = known.grown(aside, above, luma.shape)
        if window.x1 - window.x0 < known.x1 - known.x0 or window.height < known.height:
            return None  # It lies outside the picture.
        pixels = np.ascontiguousarray(self.pixels[:, : known.x1 - known.x0])
        likeness = cv2.matchTemplate(window.cut(luma), pixels, cv2.TM_CCOEFF_NORMED)
        _, best, _, (x, y) = cv2.minMaxLoc(likeness)
        return (window.x0 + x - known.x0, window.y0 + y - known.y0) if best >= _FOUND_CORRELATION else None

    def shown(self, luma: NDArray[np.uint8]) -> float:
        """How strongly `luma` shows the strokes of this line, 1 as when it was read, 0 where it does not show them."""
        return self._shown(self.box.cut(luma))

    def differing(self, luma: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """The pixels of `box` in which `luma` shows something else, whatever the contrast at which it shows the line."""
        pixels = self.box.cut(luma)
        return self._differing(pixels, self._shown(pixels))

    def is_blank(self, luma: NDArray[np.uint8]) -> bool:
        """Whether `luma` shows no strokes where it differs: part of the line has been taken away, not covered."""
        differing = self.differing(luma)
        edges = np.asarray(cv2.morphologyEx(self.box.cut(luma), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))
        return bool(differing.any()) and float(np.percentile(edges[differing], 75)) < _BLANK * self._contrast

    def _shown(self, pixels: NDArray[np.uint8]) -> float:
        known, seen = self.pixels[self._strokes].astype(np.float32), pixels[self._strokes].astype(np.float32)
        if known.size == 0:
            return 0.0
        known -= known.mean()
        seen -= seen.mean()
        own, other, common = float(known @ known), float(seen @ seen), float(known @ seen)
        if min(own, other, common) <= 0 or common < _GONE_CORRELATION * (own * other) ** 0.5:
            return 0.0
        return common / own

    def _differing(self, pixels: NDArray[np.uint8], shown: float) -> NDArray[np.bool_]:
        gain = np.float32(1 / shown if shown else 1)
        known, seen = self.pixels[self._strokes], pixels[self._strokes]
        shift = np.float32(known.mean() - seen.mean() * gain) if known.size else np.float32(0)
        spot = max(2, round(self.box.height / _SPOT))
        difference = np.abs(pixels * gain + shift - self.pixels) * self._steady
        return np.asarray(cv2.blur(difference, (spot, spot)) > max(_LEAST_ALTERED, _ALTERED * self._contrast))
