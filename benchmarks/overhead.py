"""`python -m benchmarks.overhead`: what a run costs apart from the work itself.

From the start of the command to the first stage, directly and on a Prefect server that runs already; a second run over videos of which
none changed; and what Prefect adds to each of those, both ways interleaved over the same folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.faults import draw, without_prefect
from benchmarks.side_by_side import Arm, interleaved, machine

__all__ = ["main"]


def _command(videos: Path, root: Path, *more: str) -> tuple[str, ...]:
    places = ("--out", str(root / "out"), "--cache", str(root / "cache"), "--model", "none")
    return (sys.executable, "-P", "-m", "flows.cli", "report", str(videos), *places, *more)


def _first_work(command: tuple[str, ...], environment: Mapping[str, str]) -> tuple[float, list[str]]:
    """Seconds until the first stage starts, and what the run printed that is not ours."""
    started, first, lines = time.monotonic(), 0.0, []
    with subprocess.Popen((*command, "-v"), env=dict(environment), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if not first and ": ingest 0%" in line:
                first = time.monotonic() - started
            lines.append(line.rstrip())
    stray = [line for line in lines if not line.startswith(("video", "1 ", "details", "log"))]
    return first, stray


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    from flows.prefect_server import running_server

    with tempfile.TemporaryDirectory(prefix="overhead-") as scratch:
        root = Path(scratch)
        many, one = root / "many", root / "one"
        many.mkdir()
        one.mkdir()
        draw(one / "video.mp4", "OVEN 180")
        for number in range(given.videos):
            shutil.copy(one / "video.mp4", many / f"video-{number:03d}.mp4")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
        direct = without_prefect()
        subprocess.run(_command(many, root, "--engine", "direct"), env=direct, check=True, capture_output=True)
        print(f"{machine()}\n\n| what | CPU s | wall s |\n|---|---|---|")
        with running_server(root / "prefect") as settings:
            os.environ |= settings
            for name, environment in (("directly", direct), ("on a running Prefect server", dict(os.environ))):
                starts = [_first_work(_command(one, root / f"{name[:2]}-{turn}"), environment) for turn in range(given.repeats)]
                walls, stray = sorted(wall for wall, _ in starts), sum(len(lines) for _, lines in starts)
                spread = f"{walls[len(walls) // 2]:.1f} ({walls[0]:.1f}-{walls[-1]:.1f})"
                print(f"| start to first work, {name}; stray lines: {stray} | | {spread} |", flush=True)
            arms = [Arm(name, _command(many, root, "--engine", name)) for name in ("direct", "prefect")]
            samples = interleaved(arms, given.repeats)
        medians = {name: sorted((sample.cpu_s, sample.wall_s) for sample in taken)[len(taken) // 2] for name, taken in samples.items()}
        for name, (cpu, wall) in medians.items():
            print(f"| unchanged rerun of {given.videos} videos, {name} | {cpu:.1f} | {wall:.1f} |")
        cpu, wall = ((late - early) / given.videos for early, late in zip(medians["direct"], medians["prefect"], strict=True))
        print(f"| Prefect's overhead per video | {cpu:.2f} | {wall:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
