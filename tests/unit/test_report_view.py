"""What a report shows follows from the findings alone, and a link that failed its test does not get into it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from report_case import Case, make_case, make_evidence, read_claim

from stages.claim import Base, Claim
from stages.deep_link import LinkCheck
from stages.figure import timeline_figure, waveform
from stages.instant import Timeline
from stages.report import build_view
from stages.settings import Settings
from stages.view import Proof, ReportView


def _view(case: Case, proofs: dict[str, Proof] | None = None, **settings: str) -> ReportView:
    chosen = Settings(out=Path("/out"), **settings)  # type: ignore[arg-type]
    return build_view(case.video, case.evidence, case.findings, chosen, case.brief, _passed(case) if proofs is None else proofs)


def _passed(case: Case) -> dict[str, Proof]:
    return {claim.id: Proof(LinkCheck()) for claim in case.findings.read}


def test_answers_follow_the_questions_and_read_claims_come_first_in_order_of_time() -> None:
    case = make_case()
    shuffled = replace(case.findings, claims=tuple(reversed(case.findings.claims)))
    view = _view(replace(case, findings=shuffled))
    first, second = view.answers
    assert [item.claim.id for item in first.claims] == ["C-0001", "C-0002", "C-0003"]
    assert [item.claim.id for item in view.interpretations] == ["C-0005", "C-0004"], "apart from what was read, as stated"
    assert [item.claim.id for item in second.claims] == ["C-0006"]
    assert second.question is not None and second.question.number == 2


def test_a_claim_of_no_question_is_shown_at_the_end_and_never_lost() -> None:
    case = make_case()
    claims: tuple[Claim, ...] = tuple(replace(claim, question=None if claim.id == "C-0002" else 7) for claim in case.findings.claims)
    view = _view(replace(case, findings=replace(case.findings, claims=claims)))
    assert [answer.question.number if answer.question else None for answer in view.answers] == [1, 2, None]
    assert len(view.answers[-1].claims) + len(view.interpretations) == len(claims)


def test_no_report_is_made_of_a_link_that_did_not_hold_or_was_not_tested() -> None:
    proofs = _passed(make_case())
    for broken in (proofs | {"C-0003": Proof(LinkCheck("text_differs", "0.31: Porno a 18O"))}, {"C-0001": proofs["C-0001"]}):
        with pytest.raises(ValueError, match="nothing proves"):
            _view(make_case(), proofs=broken)


def test_a_claim_that_only_repeats_its_quote_is_told_apart() -> None:
    view = _view(make_case(tela="Farinha de trigo 500 g "))
    assert [item.claim.id for item in view.claims if item.literal] == ["C-0001"]


def test_the_transcript_is_all_that_was_read_and_believed_in_order_of_time() -> None:
    case = make_case()
    items = tuple(replace(item, distrust_reason="loop") if item.id == "T-000002" else item for item in case.evidence)
    findings = replace(case.findings, claims=case.findings.claims[:2])
    view = _view(replace(case, evidence=replace(case.evidence, items=items), findings=findings))
    assert [(line.evidence.id, line.claims) for line in view.transcript] == [("T-000001", ("C-0001",)), ("F-000001", ("C-0002",))]


def test_counts_name_every_base() -> None:
    assert _view(make_case()).counts == {Base.TELA: 2, Base.FALA: 1, Base.INFERIDO: 1, Base.FORA_DO_VIDEO: 1, Base.NAO_CONSTA: 1}


def test_refusals_are_grouped_by_rule_beside_the_evidence_they_claimed() -> None:
    groups = _view(make_case()).refusals
    assert [(group.rule, len(group.items)) for group in groups] == [("value_not_in_evidence", 2), ("instant_forbidden", 1)]
    cited = groups[0].items[0].cited
    assert cited["T-000099"] is None
    assert cited["T-000001"] is not None and cited["T-000001"].text == "Farinha de trigo 500 g"


def test_the_quoted_words_are_marked_inside_the_evidence_and_nothing_is_lost() -> None:
    claim = next(item for item in _view(make_case()).claims if item.claim.id == "C-0002")
    quoted = claim.evidence[0]
    assert (quoted.before, quoted.quote, quoted.after) == ("junte ", "quinhentos gramas", " de farinha")


def test_cited_evidence_names_the_claims_that_cite_it() -> None:
    assert {item.evidence.id: item.claims for item in _view(make_case()).cited} == {
        "T-000001": ("C-0001",),
        "F-000001": ("C-0002",),
        "T-000002": ("C-0003",),
    }


def test_without_media_nothing_points_to_it() -> None:
    assert _view(make_case(), media="none").media == ""
    assert _view(make_case()).media == "media/bolo.mp4"


def test_the_brief_knows_better_than_the_container_when_it_was_recorded() -> None:
    case = make_case(recorded="")
    assert _view(replace(case, video=replace(case.video, recorded="2020-01-01"))).recorded == "2020-01-01"
    assert _view(replace(make_case(recorded="março de 2024"), video=replace(case.video, recorded="2020-01-01"))).recorded == "março de 2024"


def test_every_read_claim_has_a_mark_where_it_is_and_labels_do_not_touch() -> None:
    evidence = make_evidence()
    claims = [read_claim(evidence, f"C-{number:04d}", "T-000002", "180", "180", 3000 + number) for number in range(1, 41)]
    lane = next(lane for lane in timeline_figure(evidence, claims).lanes if lane.channel == "tela")
    assert len(lane.marks) == 40
    figure = timeline_figure(evidence, claims)
    middle = (figure.left + figure.right) / 2
    assert all(abs(mark.x - middle) < 10 for mark in lane.marks)
    shown = [mark for mark in lane.marks if mark.row is not None]
    assert 0 < len(shown) < 40, "too many labels for one place: the marks stay, the labels that would touch go"
    assert len({(mark.row, mark.x) for mark in shown}) == len(shown)


def test_ticks_and_marks_of_a_long_video_stay_inside_the_figure() -> None:
    for seconds in (0, 1, 59, 3600, 30_000):
        figure = timeline_figure(replace(make_evidence(), timeline=Timeline(max(seconds * 1000, 6000))), [])
        assert 1 <= len(figure.ticks) <= 10
        assert all(figure.left <= x <= figure.right for x, _ in figure.ticks)


def test_the_words_are_placed_inside_their_sound() -> None:
    timeline = Timeline(6000)
    wave = waveform([0.0, 1.0, 0.5], timeline.span(1000, 3000), timeline.span(1500, 2000))
    assert (wave.words.x, wave.words.width) == (100.0, 100.0)
    assert wave.points == "33.33 20 100 20 166.7 1 233.3 39 300 10.5 366.7 29.5"
