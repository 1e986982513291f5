"""Which rectangles of a picture hold strokes.

What reads is given rectangles with strokes in them and little else. That is cheap, for detection costs by the pixel; and it is needed:
the detector of PP-OCR weighs what it sees against the whole picture, and a footnote alone on a large page is nothing to it, at any
scale.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, PixelBox, in_pixels
from stages.strokes import strokes

__all__ = ["rectangles", "search_areas"]

_MOST: Final = 0.6
"""Share of a picture with strokes in it from which all of it is searched at once."""
_LEAST_TILES: Final = 8
_ROWS_TO_GAP: Final = 45
"""Rows of tiles in a picture to one tile of gap between words: 24 px at 1080p."""
_LEAST_GAP: Final = 2
_MARGIN: Final = 2
"""Tiles around what is searched: a detector needs a little background."""
_TALLEST_LINE: Final = 12
"""Tiles; what is taller is no single line, and is not grown sideways."""
_CALL: Final = 400
"""Tiles that could be searched for what one more call costs (160 px squared)."""


def search_areas(grey: NDArray[np.uint8]) -> list[PixelBox]:
    """The parts of a picture, (height, width), that hold strokes, px; all of it where they fill it, or where it is too small to tell."""
    height, width = grey.shape
    everything = PixelBox(0, 0, width, height)
    rows, columns = height // TILE, width // TILE
    if min(rows, columns) < _LEAST_TILES:
        return [everything] if everything.area else []
    boxes = [in_pixels(box, grey.shape) for box in rectangles(strokes(grey[: rows * TILE, : columns * TILE]))]
    return [everything] if sum(box.area for box in boxes) >= _MOST * everything.area else boxes


def rectangles(seeds: Mask, along: Mask | None = None, whole: list[PixelBox] | None = None) -> list[PixelBox]:
    """Rectangles, in tiles, that hold every tile of `seeds`, and little else where that saves work.

    Each is grown sideways along the line of text it belongs to, as far as the tiles of `along` go on; one that touches a box of `whole`
    (in tiles) holds all of it.
    """
    gap = max(_LEAST_GAP, seeds.shape[0] // _ROWS_TO_GAP)
    joined = cv2.dilate(seeds.astype(np.uint8), np.ones((2 * gap + 1, 2 * gap + 1), np.uint8))
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    places, rows, columns = labels[seeds], *np.nonzero(seeds)
    boxes = []
    for place in range(1, count):
        here = places == place
        box = PixelBox(int(columns[here].min()), int(rows[here].min()), int(columns[here].max()) + 1, int(rows[here].max()) + 1)
        if along is not None:
            box = _along_the_line(box, along, gap)
        boxes.append(box.grown(_MARGIN, _MARGIN, seeds.shape))
    return _merged(boxes, whole or [])


def _along_the_line(box: PixelBox, along: Mask, gap: int) -> PixelBox:
    if box.height > _TALLEST_LINE:
        return box
    columns = np.flatnonzero(along[box.y0 : box.y1].any(0))
    left, right = box.x0, box.x1
    for column in columns[columns < box.x0][::-1]:
        if left - column > gap + 1:
            break
        left = int(column)
    for column in columns[columns >= box.x1]:
        if column - right > gap:
            break
        right = int(column) + 1
    return PixelBox(left, box.y0, right, box.y1)


def _merged(boxes: list[PixelBox], whole: list[PixelBox]) -> list[PixelBox]:
    """Boxes that cost less to search as one become one, until none do."""
    done: list[PixelBox] = []
    waiting = list(boxes)
    while waiting:
        box = waiting.pop()
        for other in whole:
            if box.shared(other) > 0:
                box = box.around(other)
        partner = next((other for other in done if box.around(other).area <= box.area + other.area + _CALL), None)
        if partner is None:
            done.append(box)
        else:
            done.remove(partner)
            waiting.append(box.around(partner))
    return done
