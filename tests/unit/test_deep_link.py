"""Every form of address lands at the instant, and only there."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from report_case import make_evidence, read_claim

from stages.deep_link import DeepLink, deep_link, proof_path, quoted_span, web_address


def _link(claim_id: str = "C-0007", **places: str) -> DeepLink:
    return deep_link(read_claim(make_evidence(), claim_id, "T-000001", "500 g", "500 g"), "bolo", **places)


def test_the_paths_of_one_claim() -> None:
    link = _link()
    assert (link.anchor, link.page, link.media, link.web) == ("C-0007", "go/c0007.html", "media/bolo.mp4#t=1.020", "")
    assert proof_path("C-0007") == "proof/c0007.jpg"
    assert _link("C-12345").page == "go/c12345.html"


def test_the_form_for_pdf_viewers() -> None:
    """Chrome's viewer prepends http:// to `go.x.html/…`; SumatraPDF drops a fragment."""
    first = _link().pdf.split("/")[0]
    assert first.startswith(".")
    assert "#" not in _link().pdf


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://www.youtube.com/watch?v=abc", "https://www.youtube.com/watch?v=abc&t=5025s"),
        ("https://www.youtube.com/watch?v=abc&t=3s&list=x#t=9", "https://www.youtube.com/watch?v=abc&list=x&t=5025s"),
        ("https://youtu.be/abc?t=3", "https://youtu.be/abc?t=5025s"),
        ("https://m.youtube.com/watch?v=abc", "https://m.youtube.com/watch?v=abc&t=5025s"),
        ("https://vimeo.com/1234#t=3s", "https://vimeo.com/1234#t=5025s"),
        ("https://example.org/a%20b/aula.mp4?x=1#t=9", "https://example.org/a%20b/aula.mp4?x=1#t=5025.999"),
        ("https://notyoutube.com/watch?v=abc", "https://notyoutube.com/watch?v=abc#t=5025.999"),
    ],
)
def test_a_web_address_keeps_the_hour_and_never_jumps_ahead(url: str, address: str) -> None:
    assert web_address(url, 5_025_999) == address


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//host/x", "http://", "video.mp4"])
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="web address"):
        web_address(url, 0)
    with pytest.raises(ValueError, match="web address"):
        _link(link_base=url)


def test_the_videos_own_address_comes_before_the_published_folder() -> None:
    assert _link(link_base="https://example.org/r/").web == "https://example.org/r/bolo/go/c0007.html"
    assert urlsplit(_link(link_base="https://example.org/r", url="https://vimeo.com/1").web).hostname == "vimeo.com"


def test_the_seconds_of_an_address_are_exact() -> None:
    for ms in (0, 1, 999, 1000, 59_999, 3_600_000, 359_999_999):
        whole, part = re.fullmatch(r"https://e.org/#t=(\d+)\.(\d{3})", web_address("https://e.org/", ms)).groups()  # type: ignore[union-attr]
        assert int(whole) * 1000 + int(part) == ms


def test_the_span_of_quoted_words_ends_with_the_last_of_them() -> None:
    evidence = make_evidence()  # five words of 300 ms from 1000 ms: "junte quinhentos gramas de farinha"
    span = quoted_span(read_claim(evidence, "C-0001", "F-000001", "500 g", "quinhentos gramas", 1300))
    assert (span.start.ms, span.end.ms) == (1300, 1900)


def test_the_span_of_a_text_on_screen_is_how_long_it_is_shown() -> None:
    span = quoted_span(read_claim(make_evidence(), "C-0001", "T-000002", "180", "180"))
    assert (span.start.ms, span.end.ms) == (3000, 6000)
