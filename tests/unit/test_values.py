"""Values of a claim against the evidence it cites: what is right must pass, what is wrong must not.

`values_table.tsv` grew with the reader. `values_holdout.tsv` and `values_holdout_2.tsv` were each written before the reader was
run on them, so their first scores (151 of 154, then 110 of 117) say what to expect of claims nobody has looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from stages.values import Confirmation, confirm_values, read_values


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a table."""

    topic: str
    language: str
    expected: frozenset[str]
    claim: str
    evidence: tuple[str, ...]

    @property
    def one_way(self) -> bool:
        """Whether the claim may say less than the evidence, but not the other way round."""
        return self.topic.endswith(">") or len(self.evidence) > 1

    def __str__(self) -> str:
        return f"{self.topic}: {self.claim} <- {' || '.join(self.evidence)}"


def rows(name: str) -> list[Pair]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    table = [line.split("\t") for line in lines if line and not line.startswith("#")][1:]
    return [
        Pair(topic, language, frozenset(right.split("|")), claim, tuple(given.split(" || ")))
        for topic, language, right, claim, given in table
    ]


TABLE = rows("values_table.tsv")
HOLDOUTS = [*rows("values_holdout.tsv"), *rows("values_holdout_2.tsv")]


@pytest.mark.parametrize("pair", [*TABLE, *HOLDOUTS], ids=str)
def test_claim_against_evidence(pair: Pair) -> None:
    check = confirm_values(pair.claim, pair.evidence, language=pair.language)
    assert check.status in pair.expected, check.detail


@pytest.mark.parametrize("pair", [pair for pair in TABLE if not pair.one_way and "unchecked" not in pair.expected], ids=str)
def test_evidence_against_claim(pair: Pair) -> None:
    check = confirm_values(pair.evidence[0], [pair.claim], language=pair.language)
    assert check.status in pair.expected, check.detail


def test_the_tables_are_large_and_hold_lies_and_truths() -> None:
    assert len(TABLE) >= 200
    assert len(HOLDOUTS) >= 150
    for table in (TABLE, HOLDOUTS):
        assert sum("refused" in pair.expected for pair in table) >= 75
        assert {pair.language for pair in table} == {"pt", "es", "en"}


def test_every_value_of_the_claim_is_accounted_for() -> None:
    check = confirm_values("500 g de farinha, 3 ovos e 20 e poucos minutos", ["500 gramas de farinha, 2 ovos"], language="pt")
    assert check.status is Confirmation.REFUSED
    assert check.confirmed == ("500 g",)
    assert check.missing == ("3",)
    assert check.unchecked == ("20 e poucos",)
    assert "3" in check.detail


def test_no_evidence_confirms_nothing() -> None:
    assert confirm_values("500 g", []).status is Confirmation.REFUSED
    assert confirm_values("um bolo", []).status is Confirmation.NONE


def test_a_value_is_verbatim_where_it_stands() -> None:
    text = "Coloque ５００ g e mais um quilo e\u200b meio às 14h30."
    values = read_values(text)
    assert [value.text for value in values] == ["５００ g", "um quilo e\u200b meio", "14h30"]
    assert all(text[value.start : value.end] == value.text for value in values)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("500", ["number"]),
        ("500 g", ["quantity"]),
        ("R$ 5,00", ["money"]),
        ("35%", ["percent"]),
        ("12 de maio de 2026", ["date"]),
        ("às 14:30", ["clock"]),
        ("por 35 minutos", ["duration"]),
        ("3º passo", ["ordinal"]),
        ("em 2024", ["year"]),
        ("proporção 2:1", ["ratio"]),
        ("PP-OCRv6", ["name"]),
        ("vários ovos", ["vague"]),
        ("um bolo", []),
        ("2 xícaras e 3 ovos", ["quantity", "number"]),
    ],
)
def test_kinds(text: str, kinds: list[str]) -> None:
    assert [value.kind for value in read_values(text, "pt")] == kinds


def test_an_ambiguous_spelling_keeps_both_readings() -> None:
    (value,) = read_values("1.500")
    assert {float(reading.number) for reading in value.readings if reading.dimension == "number"} == {1500.0, 1.5}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Uma vez que cada um fez um pouco, por um lado e por outro, às vezes.", "pt"),
        ("Chocolate meio amargo, fogo médio, no meio do caminho, doce de leite.", "pt"),
        ("A massa dos bolos fica pronta, segundo o autor; primeiro, misture.", "pt"),
        ("El medio ambiente, por medio de la clase media, uno a uno.", "es"),
        ("Ten cuidado, se hace una vez y otra vez.", "es"),
        ("Once it is hot, one of them may go on; no one else is there.", "en"),
        ("Set it aside. March on, a bit at a time.", "en"),
    ],
)
def test_everyday_words_are_no_values(text: str, language: str) -> None:
    assert not any(value.certain for value in read_values(text, language))
    assert confirm_values(text, ["xyz"], language=language).status is not Confirmation.REFUSED
