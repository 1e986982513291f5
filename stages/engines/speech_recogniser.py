"""What a speech recogniser owes the speech stage, whichever package is behind it.

A recogniser is believed about words, and about nothing else: it dates them after the end of the sound, or backwards, or not at all, and
writes fluent sentences about silence. So it hands over what it measured as it measured it, impossible times included, and the guards of
the stage judge. It is given stretches of sound and knows nothing of the video around them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from stages.errors import StageFailed

__all__ = ["BATCH", "SAMPLE_RATE", "VOICE_FRAME", "HeardSegment", "HeardWord", "RecognitionFailed", "Samples", "SpeechRecogniser"]

Samples = NDArray[np.float32]
"""Mono sound, -1..1, `SAMPLE_RATE` samples a second."""

SAMPLE_RATE: Final = 16_000
BATCH: Final = 8
"""Stretches of sound that a recogniser takes at once. Each costs memory (40 MB with whisper-base); more of them gain little time."""
VOICE_FRAME: Final = 512
"""Samples in one frame of voice activity: 32 ms."""


class RecognitionFailed(StageFailed):
    """The engine broke on one stretch of sound; the rest of the video may still be heard."""


@dataclass(frozen=True, slots=True)
class HeardWord:
    """One word as the engine wrote it, its leading space and its punctuation included. Times are seconds in the sound that was given,
    None where the engine has none."""

    text: str
    start: float | None
    end: float | None
    prob: float
    """0..1."""


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """A run of words, with what the engine measured while it wrote them. Times are seconds in the sound that was given."""

    text: str
    start: float
    end: float
    words: tuple[HeardWord, ...]
    avg_logprob: float
    """Mean log-probability of the tokens; <= 0."""
    no_speech_prob: float
    """0..1, that the sound holds no speech."""
    compression_ratio: float
    """Bytes of the text over its bytes when deflated: repetition makes it large."""


class SpeechRecogniser(Protocol):
    """Writes down what is said, in the language in which it is said: it never translates."""

    @property
    def name(self) -> str:
        """The engine and its version."""

    @property
    def model(self) -> str:
        """The weights, so that another file of the same name reads differently."""

    def voice(self, samples: Samples) -> NDArray[np.float32]:
        """How likely it is that somebody speaks, 0..1, in each frame of `VOICE_FRAME` samples; the last frame may be short."""

    def languages(self, batch: Sequence[Samples]) -> Sequence[Mapping[str, float]]:
        """For each of at most `BATCH` stretches of at most 30 s, how likely each language is, BCP 47 tag to 0..1; never empty.

        Raises `RecognitionFailed` where the engine breaks.
        """

    def transcribe(self, batch: Sequence[Samples], languages: Sequence[str]) -> Sequence[Sequence[HeardSegment]]:
        """What is said in each of at most `BATCH` stretches of at most 30 s, each in its language. Fastest where the same batch was just
        given to `languages`. Raises `RecognitionFailed` where the engine breaks."""

    def transcribe_again(self, samples: Samples, language: str) -> Sequence[HeardSegment]:
        """A second reading of one stretch by another path, where the first went wrong. Raises `RecognitionFailed`."""
