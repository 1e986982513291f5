"""The entries of the stage cache as a whole: what is there, why a result is not, and what may go.

A cache that nobody can look into grows until a disk is full, and one that a run is reading from must not lose an entry meanwhile. So
whoever works on a video holds the cache, shared, and pruning needs it alone; the lock is the kernel's and goes with its holder.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stages.errors import Locked, unwritable

__all__ = ["FOLLOWS", "Entry", "NotStored", "digests", "in_use", "list_entries", "prune", "why_absent", "write_inputs"]

FOLLOWS: Final = "follows"
"""Why a stage would run whose input is not made yet."""
_INPUTS: Final = "inputs.json"
_RECORD: Final = "entry.json"
_SCRATCH: Final = ".partial-"
_LOCK: Final = ".in-use"


class NotStored(Exception):
    """What a dry run finds instead of a result: the stage that would run, and why."""

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(f"{stage}: {reason}")
        self.stage = stage
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """One result of a stage, or what a dead run left (`stage` is empty)."""

    stage: str
    path: Path
    size: int
    """Bytes of its files."""
    used_s: float
    """When it was last used, seconds since the epoch."""


@contextlib.contextmanager
def in_use(root: Path, alone: bool = False) -> Iterator[None]:
    """Hold the cache at `root`, made where it is not there. Raises `Locked` when it is wanted `alone` and a run uses it."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        handle = (root / _LOCK).open("ab")
    except OSError as error:
        raise unwritable(root, error, "--cache") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
        except BlockingIOError as error:
            raise Locked(f"{root}: a run is using this cache.", hint="Wait for its end, or end it.") from error
        yield


def list_entries(root: Path) -> tuple[Entry, ...]:
    """Every entry, and every scratch folder or file of a dead run, the longest unused first."""
    found = [_entry(path.parent.parent.parent.name, path.parent) for path in root.glob(f"*/*/*/{_RECORD}")]
    found += [_entry("", path) for path in root.glob(f"*/*/{_SCRATCH}*")]
    return tuple(sorted(found, key=lambda entry: (entry.used_s, entry.path)))


def _entry(stage: str, path: Path) -> Entry:
    used = path / _RECORD if stage else path
    files = [item for item in (path.rglob("*") if path.is_dir() else (path,)) if item.is_file()]
    return Entry(stage, path, sum(item.stat().st_size for item in files), used.stat().st_mtime)


def prune(root: Path, older_than_s: float | None, max_bytes: int | None, keep: bool = False) -> tuple[Entry, ...]:
    """Remove what dead runs left, what was not used for `older_than_s`, then the longest unused until `max_bytes` hold the rest.

    Returns what goes; with `keep` nothing does. Raises `Locked` while a run uses the cache.
    """
    with in_use(root, alone=True):
        going = _choose(list_entries(root), older_than_s, max_bytes)
        if keep:
            return going
        for entry in going:
            if entry.stage:  # the record first: without it an entry counts as absent, so a killed pruning leaves no half entry in use
                (entry.path / _RECORD).unlink(missing_ok=True)
            shutil.rmtree(entry.path) if entry.path.is_dir() else entry.path.unlink()
        for lock in root.glob("*/*/*.lock"):
            if not lock.with_suffix("").exists():
                lock.unlink()
    return going


def _choose(entries: Sequence[Entry], older_than_s: float | None, max_bytes: int | None) -> tuple[Entry, ...]:
    oldest_s = time.time() - older_than_s if older_than_s is not None else 0.0
    going = [entry for entry in entries if not entry.stage or entry.used_s < oldest_s]
    staying = [entry for entry in entries if entry.stage and entry.used_s >= oldest_s]
    room = sum(entry.size for entry in staying)
    for entry in staying:
        if max_bytes is None or room <= max_bytes:
            break
        going.append(entry)
        room -= entry.size
    return tuple(going)


def write_inputs(folder: Path, version: int, inputs: Mapping[str, str]) -> None:
    """Keep with a result what went into its key; as digests, because an endpoint's address may hold a password."""
    (folder / _INPUTS).write_text(json.dumps({"version": version, "inputs": digests(inputs)}, indent=1))


def digests(inputs: Mapping[str, str]) -> dict[str, str]:
    """What stands for `inputs` where they are compared and not shown."""
    return {name: hashlib.sha256(value.encode()).hexdigest()[:16] for name, value in inputs.items()}


def why_absent(root: Path, stage: str, version: int, inputs: Mapping[str, str], entry: Path) -> str:
    """Why `stage` has no usable result for `inputs`: what differs from the most alike result of the same video."""
    if entry.exists():
        return "its stored files are damaged"
    wanted = digests(inputs)
    others = [said for path in (root / stage).glob(f"*/*/{_INPUTS}") if (said := _said(path))]
    alike = [other for other in others if other[1].get("video") == wanted.get("video")]
    if not alike:
        return "this video is new" if "video" in inputs else "nothing like it is stored"
    changes = [_changes(version, wanted, *other) for other in alike]
    return "changed: " + ", ".join(min(changes, key=lambda changed: len(list(changed))))


def _said(path: Path) -> tuple[int, dict[str, str]] | None:
    try:
        said: dict[str, Any] = json.loads(path.read_bytes())
        return int(said["version"]), {str(name): str(value) for name, value in said["inputs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _changes(version: int, inputs: Mapping[str, str], other_version: int, other: Mapping[str, str]) -> list[str]:
    changed = [name for name in sorted({*inputs, *other}) if inputs.get(name) != other.get(name)]
    return [*(["version of the stage"] if version != other_version else []), *changed]
