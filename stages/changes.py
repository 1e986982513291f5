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

All of this must cost a fraction of decoding, which leaves most tiles of most frames untouched. So each frame is first held against the
one before it, eight pixels at a time; the rest is done only in the rectangle that holds what is not exactly the same.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, extent, pixels_of
from stages.grid import RULE, letters, strokes, tile_mean
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
_TOGETHER_MS: Final = 160.0
"""How long what has settled waits for what changed with it, so that a new slide is read at once: codecs finish some parts of it later.
It does not wait where it goes with the next frame."""
_MOVING_MS: Final = 480.0
"""How often a place that never rests is read."""
_MOVING_SHARE: Final = 0.25
"""The part of a moving place that must have waited that long."""
_FLUTTER_MS: Final = 200.0
"""Over how long it is judged whether a tile moves, rather than changes."""
_MOVES: Final = 0.4
"""Share of that time spent changing from frame to frame from which it moves."""
_CALM: Final = 0.001
"""Share from which on a tile has come to rest."""
_EVERY: Final = 2
"""Which rows of px tell whether a tile is exactly the same: reading memory is what it costs, and codecs change blocks of four."""
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
        self._noise = np.full((size[0] // 2, size[1] // 2), _NOISE, np.uint8)
        self._latest: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self._differs = np.zeros((size[0] // _EVERY, self.shape[1]), np.bool_)
        self._stirred = np.ones(self.shape, np.bool_)
        self._settled_on = np.zeros(size, np.uint8)
        self._known = np.zeros((_KNOWN, *size), np.uint8)
        self._readings = np.zeros(self.shape, np.int64)
        self._unread = np.zeros(self.shape, np.bool_)
        self._changing = np.zeros(self.shape, np.bool_)
        self._since = np.full(self.shape, -np.inf)
        self._waiting_since = np.full(self.shape, np.inf)
        self._flutter = np.zeros(self.shape)
        self._before = 0.0
        self._began = 0.0
        self._strokes = StandingStrokes(*self.shape)
        self._words = np.zeros(self.shape, np.bool_)
        self._pace = Pacing(self.shape, _NEIGHBOURHOOD)
        self._started = False

    def observe(self, luma: NDArray[np.uint8], now: float) -> Mask:
        """The tiles in which `luma`, (height, width), presented at `now`, differs from what they settled on; at first, all."""
        if not self._started:
            return np.ones(self.shape, np.bool_)
        cut = self._cut(luma)
        changed = np.zeros(self.shape, np.bool_)
        differs = self._differing(cut)
        part = extent(differs)
        if part is not None:
            pixels = pixels_of(part)
            changed[part] = self._changed(cut[pixels], self._settled_on[pixels])
            self._stirred |= differs
        self._words = np.zeros(self.shape, np.bool_)
        if changed.any():
            self._words = self._strokes.update(cut, now, self._stirred)
            self._stirred[:] = False
        self._changing = changed
        return changed

    def due(self, now: float) -> Mask:
        """What is to be read of the frame before the one that was observed last, which is presented at `now`."""
        ready = np.zeros(self.shape, np.bool_)
        part = extent(self._unread)
        if part is None:
            return ready
        unread, words, age = self._unread[part], self._words[part], now - self._since[part]
        settled = unread & (age >= _SETTLE_MS)
        moving = self.moving()[part]
        if not (settled.any() or moving.any()):
            return ready
        places, count = _places(unread)

        def tiles(mask: Mask) -> NDArray[np.int64]:
            return np.bincount(places[mask], minlength=count)

        every, calm = tiles(unread), tiles(settled)
        waiting = settled & (age >= _PATIENCE_MS)
        whole = (every == calm) | ((calm >= _MOSTLY * every) & (tiles(waiting) > 0))
        waited = tiles(moving & (now - self._waiting_since[part] >= np.maximum(_MOVING_MS, self._pace.rest_ms[part])))
        again = (waited > 0) & (waited >= _MOVING_SHARE * every)
        rested = self._pace.rested(now)[part]
        calmed = settled & whole[places] & rested
        coming = unread & ~settled & ~moving
        if coming.any() and calmed.any() and not (calmed & self._changing[part]).any() and age[calmed].max() < _TOGETHER_MS:
            calmed[:] = False
        ready[part] = calmed | (unread & again[places]) | (words & unread & rested)
        return ready

    def accept(self, luma: NDArray[np.uint8], changed: Mask, now: float) -> None:
        """Let the changed tiles start anew from this frame, presented at `now`."""
        weight = min(1.0, (now - self._before) / max(1.0, min(_FLUTTER_MS, now - self._began)))
        self._before = now
        self._began = self._began if self._started else now
        cut = self._cut(luma)
        if (part := extent(changed | (self._flutter > 0))) is not None:
            flutter, rested = self._flutter[part], now - self._since[part] >= _SETTLE_MS
            flutter += weight * np.where(rested, -flutter, np.where(changed[part], 1 - flutter, 0.0))
            flutter[rested & (flutter < _CALM)] = 0
        if (part := extent(changed)) is not None:
            here, pixels = changed[part], pixels_of(part)
            begins = here & ~self._unread[part]
            self._waiting_since[part][begins] = np.minimum(now, self._waiting_beside(part)[begins])
            self._since[part][here] = now
            self._unread[part] |= here
            _copy_tiles(cut[pixels], self._settled_on[pixels], here)
        self._latest = cut
        self._started = True

    def unknown(self, luma: NDArray[np.uint8], tiles: Mask) -> Mask:
        """Those of `tiles` that look like none of their last readings."""
        result = np.zeros_like(tiles)
        if (part := extent(tiles)) is None:
            return result
        pixels = pixels_of(part)
        picture = self._cut(luma)[pixels]
        tolerance = cv2.add(cv2.multiply(_reach(picture), _SAME_CONTRAST), _SAME_SHADE)
        left = tiles[part].copy()
        for plane in range(_KNOWN):
            difference = cv2.blur(cv2.absdiff(picture, self._known[plane][pixels]), (3, 3))
            other = np.asarray(cv2.compare(difference, tolerance, cv2.CMP_GT), np.uint8)
            left &= (tile_mean(other) > _SAME_SHARE) | (self._readings[part] <= plane)
        result[part] = left
        return result

    def mark_read(self, luma: NDArray[np.uint8], tiles: Mask, now: float, *, in_vain: bool) -> None:
        """Remember that `tiles` were read at `now`, as they are in `luma`; `in_vain` when the reader was asked and found nothing new."""
        if (part := extent(tiles)) is not None:
            pixels, turn = pixels_of(part), self._readings[part] % _KNOWN
            picture = self._cut(luma)[pixels]
            for plane in range(_KNOWN):
                _copy_tiles(picture, self._known[plane][pixels], tiles[part] & (turn == plane))
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

    def strokes(self, luma: NDArray[np.uint8], near: Mask) -> Mask:
        """The tiles in the rows of `near` that hold edges as letters have them and, where the picture moves, stand still."""
        edges = np.zeros(self.shape, np.bool_)
        if (part := extent(near)) is None:
            return edges
        rows = part[0]
        around = slice(max(0, rows.start - RULE), min(self.shape[0], rows.stop + RULE))
        found = strokes(self._cut(luma)[around.start * TILE : around.stop * TILE])
        moves = self._flutter[around] >= _MOVES
        if moves.any():
            found &= ~moves | letters(self._cut(luma)[around.start * TILE : around.stop * TILE])
        edges[rows] = found[rows.start - around.start : rows.stop - around.start]
        if self._words.any():
            edges &= (self._flutter < _MOVES) | self._strokes.standing() | self._words
        return edges

    def _waiting_beside(self, part: tuple[slice, slice]) -> NDArray[np.float64]:
        """Since when the longest waiting neighbour of each tile waits: what moves on takes its waiting along."""
        waiting = np.where(self._unread[part], self._waiting_since[part], np.inf)
        return np.asarray(cv2.erode(waiting, np.ones((3, 3), np.uint8)), np.float64)

    def _cut(self, luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
        cut = luma[: self.shape[0] * TILE, : self.shape[1] * TILE]
        return cut if cut.strides[1] == 1 else np.ascontiguousarray(cut)

    def _differing(self, cut: NDArray[np.uint8]) -> Mask:
        """The tiles that are not exactly what they were in the frame before: a row of a tile is one number of 8 bytes."""
        np.not_equal(cut[::_EVERY].view(np.uint64), self._latest[::_EVERY].view(np.uint64), out=self._differs)
        rows, columns = self.shape
        return np.asarray(self._differs.reshape(rows, TILE // _EVERY, columns).any(1))

    def _changed(self, picture: NDArray[np.uint8], settled_on: NDArray[np.uint8]) -> Mask:
        height, width = picture.shape
        half = cv2.resize(cv2.absdiff(picture, settled_on), (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        excess = np.asarray(cv2.subtract(half, self._noise[: height // 2, : width // 2]), np.uint8)
        return np.asarray(tile_mean(excess, halved=1) >= _CHANGED)


def _places(unread: Mask) -> tuple[NDArray[np.int32], int]:
    """The connected places of unread tiles, numbered from 0, one apart counting as connected; and how many numbers there are."""
    count, places = cv2.connectedComponents(cv2.dilate(unread.astype(np.uint8), np.ones((3, 3), np.uint8)), connectivity=8)
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
