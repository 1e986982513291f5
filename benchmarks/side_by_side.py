"""Two or more ways to do the same work, measured against each other in one run.

A ratio is worth something only when both arms had the same machine at the same time: arms are interleaved (ABBA), each in a process of its
own, and what counts is the CPU of that process and of the children it waited for. Wall time comes second: this is what a shared machine
bends most. Whoever calls this checks first that the arms did the same work correctly; a ratio behind a failed gate is void.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Arm", "Ratio", "Sample", "interleaved", "machine", "ratio", "require_quiet", "run_arm"]


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to do the work: a program that does it once and ends with status 0."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """What one run of an arm cost."""

    cpu_s: float
    """User and system CPU-seconds of the process and of the children it waited for."""
    wall_s: float
    peak_rss_bytes: int
    """Of the largest single process of the tree."""
    output: str
    """What the arm printed to stdout: the caller's gate reads it."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Median of the paired ratios between two arms, with the smallest and the largest of them."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.2f}x ({self.low:.2f}-{self.high:.2f})"


def run_arm(arm: Arm, timeout_s: float = 1800) -> Sample:
    """Run `arm` once. Raises `RuntimeError` with its stderr when it fails, `subprocess.TimeoutExpired` when it does not end."""
    before, started = os.times(), time.monotonic()
    # The peak of one child is asked for by a shell-less parent of its own: the rusage of all children of this process only ever grows.
    parent = (sys.executable, "-c", _PARENT, *arm.command)
    done = subprocess.run(parent, capture_output=True, text=True, timeout=timeout_s, check=False)
    wall, after = time.monotonic() - started, os.times()
    output, _, peak_kib = done.stdout.rpartition("\x00")
    if done.returncode:
        raise RuntimeError(f"{arm.name}: exit status {done.returncode}\n{done.stderr}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Sample(cpu, wall, int(peak_kib) * 1024, output)


_PARENT = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
sys.stdout.flush()
print("\\0" + str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), end="")
sys.exit(done.returncode)
"""


def interleaved(arms: Sequence[Arm], repeats: int = 5) -> dict[str, list[Sample]]:
    """`repeats` runs of every arm, by name: A B, B A, A B… so that a slow minute hits all of them alike."""
    samples: dict[str, list[Sample]] = {arm.name: [] for arm in arms}
    for turn in range(repeats):
        for arm in arms if turn % 2 == 0 else reversed(arms):
            samples[arm.name].append(run_arm(arm))
    return samples


def ratio(ours: Sequence[Sample], theirs: Sequence[Sample]) -> Ratio:
    """Their CPU over ours, pair by pair: above 1, ours costs less."""
    pairs = [other.cpu_s / own.cpu_s for own, other in zip(ours, theirs, strict=True)]
    return Ratio(statistics.median(pairs), min(pairs), max(pairs))


def machine() -> str:
    """The machine in one line, for the table: processor, cores, load."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor")
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def require_quiet(force: bool = False) -> None:
    """End the program when other work takes more than a quarter of the machine; `force` measures anyway and says so in the output."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= cores / 4:
        return
    if not force:
        sys.exit(f"The machine is loaded ({load:.1f} on {cores} cores): a figure would mean little. Wait, or give --loaded.")
    print(f"measured on a loaded machine: {machine()}")
