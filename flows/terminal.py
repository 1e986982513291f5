"""What people see while a command runs. Everything goes to stderr: stdout belongs to `--json`.

File names, readings and error messages of others are data. A name with an escape sequence must not move the cursor or forge a line, so
everything is made printable first, and markup of the terminal library is never interpreted.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from stages.batch_record import BatchRecord, Status, VideoRow
from stages.errors import UsageError
from stages.events import Advanced, Event, Finished, Planned, Watch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["fetching", "print_json", "printable", "say", "say_outcome", "telling", "watching"]

_UNSAFE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that steer a terminal or turn the direction of text."""
_JOINER: Final = "\u200d"
_SILENCE_S: Final = 20
"""Without a terminal, a stage that takes longer says how far it is this often."""


def printable(text: str) -> str:
    """`text` with every character that is not for reading escaped; emoji keep their joiners."""
    return "".join(_escaped(character) if unicodedata.category(character) in _UNSAFE else character for character in text)


def _escaped(character: str) -> str:
    return character if character == _JOINER else character.encode("unicode_escape").decode("ascii")


def say(text: str) -> None:
    """One line for people."""
    _print(printable(text), sys.stderr)


def _print(line: str, stream: TextIO) -> None:
    try:
        print(line, file=stream, flush=True)
    except BrokenPipeError:
        # Whoever read has left; the command's exit status still counts, and Python must not complain about it when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(said: Mapping[str, Any]) -> None:
    """The one object of a `--json` run."""
    _print(json.dumps(said, indent=1), sys.stdout)


@contextlib.contextmanager
def watching(verbose: bool) -> Iterator[Watch]:
    """A watch that shows the run: moving bars on a terminal, lines elsewhere."""
    if sys.stderr.isatty():
        with _bars() as progress:
            yield _on_terminal(progress)
    else:
        yield _in_lines(verbose)


@contextlib.contextmanager
def fetching(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """A progress function for the download of a model: a moving bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda step, done, total: None
        return
    with _bars() as progress:
        bar = progress.add_task(name)
        yield lambda step, done, total: progress.update(bar, description=f"{name}: {step}", completed=done, total=total)


@contextlib.contextmanager
def telling(target: Path | None, watch: Watch) -> Iterator[Watch]:
    """`watch`, and beside it one JSON object a line in `target` for programs, as things happen."""
    if target is None:
        yield watch
        return
    try:
        stream = target.open("ab", buffering=0)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}).", hint="Choose another --events.") from error
    lost = False

    def tell(event: Event) -> None:
        nonlocal lost
        watch(event)
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"schema": "frame-oracle/event/1", "at": at, **_event_json(event)}) + "\n"
        try:
            if not lost:
                stream.write(line.encode())
        except OSError as error:  # a full disk or a reader that left is no reason to lose a night's videos
            lost = True
            say(f"{target}: takes no more events ({error.strerror}); the run goes on, and batch.json tells the end.")

    with stream:
        yield tell


def _event_json(event: Event) -> dict[str, Any]:
    match event:
        case Planned():
            return {"event": "planned", "videos": dict(event.videos), "unmatched": list(event.unmatched)}
        case Advanced():
            return {"event": "advanced", "slug": event.slug, "stage": event.stage, "fraction": round(event.fraction, 3)}
        case Finished():
            return {"event": "finished", "video": event.row.as_json()}


def say_outcome(record: BatchRecord, out: Path, log: Path) -> None:
    """The end of a report run: what there is, where, and what to look at when something lacks."""
    counts = ", ".join(f"{number} {status}" for status, number in record.counts.items() if number)
    say(f"{counts}: {out / 'index.html'}")
    if record.exit_code:
        say(f"details: {out / 'batch.json'} and {log}")


def _in_lines(verbose: bool) -> Watch:
    names: dict[str, str] = {}
    spoken: dict[tuple[str, str], float] = {}

    def watch(event: Event) -> None:
        match event:
            case Planned():
                names.update(event.videos)
                _say_plan(event, say)
            case Advanced():
                key, now = (event.slug, event.stage), time.monotonic()
                last = spoken.setdefault(key, now)
                due = event.fraction in (0, 1) if verbose else now - last >= _SILENCE_S and event.fraction < 1
                if due:
                    spoken[key] = now
                    say(f"{names.get(event.slug, event.slug)}: {event.stage} {event.fraction:.0%}")
            case Finished():
                say(_row_line(event.row))

    return watch


def _on_terminal(progress: Progress) -> Watch:
    names: dict[str, str] = {}
    bars: dict[tuple[str, str], TaskID] = {}

    def watch(event: Event) -> None:
        match event:
            case Planned():
                names.update(event.videos)
                bars["", ""] = progress.add_task("videos", total=len(event.videos))
                _say_plan(event, lambda line: _print_above(progress, line))
            case Advanced():
                key = (event.slug, event.stage)
                if key not in bars:
                    title = printable(f"{names.get(event.slug, event.slug)}: {event.stage}")
                    bars[key] = progress.add_task(title, total=1.0)
                progress.update(bars[key], completed=event.fraction, visible=event.fraction < 1)
            case Finished():
                for key in [key for key in bars if key[0] == event.row.slug]:
                    progress.remove_task(bars.pop(key))
                if ("", "") in bars:
                    progress.advance(bars["", ""])
                _print_above(progress, _row_line(event.row))

    return watch


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    title = TextColumn("{task.description}", markup=False)
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    return Progress(title, BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)


def _print_above(progress: Progress, line: str) -> None:
    progress.console.print(printable(line), soft_wrap=True)


def _say_plan(plan: Planned, out: Callable[[str], None]) -> None:
    out(f"{len(plan.videos)} video{'s' if len(plan.videos) != 1 else ''}")
    for name in plan.unmatched:
        out(f"the brief speaks of {name}, which is none of these videos")


def _row_line(row: VideoRow) -> str:
    if row.failed:
        reason = row.message.removeprefix(f"{row.source.rpartition('/')[2]}: ")
        return f"{row.source}: failed{f' at {row.stage}' if row.stage else ''}: {reason} {row.hint}".rstrip()
    if row.status is Status.UNCHANGED:
        return f"{row.source}: unchanged: nothing was decoded, read, heard or asked"
    parts = [row.status.value]
    if row.unread:
        parts.append(f"not all of {' and '.join(row.unread)} could be read")
    if row.unasked:
        parts.append(f"no model answered {row.unasked} of the questions")
    if row.failovers:
        parts.append(f"no answer from {'; '.join(row.failovers)}")
    if row.fonts_lacking:
        scripts = ", ".join(script for group in row.fonts_lacking.values() for script in group)
        parts.append(
            f"the PDF shows boxes, for want of a font, in place of {scripts} (apt install {' '.join(row.fonts_lacking)}, run again)"
        )
    if row.bundle:
        parts.append(f"claims: {sum(row.claims.values())}, refused: {row.rejections}, links verified: {row.links_verified} of {row.links}")
        if row.clips:
            parts.append(f"clips in {row.bundle}.html: {row.clips}")
        parts.append(f"{row.bundle}/report.html")
    return f"{row.source}: {', '.join(parts)}"
