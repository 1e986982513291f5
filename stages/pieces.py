"""Lines that are read in pieces: put together again, or known to be some of a line that is read whole later."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from stages.boxes import PixelBox
from stages.readings import Reading

__all__ = ["is_piece", "joined"]

_LEVEL: Final = 0.15
_SPACE: Final = 0.15
_OVERLAP: Final = 0.4
"""Of the height of a line: how far its pieces differ in level, lie apart, and overlap; boxes reach beyond their letters."""
_INSIDE: Final = 0.8


def joined(readings: Iterable[Reading]) -> list[Reading]:
    """The readings, those that are pieces of one line put together: detectors part a line where its letters stand far apart."""
    left_to_right = sorted(readings, key=lambda reading: reading.box.x0)
    lines: list[Reading] = []
    for reading in left_to_right:
        before = next((line for line in lines if _continues(line.box, reading.box)), None)
        if before is None:
            lines.append(reading)
        else:
            whole = Reading(f"{before.text} {reading.text}", min(before.confidence, reading.confidence), before.box.around(reading.box))
            lines[lines.index(before)] = whole
    return lines


def _continues(before: PixelBox, after: PixelBox) -> bool:
    """Whether the second box goes on where the first ends, at its height, no more than a space away."""
    height = min(before.height, after.height)
    level = max(abs(before.y0 - after.y0), abs(before.y1 - after.y1)) <= _LEVEL * height
    return level and -_OVERLAP * height <= after.x0 - before.x1 <= _SPACE * height


def is_piece(part: Reading, whole: Reading) -> bool:
    """Whether the first is some of the words of the second, read where those stand."""
    return (
        part.key in whole.key
        and len(part.key) < len(whole.key)
        and whole.box.shared(part.box) >= _INSIDE
        and part.box.area < whole.box.area
    )
