"""Holds a reading against the truth of a clip: which texts were found, which are not there, how far off their times are.

A reading belongs to a text when it says nearly the same at a time when the text is visible, and, where the text stands still, in its place.
Each text takes one reading, the closest; a second one of the same text is counted as a repetition, any other as a text that is not there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.truth.clip import Clip, TrueText
from benchmarks.truth.scene import Edge
from stages.evidence import Box, Evidence

__all__ = ["Found", "Read", "Score", "score"]

_ALIKE = 0.3
"""Character error rate up to which a reading is of that text."""
_NEAR_MS = 400
"""How far outside a text's time its reading may lie and still be of it: late or early, but found."""
_SAME_PLACE = 0.3


@dataclass(frozen=True, slots=True)
class Read:
    """One line as a reader believes it; times are ms."""

    text: str
    first_ms: int
    end_ms: int
    confidence: float
    box: Box

    @classmethod
    def of(cls, item: Evidence) -> Read:
        return cls(item.text, item.span.start.ms, item.span.end.ms, item.confidence, item.box or Box(0, 0, 1, 1))


@dataclass(frozen=True, slots=True)
class Found:
    """A text and the reading of it."""

    text: TrueText
    read: Read
    errors: int
    """Wrong characters, spaces and case counted as written, but for the number of spaces."""
    first_frames: int
    """Frames by which the first visible frame is off; negative is early."""
    last_frames: int
    first_ms: int
    last_ms: int

    @property
    def digits_right(self) -> bool:
        return _digits(self.text.text) == _digits(self.read.text)


@dataclass(slots=True)
class Score:
    """What became of the texts of one clip."""

    clip: Clip
    found: list[Found] = field(default_factory=list)
    missed: list[TrueText] = field(default_factory=list)
    repeated: list[Read] = field(default_factory=list)
    not_there: list[Read] = field(default_factory=list)


def score(clip: Clip, read: Sequence[Read]) -> Score:
    """`read` is what the reader believes, in any order."""
    result = Score(clip)
    pairs = sorted(
        (
            (rate, -_common_ms(text, item), place, number)
            for place, text in enumerate(clip.texts)
            for number, item in enumerate(read)
            if (rate := _rate(text.text, item.text)) <= _ALIKE and _together(text, item)
        ),
    )
    taken: dict[int, int] = {}
    for _, _, place, number in pairs:
        if place not in taken and number not in taken.values():
            taken[place] = number
    for place, text in enumerate(clip.texts):
        if place in taken:
            result.found.append(_found(clip, text, read[taken[place]]))
        else:
            result.missed.append(text)
    of_a_text = {number for _, _, _, number in pairs}
    for number, item in enumerate(read):
        if number not in taken.values():
            (result.repeated if number in of_a_text else result.not_there).append(item)
    return result


def _found(clip: Clip, text: TrueText, item: Read) -> Found:
    times = np.array([*clip.times_ms, clip.duration_ms])

    def frame(ms: int) -> int:
        return int(np.argmin(np.abs(times - ms)))

    start, end = item.first_ms, item.end_ms
    first = min(max(start, text.first_ms), text.clear_first_ms)
    last = min(max(end, text.clear_end_ms), text.end_ms)

    return Found(
        text,
        item,
        Levenshtein.distance(_plain(text.text), _plain(item.text)),
        frame(start) - frame(first),
        frame(end) - frame(last),
        start - first,
        end - last,
    )


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _rate(text: str, read: str) -> float:
    text, read = _plain(text).replace(" ", ""), _plain(read).replace(" ", "")
    return Levenshtein.distance(text, read) / max(1, len(text))


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


def _common_ms(text: TrueText, item: Read) -> int:
    return max(0, min(text.end_ms, item.end_ms) - max(text.first_ms, item.first_ms))


def _together(text: TrueText, item: Read) -> bool:
    if item.first_ms > text.end_ms + _NEAR_MS or item.end_ms < text.first_ms - _NEAR_MS:
        return False
    if text.edge is Edge.MOVING:
        return True
    x0, y0, x1, y1 = text.box
    across = min(x1, item.box.x1) - max(x0, item.box.x0)
    down = min(y1, item.box.y1) - max(y0, item.box.y0)
    return across > 0 and down >= _SAME_PLACE * min(y1 - y0, item.box.y1 - item.box.y0)
