"""What users of such tools reported about the screen (BUGS O16 to O20 and the reserve), each with the behaviour that is right."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from drawn import Text, draw_clip, video_of
from PIL import Image, ImageDraw, ImageFont

from stages.engines.screen_reader import open_reader
from stages.evidence import Channel, CoverageState, Evidence, Kind
from stages.frames import frame_at
from stages.screen import read_screen
from stages.settings import Settings
from stages.store import StageStore


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(out=tmp_path / "out", ocr="rapidocr")


def read(media: Path, settings: Settings, tmp_path: Path) -> list[Evidence]:
    return [item for item in read_screen(video_of(media), settings, StageStore(tmp_path / "store")) if item.kind is Kind.TEXT]


def cut(source: Path, target: Path, *options: str) -> Path:
    """A short piece of a real file, encoded anew."""
    made = [
        "ffmpeg",
        "-v",
        "error",
        "-nostdin",
        "-i",
        f"file:{source}",
        "-an",
        *options,
        "-c:v",
        "libx264",
        "-crf",
        "18",
        "-preset",
        "veryfast",
    ]
    subprocess.run([*made, f"file:{target}"], check=True, timeout=60)
    return target


def test_a_black_film_is_read_to_the_end(shared_media: Path, tmp_path: Path, settings: Settings) -> None:
    """O16: an engine that finds nothing in a frame ends the run elsewhere; this one has a little writing in the dark."""
    black = cut(shared_media / "container" / "opencast" / "schwarzesVideoFinal.mp4", tmp_path / "black.mp4", "-t", "2")
    found = read_screen(video_of(black), settings, StageStore(tmp_path / "store"))
    assert found.coverage[Channel.TELA].state is CoverageState.COMPLETE
    assert [item.text for item in found if item.kind is Kind.TEXT] == ["Test Folie", "Hier weiße Schrift"]


def test_a_turned_recording_is_read_upright(shared_media: Path, settings: Settings) -> None:
    """O17: the text runs as a player shows it."""
    picture = frame_at(shared_media / "derived" / "counter_rot90.mp4", 1150).image
    found = [line.text for line in open_reader(settings).read(picture)]
    assert found == ["Frame = 12", "PTS = 1.1s"]


def test_a_notice_of_a_third_of_a_second_over_a_real_screencast(shared_media: Path, tmp_path: Path, settings: Settings) -> None:
    """O18: what is shown for a moment is found, from its first frame to its last."""
    notice = "drawtext=text='Saved 17 files':x=300:y=470:fontsize=28:box=1:boxborderw=12:boxcolor=white:enable='between(n,30,38)'"
    source = shared_media / "screen" / "marimo" / "docs-user-config.mp4"
    media = cut(source, tmp_path / "notice.mp4", "-t", "2", "-vf", f"crop=960:540:0:0,{notice}")
    found = read(media, settings, tmp_path)
    assert [(item.span.start.ms, item.span.end.ms) for item in found if item.text == "Saved 17 files"] == [(1000, 1300)]
    assert sum(item.text == "import marimo as mo" for item in found) == 1


def test_decimal_signs_are_kept(tmp_path: Path, settings: Settings) -> None:
    """O19: 78.8 is not 788, and a comma is no point."""
    texts = ["Spot 78.8 degrees", "Frame 104.000", "Time 00:00:03;14", "Total 1.234,56", "Weight 0,467 kg"]
    drawn = [Text(text, 0, 10, y=20 + 65 * place) for place, text in enumerate(texts)]
    found = read(draw_clip(tmp_path / "clip.mp4", 10, drawn).media, settings, tmp_path)
    assert [item.text.replace(" ", "") for item in found] == [text.replace(" ", "") for text in texts]


def test_a_footnote_on_a_4k_page(settings: Settings) -> None:
    """O20: large pictures are not shrunk until small print is gone."""
    page = Image.new("RGB", (3840, 2160), (250, 250, 250))
    ImageDraw.Draw(page).text((3100, 2090), "source: table 7 of 1929", font=ImageFont.load_default(14), fill=(40, 40, 40))
    ImageDraw.Draw(page).text((200, 200), "Large title", font=ImageFont.load_default(120), fill=(20, 20, 20))
    found = [line.text for line in open_reader(settings).read(np.asarray(page))]
    assert found == ["Large title", "source: table 7 of 1929"]


def test_a_still_picture_in_which_only_a_clock_runs(tmp_path: Path, settings: Settings) -> None:
    """Each second is a text of its own; the rest is one."""
    clock = [Text(f"12:04:{second:02}", 25 * second, 25 * second + 25, x=480, y=300, size=20) for second in range(4)]
    found = read(draw_clip(tmp_path / "clip.mp4", 100, [Text("Room 214, quiet please", 0, 100), *clock]).media, settings, tmp_path)
    assert [(item.text, item.span.start.ms, item.span.end.ms) for item in found] == [
        ("Room 214, quiet please", 0, 4000),
        *((text.text, 40 * text.first, 40 * text.end) for text in clock),
    ]


def test_typing_in_a_real_screencast_is_a_handful_of_lines(shared_media: Path, tmp_path: Path, settings: Settings) -> None:
    """A caret that blinks and letters that come one by one gave another tool 2067 items (screenpipe #2285)."""
    source = shared_media / "screen" / "marimo" / "ai-completion.mp4"
    found = read(cut(source, tmp_path / "typing.mp4", "-ss", "1", "-t", "4", "-vf", "fps=30"), settings, tmp_path)
    texts = [item.text for item in found if item.trusted]
    assert "create me a pandas dataframe with fake data" in texts
    assert len(texts) <= 12
