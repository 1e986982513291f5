"""Whatever others wrote, in whichever field: the page has the same elements with the same attributes, the PDF the same actions."""

from __future__ import annotations

import functools
import io
from collections import Counter
from pathlib import Path

import pikepdf
import tinyhtml5
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_case import TEXTS, make_case

from stages.deep_link import LinkCheck
from stages.render import render_html, render_pages, render_pdf
from stages.report import build_view
from stages.settings import Settings
from stages.view import Proof, ReportView

_PIECES = [
    "</script>", "</style>", "</title>", "<script>alert(a)</script>", "<img src=x onerror=alert(a)>", "<svg/onload=a>",
    "<a href='javascript:a'>x</a>",
    '"', "'", "&", "&lt;", "&#x3c;b>", "<!--", "-->", "]]>", "{{ view }}", "{% raw %}", "{#", "`", "\\", "%", "<", ">", "=", "/URI (x)",
    ")>>",
    "\u202e", "\u2028", "\x00", "\x1b[m", "\ud800", "\ufffe", "空", "ح", "😀", "\n", "\t", " onclick=a ", "file:///etc/passwd", "C-x", "#",
]  # fmt: skip
"""No figures: a value in a statement is listed among the report's values, which is as it should be."""

hostile = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map(lambda pieces: "a" + "".join(pieces) + "z")
fields = st.fixed_dictionaries(dict.fromkeys(TEXTS, hostile))


def _view(texts: dict[str, str]) -> ReportView:
    case = make_case(**texts)
    proofs = {claim.id: Proof(LinkCheck()) for claim in case.findings.read}
    return build_view(case.video, case.evidence, case.findings, Settings(out=Path("/out")), case.brief, proofs)


def _shape(page: str) -> Counter[tuple[str, tuple[str, ...]]]:
    """Each element with the names of its attributes."""
    parsed = tinyhtml5.parse(io.BytesIO(page.encode()))
    return Counter((str(element.tag).split("}")[-1], tuple(sorted(map(str, element.keys())))) for element in parsed.iter())


def _shapes(view: ReportView) -> list[Counter[tuple[str, tuple[str, ...]]]]:
    return [_shape(page) for page in (render_html(view), *render_pages(view).values())]


def _actions(view: ReportView) -> Counter[tuple[str, str, str]]:
    """Each annotation's kind, its action's kind and its address."""
    found: Counter[tuple[str, str, str]] = Counter()
    with pikepdf.open(io.BytesIO(render_pdf(view).pdf)) as pdf:
        assert not {"/OpenAction", "/AA", "/AcroForm"} & set(pdf.Root.keys()) and "/EmbeddedFiles" not in pdf.Root.get("/Names", {})
        for note in (note for page in pdf.pages for note in page.get("/Annots", [])):
            action = note.get("/A", {})
            found[str(note.Subtype), str(action.get("/S", "a place inside")), str(action.get("/URI", ""))] += 1
    assert found
    return found


@functools.cache
def _plain() -> ReportView:
    return _view(dict.fromkeys(TEXTS, "palavras"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields)
def test_the_pages_have_the_same_elements(texts: dict[str, str]) -> None:
    assert _shapes(_view(texts)) == _shapes(_plain())


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(fields)
def test_the_pdf_has_the_same_actions(texts: dict[str, str]) -> None:
    assert _actions(_view(texts)) == _actions(_plain())
