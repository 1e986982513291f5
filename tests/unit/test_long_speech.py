"""Hours of talk, heard in windows: no word is lost, torn or misplaced at an edge.

The talk is numbers: word n is 0.4 s of the constant level n, then 0.1 s of nothing, without a longer pause anywhere. The recogniser
reads the levels back, so it hears a torn word as one that is too short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.audio import Sound
from stages.engines.speech_recogniser import SAMPLE_RATE, VOICE_FRAME, HeardSegment, HeardWord, Samples
from stages.evidence import EvidenceSet
from stages.instant import Timeline
from stages.speech import hear
from stages.video import AudioTrack, Video

WORD, STEP = int(0.4 * SAMPLE_RATE), int(0.5 * SAMPLE_RATE)


@dataclass
class Reader:
    """Hears numbers by their level."""

    name: str = "reader 1"
    model: str = "none"
    heard_s: list[float] = field(default_factory=list)

    def voice(self, samples: Samples) -> NDArray[np.float32]:
        frames = np.pad(samples, (0, -len(samples) % VOICE_FRAME)).reshape(-1, VOICE_FRAME)
        return np.where((frames != 0).mean(axis=1) > 0.9, 0.95, 0.55).astype(np.float32)

    def languages(self, batch: Sequence[Samples]) -> Sequence[Mapping[str, float]]:
        return [{"pt": 0.99} for _ in batch]

    def transcribe(self, batch: Sequence[Samples], languages: Sequence[str]) -> Sequence[Sequence[HeardSegment]]:
        self.heard_s += [len(samples) / SAMPLE_RATE for samples in batch]
        return [[self._read(samples)] for samples in batch]

    def transcribe_again(self, samples: Samples, language: str) -> Sequence[HeardSegment]:
        return [self._read(samples)]

    def _read(self, samples: Samples) -> HeardSegment:
        levels = np.round(samples * 32768).astype(int)
        edges = np.flatnonzero(np.diff(np.pad(levels, 1)))
        words = []
        for start, end in pairwise(edges):
            if levels[start]:
                text = f" n{levels[start]}" if end - start == WORD else " torn"
                words.append(HeardWord(text, start / SAMPLE_RATE, end / SAMPLE_RATE, 0.9))
        return HeardSegment("".join(word.text for word in words), words[0].start or 0, words[-1].end or 0, tuple(words), -0.1, 0.0, 1.5)


def talk(path: Path, words: int) -> Sound:
    with path.open("wb") as handle:
        for number in range(1, words + 1):
            handle.write(np.repeat(np.array([number, 0], "<i2"), [WORD, STEP - WORD]).tobytes())
    return Sound(path)


def listen(sound: Sound) -> tuple[EvidenceSet, Reader]:
    track = AudioTrack(index=0, count=1, language="", codec="aac")
    nowhere, reader = Path("/nowhere.mp4"), Reader()
    video = Video("ab" * 32, nowhere, "v.mp4", "v", nowhere, "cd" * 32, Timeline(sound.duration_ms), 0, 0, 0.0, track, "", False)
    return hear(video, sound, reader), reader


def test_no_word_is_lost_torn_or_misplaced_at_the_edge_of_a_window(tmp_path: Path) -> None:
    evidence, reader = listen(talk(tmp_path / "talk.s16", 600))
    words = [word for item in evidence for word in item.words]
    assert len(reader.heard_s) >= 300 / 29
    assert max(reader.heard_s) <= 29
    assert [word.text for word in words] == [f"n{number}" for number in range(1, 601)]
    for number, word in enumerate(words):
        assert abs(word.span.start.ms - 500 * number) <= 60
