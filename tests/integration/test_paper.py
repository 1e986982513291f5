"""The PDF as programs see it: tagged, titled, in its language, with bookmarks, and read in the order in which it is printed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pytest
from pypdf import PdfReader
from report_case import delivered, make_case

from stages.deep_link import LinkCheck
from stages.render import render_pdf
from stages.report import build_view
from stages.settings import Settings
from stages.view import Proof

pytestmark = pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="poppler-utils is not installed")


def _told(*argv: str) -> str:
    return subprocess.run(argv, cwd=delivered(), capture_output=True, text=True, check=True, timeout=60).stdout


def _in_order(text: str, *parts: str) -> None:
    text, at = " ".join(text.split()), 0
    for part in parts:
        found = text.find(part, at)
        assert found >= 0, f"{part!r} does not follow {text[max(0, at - 60) : at]!r}"
        at = found + len(part)


def test_pdfinfo_sees_tags_title_and_standard() -> None:
    said = _told("pdfinfo", "report.pdf")
    assert re.search(r"^Tagged: +yes$", said, re.M) and re.search(r"^Title: +Bolo de fubá$", said, re.M)
    assert re.search(r"^JavaScript: +no$", said, re.M)
    with pikepdf.open(delivered() / "report.pdf") as pdf:
        assert b"pdfuaid:part" in pdf.Root.Metadata.read_bytes() and str(pdf.Root.Lang) == "pt"


def test_the_structure_has_headings_tables_lists_links_and_described_figures() -> None:
    said = _told("pdfinfo", "-struct", "report.pdf")
    for tag in ("H1", "H2", "H3", "Table", "TH", "TD", "L", "LI", "Link", "Figure"):
        assert re.search(rf"^ *{tag}\b", said, re.M), tag
    assert len(re.findall(r"^ *H1\b", said, re.M)) == 1


def test_bookmarks_lead_to_every_part_and_claim() -> None:
    def titles(entries: list[object]) -> list[str]:
        return [
            title
            for entry in entries
            for title in (titles(entry) if isinstance(entry, list) else [entry.title])  # type: ignore[attr-defined]
        ]

    found = titles(PdfReader(delivered() / "report.pdf").outline)
    assert {"Respostas", "Como conferir", "Cobertura da leitura", "Recusas", "Procedência"} <= set(found)
    assert [title[:6] for title in sorted(found) if title.startswith("C-")] == [f"C-{n:04d}" for n in range(1, 7)]


def test_text_is_extracted_in_the_order_it_is_read() -> None:
    text = _told("pdftotext", "report.pdf", "-")
    _in_order(
        text, "Bolo de fubá", "Padaria Sol", "Respostas", "Quanto de farinha?", "Linha do tempo", "Como conferir", "Afirmações e provas"
    )
    claims = text[text.index("Afirmações e provas") :]
    _in_order(claims, "C-0001", "00:00:01.020", "São 500 g de farinha.", "Farinha de trigo 500 g", "T-000001", "C-0002", "00:00:01.300")
    _in_order(claims, "Pede quinhentos gramas.", "junte quinhentos gramas de farinha", "Cobertura da leitura", "Recusas", "Procedência")


def test_text_runs_its_own_way_and_a_long_name_leaves_room_on_the_first_page(tmp_path: Path) -> None:
    case = make_case(tela="צריך 500 גרם קמח.", source_name=f"{'Um nome longo ' * 14}.mov")
    proofs = {claim.id: Proof(LinkCheck()) for claim in case.findings.read}
    view = build_view(case.video, case.evidence, case.findings, Settings(out=Path("/out")), case.brief, proofs)
    (tmp_path / "report.pdf").write_bytes(render_pdf(view).pdf)
    page = _told("pdftotext", "-bbox", str(tmp_path / "report.pdf"), "-").partition("</page>")[0]
    assert ">Respostas<" in page
    hebrew = [float(left) for left in re.findall(r'xMin="([\d.]+)"[^>]*>[^<]*[א-ת]', page)]
    badge = float(next(iter(re.findall(r'xMin="([\d.]+)"[^>]*>C-0001<', page))))
    assert hebrew and max(hebrew) < badge, "the line starts at the right, with its badge"
