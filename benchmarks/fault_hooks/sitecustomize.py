"""Faults from inside a process: loaded by every Python process of a run that has this folder on its path and `FAULT` set.

`FAULT` is `WHAT@N`: at the N-th commit point of the whole run (a rename, counted over all its processes in the file `FAULT_COUNT`), the
process that is about to commit is killed, or is told that the disk is full. Other faults need no number: see below. A tracer counts
system calls by thread, so the same commit point has another number each time; this one counts them as they come.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time

_WHAT, _, _NUMBER = os.environ.get("FAULT", "").partition("@")


def _ordinal() -> int:
    """Which commit point of the run this is, from 1."""
    descriptor = os.open(os.environ["FAULT_COUNT"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(descriptor, b".")
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _at_commit(event: str, arguments: tuple[object, ...]) -> None:
    if event != "os.rename" or _ordinal() != int(_NUMBER or 0):
        return
    if _WHAT == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _at_decoder(event: str, arguments: tuple[object, ...]) -> None:
    """The source is replaced, or goes, when the first decoder of it is started."""
    source, other = os.environ["FAULT_SOURCE"], os.environ.get("FAULT_OTHER", "")
    if event != "subprocess.Popen" or "ffmpeg" not in str(arguments[0]) or source not in str(arguments[1]) or _ordinal() != 1:
        return
    if other:
        os.rename(other, source)  # noqa: PTH104 - pathlib would be one import more in every process
    else:
        os.unlink(source)  # noqa: PTH108


if _WHAT in ("kill", "full"):
    sys.addaudithook(_at_commit)
elif _WHAT == "source":
    sys.addaudithook(_at_decoder)
elif _WHAT == "shuffle":
    _listdir = os.listdir
    os.listdir = lambda *given: random.sample(names := _listdir(*given), len(names))  # type: ignore[assignment]
elif _WHAT == "clock":
    _time, _calls = time.time, iter(range(1 << 60))
    time.time = lambda: _time() + (86400 * 3650 if next(_calls) % 2 else -86400 * 30)
