"""`frame-oracle bench`: what each stage costs on this machine, so that a batch can be sized before it is started.

Stages that run side by side share a processor, and their costs cannot be told apart. Here one waits for the other.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from flows.terminal import print_json, say, watching
from flows.workers import Crew, run_each, run_log
from stages.batch_record import BatchRecord, VideoOrder, VideoRow
from stages.brief import VideoBrief
from stages.events import Watch
from stages.inputs import shown_name
from stages.settings import Settings

__all__ = ["bench_video"]

_T = TypeVar("_T")


def bench_video(video: Path, brief: VideoBrief, settings_of: Callable[[Path, Path], Settings], cache: Path, as_json: bool) -> int:
    """Make the report of `video` from nothing and say what each stage took; returns the exit status."""
    source = Path(os.path.abspath(video))  # noqa: PTH100 - links stay as given
    log = run_log(cache)
    scratches = cache / "scratch" / "bench"  # where `cache prune` finds what a killed run leaves
    scratches.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=scratches) as scratch:
        order = VideoOrder(source, shown_name(source), "video", brief, settings_of(Path(scratch, "out"), Path(scratch, "cache")))
        costs_file = Path(scratch, "costs.json")
        with watching(False) as watch:
            (row,) = run_each(partial(_measured, costs_file), [order], 1, watch, Crew(log))
        costs = json.loads(costs_file.read_bytes()) if costs_file.exists() else {}
    minutes = row.duration_ms / 60_000
    if minutes:
        say(f"{'stage':<10}{'CPU s':>9}{'wall s':>9}{'CPU s/min':>11}{'wall s/min':>12}")
        for stage, (cpu, wall) in costs.items():
            say(f"{stage:<10}{cpu:>9.2f}{wall:>9.2f}{cpu / minutes:>11.1f}{wall / minutes:>12.1f}")
        say(f"{minutes * 60:.1f} s of video, {os.cpu_count()} cores; the first video also pays for loading the engines")
    if as_json:
        stages = [{"stage": stage, "cpu_s": cpu, "wall_s": wall} for stage, (cpu, wall) in costs.items()]
        print_json({"schema": "frame-oracle/bench/1", "duration_ms": row.duration_ms, "cores": os.cpu_count(), "stages": stages})
    return BatchRecord((row,)).exit_code


def _measured(costs_file: Path, order: VideoOrder, watch: Watch) -> VideoRow:
    """A worker's work: `report_video`, one stage at a time, with the costs of each written to `costs_file`."""
    from flows.order import report_video

    turn = threading.Lock()
    costs: dict[str, tuple[float, float]] = {}

    def meter(name: str, stage: Callable[[], _T]) -> _T:
        with turn:
            before, started = os.times(), time.monotonic()
            result = stage()
            after = os.times()
            costs[name] = sum(after[:4]) - sum(before[:4]), time.monotonic() - started
            return result

    row = report_video(order, watch, meter)
    costs_file.write_text(json.dumps(costs))
    return row
