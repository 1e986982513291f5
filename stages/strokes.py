"""Where a picture has edges as letters have them.

Over camera footage there are always some tiles that have just come to rest, all over the picture, and almost never one with a stroke in it;
to look for strokes in all of the picture for their sake costs more than decoding it. So a few scattered tiles can be asked for first, one
by one: those answers may be too many, never too few.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask
from stages.tiles import in_a_row, tile_mean

__all__ = ["RULE", "letters", "may_hold_letters", "may_hold_strokes", "strokes"]

_STROKE: Final = 16
"""Grey levels between a pixel and its neighbours at the edge of a letter, even of a pale one."""
_STROKE_SHARE: Final = 16
"""Of 255: the share of such pixels in a tile that may hold part of a letter is more than this (four of 64)."""
_LETTER: Final = 24
_LETTER_SHARE: Final = 8
"""The same for a letter in a picture that moves, where pale ones cannot be told from the rest (two pixels of 64)."""
_WORD: Final = 3
"""Tiles in a row that a word takes at least."""
RULE: Final = 16
"""Tiles in a row from which an edge is a border or a rule, and no part of a letter."""


def strokes(luma: NDArray[np.uint8]) -> Mask:
    """The tiles of a picture, (height, width) in whole tiles, that hold edges as letters have them; long straight lines are none."""
    across, down = np.zeros((2, *luma.shape), np.uint8)
    cv2.absdiff(luma[:, :-2], luma[:, 2:], dst=across[:, 1:-1])
    cv2.absdiff(luma[:-2], luma[2:], dst=down[1:-1])
    upright, level = (_has(edges, _STROKE, _STROKE_SHARE) for edges in (across, down))
    rules = _long(level & ~upright, (1, RULE)) | _long(upright & ~level, (RULE, 1))
    found: Mask = (upright | level) & ~rules
    return found


def letters(luma: NDArray[np.uint8]) -> Mask:
    """The tiles that have, in them or beside them, edges to the lighter and to the darker, as many in a row as a word takes.

    A letter has both within its own width; the outline of a head, a fold of a curtain has one. Meant for pictures that move.
    """
    both = np.ones((luma.shape[0] // TILE, luma.shape[1] // TILE), np.uint8)
    edges = np.zeros(luma.shape, np.uint8)
    for one, other in ((luma[:, :-2], luma[:, 2:]), (luma[:, 2:], luma[:, :-2])):
        cv2.subtract(other, one, dst=edges[:, 1:-1])
        both &= cv2.dilate(_has(edges, _LETTER, _LETTER_SHARE).astype(np.uint8), np.ones((1, 3), np.uint8))
    return in_a_row(both, _WORD)


def may_hold_strokes(luma: NDArray[np.uint8], tiles: Mask) -> Mask:
    """Those of `tiles` that `strokes` may find, and perhaps others."""
    around = _cut_out(luma, tiles, aside=1, above=1)
    across = _difference(around[:, 1:-1, :-2], around[:, 1:-1, 2:]) >= _STROKE
    down = _difference(around[:, :-2, 1:-1], around[:, 2:, 1:-1]) >= _STROKE
    return _those(tiles, np.maximum(across.sum((1, 2)), down.sum((1, 2))) > _pixels(_STROKE_SHARE))


def may_hold_letters(luma: NDArray[np.uint8], tiles: Mask) -> Mask:
    """Those of `tiles` that `letters` may find, and perhaps others."""
    around = _cut_out(luma, tiles, aside=_WORD * TILE + 1, above=0).astype(np.int16)
    rise = around[:, :, 2:] - around[:, :, :-2]
    both = np.ones((len(rise), 2 * _WORD - 1), np.bool_)
    for edges in (rise >= _LETTER, rise <= -_LETTER):
        has = edges.reshape(len(rise), TILE, 2 * _WORD + 1, TILE).sum((1, 3)) > _pixels(_LETTER_SHARE)
        both &= has[:, :-2] | has[:, 1:-1] | has[:, 2:]
    return _those(tiles, np.asarray((both[:, :-2] & both[:, 1:-1] & both[:, 2:]).any(1)))


def _pixels(share: int) -> int:
    """A share of a tile's pixels, of 255, as their number; one less, for what rounding may add."""
    return share * TILE * TILE // 255 - 1


def _cut_out(luma: NDArray[np.uint8], tiles: Mask, *, aside: int, above: int) -> NDArray[np.uint8]:
    """Each tile with a margin, px; beyond the picture its last px again."""
    rows, columns = np.nonzero(tiles)
    y = np.clip(TILE * rows[:, None] + np.arange(-above, TILE + above), 0, luma.shape[0] - 1)
    x = np.clip(TILE * columns[:, None] + np.arange(-aside, TILE + aside), 0, luma.shape[1] - 1)
    return np.asarray(luma[y[:, :, None], x[:, None, :]])


def _difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.maximum(one, other) - np.minimum(one, other)


def _those(tiles: Mask, hold: NDArray[np.bool_]) -> Mask:
    found = np.zeros_like(tiles)
    found[tiles] = hold
    return found


def _has(edges: NDArray[np.uint8], level: int, share: int) -> Mask:
    """The tiles of which more than that share, of 255, has that level or more. Uses `edges` up."""
    cv2.threshold(edges, level - 1, 255, cv2.THRESH_BINARY, dst=edges)
    return np.asarray(tile_mean(edges) > share)


def _long(tiles: Mask, run: tuple[int, int]) -> Mask:
    """Those of `tiles` that lie in an unbroken run of (rows, columns)."""
    return np.asarray(cv2.morphologyEx(tiles.astype(np.uint8), cv2.MORPH_OPEN, np.ones(run, np.uint8)), np.bool_)
