"""A run from start to finish, as people and programs see it: which engine runs it, who watches, what is said at the end.

With `--engine prefect` and no API configured, the same command line runs again as a child of a server that was started for it. The child
is an ordinary run on a configured API; it has sent Prefect everything when it ends, and only then is the server stopped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from flows.prefect_server import PREFECT_SETTINGS, configured_api, running_server
from flows.terminal import print_json, say, say_outcome, telling, watching
from flows.workers import Crew, run_each, run_log
from stages.batch_record import BatchRecord, VideoOrder
from stages.brief import Brief, VideoBrief
from stages.errors import ExitCode, UsageError
from stages.events import Watch
from stages.inputs import shown_name
from stages.settings import Settings

__all__ = ["run_reading", "run_report"]


def run_report(inputs: Sequence[Path], settings: Settings, brief: Brief, as_json: bool, verbose: bool, events: Path | None = None) -> int:
    """Report on every video behind `inputs`; returns the exit status. `events` gets a JSON line for whatever happens."""
    api = configured_api() if settings.runner != "direct" else ""
    if settings.runner == "prefect" and not api:
        return _again_under_own_server(settings)
    log = run_log(settings.cache)
    if api:
        os.environ |= PREFECT_SETTINGS  # before Prefect is imported, here and in the workers
    with Crew(log, "flows.batch" if api else "flows.order") as crew, watching(verbose) as shown, telling(events, shown) as watch:
        record = (_by_prefect if api else _directly)(inputs, settings, brief, crew, watch)
    say_outcome(record, settings.out, log)
    if as_json:
        print_json(record.as_json() | {"schema": "frame-oracle/report/1", "out": str(settings.out), "log": str(log)})
    return record.exit_code


def run_reading(video: Path, out: Path, settings: Settings, as_json: bool, verbose: bool) -> int:
    """Write the evidence of one video to `out`; returns the exit status."""
    from flows.order import write_reading

    if not out.parent.is_dir():
        raise UsageError(f"{out.parent}: no such folder.", hint="Make it, or choose another --out.")
    source = Path(os.path.abspath(video))  # noqa: PTH100 - links stay as given
    order = VideoOrder(source, shown_name(source), "video", VideoBrief(), settings)
    log = run_log(settings.cache)
    with watching(verbose) as watch:
        (row,) = run_each(partial(write_reading, out), [order], 1, watch, Crew(log, "flows.order"))
    record = BatchRecord((row,))
    if verbose:
        say(f"log: {log}")
    if as_json:
        print_json({"schema": "frame-oracle/evidence/1", "exit_code": int(record.exit_code), "out": str(out), "video": row.as_json()})
    return record.exit_code


def _directly(inputs: Sequence[Path], settings: Settings, brief: Brief, crew: Crew, watch: Watch) -> BatchRecord:
    from flows.order import report_folder

    return report_folder(inputs, settings, brief, crew, watch)


def _by_prefect(inputs: Sequence[Path], settings: Settings, brief: Brief, crew: Crew, watch: Watch) -> BatchRecord:
    from flows.batch import run_folder

    return run_folder(inputs, settings, brief, crew, watch)


def _again_under_own_server(settings: Settings) -> int:
    say("starting a Prefect server")
    with running_server(settings.cache / "prefect") as environment:
        command = [sys.executable, "-P", "-m", "flows.cli", *sys.argv[1:]]
        child = subprocess.Popen(command, env=os.environ | environment)
        with _signals_for(child):
            status = child.wait()
    return status if status >= 0 else ExitCode.INTERNAL


@contextlib.contextmanager
def _signals_for(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """The child ends itself on Ctrl-C and on a request to end; the server must outlive it."""
    signal.signal(signal.SIGINT, lambda number, frame: None)  # the terminal sends it to both
    signal.signal(signal.SIGTERM, lambda number, frame: child.terminate())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
