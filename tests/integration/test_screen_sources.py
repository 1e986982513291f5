"""The same text through sources whose pixels are not a web browser's: fields, ten bits, HDR, one keyframe for everything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from drawn import Text, draw_clip, scenery

from stages.evidence import Kind
from stages.frames import frame_at
from stages.ingest import ingest
from stages.remake import can_tonemap
from stages.screen import read_screen
from stages.settings import Settings
from stages.store import StageStore
from stages.video import Video

NOTICE = "Tank 7 holds 350 litres"
FIELDS = ("-vf", "tinterlace=mode=interleave_top,setfield=tff", "-c:v", "mpeg2video", "-q:v", "3", "-flags", "+ilme+ildct")
TEN_BITS = ("-pix_fmt", "yuv420p10le", "-c:v", "libx264", "-crf", "16")
TO_PQ = (
    "setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv,"
    "zscale=transfer=linear,format=gbrpf32le,"
    "zscale=primaries=bt2020:transfer=smpte2084:matrix=bt2020nc:range=tv:npl=203,format=yuv420p10le"  # white paper as BT.2408 has it
)
PQ = (
    "-vf", TO_PQ, "-c:v", "libx265", "-x265-params", "log-level=none",
    "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
)  # fmt: skip


def through(source: Path, target: Path, *options: str) -> Path:
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(source), *options, str(target)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=120)
    return target


def delivered(source: Path, folder: Path) -> tuple[Video, Settings, StageStore]:
    settings, store = Settings(out=folder / "out", ocr="rapidocr"), StageStore(folder / "cache")
    return ingest(source, "clip", settings, store), settings, store


def spans(video: Video, settings: Settings, store: StageStore) -> list[tuple[str, int, int]]:
    found = [item for item in read_screen(video, settings, store) if item.kind is Kind.TEXT]
    return [(item.text, item.span.start.ms, item.span.end.ms) for item in found]


def test_fields_that_comb(tmp_path: Path) -> None:
    """Fifty fields of a panning picture as 25 frames: every frame combs until it is deinterlaced."""
    draw_clip(
        tmp_path / "50p.mp4", 150, [Text(NOTICE, 60, 110, y=150, size=36, shade=0)], fps=50, backdrop=scenery(), outlined=True, crf=12
    )
    video, settings, store = delivered(through(tmp_path / "50p.mp4", tmp_path / "25i.ts", *FIELDS), tmp_path)
    ((text, start, end),) = spans(video, settings, store)
    assert text.replace(" ", "") == NOTICE.replace(" ", "")
    assert abs(start - 1200) <= 40
    assert abs(end - 2200) <= 40


@pytest.mark.parametrize(("name", "options"), [("ten.mkv", TEN_BITS), ("hdr.mkv", PQ)])
def test_ten_bits_and_hdr(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    if name == "hdr.mkv" and not can_tonemap():
        pytest.skip("this ffmpeg has no zscale: HDR is delivered as it is, which is said")
    draw_clip(tmp_path / "8bit.mp4", 75, [Text(NOTICE, 30, 55, y=150)], crf=12)
    video, settings, store = delivered(through(tmp_path / "8bit.mp4", tmp_path / name, *options), tmp_path)
    assert spans(video, settings, store) == [(NOTICE, 1200, 2200)]
    picture = frame_at(video.media, 1700).image
    assert np.ptp(picture) > 128  # neither grey nor dark: the paper is light and the letters are dark
    assert np.median(picture) > 150


def test_one_keyframe_for_a_whole_minute(tmp_path: Path) -> None:
    """What is found near the end is dated to the frame, although every look at it decodes from the beginning."""
    draw_clip(tmp_path / "long.mp4", 1500, [Text("Always here 42", 0, 1500), Text(NOTICE, 1401, 1407, y=150)], gop=100_000)
    video, settings, store = delivered(tmp_path / "long.mp4", tmp_path)
    assert spans(video, settings, store) == [("Always here 42", 0, 60_000), (NOTICE, 56_040, 56_280)]
