"""The modes: which parts a report has, and that a shorter one is never less cited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stages.claim import Base, Checks, ReadClaim
from stages.deep_link import LinkCheck
from stages.render import render_html
from stages.report import build_view
from stages.settings import MODES, Settings
from stages.view import Proof, ReportView
from tests.report_case import make_case


def _view(mode: str, profile: str = "generic", checks: Checks | None = None) -> ReportView:
    case = make_case()
    findings = case.findings
    if checks:
        claims = tuple(replace(claim, checks=checks) if isinstance(claim, ReadClaim) else claim for claim in findings.claims)
        findings = replace(findings, claims=claims)
    proofs = {claim.id: Proof(LinkCheck()) for claim in findings.read}
    settings = Settings(out=Path("/out"), mode=mode, profile=profile)
    return build_view(case.video, case.evidence, findings, settings, case.brief, proofs)


def test_the_short_one_has_what_was_read_and_what_is_missing() -> None:
    view = _view("breve")
    assert {item.claim.base for item in view.claims} == {Base.TELA, Base.FALA, Base.NAO_CONSTA}
    assert view.left_out == 2
    assert view.sections == ("verdict", "answers", "gaps")


@pytest.mark.parametrize("mode", MODES)
def test_every_read_claim_keeps_its_evidence_and_its_link_in_every_mode(mode: str) -> None:
    view = _view(mode)
    assert [item.claim.id for item in view.read] == ["C-0001", "C-0002", "C-0003"]
    assert all(item.evidence and item.link and item.read and item.read.instant for item in view.read)


def test_inferences_stand_apart_in_the_complete_one() -> None:
    view = _view("completo")
    assert [item.claim.base for item in view.interpretations] == [Base.INFERIDO, Base.FORA_DO_VIDEO]
    assert all(item.claim.base not in (Base.INFERIDO, Base.FORA_DO_VIDEO) for answer in view.answers for item in answer.claims)


def test_a_briefing_has_seven_parts() -> None:
    assert len(_view("briefing").sections) == 7


@pytest.mark.parametrize("mode", MODES)
def test_the_page_has_every_part_that_the_mode_asks_for(mode: str) -> None:
    view = _view(mode)
    page = render_html(view)
    for part in set(view.sections) - {"verdict", "risks"} - set(view.empty):
        assert f'id="{part}"' in page
    assert "nenhuma contradição" in page or view.contradictions or mode != "briefing"


def test_a_profile_brings_its_parts_forward() -> None:
    sections = _view("completo", "receita").sections
    assert sections[:4] == ("verdict", "answers", "quantities", "chronology")


def test_quantities_have_the_values_as_written() -> None:
    found = [(quantity.values, quantity.item.claim.id) for quantity in _view("completo").quantities]
    assert found == [(("500 g",), "C-0001"), (("quinhentos gramas",), "C-0002"), (("180 graus",), "C-0003")]


@pytest.mark.parametrize(
    ("checks", "level"),
    [
        (Checks("confirmed", 1.0, "confirmed"), "medium"),  # the speech of the case was not read completely
        (Checks("unchecked", 0.2, "weak"), "low"),
    ],
)
def test_the_seal_counts_what_code_confirmed(checks: Checks, level: str) -> None:
    seal = _view("completo", checks=checks).seal
    assert (seal.level, seal.read, seal.traceable, seal.values_checked) == (level, 3, 3, 3)
    assert seal.values_confirmed == (3 if checks.values == "confirmed" else 0)
    assert seal.refused == {"instant_forbidden": 1, "value_not_in_evidence": 2}


def test_the_seal_is_high_only_where_nothing_lacks() -> None:
    seal = replace(_view("completo", checks=Checks("confirmed", 1.0, "confirmed")).seal, contradictions=0)
    assert replace(seal, complete=True).level == "high"
    assert replace(seal, complete=True, read=0, traceable=0, values_checked=0, values_confirmed=0).level == "none"
    for lacking in ({"weak": 1}, {"unchecked": 1}, {"only_searched": 1}, {"traceable": 2}, {"values_confirmed": 2}, {"contradictions": 1}):
        assert replace(seal, complete=True, **lacking).level == "medium"  # type: ignore[arg-type]  # counts
    assert replace(seal, complete=True, fabricated=1).level == replace(seal, complete=True, truncated=True).level == "low"


def test_a_risky_claim_that_code_could_not_confirm_is_to_be_checked_first() -> None:
    assert [item.claim.id for item in _view("briefing", "receita", Checks("unchecked", 0.2, "weak")).doubtful] == [
        "C-0001",
        "C-0002",
        "C-0003",
    ]
    assert _view("briefing", "receita", Checks("confirmed", 1.0, "confirmed")).doubtful == ()
