"""What every screen reader must do, held by each engine with its real weights.

EasyOCR lives in an environment of its own (`scripts/easyocr-contract`); `FRAME_ORACLE_OCR_ENGINES=easyocr` makes it run there, and an
engine named so is never skipped.
"""

from __future__ import annotations

import importlib.util
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz import fuzz

from stages.engines.screen_reader import ScreenReader, TextLine, identify_reader, open_reader
from stages.models import is_present
from stages.settings import Settings

FORCED = tuple(filter(None, os.environ.get("FRAME_ORACLE_OCR_ENGINES", "").split(",")))
INK, PAPER = (25, 25, 30), (245, 245, 240)


@pytest.fixture(scope="module", params=FORCED or ("rapidocr", "easyocr"))
def reader(request: pytest.FixtureRequest) -> Iterator[ScreenReader]:
    name: str = request.param
    if not FORCED and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed here")
    if not FORCED and name == "easyocr" and not is_present("easyocr-english"):
        pytest.skip("EasyOCR's weights were not fetched")
    settings = Settings(out=Path("/nowhere"), ocr=name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _no_network)
        opened = open_reader(settings)
        assert (opened.name, opened.model) == identify_reader(settings)
        yield opened


def _no_network(*_: object) -> None:
    raise AssertionError("a screen reader must not use the network")


def drawn(
    *lines: str, size: int = 30, width: int = 640, ink: tuple[int, int, int] = INK, paper: tuple[int, int, int] = PAPER
) -> NDArray[np.uint8]:
    """A picture with one line under the other."""
    image = Image.new("RGB", (width, 40 + len(lines) * 2 * size), paper)
    pen = ImageDraw.Draw(image)
    for place, line in enumerate(lines):
        pen.text((40, 20 + place * 2 * size), line, font=ImageFont.load_default(size), fill=ink)
    return np.asarray(image)


def texts(lines: list[TextLine]) -> list[str]:
    return [line.text for line in lines]


def digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def likeness(found: list[TextLine], wanted: str) -> float:
    return fuzz.ratio(" ".join(texts(found)), wanted)


def test_reads_lines_from_top_to_bottom_with_exact_digits(reader: ScreenReader) -> None:
    wanted = ["Oven 180 for 35 minutes", "Flour 500 grams", "Price 1234.56"]
    found = reader.read(drawn(*wanted))
    assert [digits(text) for text in texts(found)] == [digits(line) for line in wanted]
    assert likeness(found, " ".join(wanted)) >= 95


def test_boxes_surround_their_line_and_lie_inside_the_picture(reader: ScreenReader) -> None:
    picture = drawn("Upper line 12", "Lower line 34")
    height, width = picture.shape[:2]
    upper, lower = (line.box for line in reader.read(picture))
    for x0, y0, x1, y1 in (upper, lower):
        assert 0 <= x0 < x1 <= width
        assert 0 <= y0 < y1 <= height
        ink = (picture[int(y0) : round(y1), int(x0) : round(x1)] < 128).any(2)
        assert ink.sum() >= 0.95 * (picture[:80] < 128).any(2).sum() * 0.8
    assert upper[3] <= lower[1] + 8


def test_text_at_the_edge_keeps_its_box_inside(reader: ScreenReader) -> None:
    picture = drawn("Cut at the edge 77")[:, 42:250]
    for line in reader.read(picture):
        assert 0 <= line.box[0] < line.box[2] <= picture.shape[1]


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_an_empty_picture_has_no_lines(reader: ScreenReader, shade: int) -> None:
    assert reader.read(np.full((360, 640, 3), shade, np.uint8)) == []


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 500, 3), (500, 2, 3), (0, 10, 3)])
def test_a_picture_too_small_for_text_is_no_error(reader: ScreenReader, shape: tuple[int, int, int]) -> None:
    assert reader.read(np.zeros(shape, np.uint8)) == []


def test_confidence_is_between_0_and_1_and_high_for_clear_text(reader: ScreenReader) -> None:
    found = reader.read(drawn("Clear text 90210"))
    assert all(0 <= line.confidence <= 1 for line in found)
    assert min(line.confidence for line in found) > 0.6


def test_same_picture_same_lines(reader: ScreenReader) -> None:
    picture = drawn("Read it twice 246", "and once more 135")
    assert reader.read(picture) == reader.read(picture)


def test_light_text_on_dark(reader: ScreenReader) -> None:
    assert digits(" ".join(texts(reader.read(drawn("Batch 48 of 73", ink=(235, 235, 235), paper=(20, 20, 30)))))) == "4873"


def test_the_picture_is_taken_as_rgb(reader: ScreenReader) -> None:
    """Red on blue of one brightness when taken as RGB: taken as BGR, what is dark and what is light change places, and nothing else."""
    picture = drawn("Red on green 615", ink=(230, 20, 20), paper=(20, 90, 20))
    assert digits(" ".join(texts(reader.read(picture)))) == "615"


def test_a_view_that_is_not_contiguous_reads_like_its_copy(reader: ScreenReader) -> None:
    wide = np.zeros((200, 1400, 3), np.uint8)
    wide[:, ::2] = np.pad(drawn("Every other column 808"), ((50, 50), (0, 60), (0, 0)), mode="edge")[:200]
    view = wide[:, ::2]
    assert not view.flags.c_contiguous
    assert reader.read(view) == reader.read(view.copy())
    assert digits(" ".join(texts(reader.read(view)))) == "808"


def test_a_read_only_picture_is_left_alone(reader: ScreenReader) -> None:
    picture = drawn("Only to be read 31")
    picture.setflags(write=False)
    before = picture.copy()
    reader.read(picture)
    assert (picture == before).all()


def test_small_text_on_a_large_picture_is_not_shrunk_away(reader: ScreenReader) -> None:
    picture = np.full((1656, 3022, 3), 245, np.uint8)
    note = drawn("footnote 7 of 1929", size=18, width=400)
    picture[1500 : 1500 + note.shape[0], 2400:2800] = note
    assert "71929" in digits(" ".join(texts(reader.read(picture))))


def test_recognises_one_line_crops(reader: ScreenReader) -> None:
    first, second = drawn("Total 4711")[10:70, 20:300], drawn("Sum 0815")[10:70, 20:300]
    found = reader.recognise([first, second])
    assert [digits(text) for text, _ in found] == ["4711", "0815"]
    assert all(0.5 < confidence <= 1 for _, confidence in found)


def test_recognising_nothing_gives_nothing(reader: ScreenReader) -> None:
    assert reader.recognise([]) == []
    assert reader.recognise([np.zeros((0, 30, 3), np.uint8)]) == [("", 0.0)]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("EasyOCR/english.png", "Reduce your risk of coronavirus infection: Clean hands with soap and water"),
        ("RapidOCR/en.jpg", "annotation set that contains 46K shots from 7858 movies"),
    ],
)
def test_real_pictures(reader: ScreenReader, shared_media: Path, name: str, wanted: str) -> None:
    found = reader.read(np.asarray(Image.open(shared_media / "images" / name).convert("RGB")))
    assert fuzz.partial_ratio(wanted, " ".join(texts(found))) >= 90


def test_a_real_picture_without_text(reader: ScreenReader, shared_media: Path) -> None:
    assert reader.read(np.asarray(Image.open(shared_media / "images" / "RapidOCR" / "empty_black.jpg").convert("RGB"))) == []
