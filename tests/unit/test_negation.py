"""A no that became a yes, a yes that became a no, and what says the same with another no."""

from __future__ import annotations

import pytest

from stages.negation import negation_flipped

FLIPPED = [
    ("pt", "Abra a porta do forno", "Não abra a porta do forno"),
    ("pt", "No forno, abra a porta", "Não abra a porta do forno"),
    ("pt", "Evite levar a massa ao forno", "Leve a massa ao forno quente."),
    ("pt", "Deixe de lixar a madeira", "Lixe a madeira"),
    ("pt", "Ligue a serra sem os óculos", "Nunca ligue a serra sem os óculos."),
    ("pt", "Comece sem separar tudo antes", "Separe tudo antes de começar"),
    ("pt", "Nenhuma fatia é grossa", "As fatias são grossas"),
    ("pt", "Deixe esfriar antes de cortar", "Não deixe esfriar antes de cortar"),
    ("es", "Los importes incluyen impuestos", "Importes sin impuestos ni gastos de envío."),
    ("es", "Marta revisa el diseño sin el cliente", "Marta revisa el diseño con el cliente"),
    ("es", "Hemos decidido no instalar los carteles", "Hemos decidido instalar los carteles"),
    ("es", "Mezcle lejía con amoníaco", "Evite mezclar lejía con amoníaco"),
    ("en", "Use an impact gun here", "Never use an impact gun here"),
    ("en", "Don't touch the cap", "Touch the cap"),
    ("en", "Drive 50 miles, and do not check the torque", "Drive for 50 miles, and then check the torque again."),
]
SAME = [
    ("pt", "No forno, não abra a porta", "Não abra a porta do forno"),
    ("pt", "Evite abrir a porta do forno", "Não abra a porta do forno"),
    ("pt", "A porta do forno fica fechada: não abra", "Não abra a porta do forno"),
    ("pt", "Não, deixe esfriar antes de cortar", "Deixe esfriar antes de cortar"),
    ("pt", "Não ligue a serra sem óculos", "Nunca ligue a serra sem os óculos."),
    ("pt", "Nenhum ofício é aprendido por uma raposa velha", "Uma raposa velha não consegue aprender nenhum ofício."),
    ("pt", "Leva não só fubá, também leite", "Leva fubá e leite"),
    ("es", "Los importes no incluyen impuestos ni gastos de envío", "Importes sin impuestos ni gastos de envío."),
    ("es", "Antes que nada apague la llave", "Apague la llave"),
    ("es", "Nunca mezcle lejía", "No mezcle lejía."),
    ("en", "Avoid using an impact gun", "Never use an impact gun here"),
    ("en", "Two passes are made", "Two passes, never just one"),
]


@pytest.mark.parametrize(("language", "claim", "evidence"), FLIPPED, ids=lambda value: str(value)[:40])
def test_flipped(language: str, claim: str, evidence: str) -> None:
    assert negation_flipped(claim, [evidence], language)


@pytest.mark.parametrize(("language", "claim", "evidence"), SAME, ids=lambda value: str(value)[:40])
def test_not_flipped(language: str, claim: str, evidence: str) -> None:
    assert not negation_flipped(claim, [evidence], language)
