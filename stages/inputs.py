"""Which files of what was given are videos to read, and what each is called in the output.

People keep `aula.mp4` in two folders, names with line breaks, emoji or bytes that are no text, and last month's bundles next to new
videos. Two inputs never share an output; a name is printed so that it cannot move the cursor; nothing is passed over without a trace.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Inputs", "assign_slugs", "find_inputs", "is_passed_over", "printable", "shown_name"]

_OTHER: Final = frozenset(
    """.ass .bat .bib .bmp .cfg .csv .css .db .doc .docx .epub .heic .htm .html .ini .ipynb .jpeg .jpg .js .json .jsonl .log .lock .md
    .ods .odt .parquet .part .pdf .png .ppt .pptx .ps1 .py .rst .rtf .sh .srt .sub .svg .tex .tif .tiff .toml .tsv .txt .vtt .webp .xhtml
    .xls .xlsx .xml .yaml .yml .zip .7z .gz .tar .rar .torrent .sha256 .md5 .url .lnk .idx .nfo .npy""".split()
)
"""Endings that are no video, passed over in folders. Anything else is tried, with or without an ending."""

_BUNDLE: Final = "manifest-sha256.txt"
_LONGEST: Final = 60
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))})
"""Names that Windows does not allow for a folder."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was found in the arguments."""

    files: tuple[Path, ...]
    """To be read, absolute; those named explicitly come even when they do not exist, so that each gets its line."""
    ignored: tuple[Path, ...]
    """Passed over in folders: other kinds of file, hidden ones, links to folders, bundles of ours."""


def find_inputs(inputs: Sequence[Path]) -> Inputs:
    """The files behind the arguments, sorted, each once; folders are searched to the bottom.

    A folder that cannot be listed is kept among the files: reading it then fails with its name and the reason.
    """
    files: set[Path] = set()
    ignored: set[Path] = set()
    for given in inputs:
        path = Path(os.path.abspath(given))  # noqa: PTH100 - links stay as given: their name is the one people know
        if _is_folder(path):
            _search(path, files, ignored)
        else:
            files.add(path)
    return Inputs(tuple(sorted(files, key=os.fsencode)), tuple(sorted(ignored - files, key=os.fsencode)))


def _is_folder(path: Path) -> bool:
    """Unlike `Path.is_dir`, False and no error where a parent may not be searched or the name is too long."""
    return os.path.isdir(path)  # noqa: PTH112


def is_passed_over(path: Path) -> bool:
    """Whether a file of a folder is no video by its name: hidden, or of another kind."""
    return path.name.startswith(".") or path.suffix.lower() in _OTHER


def _search(folder: Path, files: set[Path], ignored: set[Path]) -> None:
    try:
        found = sorted(folder.iterdir())
    except OSError:
        files.add(folder)
        return
    if any(item.name == _BUNDLE for item in found):
        ignored.add(folder)
        return
    for item in found:
        if is_passed_over(item) or (item.is_symlink() and _is_folder(item)):
            ignored.add(item)
        elif _is_folder(item):
            _search(item, files, ignored)
        else:
            files.add(item)


def assign_slugs(files: Sequence[Path]) -> dict[Path, str]:
    """A name `[a-z0-9-]{1,60}` for each file, unique among them and the same in whatever order they come.

    Files that would share a name are told apart by their ending, then by their folder, then by a digest of their path.
    """
    slugs = {path: _slug(path.stem) for path in files}
    for spelling in _SPELLINGS:
        shared = {slug for slug, times in Counter(slugs.values()).items() if times > 1}
        slugs |= {path: spelling(path) for path, slug in slugs.items() if slug in shared}
    return slugs


def shown_name(path: Path) -> str:
    """The file's name, safe to print and to store."""
    return printable(path.name or str(path))


def printable(text: str) -> str:
    """`text` with what steers a terminal, turns the reading direction or is no text (undecodable bytes) escaped."""
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _BIDI:
        return character.encode("unicode_escape").decode("ascii")
    return character


_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of what follows, so that `exe.4pm` reads `mp4.exe`."""


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].rstrip("-")
    return f"video-{slug}" if slug in _RESERVED else slug or "video"


def _with_ending(path: Path) -> str:
    return _slug(f"{path.stem[:_LONGEST]}-{path.suffix}")


def _with_folder(path: Path) -> str:
    return _slug(f"{path.parent.name[:25]}-{path.stem[:_LONGEST]}-{path.suffix}")


def _with_digest(path: Path) -> str:
    mark = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    return f"{_slug(path.stem)[: _LONGEST - 13].rstrip('-')}-{mark}"


_SPELLINGS: Final[tuple[Callable[[Path], str], ...]] = (_with_ending, _with_folder, _with_digest)
