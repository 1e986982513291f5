"""What reading the screen costs, against the same engine with the same weights reading three whole frames a second.

Three frames a second is what a common extractor of subtitles does by default; it misses what is shown for less than a third of a second.
The gate: every text that the peer read surely and more than once must be in our reading.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from rapidfuzz import fuzz

from benchmarks.inputs import FPS, KINDS, video
from benchmarks.side_by_side import Arm, Sample, interleaved, machine, require_quiet
from stages.engines.rapid import RapidReader
from stages.frames import decode, frame_times
from stages.scan import Scan

__all__ = ["main"]

_RATE = 3
_SURE = 0.95
_ALIKE = 90


def _ours(path: Path) -> list[str]:
    scan, end = Scan(RapidReader(), 1000 / FPS), 0
    for frame in decode(path):
        scan.step(frame)
        end = frame.ms
    return [line.text for line in scan.finish(end + 1000 // FPS)]


def _peer(path: Path) -> list[str]:
    reader, seen, next_ms = RapidReader(), list[str](), 0.0
    for frame in decode(path):
        if frame.ms >= next_ms:
            next_ms += 1000 / _RATE
            seen += [line.text for line in reader.read(frame.image) if line.confidence >= _SURE]
    return sorted(text for text in set(seen) if seen.count(text) > 1)


def main() -> None:
    """Measure and print the table; with `--arm`, be one arm: print its CPU-seconds and texts."""
    options = argparse.ArgumentParser(prog="benchmarks.screen_reading", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--files", nargs="*", type=Path, default=[], help="other videos to measure too")
    options.add_argument("--seed", type=int, default=2)
    options.add_argument("--seconds", type=int, default=20)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--loaded", action="store_true", help="measure although the machine is busy")
    options.add_argument("--arm", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.arm:
        name, path = given.arm
        before = time.process_time()
        texts = {"ours": _ours, "3 fps": _peer}[name](Path(path))
        print(json.dumps([time.process_time() - before, texts]))
        return
    require_quiet(given.loaded)
    print(f"{given.repeats} interleaved runs, {machine()}\n")
    print("| video | ours, CPU-s a minute | 3 fps, CPU-s a minute | 3 fps / ours | texts of the peer that we have |\n|---|---|---|---|---|")
    for path in [*(video(kind, given.seed, given.seconds) for kind in given.kinds), *given.files]:
        print(_row(path, given.repeats), flush=True)


def _row(path: Path, repeats: int) -> str:
    arms = [Arm(name, (sys.executable, "-m", "benchmarks.screen_reading", "--arm", name, str(path))) for name in ("ours", "3 fps")]
    samples = interleaved(arms, repeats)
    ours, theirs = (list(map(_said, samples[arm.name])) for arm in arms)
    minutes = max(1, int(frame_times(path)[-1])) / 60_000
    ratios = sorted(other[0] / own[0] for own, other in zip(ours, theirs, strict=True))
    read = [text for text in theirs[0][1] if any(fuzz.ratio(text.casefold(), own.casefold()) >= _ALIKE for own in ours[0][1])]
    costs = [sorted(cpu for cpu, _ in runs)[len(runs) // 2] / minutes for runs in (ours, theirs)]
    spread = f"{ratios[len(ratios) // 2]:.1f}x ({ratios[0]:.1f}-{ratios[-1]:.1f})"
    return f"| {path.stem} | {costs[0]:.1f} | {costs[1]:.1f} | {spread} | {len(read)} of {len(theirs[0][1])} |"


def _said(run: Sample) -> tuple[float, list[str]]:
    cpu, texts = json.loads(run.output)
    return float(cpu), [str(text) for text in texts]


if __name__ == "__main__":
    main()
