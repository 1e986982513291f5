"""The index of a batch and the page for mail in a real browser, offline: claims are found across videos, clips play from the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.batch_record import BatchRecord, Status, VideoRow
from stages.deep_link import LinkCheck
from stages.findings import Stated
from stages.render import render_index
from stages.report import build_view
from stages.settings import Settings
from stages.single_file import write_single_file
from stages.view import Proof
from tests.report_case import clip, make_case

_HOSTILE = '</script><img src=x onerror="window.fooled=1">'


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    opened = chromium.new_context(offline=True).new_page()
    opened.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    yield opened
    opened.context.close()


def test_claims_are_found_across_videos_without_accents_and_in_any_order(page: Any, tmp_path: Path) -> None:
    def row(name: str, *texts: str) -> VideoRow:
        stated = tuple(Stated(f"C-{number:04d}", "tela", text, "Quanto?", 1000) for number, text in enumerate(texts, start=1))
        return VideoRow(name, name, Status.DELIVERED, bundle=name, language="pt", stated=stated)

    record = BatchRecord((row("bolo", "Três xícaras de fubá", _HOSTILE), row("pão", "Uma xícara de água")))
    path = tmp_path / "index.html"
    path.write_text(render_index(record, "pt"), encoding="utf-8")
    page.goto(path.as_uri())
    page.fill("#words", "FUBA tres")
    assert page.locator(".every tr:visible").all_inner_texts()[0].startswith("bolo")
    assert page.inner_text("#found") == "1 de 3 afirmações"
    page.fill("#words", "xicara")
    assert page.inner_text("#found") == "2 de 3 afirmações"
    page.fill("#words", "quanto")  # a word of the question
    assert page.inner_text("#found") == "3 de 3 afirmações"
    assert page.evaluate("window.fooled") is None and page.locator("img").count() == 0


def test_nothing_is_wider_than_a_telephone(page: Any, tmp_path: Path) -> None:
    stated = (Stated("C-0001", "fala", "A garantia de funcionamento do equipamento é de dois anos", "Qual é a garantia?", 61_000),)
    good = VideoRow(
        "reunião " * 9 + ".mp4", "a", Status.DELIVERED, bundle="a", language="pt", stated=stated, claims={"fala": 1}, seal="medium"
    )
    rows = (good, VideoRow("b" * 90, "b", Status.FAILED, message="b" * 90 + ": is not a video.", hint="Give one."), good)
    path = tmp_path / "index.html"
    path.write_text(render_index(BatchRecord(rows), "pt"), encoding="utf-8")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(path.as_uri())
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.screenshot(path=tmp_path / "phone.png", full_page=True)


def test_the_clips_of_the_page_for_mail_open_at_their_instant(page: Any, tmp_path: Path) -> None:
    case = make_case(fora=_HOSTILE)
    proofs = {claim.id: Proof(LinkCheck()) for claim in case.findings.read}
    view = build_view(case.video, case.evidence, case.findings, Settings(out=tmp_path), case.brief, proofs)
    write_single_file(tmp_path / "page.html", view, clip(), 20_000_000)
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_function("() => [...document.querySelectorAll('video')].every((video) => video.readyState > 1)")
    assert page.evaluate("[...document.querySelectorAll('video')].map((video) => video.currentTime)") == [1.02, 1.3, 1.5]
    assert page.evaluate("window.fooled") is None
