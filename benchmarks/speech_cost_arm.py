"""The arm `ours` of `speech_cost`: THREADS FILE... -> {file: [[word, start in ms], ...]} on stdout."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.speech_truth import believed_words
from stages.engines.whisper import choose_whisper
from stages.settings import Settings


def main(threads: int, files: list[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        choice = replace(choose_whisper(Settings(out=Path(scratch), device="cpu")), threads=threads)
        print(json.dumps({file: believed_words(Path(file), choice, Path(scratch)) for file in files}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
