"""A folder that others fill: a file is read when it is whole, and nothing that comes in can steer the run.

A copy over a slow network looks like a finished, damaged video for minutes. A link or a pipe in a drop folder is a way to make the
program read what its sender may not. A brief that anybody may write decides where evidence is sent.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from flows.terminal import say
from stages.errors import ExitCode, FrameOracleError, UsageError
from stages.inputs import find_inputs, shown_name
from stages.run_lock import held
from stages.settings import Settings

__all__ = ["require_private", "watch_folder"]

_State = tuple[int, ...]


def require_private(path: Path) -> None:
    """Raise `UsageError` when anybody on this machine may change `path`, a link it goes through, or put another in its place."""
    for place in dict.fromkeys((path, path.resolve(), *path.absolute().parents, *path.resolve().parents)):
        mode = place.stat().st_mode if place.exists() else 0
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise UsageError(f"{place}: anybody may write it, and it decides what is sent where.", hint=f"Run: chmod o-w {place}")


def watch_folder(folder: Path, settings: Settings, report: Callable[[Settings], int], settle_s: float, every_s: float, once: bool) -> int:
    """`report` whenever there is something new and whole in `folder`; returns the status of the last report when `once`."""
    root = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as given
    if not root.is_dir():
        raise UsageError(f"{root}: no such folder.", hint="Give the folder in which the videos will arrive.")
    if root.is_symlink():
        raise UsageError(f"{root}: not a folder of its own.", hint="Give the folder itself, not a link to it.")
    if settings.out.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{settings.out}: the output lies inside the input {root}.", hint="Give an --out beside it.")
    with held(settings.out):  # whoever cannot write there should know now, and not with the first video
        pass
    say(f"watching {root}")
    seen: dict[Path, tuple[_State, float]] = {}
    done: Mapping[Path, _State] = {}
    status, refused = int(ExitCode.OK), frozenset[Path]()
    while True:
        states, strange = _look(root)
        for path in sorted(strange - refused):
            say(f"{shown_name(path)}: passed over: a link or no plain file")
        refused = frozenset(strange)
        now = time.monotonic()
        seen = {path: seen[path] if path in seen and seen[path][0] == state else (state, now) for path, state in states.items()}
        whole = {path: state for path, (state, since) in seen.items() if now - since >= settle_s}
        if any(done.get(path) != state for path, state in whole.items()):
            taken = replace(settings, passed_over=refused | (states.keys() - whole.keys()))
            status = _report(taken, report)
            done = whole
        if once and len(whole) == len(states):
            return status
        time.sleep(every_s)


def _look(root: Path) -> tuple[dict[Path, _State], set[Path]]:
    """The plain files of the folder with what changes when somebody writes to them, and what is none."""
    states: dict[Path, _State] = {}
    strange: set[Path] = set()
    for path in find_inputs([root]).files:
        try:
            state = path.lstat()
        except OSError:
            continue  # gone since
        if stat.S_ISREG(state.st_mode):
            states[path] = state.st_ino, state.st_size, state.st_mtime_ns
        else:
            strange.add(path)
    return states, strange


def _report(settings: Settings, report: Callable[[Settings], int]) -> int:
    try:
        return report(settings)
    except FrameOracleError as error:  # a full disk or a second run passes; the watch goes on
        say(str(error))
        return error.exit_code
