"""Where the picture changed, and which of it deserves to be read.

Every frame is looked at, because a caption shown for 0.2 s is exactly what the product exists to keep; almost none is read, because
reading costs a hundred times what decoding does. A whole-frame similarity cannot decide: at .92 it misses two thirds of the texts of a
screencast, at .99 it fires on any motion. So the frame is a map of 8 px tiles, and each tile has its own history:

- it *changes* when it differs from what it last settled on, by more than compression does;
- it is *settled* when it has then stayed the same for 60 ms; what never rests that long is nothing a person could read either;
- it is *due* when its place has settled and is not yet read. Where a place does not settle, strokes that stand in it are due
  (`stages/standing.py`), and from time to time all of it;
- it is *known* when it looks as it did at one of its last readings: a cursor that passed, a caret that blinks, a menu that closed.

Places that are read again and again without result are read less and less often (`stages/pacing.py`). Where such a place is restless,
what stops for a moment only is not read, and what moves only where it looks like letters; words that stand in it are.

All of this must cost a fraction of decoding, which leaves most tiles of most frames untouched. So each frame is first held against the
one before it, eight pixels at a time; the rest is done only in the rectangle that holds what is not exactly the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, extent, pixels_of
from stages.grid import RULE, in_a_row, letters, strokes, tile_mean
from stages.pacing import Pacing, Restless
from stages.standing import StandingStrokes

__all__ = ["ChangeMap", "Result"]

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
_LASTING_MS: Final = 480.0
"""The same in a restless place where there was nothing to read: what moves there stops for a moment again and again."""
_STAYING_MS: Final = 1000.0
"""What stays this long is read, however often its place was read in vain."""
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
_LIVELY: Final = 0.2
"""Share from which strokes that stand still in it are followed: elsewhere the picture settles."""
_CALM: Final = 0.001
"""Share from which on a tile has come to rest."""
_LEAST_REST_MS: Final = 960.0
"""How long a restless place rests at least when it was read in vain."""
_APART_MS: Final = 100.0
_WORD: Final = 4
"""How far apart readings are at least, unless what goes with the next frame is as many tiles in a row as a word takes."""
_NEIGHBOURHOOD: Final = 6
"""Tiles around a reading that share its success."""
_KNOWN: Final = 3
"""Readings that each tile remembers."""


class Result(NamedTuple):
    """What came of reading some tiles: those that the reader searched, where it found something new, where lines stand that are known."""

    searched: Mask
    found: Mask
    known: Mask


class ChangeMap:
    """The history of every tile of pictures of one size.

    For each frame, in order: `observe` it, read of the frame before what is `due` and say so with `mark_read`, then `accept` it.
    Times are ms. Pixels beyond the last whole tile are not looked at.
    """

    def __init__(self, height: int, width: int) -> None:
        self.shape = (height // TILE, width // TILE)
        size = (self.shape[0] * TILE, self.shape[1] * TILE)
        self._nothing = np.zeros(self.shape, np.bool_)
        self._nothing.flags.writeable = False
        self._noise = np.full((size[0] // 2, size[1] // 2), _NOISE, np.uint8)
        self._latest: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self._differs = np.zeros((size[0], self.shape[1]), np.bool_)
        self._stirred = np.ones(self.shape, np.bool_)
        self._settled_on = np.zeros(size, np.uint8)
        self._known = np.zeros((_KNOWN, *size), np.uint8)
        self._readings = np.zeros(self.shape, np.int64)
        self._unread = np.zeros(self.shape, np.bool_)
        self._changing = np.zeros(self.shape, np.bool_)
        self._since = np.full(self.shape, -np.inf)
        self._waits = False
        self._read_at = -np.inf
        self._waiting_since = np.full(self.shape, np.inf)
        self._flutter = np.zeros(self.shape)
        self._flutters = False
        self._before = 0.0
        self._began = 0.0
        self._strokes = StandingStrokes(*self.shape)
        self._words = np.zeros(self.shape, np.bool_)
        self._restless = Restless(self.shape)
        self._pace = Pacing(self.shape, _NEIGHBOURHOOD)
        self._wide_pace = Pacing(self.shape, _NEIGHBOURHOOD, _LEAST_REST_MS)
        self._started = False

    def observe(self, luma: NDArray[np.uint8], now: float) -> Mask:
        """The tiles in which `luma`, (height, width), presented at `now`, differs from what they settled on; at first, all."""
        if not self._started:
            return np.ones(self.shape, np.bool_)
        cut = self._cut(luma)
        changed = self._words = self._nothing
        if (differs := self._differing(cut)) is not None and (part := extent(differs)) is not None:
            pixels = pixels_of(part)
            changed = np.zeros(self.shape, np.bool_)
            changed[part] = self._changed(cut[pixels], self._settled_on[pixels])
            self._stirred |= differs
        if self._flutters and changed.any():
            lively = self._lively()
            self._words = self._strokes.update(cut, now, self._stirred & lively)
            self._stirred &= ~lively
        self._changing = changed
        return changed

    def due(self, now: float, *, last: bool = False) -> Mask:
        """What is to be read of the frame before the one that was observed last, which is presented at `now`; or of the `last` frame."""
        if not self._waits or (part := extent(self._unread)) is None:
            return self._nothing
        unread, words, age = self._unread[part], self._words[part], now - self._since[part]
        restless, moving = self._bustle(now)[part], self.moving()[part]
        settled, stays = unread & (age >= _SETTLE_MS), unread & (age >= _LASTING_MS)
        if not (settled.any() or moving.any() or words.any()):
            return self._nothing
        places, count = _places(unread)

        def tiles(mask: Mask) -> NDArray[np.int64]:
            return np.bincount(places[mask], minlength=count)

        every = tiles(unread)
        still = (tiles(stays) >= _MOSTLY * every)[places]
        bustle = restless & ~still
        settled &= ~bustle
        calm = tiles(settled | (unread & bustle))
        waiting = settled & (age >= _PATIENCE_MS)
        whole = (every == calm) | ((calm >= _MOSTLY * every) & (tiles(waiting) > 0))
        rest = np.maximum(self._pace.rest_ms[part], np.where(restless, self._wide_pace.rest_ms[part], 0.0))
        waited = tiles(moving & (now - self._waiting_since[part] >= np.maximum(_MOVING_MS, rest)))
        again = (waited > 0) & (waited >= _MOVING_SHARE * every)
        rested = self._pace.rested(now, part)
        may_be_read = ~restless | self._wide_pace.rested(now, part)
        calmed = settled & whole[places] & (rested & may_be_read | still & (age >= _STAYING_MS))
        coming = unread & ~settled & ~moving & ~bustle
        if coming.any() and calmed.any() and not (calmed & self._changing[part]).any() and age[calmed].max() < _TOGETHER_MS:
            calmed[:] = False
        wanted = calmed | (unread & again[places]) | (words & unread & rested)
        if now - self._read_at < _APART_MS and not (last or in_a_row(wanted & self._changing[part], _WORD).any()):
            return self._nothing
        ready = np.zeros(self.shape, np.bool_)
        ready[part] = wanted
        return ready

    def accept(self, luma: NDArray[np.uint8], changed: Mask, now: float) -> None:
        """Let the changed tiles start anew from this frame, presented at `now`."""
        if not self._started:
            self._began = self._before = now
        passed, self._before = now - self._before, now
        cut, part = self._cut(luma), extent(changed)
        if part is not None or self._flutters:
            self._follow_flutter(changed, now, min(1.0, passed / max(1.0, min(_FLUTTER_MS, now - self._began))))
        if part is not None:
            self._waits = True
            self._restless.changed(changed, now, passed)
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

    def mark_read(self, luma: NDArray[np.uint8], tiles: Mask, now: float, result: Result) -> None:
        """Remember that `tiles` were read at `now`, as they are in `luma`, with that result."""
        if (part := extent(tiles)) is not None:
            pixels, turn = pixels_of(part), self._readings[part] % _KNOWN
            picture = self._cut(luma)[pixels]
            for plane in range(_KNOWN):
                _copy_tiles(picture, self._known[plane][pixels], tiles[part] & (turn == plane))
        self._readings[tiles] += 1
        self._unread &= ~tiles
        self._waits = bool(self._unread.any())
        self._strokes.mark_read(tiles)
        self._read_at = now
        news, text = self._pace.near(result.found), self._restless.around(result.found | result.known, now)
        self._pace.was_read(self._pace.near(result.searched) & ~news, now, in_vain=True)
        self._pace.was_read(news, now, in_vain=False)
        around = self._pace.near(result.searched) | self._restless.around(result.searched, now)
        self._wide_pace.was_read(around & ~news & ~text, now, in_vain=True)
        self._wide_pace.was_read(news | text, now, in_vain=False)

    def since(self, tiles: Mask) -> int:
        """When the first of `tiles` came to look as it does, ms."""
        return int(self._since[tiles].min())

    def moving(self) -> Mask:
        """The tiles that change from frame to frame."""
        moves: Mask = self._unread & (self._flutter >= _MOVES)
        return moves

    def _lively(self) -> Mask:
        """The tiles that change more often than a picture does that is replaced by another, with those beside them."""
        return np.asarray(cv2.dilate((self._flutter >= _LIVELY).astype(np.uint8), np.ones((5, 5), np.uint8)), np.bool_)

    def _bustle(self, now: float) -> Mask:
        """The tiles that are restless, and of which it is known that they hold no text."""
        if not self._wide_pace.rest_ms.any():
            return self._nothing
        bustle: Mask = self._restless.tiles(now) & (self._wide_pace.rest_ms > 0)
        return bustle

    def strokes(self, luma: NDArray[np.uint8], near: Mask) -> Mask:
        """The tiles in the rows of `near` that hold edges as letters have them and, where the picture moves, stand still."""
        edges = np.zeros(self.shape, np.bool_)
        if (part := extent(near)) is None:
            return edges
        rows = part[0]
        around = slice(max(0, rows.start - RULE), min(self.shape[0], rows.stop + RULE))
        found = strokes(self._cut(luma)[around.start * TILE : around.stop * TILE])
        passing = self._bustle(self._before) & (self._before - self._since < _LASTING_MS)
        moves = (self._flutter[around] >= _MOVES) | passing[around]
        if moves.any():
            found &= ~moves | letters(self._cut(luma)[around.start * TILE : around.stop * TILE])
        edges[rows] = found[rows.start - around.start : rows.stop - around.start]
        if self._words.any():
            edges &= (self._flutter < _MOVES) | self._strokes.standing() | self._words
        return edges

    def _follow_flutter(self, changed: Mask, now: float, weight: float) -> None:
        self._flutters = False
        if (part := extent(changed | (self._flutter > 0))) is not None:
            flutter, rested = self._flutter[part], now - self._since[part] >= _SETTLE_MS
            flutter += weight * np.where(rested, -flutter, np.where(changed[part], 1 - flutter, 0.0))
            flutter[rested & (flutter < _CALM)] = 0
            self._flutters = bool(flutter.any())

    def _waiting_beside(self, part: tuple[slice, slice]) -> NDArray[np.float64]:
        """Since when the longest waiting neighbour of each tile waits: what moves on takes its waiting along."""
        waiting = np.where(self._unread[part], self._waiting_since[part], np.inf)
        return np.asarray(cv2.erode(waiting, np.ones((3, 3), np.uint8)), np.float64)

    def _cut(self, luma: NDArray[np.uint8]) -> NDArray[np.uint8]:
        cut = luma[: self.shape[0] * TILE, : self.shape[1] * TILE]
        return cut if cut.strides[1] == 1 else np.ascontiguousarray(cut)

    def _differing(self, cut: NDArray[np.uint8]) -> Mask | None:
        """The tiles that are not exactly what they were in the frame before, None where all are; a row of a tile is a number of 8 bytes."""
        np.not_equal(cut.view(np.uint64), self._latest.view(np.uint64), out=self._differs)
        if not self._differs.any():
            return None
        rows, columns = self.shape
        return np.asarray(self._differs.reshape(rows, TILE, columns).any(1))

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
    height, width = source.shape
    here = cv2.resize(tiles.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
    cv2.copyTo(source, here, target)


def _reach(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The contrast around each pixel: lightest less darkest, in a square as large as a tile."""
    return np.asarray(cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((TILE, TILE), np.uint8)), np.uint8)
