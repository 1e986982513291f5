"""Drafts in, findings out: refusals recorded, absences worded by code, wrong ids repaired, contradictions side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from stages.claim import Base, ReadClaim
from stages.contradictions import contradictions
from stages.draft import Draft, ProviderSeal
from stages.evidence import EvidenceSet, Kind
from stages.findings import Findings, Question
from stages.literal import quote_timeline
from stages.rule import Rule
from stages.unanswered import withdrawn
from stages.validate import validate

SEAL = ProviderSeal("m", "m", True)
ASKED = (Question(1, "Quanto fubá?"), Question(2, "Com o que servir?"))


@pytest.fixture
def evidence(evidence_set: Callable[..., EvidenceSet]) -> EvidenceSet:
    return evidence_set(("tela", "Forno a 180 °C"), ("fala", "adicione quinhentos gramas de fubá"))


def found(evidence: EvidenceSet, *drafts: Draft) -> Findings:
    return validate(drafts, SEAL, evidence, ASKED, "pt")


def test_a_question_without_a_read_claim_is_an_absence_in_our_words_and_a_gap(evidence: EvidenceSet) -> None:
    smuggled = Draft("nao_consta", "O vídeo não diz; em geral são 900 g.", question=1)
    findings = found(evidence, smuggled)
    assert {claim.text for claim in findings.claims} == {"O vídeo não responde a esta pergunta."}
    assert [gap.question.number for gap in findings.gaps] == [1, 2]
    assert all(gap.proven for gap in findings.gaps)


def test_a_search_for_words_proves_no_absence(evidence: EvidenceSet) -> None:
    absent = Draft("nao_consta", "?", question=1)
    findings = validate([absent], replace(SEAL, name="literal", model=""), evidence, ASKED, "pt")
    assert [gap.proven for gap in findings.gaps] == [False, False]
    assert all("uma busca por palavras" in claim.text for claim in findings.claims)
    nothing_read = replace(evidence, items=())
    assert all(gap.proven for gap in validate([absent], replace(SEAL, name="literal"), nothing_read, ASKED, "pt").gaps)


def test_what_is_refused_is_recorded_with_its_rule(evidence: EvidenceSet) -> None:
    findings = found(evidence, Draft("fala", "900 g de fubá", ("F-000001",), question=1), Draft("boato", "x", question=2))
    assert [rejection.rule for rejection in findings.rejections] == [Rule.VALUE_NOT_IN_EVIDENCE, Rule.UNKNOWN_BASE]
    assert not findings.read


@pytest.mark.parametrize("text", ["Son once botones", "Once botones", "Lleva doce botones", "Lleva quince botones"])
def test_a_short_statement_counts_in_the_language_of_the_video(text: str, evidence_set: Callable[..., EvidenceSet]) -> None:
    slides = evidence_set(("tela", "8 botones"), ("tela", "La tela se lava antes de coser y se plancha por el revés"))
    assert [rejection.rule for rejection in found(slides, Draft("tela", text, ("T-000001",))).rejections] == [Rule.VALUE_NOT_IN_EVIDENCE]
    assert found(slides, Draft("tela", "Son ocho botones", ("T-000001",))).read


def with_frame(evidence: EvidenceSet) -> EvidenceSet:
    """T-000002: a frame, without words."""
    frame = replace(evidence.items[0], id="T-000002", kind=Kind.FRAME, text="")
    return replace(evidence, items=(*evidence.items, frame))


def test_a_frame_carries_only_what_somebody_says_who_saw_it(evidence: EvidenceSet) -> None:
    blind = Draft("tela", "O bolo é retangular.", ("T-000002",), question=1)
    seen = replace(blind, saw_frames=True)
    findings = found(with_frame(evidence), blind, seen)
    assert [rejection.rule for rejection in findings.rejections] == [Rule.FRAME_NOT_SEEN]
    (claim,) = findings.read
    assert (claim.quote, claim.instant, claim.checks.status) == ("", evidence.items[0].instant, "unchecked")
    assert claim.checks.marks == ("visible_not_written",)


def test_what_is_written_is_judged_as_ever_where_a_frame_is_cited_too(evidence: EvidenceSet) -> None:
    both = Draft("tela", "Forno a 900 °C", ("T-000001", "T-000002"), saw_frames=True)
    (refused,) = found(with_frame(evidence), both).rejections
    assert refused.rule is Rule.VALUE_NOT_IN_EVIDENCE


def test_literal_quotes_and_contradictions_know_no_frames(evidence: EvidenceSet) -> None:
    items = with_frame(evidence).items
    assert [draft.evidence for draft in quote_timeline(items)] == [("T-000001",), ("F-000001",)]
    assert contradictions(with_frame(evidence)) == contradictions(evidence)


def test_a_wrong_id_is_repaired_where_the_words_stand_and_marked(evidence: EvidenceSet) -> None:
    (claim,) = found(evidence, Draft("tela", "quinhentos gramas de fubá", ("T-000001",), question=1)).read
    assert (claim.base, claim.evidence[0].id, claim.checks.marks) == (Base.FALA, "F-000001", ("repaired",))


def test_a_figure_of_the_line_beside_is_cited_with_its_label(evidence_set: Callable[..., EvidenceSet]) -> None:
    notice = evidence_set(("tela", "Elevador parado"), ("tela", "Das 9h às 11h30"))
    together = replace(notice.items[1], span=notice.items[0].span, instant=notice.items[0].instant)
    label_only = Draft("tela", "O elevador fica parado das 9h às 11h30.", ("T-000001",), question=1)
    (claim,) = found(replace(notice, items=(notice.items[0], together)), label_only).read
    assert {item.id for item in claim.evidence} == {"T-000001", "T-000002"}
    assert claim.checks.marks == ("repaired",)
    assert [rejection.rule for rejection in found(notice, label_only).rejections] == [Rule.TIME_IN_TEXT]
    wrong = replace(label_only, text="O elevador fica parado das 9h às 12h30.")
    assert not found(replace(notice, items=(notice.items[0], together)), wrong).read


def test_an_inference_falls_with_its_premise_and_stands_with_it(evidence: EvidenceSet) -> None:
    inference = Draft("inferido", "É uma receita de forno", premises=(1,), question=1)
    stands = found(evidence, Draft("tela", "Forno a 180 °C", ("T-000001",), question=1), inference)
    premise = next(claim for claim in stands.unobserved if claim.base is Base.INFERIDO).premises[0]
    assert premise == stands.read[0]
    assert isinstance(premise, ReadClaim)
    falls = found(evidence, Draft("tela", "Forno a 200 °C", ("T-000001",), question=1), inference)
    assert [rejection.rule for rejection in falls.rejections] == [Rule.VALUE_NOT_IN_EVIDENCE, Rule.PREMISE_REFUSED]


def test_an_absence_beside_an_answer_is_refused(evidence: EvidenceSet) -> None:
    findings = found(evidence, Draft("fala", "500 g de fubá", ("F-000001",), question=1), Draft("nao_consta", "não diz", question=1))
    assert [rejection.rule for rejection in findings.rejections] == [Rule.ANSWERED]


def test_a_label_and_its_figure_on_two_lines_support_one_claim(evidence_set: Callable[..., EvidenceSet]) -> None:
    slide = evidence_set(("tela", "180 °C"))
    label = evidence_set(("tela", "180 °C"), ("tela", "Temperatura do forno"))
    claim = Draft("tela", "A temperatura do forno é 180 °C", ("T-000001",), question=1)
    assert [rejection.rule for rejection in found(slide, claim).rejections] == [Rule.NO_SUPPORT]
    assert [rejection.rule for rejection in found(label, claim).rejections] == [Rule.NO_SUPPORT], "the label is not on screen with it"


@pytest.mark.parametrize(
    ("left", "right", "contradict"),
    [
        ("12 unidades", "Vamos a pedir quince unidades al proveedor", True),
        ("Rende 12 fatias", "rende doze fatias", False),
        ("Meia xícara de óleo", "Junte o óleo e misture tudo com uma colher", False),
        ("12 de mayo de 2026", "la reunión es el 26 de mayo", False),
        ("Leva 500 g de fubá e 2 ovos", "quebre três ovos na tigela", True),
        ("Leva 500 g de fubá e 2 ovos", "adicione meio quilo de fubá", False),
        ("Leva 500 g de fubá e 2 ovos", "adicione 900 g de fubá", True),
        ("Leva 500 g de fubá e 10 g de sal", "mais 20 g de fermento e sal a gosto", False),
    ],
)
def test_contradictions(left: str, right: str, contradict: bool, evidence_set: Callable[..., EvidenceSet]) -> None:
    assert bool(found(evidence_set(("tela", left), ("fala", right))).contradictions) is contradict


def test_a_withdrawn_claim_takes_its_inference_with_it_and_opens_its_question(evidence: EvidenceSet) -> None:
    drafts = (Draft("tela", "Forno a 180 °C", ("T-000001",), question=1), Draft("inferido", "É de forno", premises=(1,), question=1))
    before = found(evidence, *drafts)
    after = withdrawn(before, {before.read[0].id: "text_differs 0.40"}, evidence)
    assert withdrawn(before, {}, evidence) is before
    assert not after.read
    assert [rejection.rule for rejection in after.rejections] == [Rule.LINK_NOT_VERIFIED, Rule.PREMISE_REFUSED]
    assert [claim.question for claim in after.claims] == [1, 2]
    assert {claim.base for claim in after.claims} == {Base.NAO_CONSTA}
    assert len({claim.id for claim in after.claims} | {claim.id for claim in before.claims}) == len(before.claims) + 1
    assert [gap.question.number for gap in after.gaps] == [1, 2]
