"""What the words themselves tell beside the share of a small model's "yes"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from stages import second_look
from stages.draft import Draft
from stages.engines.completion import Completion
from stages.evidence import EvidenceSet
from stages.findings import Question
from stages.second_look import Candidate, best_of, found, looked, meant, own


def _sure(yes: float) -> Completion:
    return Completion('{"gives":"yes"}', "stop", "model", 0, 0, 0, {"yes": yes, "no": 1 - yes})


@pytest.mark.parametrize(
    ("question", "words", "yes", "stands"),
    [
        ("Qual é a temperatura do forno?", "Temperatura do forno", 0.91, False),  # it gives back what is asked
        ("Qual é a temperatura do forno?", "180 °C", 0.5, True),
        ("O elevador está parado?", "Elevador parado", 0.91, True),  # asks whether, not what
        ("Quanto tempo fica no forno?", "Tempo de cozimento", 0.89, False),
        ("Em que ano a empresa foi fundada?", "Northgate Logistics", 0.76, False),
        ("¿Se puede congelar la masa?", "Leve ao forno quente", 0.7, False),  # none of its words, and not sure
        ("¿Se puede congelar la masa?", "A massa pode ser congelada", 0.8, True),
        ("Quem apresenta o vídeo?", "Oi, gente, eu sou o Renato.", 0.25, True),
        ("Quem paga o curso?", "Oi, gente, eu sou o Renato.", 0.25, False),
    ],
)
def test_what_a_model_cites_stands_by_its_share_and_its_words(question: str, words: str, yes: float, stands: bool) -> None:
    candidate = own([Draft("tela", words, ("T-000001",))])
    assert (best_of([looked(question, candidate, [words], _sure(yes))]) is candidate) is stands


@pytest.mark.parametrize(("yes", "taken"), [(0.67, True), (0.5, False)])
def test_a_value_of_the_kind_that_is_asked_needs_less_to_be_taken(yes: float, taken: bool) -> None:
    words = "cuando llegue a cuarenta centímetros póngale una caña"
    look = looked("¿A qué altura se pone la caña?", Candidate((Draft("fala", words, ("F-000001",)),)), [words], _sure(yes))
    assert (best_of([look]) is not None) is taken


def test_what_is_found_for_who_speaks_is_where_somebody_gives_a_name(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("tela", "Oficina Pedal Livre"), ("fala", "Na semana que vem tem mais"), ("fala", "Oi, eu sou o Renato"))
    cited = [
        draft.evidence
        for candidate in found(Question(1, "Quem apresenta o vídeo?"), evidence.items, evidence)
        for draft in candidate.drafts
    ]
    assert ("F-000002",) in cited


@pytest.mark.parametrize(("near", "far", "cites"), [(0.83, 0.79, "F-000001"), (0.80, 0.79, "T-000001")])
def test_an_answer_in_another_language_is_where_its_words_are_meant(
    near: float, far: float, cites: str, evidence_set: Callable[..., EvidenceSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = evidence_set(("tela", "Pastilha: troque abaixo de 1,5 mm"), ("fala", "passe álcool isopropílico no disco"))

    def likeness(text: str, others: Sequence[str]) -> list[float]:
        return [near if "disco" in other else far for other in others]

    monkeypatch.setattr(second_look, "likeness", likeness)
    (draft,) = meant([Draft("tela", "Use rubbing alcohol on the brake", ("T-000001",), question=1)], evidence.items)
    assert draft.evidence == (cites,)
