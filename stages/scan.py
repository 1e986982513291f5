"""One pass over the frames of a video: decode, compare, read what is new, follow what was read.

A frame is judged when the next one is there, because only then is it known how long it was shown. Memory does not grow with the length
of the video: a frame is kept only as long as a text that is read now may have begun in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import reduce
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, PixelBox, in_pixels, tiles_of
from stages.changes import ChangeMap, Result
from stages.engines.screen_reader import ScreenReader, TextLine
from stages.frames import Frame
from stages.grid import rectangles
from stages.icons import Icons, came_along
from stages.line import Moment, Picture, Sighting
from stages.readings import Reading
from stages.tiles import halved
from stages.tracking import Tracker

__all__ = ["Scan"]

_KEPT_BYTES: Final = 24 << 20
"""Of luma kept to look back for the beginning of a text: a third of a second of 1080p. A decoder that is not given its pictures back has to
write to memory that the processor has long forgotten."""
_KEPT_HALF_BYTES: Final = 48 << 20
"""Of luma at half size kept to look back further: three seconds more."""
_LEAST_CONFIDENCE: Final = 0.5
_LEAST_CONFIDENCE_MOVING: Final = 0.7
"""What is read with less is no text: icons and leaves taken for letters, above all where the picture moves."""
_SAME_PLACE: Final = 0.5
"""Share of the smaller of two boxes that must lie in the other for both to be one place."""
_NEAR: Final = 8
"""The part of a line's height within which it reaches an edge."""
_TALLEST: Final = 96
"""Px; what is taller is no line that was cut."""


class Scan:
    """Reads one video. Give it every frame in order (`step`), then `finish`. Lets `EngineFailed` of the reader through."""

    def __init__(self, reader: ScreenReader, frame_ms: float) -> None:
        # Pictures are too small for the threads of OpenCV: they cost more to wake than they save.
        cv2.setNumThreads(1)
        self.reached_ms = 0
        """When the last frame given appears."""
        self.changed = True
        """Whether the last frame given differs from what the picture had settled on."""
        self.unread_from_ms = 0
        """When the first of what is being read, or was to be read when the reader broke, appeared."""
        self._reader = reader
        self._frame_ms = max(1, round(frame_ms))
        self._tracker = Tracker()
        self._icons = Icons()
        self._changes: ChangeMap | None = None
        self._last: Picture | None = None
        self._earlier: deque[Picture] = deque()
        self._long_before: deque[tuple[int, NDArray[np.uint8]]] = deque()

    def step(self, frame: Frame) -> None:
        """Look at the next frame. One smaller than a tile holds nothing to read."""
        luma = frame.luma
        if min(luma.shape) < TILE:
            self.reached_ms = frame.ms
            return
        picture = Picture(frame.ms, luma, halved(luma), frame)
        if self._last and self._last.luma.shape != picture.luma.shape:
            self._end(frame.ms)
        changes = self._changes = self._changes or ChangeMap(*picture.luma.shape)
        changed = changes.observe(picture.half, frame.ms)
        self.changed = bool(changed.any())
        self._read_due(changes, frame.ms, picture)
        changes.accept(picture.half, changed, frame.ms)
        self._tracker.watch(picture, changed)
        self._keep(picture, changed)
        self._last, self.reached_ms = picture, frame.ms

    def pause(self, ms: int) -> None:
        """What the picture is from `ms` on is not known, until the next frame is given."""
        self._end(max(ms, self.reached_ms))

    def finish(self, end_ms: int) -> list[Sighting]:
        """Read what is still unread, and return every line; the last frame is shown until `end_ms`."""
        self._end(max(end_ms, self.reached_ms))
        return self._tracker.sightings()

    def abandon(self) -> list[Sighting]:
        """Every line as far as it was followed, without reading anything more."""
        self._tracker.close_all(max(self.reached_ms, self.unread_from_ms))
        return self._tracker.sightings()

    def _end(self, end_ms: int) -> None:
        """The pictures end here, or go on in another size."""
        if self._changes:
            self._read_due(self._changes, end_ms, None)
        self._tracker.close_all(end_ms)
        self._changes, self._last = None, None
        self._earlier.clear()
        self._long_before.clear()

    def _keep(self, picture: Picture, changed: Mask) -> None:
        if changed.any():
            self._earlier.appendleft(picture)
        while len(self._earlier) > 1 and len(self._earlier) * picture.luma.size > _KEPT_BYTES:
            left = self._earlier.pop()
            self._long_before.appendleft((left.ms, left.half))
        while self._long_before and len(self._long_before) * picture.half.size > _KEPT_HALF_BYTES:
            self._long_before.pop()

    def _read_due(self, changes: ChangeMap, now: int, following: Picture | None) -> None:
        if self._last is None:
            return
        picture = self._last
        due = changes.due(now, last=following is None)
        if not due.any():
            return
        moment = Moment(
            picture=picture,
            until_ms=now if following else min(now, picture.ms + self._frame_ms),
            after=following.luma if following else None,
            before=[earlier for earlier in self._earlier if earlier.ms < picture.ms],
            long_before=self._long_before,
            moving=changes.moving(),
        )
        self.unread_from_ms = changes.since(due)
        survey = self._tracker.survey(due, moment)
        still = [*survey.standing, *(reading.box for reading in survey.recalled)]
        unread = changes.unknown(picture.half, changes.may_hold_text(picture.luma, due & ~_tiles(still, due.shape)))
        strokes = changes.strokes(picture.luma, unread)
        unread &= strokes
        replaced = [box for box, since in survey.left if changes.rests_since(due & _tiles([box], due.shape), since)]
        areas = _areas(unread, strokes, survey.altered, replaced, picture.luma.shape)
        lines = [line for line in survey.altered if not any(area.shared(line) for area in areas)]
        read = self._read(moment, unread, areas, lines)
        news = self._tracker.reconcile(survey.recalled + read, due, moment)
        searched, found, known = (_tiles(boxes, due.shape) for boxes in (areas + lines, news, still + survey.altered))
        changes.mark_read(picture.half, due, now, Result(searched, found, known))

    def _read(self, moment: Moment, unread: Mask, areas: list[PixelBox], lines: list[PixelBox]) -> list[Reading]:
        """What the areas hold in the unread tiles, and what the lines, known to be there, say now."""
        if not areas and not lines:
            return []
        luma = moment.picture.luma
        crops = [line.grown(line.height // 4, line.height // 8, luma.shape) for line in lines]
        image = _Colours(moment.picture.frame, [*areas, *crops])
        texts = self._reader.recognise([image.crop(crop) for crop in crops]) if crops else []
        readings = [Reading(text.strip(), sure, line) for line, (text, sure) in zip(lines, texts, strict=True)]
        for area in areas:
            if (mark := self._icons.find(luma, area)) and not _beside(mark.grown(TILE, TILE, luma.shape), area, unread).any():
                continue
            found = self._search(image, area)
            found = [reading for reading in found if not (len(reading.text) == 1 and self._is_cursor(reading, moment))]
            self._icons.learn(luma, area, found)
            cut = [reading for reading in found if _is_cut(reading, area, luma.shape) and _is_text(reading, moment.moves(reading.box))]
            if cut:
                band = _band(cut, luma.shape)
                whole = self._search(_Colours(moment.picture.frame, [band]), band)
                left = [reading for reading in found if reading not in cut]
                found = whole + [reading for reading in left if all(reading.box.shared(other.box) < _SAME_PLACE for other in whole)]
            readings += [reading for reading in found if unread[tiles_of(reading.box)].any()]
        return [reading for reading in readings if _is_text(reading, moment.moves(reading.box))]

    def _is_cursor(self, reading: Reading, moment: Moment) -> bool:
        return came_along(moment.picture.luma, reading.box, [earlier.luma for earlier in moment.before])

    def _search(self, image: _Colours, area: PixelBox) -> list[Reading]:
        return [reading for line in self._reader.read(image.crop(area)) if (reading := _placed(line, area, image.scale))]


def _beside(box: PixelBox, area: PixelBox, tiles: Mask) -> Mask:
    """Those of `tiles` that lie in an area, but not in the box."""
    return tiles & _tiles([area], tiles.shape) & ~_tiles([box], tiles.shape)


def _is_cut(reading: Reading, area: PixelBox, shape: tuple[int, ...]) -> bool:
    """Whether a line reaches an edge of what was searched that is none of the picture, and may go on beyond it."""
    near = reading.box.height // _NEAR
    left, right = reading.box.x0 - area.x0 <= near and area.x0 > 0, area.x1 - reading.box.x1 <= near and area.x1 < shape[1]
    return (left or right) and reading.box.height <= _TALLEST


def _band(cut: Sequence[Reading], shape: tuple[int, ...]) -> PixelBox:
    """The rows of the picture in which those lines are, from edge to edge."""
    held = reduce(PixelBox.around, (reading.box.grown(0, reading.box.height // 2, shape) for reading in cut))
    return held._replace(x0=0, x1=shape[1])


def _areas(unread: Mask, strokes: Mask, altered: list[PixelBox], replaced: list[PixelBox], shape: tuple[int, ...]) -> list[PixelBox]:
    """Where to search for lines, px: what is unread, but for what lies inside a line that is known and needs no searching for. Where a line
    was replaced at once, all of its place is searched: what came instead shares words with it, or is as long."""
    outside = unread.copy()
    for line in altered:
        outside[tiles_of(line)] = False
    places = [(rows, columns) for rows, columns in map(tiles_of, [*altered, *replaced])]
    whole = [PixelBox(columns.start, rows.start, columns.stop, rows.stop) for rows, columns in places]
    return [in_pixels(box, shape) for box in rectangles(outside, strokes, whole)]


def _tiles(boxes: list[PixelBox], shape: tuple[int, ...]) -> Mask:
    tiles = np.zeros(shape, np.bool_)
    for box in boxes:
        tiles[tiles_of(box)] = True
    return tiles


class _Colours:
    """What is read of a frame, in colour: converted once, and no more of it than holds the boxes that will be cut out."""

    def __init__(self, frame: Frame, boxes: Sequence[PixelBox]) -> None:
        self.scale = frame.scale
        self._frame = frame
        self._held = reduce(PixelBox.around, boxes)
        self._pixels: NDArray[np.uint8] | None = None

    def crop(self, box: PixelBox) -> NDArray[np.uint8]:
        """A box of px of the luma plane, as a player shows it."""
        pixels = self._pixels = self._frame.part(self._held) if self._pixels is None else self._pixels
        (across, down), (left, top, _, _) = self.scale, self._held
        rows = slice(*(round(y * down) - round(top * down) for y in (box.y0, box.y1)))
        columns = slice(*(round(x * across) - round(left * across) for x in (box.x0, box.x1)))
        return pixels[rows, columns]


def _placed(line: TextLine, area: PixelBox, scale: tuple[float, float]) -> Reading | None:
    """The line in px of the luma plane; None when nothing of it is left there."""
    across, down = scale
    x0, y0, x1, y1 = line.box
    box = PixelBox(area.x0 + int(x0 / across), area.y0 + int(y0 / down), area.x0 + round(x1 / across), area.y0 + round(y1 / down))
    return Reading(line.text.strip(), line.confidence, box) if box.area else None


def _is_text(reading: Reading, moving: bool) -> bool:
    least = _LEAST_CONFIDENCE_MOVING if moving else _LEAST_CONFIDENCE
    return reading.confidence >= least and any(sign.isalnum() for sign in reading.text)
