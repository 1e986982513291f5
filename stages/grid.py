"""Pictures as grids of tiles: where strokes are, and which rectangles hold them.

A tile of 8 px is as large as a digit of small print. Everything that decides what to read works on maps of tiles, which are 64 times
smaller than the picture. And everything that reads is given rectangles with strokes in them and little else: the detector of PP-OCR
weighs what it sees against the whole picture, and a footnote alone on a large blank page is nothing to it, at any scale.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["TILE", "Mask", "PixelBox", "in_pixels", "rectangles", "search_areas", "strokes", "tile_mean", "tile_share", "tiles_of"]

Mask = NDArray[np.bool_]
"""(rows, columns) of tiles."""

TILE: Final = 8
"""Side of a tile, px."""

_HALVINGS: Final = 3
"""TILE is this power of 2."""
_STROKE: Final = 16
"""Grey levels between a pixel and its neighbours at the edge of a letter, even of a pale one."""
_STROKE_SHARE: Final = 16
"""Of 255: the share of such pixels in a tile that may hold part of a letter (four of 64)."""
_RULE: Final = 16
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


class PixelBox(NamedTuple):
    """A rectangle of whole px (or tiles); x1 and y1 are the first column and row outside."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    @property
    def area(self) -> int:
        return max(0, self.x1 - self.x0) * max(0, self.y1 - self.y0)

    def shared(self, other: PixelBox) -> float:
        """The part of the smaller of both boxes that lies in the other, 0..1."""
        common = PixelBox(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1)).area
        return common / max(1, min(self.area, other.area))

    def around(self, other: PixelBox) -> PixelBox:
        """The smallest box that holds both."""
        return PixelBox(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def moved(self, right: int, down: int) -> PixelBox:
        return PixelBox(self.x0 + right, self.y0 + down, self.x1 + right, self.y1 + down)

    def grown(self, aside: int, above: int, shape: tuple[int, ...]) -> PixelBox:
        """The box with a margin, inside a picture of that (height, width)."""
        height, width = shape
        return PixelBox(max(0, self.x0 - aside), max(0, self.y0 - above), min(width, self.x1 + aside), min(height, self.y1 + above))


def tiles_of(box: PixelBox) -> tuple[slice, slice]:
    """The rows and columns of the tiles that a box in px touches."""
    return slice(box.y0 // TILE, -(-box.y1 // TILE)), slice(box.x0 // TILE, -(-box.x1 // TILE))


def in_pixels(box: PixelBox, shape: tuple[int, ...]) -> PixelBox:
    """A box of tiles in px of a picture of that (height, width); at the last tile it goes on to the edge."""
    height, width = shape
    x1 = width if box.x1 == width // TILE else box.x1 * TILE
    y1 = height if box.y1 == height // TILE else box.y1 * TILE
    return PixelBox(box.x0 * TILE, box.y0 * TILE, x1, y1)


def strokes(luma: NDArray[np.uint8]) -> Mask:
    """The tiles of a picture, (height, width) in whole tiles, that hold edges as letters have them; long straight lines are none."""
    across, down = np.zeros(luma.shape, np.bool_), np.zeros(luma.shape, np.bool_)
    across[:, 1:-1] = cv2.absdiff(luma[:, :-2], luma[:, 2:]) >= _STROKE
    down[1:-1] = cv2.absdiff(luma[:-2], luma[2:]) >= _STROKE
    upright, level = tile_share(across) > _STROKE_SHARE, tile_share(down) > _STROKE_SHARE
    rules = _long(level & ~upright, (1, _RULE)) | _long(upright & ~level, (_RULE, 1))
    found: Mask = (upright | level) & ~rules
    return found


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


def tile_share(pixels: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The share of each tile's pixels that are set, of 255; `pixels` are (height, width) in whole tiles."""
    return tile_mean(pixels.astype(np.uint8) * np.uint8(255))


def tile_mean(picture: NDArray[np.uint8], halved: int = 0) -> NDArray[np.uint8]:
    """The mean of each tile of a picture that was `halved` so many times; by halving, which OpenCV does with vector instructions."""
    for _ in range(_HALVINGS - halved):
        height, width = picture.shape
        picture = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return picture
