"""The one file that starts `ffmpeg` and `ffprobe`.

Argument lists only, never a shell. Both streams of the program are read while it runs, stderr into a short tail: an unread pipe fills up
and stops both sides, and one damaged file writes hundreds of lines. A program that brings nothing new for a while is ended, so every call
ends; a file that keeps a decoder busy without progress must not hold the batch. What it may take of the machine is bounded by the kernel.
"""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Final, Literal

from stages.bounds import bound_process
from stages.errors import MissingDependency

__all__ = ["Finished", "filters", "run", "version"]

Program = Literal["ffmpeg", "ffprobe"]

_OLDEST: Final = (5, 1)
"""`-fps_mode` came with 5.1; without it frame times are rewritten to a constant rate."""

_INSTALL: Final = "Install it with `apt install ffmpeg` (Debian, Ubuntu) or from https://ffmpeg.org/download.html."

_TAIL: Final = 40
"""Lines of stderr that are kept."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a call ended."""

    ok: bool
    """The program said that it succeeded."""
    stalled: bool
    """It was ended because it brought nothing new."""
    complaints: int
    """How many lines it wrote to stderr; at the log level `error`, which every call sets, each is about the input."""
    said: tuple[str, ...]
    """The last of those lines; untrusted text."""


def run(program: Program, arguments: Sequence[str], on_line: Callable[[str], bool], *, patience_s: float = 60.0) -> Finished:
    """Run to the end. `on_line` gets each line of stdout and says whether it is news; after `patience_s` without news the program is ended.

    Raises `MissingDependency` when the program is not installed.
    """
    command = [program, "-hide_banner", "-v", "error", *arguments]
    tail: deque[str] = deque(maxlen=_TAIL)
    complaints = 0

    def drain(stream: IO[str]) -> None:
        nonlocal complaints
        for line in stream:
            complaints += 1
            tail.append(line.rstrip())

    with _started(command) as process, _Watchdog(process, patience_s) as watchdog:
        assert process.stdout is not None and process.stderr is not None
        reader = threading.Thread(target=drain, args=(process.stderr,), daemon=True)
        reader.start()
        for line in process.stdout:
            if on_line(line.rstrip("\r\n")):
                watchdog.pat()
        process.wait()
        reader.join()
    return Finished(process.returncode == 0 and not watchdog.bit, watchdog.bit, complaints, tuple(tail))


@lru_cache(maxsize=1)
def version() -> str:
    """The version of the installed `ffmpeg`, as it names itself. Raises `MissingDependency` when it is absent or too old."""
    lines = _said("-version")
    found = re.match(r"ffmpeg version (\S+)", lines[0] if lines else "")
    name = found[1] if found else "unknown"
    number = re.match(r"n?(\d+)\.(\d+)", name)
    if number and (int(number[1]), int(number[2])) < _OLDEST:
        message = f"ffmpeg {name} is too old: {_OLDEST[0]}.{_OLDEST[1]} or later is needed."
        raise MissingDependency(message, hint=_INSTALL, code="old_ffmpeg")
    return name


@lru_cache(maxsize=1)
def filters() -> frozenset[str]:
    """The names of the filters that the installed `ffmpeg` has; builds differ."""
    return frozenset(parts[1] for line in _said("-filters") if len(parts := line.split()) > 2 and "->" in parts[2])


def _said(argument: str) -> list[str]:
    lines: list[str] = []

    def keep(line: str) -> bool:
        lines.append(line)
        return True

    run("ffmpeg", [argument], keep)
    return lines


@contextmanager
def _started(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """The running program; it does not outlive the block."""
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
        )
    except FileNotFoundError as error:
        raise MissingDependency(f"{command[0]} is not installed.", hint=_INSTALL, code="no_ffmpeg") from error
    bound_process(process.pid)
    with process:
        try:
            yield process
        finally:
            process.kill()


class _Watchdog:
    """Ends the process when it was not patted for `patience_s` seconds."""

    def __init__(self, process: subprocess.Popen[str], patience_s: float) -> None:
        self._process = process
        self._patience_s = patience_s
        self._last = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.bit = False

    def pat(self) -> None:
        self._last = time.monotonic()

    def _watch(self) -> None:
        while not self._done.wait(min(1.0, self._patience_s)):
            if time.monotonic() - self._last > self._patience_s:
                self.bit = True
                self._process.kill()
                return

    def __enter__(self) -> _Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
