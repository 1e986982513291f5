"""Files that are damaged in the middle: what a decoder made up there is no evidence, and the coverage says so."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_ingest import AAC, H264, draw

from stages.evidence import Channel, CoverageState
from stages.ingest import ingest
from stages.screen import read_screen
from stages.settings import Settings
from stages.store import StageStore
from stages.video import Video

FILM = ("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=6", "-f", "lavfi", "-i", "sine=frequency=440:duration=6")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(out=tmp_path / "out", ocr="rapidocr")


@pytest.fixture
def read(tmp_path: Path, settings: Settings) -> Callable[[Path], Video]:
    return lambda source: ingest(source, "clip", settings, StageStore(tmp_path / "cache"))


def damage_at(path: Path, seconds: float, amount: int, kind: str) -> tuple[int, int]:
    """Overwrite what lies in the file from the frame at `seconds` on; the times (ms) of the first and last frame that are hit."""
    arguments = ["-select_streams", "v", "-show_entries", "packet=pts_time,size,pos", "-of", "compact=p=0"]
    rows = subprocess.run(["ffprobe", "-v", "error", *arguments, str(path)], check=True, capture_output=True, text=True).stdout.split()
    fields = [dict(part.split("=") for part in row.split("|") if "=" in part) for row in rows]
    packets = sorted((float(row["pts_time"]), int(row["pos"]), int(row["size"])) for row in fields if row["pos"] != "N/A")
    first = packets[0][0]
    place = next(pos for pts, pos, _ in packets if pts - first >= seconds) + 200
    raw = bytearray(path.read_bytes())
    raw[place : place + amount] = bytes(amount) if kind == "zeros" else np.random.default_rng(1).bytes(amount)
    path.write_bytes(raw)
    hit = [pts - first for pts, pos, size in packets if pos < place + amount and pos + size > place]
    return round(min(hit) * 1000), round(max(hit) * 1000)


@pytest.mark.parametrize("kind", ["zeros", "noise"])
@pytest.mark.parametrize("name", ["film.mp4", "film.ts"])
def test_damage_in_the_middle_is_where_it_is(tmp_path: Path, read: Callable[[Path], Video], name: str, kind: str) -> None:
    """A second per group of pictures: what a frame is predicted from damages it, so a stretch reaches to the next keyframe, no further."""
    source = draw(tmp_path / name, *FILM, *H264, "-g", "25", *AAC)
    first, last = damage_at(source, 2.5, 9000, kind)
    video = read(source)
    assert "decode_errors" in video.notes
    assert video.timeline.duration_ms == pytest.approx(6000, abs=80)
    start, end = video.damaged_picture[0][0], video.damaged_picture[-1][1]
    assert first - 1000 <= start <= first + 40
    assert last < end <= last + 1000 + 40


def test_a_whole_file_has_no_damage(tmp_path: Path, read: Callable[[Path], Video]) -> None:
    video = read(draw(tmp_path / "whole.ts", *FILM, *H264, *AAC))
    assert video.damaged_picture == video.damaged_sound == ()


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("screen/aws-media-insights/sample-video.mp4", 4.0),
        ("container/auto-editor/man-on-green-screen.mp4", 12.0),
    ],
)
def test_damage_in_a_real_file(shared_media: Path, tmp_path: Path, read: Callable[[Path], Video], name: str, seconds: float) -> None:
    source = tmp_path / "damaged.mp4"
    source.write_bytes((shared_media / name).read_bytes())
    first, last = damage_at(source, seconds, 20_000, "noise")
    video = read(source)
    keys = [round(1000 * time) for time in keyframes(source)]
    group = max(np.diff([*keys, video.timeline.duration_ms]))
    start, end = video.damaged_picture[0][0], video.damaged_picture[-1][1]
    assert first - group <= start <= first + 50
    assert last < end <= last + group + 50


def keyframes(path: Path) -> list[float]:
    said = ["-v", "error", "-select_streams", "v", "-skip_frame", "nokey", "-show_entries", "frame=pts_time", "-of", "csv=p=0"]
    rows = subprocess.run(["ffprobe", *said, str(path)], check=True, capture_output=True, text=True).stdout.split()
    return [float(row.strip(",")) for row in rows]


def test_what_the_decoder_made_up_is_not_read(tmp_path: Path, settings: Settings, read: Callable[[Path], Video]) -> None:
    source = draw(tmp_path / "film.mp4", *FILM, *H264, "-g", "25", *AAC)
    damage_at(source, 2.5, 9000, "noise")
    video = read(source)
    found = read_screen(video, settings, StageStore(tmp_path / "cache"))
    coverage = found.coverage[Channel.TELA]
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "decode_error")
    assert [(span.start.ms, span.end.ms) for span in coverage.unread] == list(video.damaged_picture)
    inside = [item.id for item in found for start, end in video.damaged_picture if start <= item.instant.ms < end]
    assert inside == []
