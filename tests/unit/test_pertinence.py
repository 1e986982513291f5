"""A true number that does not answer stays out; an answer of the right kind, and one in words, is let in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from stages.draft import Draft
from stages.evidence import EvidenceSet
from stages.findings import Question
from stages.literal import quote_answers
from stages.pertinence import off_topic
from stages.retrieval import asked_parts


@pytest.mark.parametrize(
    ("question", "said", "answers"),
    [
        ("How much does the torque wrench cost?", "85 foot-pounds is about 115 newton metres.", False),
        ("How much does the torque wrench cost?", "Loose nuts can cost a wheel", False),
        ("How much does the torque wrench cost?", "The torque wrench was 40 dollars", True),
        ("How much does the course cost?", "The course is free", True),
        ("Quanto custou o jogo?", "paguei 89 e 90 na loja", True),
        ("Qual é a pressão correta dos pneus?", "o torque é 85 libras-pé", False),
        ("Qual é o telefone da portaria?", "Ramal 214", True),
        ("¿Cuál es el teléfono del proveedor?", "Vamos a pedir quince unidades al proveedor", False),
        ("Quanto tempo o pão fica no forno?", "até ficar dourado", True),
        ("De quanto em quanto tempo devo limpar a corrente?", "limpe a corrente a cada duzentos quilômetros", True),
        ("¿Cada cuánto tiempo se limpia la cadena?", "limpie la cadena cada 200 kilómetros", True),
        ("Quanto tempo o pão fica no forno?", "use 500 g de farinha no pão", False),
        ("What percentage of the final torque is used on the first pass?", "85 foot-pounds of torque", False),
        ("What percentage of the final torque is used on the first pass?", "use half of the torque", True),
        ("Qual é a temperatura do forno e por quanto tempo o pão fica nele?", "35 minutos no forno", True),
        ("Quanto custam as sementes?", "Sementes na loja da rua Augusta, 12", False),  # a number of the house
        ("O que o narrador diz sobre o ruído?", "haverá ruído no corredor", True),
        ("O que está escrito na tela sobre o ruído?", "haverá ruído no corredor", False),
        ("Em que dia e em que horário o elevador fica parado?", "elevador parado das 9h às 11h30", True),
    ],
)
def test_what_can_answer(question: str, said: str, answers: bool, evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", said))
    assert (off_topic(question, Draft("fala", said, ("F-000001",)), evidence, about=False) == "") is answers


def test_a_small_models_answer_shares_a_word_with_the_question(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", "o elevador fica parado das nove às onze"), ("fala", "obrigado pela atenção"), ("fala", "até amanhã"))
    about = "Qual empresa fará a manutenção do prédio?"
    assert off_topic(about, Draft("fala", "…", ("F-000001",)), evidence, about=True)
    assert not off_topic(about, Draft("fala", "…", ("F-000001",)), evidence, about=False)
    assert not off_topic("Quando o elevador para?", Draft("fala", "…", ("F-000001",)), evidence, about=True)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("¿Quién es la responsable y en qué sala es la reunión?", ["¿Quién es la responsable", "en qué sala es la reunión?"]),
        ("What is the torque, and which drawer has the nuts?", ["What is the torque", "which drawer has the nuts?"]),
        ("Em que dia e em que horário o elevador para?", ["Em que dia e em que horário o elevador para?"]),
        ("Combina com café e manteiga?", ["Combina com café e manteiga?"]),
    ],
)
def test_a_question_that_asks_for_two_things(question: str, parts: list[str]) -> None:
    assert asked_parts(question) == parts


def test_a_label_is_quoted_with_the_one_figure_beside_it(evidence_set: Callable[..., EvidenceSet]) -> None:
    apart = evidence_set(("tela", "35 minutos"), ("tela", "180 °C"), ("tela", "Temperatura do forno")).items
    together = [replace(item, span=apart[0].span, instant=apart[0].instant) for item in apart]
    question = Question(1, "Qual é a temperatura do forno?")
    assert [draft.text for draft in quote_answers(question, together)] == ["Temperatura do forno: 180 °C"]
    assert [draft.text for draft in quote_answers(question, apart)] == ["Temperatura do forno"]


def test_a_number_of_its_own_is_a_price_beside_the_word_for_it(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", "o preço do curso"), ("fala", "são 89"), ("fala", "a turma tem 12 alunos"), ("fala", "até logo"))
    assert not off_topic("Quanto custa o curso?", Draft("fala", "…", ("F-000002",)), evidence, about=False)
    assert off_topic("Quanto custa o curso?", Draft("fala", "…", ("F-000003",)), evidence, about=False)
