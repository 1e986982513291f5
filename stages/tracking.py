"""From readings to lines with a beginning and an end.

A reading says what stood somewhere in one frame. A line is what a person would call one text: it stays through many screens as one, it
ends in the frame in which its pixels no longer show it, and what leaves and comes back is another. Each open line is watched in every
frame that changes something where it stands; only when its pixels differ does a new reading decide, and the reading that was surest
gives the line its words.

A line covered for a moment has not left: a cursor that rests on "1250" makes it "125Q", quite surely, until it goes. A line that
somebody types is one line, seen from when it was whole. A line that scrolls is the same line elsewhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stages.boxes import Mask, PixelBox, tiles_of
from stages.line import COVERED_MS, Line, Moment, Picture, Sighting
from stages.patches import Look
from stages.pieces import is_piece, joined
from stages.readings import Reading, is_beheaded, is_covered, is_misread, is_part, is_typed, other_number, same_text

__all__ = ["Survey", "Tracker"]

_UNREADABLE_MS: Final = 1000
"""Absent for this long, a line is gone even if nothing could be read there since."""
_MOVED_MS: Final = 500
"""Within this, the same words elsewhere are the same line, moved."""
_TYPED_MS: Final = 1000
"""A shorter life, ended by the same words with more behind them, is a line being typed; with more around them, one read in pieces, as is a
longer one that moves or lies over moving pictures."""
_SAME_PLACE: Final = 0.5
"""Share of the smaller of two boxes that must lie in the other for both to be one place."""
_SLICE: Final = 0.7
"""Share of a line's height up to which a reading in its place is of a slice of it: what had changed of a line that fades in."""
_SEARCHES: Final = 3
"""Lines of one frame that are searched for in vain before it is clear that the picture has changed and not moved."""
_STEPS: Final = 3
"""Steps of other lines in the same frame that are tried."""
_AT_EDGE: Final = 2
"""Px from the edge of the picture within which a line may be cut off."""
_REMEMBERED: Final = 300
"""Closed lines whose look is kept, so that a screen that returns needs no reading."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the pixels alone say about a part of a picture."""

    recalled: list[Reading]
    """Closed lines that stand there exactly as they did."""
    standing: list[PixelBox]
    """Open lines that stand there as they were read, and were read surely."""
    altered: list[PixelBox]
    """Open lines that are there but look different."""
    left: list[tuple[PixelBox, int]]
    """Where open lines are no longer, and since when, ms."""


class Tracker:
    """The lines of one video. Give it every frame (`watch`) and every reading (`reconcile`), in order, then `close_all`."""

    def __init__(self) -> None:
        self._open: list[Line] = []
        self._closed: deque[Line] = deque()
        self._forgotten: list[Sighting] = []

    def watch(self, picture: Picture, changed: Mask) -> None:
        """Look at each line where the picture changed, and close those that are gone."""
        touched = [line for line in self._open if line.touches(changed)] if changed.any() else []
        for line in touched:
            line.watch(picture, changed)
        _follow(touched, picture)
        for line in list(self._open):
            if line.gone and line.unlike_since is not None:
                absent = picture.ms - line.unlike_since
                if absent >= _UNREADABLE_MS or (line.missed and absent >= COVERED_MS):
                    self._close(line, line.unlike_since)

    def survey(self, tiles: Mask, moment: Moment) -> Survey:
        """What is known, without reading, of the lines that touch `tiles` in `moment`."""
        survey = Survey(self._recall(moment.picture.luma, tiles), [], [], [])
        for line in self._touching(tiles):
            look = line.look(moment.picture.luma)
            if look is Look.ALTERED:
                survey.altered.append(line.box)
            elif look is Look.GONE and line.unlike_since is not None:
                survey.left.append((line.box, line.unlike_since))
            elif look is Look.SAME and line.reading.sure:
                survey.standing.append(line.box)
                line.show_better(moment)
        return survey

    def reconcile(self, readings: Iterable[Reading], tiles: Mask, moment: Moment) -> list[PixelBox]:
        """Settle what `tiles`, read in `moment`, hold: lines go on, change, move or begin. Returns where something new was read."""
        left = [reading for reading in _one_to_a_place(joined(readings)) if not (reading.is_icon or _is_cut_off(reading, moment))]
        leaving: list[Line] = []
        for line in self._touching(tiles):
            here = [reading for reading in left if reading.box.shared(line.box) >= _SAME_PLACE]
            best = max(here, key=lambda reading: _overlap(reading.box, line.box), default=None)
            if best is None:
                line.missed = line.look(moment.picture.luma) is not Look.SAME
            elif self._goes_on(line, best, moment):
                left = [reading for reading in left if reading not in here]
            else:
                leaving.append(line)
        staying = [line.box for line in self._open if not line.gone and line not in leaving]
        new = [reading for reading in left if all(box.shared(reading.box) < _SAME_PLACE for box in staying)]
        ends = {id(line): line.unlike_since for line in leaving}
        placed: list[Line] = []
        for reading in new:
            found = self._uncovered(reading, leaving, moment) or self._moved_to(reading, leaving, moment)
            placed.append(found or self._begin(reading, leaving, ends, moment))
        for line in leaving:
            if line in self._open and line not in placed:
                self._succeed(line, placed, moment)
        return [reading.box for reading in new]

    def close_all(self, end_ms: int) -> None:
        """The pictures end at `end_ms`: every line ends there, or where it had gone, and none will be recalled."""
        for line in list(self._open):
            self._close(line, line.unlike_since if line.gone and line.unlike_since is not None else end_ms)
        self._forget(0)

    def sightings(self) -> list[Sighting]:
        """The closed lines, in order of appearance."""
        lines = self._forgotten + [line.sighting() for line in self._closed]
        return sorted(lines, key=lambda line: (line.start_ms, line.box[1], line.box[0]))

    def _touching(self, tiles: Mask) -> list[Line]:
        return [line for line in self._open if line.touches(tiles)]

    def _recall(self, luma: NDArray[np.uint8], tiles: Mask) -> list[Reading]:
        found: list[Reading] = []
        for line in reversed(self._closed):
            free = all(line.box.shared(other.box) < _SAME_PLACE for other in found)
            if free and tiles[tiles_of(line.box)].any() and line.look(luma) is Look.SAME:
                found.append(line.reading)
        return found

    def _goes_on(self, line: Line, reading: Reading, moment: Moment) -> bool:
        """Whether the reading at a line's place is the line, which then learns from it, and not another text."""
        look, moves = line.look(moment.picture.luma), moment.moves(line.box)
        overlooked = moves and look is not Look.GONE and (is_part(reading, line.reading) or is_part(line.reading, reading))
        overlooked |= look is Look.ALTERED and is_beheaded(reading, line.reading)
        if look is not Look.GONE and reading.box.height <= _SLICE * line.box.height:
            return True
        # Behind a line that stands still a number may change unseen in the bustle; one that was followed is known by all its pixels.
        another = moves and line.step is None and other_number(line.reading, reading)
        unchanged = look is Look.SAME and not _reaches_beyond(reading.box, line.box) and not another
        if same_text(line.reading, reading) or overlooked or unchanged:
            line.learn(reading, moment)
            return True
        if look is Look.ALTERED and is_covered(line.reading, reading) and not line.look_first.is_blank(moment.picture.luma):
            line.cover(moment)
            return True
        if line.appears(moment.picture.luma) and is_misread(reading, line.reading):
            line.read_whole(reading, moment)
            return True
        return False

    def _uncovered(self, reading: Reading, leaving: Sequence[Line], moment: Moment) -> Line | None:
        """The line that stands here again after a cursor stood in front of it; it is open again."""
        for misread in leaving:
            line, now = misread.instead_of, moment.picture.ms
            if line is None or line not in self._closed or not same_text(line.reading, reading):
                continue
            if line.was_passed(line.end_ms or now) or misread.was_passed(now):
                self._open.remove(misread)
                self._closed = deque(other for other in self._closed if other is not line and other.instead_of is not line)
                self._open.append(line)
                line.reopen(reading, moment)
                return line
        return None

    def _moved_to(self, reading: Reading, leaving: Sequence[Line], moment: Moment) -> Line | None:
        """The line that stood elsewhere a moment ago and now stands where the reading is, if there is one; it is moved."""
        for line in [line for line in self._open if line.gone or line.missed or line in leaving] + list(reversed(self._closed)):
            left = line.end_ms if line.end_ms is not None else line.unlike_since
            recent = left is not None and moment.picture.ms - left <= _MOVED_MS
            if recent and line.reading.key == reading.key and line.box.shared(reading.box) < _SAME_PLACE:
                if line.end_ms is not None:
                    self._closed.remove(line)
                    self._open.append(line)
                line.move(reading, moment)
                return line
        return None

    def _begin(self, reading: Reading, leaving: Sequence[Line], ends: dict[int, int | None], moment: Moment) -> Line:
        before = [line for line in leaving if line.box.shared(reading.box) >= _SAME_PLACE and not is_piece(line.standing, reading)]
        line = Line.begun(reading, moment, max((ends[id(other)] or 0 for other in before), default=0))
        if any(ends[id(other)] is None and line.start_ms <= other.start_ms for other in before):
            line.start_ms = moment.picture.ms
        self._open.append(line)
        return line

    def _succeed(self, line: Line, successors: Sequence[Line], moment: Moment) -> None:
        """Close a line whose place another has taken; one that was only being typed was never whole."""
        successor = max(successors, key=lambda other: other.box.shared(line.box), default=None)
        begins = moment.picture.ms if successor is None else successor.start_ms
        end = begins if line.unlike_since is None else line.unlike_since
        piece = successor is not None and is_piece(line.standing, successor.reading)
        if successor and piece and (line.moving or line.step):
            successor.start_ms = min(successor.start_ms, line.start_ms)
            self._open.remove(line)
        elif successor and (piece or is_typed(line.standing, successor.reading)) and end - line.start_ms < _TYPED_MS:
            self._open.remove(line)
        else:
            whole = line.instead_of or line
            if successor and is_misread(whole.reading, successor.reading):
                successor.instead_of = whole
            self._close(line, min(end, moment.picture.ms))

    def _close(self, line: Line, end_ms: int) -> None:
        line.end_ms = end_ms
        self._open.remove(line)
        if not line.is_flash:
            self._closed.append(line)
        self._forget(_REMEMBERED)

    def _forget(self, remembered: int) -> None:
        while len(self._closed) > remembered:
            self._forgotten.append(self._closed.popleft().sighting())


def _follow(lines: Sequence[Line], picture: Picture) -> None:
    """Go after those of `lines` that are not, or not quite, where they were. What moves one moves others: they are tried with its step."""
    steps: list[tuple[int, int]] = []
    searches = _SEARCHES
    for line in lines:
        lost = line.unlike_since == picture.ms or (line.gone and not line.searched)
        if line.unlike_since is None or not (lost or line.step or steps):
            continue
        if line.follow(picture.luma, steps, far=line.gone and not line.searched and searches > 0):
            steps = [line.step, *steps][:_STEPS] if line.step else steps
        elif line.gone:
            searches -= not line.searched
            line.searched = True


def _is_cut_off(reading: Reading, moment: Moment) -> bool:
    """Whether the reading is of a line that is only partly in a picture that moves: it is coming, or going."""
    (height, width), box = moment.picture.luma.shape, reading.box
    at_edge = box.x0 <= _AT_EDGE or box.y0 <= _AT_EDGE or box.x1 >= width - _AT_EDGE or box.y1 >= height - _AT_EDGE
    return at_edge and moment.moves(box)


def _one_to_a_place(readings: Iterable[Reading]) -> list[Reading]:
    """The readings without those that lie where an earlier one does."""
    kept: list[Reading] = []
    for reading in readings:
        if all(reading.box.shared(other.box) < _SAME_PLACE for other in kept):
            kept.append(reading)
    return kept


def _overlap(box: PixelBox, other: PixelBox) -> float:
    """Intersection over union, 0..1."""
    common = box.shared(other) * min(box.area, other.area)
    return common / max(1.0, box.area + other.area - common)


def _reaches_beyond(box: PixelBox, other: PixelBox) -> bool:
    """Whether `box` is longer than `other` by more than half a letter's height at one end."""
    return max(other.x0 - box.x0, box.x1 - other.x1) > other.height / 2
