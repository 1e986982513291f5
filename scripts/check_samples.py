"""Measures the samples against their ground truth with the recognisers, and prints the figures.

    python -m scripts.check_samples --whisper FOLDER [--samples data/samples]

A sample must be clear, or a test that fails on it says nothing about Frame Oracle. So this reads the encoded files with the two
engines themselves, without any of `stages`: every text by RapidOCR in the first, middle and last of its frames, every word by
whisper. It also compares the truth's sentence starts with the energy of the sound, which owes nothing to either model. A word that
whisper starts inside a silence is counted from the end of that silence: it dates what follows a pause into the pause.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from pathlib import Path
from typing import Any

import av
import numpy as np
from faster_whisper import WhisperModel
from numpy.typing import NDArray
from rapidocr import RapidOCR
from rapidocr.utils.output import RapidOCROutput

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
RATE = 16_000
QUIET = 0.01
STEP_MS = 5


def main() -> int:
    """Print one block per video; exit 1 where a text is misread or over one word in ten heard as another."""
    parser = argparse.ArgumentParser(description="Measure the samples with OCR and speech recognition.")
    parser.add_argument("--samples", type=Path, default=ROOT / "data" / "samples")
    parser.add_argument("--whisper", type=Path, required=True, help="folder of the CTranslate2 whisper-base model")
    arguments = parser.parse_args()
    whisper = WhisperModel(str(arguments.whisper), device="cpu", compute_type="int8", cpu_threads=2)
    ocr = RapidOCR()
    clear = True
    for video in json.loads((arguments.samples / "ground_truth.json").read_text(encoding="utf-8"))["videos"]:
        path = arguments.samples / video["file"]
        print(path.name)
        clear &= _check_screen(ocr, path, video["screen"])
        if video["audio"]:
            sound = _sound(path)
            audible = _audible(sound)
            _check_onsets(audible, video["speech"])
            clear &= _check_words(whisper, sound, audible, video)
    return 0 if clear else 1


def _check_screen(ocr: RapidOCR, path: Path, screen: list[dict[str, Any]]) -> bool:
    """Each text is looked for at both ends and in the middle of its span, and just outside of it."""
    wanted = {f for t in screen for f in (t["first_frame"], (t["first_frame"] + t["last_frame"]) // 2, t["last_frame"])}
    wanted |= {f for t in screen for f in (t["first_frame"] - 1, t["last_frame"] + 1)}
    known: dict[bytes, set[str]] = {}
    seen: dict[int, set[str]] = {}
    with av.open(str(path)) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index in wanted:
                image = frame.to_ndarray(format="bgr24")
                key = (image[::4, ::4] // 32).tobytes()
                if key not in known:
                    known[key] = _read(ocr, image)
                seen[index] = known[key]
    texts = {t["text"] for t in screen}
    missed = [t["text"] for t in screen if not all(t["text"] in seen[f] for f in (t["first_frame"], t["last_frame"]))]
    early = [t["text"] for t in screen if any(t["text"] in seen.get(f, ()) for f in (t["first_frame"] - 1, t["last_frame"] + 1))]
    extra = set().union(*seen.values()) - texts
    print(f"  screen: {len(screen) - len(missed)} of {len(screen)} texts read exactly in their first and last frame")
    for label, found in (("not read", missed), ("seen outside their frames", early), ("read but not drawn", extra)):
        if found:
            print(f"  {label}: {sorted(found)}")
    return not missed and not early


def _read(ocr: RapidOCR, image: NDArray[Any]) -> set[str]:
    output = ocr(image)
    if not isinstance(output, RapidOCROutput):
        raise TypeError(f"RapidOCR without recognition: {type(output).__name__}")
    return set(output.txts or ())


def _sound(path: Path) -> NDArray[np.float32]:
    resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
    with av.open(str(path)) as container:
        blocks = [out for frame in container.decode(audio=0) for out in resampler.resample(frame)]
        blocks += resampler.resample(None)
    return np.concatenate([block.to_ndarray().ravel() for block in blocks]).astype(np.float32)


def _audible(sound: NDArray[np.float32]) -> NDArray[np.bool_]:
    hop = RATE * STEP_MS // 1000
    return np.asarray(np.sqrt((sound[: len(sound) // hop * hop].reshape(-1, hop) ** 2).mean(axis=1)) > QUIET)


def _first_audible(audible: NDArray[np.bool_], ms: int) -> int:
    start = max(0, ms // STEP_MS)
    return (start + int(np.argmax(audible[start:]))) * STEP_MS


def _check_onsets(audible: NDArray[np.bool_], speech: list[dict[str, Any]]) -> None:
    """Where the sound of each sentence begins, after the pause before it, against its start in the truth."""
    gaps = [_first_audible(audible, sentence["start_ms"] - 300) - sentence["start_ms"] for sentence in speech]
    print(f"  energy: sound begins {min(gaps)} to {max(gaps)} ms from the truth's {len(gaps)} sentence starts")


def _check_words(whisper: WhisperModel, sound: NDArray[np.float32], audible: NDArray[np.bool_], video: dict[str, Any]) -> bool:
    segments, _ = whisper.transcribe(sound, language=video["language"], beam_size=5, word_timestamps=True)
    words = [word for segment in segments for word in segment.words or ()]
    heard = [(_plain(word.word), _first_audible(audible, round(word.start * 1000))) for word in words]
    said = [(_plain(word["text"]), word["start_ms"]) for line in video["speech"] for word in line["words"]]
    matcher = difflib.SequenceMatcher(None, [w for w, _ in said], [w for w, _ in heard], autojunk=False)
    gaps: list[tuple[int, str]] = []
    otherwise = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag == "equal":
            gaps += [(heard[b0 + n][1] - said[a0 + n][1], said[a0 + n][0]) for n in range(a1 - a0)]
        else:
            otherwise.append(f"{' '.join(w for w, _ in said[a0:a1])!r} -> {' '.join(w for w, _ in heard[b0:b1])!r}")
    sizes = np.abs([gap for gap, _ in gaps])
    far = [f"{word} {gap:+} ms" for gap, word in gaps if abs(gap) > 300]
    print(f"  speech: {len(gaps)} of {len(said)} words the same; heard otherwise: {'; '.join(otherwise) or 'none'}")
    print(f"  word starts: {np.median(sizes):.0f} ms apart (median), {sizes.max()} ms at most; over 300 ms: {', '.join(far) or 'none'}")
    return len(gaps) >= 0.9 * len(said)


def _plain(word: str) -> str:
    return re.sub(r"[^\w%]", "", word).casefold()


if __name__ == "__main__":
    sys.exit(main())
