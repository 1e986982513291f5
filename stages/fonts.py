"""Which letters a report needs and this machine has no font for: they are boxes in the PDF, without an error anywhere.

Fonts are named by the Debian package that has them, so that the message is the remedy.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

__all__ = ["SAMPLES", "lacking"]

_CORE: Final = "fonts-noto-core"
_CJK: Final = "fonts-noto-cjk"
_EMOJI: Final = "fonts-noto-color-emoji"

SAMPLES: Final[Mapping[str, Mapping[str, str]]] = {
    "fonts-dejavu-core": {"marks of the bases": "▣♪◇▲⊘"},
    _CORE: {"Greek": "Ω", "Cyrillic": "ж", "Hebrew": "א", "Arabic": "ع", "Devanagari": "ह", "Thai": "ก"},
    _CJK: {"Chinese": "漢", "Japanese": "か", "Korean": "한"},
    _EMOJI: {"emoji": "🧾"},
}
"""By Debian package, what it covers and characters that stand for it."""

_EASTERN: Final = {
    "CJK": "Chinese", "BOPOMOFO": "Chinese", "IDEOGRAPHIC": "Chinese", "FULLWIDTH": "Chinese",
    "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
}  # fmt: skip
_NOWHERE: Final = ("C", "Z")
"""Categories that no font has pictures for: controls, private use, unassigned, spaces."""


def lacking(characters: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """By package, the scripts of `characters`, which no installed font has."""
    found: dict[str, set[str]] = {}
    for character in characters:
        name = unicodedata.name(character, "")
        if not name or unicodedata.category(character).startswith(_NOWHERE):
            continue
        first = name.split()[0].split("-")[0]
        if first in _EASTERN:
            found.setdefault(_CJK, set()).add(_EASTERN[first])
        elif unicodedata.category(character) == "So" and ord(character) > 0xFFFF:
            found.setdefault(_EMOJI, set()).add("emoji")
        else:
            found.setdefault(_CORE, set()).add(first.capitalize() if unicodedata.category(character).startswith(("L", "M")) else "symbols")
    return {package: tuple(sorted(scripts)) for package, scripts in sorted(found.items())}
