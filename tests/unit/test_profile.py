"""Profiles: what is risky in a domain, and which terms beside a figure nobody said."""

from __future__ import annotations

import pytest

from stages.errors import UsageError
from stages.profile import Profile, load_profile, profile_names
from stages.risk import fabricated_terms, risks

_TORQUE = Profile(risky_terms=(("torque", "aperto"),))


def test_every_profile_loads() -> None:
    assert {"generic", "receita", "mecanica", "aula", "reuniao"} <= set(profile_names())
    for name in profile_names():
        load_profile(name)


@pytest.mark.parametrize("name", ["astrologia", "../models", ""])
def test_an_unknown_profile_is_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match="generic"):
        load_profile(name)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("Junte 500 g de farinha.", ("value",)),
        ("Depois asse por 35 minutos.", ("value", "order")),
        ("Mexa bem a massa.", ()),
    ],
)
def test_risks_of_a_recipe(text: str, reasons: tuple[str, ...]) -> None:
    assert risks(text, load_profile("receita")) == reasons


def test_a_name_is_risky_where_the_profile_says_so() -> None:
    assert risks("A proposta veio da Maria ontem à tarde.", load_profile("reuniao")) == ("name",)
    assert risks("A proposta veio da Maria ontem à tarde.", load_profile("receita")) == ()


@pytest.mark.parametrize(
    ("text", "evidence", "flagged"),
    [
        ("O torque é de 45 Nm.", ["Aperte com 45 Nm"], ("torque",)),  # nobody said torque
        ("O torque é de 45 Nm.", ["torque: 60 Nm"], ("torque",)),  # nobody said 45
        ("| torque | 45 Nm |", ["parafuso do cabeçote"], ("torque",)),
        ("O torque é de 45 Nm.", ["torque do cabeçote", "45 Nm"], ()),  # a label and its figure are two lines
        ("Torque de quarenta e cinco Nm.", ["aperto de 45 Nm"], ()),  # the same thing by its other name
        ("Torque: uma libra", ["uma libra de pregos"], ("torque",)),  # an article that counts a unit is a figure
        ("El torque es quince.", ["Vamos a pedir quince unidades."], ("torque",)),  # read in the language of the video
        ("O torque importa. São 3 parafusos.", ["3 parafusos"], ()),  # two sentences
        ("São 3 parafusos.", [], ()),
    ],
)
def test_a_risky_term_beside_a_figure_is_flagged_unless_the_evidence_carries_both(
    text: str, evidence: list[str], flagged: tuple[str, ...]
) -> None:
    assert fabricated_terms(text, evidence, _TORQUE) == flagged


def test_a_true_figure_of_the_evidence_is_never_flagged() -> None:
    lines = ["Taxa de juros: 3,5 % ao mês", "The loan is 12 instalments", "Torque 45 Nm", "Fermento: 10 g", "El plazo es de 30 días"]
    for name in profile_names():
        for line in lines:
            assert fabricated_terms(line, lines, load_profile(name)) == ()
