"""In a real browser, offline, from a folder with an awkward name: links land on their frame; one that cannot be right does not move."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from pypdf import PdfReader
from report_case import FRAME_MS, delivered

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
Browser, Page = playwright.Browser, playwright.Page

_CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(_CHROMIUM is None, reason="chromium is not installed")

READ = {"C-0001": 1020, "C-0002": 1300, "C-0003": 4020}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return Path(shutil.copytree(delivered(), tmp_path / "pasta nº 3 #final ñ"))


def _url(path: Path) -> str:
    return "file://" + quote(str(path))


def _open(browser: Browser, address: str, **options: object) -> Page:
    """A page whose network is off and whose errors fail the test."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.on("console", lambda line: pytest.fail(f"the browser complains: {line.text}") if "Content Security" in line.text else None)
    page.goto(address)
    return page


def _until(page: Page, condition: str) -> None:
    """Playwright's own waiting evaluates text inside the page, which the page's policy forbids to anybody."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never came true: {condition}")


def _told(page: Page) -> str:
    """What the player says, once it says something."""
    _until(page, "document.getElementById('status').textContent !== ''")
    return str(page.text_content("#status"))


def _at_ms(page: Page) -> float:
    _until(page, "!document.getElementById('player').seeking")
    return float(page.evaluate("document.getElementById('player').currentTime")) * 1000


def _clip(target: Path, seconds: int) -> None:
    source = ["-f", "lavfi", "-i", f"color=white:s=64x36:r=25:d={seconds}"]
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", *source, "-pix_fmt", "yuv420p", str(target)], check=True, timeout=60)


def _pdf_targets(bundle: Path) -> set[str]:
    notes = [note.get_object() for page in PdfReader(bundle / "report.pdf").pages for note in page.get("/Annots", [])]
    addresses = [str(note["/A"]["/URI"]) for note in notes if note.get("/A", {}).get("/S") == "/URI"]
    return {address for address in addresses if not address.startswith("https://")}


def test_every_link_of_the_pdf_lands_within_one_frame_of_its_instant(browser: Browser, bundle: Path) -> None:
    targets = _pdf_targets(bundle)
    assert len(targets) == len(READ)
    landed = {}
    for target in targets:
        page = _open(browser, _url(bundle / target))
        page.wait_for_url("**/report.html#C-*")
        claim = page.url.rpartition("#")[2]
        assert claim in _told(page)
        landed[claim] = _at_ms(page)
        assert page.locator(f"#{claim}").is_visible() and "current" in str(page.get_attribute(f"#{claim}", "class"))
        page.context.close()
    assert set(landed) == set(READ)
    assert all(abs(landed[claim] - READ[claim]) < FRAME_MS for claim in READ), landed


def test_clicking_a_time_a_mark_or_typing_a_code_moves_the_player(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html"))
    page.click("[data-seek=C-0003]")
    _until(page, "document.getElementById('status').textContent.includes('C-0003')")
    assert abs(_at_ms(page) - 4020) < FRAME_MS
    page.fill("#code", "c2")
    page.press("#code", "Enter")
    _until(page, "document.getElementById('status').textContent.includes('C-0002')")
    assert abs(_at_ms(page) - 1300) < FRAME_MS
    page.click(".timeline a[href='#C-0001']")
    _until(page, "document.getElementById('status').textContent.includes('C-0001')")
    assert abs(_at_ms(page) - 1020) < FRAME_MS
    page.evaluate("document.getElementById('player').currentTime = 5")
    page.click("[data-seek=C-0001]")  # the address is already there: the player moves all the same
    _until(page, "document.getElementById('player').currentTime < 2")
    page.fill("#code", "C-0077")
    page.press("#code", "Enter")
    _until(page, "document.getElementById('status').textContent.includes('C-0077')")
    assert abs(_at_ms(page) - 1020) < FRAME_MS


def test_a_claim_that_was_not_read_moves_nothing_and_says_why(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html") + "#C-0005")
    assert "não tem instante" in _told(page)
    assert _at_ms(page) == 0
    assert page.locator("#C-0005 .at, #C-0004 .at, #C-0006 .at").count() == 0


def test_the_words_of_a_spoken_claim_are_played_and_no_more(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html"))
    page.click("[data-play=C-0002]")
    _until(page, "document.getElementById('player').currentTime > 1.8 && document.getElementById('player').paused")
    assert 1800 < _at_ms(page) < 2600, "the words end at 1.9 s"


def test_without_script_every_time_is_a_link_into_the_video(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html"), java_script_enabled=False)
    for element in ("#find", ".steps", ".play"):
        assert not page.locator(element).first.is_visible()
    links = [str(link.get_attribute("href")) for link in page.locator("a.at").all()]
    assert links == ["media/bolo.mp4#t=1.020", "media/bolo.mp4#t=1.300", "media/bolo.mp4#t=4.020"]
    assert page.locator(".claim:target").count() == 0
    page.context.close()
    page = _open(browser, _url(bundle / "media/bolo.mp4") + "#t=4.020")
    _until(page, "document.querySelector('video').played.length > 0")  # a browser starts a video that it opens alone
    assert abs(float(page.evaluate("document.querySelector('video').played.start(0)")) * 1000 - 4020) < FRAME_MS


@pytest.mark.parametrize(
    ("seconds", "claim", "said"),
    [
        (None, "C-0001", "não está ao lado"),
        (2, "C-0003", "além do fim"),
        (2, "C-0001", "Não é o mesmo arquivo"),
        (30, "C-0003", "Não é o mesmo arquivo"),
    ],
)
def test_the_second_lock_a_wrong_file_does_not_move_and_says_why(
    browser: Browser, bundle: Path, seconds: int | None, claim: str, said: str
) -> None:
    (bundle / "media/bolo.mp4").unlink()
    if seconds is not None:
        _clip(bundle / "media/bolo.mp4", seconds)
    page = _open(browser, _url(bundle / "report.html") + f"#{claim}")
    assert said in _told(page)
    assert "refused" in str(page.get_attribute("#status", "class"))
    assert float(page.evaluate("document.getElementById('player').currentTime")) == 0


def test_a_file_that_is_no_video_does_not_move_and_says_why(browser: Browser, bundle: Path) -> None:
    (bundle / "media/bolo.mp4").write_text("not a video")
    page = _open(browser, _url(bundle / "report.html") + "#C-0001")
    assert "não pôde ser aberto" in _told(page)


def test_the_frame_at_a_link_shows_the_quoted_text_clear_of_the_controls(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html") + "#C-0003", viewport={"width": 1280, "height": 800})
    _told(page)
    shape = json.loads(
        page.evaluate(
            "(() => { const v = document.getElementById('player'), b = v.getBoundingClientRect();"
            "const page = document.documentElement.scrollWidth;"
            "return JSON.stringify([b.width * v.videoHeight / v.videoWidth, b.height, page, innerWidth]); })()"
        )
    )
    picture, whole, content, window = shape
    assert whole - picture > 60, "the controls have room below the picture"
    assert content <= window, "nothing overflows sideways"


def test_everything_is_reached_with_the_keyboard(browser: Browser, bundle: Path) -> None:
    page = _open(browser, _url(bundle / "report.html"))
    page.focus("[data-seek=C-0003]")
    page.keyboard.press("Enter")
    _until(page, "document.getElementById('status').textContent.includes('C-0003')")
    assert page.evaluate("[...document.querySelectorAll('button, a, input')].every((part) => part.tabIndex >= 0)")
    assert page.evaluate("[...document.querySelectorAll('button, input')].every((part) => part.textContent.trim() || part.labels.length)")
