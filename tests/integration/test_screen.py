"""The screen channel on clips whose texts are known to the frame, on real files, and where something breaks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from drawn import Text, draw_clip, plain, scenery, video_of
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz import fuzz

import stages.screen
from stages.engines.screen_reader import EngineFailed, ScreenReader, TextLine, open_reader
from stages.evidence import Channel, CoverageState, Evidence, EvidenceSet, Kind
from stages.instant import Timeline
from stages.screen import read_screen
from stages.settings import Settings
from stages.store import StageStore
from stages.video import Video

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"
TRUTH = SAMPLES / "ground_truth.json"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(out=tmp_path / "out", ocr="rapidocr")


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return tmp_path / "clip.mp4"


def read(video: Video, settings: Settings) -> EvidenceSet:
    """What is written; the frames to look at are of `tests/unit/test_shots.py`."""
    found = read_screen(video, settings, StageStore(video.media.parent / "store") if video.media.parent.name != "media" else _nowhere())
    assert all(item.channel is Channel.TELA and item.instant in item.span for item in found)
    return replace(found, items=tuple(item for item in found if item.kind is Kind.TEXT))


def _nowhere() -> StageStore:
    raise AssertionError("a test of a real file gives its own store")


def said(items: Sequence[Evidence]) -> list[str]:
    return [item.text for item in items]


def spans(items: Sequence[Evidence]) -> list[tuple[str, int, int]]:
    return [(item.text, item.span.start.ms, item.span.end.ms) for item in items]


def exact(texts: Sequence[Text], fps: int = 25) -> list[tuple[str, int, int]]:
    """What a perfect reader says of the drawn texts, in order of appearance."""
    ordered = sorted(texts, key=lambda text: (text.first, text.y))
    return [(text.text, round(1000 * text.first / fps), round(1000 * text.end / fps)) for text in ordered]


def assert_within(found: Sequence[Evidence], texts: Sequence[Text], *, ms: int) -> None:
    """Each text is found once, its beginning and end no further off than `ms`; nothing else is found."""
    wanted = exact(texts)
    assert [text.replace(" ", "") for text in said(found)] == [text.replace(" ", "") for text, _, _ in wanted]
    for item, (_, start, end) in zip(found, wanted, strict=True):
        assert abs(item.span.start.ms - start) <= ms, item
        assert abs(item.span.end.ms - end) <= ms, item


def test_a_cut_is_dated_to_the_frame(clip: Path, settings: Settings) -> None:
    texts = [
        Text("First slide 500 g", 0, 30),
        Text("Oven at 180", 0, 30, y=150),
        Text("Second slide 35 min", 30, 75),
        Text("Salt", 30, 75, y=220),
    ]
    assert spans(read(draw_clip(clip, 75, texts), settings).items) == exact(texts)


def test_a_caption_of_five_frames_is_found(clip: Path, settings: Settings) -> None:
    texts = [Text("Always here 42", 0, 75), Text("Only 7.5 kg", 33, 38, y=250)]
    assert spans(read(draw_clip(clip, 75, texts), settings).items) == exact(texts)


def test_a_caption_of_a_fifth_of_a_second_at_60_frames(clip: Path, settings: Settings) -> None:
    texts = [Text("Sixty frames", 0, 120), Text("Quick 99", 50, 62, y=150)]
    found = read(draw_clip(clip, 120, texts, fps=60), settings)
    assert said(found.items) == ["Sixty frames", "Quick 99"]
    assert abs(found.items[1].span.start.ms - 50 * 1000 / 60) <= 17
    assert abs(found.items[1].span.end.ms - 62 * 1000 / 60) <= 17


def test_a_line_that_stays_through_several_screens_is_one(clip: Path, settings: Settings) -> None:
    texts = [Text("This line stays", 0, 100), Text("Another appears", 25, 60, y=150), Text("And a third one", 60, 100, y=220)]
    assert spans(read(draw_clip(clip, 100, texts), settings).items) == exact(texts)


def test_a_line_that_leaves_and_returns_is_two(clip: Path, settings: Settings) -> None:
    texts = [Text("Title", 0, 100), Text("Leaves and returns", 20, 45, y=150), Text("Leaves and returns", 65, 90, y=150)]
    assert spans(read(draw_clip(clip, 100, texts), settings).items) == exact(texts)


def test_screens_that_return_are_dated_anew_and_not_read_again(clip: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Text("Alpha 100", 0, 25), Text("Bravo 200", 25, 50), Text("Alpha 100", 50, 75), Text("Bravo 200", 75, 100)]
    reader = Counting(open_reader(settings))
    monkeypatch.setattr(stages.screen, "open_reader", lambda _: reader)
    assert spans(read(draw_clip(clip, 100, texts), settings).items) == exact(texts)
    assert reader.calls <= 4


@pytest.mark.parametrize("size", [12, 18, 40])
def test_every_step_of_a_counter_that_changes_one_digit(clip: Path, settings: Settings, size: int) -> None:
    texts = [Text(f"Counted so far: {digit}", 10 * place, 10 * place + 10, size=size) for place, digit in enumerate((3, 8, 6, 5, 9))]
    assert spans(read(draw_clip(clip, 50, texts), settings).items) == exact(texts)


def test_a_fade_is_dated_within_a_quarter_of_a_second(clip: Path, settings: Settings) -> None:
    texts = [Text("Half a second 12", 20, 70, fade=12), Text("Two seconds 34", 10, 130, y=200, fade=50)]
    found = read(draw_clip(clip, 140, texts), settings)
    assert_within(found.items, texts, ms=250)
    middle = {item.text: item.instant.ms for item in found}
    assert 1200 <= middle["Half a second 12"] <= 2400, "shown where it is whole"


def test_a_moving_cursor_does_not_multiply_lines(clip: Path, settings: Settings) -> None:
    texts = [Text("Point at 1250 grams here", 0, 120), Text("Second row of text 37", 0, 120, y=140)]

    def pointer(frame: int) -> tuple[int, int]:
        if frame < 20:
            return 20 + 10 * frame, 20 + 3 * frame
        if frame < 45:
            return 220, 80
        return (
            (220 - 8 * (frame - 45), 80 + 4 * (frame - 45))
            if frame < 60
            else (100, 146)
            if frame < 90
            else (100 + 10 * (frame - 90), 146 + 5 * (frame - 90))
        )

    assert spans(read(draw_clip(clip, 120, texts, pointer=pointer), settings).items) == exact(texts)


def test_a_line_that_is_typed_is_one_from_when_it_is_whole(clip: Path, settings: Settings) -> None:
    whole = "Typed 12 words"
    typed = [Text(whole[:length], 10 + 4 * length, 14 + 4 * length) for length in range(1, len(whole))]
    last = Text(whole, 10 + 4 * len(whole), 110)
    assert spans(read(draw_clip(clip, 110, [*typed, last]), settings).items) == exact([last])


def test_a_page_that_scrolls_keeps_its_lines(clip: Path, settings: Settings) -> None:
    rows = [f"Row number {row} of the list" for row in range(12)]

    def page(frame: int) -> Image.Image:
        image = plain()(frame)
        pen, gone = ImageDraw.Draw(image), max(0, min(160, 10 * (frame - 30)))
        for place, row in enumerate(rows):
            pen.text((40, 20 + 40 * place - gone), row, font=ImageFont.load_default(22), fill=(20, 20, 20))
        return image

    found = said(read(draw_clip(clip, 80, backdrop=page), settings).items)
    assert sorted(set(found)) == sorted(found), "no row is two lines"
    assert set(rows) <= set(found)


def test_captions_over_moving_pictures(clip: Path, settings: Settings) -> None:
    """Like the three subtitles in 2.5 s of film, the first for 0.37 s, that other tools lose (BUGS O18)."""
    texts = [
        Text("Empty space here", 1, 10, 300, shade=255),
        Text("I go to help him", 10, 28, 300, shade=255),
        Text("Carry on with it", 38, 63, 300, shade=255),
    ]
    found = read(draw_clip(clip, 64, texts, backdrop=scenery(), outlined=True), settings)
    assert_within(found.items, texts, ms=80)


def test_light_text_and_pale_text_on_dark(clip: Path, settings: Settings) -> None:
    texts = [Text("Light on dark 3.14", 10, 60, shade=230), Text("Hardly seen 88", 20, 60, y=150, shade=62)]
    assert spans(read(draw_clip(clip, 75, texts, backdrop=plain(30)), settings).items) == exact(texts)


def test_compression_flicker_does_not_multiply_lines(clip: Path, settings: Settings) -> None:
    texts = [Text("Coarsely encoded 1", 0, 125), Text("A second line of it", 40, 125, y=150)]
    assert_within(read(draw_clip(clip, 125, texts, crf=38, gop=25), settings).items, texts, ms=40)


def test_a_small_note_on_a_large_page_is_read(tmp_path: Path, settings: Settings) -> None:
    """BUGS O20: detectors that see the whole page at once overlook it."""
    page = Image.new("RGB", (1920, 1080), (245, 245, 245))
    ImageDraw.Draw(page).text((1500, 1010), "source: table 7 of 1929", font=ImageFont.load_default(13), fill=(60, 60, 60))
    import drawn

    original, drawn.SIZE = drawn.SIZE, (1920, 1080)
    try:
        video = draw_clip(tmp_path / "page.mp4", 5, backdrop=lambda frame: page, crf=12)
    finally:
        drawn.SIZE = original
    assert said(read(video, settings).items) == ["source: table 7 of 1929"]


def test_an_icon_that_looks_like_a_letter_is_not_believed(clip: Path, settings: Settings) -> None:
    texts = [Text("Q", 0, 30, x=300, y=40, size=60), Text("7", 0, 30, x=300, y=140, size=60), Text("Total 15", 0, 30, y=260)]
    found = read(draw_clip(clip, 30, texts), settings)
    assert [(item.text, item.distrust_reason) for item in found] == [("Q", "lone_sign"), ("7", ""), ("Total 15", "")]


def test_sound_that_goes_on_does_not_prolong_the_picture(clip: Path, settings: Settings) -> None:
    """What is on the last frame ends where its packet does."""
    video = draw_clip(clip, 25, [Text("Goodbye 12", 0, 25)])
    found = read(replace(video, timeline=Timeline(3000)), settings)
    assert {item.span.end.ms for item in found} == {1000}


def test_no_text_is_complete_and_said(clip: Path, settings: Settings) -> None:
    found = read(draw_clip(clip, 30), settings)
    coverage = found.coverage[Channel.TELA]
    assert (len(found), coverage.state, coverage.reason) == (0, CoverageState.COMPLETE, "no_text")


def test_a_picture_smaller_than_any_letter_is_a_frame_and_no_text(clip: Path, settings: Settings) -> None:
    with av.open(str(clip), "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 2, 2, "yuv420p"
        for _ in range(5):
            container.mux(stream.encode(av.VideoFrame.from_image(Image.new("RGB", (2, 2)))))
        container.mux(stream.encode())
    found = read_screen(video_of(clip, 500), settings, StageStore(clip.parent / "store"))
    assert [item.kind for item in found] == [Kind.FRAME]
    assert found.coverage[Channel.TELA].reason == "no_text"


def test_no_picture_is_complete_and_said(clip: Path, settings: Settings) -> None:
    video = replace(draw_clip(clip, 5), width=0, height=0, frame_ms=0.0)
    coverage = read(video, settings).coverage[Channel.TELA]
    assert (coverage.state, coverage.reason) == (CoverageState.COMPLETE, "no_video_stream")


def test_a_hole_in_the_file_is_an_unread_stretch(clip: Path, settings: Settings) -> None:
    texts = [Text("Before the hole 11", 0, 50), Text("After the hole 22", 50, 100)]
    video = draw_clip(clip, 100, texts, gop=10, backdrop=scenery())
    raw = bytearray(clip.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 3000] = bytes(3000)
    clip.write_bytes(raw)
    found = read(video, settings)
    coverage = found.coverage[Channel.TELA]
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "decode_error")
    assert all(0 < span.length_ms < 2500 for span in coverage.unread)
    assert {"Before the hole 11", "After the hole 22"} <= set(said(found.items))


def test_an_engine_that_breaks_leaves_what_was_read_and_is_asked_again(
    clip: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [Text("Read in time 1", 0, 40), Text("Never read 2", 40, 75)]
    video, reader = draw_clip(clip, 75, texts), open_reader(settings)
    monkeypatch.setattr(stages.screen, "open_reader", lambda _: Breaking(reader, after=1))
    found = read(video, settings)
    coverage = found.coverage[Channel.TELA]
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "engine_failed")
    assert "out of cards" in coverage.detail
    assert spans(found.items) == exact(texts[:1])
    assert coverage.unread[-1].end.ms == 3000
    monkeypatch.setattr(stages.screen, "open_reader", lambda _: reader)
    assert spans(read(video, settings).items) == exact(texts)


def test_an_engine_that_breaks_at_once_fails_the_channel(clip: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages.screen, "open_reader", lambda asked: Breaking(open_reader(asked), after=0))
    found = read(draw_clip(clip, 30, [Text("Never read", 0, 30)]), settings)
    assert (len(found), found.coverage[Channel.TELA].state) == (0, CoverageState.FAILED)


def test_an_unchanged_video_is_not_read_again(clip: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    video, seen = draw_clip(clip, 30, [Text("Read once 5", 0, 30)]), []
    store = StageStore(clip.parent / "store", lambda stage, reused: seen.append((stage, reused)))
    first = read_screen(video, settings, store)
    monkeypatch.delattr(stages.screen, "open_reader")
    assert read_screen(video, settings, store) == first
    assert seen == [("screen", False), ("screen", True)]


def test_progress_grows_to_1(clip: Path, settings: Settings) -> None:
    told: list[float] = []
    read_screen(draw_clip(clip, 10), settings, StageStore(clip.parent / "store"), told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_boxes_and_instants_show_the_line(clip: Path, settings: Settings) -> None:
    found = read(draw_clip(clip, 50, [Text("Where it stands 6", 10, 40, y=200)]), settings)
    (line,) = found.items
    assert line.box
    assert (round(line.box.y0 * 360), round(line.box.y1 * 360)) == (pytest.approx(204, abs=10), pytest.approx(232, abs=10))
    assert line.instant.ms % 40 == 20, "the middle of a frame"
    assert (line.engine.split()[0], line.model.split()[0]) == ("rapidocr", "PP-OCRv6-small")


def test_real_counter_to_the_frame(shared_media: Path, tmp_path: Path, settings: Settings) -> None:
    """Thirty frames at 10 a second, each with its number and time: every one is a text of its own (BUGS O18, VideOCR #11)."""
    video = video_of(shared_media / "container" / "PySceneDetect" / "counter.mp4")
    found = [item for item in read_screen(video, settings, StageStore(tmp_path / "store")) if item.kind is Kind.TEXT]
    wanted = [(text, 100 * n, 100 * n + 100) for n in range(30) for text in (f"Frame = {n + 1}", f"PTS = {n // 10}.{n % 10}s")]
    assert spans(found) == wanted


def test_real_silence_and_darkness(shared_media: Path, tmp_path: Path, settings: Settings) -> None:
    video = video_of(shared_media / "container" / "androidx" / "silent-black-10s.mp4")
    assert read_screen(video, settings, StageStore(tmp_path / "store")).coverage[Channel.TELA].reason == "no_text"


@pytest.mark.skipif(not TRUTH.is_file(), reason="the samples are not made")
@pytest.mark.parametrize("name", ["receita.mp4", "reunion.mp4", "lesson.mp4", "silencio.mp4"])
def test_every_text_of_the_samples(name: str, tmp_path: Path, settings: Settings) -> None:
    truth = next(video for video in json.loads(TRUTH.read_text())["videos"] if video["file"] == name)
    video = replace(video_of(SAMPLES / name), timeline=Timeline(truth["duration_ms"]))
    read_items = read_screen(video, settings, StageStore(tmp_path / "store"))
    left = [item for item in read_items if item.kind is Kind.TEXT and item.trusted]
    for text in truth["screen"]:
        frame = 1000 / truth["fps"]
        near = [item for item in left if abs(item.span.start.ms - text["first_ms"]) <= 2 * frame]
        best = max(near, key=lambda item: fuzz.ratio(item.text, text["text"]))
        assert fuzz.ratio(best.text, text["text"]) >= 95, text
        assert abs(best.span.end.ms - (text["last_ms"] + frame)) <= 2 * frame, text
        left.remove(best)
    assert left == [], "texts that are not there"


class Counting:
    """A reader that counts how often it is asked."""

    def __init__(self, reader: ScreenReader) -> None:
        self.name, self.model, self._reader, self.calls = reader.name, reader.model, reader, 0

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        self.calls += 1
        return self._reader.read(image)

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        self.calls += len(crops)
        return self._reader.recognise(crops)


class Breaking(Counting):
    """A reader whose engine breaks when it is asked once more than `after` times."""

    def __init__(self, reader: ScreenReader, after: int) -> None:
        super().__init__(reader)
        self._after = after

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        if self.calls >= self._after:
            raise EngineFailed("out of cards")
        return super().read(image)
