"""What it costs to look at every frame for changes, beyond decoding it.

The floor for a frame-exact guarantee is decoding itself: `ffmpeg -threads 1 -f null`. What others do is OpenCV: read, grey, absdiff.
Ours is the whole pass (`stages/scan.py`) with a reader that finds nothing, so that all is paid but the recognition.

The gate: our pass looks at every frame of the file. CPU of a Python arm is counted from after its imports, of ffmpeg from its start: a
worker process imports once and reads many videos.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import FPS, KINDS, video
from benchmarks.side_by_side import Arm, Sample, interleaved, machine, require_quiet
from stages.engines.screen_reader import TextLine
from stages.frames import decode
from stages.scan import Scan

__all__ = ["Mute", "main"]


class Mute:
    """A `ScreenReader` that finds nothing, and counts how often it is asked."""

    name = model = "mute"

    def __init__(self) -> None:
        self.calls = 0

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        self.calls += 1
        return []

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        return [("", 0.0) for _ in crops]


def _ours(path: Path) -> int:
    scan, frames = Scan(Mute(), 1000 / FPS), 0
    for frame in decode(path):
        scan.step(frame)
        frames += 1
    return frames


def _decode(path: Path) -> int:
    return sum(1 for _ in decode(path))


def _opencv(path: Path) -> int:
    cv2.setNumThreads(1)
    film, last, frames = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1]), None, 0
    while True:
        read, picture = film.read()
        if not read:
            return frames
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        if last is not None:
            cv2.countNonZero(cv2.threshold(cv2.absdiff(grey, last), 25, 255, cv2.THRESH_BINARY)[1])
        last = grey
        frames += 1


_ARMS: Final[dict[str, Callable[[Path], int]]] = {"ours": _ours, "decode only": _decode, "opencv": _opencv}


def main() -> None:
    """Measure and print the table; with `--arm`, be one arm: print frames and CPU-seconds."""
    options = argparse.ArgumentParser(prog="benchmarks.scan_cost", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--seed", type=int, default=2)
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--loaded", action="store_true", help="measure although the machine is busy")
    options.add_argument("--arm", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.arm:
        name, path = given.arm
        before = time.process_time()
        print(_ARMS[name](Path(path)), time.process_time() - before)
        return
    require_quiet(given.loaded)
    print(f"{given.repeats} interleaved runs, {machine()}\n")
    print("| video | ffmpeg, ms a frame | decode only | ours | OpenCV | ours / ffmpeg | OpenCV / ours |\n|---|---|---|---|---|---|---|")
    for kind in given.kinds:
        print(_row(kind, video(kind, given.seed, given.seconds), given.seconds * FPS, given.repeats), flush=True)


def _row(kind: str, path: Path, frames: int, repeats: int) -> str:
    ffmpeg = Arm("ffmpeg", ("ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-i", str(path), "-f", "null", "-"))
    arms = [Arm(name, (sys.executable, "-m", "benchmarks.scan_cost", "--arm", name, str(path))) for name in _ARMS]
    samples = interleaved([ffmpeg, *arms], repeats)
    costs = {name: _costs(name, runs, frames) for name, runs in samples.items()}
    per_frame = {name: f"{1000 * float(np.median(runs)) / frames:.2f}" for name, runs in costs.items()}
    over, under = costs["ours"] / costs["ffmpeg"], costs["opencv"] / costs["ours"]
    shown = [kind, per_frame["ffmpeg"], per_frame["decode only"], per_frame["ours"], per_frame["opencv"], _spread(over), _spread(under)]
    return f"| {' | '.join(shown)} |"


def _costs(name: str, runs: list[Sample], frames: int) -> NDArray[np.float64]:
    """CPU-seconds of each run; a Python arm says its own, after its gate: it must have had every frame."""
    if name == "ffmpeg":
        return np.array([run.cpu_s for run in runs])
    said = [run.output.split() for run in runs]
    if any(int(count) != frames for count, _ in said):
        sys.exit(f"{name} looked at {said[0][0]} of {frames} frames: no figure.")
    return np.array([float(cpu) for _, cpu in said])


def _spread(ratios: NDArray[np.float64]) -> str:
    return f"{np.median(ratios):.2f}x ({ratios.min():.2f}-{ratios.max():.2f})"


if __name__ == "__main__":
    main()
