"""Where somebody speaks, measured on the sound itself and not by the recogniser that writes the words.

A recogniser that is given rain writes "thank you"; given forty seconds of silence it takes the wrong language, and dates the first word
at the silence's start. So the sound is measured first, frame by frame: how likely a voice is (a detector), and how loud it is. What is
voiced is cut into passages for the recogniser, and its words are held against the same measurements afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stages.engines.speech_recogniser import SAMPLE_RATE, VOICE_FRAME
from stages.instant import Span

__all__ = ["CLEAR_VOICE", "FRAME_MS", "LEVEL_MS", "LONGEST_MS", "VOICED", "Activity", "Passage", "loudness"]

FRAME_MS: Final = 1000 * VOICE_FRAME // SAMPLE_RATE
"""One measurement of voice."""
LEVEL_MS: Final = 10
"""One measurement of level."""

VOICED: Final = 0.5
"""Probability from which a frame counts as voice; the detector's own default."""
CLEAR_VOICE: Final = 0.8
"""Rain and music reach 0.7 for a frame or two; people who speak pass this now and then."""
_PAUSE_IN_WORD_MS: Final = 200
"""A plosive holds its breath for less."""
_LEEWAY_MS: Final = 300
"""The error of word times that is usual."""

_DETECTED_LATE_MS: Final = 30
"""How late the detector is at an onset."""

_QUIET_EARLY_MS: Final = 30
"""How early the quietest moment before a word is."""
_SWELL_MS: Final = 60
"""How far a start may be moved; further away the tail of the errors grows."""
_RISE_MS: Final = 50
_STEEP_DB: Final = 9.0
"""A rise by this much within `_RISE_MS` is the onset of a word; speech that runs on does not rise so."""
_INAUDIBLE: Final = 1e-5

_LEAD_MS: Final = 192
"""Kept before a voice, whose first consonant the detector misses."""
_TAIL_MS: Final = 288
_JOIN_MS: Final = 2000
"""A longer pause separates two passages: inside one, the recogniser dates the next word into the pause."""
LONGEST_MS: Final = 29_000
"""Whisper hears 30 s at a time."""
_SMOOTH_FRAMES: Final = 9


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """A stretch of the video in which somebody may speak, in whole ms."""

    start_ms: int
    end_ms: int

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms


def loudness(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Root mean square, 0..1, of the 30 ms around every `LEVEL_MS`."""
    length = LEVEL_MS * SAMPLE_RATE // 1000
    power = np.mean(np.square(np.pad(samples, (0, -len(samples) % length)).reshape(-1, length)), axis=1)
    return np.asarray(np.sqrt(np.convolve(np.pad(power, 1, "edge"), np.full(3, 1 / 3), "valid")), np.float32)


@dataclass(frozen=True, slots=True)
class Activity:
    """The measurements of a whole soundtrack."""

    voice: NDArray[np.float32]
    """Probability of a voice, every `FRAME_MS`."""
    level: NDArray[np.float32]
    """Root mean square, 0..1, every `LEVEL_MS`."""
    duration_ms: int

    def loudest(self, start_ms: int, end_ms: int) -> float:
        """Largest level between two times."""
        return float(self.level[_frames(start_ms, end_ms, LEVEL_MS)].max(initial=0))

    def clearest(self, start_ms: int, end_ms: int) -> float:
        """Largest probability of a voice between two times, give or take the error of word times."""
        return float(self.voice[_frames(max(0, start_ms - _LEEWAY_MS), end_ms + _LEEWAY_MS)].max(initial=0))

    def voiced_ms(self, passage: Passage) -> int:
        """How long somebody speaks in it."""
        return FRAME_MS * int(np.count_nonzero(self.voice[_frames(passage.start_ms, passage.end_ms)] >= VOICED))

    def word_within(self, start_ms: int, end_ms: int) -> tuple[int, int]:
        """Where in a stretch that a recogniser gave to one word the word is.

        Alignment by attention gives the pause before a word to the word, at times with the tail of the word before the pause. So the word
        begins with the longest voice in the stretch; where that voice is already there at the start of the stretch, it begins at the
        quietest moment of the first half, where the word before fades. From either, it is moved to where the sound swells, if it does.
        """
        voiced = np.flatnonzero(self.voice[_frames(start_ms, end_ms)] >= VOICED) + start_ms // FRAME_MS
        if not voiced.size:
            return start_ms, end_ms
        voices = np.split(voiced, np.flatnonzero(np.diff(voiced) * FRAME_MS > _PAUSE_IN_WORD_MS) + 1)
        onset_ms = FRAME_MS * int(max(reversed(voices), key=len)[0])
        end_ms = min(end_ms, FRAME_MS * (int(voiced[-1]) + 1))
        if onset_ms > start_ms:
            return min(self._swell(max(start_ms, onset_ms - _DETECTED_LATE_MS)), end_ms), end_ms
        levels = self.level[_frames(start_ms, (start_ms + end_ms) // 2, LEVEL_MS)]
        quietest_ms = start_ms + LEVEL_MS * int(levels.argmin()) if levels.size else start_ms
        return min(self._swell(min(end_ms, quietest_ms + _QUIET_EARLY_MS)), end_ms), end_ms

    def _swell(self, near_ms: int) -> int:
        """The middle of the steepest rise of the level within `_SWELL_MS`, or `near_ms` where no rise there is steep."""
        reach, rise = _SWELL_MS // LEVEL_MS, _RISE_MS // LEVEL_MS
        first = max(rise, near_ms // LEVEL_MS - reach)
        loud = 20 * np.log10(np.maximum(self.level[first - rise : near_ms // LEVEL_MS + reach + 1], _INAUDIBLE))
        rises = loud[rise:] - loud[:-rise]
        if not rises.size or rises.max() < _STEEP_DB:
            return near_ms
        return (first + int(rises.argmax())) * LEVEL_MS - _RISE_MS // 2

    def without(self, spans: Iterable[Span]) -> Activity:
        """The same, with no voice in `spans` nor closer to them than word times are exact."""
        voice = self.voice.copy()
        for span in spans:
            voice[_frames(max(0, span.start.ms - _LEEWAY_MS), span.end.ms + _LEEWAY_MS)] = 0
        return replace(self, voice=voice)

    def passages(self, join_ms: int = _JOIN_MS) -> list[Passage]:
        """What the recogniser is to hear, in order: voices with a little around them, joined over pauses up to `join_ms`, none longer
        than it can hear at once."""
        return [part for voice in self._voices(join_ms) for part in self._cut(voice)]

    def unheard(self, least_ms: int) -> list[Passage]:
        """Stretches with at least `least_ms` of a clear voice, never joined over a span that was taken out."""
        passages = self.passages(join_ms=_LEEWAY_MS)
        return [one for one in passages if self.voiced_ms(one) >= least_ms and self.clearest(one.start_ms, one.end_ms) >= CLEAR_VOICE]

    def _voices(self, join_ms: int) -> Iterator[Passage]:
        """Voices joined over short pauses, with a little around them."""
        edges = np.flatnonzero(np.diff(np.pad(self.voice >= VOICED, 1).astype(np.int8))) * FRAME_MS
        starts, ends = edges[::2], edges[1::2]
        parted = starts[1:] - ends[:-1] > join_ms
        for start, end in zip(starts[np.append(True, parted)[: starts.size]], ends[np.append(parted, True)[: ends.size]], strict=True):
            yield Passage(max(0, int(start) - _LEAD_MS), min(self.duration_ms, int(end) + _TAIL_MS))

    def _cut(self, passage: Passage) -> Iterator[Passage]:
        """Parts of at most `LONGEST_MS`, cut at the quietest moment near where a voice is least likely: between two words."""
        while passage.length_ms > LONGEST_MS:
            frames = _frames(passage.start_ms + LONGEST_MS * 2 // 3, passage.start_ms + LONGEST_MS)
            smooth = np.convolve(self.voice[frames], np.ones(_SMOOTH_FRAMES) / _SMOOTH_FRAMES, "same")
            inner = smooth[_SMOOTH_FRAMES:-_SMOOTH_FRAMES]
            faintest_ms = (frames.start + _SMOOTH_FRAMES + int(inner.argmin())) * FRAME_MS
            near = _frames(faintest_ms - _SMOOTH_FRAMES * FRAME_MS, faintest_ms + _SMOOTH_FRAMES * FRAME_MS, LEVEL_MS)
            levels = self.level[near]
            distance = np.abs(np.arange(levels.size) - levels.size // 2)
            cut = (near.start + int(np.lexsort((distance, levels))[0])) * LEVEL_MS
            yield Passage(passage.start_ms, cut)
            passage = Passage(cut, passage.end_ms)
        yield passage


def _frames(start_ms: int, end_ms: int, frame_ms: int = FRAME_MS) -> slice:
    return slice(start_ms // frame_ms, -(-end_ms // frame_ms))
