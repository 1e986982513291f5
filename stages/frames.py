"""The frames of a delivered file, each with the time at which a player shows it.

Frame time is the decoder's PTS, never index / fps: on real screen recordings that formula is wrong by seconds. The packets of the file
say which frames there are; what the decoder then fails to give is reported as an unread span, so that damage in the middle of a file
becomes partial coverage and not a shorter video.

Delivered files are upright with square pixels; frames are turned here all the same, so that the picture is right for any file.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Final

import av
import av.error
import numpy as np
from av.container import InputContainer
from av.sidedata.sidedata import SideData
from av.stream import Disposition
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.stream import VideoStream
from numpy.typing import NDArray

from stages.boxes import PixelBox
from stages.errors import StageFailed
from stages.media_formats import OPEN_OPTIONS, file_url

__all__ = ["Frame", "decode", "frame_at", "frame_times", "picture_end"]

_EIGHT_BIT_LUMA: Final = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray"})
"""Pixel formats whose first plane is the luma, one byte per pixel."""


_HALVED_COLOUR: Final = frozenset({"yuv420p", "yuvj420p"})
"""Pixel formats in three planes of one byte per pixel, of which two are half as wide and high."""
_ALIGNED: Final = 32
"""Px to which the colour of a part is converted: the same instructions are then used as for the whole, with the same result."""

_Turn = tuple[tuple[int, int], tuple[int, int]]
"""Where a step to the right and a step down in the stored picture lead on the display: (x, y) each, in 16.16 fixed point."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One presented frame."""

    index: int
    """Its place in the file's presentation order, from 0."""
    ms: int
    """When it appears, ms on the delivered file: its PTS, rounded once."""
    _picture: VideoFrame = field(repr=False)
    _aspect: Fraction = field(repr=False)
    _turn: _Turn = field(repr=False)

    @property
    def luma(self) -> NDArray[np.uint8]:
        """Brightness, (height, width) uint8, upright, stored pixels, in the stream's own range.

        A read-only view of the decoder's memory where the pixel format allows, so that comparing frames costs no conversion.
        """
        picture = self._picture
        if picture.format.name not in _EIGHT_BIT_LUMA:
            picture = picture.reformat(format="gray")
        rows = _rows(picture.planes[0])
        rows.flags.writeable = False
        return _upright(rows, self._turn)

    @property
    def image(self) -> NDArray[np.uint8]:
        """The picture as a player shows it: (height, width, 3) uint8 RGB, upright, square pixels. Converted on each access: keep it."""
        picture = self._picture
        square = picture.reformat(width=max(1, round(picture.width * self._aspect)), format="rgb24")
        rgb: NDArray[np.uint8] = np.asarray(square.to_ndarray(), np.uint8)
        return np.ascontiguousarray(_upright(rgb, self._turn))

    @property
    def scale(self) -> tuple[float, float]:
        """Px of `image` to one px of `luma`, across and down."""
        width = self._picture.width
        stretch = max(1, round(width * self._aspect)) / width
        return (1.0, stretch) if _is_on_its_side(self._turn) else (stretch, 1.0)

    def part(self, box: PixelBox) -> NDArray[np.uint8]:
        """What `image` has in a box of px of `luma`; only this is converted where the picture is stored as it is shown."""
        (right, _), (_, below) = self._turn
        if self._aspect == 1 and right > 0 and below > 0 and self._picture.format.name in _HALVED_COLOUR:
            return _converted(self._picture, box)
        across, down = self.scale
        return self.image[round(box.y0 * down) : round(box.y1 * down), round(box.x0 * across) : round(box.x1 * across)]


@dataclass(frozen=True, slots=True)
class _Index:
    """What the packets say, in presentation order."""

    times: NDArray[np.int64]
    """When each presented frame appears, ms."""
    key_times: NDArray[np.int64]
    """When each keyframe appears, ms."""
    key_dts: NDArray[np.int64]
    """Where to seek for it, in the stream's time base."""
    end: int
    """When the last frame ends, ms."""


def decode(
    media: Path, *, start_ms: int = 0, end_ms: int | None = None, on_unread: Callable[[int, int], None] | None = None
) -> Iterator[Frame]:
    """Every frame that appears from `start_ms` to `end_ms` (both included; None: to the end), in presentation order.

    `on_unread(from_ms, to_ms)` is told of each stretch whose frames are in the file but cannot be decoded, or come out damaged; such
    frames are not yielded. A file without a picture yields nothing. Raises `StageFailed` when the file cannot be opened at all.
    """
    index = _index_of(media)
    wanted = range(*np.searchsorted(index.times, [start_ms, np.iinfo(np.int64).max if end_ms is None else end_ms + 1]))
    if not wanted:
        return
    place = wanted.start
    turn = _turn_of(media)
    for ms, picture, aspect in _pictures(media, index, int(index.times[wanted.start])):
        found = max(place, int(np.searchsorted(index.times, ms)))
        if ms < index.times[wanted.start] or picture.is_corrupt:
            continue
        if found >= wanted.stop:
            break
        if found > place and on_unread:
            on_unread(int(index.times[place]), ms)
        yield Frame(found, ms, picture, aspect, turn)
        place = found + 1
    if place < wanted.stop and on_unread:
        on_unread(int(index.times[place]), index.end if wanted.stop == len(index.times) else int(index.times[wanted.stop]))


def frame_at(media: Path, ms: int) -> Frame:
    """The frame a player shows at `ms`: the last one with PTS <= `ms`, or before it the last one that can be decoded.

    Raises `StageFailed` when the file has no picture or nothing can be decoded up to there.
    """
    index = _index_of(media)
    place = max(0, int(np.searchsorted(index.times, ms, side="right")) - 1)
    shown: Frame | None = None
    if len(index.times):
        target = int(index.times[place])
        for found in decode(media, start_ms=_keyframe_before(index, target), end_ms=target):
            shown = found
    if shown is None:
        message = f"{media.name}: no frame can be decoded at {ms} ms."
        raise StageFailed(message, hint="The file may be damaged: deliver it again.", code="no_frame")
    return shown


def frame_times(media: Path) -> NDArray[np.int64]:
    """When each presented frame appears, ms, ascending, from the packets (nothing is decoded); empty without a picture."""
    return _index_of(media).times


def picture_end(media: Path) -> int:
    """When the last frame ends, ms, from the packets: sound may go on. 0 without a picture; a packet may not say how long it lasts."""
    return _index_of(media).end


def _index_of(media: Path) -> _Index:
    return _index(media, *_version_of(media))


def _turn_of(media: Path) -> _Turn:
    return _turn(media, *_version_of(media))


def _version_of(media: Path) -> tuple[int, int]:
    """Size and time of change: they tell versions of a file apart."""
    try:
        state = media.stat()
    except OSError as error:
        raise _unopened(media, error) from error
    return state.st_size, state.st_mtime_ns


@lru_cache(maxsize=16)
def _index(media: Path, size: int, modified_ns: int) -> _Index:
    """Kept between calls: a report asks for hundreds of frames of one file."""
    with _opened(media) as (container, stream):
        packets = _presented(container, stream) if stream else []
    times = np.array(sorted(shown for shown, _, _, _ in packets), np.int64)
    keys = sorted((shown, dts) for shown, _, dts, key in packets if key)
    return _Index(
        times,
        np.array([shown for shown, _ in keys], np.int64),
        np.array([dts for _, dts in keys], np.int64),
        max((end for _, end, _, _ in packets), default=0),
    )


@lru_cache(maxsize=16)
def _turn(media: Path, size: int, modified_ns: int) -> _Turn:
    """How the file's pictures are turned, asked of one of them only: a PyAV frame whose side data was looked at refers to itself and keeps
    its decoder's buffers until Python's cycle collector comes by. With one such frame each, a few hundred frames fill the memory.
    """
    with _opened(media) as (container, stream):
        picture = next(_decoded(container, stream), None) if stream else None
        turn = _display_matrix(picture) if picture else ((1, 0), (0, 1))
    del picture
    gc.collect()
    return turn


def _presented(container: InputContainer, stream: VideoStream) -> list[tuple[int, int, int, bool]]:
    """(start ms, end ms, dts, keyframe) of each packet that is shown; those an edit list hides are not."""
    found: list[tuple[int, int, int, bool]] = []
    base = stream.time_base or Fraction(1, 1000)
    try:
        for packet in container.demux(stream):
            if packet.pts is None or packet.is_discard:
                continue
            dts = packet.pts if packet.dts is None else packet.dts
            found.append((_ms(packet.pts, base), _ms(packet.pts + (packet.duration or 0), base), dts, packet.is_keyframe))
    except av.error.FFmpegError:
        return found  # A file cut short: what was demuxed is what there is.
    return found


def _pictures(media: Path, index: _Index, start: int) -> Iterator[tuple[int, VideoFrame, Fraction]]:
    """Decoded pictures with their time in ms, from the keyframe at or before `start` ms on, as far as the file goes."""
    with _opened(media) as (container, stream):
        if stream is None:
            return
        base = stream.time_base or Fraction(1, 1000)
        aspect = stream.sample_aspect_ratio or Fraction(1)
        keyframe = int(np.searchsorted(index.key_times, start, side="right")) - 1
        if keyframe > 0:
            container.seek(int(index.key_dts[keyframe]), stream=stream)
        for picture in _decoded(container, stream):
            if picture.pts is not None:
                yield _ms(picture.pts, base), picture, aspect


def _decoded(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """What decodes; a packet that does not is passed over, and `decode` reports the frames that are then missing."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            pictures = packet.decode()
        except StopIteration:
            return
        except av.error.EOFError:
            return
        except av.error.InvalidDataError:
            continue
        yield from (picture for picture in pictures if isinstance(picture, VideoFrame))


def _keyframe_before(index: _Index, ms: int) -> int:
    place = int(np.searchsorted(index.key_times, ms, side="right")) - 1
    return int(index.key_times[place]) if place >= 0 else 0


@contextmanager
def _opened(media: Path) -> Iterator[tuple[InputContainer, VideoStream | None]]:
    """The file and its first picture stream that is no cover art; closed whatever happens."""
    try:
        container = av.open(file_url(media), options=dict(OPEN_OPTIONS))
    except (OSError, ValueError, UnicodeError, av.error.FFmpegError) as error:
        raise _unopened(media, error) from error
    with container:
        stream = next((item for item in container.streams.video if Disposition.attached_pic not in item.disposition), None)
        if stream is not None:
            # One thread inside the frame: videos are read side by side, and an error then belongs to the packet that was just given.
            stream.thread_type = "SLICE"
            stream.codec_context.thread_count = 1
        yield container, stream


def _unopened(media: Path, error: Exception) -> StageFailed:
    return StageFailed(f"{media.name}: cannot be opened ({error}).", hint="Deliver the video again.", code="unreadable_media")


def _ms(ticks: int, base: Fraction) -> int:
    """Ticks of a time base as whole ms, rounded once, halves up, in integers."""
    return (2000 * ticks * base.numerator + base.denominator) // (2 * base.denominator)


def _upright(pixels: NDArray[np.uint8], turn: _Turn) -> NDArray[np.uint8]:
    """`pixels` turned and mirrored as the display matrix says (multiples of 90 degrees; another matrix leaves them as they are)."""
    across, down = turn
    if _is_on_its_side(turn):
        pixels, flip_x, flip_y = pixels.swapaxes(0, 1), down[0] < 0, across[1] < 0
    else:
        flip_x, flip_y = across[0] < 0, down[1] < 0
    return pixels[:: -1 if flip_y else 1, :: -1 if flip_x else 1]


def _is_on_its_side(turn: _Turn) -> bool:
    across, down = turn
    return bool(across[1] and down[0] and not (across[0] or down[1]))


def _converted(picture: VideoFrame, box: PixelBox) -> NDArray[np.uint8]:
    """A box of a picture with halved colour, in RGB: exactly what converting all of the picture gives there."""
    left, right = box.x0 // _ALIGNED * _ALIGNED, min(-(-box.x1 // _ALIGNED) * _ALIGNED, picture.width)
    top, bottom = box.y0 // 2 * 2, min(-(-box.y1 // 2) * 2, picture.height)
    part = VideoFrame(right - left, bottom - top, picture.format.name)
    part.colorspace, part.color_range = picture.colorspace, picture.color_range
    for halved, (source, target) in enumerate(zip(picture.planes, part.planes, strict=True)):
        y, x = (top, left) if not halved else (top // 2, left // 2)
        _rows(target)[:] = _rows(source)[y : y + target.height, x : x + target.width]
    rgb: NDArray[np.uint8] = np.asarray(part.reformat(format="rgb24").to_ndarray(), np.uint8)
    return rgb[box.y0 - top : box.y1 - top, box.x0 - left : box.x1 - left]


def _rows(plane: VideoPlane) -> NDArray[np.uint8]:
    """The pixels of a plane of one byte each, a view."""
    pixels = np.frombuffer(memoryview(plane), np.uint8, count=plane.line_size * plane.height)
    return pixels.reshape(plane.height, plane.line_size)[:, : plane.width]


def _display_matrix(picture: VideoFrame) -> _Turn:
    """How a stored picture is turned and mirrored on the display."""
    matrix = picture.side_data.get("DISPLAYMATRIX")
    if not isinstance(matrix, SideData):
        return (1, 0), (0, 1)
    row = np.frombuffer(memoryview(matrix), np.int32)
    return (int(row[0]), int(row[1])), (int(row[3]), int(row[4]))
