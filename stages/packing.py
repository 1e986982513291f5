"""Passages of speech side by side in the 30 s that a recogniser hears at once, and what it wrote taken apart again.

A recogniser pays for 30 s of sound whatever it is given, so short passages share a window; the silence between them is left out. Its times
then count in the window, and a word belongs to the passage that holds its middle: no word is ever placed in a pause that was left out.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Final

from stages.engines.speech_recogniser import HeardSegment, HeardWord
from stages.voice import LONGEST_MS, Passage

__all__ = ["Window", "compression", "packed", "taken_apart"]

_S: Final = 1000.0


@dataclass(frozen=True, slots=True)
class Window:
    """Passages that are heard together, in order."""

    parts: tuple[Passage, ...]

    @property
    def length_ms(self) -> int:
        return sum(part.length_ms for part in self.parts)

    @property
    def offsets(self) -> tuple[float, ...]:
        """Where each part begins in the window, seconds."""
        return tuple(at / _S for at in accumulate((part.length_ms for part in self.parts[:-1]), initial=0))


def packed(passages: Sequence[Passage]) -> Iterator[Window]:
    """Neighbours together, as many as the recogniser can hear at once."""
    parts: list[Passage] = []
    for passage in passages:
        if parts and sum(part.length_ms for part in parts) + passage.length_ms > LONGEST_MS:
            yield Window(tuple(parts))
            parts = []
        parts.append(passage)
    if parts:
        yield Window(tuple(parts))


def taken_apart(segments: Sequence[HeardSegment], window: Window) -> list[list[HeardSegment]]:
    """What was heard in each part, in seconds of that part. Impossible times stay impossible, for the guards to refuse."""
    heard: list[list[HeardSegment]] = [[] for _ in window.parts]
    for segment in segments:
        for part, piece in _pieces(segment, window):
            heard[part].append(piece)
    return heard


def _pieces(segment: HeardSegment, window: Window) -> Iterator[tuple[int, HeardSegment]]:
    """The segment's share in each part; a word without a time goes with the word before it."""
    offsets, last = window.offsets, len(window.parts) - 1
    if not last or not 0 <= segment.start <= segment.end:  # NaN too
        yield 0, segment
        return
    if not segment.words:
        part = _part(segment.start, segment.end, offsets, 0)
        yield part, _moved(segment, (), part, window)
        return
    placed, part = [], _part(segment.start, segment.start, offsets, 0)
    for word in segment.words:
        part = _part(word.start, word.end, offsets, part)
        placed.append((part, word))
    for part, group in groupby(placed, key=lambda pair: pair[0]):
        yield part, _moved(segment, tuple(word for _, word in group), part, window)


def _part(start: float | None, end: float | None, offsets: Sequence[float], otherwise: int) -> int:
    if start is None or end is None or not math.isfinite(start + end):
        return otherwise
    return max(0, bisect_right(offsets, (start + end) / 2) - 1)


def _moved(segment: HeardSegment, words: tuple[HeardWord, ...], part: int, window: Window) -> HeardSegment:
    """The segment with `words` alone, its times counted from the start of `part`. A joint between two parts is no place in the sound: what
    reaches over it ends there. The window's own ends are the sound's, and what reaches over them is left as it is."""
    offset, length = window.offsets[part], window.parts[part].length_ms / _S
    first, last = part == 0, part == len(window.parts) - 1

    def inside(seconds: float) -> float:
        seconds -= offset
        low = seconds if first else max(0.0, seconds)
        return low if last else min(length, low)

    moved = tuple(
        word if word.start is None or word.end is None else replace(word, start=inside(word.start), end=inside(word.end)) for word in words
    )
    text = "".join(word.text for word in words) or segment.text
    return replace(
        segment, text=text, start=inside(segment.start), end=inside(segment.end), words=moved, compression_ratio=compression(text)
    )


def compression(text: str) -> float:
    """Bytes of the text over its bytes when deflated. Each part has its own: three callers who are told the same thing are no loop."""
    raw = text.strip().encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0
