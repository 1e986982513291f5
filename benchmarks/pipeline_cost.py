"""What a report costs from file to bundle, against the pipeline that one would put together from well-known parts.

The composed peer: OpenCV reads every frame, RapidOCR at its defaults reads three a second, faster-whisper hears the sound (same weights,
sequential, beam 5, word times), WeasyPrint prints one table. Ours is `frame-oracle report --model none` with nothing in its cache.
CPU is that of the whole process tree with its start, in both arms. The gate: our bundle is delivered, with evidence of both channels.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.inputs import KINDS, video
from benchmarks.side_by_side import Arm, Sample, interleaved, machine, ratio, require_quiet, run_arm

__all__ = ["main"]

_RATE: Final = 3


def _ours(path: Path) -> None:
    """Runs in a process of its own: the command line as a user calls it."""
    from flows.cli import main as oracle

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        sys.argv = ["frame-oracle", "report", str(path), "--out", str(out / "out"), "--cache", str(out / "cache"), "--model", "none"]
        status = oracle()
        read = _channels(out / "out")
    sys.exit(status or (0 if read == {"tela", "fala"} else f"channels read: {sorted(read)}"))


def _channels(out: Path) -> set[str]:
    import pyarrow.parquet as pq

    return {channel for file in out.glob("*/evidence.parquet") for channel in pq.read_table(file, columns=["channel"])[0].to_pylist()}


def _peer(path: Path) -> None:
    import cv2
    from faster_whisper import WhisperModel
    from rapidocr import RapidOCR
    from weasyprint import HTML

    from stages.engines.whisper import choose_whisper
    from stages.models import get_model
    from stages.settings import Settings

    reader, film, frame, rows = RapidOCR(), cv2.VideoCapture(str(path)), 0, list[str]()
    every = max(1, round(film.get(cv2.CAP_PROP_FPS) / _RATE))
    while True:
        read, picture = film.read()
        if not read:
            break
        if frame % every == 0:
            found: Any = reader(picture)  # typed as any of four results; with detection and recognition on it is the one with texts
            rows += [f"<tr><td>{frame}<td>{text}" for text in found.txts or ()]
        frame += 1
    choice = choose_whisper(Settings(out=path.parent))
    recogniser = WhisperModel(str(get_model(choice.name)), compute_type=choice.compute_type)
    segments, _ = recogniser.transcribe(str(path), beam_size=5, word_timestamps=True)
    rows += [f"<tr><td>{segment.start}<td>{segment.text}" for segment in segments]
    HTML(string=f"<table>{''.join(rows)}</table>").write_pdf()


def main() -> None:
    """Measure and print the tables; with `--arm`, be one arm."""
    options = argparse.ArgumentParser(prog="benchmarks.pipeline_cost", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=["slides", "screencast"])
    options.add_argument("--seed", type=int, default=2)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--wall", action="store_true", help="only our own run: wall time over CPU, which needs a quiet machine")
    options.add_argument("--loaded", action="store_true", help="measure although the machine is busy")
    options.add_argument("--arm", nargs=2, metavar=("NAME", "FILE"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.arm:
        {"ours": _ours, "peer": _peer}[given.arm[0]](Path(given.arm[1]))
        return
    require_quiet(given.loaded)
    print(f"{given.repeats} runs, {machine()}\n")
    if given.wall:
        print("| video | wall, s | CPU, s | wall / CPU |\n|---|---|---|---|")
    else:
        print("| video | ours, CPU-s a minute | composed peer, CPU-s a minute | peer / ours | wall / CPU of ours |\n|---|---|---|---|---|")
    for kind in given.kinds:
        print(_row(kind, video(kind, given.seed, given.seconds, spoken=True), given), flush=True)


def _row(kind: str, path: Path, given: argparse.Namespace) -> str:
    arms = [Arm(name, (sys.executable, "-m", "benchmarks.pipeline_cost", "--arm", name, str(path))) for name in ("ours", "peer")]
    if given.wall:
        run = _middle([run_arm(arms[0]) for _ in range(given.repeats)])
        return f"| {kind} | {run.wall_s:.1f} | {run.cpu_s:.1f} | {run.wall_s / run.cpu_s:.2f} |"
    samples = interleaved(arms, given.repeats)
    ours, peer = _middle(samples["ours"]), _middle(samples["peer"])
    costs = [f"{run.cpu_s * 60 / given.seconds:.1f}" for run in (ours, peer)]
    return f"| {kind} | {costs[0]} | {costs[1]} | {ratio(samples['ours'], samples['peer'])} | {ours.wall_s / ours.cpu_s:.2f} |"


def _middle(runs: list[Sample]) -> Sample:
    return sorted(runs, key=lambda run: run.cpu_s)[len(runs) // 2]


if __name__ == "__main__":
    main()
