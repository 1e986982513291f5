"""Files as people have them, through the real ffmpeg, into delivered files whose clock starts at 0.

Clips are drawn by ffmpeg's own sources; the real files beside the project show that nature is worse than what one thinks of.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from stages.errors import InputRejected, MissingDependency
from stages.frames import frame_at, frame_times
from stages.ingest import ingest
from stages.media_tool import run
from stages.probe import check_file, probe
from stages.remake import plan
from stages.settings import Settings
from stages.store import StageStore
from stages.video import Video
from tests.unit.test_inputs import ODD_NAMES

pytestmark = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")

PICTURE = ("-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=2")
TONE = ("-f", "lavfi", "-i", "sine=frequency=440:duration=2")
H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")
AAC = ("-c:a", "aac", "-ac", "1")
TENTHS = list(range(0, 2000, 100))


def draw(path: Path, *arguments: str) -> Path:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments, f"file:{path}"], check=True, stdin=subprocess.DEVNULL)
    return path


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Video]:
    """Ingest into a cache of this test."""

    def through(source: Path, media: str = "copy", audio_track: int = 0) -> Video:
        settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", media=media, audio_track=audio_track)
        return ingest(source, "clip", settings, StageStore(tmp_path / "cache"))

    return through


@pytest.fixture(scope="module")
def browser_safe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = ("-metadata", "location=+38.7-009.1/", "-metadata", "title=at home", "-metadata", "creation_time=2024-05-06T07:08:09Z")
    return draw(tmp_path_factory.mktemp("clips") / "safe.mp4", *PICTURE, *TONE, *H264, *AAC, *place)


def loudness(media: Path) -> NDArray[np.float64]:
    """Peak of each 10 ms of the delivered sound, 0..1, from 0 on."""
    with av.open(str(media)) as container:
        pieces = [(frame.time or 0.0, frame.to_ndarray()) for frame in container.decode(audio=0)]
        rate = container.streams.audio[0].rate
    end = max(time + piece.shape[-1] / rate for time, piece in pieces)
    wave = np.zeros(round(end * rate) + 1, np.float64)
    for time, piece in pieces:
        start = round(time * rate)
        wave[start : start + piece.shape[-1]] = np.abs(piece.mean(axis=0))[: len(wave) - start]
    step = rate // 100
    peaks: NDArray[np.float64] = wave[: len(wave) // step * step].reshape(-1, step).max(axis=1)
    return peaks


# What is delivered


def test_a_browser_safe_file_is_copied_without_its_metadata(browser_safe: Path, read: Callable[..., Video]) -> None:
    video = read(browser_safe)
    assert not video.remade
    assert video.notes == ()
    assert (video.width, video.height) == (160, 120)
    assert video.frame_ms == pytest.approx(100, abs=0.1)
    assert video.recorded == "2024-05-06"
    assert video.timeline.duration_ms == pytest.approx(2000, abs=25)
    assert frame_times(video.media).tolist() == TENTHS
    raw = video.media.read_bytes()
    assert raw.index(b"moov") < raw.index(b"mdat"), "a player must not need the end of the file to start"
    assert b"at home" in browser_safe.read_bytes()
    assert b"at home" not in raw
    assert b"+38.7-009.1" not in raw


def test_a_clock_that_starts_at_an_hour_starts_at_0(tmp_path: Path, read: Callable[..., Video]) -> None:
    source = draw(tmp_path / "late.ts", *PICTURE, *TONE, *H264, *AAC, "-output_ts_offset", "3600", "-f", "mpegts")
    video = read(source)
    assert "start_offset" in video.notes
    assert frame_times(video.media).tolist() == TENTHS
    assert video.timeline.duration_ms == pytest.approx(2000, abs=60)


def test_a_variable_frame_rate_stays_variable(tmp_path: Path, read: Callable[..., Video]) -> None:
    """Frame n at n² * 30 ms; the stream's own frame rate (10) is no help."""
    source = draw(
        tmp_path / "vfr.mkv",
        *PICTURE,
        "-vf",
        "settb=1/1000,setpts=N*N*0.03/TB",
        "-fps_mode",
        "passthrough",
        "-enc_time_base",
        "1:1000",
        "-c:v",
        "ffv1",
    )
    video = read(source)
    assert video.remade
    assert "variable_frame_rate" in video.notes
    assert frame_times(video.media).tolist() == pytest.approx([30 * n * n for n in range(20)], abs=1)


def test_sound_that_starts_late_stays_late(tmp_path: Path, read: Callable[..., Video]) -> None:
    source = draw(tmp_path / "late.mkv", *PICTURE, "-itsoffset", "0.8", *TONE, *H264, "-c:a", "pcm_s16le")
    video = read(source)
    assert "sound_starts_late" in video.notes
    loud = loudness(video.media)
    assert int(np.argmax(loud > 0.05)) * 10 == pytest.approx(800, abs=30)


def test_a_hole_in_the_sound_is_filled_with_silence(tmp_path: Path, read: Callable[..., Video]) -> None:
    hole = ("-af", "asetnsamples=441,aselect='not(between(t,0.5,1.2))'")
    source = draw(tmp_path / "hole.mkv", *PICTURE, *TONE, *hole, *H264, "-c:a", "pcm_s16le")
    video = read(source)
    assert "sound_has_holes" in video.notes
    loud = loudness(video.media)
    assert loud[60:115].max() < 0.02
    assert loud[10:45].min() > 0.05
    assert loud[130:190].min() > 0.05


def test_a_picture_that_starts_late_is_held_from_0(tmp_path: Path, read: Callable[..., Video]) -> None:
    source = draw(tmp_path / "late.mkv", *TONE, "-itsoffset", "0.7", *PICTURE, "-map", "0", "-map", "1", *H264, *AAC)
    video = read(source)
    assert "picture_starts_late" in video.notes
    assert frame_times(video.media).tolist()[:3] == pytest.approx([0, 800, 900], abs=25)
    assert loudness(video.media)[5:60].min() > 0.05


@pytest.mark.parametrize(
    ("filters", "codec", "size", "note"),
    [
        ("scale=161:121", ("-c:v", "ffv1"), (162, 122), ""),
        ("setsar=2", ("-c:v", "libx264"), (320, 120), "non_square_pixels"),
        ("setsar=1/2", ("-c:v", "libx264"), (160, 240), "non_square_pixels"),
        ("format=yuv420p10le", ("-c:v", "libx264"), (160, 120), ""),
        ("format=yuv444p", ("-c:v", "libx264"), (160, 120), ""),
        ("setfield=tff", ("-c:v", "libx264", "-flags", "+ilme+ildct"), (160, 120), "interlaced"),
    ],
)  # fmt: skip
def test_what_some_browser_shows_wrong_is_encoded(
    tmp_path: Path, read: Callable[..., Video], filters: str, codec: tuple[str, ...], size: tuple[int, int], note: str
) -> None:
    source = draw(tmp_path / "odd.mkv", *PICTURE, "-vf", filters, *codec)
    video = read(source)
    assert video.remade
    assert (video.width, video.height) == size
    assert [note] * bool(note) == list(video.notes)
    made = probe(video.media).picture
    assert made is not None
    assert (made.codec, made.pixels, made.interlaced) == ("h264", "yuv420p", False)
    assert made.aspect == 1
    assert frame_times(video.media).tolist() == TENTHS


def test_a_stream_that_changes_its_size_and_channels_on_the_way(tmp_path: Path, read: Callable[..., Video]) -> None:
    """Two recordings in one transport stream, the clock of the second starting again."""
    twice = ("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=2")
    one = draw(tmp_path / "one.ts", *PICTURE, *TONE, *H264, *AAC)
    two = draw(tmp_path / "two.ts", *twice, *TONE, *H264, "-c:a", "aac", "-ac", "2")
    both = tmp_path / "both.ts"
    both.write_bytes(one.read_bytes() + two.read_bytes())
    video = read(both)
    assert video.remade
    assert (video.width, video.height) == (160, 120)
    assert frame_times(video.media).tolist() == pytest.approx(list(range(0, 4000, 100)), abs=60)
    assert video.timeline.duration_ms == pytest.approx(4000, abs=80)
    loud = loudness(video.media)
    assert loud[10:190].min() > 0.05
    assert loud[220:390].min() > 0.05


def test_sound_alone_and_cover_art(tmp_path: Path, read: Callable[..., Video]) -> None:
    cover = draw(tmp_path / "cover.png", "-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", "1")
    arguments = ("-i", str(cover), *TONE, "-map", "1", "-map", "0", "-c:v", "copy", "-disposition:v", "attached_pic")
    video = read(draw(tmp_path / "song.mp3", *arguments))
    assert not video.has_picture
    assert video.frame_ms == 0
    assert video.audio is not None
    assert video.timeline.duration_ms == pytest.approx(2000, abs=80)
    assert frame_times(video.media).tolist() == []


def test_the_default_audio_track_is_taken_and_named(tmp_path: Path, read: Callable[..., Video]) -> None:
    loud, quiet = TONE, ("-f", "lavfi", "-i", "anullsrc=duration=2")
    tracks = ("-map", "0", "-map", "1", "-map", "2", "-disposition:a:0", "0", "-disposition:a:1", "default")
    tongues = ("-metadata:s:a:0", "language=spa", "-metadata:s:a:1", "language=por")
    source = draw(tmp_path / "two.mkv", *PICTURE, *quiet, *loud, *tracks, *tongues, *H264, *AAC)
    video = read(source)
    assert video.audio is not None
    assert (video.audio.index, video.audio.count, video.audio.language) == (1, 2, "por")
    assert loudness(video.media).max() > 0.05
    first = read(source, audio_track=1)
    assert first.audio is not None
    assert (first.audio.index, first.audio.count, first.audio.language) == (0, 2, "spa")
    assert loudness(first.media).max() < 0.001
    with pytest.raises(
        InputRejected, match=r"two\.mkv: audio track 3 is not there; its audio tracks: 1 \(spa\), 2 \(por, default\)\."
    ) as error:
        read(source, audio_track=3)
    assert error.value.code == "no_such_audio_track"


def test_a_video_without_sound_has_no_track_to_choose(tmp_path: Path, read: Callable[..., Video]) -> None:
    mute = draw(tmp_path / "mute.mp4", *PICTURE, *H264)
    assert read(mute).audio is None
    with pytest.raises(InputRejected, match="its audio tracks: none"):
        read(mute, audio_track=1)


def test_a_proxy_is_smaller_with_the_same_times(tmp_path: Path, read: Callable[..., Video]) -> None:
    source = draw(tmp_path / "big.mp4", "-f", "lavfi", "-i", "testsrc2=size=960x1280:rate=10:duration=0.5", *H264)
    video, proxy = read(source), read(source, media="proxy")
    assert (video.width, video.height) == (960, 1280)
    assert (proxy.width, proxy.height) == (720, 960)
    assert "scaled_down" in proxy.notes
    assert frame_times(video.media).tolist() == frame_times(proxy.media).tolist()


def test_the_same_bytes_are_made_once_and_other_bytes_again(tmp_path: Path, browser_safe: Path) -> None:
    settings, told = Settings(out=tmp_path), list[bool]()
    store = StageStore(tmp_path / "cache", notice=lambda stage, reused: told.append(reused))
    first, twin = tmp_path / "a.mp4", tmp_path / "b.mp4"
    first.write_bytes(browser_safe.read_bytes())
    twin.write_bytes(browser_safe.read_bytes())
    one, two = (ingest(path, path.stem, settings, store) for path in (first, twin))
    assert (one.media, one.sha256) == (two.media, two.sha256)
    assert (one.source_name, two.source_name) == ("a.mp4", "b.mp4")
    draw(first, *PICTURE, "-t", "1", *H264)
    assert ingest(first, "a", settings, store).timeline.duration_ms == 1000
    assert told == [False, True, False]


def test_progress_goes_up_to_1_and_the_input_is_closed(tmp_path: Path, browser_safe: Path) -> None:
    seen: list[float] = []
    ingest(browser_safe, "x", Settings(out=tmp_path), StageStore(tmp_path / "cache"), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert str(browser_safe) not in {str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


# What is refused


@contextmanager
def rejected(name: str, code: str) -> Iterator[None]:
    """The block raises one clear line that names the file, the reason's stable code and the next move."""
    with pytest.raises(InputRejected) as caught:
        yield
    assert caught.value.code == code
    assert caught.value.message.startswith(name)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n{other}\n#EXT-X-ENDLIST\n"
DASH = (
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">'
    "<Period><BaseURL>{other}</BaseURL></Period></MPD>"
)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty"),
        ("just words\n", "not_media"),
        ("<html><body>404</body></html>", "not_media"),
        (HLS, "playlist"),
        ("ffconcat version 1.0\nfile '{other}'\n", "playlist"),
        (DASH, "playlist"),
        ("v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n", "playlist"),
        ("1\n00:00:00,000 --> 00:00:01,000\nhello\n", "unsupported_format"),
    ],
)
def test_text_named_mp4_opens_no_other_file(
    tmp_path: Path, browser_safe: Path, read: Callable[..., Video], content: str, code: str
) -> None:
    path = tmp_path / "x.mp4"
    path.write_text(content.format(other=browser_safe))
    with rejected("x.mp4", code):
        read(path)


def test_what_is_no_readable_file(tmp_path: Path, read: Callable[..., Video]) -> None:
    (tmp_path / "folder.mp4").mkdir()
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "link.mp4").symlink_to(tmp_path / "gone.mp4")
    for name, code in (("folder.mp4", "is_folder"), ("pipe.mp4", "not_a_file"), ("link.mp4", "not_found"), ("gone.mp4", "not_found")):
        with rejected(name, code):
            read(tmp_path / name)
    with rejected("null", "not_a_file"):
        read(Path("/dev/null"))


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.mp4"
    path.write_bytes(b"x")
    path.chmod(0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        with rejected("mine.mp4", "no_permission"):
            check_file(path)
    finally:
        if root:
            os.seteuid(0)


def test_cut_short_still_image_and_nothing_to_see_or_hear(tmp_path: Path, browser_safe: Path, read: Callable[..., Video]) -> None:
    (tmp_path / "cut.mp4").write_bytes(browser_safe.read_bytes()[:-4000])  # the index of this clip is at its end
    draw(tmp_path / "still.mp4", "-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", "1", "-f", "image2", "-c:v", "png")
    (tmp_path / "words.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    draw(tmp_path / "words.mkv", "-i", str(tmp_path / "words.srt"), "-c:s", "srt")
    for name, code in (("cut.mp4", "truncated"), ("still.mp4", "still_image"), ("words.mkv", "no_streams")):
        with rejected(name, code):
            read(tmp_path / name)


def test_a_clock_that_leaps_by_hours_is_damage(tmp_path: Path, read: Callable[..., Video]) -> None:
    leap = ("-vf", "settb=1/1000,setpts='if(gte(N,10),N*100+7200000,N*100)'", "-fps_mode", "passthrough", "-enc_time_base", "1:1000")
    path = draw(tmp_path / "leap.mkv", *PICTURE, *leap, "-c:v", "ffv1")
    with rejected("leap.mkv", "clock_jump"):
        read(path)


def test_odd_names_are_read_like_any_other(tmp_path: Path, browser_safe: Path, read: Callable[..., Video]) -> None:
    for number, name in enumerate(ODD_NAMES):
        path = tmp_path / str(number) / name
        path.parent.mkdir()
        path.write_bytes(browser_safe.read_bytes())
        found = probe(path)
        assert plan(path, found, proxy=False).copy_picture, name
        video = read(path)
        assert video.source == path
        assert "\n" not in video.source_name
        video.source_name.encode()


# The program


def test_a_program_without_news_is_ended() -> None:
    finished = run("ffmpeg", ["-f", "lavfi", "-i", "sine=frequency=440", "-f", "null", "-"], lambda line: True, patience_s=0.5)
    assert finished.stalled
    assert not finished.ok


def test_a_flood_of_complaints_is_counted_and_its_tail_kept(browser_safe: Path) -> None:
    """More than a pipe holds (64 KiB): unread, it would stop the program, and both sides would wait."""
    inputs = ["-i", str(browser_safe)] * 5
    finished = run("ffmpeg", ["-v", "trace", *inputs, "-f", "null", "-"], lambda line: True)
    assert finished.ok
    assert finished.complaints > 1500
    assert len(finished.said) == 40


def test_a_missing_program_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependency, match="apt install ffmpeg"):
        run("ffprobe", ["-version"], lambda line: True)


# Real files


@pytest.mark.parametrize(
    ("name", "duration_ms", "size", "notes"),
    [
        ("container/PySceneDetect/counter.mp4", 3000, (1920, 1080), set()),
        ("derived/counter_start3600.ts", 3000, (1920, 1080), {"start_offset"}),
        ("derived/counter_rot90.mp4", 3000, (1080, 1920), {"rotated"}),
        (
            "container/androidx/bbb_800x640_768kbps_30fps_avc_2b_firstpts_10_sec.mp4",
            4000,
            (1138, 640),
            {"start_offset", "non_square_pixels"},
        ),
        ("container/SubtitleEdit/sample_MKV_delayed.mkv", 5492, (190, 240), {"sound_starts_late"}),
        ("derived/pts_gap_3s_at_5s.ts", 14006, (320, 180), {"start_offset", "sound_has_holes"}),
        ("container/moviepy/no_duration.webm", 4900, (1280, 720), set()),
        ("container/androidx/sample_fragmented.mp4", 1068, (1080, 720), {"picture_starts_late"}),
        ("container/auto-editor/h264-png.mkv", 2046, (640, 360), {"variable_frame_rate"}),
        ("broken/decord/corrupted.mp4", 5000, (1280, 720), {"decode_errors"}),
        ("broken/androidx/sample_missing_stsd.mp4", 1001, (1080, 720), {"sound_undecodable"}),
    ],
)
def test_real_files_are_delivered(
    shared_media: Path, read: Callable[..., Video], name: str, duration_ms: int, size: tuple[int, int], notes: set[str]
) -> None:
    video = read(shared_media / name)
    assert video.timeline.duration_ms == pytest.approx(duration_ms, abs=40)
    assert (video.width, video.height) == size
    assert set(video.notes) == notes
    times = frame_times(video.media)
    assert times[0] == 0
    assert times[-1] < video.timeline.duration_ms


def test_frames_of_a_real_recording_keep_the_times_of_the_original(shared_media: Path, read: Callable[..., Video]) -> None:
    source = shared_media / "screen/napari-docs/command-palette.webm"
    assert np.abs(frame_times(read(source).media) - frame_times(source)).max() <= 1


def test_the_counter_that_starts_at_an_hour_shows_its_own_time(shared_media: Path, read: Callable[..., Video]) -> None:
    """Frame 17 of both files is the same picture, at 1.7 s."""
    source = shared_media / "derived/counter_start3600.ts"
    shown = frame_at(read(source).media, 1700)
    twin = frame_at(shared_media / "container/PySceneDetect/counter.mp4", 1700)
    assert (shown.index, shown.ms) == (twin.index, twin.ms) == (17, 1700)
    assert np.abs(shown.luma.astype(int) - twin.luma).mean() < 2


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("broken/androidx/200kB-garbage-prefix.mp3", "unsupported_format"),
        ("broken/androidx/sample_fragmented_clearkey.mp4", "encrypted"),
        ("broken/androidx/invalid-bitstream.webm", "no_frames"),
        ("broken/aeneas/mono.zero.wav", "zero_duration"),
        ("broken/androidx/segment_init.mp4", "zero_duration"),
        ("broken/opencast/nostreams.mp4", "no_streams"),
        ("broken/mp4parse-rust/invalid_userdata.mp4", "truncated"),
        ("derived/truncated/nasa_13013.cut60.mp4", "truncated"),
        ("derived/truncated/html_error_page.mp4", "not_media"),
        ("container/androidx/sample_vvc.mp4", "unsupported_codec"),
    ],
)
def test_real_files_that_hold_nothing_get_their_reason(shared_media: Path, read: Callable[..., Video], name: str, code: str) -> None:
    with rejected(Path(name).name, code):
        read(shared_media / name)
