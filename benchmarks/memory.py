"""Peak memory and time of reading videos of 5 to 120 minutes: memory must not grow with the length, time must grow with it and no faster.

Each video is one drawn minute of slides with speech, 1080p, again and again, so that only the length differs. The lengths are read one by
one, each in a process of its own; `--minutes` picks some, `--only` one channel, for a machine on which all of it takes too long.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks.inputs import video
from benchmarks.side_by_side import Arm, Sample, machine, run_arm

__all__ = ["main"]

_LENGTHS: Final = (5, 10, 20, 60, 120)
_MINUTE: Final = 60
_LONGEST_RUN_S: Final = 12 * 3600


def _long(minutes: int, folder: Path) -> Path:
    minute, path = video("slides", 2, _MINUTE, spoken=True), folder / f"{minutes}.mp4"
    copies = ("-stream_loop", str(minutes - 1), "-i", str(minute), "-map", "0", "-c", "copy", str(path))
    subprocess.run(("ffmpeg", "-nostdin", "-v", "error", "-y", *copies), check=True, timeout=600)
    return path


def _read(path: Path, only: str, folder: Path) -> None:
    """Runs in a process of its own."""
    from stages.ingest import ingest
    from stages.screen import read_screen
    from stages.settings import Settings
    from stages.speech import read_speech
    from stages.store import StageStore

    settings = Settings(out=folder / "out", cache=folder / "cache")
    store = StageStore(settings.cache, lambda *_: None)
    delivered = ingest(path, "long", settings, store, lambda _: None)
    readers = {"screen": read_screen, "speech": read_speech}
    print(sum(len(read(delivered, settings, store).items) for name, read in readers.items() if only in (name, "")))


def main() -> None:
    """Measure and print the table; with `--arm`, read one file."""
    options = argparse.ArgumentParser(prog="benchmarks.memory", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--minutes", nargs="+", type=int, default=list(_LENGTHS))
    options.add_argument("--only", choices=("screen", "speech"), default="")
    options.add_argument("--arm", nargs=2, type=Path, metavar=("FILE", "FOLDER"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.arm:
        _read(given.arm[0], given.only, given.arm[1])
        return
    print(f"{given.only or 'screen, then speech'}, {machine()}\n")
    print("| length, min | peak RSS, MiB | CPU, s | CPU, s a minute | pieces of evidence |\n|---|---|---|---|---|")
    for minutes in given.minutes:
        run = _measured(minutes, given.only)
        each = run.cpu_s / minutes
        print(f"| {minutes} | {run.peak_rss_bytes / 2**20:.0f} | {run.cpu_s:.0f} | {each:.2f} | {run.output.strip()} |", flush=True)


def _measured(minutes: int, only: str) -> Sample:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [sys.executable, "-m", "benchmarks.memory", "--arm", str(_long(minutes, folder)), str(folder)]
        return run_arm(Arm(f"{minutes} min", (*command, *(("--only", only) if only else ()))), timeout_s=_LONGEST_RUN_S)


if __name__ == "__main__":
    main()
