"""Draws, speaks and encodes the sample videos and writes their ground truth.

    python -m scripts.make_samples [--out data/samples] [--voice FOLDER]

Needs ffmpeg, espeak-ng and the Noto Sans fonts; fetches the voice (65 MB, Apache-2.0) into a folder outside the repository. The
rendered samples are committed, so nobody runs this to use or to test Frame Oracle, only to change a sample.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from scripts.samples.film import encode, plan
from scripts.samples.scene import load_scene
from scripts.samples.truth import ground_truth
from scripts.samples.voice import Voice, fetch_wheels

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
SCENES = ("receita", "reunion", "lesson", "silencio")


def main() -> int:
    """Make every sample again."""
    parser = argparse.ArgumentParser(description="Make the sample videos and their ground truth.")
    parser.add_argument("--out", type=Path, default=ROOT / "data" / "samples")
    parser.add_argument("--voice", type=Path, default=Path(tempfile.gettempdir()) / "frame-oracle-voice")
    arguments = parser.parse_args()
    fetch_wheels(arguments.voice)
    voice = Voice(arguments.voice)
    arguments.out.mkdir(parents=True, exist_ok=True)
    films = []
    for name in SCENES:
        film = plan(load_scene(Path(__file__).parent / "samples" / "scenes" / f"{name}.toml"), voice)
        target = arguments.out / film.scene.file
        encode(film, target)
        films.append((film, target))
        print(f"{target.name}: {film.frames} frames, {target.stat().st_size / 1000:.0f} kB", file=sys.stderr)
    truth = json.dumps(ground_truth(films), ensure_ascii=False, indent=2)
    (arguments.out / "ground_truth.json").write_text(truth + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
