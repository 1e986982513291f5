"""Names that the evidence does not have, steps told the other way round, and the honest sentences beside them."""

from __future__ import annotations

import pytest

from stages.names import missing_names
from stages.step_order import order_swapped


@pytest.mark.parametrize(
    ("claim", "evidence", "missing"),
    [
        ("Roberto Silva revisa el diseño", "Marta revisa el diseño con el cliente", ["Roberto", "Silva"]),
        ("Leeds revisa el diseño", "Marta revisa el diseño con el cliente", ["Leeds"]),
        ("Responsable: Haddad", "Responsable: Begoña Muñoz", ["Haddad"]),
        ("It is at Tiago's Goddard Space Flight Center", "at NASA's Goddard Space Flight Center in Greenbelt", ["Tiago's"]),
        ("Según Petra, el curso es en el Instituto Cervera", "El curso lo da Elena Quiroga en el Instituto Cervera.", ["Petra"]),
        ("Fubá, diz Otávio", "Coloque fubá", ["Otávio"]),
        ("Begoña Muñoz es la responsable", "Responsable: Begoña Muñoz", []),
        ("Nunca mezcle lejía", "No mezcle lejía", []),
        ("Evite mezclar lejía", "No mezcle lejía", []),
        ("Ponha na tigela o fubá", "Coloque na tigela o fubá", []),
        ("Final Torque Value Shown", "the final torque value", []),
        ("The host is Jeff Steen", "JEFF STEEN", []),
    ],
)
def test_missing_names(claim: str, evidence: str, missing: list[str]) -> None:
    assert missing_names(claim, [evidence]) == missing


SAID = {
    "pt": ("Primeiro lixe a madeira, depois passe o verniz.", "lixe a madeira", "passe o verniz"),
    "es": ("Primero apague la llave de paso y luego cambie el filtro.", "apague la llave de paso", "cambie el filtro"),
    "en": ("First drain the tank, then remove the pump.", "drain the tank", "remove the pump"),
}
FORMS = {
    "pt": ["Primeiro {a}, depois {b}", "Antes de passar o verniz, lixe a madeira", "Só depois que {a}, {b}", "1. {a} 2. {b}"],
    "es": ["{a} y luego {b}", "Antes de cambiar el filtro, apague la llave de paso", "1) {a} 2) {b}"],
    "en": ["{a} before you {b}", "{b} after you {a}", "Once you {a}, {b}", "{a}, followed by: {b}"],
}


@pytest.mark.parametrize("language", SAID)
def test_the_order_is_compared_only_where_both_say_one(language: str) -> None:
    evidence, first, second = SAID[language]
    for form in FORMS[language]:
        assert not order_swapped(form.format(a=first, b=second), [evidence]), form
        if "{b}" in form:
            assert order_swapped(form.format(a=second, b=first), [evidence]), form
    assert not order_swapped(f"{second}. {first}.", [evidence])
    assert not order_swapped(FORMS[language][0].format(a=second, b=first), [f"{first}. {second}."])
