"""One pass over the frames of a video: decode, compare, read what is new, follow what was read.

A frame is judged when the next one is there, because only then is it known how long it was shown. Memory does not grow with the length
of the video: a frame is kept only as long as a text that is read now may have begun in it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stages.boxes import TILE, Mask, PixelBox, in_pixels, tiles_of
from stages.changes import ChangeMap, Result
from stages.engines.screen_reader import ScreenReader, TextLine
from stages.frames import Frame
from stages.grid import rectangles
from stages.icons import Icons, mark_in
from stages.line import Moment, Picture, Sighting
from stages.readings import Reading
from stages.tracking import Tracker

__all__ = ["Scan"]

_KEPT_BYTES: Final = 96 << 20
"""Of luma kept to look back for the beginning of a text: more than a second of 1080p."""
_LEAST_CONFIDENCE: Final = 0.5
_LEAST_CONFIDENCE_MOVING: Final = 0.7
"""What is read with less is no text: icons and leaves taken for letters, above all where the picture moves."""


class Scan:
    """Reads one video. Give it every frame in order (`step`), then `finish`. Lets `EngineFailed` of the reader through."""

    def __init__(self, reader: ScreenReader, frame_ms: float) -> None:
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

    def step(self, frame: Frame) -> None:
        """Look at the next frame. One smaller than a tile holds nothing to read."""
        picture = Picture(frame.ms, frame.luma, frame)
        if min(picture.luma.shape) < TILE:
            self.reached_ms = frame.ms
            return
        if self._last and self._last.luma.shape != picture.luma.shape:
            self._end(frame.ms)
        changes = self._changes = self._changes or ChangeMap(*picture.luma.shape)
        changed = changes.observe(picture.luma, frame.ms)
        self.changed = bool(changed.any())
        self._read_due(changes, frame.ms, picture)
        changes.accept(picture.luma, changed, frame.ms)
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

    def _keep(self, picture: Picture, changed: Mask) -> None:
        if changed.any():
            self._earlier.appendleft(picture)
        while len(self._earlier) > 1 and len(self._earlier) * picture.luma.size > _KEPT_BYTES:
            self._earlier.pop()

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
            moving=changes.moving(),
        )
        self.unread_from_ms = changes.since(due)
        survey = self._tracker.survey(due, moment)
        unread = changes.unknown(picture.luma, due)
        still = [*survey.standing, *(reading.box for reading in survey.recalled)]
        unread &= ~_tiles(still, due.shape)
        strokes = changes.strokes(picture.luma, unread)
        unread &= strokes
        areas = _areas(unread, strokes, survey.altered, picture.luma.shape)
        lines = [line for line in survey.altered if not any(area.shared(line) for area in areas)]
        read = self._read(moment, unread, areas, lines)
        news = self._tracker.reconcile(survey.recalled + read, due, moment)
        searched, found, known = (_tiles(boxes, due.shape) for boxes in (areas + lines, news, still + survey.altered))
        changes.mark_read(picture.luma, due, now, Result(searched, found, known))

    def _read(self, moment: Moment, unread: Mask, areas: list[PixelBox], lines: list[PixelBox]) -> list[Reading]:
        """What the areas hold in the unread tiles, and what the lines, known to be there, say now."""
        if not areas and not lines:
            return []
        luma, image = moment.picture.luma, moment.picture.frame.image
        scale = (image.shape[1] / luma.shape[1], image.shape[0] / luma.shape[0])
        crops = [line.grown(line.height // 4, line.height // 8, luma.shape) for line in lines]
        texts = self._reader.recognise([_crop(image, crop, scale) for crop in crops])
        readings = [Reading(text.strip(), sure, line) for line, (text, sure) in zip(lines, texts, strict=True)]
        for area in areas:
            if (mark := mark_in(luma, area)) is not None and self._icons.knows(mark):
                continue
            found = [reading for line in self._reader.read(_crop(image, area, scale)) if (reading := _placed(line, area, scale))]
            self._icons.learn(luma, area, found)
            readings += [reading for reading in found if unread[tiles_of(reading.box)].any()]
        return [reading for reading in readings if _is_text(reading, moment.moves(reading.box))]


def _areas(unread: Mask, strokes: Mask, altered: list[PixelBox], shape: tuple[int, ...]) -> list[PixelBox]:
    """Where to search for lines, px: what is unread, but for what lies inside a line that is known and needs no searching for."""
    outside = unread.copy()
    for line in altered:
        outside[tiles_of(line)] = False
    places = [(rows, columns) for rows, columns in map(tiles_of, altered)]
    whole = [PixelBox(columns.start, rows.start, columns.stop, rows.stop) for rows, columns in places]
    return [in_pixels(box, shape) for box in rectangles(outside, strokes, whole)]


def _tiles(boxes: list[PixelBox], shape: tuple[int, ...]) -> Mask:
    tiles = np.zeros(shape, np.bool_)
    for box in boxes:
        tiles[tiles_of(box)] = True
    return tiles


def _crop(image: NDArray[np.uint8], box: PixelBox, scale: tuple[float, float]) -> NDArray[np.uint8]:
    across, down = scale
    return image[round(box.y0 * down) : round(box.y1 * down), round(box.x0 * across) : round(box.x1 * across)]


def _placed(line: TextLine, area: PixelBox, scale: tuple[float, float]) -> Reading | None:
    """The line in px of the luma plane; None when nothing of it is left there."""
    across, down = scale
    x0, y0, x1, y1 = line.box
    box = PixelBox(area.x0 + int(x0 / across), area.y0 + int(y0 / down), area.x0 + round(x1 / across), area.y0 + round(y1 / down))
    return Reading(line.text.strip(), line.confidence, box) if box.area else None


def _is_text(reading: Reading, moving: bool) -> bool:
    least = _LEAST_CONFIDENCE_MOVING if moving else _LEAST_CONFIDENCE
    return reading.confidence >= least and any(sign.isalnum() for sign in reading.text)
