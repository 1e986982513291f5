"""Frames carry their own times, look as a player shows them, and a stretch that cannot be decoded is reported."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.stream import VideoStream

from stages.boxes import PixelBox
from stages.errors import StageFailed
from stages.frames import decode, frame_at, frame_times

TIMES_MS = [0, 40, 80, 500, 533, 2000, 2100, 2101, 2102, 3900, 4000, 4100]
"""A variable rate with a long pause, as screen recorders write it: 12 frames in 4.1 s, index / average rate is wrong by up to 1.4 s."""

WIDTH, HEIGHT = 64, 48


def write_clip(
    path: Path, times_ms: Sequence[int] = TIMES_MS, *, rotation: int = 0, keyframe_every: int = 5, aspect: Fraction | None = None
) -> Path:
    """Frame n has the brightness 20 + 15 n, but for its top left quarter, which is black."""
    with av.open(str(path), "w") as container:
        options = {"crf": "1", "g": str(keyframe_every), "bf": "2" if keyframe_every > 1 else "0"}
        stream = container.add_stream("libx264", rate=30, options=options)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        if aspect:
            stream.codec_context.sample_aspect_ratio = aspect
        if rotation:
            stream.set_display_rotation(rotation)
        for number, ms in enumerate(times_ms):
            pixels = np.full((HEIGHT * 3 // 2, WIDTH), 128, np.uint8)
            pixels[:HEIGHT] = 20 + 15 * number
            pixels[: HEIGHT // 2, : WIDTH // 2] = 16
            frame = av.VideoFrame.from_ndarray(pixels, format="yuv420p")
            frame.pts, frame.time_base = ms, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def number_of(luma: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> int:
    return round((float(luma[-8:, -8:].mean()) - 20) / 15)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(tmp_path_factory.mktemp("frames") / "vfr.mp4")


def test_every_frame_has_its_own_time_number_and_picture(clip: Path) -> None:
    frames = [(frame.index, frame.ms, number_of(frame.luma)) for frame in decode(clip)]
    assert frames == [(number, ms, number) for number, ms in enumerate(TIMES_MS)]
    assert frame_times(clip).tolist() == TIMES_MS


def test_a_part_of_the_file_includes_both_ends(clip: Path) -> None:
    assert [frame.index for frame in decode(clip, start_ms=500, end_ms=2101)] == [3, 4, 5, 6, 7]
    assert [frame.index for frame in decode(clip, start_ms=534, end_ms=1999)] == []
    assert [frame.index for frame in decode(clip, start_ms=4101)] == []


@pytest.mark.parametrize(
    ("ms", "number"), [(0, 0), (39, 0), (40, 1), (499, 2), (1999, 4), (2000, 5), (2101, 7), (3899, 8), (4100, 11), (9000, 11), (-5, 0)]
)
def test_the_frame_at_an_instant_is_the_last_one_shown(clip: Path, ms: int, number: int) -> None:
    frame = frame_at(clip, ms)
    assert (frame.index, number_of(frame.luma)) == (number, number)


def test_luma_is_a_view_and_the_image_is_rgb(clip: Path) -> None:
    frame = frame_at(clip, 500)
    assert frame.luma.shape == (HEIGHT, WIDTH)
    assert not frame.luma.flags.owndata
    assert not frame.luma.flags.writeable
    assert frame.image.shape == (HEIGHT, WIDTH, 3)
    assert frame.image.dtype == np.uint8
    assert frame.image[:16, :16].max() < 20 < frame.image[-16:, -16:].min()


@pytest.mark.parametrize(("rotation", "corner"), [(90, "bottom left"), (-90, "top right"), (180, "bottom right")])
def test_pictures_are_turned_as_a_player_turns_them(tmp_path: Path, rotation: int, corner: str) -> None:
    """The black quarter goes from the top left to `corner`; rotation counts anticlockwise, as the display matrix does."""
    frame = frame_at(write_clip(tmp_path / "turned.mp4", TIMES_MS[:4], rotation=rotation), 500)
    image = frame.image[..., 0]
    assert image.shape == ((WIDTH, HEIGHT) if abs(rotation) == 90 else (HEIGHT, WIDTH))
    assert frame.luma.shape == image.shape
    rows = slice(0, 16) if "top" in corner else slice(-16, None)
    columns = slice(0, 16) if "left" in corner else slice(-16, None)
    assert image[rows, columns].max() < 20
    assert frame.luma[rows, columns].max() < 20


@pytest.mark.parametrize("media", ["samples/receita.mp4", "rotated", "anamorphic"])
def test_a_part_is_what_the_whole_image_has_there(media: str, tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "data" / "samples" / "receita.mp4"
    if media == "rotated":
        path = write_clip(tmp_path / "turned.mp4", TIMES_MS[:4], rotation=90)
    elif media == "anamorphic":
        path = write_clip(tmp_path / "wide.mp4", TIMES_MS[:4], aspect=Fraction(4, 3))
    frame = frame_at(path, 500)
    (height, width), image, (across, down) = frame.luma.shape, frame.image, frame.scale
    assert (round(height * down), round(width * across)) == image.shape[:2]
    for box in (
        PixelBox(0, 0, width, height),
        PixelBox(3, 5, width - 9, 20),
        PixelBox(31, 1, 40, 2),
        PixelBox(width - 1, 7, width, height),
    ):
        there = image[round(box.y0 * down) : round(box.y1 * down), round(box.x0 * across) : round(box.x1 * across)]
        assert np.array_equal(frame.part(box), there)


def test_a_damaged_stretch_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "damaged.mp4", range(0, 1000, 100), keyframe_every=1)
    with av.open(str(path)) as container:
        where = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.pos is not None and packet.size]
    raw = bytearray(path.read_bytes())
    for position, size in where[4:6]:
        raw[position : position + size] = bytes(size)
    path.write_bytes(raw)

    unread: list[tuple[int, int]] = []
    read = [frame.ms for frame in decode(path, on_unread=lambda start, end: unread.append((start, end)))]

    assert read == [0, 100, 200, 300, 600, 700, 800, 900]
    assert unread == [(400, 600)]
    assert frame_at(path, 550).ms == 300


def test_a_damaged_end_is_reported_up_to_the_end(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "damaged.mp4", range(0, 500, 100), keyframe_every=1)
    with av.open(str(path)) as container:
        where = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.pos is not None and packet.size]
    raw = bytearray(path.read_bytes())
    raw[where[4][0] : where[4][0] + where[4][1]] = bytes(where[4][1])
    path.write_bytes(raw)

    unread: list[tuple[int, int]] = []
    assert [frame.ms for frame in decode(path, on_unread=lambda start, end: unread.append((start, end)))] == [0, 100, 200, 300]
    assert len(unread) == 1
    assert unread[0][0] == 400
    assert unread[0][1] > 400


def test_sound_alone_has_no_frames(tmp_path: Path) -> None:
    path = tmp_path / "tone.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.int16), format="s16", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
    assert list(decode(path)) == []
    assert frame_times(path).tolist() == []
    with pytest.raises(StageFailed, match=r"tone\.wav"):
        frame_at(path, 0)


HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nother.mp4\n"


@pytest.mark.parametrize("text", ["not a video", HLS, "ffconcat version 1.0\nfile other.mp4\n"])
def test_what_is_no_video_is_refused_by_name_and_opens_no_other_file(tmp_path: Path, clip: Path, text: str) -> None:
    (tmp_path / "other.mp4").write_bytes(clip.read_bytes())
    path = tmp_path / "x.mp4"
    path.write_text(text)
    with pytest.raises(StageFailed, match=r"x\.mp4"):
        next(decode(path))


def test_the_file_is_closed_even_when_reading_stops_early(clip: Path) -> None:
    frames = decode(clip)
    assert next(frames).index == 0
    assert str(clip) in open_files()
    frames.close()  # type: ignore[attr-defined]
    assert str(clip) not in open_files()
    frame_at(clip, 2000)
    assert str(clip) not in open_files()


def open_files() -> set[str]:
    found = set()
    for number in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(number.readlink()))
        except FileNotFoundError:
            continue
    return found


def test_times_of_a_real_counter_and_of_a_trimmed_recording(shared_media: Path) -> None:
    """`counter.mp4` shows 30 frames at 10 per second; the edit list of `sample-video.mp4` hides two frames before 0."""
    assert frame_times(shared_media / "container/PySceneDetect/counter.mp4").tolist() == list(range(0, 3000, 100))
    trimmed = frame_times(shared_media / "screen/aws-media-insights/sample-video.mp4")
    assert (trimmed[0], len(trimmed)) == (0, 271)
