"""A bundle as one ZIP file, for mail and upload: the same bundle gives the same bytes, whenever and wherever it is packed."""

from __future__ import annotations

import os
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from stages.manifest import MANIFEST

__all__ = ["archive_path", "write_archive"]

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that the format can hold: the date of packing is nobody's business and would change the bytes."""
_PACKED: Final = frozenset({".mp4", ".jpg", ".pdf", ".parquet"})
"""Compressed already: stored as they are."""


def archive_path(folder: Path) -> Path:
    """Where the archive of a bundle lies."""
    return folder.with_name(f"{folder.name}.zip")


def write_archive(folder: Path) -> Path:
    """Pack the bundle `folder` into `<folder>.zip` beside it; an archive of the same bundle that is there already is left as it is."""
    target = archive_path(folder)
    if _holds(target, folder):
        return target
    descriptor, name = tempfile.mkstemp(dir=folder.parent, prefix=f".{folder.name}.zip.partial-")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                _add(archive, path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
        part.chmod(0o644)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # Unix, on every system
    entry.compress_type = zipfile.ZIP_STORED if path.suffix in _PACKED else zipfile.ZIP_DEFLATED
    entry.file_size = path.stat().st_size
    with path.open("rb") as source, archive.open(entry, "w") as target:
        while block := source.read(1 << 20):
            target.write(block)


def _holds(archive: Path, folder: Path) -> bool:
    """Whether `archive` was packed from the bundle as it is: its manifest names every other file by its hash."""
    try:
        with zipfile.ZipFile(archive) as packed:
            return packed.read(f"{folder.name}/{MANIFEST}") == (folder / MANIFEST).read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile):
        return False
