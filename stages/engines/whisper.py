"""faster-whisper, and the Silero voice detector inside its package, behind the `SpeechRecogniser` protocol.

Sources: Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision"; word times by dynamic time warping over the
cross-attention, as faster-whisper does it; Silero VAD v6. The package is imported when a recogniser is loaded, not before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stages.engines.speech_recogniser import SAMPLE_RATE, VOICE_FRAME, HeardSegment, HeardWord, RecognitionFailed, Samples
from stages.errors import MissingDependency, MissingModel, UsageError
from stages.models import get_model, model_hash
from stages.settings import Settings
from stages.store import digest, file_sha256

__all__ = ["Whisper", "WhisperChoice", "choose_whisper"]

_NEEDED: Final = ("model.bin", "config.json", "tokenizer.json")
"""Where one is absent, faster-whisper would look for it on the network."""

_ENCODINGS_KEPT: Final = 8
"""As many as language detection visits before the first word is written; 3 MB each with whisper-base."""

_SECOND_READING: Final = (0.2, 0.4, 0.6, 0.8)
"""Sampling temperatures, tried until the text neither repeats itself nor is improbable (Radford et al., section 4.5)."""

_WINDOW_FRAMES: Final = 3000
"""Spectrum frames of 10 ms in the 30 s that the encoder takes."""
_BEAMS: Final = 5
_TOKENS_A_SECOND: Final = 32
_MOST_TOKENS: Final = 440
"""The decoder's 448 less the prompt."""
_THREADS: Final = 4
"""More threads per video gain little with small models and starve other videos."""


@dataclass(frozen=True, slots=True)
class WhisperChoice:
    """Which weights run where; known without loading anything."""

    name: str
    """Name in the catalogue, or a folder."""
    sha256: str
    device: str
    """`cpu` or `cuda`."""
    compute_type: str
    threads: int

    @property
    def engine(self) -> str:
        return f"faster-whisper {version('faster-whisper')}"

    @property
    def model(self) -> str:
        return f"{Path(self.name).name}@{self.sha256[:12]}"

    def load(self) -> Whisper:
        """The recogniser, kept for the next video. Raises `MissingModel` where the weights are absent or not the right bytes."""
        return _loaded(self)


@lru_cache(maxsize=1)
def _loaded(choice: WhisperChoice) -> Whisper:
    return Whisper(choice, Path(choice.name) if _is_path(choice.name) else get_model(choice.name))


def choose_whisper(settings: Settings) -> WhisperChoice:
    """The weights and the device that `settings` ask for. Raises `MissingModel`, and `MissingDependency` for a GPU that is not there."""
    name = settings.whisper_model
    sha256 = _folder_hash(Path(name)) if _is_path(name) else model_hash(name)
    device = _device(settings.device)
    threads = max(1, min(_THREADS, (os.cpu_count() or 1) // settings.jobs))
    return WhisperChoice(name, sha256, device, "float16" if device == "cuda" else "int8", threads)


def _is_path(name: str) -> bool:
    return os.sep in name


def _folder_hash(folder: Path) -> str:
    if absent := [name for name in _NEEDED if not (folder / name).is_file()]:
        raise MissingModel(
            f"{folder} is not a CTranslate2 Whisper model: {', '.join(absent)} not there.",
            hint="Give such a folder, or a name that `frame-oracle models` lists.",
        )
    return digest(*(part for path in sorted(folder.iterdir()) if path.is_file() for part in (path.name, file_sha256(path))))


def _device(wanted: str) -> str:
    if wanted == "cpu":
        return "cpu"
    import ctranslate2

    present = ctranslate2.get_cuda_device_count() > 0
    if wanted == "cuda" and not present:
        raise MissingDependency("No CUDA device is visible to the speech recogniser.", hint="Use --device cpu, or check `nvidia-smi`.")
    return "cuda" if present else "cpu"


class Whisper:
    """One loaded model. Calls from several threads wait for one another inside CTranslate2."""

    def __init__(self, choice: WhisperChoice, folder: Path) -> None:
        from faster_whisper import WhisperModel

        self.name = choice.engine
        self.model = choice.model
        try:
            self._model = WhisperModel(
                str(folder), device=choice.device, compute_type=choice.compute_type, cpu_threads=choice.threads, local_files_only=True
            )
            if choice.device == "cuda":  # its libraries are looked for at the first use, which must not be a video
                mel_bands = len(self._model.feature_extractor.mel_filters)
                self._model.encode(np.zeros((mel_bands, _WINDOW_FRAMES), np.float32))
        except (RuntimeError, ValueError) as error:
            kind = MissingDependency if choice.device == "cuda" else MissingModel
            raise kind(
                f"The speech model in {folder} does not load on {choice.device}: {error}.",
                hint="Run `frame-oracle doctor`; `--device cpu` needs no GPU libraries.",
            ) from error
        # Language detection and transcription each encode the same sound, and encoding is half of the cost of a short window.
        self._model.encode = _remembering(self._model.encode)

    def voice(self, samples: Samples) -> NDArray[np.float32]:
        from faster_whisper.vad import get_vad_model

        padded = np.pad(samples, (0, -len(samples) % VOICE_FRAME))
        return np.asarray(get_vad_model()(padded), np.float32).reshape(-1)

    def languages(self, samples: Samples) -> Mapping[str, float]:
        if not self._model.model.is_multilingual:
            return {"en": 1.0}
        # Without the frame of padding that `transcribe` leaves out too, so that both encode the very same array.
        features = self._model.feature_extractor(samples)[..., :-1]
        *_, probabilities = self._guarded(lambda: self._model.detect_language(features=features))
        return dict(probabilities)

    def transcribe(self, samples: Samples, language: str, *, again: bool = False) -> Sequence[HeardSegment]:
        """As the protocol says. Raises `UsageError` for a language that the model was not trained on."""
        code = language.split("-")[0].casefold()
        if code not in self._model.supported_languages:
            raise UsageError(f"speech-lang: {self.model} does not know {language!r}.", hint="Give a code such as pt, es or en, or none.")
        if again:
            import ctranslate2

            ctranslate2.set_random_seed(1)  # the same sound reads the same way on every run
        found = self._guarded(lambda: list(self._segments(samples, code, _SECOND_READING if again else (0.0,))))
        return [_heard(segment) for segment in found]

    def _segments(self, samples: Samples, language: str, temperatures: Sequence[float]) -> Any:
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            task="transcribe",
            beam_size=_BEAMS,
            temperature=list(temperatures),
            # A loop over half a second of sound would otherwise run to the model's limit.
            max_new_tokens=min(_MOST_TOKENS, _TOKENS_A_SECOND * (1 + len(samples) // SAMPLE_RATE)),
            # Carried-over text is what starts a loop and then feeds it.
            condition_on_previous_text=False,
            # What is said on silence is kept and marked by the guards, not dropped in here.
            no_speech_threshold=None,
            word_timestamps=True,
            vad_filter=False,
        )
        return segments

    def _guarded(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (RuntimeError, ValueError) as error:  # what CTranslate2 raises: out of memory, a lost device, a bad shape
            raise RecognitionFailed(f"{self.name}: {error}.", hint="Try --device cpu or a smaller --whisper-model.") from error


def _heard(segment: Any) -> HeardSegment:
    words = tuple(HeardWord(word.word, float(word.start), float(word.end), float(word.probability)) for word in segment.words or ())
    return HeardSegment(
        text=segment.text,
        start=float(segment.start),
        end=float(segment.end),
        words=words,
        avg_logprob=float(segment.avg_logprob),
        no_speech_prob=float(segment.no_speech_prob),
        compression_ratio=float(segment.compression_ratio),
    )


def _remembering(encode: Callable[[NDArray[np.float32]], Any]) -> Callable[[NDArray[np.float32]], Any]:
    """`encode`, with its last few answers kept by the content of what was encoded."""
    kept: dict[bytes, Any] = {}

    def encoded(features: NDArray[np.float32]) -> Any:
        key = hashlib.sha256(np.ascontiguousarray(features).data).digest()
        answer = kept.pop(key) if key in kept else encode(features)
        kept[key] = answer
        if len(kept) > _ENCODINGS_KEPT:
            kept.pop(next(iter(kept)))
        return answer

    return encoded
