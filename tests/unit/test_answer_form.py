"""A small model copies the words; code finds where they stand."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from stages.answer_form import QUOTED
from stages.draft import Draft
from stages.engines.completion import Completion
from stages.evidence import EvidenceSet
from stages.findings import Question


def read(evidence: EvidenceSet, **said: object) -> list[Draft]:
    answer = Completion(json.dumps(said), "stop", "m", 1, 0, 1)
    return QUOTED.read(answer, Question(1, "?"), evidence.items, 0)


@pytest.fixture
def evidence(evidence_set: Callable[..., EvidenceSet]) -> EvidenceSet:
    return evidence_set(
        ("tela", "Tempo: 35 minutos"), ("tela", "180 °C"), ("fala", "los gastos de transporte subieron un ocho por ciento"),
        ("fala", "vamos a pedir quince unidades"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("quote", "base", "ids"),
    [
        ("35 minutos", "tela", ("T-000001",)),
        ("35 minutos, 180 °C", "tela", ("T-000001", "T-000002")),
        ("el gastos de transporte subieron un ocho por ciento", "fala", ("F-000001",)),
        ("15 unidades", "fala", ("F-000002",)),
        ("36 minutos", "", ()),
        ("Carmen Ruiz", "", ()),
        ("5 minutos", "", ()),
    ],
)
def test_the_evidence_of_a_quote(quote: str, base: str, ids: tuple[str, ...], evidence: EvidenceSet) -> None:
    (draft,) = read(evidence, quotes=[quote], answers="yes", text="resposta")
    assert (draft.base, draft.evidence) == (base, ids)


def test_words_of_both_channels_are_two_statements_in_the_words_of_the_video(evidence: EvidenceSet) -> None:
    drafts = read(evidence, quotes=["180 °C", "quince unidades"], answers="yes", text="180 °C e 15 unidades")
    assert [(draft.base, draft.text) for draft in drafts] == [("tela", "180 °C"), ("fala", "quince unidades")]


def test_words_that_do_not_answer_are_an_absence(evidence: EvidenceSet) -> None:
    assert [draft.base for draft in read(evidence, quotes=["35 minutos"], answers="no")] == ["nao_consta"]
