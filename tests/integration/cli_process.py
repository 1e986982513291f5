"""The command line as a process, and small videos to give it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.faults import draw as draw_video
from benchmarks.faults import without_prefect

__all__ = ["command", "draw_video", "read_batch", "run_cli"]


def command(*arguments: str | Path) -> list[str]:
    """The argument list of a `frame-oracle` process."""
    return [sys.executable, "-P", "-m", "flows.cli", *map(str, arguments)]


def run_cli(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `frame-oracle` to its end, away from any Prefect API that the tests' own environment may have."""
    return subprocess.run(command(*arguments), env=without_prefect() | environment, capture_output=True, text=True, timeout=280)


def read_batch(out: Path) -> dict[str, Any]:
    """The `batch.json` of an output folder."""
    said: dict[str, Any] = json.loads((out / "batch.json").read_text())
    return said
