"""Which statements deserve a second look in a domain, and which put a dangerous word beside a figure that no evidence gives it.

A wrong figure is refused elsewhere. What is left is the right figure under the wrong name ("torque: 45" where the video says 45 of
something else), and the figure of general knowledge that reads like a prescription. Neither is a lie about where it was read, so neither
is refused: it is flagged, in words, and the seal of the report falls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from stages.names import missing_names
from stages.profile import Profile
from stages.values import Confirmation, confirm_values, language_of, read_values
from stages.words import contains_words, tokens

__all__ = ["fabricated_terms", "risks"]

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|[\r\n]+")
"""Between two sentences, and between two rows of a table; the cells of one row stay together."""

_MEASURED: Final = frozenset({"quantity", "duration", "money", "percent"})
"""Kinds of value that are figures even where their number may be an article: "uma xícara"."""
_FIRST: Final = 100
"""Pieces of evidence that tell its language."""
_ORDER: Final = frozenset(
    "primeiro primeira antes depois seguida entao ultimo ultima finalmente "
    "primero luego despues seguidamente entonces finalmente "
    "first then before after next last finally".split()
)


def risks(text: str, profile: Profile) -> tuple[str, ...]:
    """Why the statement is risky under `profile`: of `value`, `name`, `order`."""
    found = []
    if any(value.certain and value.kind in profile.risky_values for value in read_values(text)):
        found.append("value")
    if profile.risky_names and missing_names(text, ()):
        found.append("name")
    if profile.risky_order and _ORDER.intersection(tokens(text)):
        found.append("order")
    return tuple(found)


def fabricated_terms(text: str, evidence: Sequence[str], profile: Profile) -> tuple[str, ...]:
    """The risky terms that stand in one sentence, cell or row of `text` with a figure, where `evidence` has not both.

    A figure that the evidence gives, beside a term that the evidence says in any of its words, is never flagged.
    """
    flagged: list[str] = []
    language = language_of(" ".join(evidence[:_FIRST]))
    for sentence in _SENTENCE.split(text):
        figures = [value.text for value in read_values(sentence, language) if value.certain or value.kind in _MEASURED]
        if not figures:
            continue
        for row in profile.risky_terms:
            said = next((term for term in row if _has(term, sentence)), None)
            if said and not (_says(row, evidence) and all(_gives(figure, evidence, language) for figure in figures)):
                flagged.append(said)
    return tuple(dict.fromkeys(flagged))


def _says(row: Sequence[str], evidence: Sequence[str]) -> bool:
    return any(_has(term, text) for term in row for text in evidence)


def _has(term: str, text: str) -> bool:
    """By its exact words or their plural: stems would take `taxa` for `tax`."""
    return any(contains_words(f"{term}{plural}", text) for plural in ("", "s", "es"))


def _gives(figure: str, evidence: Sequence[str], language: str) -> bool:
    return confirm_values(figure, evidence, language=language).status in (Confirmation.CONFIRMED, Confirmation.UNCHECKED)
