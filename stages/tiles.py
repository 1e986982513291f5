"""Pictures as maps of tiles, and maps of tiles laid over pictures.

What OpenCV halves by vector instructions is the mean of a tile after three halvings. Most of what is asked of every frame is asked of its
first half size, which is a quarter of the memory.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask

__all__ = ["HALF", "by_tile", "copy_tiles", "halved", "in_a_row", "tile_mean"]

HALF: Final = TILE // 2
"""Side of a tile, px at half size: 4, whose rows are numbers of 32 bits."""
_HALVINGS: Final = 3
"""TILE is this power of 2."""
_ALL_BITS: Final = np.uint32(2**32 - 1)


def halved(luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The whole tiles of a picture, (height, width), at half size: each pixel the mean of four."""
    height, width = luma.shape[0] // TILE * TILE, luma.shape[1] // TILE * TILE
    whole = luma[:height, :width] if luma.strides[1] == 1 else np.ascontiguousarray(luma[:height, :width])
    return np.asarray(cv2.resize(whole, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)


def tile_mean(picture: NDArray[np.uint8], halvings: int = 0) -> NDArray[np.uint8]:
    """The mean of each tile of a picture that was halved so many times."""
    for _ in range(_HALVINGS - halvings):
        height, width = picture.shape
        picture = np.asarray(cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.uint8)
    return picture


def by_tile(half: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """A picture at half size as numbers, each a row of a tile: (rows, rows in a tile, columns); a view."""
    numbers: NDArray[np.uint32] = half.view(np.uint32).reshape(half.shape[0] // HALF, HALF, -1)
    return numbers


def copy_tiles(source: NDArray[np.uint8], target: NDArray[np.uint8], tiles: Mask) -> None:
    """Copy `tiles` of one picture at half size into another."""
    rows, columns = tiles.shape
    wide = np.empty((rows, HALF, columns), np.uint32)
    wide[:] = (tiles * _ALL_BITS)[:, None]
    cv2.copyTo(source, wide.view(np.uint8).reshape(source.shape), target)


def in_a_row(tiles: Mask | NDArray[np.uint8], length: int) -> Mask:
    """Those of `tiles` that have so many side by side."""
    run = np.ones((1, length), np.uint8)
    begun = cv2.erode(tiles.astype(np.uint8), run, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(cv2.dilate(begun, run, anchor=(length - 1, 0)), np.bool_)
