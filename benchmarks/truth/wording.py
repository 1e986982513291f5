"""What is written on the pictures: short lines in Portuguese, Spanish and English, with accents, prices, dates and measures."""

from __future__ import annotations

import random
from typing import Final

__all__ = ["LANGUAGES", "Wording"]

LANGUAGES: Final = ("pt", "es", "en")

_PATTERNS: Final = {
    "pt": (
        "Misture {n} g de {thing}",
        "Reunião às {h}:{m} com {name}",
        "Preço: R$ {n},{m}",
        "{Thing} a {p}% da produção",
        "Atenção: não {verb} antes de {n} min",
        "Capítulo {d}: {thing} e {thing2}",
        "{name} é responsável pela {thing}",
        "Até {d}/{d2} na estação {place}",
        "Função {thing} concluída",
        "Medição de {n},{d} cm",
    ),
    "es": (
        "Añada {n} ml de {thing}",
        "Sesión a las {h}:{m} con {name}",
        "Precio: {n},{m} €",
        "{Thing} al {p}% del año",
        "Atención: no {verb} antes de {n} min",
        "Capítulo {d}: {thing} y {thing2}",
        "{name} dirige la {thing}",
        "Salida el {d}/{d2} desde {place}",
        "Corazón de {thing} y {thing2}",
        "Medición de {n},{d} cm",
    ),
    "en": (
        "Stir in {n} g of {thing}",
        "Meeting at {h}:{m} with {name}",
        "Price: ${n}.{m}",
        "{Thing} at {p}% of plan",
        "Warning: do not {verb} for {n} min",
        "Chapter {d}: {thing} and {thing2}",
        "{name} leads the {thing} team",
        "Leaves on {d}/{d2} from {place}",
        "Open the {thing} window",
        "Measured {n}.{d} inches",
    ),
}
_THINGS: Final = {
    "pt": "açúcar farinha solução pressão coração manutenção pêssego água câmera órgão fermentação índice média".split(),
    "es": "azúcar harina solución presión corazón jamón agua cámara órgano fermentación índice mañana señal".split(),
    "en": "sugar flour solution pressure heart bearing water camera engine balance index garden signal".split(),
}
_VERBS: Final = {
    "pt": "abrir mexer ligar servir".split(),
    "es": "abrir mover cerrar servir".split(),
    "en": "open stir start serve".split(),
}
_NAMES: Final = {
    "pt": ("Conceição Araújo", "João Müller", "Inês Brandão", "Antônio Sá"),
    "es": ("Íñigo Muñoz", "Lucía Peña", "José Núñez", "Begoña Ríos"),
    "en": ("Harriet Vaughn", "Oliver Byrne", "Zoe Whitfield", "Martin Keane"),
}
_PLACES: Final = {
    "pt": ("São João", "Maranhão", "Guimarães"),
    "es": ("Logroño", "Cádiz", "Peñíscola"),
    "en": ("Bristol", "Hartford", "Wexford"),
}


class Wording:
    """Lines of one language, no two of them alike."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self._rng = rng
        self._language = language
        self._said: set[str] = set()

    def line(self) -> str:
        """A line that was not given before."""
        while (line := self._any()) in self._said:
            pass
        self._said.add(line)
        return line

    def _any(self) -> str:
        rng, language = self._rng, self._language
        thing, thing2 = rng.sample(_THINGS[language], 2)
        return rng.choice(_PATTERNS[language]).format(
            n=rng.randint(12, 980),
            m=f"{rng.randrange(60):02}",
            h=rng.randint(7, 22),
            p=rng.randint(11, 99),
            d=rng.randint(1, 9),
            d2=rng.randint(10, 12),
            thing=thing,
            Thing=thing.capitalize(),
            thing2=thing2,
            verb=rng.choice(_VERBS[language]),
            name=rng.choice(_NAMES[language]),
            place=rng.choice(_PLACES[language]),
        )
