"""The bundle's manifest, in BagIt's form: one line per file, so that `sha256sum -c manifest-sha256.txt` works on any machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from stages.store import file_sha256

__all__ = ["MANIFEST", "manifest_problems", "write_manifest"]

MANIFEST: Final = "manifest-sha256.txt"
_LINE: Final = re.compile(r"([0-9a-f]{64})  ([^\r\n]+)")
_LITTER: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""What a recipient's file manager leaves in folders that were only looked at."""


def write_manifest(folder: Path) -> None:
    """Write the manifest of every file in `folder`, by name."""
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in sorted(_files(folder))]
    (folder / MANIFEST).write_text("".join(lines), encoding="utf-8", newline="\n")


def manifest_problems(folder: Path) -> Iterator[str]:
    """One line for each file that is missing, changed or not in the manifest; nothing where the folder is as it was delivered."""
    try:
        text = (folder / MANIFEST).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{MANIFEST}: cannot be read ({error})"
        return
    recorded: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _LINE.fullmatch(line):
            recorded[found[2]] = found[1]
        else:
            yield f"{MANIFEST}: line {number} is not a hash and a file name"
    present = set(_files(folder))
    for name, value in recorded.items():
        if name not in present:
            yield f"{name}: missing"
        elif (folder / name).is_symlink():
            yield f"{name}: a link to a file elsewhere, which does not travel with the folder"
        elif file_sha256(folder / name) != value:
            yield f"{name}: changed since it was delivered, or its line in {MANIFEST} was"
    yield from (f"{name}: not in {MANIFEST}" for name in sorted(present - set(recorded)))


def _files(folder: Path) -> Iterator[str]:
    """Every file below `folder` but the manifest, relative, with `/`. Links are named and never followed out of the folder."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if (path.is_file() or path.is_symlink()) and name != MANIFEST and path.name not in _LITTER:
            yield name
