"""What a reader does with the page besides following links: read along, filter, use the keyboard; and whether everybody can."""

from __future__ import annotations

import io
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tinyhtml5
from axe_playwright_python.sync_playwright import Axe
from driven import TIME, address, at_ms, open_page, told, until
from report_case import FRAME_MS, TEXTS, delivered, make_case

_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
_SHOWN = "[...document.querySelectorAll('.claim:not([hidden])')].map((claim) => claim.id).sort()"


@pytest.fixture
def page(chromium: Any) -> Any:
    opened = open_page(chromium, address(delivered() / "report.html"), viewport={"width": 1280, "height": 800})
    yield opened
    opened.context.close()


def test_the_transcript_follows_the_player_and_the_player_the_transcript(page: Any) -> None:
    page.click("[data-line=T-000002]")
    told(page)
    assert abs(at_ms(page) - 4020) < FRAME_MS
    until(page, "document.querySelector('.line.current')?.id === 'T-000002'")
    page.evaluate(f"{TIME} = 1.5")
    until(page, "[...document.querySelectorAll('.line.current')].map((line) => line.id).join() === 'T-000001,F-000001'")


def test_captions_are_the_words_of_the_speech(page: Any) -> None:
    page.click("#captions")
    until(page, "document.getElementById('captions').ariaPressed === 'true'")
    cues = page.evaluate("[...document.getElementById('player').textTracks[0].cues].map((cue) => [cue.startTime, cue.endTime, cue.text])")
    assert cues == [[1, 2.5, "junte quinhentos gramas de farinha"]]


def test_claims_are_filtered_by_base_question_and_words(page: Any) -> None:
    assert page.evaluate(_SHOWN) == [f"C-{n:04d}" for n in range(1, 7)]
    page.uncheck("[name=base][value=tela]")
    assert page.evaluate(_SHOWN) == ["C-0002", "C-0004", "C-0005", "C-0006"]
    page.select_option("#filter-question", "2")
    assert page.evaluate(_SHOWN) == ["C-0006"]
    page.select_option("#filter-question", "")
    page.check("[name=base][value=tela]")
    page.fill("#filter-text", "TRIGO sao")  # accents and case do not count
    assert page.evaluate(_SHOWN) == ["C-0001"]
    assert page.inner_text("#filter-shown") == "1 de 6 afirmações"
    page.fill("#filter-text", "congelar")  # a word of the question alone
    assert page.evaluate(_SHOWN) == ["C-0006"]
    page.fill("#code", "3")
    page.press("#code", "Enter")  # a link to a claim that the filter hides shows it
    told(page, "C-0003")
    assert page.locator("#C-0003").is_visible()


def test_the_keyboard_does_everything_and_can_be_left_alone(page: Any) -> None:
    def press(key: str, condition: str) -> None:
        page.keyboard.press(key)
        until(page, condition)

    press("?", "document.getElementById('keys').open")
    assert page.locator("kbd").first.is_visible()
    press("l", "location.hash === '#C-0001'")
    told(page, "C-0001")
    press("l", "location.hash === '#C-0002'")
    press("j", "location.hash === '#C-0001'")
    until(page, f"Math.abs({TIME} - 1.02) < 0.01")
    press(".", f"Math.abs({TIME} - 1.06) < 0.01")
    press(",", f"Math.abs({TIME} - 1.02) < 0.01")
    page.focus("#player")  # the player has keys of its own: ours move it once
    press("ArrowRight", f"{TIME} > 5.9")
    press("ArrowLeft", f"Math.abs({TIME} - 1) < 0.05")
    press("s", "document.getElementById('captions').ariaPressed === 'true'")
    press("t", "!document.getElementById('follow').checked")
    press("k", "!document.getElementById('player').paused")
    press("k", "document.getElementById('player').paused")
    press("/", "document.activeElement.id === 'filter-text'")
    page.keyboard.type("c")
    assert page.input_value("#filter-text") == "c", "keys are letters where one types"
    page.uncheck("#keys-on")
    page.keyboard.press("c")
    assert page.evaluate("document.activeElement.id") == "keys-on"
    page.focus("[data-seek=C-0003]")
    page.keyboard.press("Enter")
    told(page, "C-0003")
    assert page.evaluate("[...document.querySelectorAll('button, input, select')].every((part) => part.tabIndex >= 0)")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 420)])
def test_axe_finds_nothing(chromium: Any, scheme: str, width: int) -> None:
    page = open_page(chromium, address(delivered() / "report.html", "#C-0002"), color_scheme=scheme, bypass_csp=True)
    told(page)
    page.evaluate("document.getElementById('keys').open = true")
    page.set_viewport_size({"width": width, "height": 800})
    found = Axe().run(page, options=_RULES)
    assert found.violations_count == 0, found.generate_report()
    page.context.close()


def test_hostile_text_everywhere_makes_no_element_and_runs_nothing(chromium: Any, tmp_path: Path) -> None:
    hostile = """</script></style></title><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>"' {{7*7}} <!-- \u202e"""
    folders = [
        make_case(**dict.fromkeys(TEXTS, hostile)).deliver(tmp_path / "h").folder,
        make_case(**dict.fromkeys(TEXTS, "palavras")).deliver(tmp_path / "p").folder,
    ]
    counts = []
    for folder in folders:
        page = open_page(chromium, address(folder / "report.html", "#C-0001"))
        page.on("dialog", lambda dialog: pytest.fail(f"something ran: {dialog.message}"))
        told(page, "C-0001")
        page.fill("#code", hostile[:12])
        page.press("#code", "Enter")
        names = page.evaluate("[...document.querySelectorAll('*')].map((element) => element.localName)")
        attributes = page.evaluate("[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())")
        parsed = tinyhtml5.parse(io.BytesIO((folder / "report.html").read_bytes()))
        assert Counter(names) == Counter(str(element.tag).split("}")[-1] for element in parsed.iter())
        counts.append((Counter(names), Counter(attributes)))
        page.context.close()
    assert counts[0] == counts[1]
    shutil.rmtree(tmp_path)
