"""The table, the subtitles, the archive: untrusted text in forms that would run it, cut it or render it."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from stages.archive import write_archive
from stages.deep_link import LinkCheck
from stages.exports import claims_csv, exported
from stages.report import build_view
from stages.settings import Settings
from stages.view import Proof
from tests.report_case import Case, delivered, make_case


def _exported(case: Case) -> dict[str, str]:
    proofs = {claim.id: Proof(LinkCheck()) for claim in case.findings.read}
    view = build_view(case.video, case.evidence, case.findings, Settings(out=Path("/out")), case.brief, proofs)
    return dict(exported(view, case.evidence))


def test_a_row_per_claim_with_its_link() -> None:
    rows = list(csv.DictReader(io.StringIO(_exported(make_case())["claims.csv"].removeprefix("\ufeff"))))
    assert [row["id"] for row in rows] == [f"C-000{number}" for number in range(1, 7)]
    assert (rows[1]["clock"], rows[1]["instant_ms"], rows[1]["link"]) == ("00:00:01.300", "1300", "go/c0002.html")
    assert rows[3]["instant_ms"] == rows[3]["link"] == "" and rows[3]["premises"] == "C-0001"


@pytest.mark.parametrize("formula", ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"])
def test_no_cell_is_a_formula(formula: str) -> None:
    case = make_case(tela=f"{formula} 500 g", question=formula, source=formula, fora=formula)
    rows = csv.reader(io.StringIO(_exported(case)["claims.csv"].removeprefix("\ufeff"), newline=""))
    cells = [cell for row in rows for cell in row]
    assert sum(formula in cell for cell in cells) >= 4
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")) for cell in cells)


def test_the_byte_order_mark_is_there_for_spreadsheets() -> None:
    assert _exported(make_case())["claims.csv"].startswith("\ufeffid,base,")


def test_subtitles_of_both_channels() -> None:
    said = _exported(make_case())
    assert "00:00:01.000 --> 00:00:02.500\njunte quinhentos gramas de farinha\n" in said["subtitles/fala.vtt"]
    assert "1\n00:00:01,000 --> 00:00:02,500\njunte quinhentos gramas de farinha\n" in said["subtitles/fala.srt"]
    assert said["subtitles/tela.vtt"].count("-->") == 2


def test_captions_carry_text_and_never_markup_or_a_second_cue() -> None:
    hostile = "<b>x</b> {\\an8} & --> 00:00:09.000\n\n2\n00:00:00,000 --> 00:00:09,000 "
    said = _exported(make_case(evidence_before=hostile))
    vtt, srt = said["subtitles/tela.vtt"], said["subtitles/tela.srt"]
    assert vtt.count("-->") == 2 and vtt.count("\n\n") == 3
    assert srt.count("-->") == 2 and srt.count("\n\n") == 2
    assert "<" not in vtt.removeprefix("WEBVTT") and "<" not in srt and "{" not in srt
    assert "&lt;b&gt;x&lt;/b&gt;" in vtt


def test_long_speech_is_cut_between_words_at_their_times() -> None:
    case = make_case()
    (item,) = [item for item in case.evidence if item.words]
    step = item.span.length_ms // 40
    start = item.span.start.ms
    at = case.evidence.timeline
    words = tuple(replace(item.words[0], text=f" palavra{n}", span=at.span(start + n * step, start + (n + 1) * step)) for n in range(40))
    spoken = replace(item, text=" ".join(word.text.strip() for word in words), words=words)
    evidence = replace(case.evidence, items=tuple(spoken if other is item else other for other in case.evidence))
    cues = _exported(replace(case, evidence=evidence))["subtitles/fala.vtt"].split("\n\n")[1:-1]
    assert len(cues) > 3
    assert " ".join(cue.split("\n")[1] for cue in cues) == spoken.text
    assert all(len(cue.split("\n")[1]) <= 84 for cue in cues)
    assert [cue.split(" --> ")[0] for cue in cues] == sorted(cue.split(" --> ")[0] for cue in cues)


def test_the_five_questions_are_answered_offline() -> None:
    folder = delivered()
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    text = (folder / "queries.sql").read_text("utf-8").replace("'evidence.parquet'", f"'{folder / 'evidence.parquet'}'")
    answers = [connection.execute(question).fetchall() for question in text.split(";") if "SELECT" in question]
    assert len(answers) == 5
    around, word, longest, distrusted, unsure = answers
    assert [row[0] for row in around] == ["tela", "fala", "tela"]
    assert ("T-000001", "tela", 1020, "Farinha de trigo 500 g") in word
    assert longest == [("Farinha de trigo 500 g", 3.0, 1), ("Forno a 180 graus", 3.0, 1)]
    assert distrusted == []
    assert len(unsure) == 5 and all(0 <= row[3] <= 1 for row in unsure)


def test_the_same_bundle_is_packed_to_the_same_bytes_and_whole(tmp_path: Path) -> None:
    import shutil

    first, second = tmp_path / "a" / "bolo", tmp_path / "b" / "bolo"
    for copy in (first, second):
        shutil.copytree(delivered(), copy)
    (second / "report.html").touch()
    assert write_archive(first).read_bytes() == write_archive(second).read_bytes()
    with zipfile.ZipFile(tmp_path / "a" / "bolo.zip") as archive:
        assert archive.testzip() is None
        names = {name.removeprefix("bolo/") for name in archive.namelist()}
        assert names == {path.relative_to(first).as_posix() for path in first.rglob("*") if path.is_file()}


def test_an_archive_of_another_bundle_is_packed_again(tmp_path: Path) -> None:
    import shutil

    folder = tmp_path / "bolo"
    shutil.copytree(delivered(), folder)
    (tmp_path / "bolo.zip").write_bytes(b"not an archive")
    packed = write_archive(folder).read_bytes()
    assert zipfile.is_zipfile(tmp_path / "bolo.zip")
    (folder / "manifest-sha256.txt").write_text("changed")
    assert write_archive(folder).read_bytes() != packed


def test_claims_csv_of_a_report_without_claims_is_its_header() -> None:
    case = make_case()
    empty = replace(case.findings, claims=(), questions=(), gaps=())
    view = build_view(case.video, case.evidence, empty, Settings(out=Path("/out")), case.brief, {})
    assert len(claims_csv(view).splitlines()) == 1
