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

All of this must cost a fraction of decoding, which leaves most tiles of most frames untouched. So a frame is compared at half size, where
each pixel is the mean of four: a quarter of the memory, and no stroke falls through. It is first held against the one before it, a row of
a tile at a time; the rest is done only in the rectangle that holds what is not exactly the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, extent, pixels_of
from stages.pacing import LONG_AGO, Pacing, Restless
from stages.standing import StandingStrokes
from stages.strokes import RULE, letters, may_hold_letters, may_hold_strokes, strokes
from stages.tiles import HALF, by_tile, copy_tiles, in_a_row, tile_mean

__all__ = ["ChangeMap", "Result"]

_SETTLE_MS: Final = 60
"""Two frames at 30 frames a second, one at 15: what rests this long can be read."""

_NOISE: Final = np.full(1, 6.0)
"""Grey levels by which pixels of a still picture, at half size, may differ from one frame to the next."""
_CHANGED: Final = 2
"""Mean excess over `_NOISE` in a tile, grey levels, that is a change: a stroke of one letter, even a pale one."""
_SAME_SHADE: Final = np.full(1, 8.0)
_SAME_CONTRAST: Final = np.full(1, 0.3)
"""A pixel looks as it did when it differs by less than the first, plus this share of the contrast around it: compression blurs edges."""
_SAME_SHARE: Final = 8
"""Of 255: the share of a tile's pixels that may look different in a tile that looks the same (two of 64)."""
_LASTING_MS: Final = 480
"""The same in a restless place where there was nothing to read: what moves there stops for a moment again and again."""
_STAYING_MS: Final = 1000
"""What stays this long is read, however often its place was read in vain."""
_PATIENCE_MS: Final = 250
_MOSTLY: Final = 0.75
"""How long a settled tile waits for its place to settle whole; then this share of it is enough: a cursor may be moving in it. It is enough
at once where as much goes with the next frame."""
_TOGETHER_MS: Final = 160
"""How long what has settled waits for what changed with it, so that a new slide is read at once: codecs finish some parts of it later.
It does not wait where it goes with the next frame."""
_MOVING_MS: Final = 480
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
_LEAST_REST_MS: Final = 960
"""How long a restless place rests at least when it was read in vain."""
_APART_MS: Final = 100
_WORD: Final = 4
"""How far apart readings are at least, unless what goes with the next frame is as many tiles in a row as a word takes."""
_NEIGHBOURHOOD: Final = 6
"""Tiles around a reading that share its success."""
_KNOWN: Final = 3
"""Readings that each tile remembers."""
_FEW: Final = 2000
"""Tiles up to which it is cheaper to look at each of them first, than for strokes in the whole rows in which they are."""


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
        size = (self.shape[0] * HALF, self.shape[1] * HALF)
        self._nothing = np.zeros(self.shape, np.bool_)
        self._nothing.flags.writeable = False
        self._latest: NDArray[np.uint8] = np.zeros(size, np.uint8)
        self._differs = np.zeros((self.shape[0], HALF, self.shape[1]), np.bool_)
        self._stirred = np.ones(self.shape, np.bool_)
        self._settled_on = np.zeros(size, np.uint8)
        self._known = np.zeros((_KNOWN, self.shape[0], HALF, self.shape[1]), np.uint32)
        self._readings = np.zeros(self.shape, np.int32)
        self._unread = np.zeros(self.shape, np.bool_)
        self._changing = self._nothing
        self._since = np.full(self.shape, LONG_AGO, np.int32)
        self._waits = False
        self._read_at = -np.inf
        self._waiting_since = np.full(self.shape, np.inf)
        self._flutter = np.zeros(self.shape, np.float32)
        self._flutters = False
        self._before = 0.0
        self._began = 0.0
        self._strokes = StandingStrokes(*self.shape)
        self._words = np.zeros(self.shape, np.bool_)
        self._restless = Restless(self.shape)
        self._pace = Pacing(self.shape, _NEIGHBOURHOOD)
        self._wide_pace = Pacing(self.shape, _NEIGHBOURHOOD, _LEAST_REST_MS)
        self._started = False

    def observe(self, half: NDArray[np.uint8], now: float) -> Mask:
        """The tiles in which the picture, (height, width) at half size, presented at `now`, differs from what they settled on; at first,
        all."""
        if not self._started:
            return np.ones(self.shape, np.bool_)
        changed = self._words = self._nothing
        if (differs := self._differing(half)) is not None and (part := extent(differs)) is not None:
            pixels = pixels_of(part, HALF)
            changed = np.zeros(self.shape, np.bool_)
            changed[part] = self._changed(half[pixels], self._settled_on[pixels])
            self._stirred |= differs
        if self._flutters and changed.any():
            lively = self._lively()
            self._words = self._strokes.update(half, now, self._stirred & lively)
            self._stirred &= ~lively
        self._changing = changed
        return changed

    def due(self, now: float, *, last: bool = False) -> Mask:
        """What is to be read of the frame before the one that was observed last, which is presented at `now`; or of the `last` frame."""
        if not self._waits or (part := extent(self._unread)) is None:
            return self._nothing
        now = int(now)
        unread, words, age = self._unread[part], self._words[part], now - self._since[part]
        settled, moving = unread & (age >= _SETTLE_MS), unread & (self._flutter[part] >= _MOVES)
        if not (settled.any() or moving.any() or words.any()):
            return self._nothing
        restless = self._bustle(now)[part]
        rest = np.maximum(self._pace.rest_ms[part], self._wide_pace.rest_ms[part] * restless)
        waited = moving & (now - self._waiting_since[part] >= np.maximum(_MOVING_MS, rest))
        places, count = _places(unread)

        def tiles(mask: Mask) -> NDArray[np.int64]:
            return np.bincount(places[mask], minlength=count)

        every = tiles(unread)
        again = np.zeros(count, np.bool_)
        if waited.any():
            share = tiles(waited)
            again = (share > 0) & (share >= _MOVING_SHARE * every)
        soon = not last and now - self._read_at < _APART_MS
        if soon and not in_a_row((settled | words | (unread & again[places])) & self._changing[part], _WORD).any():
            return self._nothing
        stays = unread & (age >= _LASTING_MS)
        still = (tiles(stays) >= _MOSTLY * every)[places]
        bustle = restless & ~still
        settled &= ~bustle
        calm = tiles(settled | (unread & bustle))
        waiting, going = settled & (age >= _PATIENCE_MS), settled & self._changing[part]
        whole = (every == calm) | ((calm >= _MOSTLY * every) & ((tiles(waiting) > 0) | (tiles(going) >= _MOSTLY * every)))
        rested = self._pace.rested(now, part)
        may_be_read = ~restless | self._wide_pace.rested(now, part)
        calmed = settled & whole[places] & (rested & may_be_read | still & (age >= _STAYING_MS))
        coming = unread & ~settled & ~moving & ~bustle
        if coming.any() and calmed.any() and not (calmed & self._changing[part]).any() and age[calmed].max() < _TOGETHER_MS:
            calmed[:] = False
        wanted = calmed | (unread & again[places]) | (words & unread & rested)
        if soon and not in_a_row(wanted & self._changing[part], _WORD).any():
            return self._nothing
        ready = np.zeros(self.shape, np.bool_)
        ready[part] = wanted
        return ready

    def accept(self, half: NDArray[np.uint8], changed: Mask, now: float) -> None:
        """Let the changed tiles start anew from this frame, presented at `now`."""
        now = int(now)
        if not self._started:
            self._began = self._before = now
        passed, self._before = now - self._before, now
        part = extent(changed)
        if part is not None or self._flutters:
            self._follow_flutter(changed, now, min(1.0, passed / max(1.0, min(_FLUTTER_MS, now - self._began))))
        if part is not None:
            self._waits = True
            self._restless.changed(changed, now, passed)
            here, pixels = changed[part], pixels_of(part, HALF)
            begins = here & ~self._unread[part]
            if begins.any():
                self._waiting_since[part][begins] = np.minimum(now, self._waiting_beside(part)[begins])
            self._since[part][here] = now
            self._unread[part] |= here
            copy_tiles(half[pixels], self._settled_on[pixels], here)
        self._latest = half
        self._started = True

    def unknown(self, half: NDArray[np.uint8], tiles: Mask) -> Mask:
        """Those of `tiles` that look like none of their last readings."""
        result = np.zeros_like(tiles)
        if (part := extent(tiles)) is None:
            return result
        pixels = pixels_of(part, HALF)
        picture = half[pixels]
        tolerance = cv2.add(cv2.multiply(_reach(picture), _SAME_CONTRAST), _SAME_SHADE)
        left = tiles[part].copy()
        for plane in range(min(_KNOWN, int(self._readings[part].max()))):
            known = self._known[plane].view(np.uint8).reshape(half.shape)[pixels]
            other = np.asarray(cv2.compare(cv2.absdiff(picture, known), tolerance, cv2.CMP_GT), np.uint8)
            left &= (tile_mean(other, halvings=1) > _SAME_SHARE) | (self._readings[part] <= plane)
        result[part] = left
        return result

    def mark_read(self, half: NDArray[np.uint8], tiles: Mask, now: float, result: Result) -> None:
        """Remember that `tiles` were read at `now`, as they are in the picture at half size, with that result."""
        rows, columns = np.nonzero(tiles)
        self._known[self._readings[tiles] % _KNOWN, rows, :, columns] = by_tile(half)[rows, :, columns]
        self._readings[tiles] += 1
        self._unread &= ~tiles
        self._waits = bool(self._unread.any())
        self._strokes.mark_read(tiles)
        self._read_at = now
        if not any(place.any() for place in result):
            return
        news, text = self._pace.near(result.found), self._restless.around(result.found | result.known, now)
        near = self._pace.near(result.searched)
        self._pace.was_read(near & ~news, now, in_vain=True)
        self._pace.was_read(news, now, in_vain=False)
        self._wide_pace.was_read((near | self._restless.around(result.searched, now)) & ~news & ~text, now, in_vain=True)
        self._wide_pace.was_read(news | text, now, in_vain=False)

    def since(self, tiles: Mask) -> int:
        """When the first of `tiles` came to look as it does, ms."""
        return int(self._since[tiles].min())

    def rests_since(self, tiles: Mask, ms: int) -> bool:
        """Whether none of `tiles` has changed after that."""
        return not (self._since[tiles] > ms).any()

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
        """The tiles in the rows of `near` that hold edges as letters have them and, where the picture moves, stand still. `luma` is the
        whole picture, (height, width)."""
        edges = np.zeros(self.shape, np.bool_)
        if (part := extent(near)) is None:
            return edges
        rows = part[0]
        around = slice(max(0, rows.start - RULE), min(self.shape[0], rows.stop + RULE))
        picture, moves = luma[around.start * TILE : around.stop * TILE, : self.shape[1] * TILE], self._passing()[around]
        found = strokes(picture)
        if moves.any():
            found &= ~moves | letters(picture)
        edges[rows] = found[rows.start - around.start : rows.stop - around.start]
        return edges & self._standing()

    def may_hold_text(self, luma: NDArray[np.uint8], tiles: Mask) -> Mask:
        """Those of `tiles` that `strokes` may find, if they are few; else all of them."""
        tiles = tiles & self._standing()
        if np.count_nonzero(tiles) > _FEW:
            return tiles
        moves, cut = self._passing(), luma[: self.shape[0] * TILE, : self.shape[1] * TILE]
        tiles = may_hold_strokes(cut, tiles)
        return (tiles & ~moves) | may_hold_letters(cut, tiles & moves)

    def _passing(self) -> Mask:
        """The tiles that move, or stop only for a moment in a place that moves."""
        passing: Mask = self._bustle(self._before) & (int(self._before) - self._since < _LASTING_MS)
        return passing | (self._flutter >= _MOVES)

    def _standing(self) -> Mask:
        """The tiles in which something can stand that is read: where words came to stand, not what moves behind them."""
        if not self._words.any():
            return ~self._nothing
        standing: Mask = (self._flutter < _MOVES) | self._strokes.standing() | self._words
        return standing

    def _follow_flutter(self, changed: Mask, now: float, weight: float) -> None:
        self._flutters = False
        if (part := extent(changed | (self._flutter > 0))) is not None:
            flutter, here, rested = self._flutter[part], changed[part], now - self._since[part] >= _SETTLE_MS
            flutter += np.float32(weight) * (here | rested) * ((here & ~rested) - flutter)
            flutter *= ~(rested & (flutter < _CALM))
            self._flutters = bool(flutter.any())

    def _waiting_beside(self, part: tuple[slice, slice]) -> NDArray[np.float64]:
        """Since when the longest waiting neighbour of each tile waits: what moves on takes its waiting along."""
        waiting = np.where(self._unread[part], self._waiting_since[part], np.inf)
        return np.asarray(cv2.erode(waiting, np.ones((3, 3), np.uint8)), np.float64)

    def _differing(self, half: NDArray[np.uint8]) -> Mask | None:
        """The tiles that are not exactly what they were in the frame before, None where all are; a row of a tile is a number of 4 bytes."""
        np.not_equal(by_tile(half), by_tile(self._latest), out=self._differs)
        return np.asarray(self._differs.any(1)) if self._differs.any() else None

    def _changed(self, picture: NDArray[np.uint8], settled_on: NDArray[np.uint8]) -> Mask:
        excess = np.asarray(cv2.subtract(cv2.absdiff(picture, settled_on), _NOISE), np.uint8)
        return np.asarray(tile_mean(excess, halvings=1) >= _CHANGED)


def _places(unread: Mask) -> tuple[NDArray[np.int32], int]:
    """The connected places of unread tiles, numbered from 0, one apart counting as connected; and how many numbers there are."""
    count, places = cv2.connectedComponents(cv2.dilate(unread.astype(np.uint8), np.ones((3, 3), np.uint8)), connectivity=8)
    return np.asarray(places, np.int32), count


def _reach(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The contrast around each pixel: lightest less darkest, in a square as large as a tile."""
    return np.asarray(cv2.morphologyEx(picture, cv2.MORPH_GRADIENT, np.ones((HALF, HALF), np.uint8)), np.uint8)
