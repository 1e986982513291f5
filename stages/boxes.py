"""Rectangles of a picture, in px and in tiles.

A tile of 8 px is as large as a digit of small print. What decides where to read works on maps of tiles, 64 times smaller than the picture.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["TILE", "Mask", "PixelBox", "extent", "in_pixels", "pixels_of", "tiles_of"]

Mask = NDArray[np.bool_]
"""(rows, columns) of tiles."""

TILE: Final = 8
"""Side of a tile, px."""


class PixelBox(NamedTuple):
    """A rectangle of whole px (or tiles); x1 and y1 are the first column and row outside."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    def cut(self, luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What a picture, (height, width), has in this box, in one piece of memory, as OpenCV wants it."""
        return np.ascontiguousarray(luma[self.y0 : self.y1, self.x0 : self.x1])

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


def extent(tiles: Mask, margin: int = 0) -> tuple[slice, slice] | None:
    """The rows and columns that hold all of `tiles`, with a margin inside the map; None when there is no tile."""
    left, top, width, height = cv2.boundingRect(tiles.view(np.uint8))
    if not width:
        return None
    rows, columns = tiles.shape
    return (
        slice(max(0, top - margin), min(rows, top + height + margin)),
        slice(max(0, left - margin), min(columns, left + width + margin)),
    )


def pixels_of(part: tuple[slice, slice], side: int = TILE) -> tuple[slice, slice]:
    """Rows and columns of tiles as rows and columns of a picture in which a tile has that many px a side."""
    rows, columns = part
    return slice(rows.start * side, rows.stop * side), slice(columns.start * side, columns.stop * side)


def in_pixels(box: PixelBox, shape: tuple[int, ...]) -> PixelBox:
    """A box of tiles in px of a picture of that (height, width); at the last tile it goes on to the edge."""
    height, width = shape
    x1 = width if box.x1 == width // TILE else box.x1 * TILE
    y1 = height if box.y1 == height // TILE else box.y1 * TILE
    return PixelBox(box.x0 * TILE, box.y0 * TILE, x1, y1)
