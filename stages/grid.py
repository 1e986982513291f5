"""Pictures as grids of tiles: where strokes are, and which rectangles hold them.

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

__all__ = ["RULE", "in_a_row", "letters", "rectangles", "search_areas", "strokes", "tile_mean"]

_HALVINGS: Final = 3
"""TILE is this power of 2."""
_STROKE: Final = 16
"""Grey levels between a pixel and its neighbours at the edge of a letter, even of a pale one."""
_STROKE_SHARE: Final = 16
"""Of 255: the share of such pixels in a tile that may hold part of a letter (four of 64)."""
_LETTER: Final = 24
_LETTER_SHARE: Final = 8
"""The same for a letter in a picture that moves, where pale ones cannot be told from the rest (two pixels of 64)."""
_WORD: Final = 3
"""Tiles in a row that a word takes at least."""
RULE: Final = 16
"""Tiles in a row from which an edge is a border or a rule, and no part of a letter."""
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


def strokes(luma: NDArray[np.uint8]) -> Mask:
    """The tiles of a picture, (height, width) in whole tiles, that hold edges as letters have them; long straight lines are none."""
    across, down = np.zeros(luma.shape, np.uint8), np.zeros(luma.shape, np.uint8)
    across[:, 1:-1] = _at_least(cv2.absdiff(luma[:, :-2], luma[:, 2:]), _STROKE)
    down[1:-1] = _at_least(cv2.absdiff(luma[:-2], luma[2:]), _STROKE)
    upright, level = tile_mean(across) > _STROKE_SHARE, tile_mean(down) > _STROKE_SHARE
    rules = _long(level & ~upright, (1, RULE)) | _long(upright & ~level, (RULE, 1))
    found: Mask = (upright | level) & ~rules
    return found


def _at_least(picture: cv2.typing.MatLike, level: int) -> cv2.typing.MatLike:
    """255 where the picture has that level or more, else 0; in place."""
    return cv2.threshold(picture, level - 1, 255, cv2.THRESH_BINARY, dst=picture)[1]


def letters(luma: NDArray[np.uint8]) -> Mask:
    """The tiles that have, in them or beside them, edges to the lighter and to the darker, as many in a row as a word takes.

    A letter has both within its own width; the outline of a head, a fold of a curtain has one. Meant for pictures that move.
    """
    before, after = np.ascontiguousarray(luma[:, :-2]), np.ascontiguousarray(luma[:, 2:])
    both = np.ones((luma.shape[0] // TILE, luma.shape[1] // TILE), np.uint8)
    for one, other in ((before, after), (after, before)):
        edges = np.zeros(luma.shape, np.uint8)
        edges[:, 1:-1] = _at_least(cv2.subtract(other, one), _LETTER)
        both &= cv2.dilate((tile_mean(edges) > _LETTER_SHARE).astype(np.uint8), np.ones((1, 3), np.uint8))
    return in_a_row(both, _WORD)


def in_a_row(tiles: Mask | NDArray[np.uint8], length: int) -> Mask:
    """Those of `tiles` that have so many side by side."""
    run = np.ones((1, length), np.uint8)
    begun = cv2.erode(tiles.astype(np.uint8), run, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(cv2.dilate(begun, run, anchor=(length - 1, 0)), np.bool_)


def _long(tiles: Mask, run: tuple[int, int]) -> Mask:
    """Those of `tiles` that lie in an unbroken run of (rows, columns)."""
    return np.asarray(cv2.morphologyEx(tiles.astype(np.uint8), cv2.MORPH_OPEN, np.ones(run, np.uint8)), np.bool_)


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


def tile_mean(picture: NDArray[np.uint8], halved: int = 0) -> NDArray[np.uint8]:
    """The mean of each tile of a picture that was `halved` so many times; by halving, which OpenCV does with vector instructions."""
    for _ in range(_HALVINGS - halved):
        height, width = picture.shape
        picture = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return picture
