"""In real browsers, offline, from a folder with an awkward name: links land on their frame; one that cannot be right does not move."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driven import TIME, address, at_ms, draw, open_page, told, until
from PIL import Image
from pypdf import PdfReader
from rapidfuzz import fuzz
from report_case import FIVE_SLIDES, FRAME_MS, SPOKEN, delivered, delivered_slides

from stages.engines.screen_reader import open_reader
from stages.settings import Settings

INSTANTS = {f"C-{n:04d}": start + 1020 for n, (_, start, _) in enumerate(FIVE_SLIDES, start=1)} | {"C-0006": SPOKEN[1] + 300}


def _copied(bundle: Path, folder: Path) -> Path:
    return Path(shutil.copytree(bundle, folder / "pasta nº 3 #final ñ"))


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return _copied(delivered(), tmp_path)


@pytest.fixture
def slides(tmp_path: Path) -> Path:
    return _copied(delivered_slides(), tmp_path)


def _pdf_targets(bundle: Path) -> set[str]:
    notes = [note.get_object() for page in PdfReader(bundle / "report.pdf").pages for note in page.get("/Annots", [])]
    return {str(note["/A"]["/URI"]) for note in notes if note.get("/A", {}).get("/S") == "/URI"}


def _read_again(page: Any) -> str:
    """The picture that the player shows, read by the screen reader."""
    until(page, "document.getElementById('player').readyState > 1 && !document.getElementById('player').seeking")
    page.wait_for_timeout(300)  # the frame is painted after the seek has ended
    picture = Image.open(io.BytesIO(page.locator("#player").screenshot())).convert("RGB")
    lines = open_reader(Settings(out=Path("/"), ocr="rapidocr")).read(np.asarray(picture))
    return " ".join(line.text for line in lines)


def test_every_link_of_the_pdf_and_the_page_lands_within_one_frame_and_shows_its_words(browser: Any, slides: Path) -> None:
    targets = _pdf_targets(slides)
    assert len(targets) == len(INSTANTS)
    landed = {}
    page = open_page(browser, "about:blank", viewport={"width": 1900, "height": 1400})
    for target in sorted(targets):
        page.goto(address(slides / target))
        page.wait_for_url("**/report.html#C-*")
        claim = page.url.rpartition("#")[2]
        told(page, claim)
        landed[f"pdf {claim}"] = at_ms(page), INSTANTS[claim]
        assert "current" in page.get_attribute(f"#{claim}", "class")
        if claim != "C-0006":
            quote = FIVE_SLIDES[int(claim[2:]) - 1][0]
            assert fuzz.partial_ratio(quote.replace(" ", ""), _read_again(page).replace(" ", "")) >= 85, quote
    for claim, instant in INSTANTS.items():
        page.evaluate(f"{TIME} = 0")
        page.click(f"[data-seek={claim}]")
        told(page, claim)
        until(page, f"{TIME} > 0")
        landed[f"page {claim}"] = at_ms(page), instant
    lines = page.evaluate("[...document.querySelectorAll('[data-line]')].map((a) => [a.dataset.line, a.closest('li').dataset.ms])")
    assert len(lines) == len(FIVE_SLIDES) + 1
    for name, instant in lines:
        page.evaluate(f"{TIME} = 0")
        page.evaluate(f"document.querySelector('[data-line={name}]').click()")
        until(page, f"{TIME} > 0")
        landed[f"line {name}"] = at_ms(page), int(instant)
    values = page.evaluate("[...document.querySelectorAll('[data-at]')].map((a) => Number(a.dataset.at))")
    for number, instant in enumerate(values):
        page.evaluate(f"{TIME} = 0")
        page.locator("[data-at]").nth(number).click()
        until(page, f"{TIME} > 0")
        landed[f"contradiction {number}"] = at_ms(page), instant
    page.context.close()
    good = [name for name, (ms, wanted) in landed.items() if abs(ms - wanted) < FRAME_MS]
    print(f"{browser.browser_type.name} {browser.version}: {len(good)} of {len(landed)} links land within one frame")
    assert len(good) == len(landed), landed


def test_a_mark_a_code_and_the_same_link_again_move_the_player(browser: Any, bundle: Path) -> None:
    page = open_page(browser, address(bundle / "report.html"))
    page.fill("#code", "c2")
    page.press("#code", "Enter")
    told(page, "C-0002")
    assert abs(at_ms(page) - 1300) < FRAME_MS
    page.click(".timeline a[href='#C-0001'] .mark")
    told(page, "C-0001")
    assert abs(at_ms(page) - 1020) < FRAME_MS
    page.evaluate(f"{TIME} = 5")
    page.click("[data-seek=C-0001]")  # the address is already there: the player moves all the same
    until(page, f"{TIME} < 2")
    page.fill("#code", "C-0077")
    page.press("#code", "Enter")
    told(page, "C-0077")
    assert abs(at_ms(page) - 1020) < FRAME_MS
    page.context.close()


def test_a_claim_that_was_not_read_moves_nothing_and_says_why(browser: Any, bundle: Path) -> None:
    page = open_page(browser, address(bundle / "report.html", "#C-0005"))
    assert "não tem instante" in told(page)
    assert at_ms(page) == 0
    assert page.locator("#C-0005 .at, #C-0004 .at, #C-0006 .at").count() == 0
    page.context.close()


def test_a_wrong_file_does_not_move_and_says_why(browser: Any, bundle: Path) -> None:
    """The second lock, at the reader's side: nothing there, no video, too short, too long, another picture."""
    media = bundle / "media/bolo.mp4"
    page = open_page(browser, "about:blank")

    def says(claim: str) -> str:
        page.goto("about:blank")
        page.goto(address(bundle / "report.html", f"#{claim}"))
        said = told(page)
        assert "refused" in page.get_attribute("#status", "class")
        assert float(page.evaluate(TIME)) == 0
        return said

    media.unlink()
    assert "não está ao lado" in says("C-0001")
    media.write_text("not a video")
    assert "não pôde ser aberto" in says("C-0001")
    draw(media, 2)
    assert "além do fim" in says("C-0003")
    assert "dura 00:00:02.000" in says("C-0001")
    draw(media, 30)
    assert "Não é o mesmo arquivo" in says("C-0003")
    draw(media, 6, size="320x240")
    assert "tem 320 × 240" in says("C-0003")
    page.context.close()


def test_the_words_of_a_spoken_claim_are_played_and_no_more(chromium: Any, bundle: Path) -> None:
    page = open_page(chromium, address(bundle / "report.html"))
    page.click("[data-play=C-0002]")
    until(page, f"{TIME} > 1.8 && document.getElementById('player').paused")
    assert 1800 < at_ms(page) < 2600, "the words end at 1.9 s"
    page.context.close()


def test_without_script_every_time_is_a_link_into_the_video(chromium: Any, bundle: Path) -> None:
    page = open_page(chromium, address(bundle / "report.html"), java_script_enabled=False)
    for element in ("#find", ".steps", ".play", "#filter", "#keys", ".follow"):
        assert not page.locator(element).first.is_visible(), element
    links = [link.get_attribute("href") for link in page.locator(".claim a.at").all()]
    assert links == ["media/bolo.mp4#t=1.020", "media/bolo.mp4#t=1.300", "media/bolo.mp4#t=4.020"]
    assert page.locator(".line a.at").count() == 3
    page.context.close()
    page = open_page(chromium, address(bundle / "media/bolo.mp4", "#t=4.020"))
    until(page, "document.querySelector('video').played.length > 0")  # a browser starts a video that it opens alone
    assert abs(float(page.evaluate("document.querySelector('video').played.start(0)")) * 1000 - 4020) < FRAME_MS
    page.context.close()


def test_the_frame_at_a_link_is_clear_of_the_controls_and_nothing_overflows(browser: Any, bundle: Path) -> None:
    page = open_page(browser, address(bundle / "report.html", "#C-0003"), viewport={"width": 1280, "height": 800})
    told(page)
    picture, whole, content, window = page.evaluate(
        "(() => { const v = document.getElementById('player'), b = v.getBoundingClientRect();"
        "return [b.width * v.videoHeight / v.videoWidth, b.height, document.documentElement.scrollWidth, innerWidth]; })()"
    )
    assert whole - picture > 60, "the controls have room below the picture"
    assert content <= window, "nothing overflows sideways"
    page.context.close()
