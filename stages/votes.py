"""What several readings of one line say together.

Text that moves, or that the codec blurs, is read a little differently each time; the surest reading is not always the right one, and the
one that comes back usually is.
"""

from __future__ import annotations

from typing import Final

from stages.readings import Reading, is_part

__all__ = ["Votes"]

_UNSURE: Final = 0.25
"""What a reading that is not sure of itself counts: three bad ones do not outvote a good one."""
_TIE: Final = 0.5
"""Votes that differ by less than half a reading are a tie: the surer reading has it."""


class Votes:
    """Readings of one line, which decide together what it says: each counts for its text as much as it is sure of it."""

    def __init__(self, first: Reading) -> None:
        self._weights: dict[str, float] = {first.key: _weight(first)}

    def prefers(self, reading: Reading, known: Reading) -> bool:
        """Take one more reading; whether it is now the one to keep, rather than the `known` one."""
        self._weights[reading.key] = self._weights.get(reading.key, 0.0) + _weight(reading)
        if reading.key == known.key or is_part(reading, known) or is_part(known, reading):
            return _is_better(reading, known)
        ours, others = self._weights[reading.key], self._weights[known.key]
        return (ours, reading.confidence) > (others, known.confidence) if abs(ours - others) > _TIE else _is_better(reading, known)


def _weight(reading: Reading) -> float:
    return reading.confidence if reading.sure else reading.confidence * _UNSURE


def _is_better(reading: Reading, known: Reading) -> bool:
    """Whether, of two readings of one text, the first is the one to keep: the whole before a part, then the surer."""
    if is_part(known, reading) and len(reading.key) > len(known.key):
        return reading.sure
    return reading.confidence > known.confidence and not (is_part(reading, known) and len(reading.key) < len(known.key))
