"""One run per output folder. The lock is the kernel's, so it goes with its holder, however that ends.

A file that says "locked" outlives a killed run, and people learn to delete such files, also while another run is alive. The note
beside the lock only tells who holds it; it decides nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from stages.errors import Locked, unwritable
from stages.store import write_atomically

__all__ = ["held"]

_LOCK: Final = ".frame-oracle.lock"
_NOTE: Final = ".frame-oracle.holder.json"


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold `folder`, made where it is not there. Raises `Locked`, which names the holder, at once when another run has it."""
    lock = FileLock(folder / _LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        hint = "Wait for it or end it; the folder is free as soon as that process is gone."
        raise Locked(f"{folder}: another run is writing here ({_holder(folder)}).", hint=hint) from error
    except OSError as error:
        raise unwritable(folder, error, "--out") from error
    note = folder / _NOTE
    try:
        for left in folder.glob(".partial-*"):  # only the holder writes here: these are of killed ones
            left.unlink(missing_ok=True)
        facts = {"pid": os.getpid(), "host": socket.gethostname(), "started": datetime.now(UTC).isoformat(timespec="seconds")}
        try:
            write_atomically(note, json.dumps(facts).encode())
        except OSError as error:
            raise unwritable(folder, error, "--out") from error
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def _holder(folder: Path) -> str:
    try:
        facts = json.loads((folder / _NOTE).read_bytes())
        return f"pid {facts['pid']} on {facts['host']}, since {facts['started']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "it has not written yet who it is"
