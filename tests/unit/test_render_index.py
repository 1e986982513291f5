"""The index of a batch: one row per video, delivered or not, every name escaped."""

from __future__ import annotations

import io

import tinyhtml5

from stages.batch_record import BatchRecord, Status, VideoRow
from stages.render import render_index

_ROWS = (
    VideoRow(
        "aula.mp4", "aula", Status.DELIVERED, duration_ms=3_723_004, bundle="aula", claims={"tela": 3, "fala": 2, "nao_consta": 1}, gaps=1,
        links=5, links_verified=4,
    ),
    VideoRow("<img src=x>.mp4", "img", Status.FAILED, stage="ingest", code="not_media", message="<b>not</b> a video.", hint="Look at it."),
)  # fmt: skip


def test_a_row_says_what_was_delivered_and_links_to_it() -> None:
    page = render_index(BatchRecord(_ROWS), "pt")
    for part in ('href="./aula/report.html"', 'href="./aula/report.pdf"', "01:02:03.004", "5 · 1", "4/5", "2 vídeos."):
        assert part in page


def test_a_video_that_failed_says_why_and_no_name_becomes_an_element() -> None:
    page = render_index(BatchRecord(_ROWS), "es")
    assert "no entregado" in page and "&lt;b&gt;not&lt;/b&gt; a video. Look at it." in page
    tags = [str(element.tag).split("}")[-1] for element in tinyhtml5.parse(io.BytesIO(page.encode())).iter()]
    assert not {"img", "b"}.intersection(tags) and tags.count("script") == 1, "only the page's own script"


def test_an_empty_batch_is_a_page_too() -> None:
    assert "No videos." in render_index(BatchRecord(()), "en")


def test_without_a_language_the_index_speaks_that_of_most_reports() -> None:
    rows = tuple(VideoRow(f"{n}.mp4", f"v{n}", Status.DELIVERED, bundle=f"v{n}", language=tag) for n, tag in enumerate(("es", "pt", "es")))
    assert "3 vídeos. Un informe por vídeo." in render_index(BatchRecord(rows), "")
