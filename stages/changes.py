"""Where the picture changed, and which of it deserves to be read.

Every frame is looked at, because a caption shown for 0.2 s is exactly what the product exists to keep; almost none is read, because
reading costs a hundred times what decoding does. A whole-frame similarity cannot decide: at .92 it misses two thirds of the texts of a
screencast, at .99 it fires on any motion. So the frame is a map of 8 px tiles, and each tile has its own history:

- it *changes* when it differs from what it last settled on, by more than compression does;
- it is *settled* when it has then stayed the same for 60 ms; what never rests that long is nothing a person could read either;
- it is *due* when its place has settled and is not yet read. Where a place does not settle, strokes that stand in it are due
  (`stages/standing.py`), and from time to time all of it;
- it is *known* when it looks as it did at one of its last readings: a cursor that passed, a caret that blinks, a menu that closed.

Places that are read again and again without result are read less and less often (`stages/pacing.py`).
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask
from stages.grid import strokes, tile_mean, tile_share
from stages.pacing import Pacing
from stages.standing import StandingStrokes

__all__ = ["ChangeMap"]

_SETTLE_MS: Final = 60.0
"""Two frames at 30 frames a second, one at 15: what rests this long can be read."""

_NOISE: Final = 6
"""Grey levels by which pixels of a still picture, at half size, may differ from one frame to the next."""
_CHANGED: Final = 2
"""Mean excess over `_NOISE` in a tile, grey levels, that is a change: a stroke of one letter, even a pale one."""
_SAME_SHADE: Final = np.full(1, 8.0)
_SAME_CONTRAST: Final = np.full(1, 0.3)
"""A pixel looks as it did when it differs by less than the first, plus this share of the contrast around it: compression blurs edges."""
_SAME_SHARE: Final = 8
"""Of 255: the share of a tile's pixels that may look different in a tile that looks the same (two of 64)."""
_PATIENCE_MS: Final = 250.0
_MOSTLY: Final = 0.75
"""How long a settled tile waits for its place to settle whole; then this share of it is enough: a cursor may be moving in it."""
_MOVING_MS: Final = 480.0
"""How often a place that never rests is read."""
_MOVING_SHARE: Final = 0.25
"""The part of a moving place that must have waited that long."""
_FLUTTER_MS: Final = 200.0
"""Over how long it is judged whether a tile moves, rather than changes."""
_MOVES: Final = 0.4
"""Share of that time spent changing from frame to frame from which it moves."""
_NEIGHBOURHOOD: Final = 6
"""Tiles around a reading that share its success."""
_KNOWN: Final = 3
"""Readings that each tile remembers."""


class ChangeMap:
    """The history of every tile of pictures of one size.

    For each frame, in order: `observe` it, read of the frame before what is `due` and say so with `mark_read`, then `accept` it.
    Times are ms. Pixels beyond the last whole tile are not looked at.
    """

    def __init__(self, height: int, width: int) -> None:
        self.shape = (height // TILE, width // TILE)
        size = (self.shape[0] * TILE, self.shape[1] * TILE)
        self._difference = np.zeros(size, np.uint8)
        self._half = np.zeros((size[0] // 2, size[1] // 2), np.uint8)
        self._noise = np.full_like(self._half, _NOISE)
        self._settled_on = np.zeros(size, np.uint8)
        self._known = np.zeros((_KNOWN, *size), np.uint8)
        self._readings = np.zeros(self.shape, np.int64)
        self._unread = np.zeros(self.shape, np.bool_)
        self._since = np.full(self.shape, -np.inf)
        self._waiting_since = np.full(self.shape, np.inf)
        self._flutter = np.zeros(self.shape)
        self._before = 0.0
        self._began = 0.0
        self._strokes = StandingStrokes(*self.shape, TILE)
        self._words = np.zeros(self.shape, np.bool_)
        self._pace = Pacing(self.shape, _NEIGHBOURHOOD)
        self._started = False

    def observe(self, luma: NDArray[np.uint8], now: float) -> Mask:
        """The tiles in which `luma`, (height, width), presented at `now`, differs from what they settled on; at first, all."""
        if not self._started:
            return np.ones(self.shape, np.bool_)
        cut = self._cut(luma)
        height, width = self._half.shape
        cv2.absdiff(cut, self._settled_on, dst=self._difference)
        cv2.resize(self._difference, (width, height), dst=self._half, interpolation=cv2.INTER_AREA)
        cv2.subtract(self._half, self._noise, dst=self._half)
        changed = np.asarray(tile_mean(self._half, halved=1) >= _CHANGED)
        self._words = self._strokes.update(cut, now) if changed.any() else np.zeros(self.shape, np.bool_)
        return changed

    def due(self, now: float) -> Mask:
        """What is to be read of the frame before the one that was observed last, which is presented at `now`."""
        settled = self._unread & (now - self._since >= _SETTLE_MS)
        moving = self.moving()
        if not (settled.any() or moving.any()):
            return settled
        places, count = self._places()

        def tiles(mask: Mask) -> NDArray[np.int64]:
            return np.bincount(places[mask], minlength=count)

        unread = tiles(self._unread)
        waiting = settled & (now - self._since >= _PATIENCE_MS)
        whole = (unread == tiles(settled)) | ((tiles(settled) >= _MOSTLY * unread) & (tiles(waiting) > 0))
        waited = moving & (now - self._waiting_since >= np.maximum(_MOVING_MS, self._pace.rest_ms))
        again = (tiles(waited) > 0) & (tiles(waited) >= _MOVING_SHARE * unread)
        words = self._words & self._unread & self._pace.rested(now)
        ready: Mask = (settled & whole[places] & self._pace.rested(now)) | (self._unread & again[places]) | words
        return ready

    def accept(self, luma: NDArray[np.uint8], changed: Mask, now: float) -> None:
        """Let the changed tiles start anew from this frame, presented at `now`."""
        rested = now - self._since >= _SETTLE_MS
        weight = min(1.0, (now - self._before) / max(1.0, min(_FLUTTER_MS, now - self._began)))
        self._flutter += weight * np.where(rested, -self._flutter, np.where(changed, 1 - self._flutter, 0.0))
        self._before = now
        self._began = self._began if self._started else now
        if changed.any():
            self._waiting_since[changed & ~self._unread] = now
            self._since[changed] = now
            self._unread |= changed
            _copy_tiles(self._cut(luma), self._settled_on, changed)
        self._started = True

    def unknown(self, luma: NDArray[np.uint8], tiles: Mask) -> Mask:
        """Those of `tiles` that look like none of their last readings."""
        rows, columns = _extent(tiles)
        part = tiles[rows, columns]
        pixels = (slice(rows.start * TILE, rows.stop * TILE), slice(columns.start * TILE, columns.stop * TILE))
        picture = self._cut(luma)[pixels]
        tolerance = cv2.add(cv2.multiply(_reach(picture), _SAME_CONTRAST), _SAME_SHADE)
        left = part.copy()
        for plane in range(_KNOWN):
            difference = cv2.blur(cv2.absdiff(picture, np.ascontiguousarray(self._known[plane][pixels])), (3, 3))
            left &= (tile_share(difference > tolerance) > _SAME_SHARE) | (self._readings[rows, columns] <= plane)
        result = np.zeros_like(tiles)
        result[rows, columns] = left
        return result

    def mark_read(self, luma: NDArray[np.uint8], tiles: Mask, now: float, *, in_vain: bool) -> None:
        """Remember that `tiles` were read at `now`, as they are in `luma`; `in_vain` when the reader was asked and found nothing new."""
        picture = self._cut(luma)
        for plane in range(_KNOWN):
            _copy_tiles(picture, self._known[plane], tiles & (self._readings % _KNOWN == plane))
        self._readings[tiles] += 1
        self._unread &= ~tiles
        self._strokes.mark_read(tiles)
        self._pace.was_read(tiles, now, in_vain=in_vain)

    def since(self, tiles: Mask) -> int:
        """When the first of `tiles` came to look as it does, ms."""
        return int(self._since[tiles].min())

    def moving(self) -> Mask:
        """The tiles that change from frame to frame."""
        moves: Mask = self._unread & (self._flutter >= _MOVES)
        return moves

    def strokes(self, luma: NDArray[np.uint8]) -> Mask:
        """The tiles that hold edges as letters have them and, where the picture moves, stand still."""
        edges = strokes(self._cut(luma))
        if self._words.any():
            edges &= (self._flutter < _MOVES) | self._strokes.standing() | self._words
        return edges

    def _cut(self, luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.ascontiguousarray(luma[: self.shape[0] * TILE, : self.shape[1] * TILE])

    def _places(self) -> tuple[NDArray[np.int32], int]:
        """The connected places of unread tiles, numbered from 0, one apart counting as connected; and how many numbers there are."""
        joined = cv2.dilate(self._unread.astype(np.uint8), np.ones((3, 3), np.uint8))
        count, places = cv2.connectedComponents(joined, connectivity=8)
        return np.asarray(places, np.int32), count


def _copy_tiles(source: NDArray[np.uint8], target: NDArray[np.uint8], tiles: Mask) -> None:
    """Copy `tiles` of one picture into another."""
    if 2 * tiles.sum() > tiles.size:
        kept = target.copy()
        target[:] = source
        source, tiles = kept, ~tiles
    _tiles(target)[tiles] = _tiles(source)[tiles]


def _tiles(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A view of a whole number of tiles, (rows, columns, TILE, TILE)."""
    height, width = picture.shape
    return picture.reshape(height // TILE, TILE, width // TILE, TILE).swapaxes(1, 2)


def _reach(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The contrast around each pixel: lightest less darkest, in a square as large as a tile."""
    return np.asarray(cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((TILE, TILE), np.uint8)), np.uint8)


def _extent(tiles: Mask) -> tuple[slice, slice]:
    """The rows and columns that hold all of `tiles` (at least one)."""
    rows, columns = np.flatnonzero(tiles.any(1)), np.flatnonzero(tiles.any(0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
