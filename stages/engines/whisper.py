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
from typing import Any, Final, cast

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

_SECOND_READING: Final = (0.2, 0.4, 0.6, 0.8)
"""Sampling temperatures, tried until the text neither repeats itself nor is improbable (Radford et al., section 4.5)."""

_WINDOW_FRAMES: Final = 3000
"""Spectrum frames of 10 ms in the 30 s that the encoder takes."""
_FRAMES_A_SECOND: Final = 100
_REPETITIVE: Final = 2.4
_POOR: Final = -0.35
"""Compression ratio above which, and mean log-probability below which, the likeliest words one by one are not good enough."""
_PREPENDED: Final = "\"'“¿([{-"
_APPENDED: Final = "\"'.。,，!！?？:：”)]}、"
"""Punctuation that belongs to the word after it, and to the word before it."""
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
        self._latest: tuple[bytes, Any] | None = None

    def voice(self, samples: Samples) -> NDArray[np.float32]:
        from faster_whisper.vad import get_vad_model

        padded = np.pad(samples, (0, -len(samples) % VOICE_FRAME))
        return np.asarray(get_vad_model()(padded), np.float32).reshape(-1)

    def languages(self, batch: Sequence[Samples]) -> Sequence[Mapping[str, float]]:
        if not self._model.model.is_multilingual:
            return [{"en": 1.0} for _ in batch]
        found = self._guarded(lambda: self._model.model.detect_language(self._encoded(batch)))
        return [{token[2:-2]: float(probability) for token, probability in one} for one in found]

    def transcribe(self, batch: Sequence[Samples], languages: Sequence[str]) -> Sequence[Sequence[HeardSegment]]:
        """As the protocol says. Raises `UsageError` for a language that the model was not trained on."""
        tokenizers = [self._tokenizer(language) for language in languages]
        return cast(Sequence[Sequence[HeardSegment]], self._guarded(lambda: self._read(batch, tokenizers)))

    def transcribe_again(self, samples: Samples, language: str) -> Sequence[HeardSegment]:
        """As the protocol says. Raises `UsageError` for a language that the model was not trained on."""
        import ctranslate2

        code = self._tokenizer(language).language_code
        ctranslate2.set_random_seed(1)  # the same sound reads the same way on every run
        return [_heard(segment) for segment in self._guarded(lambda: list(self._segments(samples, code)))]

    def _tokenizer(self, language: str) -> Any:
        from faster_whisper.tokenizer import Tokenizer

        code = language.split("-")[0].casefold()
        if code not in self._model.supported_languages:
            raise UsageError(f"speech-lang: {self.model} does not know {language!r}.", hint="Give a code such as pt, es or en, or none.")
        return Tokenizer(self._model.hf_tokenizer, self._model.model.is_multilingual, task="transcribe", language=code)

    def _encoded(self, batch: Sequence[Samples]) -> Any:
        """The encoder's answer, kept for the next question about the same sound: encoding is half of the whole cost."""
        features = np.stack([self._spectrum(samples) for samples in batch])
        key = hashlib.sha256(features.data).digest()
        if self._latest is None or self._latest[0] != key:
            self._latest = key, self._model.encode(features)
        return self._latest[1]

    def _spectrum(self, samples: Samples) -> NDArray[np.float32]:
        found = self._model.feature_extractor(samples)[..., :_WINDOW_FRAMES]
        return np.pad(found, ((0, 0), (0, _WINDOW_FRAMES - found.shape[1])))

    def _read(self, batch: Sequence[Samples], tokenizers: Sequence[Any]) -> list[list[HeardSegment]]:
        """Every stretch at once, the likeliest word at each step; those that come out improbable or repetitive once more with several
        hypotheses, which costs five times as much and seldom changes a word of the others."""
        encoded = self._encoded(batch)
        read = self._generated(encoded, batch, tokenizers, beams=1)
        poor = [at for at, one in enumerate(read) if one.compression_ratio > _REPETITIVE or one.avg_logprob < _POOR]
        if poor:
            better = self._generated(
                self._rows(encoded, batch, poor), [batch[at] for at in poor], [tokenizers[at] for at in poor], beams=_BEAMS
            )
            for at, one in zip(poor, better, strict=True):
                read[at] = one
        heard: list[list[HeardSegment]] = [[] for _ in batch]
        for code in dict.fromkeys(tokenizer.language_code for tokenizer in tokenizers):
            rows = [at for at, one in enumerate(read) if tokenizers[at].language_code == code and one.text]
            if rows:
                timed = self._timed(
                    self._rows(encoded, batch, rows), [batch[at] for at in rows], tokenizers[rows[0]], [read[at] for at in rows]
                )
                for at, segment in zip(rows, timed, strict=True):
                    heard[at] = [segment]
        return heard

    def _rows(self, encoded: Any, batch: Sequence[Samples], rows: Sequence[int]) -> Any:
        """The encoder's answer for some stretches of the batch."""
        import ctranslate2

        if len(rows) == len(batch):
            return encoded
        if self._model.model.device == "cpu":
            return ctranslate2.StorageView.from_array(np.ascontiguousarray(np.asarray(encoded)[list(rows)]))
        return self._model.encode(np.stack([self._spectrum(batch[at]) for at in rows]))

    def _generated(self, encoded: Any, batch: Sequence[Samples], tokenizers: Sequence[Any], beams: int) -> list[_Written]:
        from faster_whisper.transcribe import get_suppressed_tokens

        prompts = [self._model.get_prompt(tokenizer, [], without_timestamps=True) for tokenizer in tokenizers]
        # A loop over half a second of sound would otherwise run to the model's limit.
        longest = max(len(samples) for samples in batch) // SAMPLE_RATE
        results = self._model.model.generate(
            encoded,
            prompts,
            beam_size=beams,
            max_length=len(prompts[0]) + min(_MOST_TOKENS, _TOKENS_A_SECOND * (1 + longest)),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=get_suppressed_tokens(tokenizers[0], [-1]),
        )
        return [_written(result, tokenizer) for result, tokenizer in zip(results, tokenizers, strict=True)]

    def _timed(self, encoded: Any, batch: Sequence[Samples], tokenizer: Any, read: Sequence[_Written]) -> list[HeardSegment]:
        """What was written, with the time of each word: where the decoder looked while it wrote it."""
        frames = [min(_WINDOW_FRAMES, len(samples) * _FRAMES_A_SECOND // SAMPLE_RATE) for samples in batch]
        segments = [
            [{"tokens": one.tokens, "seek": 0, "start": 0.0, "end": count / _FRAMES_A_SECOND}]
            for one, count in zip(read, frames, strict=True)
        ]
        self._model.add_word_timestamps(segments, tokenizer, encoded, frames, _PREPENDED, _APPENDED, 0.0)
        return [_segment(one, segment) for one, (segment,) in zip(read, segments, strict=True)]

    def _segments(self, samples: Samples, language: str) -> Any:
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            task="transcribe",
            beam_size=_BEAMS,
            temperature=list(_SECOND_READING),
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


@dataclass(frozen=True, slots=True)
class _Written:
    """What the decoder wrote about one stretch, before its words have times."""

    text: str
    tokens: list[int]
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float


def _written(result: Any, tokenizer: Any) -> _Written:
    from faster_whisper.transcribe import get_compression_ratio

    tokens = [token for token in result.sequences_ids[0] if token < tokenizer.eot]
    text = tokenizer.decode(tokens)
    length = len(result.sequences_ids[0])
    # The score is a mean over the tokens without the closing one, whose probability it holds.
    mean = result.scores[0] * length / (length + 1)
    return _Written(text, tokens, mean, result.no_speech_prob, get_compression_ratio(text.strip()) if text.strip() else 0.0)


def _segment(one: _Written, timed: Mapping[str, Any]) -> HeardSegment:
    words = tuple(HeardWord(word["word"], float(word["start"]), float(word["end"]), float(word["probability"])) for word in timed["words"])
    return HeardSegment(
        one.text, float(timed["start"]), float(timed["end"]), words, one.avg_logprob, one.no_speech_prob, one.compression_ratio
    )
