"""Videos in worker processes: one at a time in each, and one that dies takes only its video with it.

A hostile file can crash a native decoder or be ended by the kernel for its memory, and a library may print where a report's JSON
should be. So a video is worked on in a process of its own group, whose output goes to the run log, and which goes when its parent does.
A process serves many videos: loading the engines costs more than a short video. The first one starts with the run and imports what it
will need while the run itself still does.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final, NoReturn

from stages.batch_record import VideoOrder, VideoRow, failed_row
from stages.errors import ExitCode, StageFailed, unwritable
from stages.events import Advanced, Event, Finished, Watch

__all__ = ["Crew", "Work", "run_each", "run_log"]

Work = Callable[[VideoOrder, Watch], VideoRow]
"""What is done with one video: a function of a module, which a worker imports."""

_STOPS_THE_RUN: Final = (ExitCode.USAGE, ExitCode.MISSING_DEPENDENCY)
"""Failures that every other video would share."""
_FAREWELL_S: Final = 30
"""How long a worker may take to send what it still has, Prefect's last events for one."""
_LOGS_KEPT: Final = 30
_GRACE_S: Final = 3
"""How long an interrupted worker may take to clean up."""


def run_log(cache: Path) -> Path:
    """A new file below `cache` for what the workers of this run print; the oldest go when there are many."""
    folder = cache / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in sorted(folder.glob("*.log"))[:-_LOGS_KEPT]:
            old.unlink(missing_ok=True)
        log = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.getpid()}.log"
        log.touch(mode=0o600)
    except OSError as error:
        raise unwritable(cache, error, "--cache") from error
    return log


class Crew:
    """The worker processes of one run, for `run_each`, which ends them; used with `with`, in case that is never reached."""

    def __init__(self, log: Path, module: str = __name__) -> None:
        """Starts the first worker, which imports `module`; `log` takes whatever they print."""
        self._log, self._module = log, module
        self._workers: dict[Connection, SpawnProcess] = {}
        self.busy: dict[Connection, VideoOrder] = {}
        self.used = False
        _track_in(log)
        self._hire()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.part()

    def begin(self, work: Work, order: VideoOrder) -> None:
        """Give the order to a worker that is idle, or to a new one."""
        pipe = next((idle for idle in self._workers if idle not in self.busy), None) or self._hire()
        self.busy[pipe], self.used = order, True
        with contextlib.suppress(OSError):  # a worker that is gone shows as end of file
            pipe.send((work, order))

    def lost(self, pipe: Connection) -> SpawnProcess:
        """Take a worker that died off the crew."""
        process = self._workers.pop(pipe)
        pipe.close()
        process.join(_GRACE_S)
        return process

    def part(self) -> None:
        """End the workers: let them finish what they have to send, or, where one is busy or none was used, let them only clean up."""
        at_once = bool(self.busy) or not self.used
        for pipe, process in self._workers.items():
            pipe.close()
            if at_once:
                process.terminate()
        for process in self._workers.values():
            process.join(_GRACE_S if at_once else _FAREWELL_S)
            if process.is_alive() and process.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.join()
        self._workers.clear()

    def _hire(self) -> Connection:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=_serve, args=(self._module, theirs, self._log))
        process.start()
        theirs.close()
        self._workers[ours] = process
        return ours


def run_each(work: Work, orders: Sequence[VideoOrder], jobs: int, watch: Watch, crew: Crew) -> list[VideoRow]:
    """A row for each order, in order of completion; at most `jobs` at a time. Afterwards the crew is gone, however this ends."""
    waiting, rows = deque(orders), list[VideoRow]()
    stages: dict[str, str] = {}

    def hand_out() -> None:
        while waiting and len(crew.busy) < jobs:
            crew.begin(work, waiting.popleft())

    try:
        hand_out()
        while crew.busy:
            for pipe in _ready(crew.busy):
                events = [_next_event(pipe, crew, stages)]
                if isinstance(events[0], Finished):
                    del crew.busy[pipe]
                    row = events[0].row
                    if row.exit_code in _STOPS_THE_RUN:
                        events += [Finished(replace(row, source=order.name, slug=order.slug, sha256="", work={})) for order in waiting]
                        waiting.clear()
                    hand_out()  # before anybody is told, who may take a while over it
                rows += [event.row for event in events if isinstance(event, Finished)]
                for event in events:
                    watch(event)
    finally:
        crew.part()
    return rows


def _ready(busy: Iterable[Connection]) -> list[Connection]:
    return [pipe for pipe in wait(list(busy)) if isinstance(pipe, Connection)]


def _next_event(pipe: Connection, crew: Crew, stages: dict[str, str]) -> Event:
    """What a busy worker says next; the end of its video also when the worker died of it."""
    try:
        event: Event = pipe.recv()
    except (EOFError, OSError):
        order = crew.busy[pipe]
        error = StageFailed(
            f"{order.name}: its worker process died ({_cause(crew.lost(pipe).exitcode)}).",
            hint="The run log has what it said last. Run again with more memory, or without this video.",
            code="worker_died",
        )
        return Finished(failed_row(order, stages.get(order.slug, ""), error))
    if isinstance(event, Advanced):
        stages[event.slug] = event.stage
    return event


def _cause(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        return signal.Signals(-exitcode).name
    return f"exit status {exitcode}"


def _track_in(log: Path) -> None:
    """Start multiprocessing's tracker with its messages in `log`: what an ended worker's libraries left is nothing for people's screens."""
    with log.open("ab") as target:
        screen = os.dup(2)
        try:
            os.dup2(target.fileno(), 2)
            resource_tracker.ensure_running()
        finally:
            os.dup2(screen, 2)
            os.close(screen)


def _serve(module: str, pipe: Connection, log: Path) -> None:
    """The life of a worker: take an order, send what happens, until the parent closes the pipe."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for the parent, which tells us
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_follow_parent, daemon=True).start()
    _print_to(log)
    importlib.import_module(module)
    turn = threading.Lock()

    def send(event: Event) -> None:
        with turn:  # two stages of one video report at the same time
            pipe.send(event)

    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            work, order = pipe.recv()
            send(Finished(work(order, send)))


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)


def _follow_parent() -> None:
    """A killed parent cannot tell its workers; what they still wrote would meet the next run's."""
    if parent := multiprocessing.parent_process():
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


def _print_to(log: Path) -> None:
    """Everything that this process, its libraries and its children print goes to `log`, whole lines at a time."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    # Ours have the handler to themselves: Prefect puts one of its own in the place of the root's.
    for name in ("", "flows", "stages"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.propagate = False
    logging.captureWarnings(True)
