"""Whether a statement tells two steps the other way round than its evidence does.

Only an order that both say in words is compared: "first A, then B", "A antes de B", "depois de A, B", "1. A 2. B". Evidence that merely
mentions one thing before another says nothing of their order, and is never read as if it did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from stages.words import content_words, fold, shared_words

__all__ = ["order_swapped"]

_FIRST: Final = (
    r"(?:primeiro|primeiramente|antes de (?:tudo|mais nada)|antes que nada|primero|en primer lugar|first(?: of all)?|to begin with"
    r"|comece assim|empiece asi|start like this)"
)
_THEN: Final = (
    r"(?:e |y |and )?(?:so )?(?:depois|em seguida|logo depois|entao|por fim|despues|luego|entonces|a continuacion|por ultimo|then"
    r"|after that|next|finally|afterwards|once done)"
)
_BEFORE: Final = r"(?:antes de|antes que|before)\b (?!(?:tudo|mais nada|nada)\b)"
_AFTER: Final = r"(?:depois (?:de|que)|apos|despues de|luego de|tras|after|once)\b (?!that\b)"
_NEXT: Final = r"(?:e |y |and )?(?:so )?\b(?:depois|em seguida|entao|despues|luego|then|after that)\b (?!de\b|que\b)"
_FOLLOWED: Final = r"(?:seguid[oa]s? (?:por|de|pel[oa])|followed by)"
_SEQUENCES: Final = (
    re.compile(rf"\b{_FIRST}\b[ ,:]*(?P<a>.+?)[.,;:]* *\b{_THEN}\b[ ,:]*(?P<b>.+)"),
    re.compile(rf"(?:^|[.:;,] *)\b{_BEFORE}(?P<b>[^,;.]+)[,;] *(?P<a>.+)"),
    re.compile(rf"(?P<a>[^,;.:]+?),? \b{_BEFORE}(?P<b>[^,;.]+)"),
    re.compile(rf"(?:^|[.:;,] *)(?:so |only )?\b{_AFTER}(?P<a>[^,;.]+)[,;] *(?P<b>.+)"),
    re.compile(rf"(?P<b>[^,;.:]+?),? (?:so |only )?\b{_AFTER}(?P<a>[^,;.]+)"),
    re.compile(rf"(?P<a>[^.;:]+?)[,;]? {_NEXT}(?P<b>.+)"),
    re.compile(rf"(?P<a>[^.;:,]+?),? \b{_FOLLOWED}\b:? (?P<b>[^.;,]+)"),
    re.compile(r"\b1[.)] (?P<a>.+?) 2[.)] (?P<b>.+)", re.DOTALL),
)
"""Tried in turn on folded text; `a` comes before `b`."""


def order_swapped(text: str, evidence: Sequence[str]) -> bool:
    """Whether `text` says the second step first and the first second."""
    said = _order(text)
    if said is None:
        return False
    told = [order for item in [*evidence, "\n".join(evidence)] if (order := _order(item)) is not None]
    swapped = [order for order in told if _matches(said[0], order[1], order[0]) and _matches(said[1], order[0], order[1])]
    return bool(swapped) and not any(_matches(said[0], order[0], order[1]) and _matches(said[1], order[1], order[0]) for order in told)


def _order(text: str) -> tuple[str, str] | None:
    """(first step, second step) as the text orders them; None where it orders nothing."""
    folded = fold(text)
    for form in _SEQUENCES:
        match = form.search(folded)
        if match and content_words(match["a"]) and content_words(match["b"]):
            return match["a"], match["b"]
    return None


def _matches(step: str, mine: str, other: str) -> bool:
    """Whether a step shares at least half its words with one step of the evidence, and more than with the other."""
    words = len(set(content_words(step)))
    here, there = len(shared_words(step, mine)), len(shared_words(step, other))
    return here * 2 >= words and here > there
