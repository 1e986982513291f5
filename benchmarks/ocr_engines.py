"""RapidOCR against EasyOCR on frames whose texts are known: character error rate and CPU-seconds per frame, each language apart.

    python -m benchmarks.ocr_engines [--easyocr-python .venv-easyocr/bin/python] [--engine NAME]

Portuguese, Spanish and English: the slides of the project's samples (`data/samples`). English also: frames of the catalogue.
The character error of a text is its edit distance to the likest part of all that was read, spacing and case not counted; what is read
besides does not count here. With `--engine` one engine is measured in this environment and its figures are printed as JSON.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from stages.engines.screen_reader import open_reader
from stages.frames import frame_at
from stages.settings import Settings

_ROOT: Final = Path(__file__).parents[1]
_CATALOGUE: Final = _ROOT.parent / "shared" / "media"
_SAMPLES: Final = _ROOT / "data" / "samples"
_EXACT: Final = "exact"

Known = tuple[str, Path, int, tuple[str, ...]]
"""Language, video, instant in ms, the texts shown there."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--easyocr-python", default=str(_ROOT / ".venv-easyocr" / "bin" / "python"))
    parser.add_argument("--engine", choices=("rapidocr", "easyocr"))
    given = parser.parse_args()
    if given.engine:
        print(json.dumps(_measured(given.engine)))
        return 0
    print("| engine | frames | language | characters | character error | CPU-s per frame |")
    print("|---|---|---|---|---|---|")
    for engine, python in (("rapidocr", sys.executable), ("easyocr", given.easyocr_python)):
        done = subprocess.run([python, "-m", "benchmarks.ocr_engines", "--engine", engine], check=True, stdout=subprocess.PIPE, text=True)
        for name, (frames, characters, errors, cpu_s) in sorted(json.loads(done.stdout.splitlines()[-1]).items()):
            print(f"| {engine} | {frames} | {name} | {characters} | {100 * errors / characters:.2f} % | {cpu_s / frames:.2f} |")
    return 0


def _measured(engine: str) -> dict[str, list[float]]:
    """By language: frames, characters, wrong characters, CPU-seconds."""
    reader = open_reader(Settings(out=_ROOT, ocr=engine, device="cpu"))
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for language, video, ms, texts in [*_slides(), *_real_frames()]:
        image = frame_at(video, ms).image
        started = time.process_time()
        found = _plain(" ".join(line.text for line in reader.read(image)))
        spent = time.process_time() - started
        wanted = [_plain(text) for text in texts]
        measured = (1, sum(map(len, wanted)), sum(_distance(text, found) for text in wanted), spent)
        sums[language] = [before + now for before, now in zip(sums[language], measured, strict=True)]
    return dict(sums)


def _slides() -> Iterator[Known]:
    truth = json.loads((_SAMPLES / "ground_truth.json").read_text(encoding="utf-8"))
    for video in truth["videos"]:
        for slide in video["slides"]:
            frame = slide["last_frame"] - 5
            texts = tuple(text["text"] for text in video["screen"] if text["first_frame"] <= frame <= text["last_frame"])
            yield f"{video['language']}, drawn", _SAMPLES / video["file"], round((frame + 0.5) * 1000 / video["fps"]), texts


def _real_frames() -> Iterator[Known]:
    truth = _CATALOGUE / "GROUND_TRUTH.jsonl"
    rows = map(json.loads, truth.read_text(encoding="utf-8").splitlines()) if truth.exists() else ()
    for row in rows:
        if row["kind"] == "screen" and (row["level"] == _EXACT or row["level"].startswith("time")) and row["end"] is not None:
            middle = round((row["start"] + row["end"]) * 500)
            yield f"{row['lang']}, real", _CATALOGUE / row["file"], middle, tuple(part.strip() for part in row["text"].split(" | "))


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def _distance(wanted: str, found: str) -> int:
    """Edits from `wanted` to the likest part of `found` (Sellers 1980)."""
    row = np.zeros(len(found) + 1, np.int64)
    for number, letter in enumerate(wanted, 1):
        following = np.empty_like(row)
        following[0] = number
        for place, other in enumerate(found, 1):
            following[place] = min(row[place] + 1, following[place - 1] + 1, row[place - 1] + (letter != other))
        row = following
    return int(row.min())


if __name__ == "__main__":
    sys.exit(main())
