"""What can go wrong, with the user's next move and a stable exit code.

    FrameOracleError
    ├── UsageError            1   wrong arguments, settings or brief
    ├── NoUsableInput         2   nothing to read in what was given
    ├── InputRejected         3   one video cannot be read; the batch goes on
    ├── StageFailed           3   a stage could not finish for one video; the batch goes on
    ├── VerificationFailed    4   an output does not hold what it promises
    ├── MissingDependency     5   a program or package is not installed
    │   └── MissingModel      5   weights are absent, or their hash is wrong
    ├── NoProvider            6   no language model of the chain answered
    └── Locked               11   another run holds the folder

The exit codes are promises: scripts and schedulers branch on them, so a number is never reused. One handler, in `flows/cli.py`,
turns an error into its message and its code.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import ClassVar

__all__ = [
    "ExitCode",
    "FrameOracleError",
    "InputRejected",
    "Locked",
    "MissingDependency",
    "MissingModel",
    "NoProvider",
    "NoUsableInput",
    "StageFailed",
    "UsageError",
    "VerificationFailed",
    "unwritable",
]


class ExitCode(IntEnum):
    """Exit status of `frame-oracle`; stable across versions."""

    OK = 0
    USAGE = 1
    NO_USABLE_INPUT = 2
    PARTIAL = 3
    VERIFICATION_FAILED = 4
    MISSING_DEPENDENCY = 5
    NO_PROVIDER = 6
    LOCKED = 11
    INTERNAL = 15
    INTERRUPTED = 130


class FrameOracleError(Exception):
    """An error meant for people: `message` names the file, `hint` is the next move.

    `code` is a short stable word for machines (`batch.json`, `--json`).
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code or type(self).__name__

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.hint, self.code))


def _rebuild(kind: type[FrameOracleError], message: str, hint: str, code: str) -> FrameOracleError:
    """Pickling support: an error crosses process borders whole."""
    return kind(message, hint=hint, code=code)


class UsageError(FrameOracleError):
    exit_code = ExitCode.USAGE


def unwritable(folder: Path, error: OSError, option: str) -> UsageError:
    """What is said of a folder, given by `option`, that takes no file."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return UsageError(f"{folder}: is, or lies below, a file and no folder.", hint=f"Choose another {option}.", code="unwritable")
    hint = f"Free some space there, change its permissions, or choose another {option}."
    return UsageError(f"{folder}: cannot be written ({error.strerror}).", hint=hint, code="unwritable")


class NoUsableInput(FrameOracleError):
    exit_code = ExitCode.NO_USABLE_INPUT


class InputRejected(FrameOracleError):
    exit_code = ExitCode.PARTIAL


class StageFailed(FrameOracleError):
    exit_code = ExitCode.PARTIAL


class VerificationFailed(FrameOracleError):
    exit_code = ExitCode.VERIFICATION_FAILED


class MissingDependency(FrameOracleError):
    exit_code = ExitCode.MISSING_DEPENDENCY


class MissingModel(MissingDependency):
    pass


class NoProvider(FrameOracleError):
    exit_code = ExitCode.NO_PROVIDER


class Locked(FrameOracleError):
    exit_code = ExitCode.LOCKED
