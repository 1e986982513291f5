"""Readings of a line, and when two of them say the same.

A recogniser does not read the same pixels twice alike: a space comes and goes, an l is an I. But "1,5 kg" and "15 kg" are two texts, and
so are "7" and "8" however much they look alike. So digits and the signs among them must agree, always; letters may differ only where a
reading is unsure of itself.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from stages.boxes import PixelBox

__all__ = ["Reading", "is_beheaded", "is_covered", "is_misread", "is_part", "is_typed", "other_number", "same_text"]

_SURE: Final = 0.9
"""From this confidence on, two readings that differ are two texts."""

_ALIKE: Final = 85.0
"""Likeness, 0..100, from which an unsure reading is another try at the same text."""
_COVERED_LOSS: Final = 0.04
_COVERED_ALIKE: Final = 60.0
"""A reading that much less sure, and at least that alike, is the same line with something in front."""
_HIDDEN: Final = 2
"""Letters that a cursor hides or changes at most."""
_LARGE_PART: Final = 0.5
"""Share of a text that must be read for the rest to have been overlooked."""
_VALUE_SIGNS: Final = frozenset("%$€£°+-")


@dataclass(frozen=True, slots=True)
class Reading:
    """One line as it was read in one frame; `box` in px of the luma plane, `confidence` 0..1."""

    text: str
    confidence: float
    box: PixelBox

    @property
    def sure(self) -> bool:
        return self.confidence >= _SURE

    @property
    def is_icon(self) -> bool:
        """Whether a sign that stands alone is none: cursors, faces and buttons are read as a 4, a 1, a Q, but not surely."""
        return len(self.text) == 1 and not self.sure

    @property
    def key(self) -> str:
        return _key(self.text)


def _key(text: str) -> str:
    """What readings of one text have in common: letters and digits, and the signs that make a number another one."""
    folded = unicodedata.normalize("NFKC", text).casefold()

    def counts(place: int, sign: str) -> bool:
        among_digits = 0 < place < len(folded) - 1 and folded[place - 1].isdigit() and folded[place + 1].isdigit()
        return sign.isalnum() or sign in _VALUE_SIGNS or (among_digits and not sign.isspace())

    return "".join(sign for place, sign in enumerate(folded) if counts(place, sign))


def same_text(known: Reading, reading: Reading) -> bool:
    """Whether both are readings of one text."""
    if known.key == reading.key:
        return True
    unsure = min(known.confidence, reading.confidence) < _SURE
    return unsure and not other_number(known, reading) and fuzz.ratio(known.key, reading.key) >= _ALIKE


def other_number(known: Reading, reading: Reading) -> bool:
    """Whether the digits of both differ."""
    return _digits(known) != _digits(reading)


def is_covered(known: Reading, reading: Reading) -> bool:
    """Whether the reading may be what is left of the known text with something in front of it: less sure, no digit in place of another."""
    less_sure = reading.confidence <= known.confidence - _COVERED_LOSS
    return less_sure and _within(_digits(reading), _digits(known)) and fuzz.ratio(known.key, reading.key) >= _COVERED_ALIKE


def is_misread(known: Reading, reading: Reading) -> bool:
    """Whether a cursor in front of the known text may have made the reading of it; no digit in place of another."""
    return _within(_digits(reading), _digits(known)) and Levenshtein.distance(known.key, reading.key) <= _HIDDEN


def is_part(reading: Reading, whole: Reading) -> bool:
    """Whether the reading is a large part of the other, numbers included: the rest was overlooked."""
    return reading.key in whole.key and len(reading.key) >= _LARGE_PART * len(whole.key) and not other_number(reading, whole)


def is_beheaded(reading: Reading, whole: Reading) -> bool:
    """Whether the reading lacks the first letter of the other, and nothing else: a thin one at the edge of a crop is overlooked."""
    return whole.key[1:] == reading.key and whole.key[:1].isalpha() and bool(reading.key)


def is_typed(known: Reading, reading: Reading) -> bool:
    """Whether the reading is the known text, where it stood, with more behind it."""
    longer = known.key != reading.key and reading.key.startswith(known.key)
    return longer and abs(reading.box.x0 - known.box.x0) < known.box.height


def _digits(reading: Reading) -> str:
    return "".join(filter(str.isdigit, reading.key))


def _within(part: str, whole: str) -> bool:
    """Whether `part` is `whole` with some signs left out."""
    signs = iter(whole)
    return all(sign in signs for sign in part)
