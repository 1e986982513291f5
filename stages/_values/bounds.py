"""What limits a value: "mais de 500 g", "até 3 dias", "o dobro de 2 kg", "5 € por quilo".

Read apart from the number, "mais de 500 g" was confirmed by "500 g" and "menos de 500 g" by "mais de 500 g". A limit that the evidence
does not say cannot be confirmed; one that points the other way is a lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stages._values.reading import Found
from stages._values.text import Tokens
from stages._values.units import match_unit

__all__ = ["with_limits"]


def _phrases(listing: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in listing.split("|"))


_BEFORE = {
    "up": _phrases(
        "mais de|mais que|mas de|mas que|more than|over|above|acima de|superior a|por encima de|pelo menos|ao menos|no minimo|al menos|"
        "por lo menos|como minimo|at least|a minimum of|minimo de|>|≥|> =|a partir de"
    ),
    "down": _phrases(
        "menos de|menos que|less than|fewer than|under|below|abaixo de|inferior a|por debajo de|no maximo|como maximo|at most|up to|ate|"
        "hasta|maximo de|a maximum of|<|≤|< =|quase|casi|almost|nearly"
    ),
    "times": _phrases(
        "o dobro de|dobro de|el doble de|doble de|twice|double|o triplo de|el triple de|triple|a metade de|metade de|"
        "la mitad de|half of|half the|x|vezes|veces|times"
    ),
}
_AFTER = {
    "up": _phrases("ou mais|o mas|or more|no minimo|como minimo|at least|pelo menos|minimum"),
    "down": _phrases("ou menos|o menos|or less|no maximo|como maximo|at most|maximum"),
}
_LIMITED = frozenset("number quantity money percent duration".split())
_PER = frozenset("/ por per cada".split())
_SHARES = frozenset("pessoa persona person porcao porcion portion unidade unidad unit lado side aluno alumno".split())


def with_limits(found: Sequence[Found], tokens: Tokens) -> list[Found]:
    """The values, each with what limits it in its text."""
    ends = {item.last for item in found}
    return [replace(item, limit=_limit(item, tokens, ends), per=_per(item, tokens)) for item in found]


def _limit(item: Found, tokens: Tokens, ends: set[int]) -> str:
    if item.value.kind not in _LIMITED:
        return ""
    for name, phrases in _BEFORE.items():
        for phrase in phrases:
            start = item.first - len(phrase)
            # "2 até 4 kg" is a range: the word stands between two values.
            if start >= 0 and start not in ends and _stands(tokens, start, phrase):
                return name
    return next((name for name, phrases in _AFTER.items() if any(_stands(tokens, item.last, phrase) for phrase in phrases)), "")


def _stands(tokens: Tokens, i: int, phrase: Sequence[str]) -> bool:
    return all(i + k < len(tokens) and tokens[i + k].text == word for k, word in enumerate(phrase))


def _per(item: Found, tokens: Tokens) -> str:
    """What the value is for one of: the unit's key, or the noun; empty where the text says none."""
    at = item.last
    rates = _PER | {"a", "an"} if item.value.kind == "money" else _PER
    if item.value.kind not in _LIMITED or at + 1 >= len(tokens) or tokens[at].text not in rates:
        return ""
    unit = match_unit(tokens, at + 1)
    if unit is not None and (not unit.casual or tokens[at].text == "/"):
        return unit.units[0].key
    word = tokens[at + 1].text
    return word if word in _SHARES or tokens[at].text == "/" else ""
