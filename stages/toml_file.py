"""TOML that people write, turned into typed records; a key that nobody reads is an error.

A misspelt `questons` that is silently ignored gives a report that answers nothing, and nobody knows why. So every table is checked
against the record it becomes, and what is wrong is said with the file, the key and what could have been meant.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from stages.errors import UsageError

__all__ = ["read_toml", "record"]

_Record = TypeVar("_Record")


def read_toml(path: Path) -> dict[str, Any]:
    """The top table of the file. Raises `UsageError`, which names the file, when it cannot be read or is not TOML."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).", hint="Check the path and its permissions.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text.", hint="Save the file as UTF-8.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}.", hint='Text values need quotes: language = "pt".') from error


def record(kind: type[_Record], table: object, where: str) -> _Record:
    """`table` as the dataclass `kind`. `where` names the file and table in messages. Raises `UsageError` for anything that does not fit."""
    from pydantic import TypeAdapter, ValidationError  # a quarter of a second, for the runs that read a file

    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]  # a dataclass, by contract
    if not isinstance(table, Mapping):
        raise UsageError(f"{where}: this is a table of keys, not {table!r}.", hint=f"Its keys are {', '.join(known)}.")
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            meant = f"Did you mean {near[0]!r}? " if near else ""
            raise UsageError(f"{where}: unknown key {key!r}.", hint=f"{meant}The keys are {', '.join(known)}.")
    try:
        return TypeAdapter(kind).validate_python(dict(table))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}: {place}: {first['msg']}.", hint="Correct the value.") from error
