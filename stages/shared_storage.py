"""Videos and bundles on storage that several machines share: a folder, or an object store such as S3, through fsspec.

Two workers may come to deliver the same bundle, one of them taken for dead. A folder gets it by one rename. An object store knows no
rename, so the manifest goes last: a bundle is there when its manifest is. What is there and the same is left alone, so nothing is
delivered twice.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from stages.errors import InputRejected, NoUsableInput, UsageError
from stages.inputs import is_passed_over
from stages.manifest import MANIFEST

__all__ = ["fetched", "full_address", "is_published", "lies_below", "publish", "videos_below"]

_PARTIAL: Final = ".partial-"


def videos_below(url: str) -> dict[str, str]:
    """The addresses of the files below `url` that are tried as videos, sorted, each with a word that changes when the file does.

    Raises `UsageError` where it cannot be listed, and `NoUsableInput` where there is none.
    """
    files, root = _storage(url)
    try:
        found = {files.unstrip_protocol(path): str(files.ukey(path)) for path in files.find(root) if not is_passed_over(Path(path))}
    except _failures() as error:
        raise UsageError(f"{url}: cannot be listed ({error}).", hint="Check the address and the credentials in the environment.") from error
    if not found:
        raise NoUsableInput(f"There is no video below {url}.", hint="Check the address.")
    return dict(sorted(found.items()))


def full_address(url: str) -> str:
    """`url` as another machine understands it: the path of a folder from the root."""
    files, root = _storage(url)
    return str(files.unstrip_protocol(root))


def lies_below(url: str, folder: str) -> bool:
    """Whether `url` is `folder` or a place in it."""
    (files, path), (others, root) = _storage(url), _storage(folder)
    return files.protocol == others.protocol and Path(path).is_relative_to(root)


def is_published(url: str, name: str) -> bool:
    """Whether a whole bundle of that name stands below `url`."""
    files, root = _storage(url)
    return bool(files.exists(f"{root.rstrip('/')}/{name}/{MANIFEST}"))


def fetched(url: str, scratch: Path) -> Path:
    """A local file with the video at `url`: itself where it is local, else a copy in `scratch`. Raises `InputRejected`."""
    files, path = _storage(url)
    if _local(files):
        return Path(path)
    target = scratch / Path(path).name
    try:
        files.get_file(path, str(target))
    except _failures() as error:
        hint = "Check that it is there, and the credentials in the environment."
        raise InputRejected(f"{Path(path).name}: cannot be fetched ({error}).", hint=hint, code="read_error") from error
    return target


def publish(bundle: Path, url: str) -> bool:
    """Put the finished `bundle` below `url`, under its own name; False when the same one was there already."""
    files, root = _storage(url)
    target = f"{root.rstrip('/')}/{bundle.name}"
    manifest = (bundle / MANIFEST).read_bytes()
    with contextlib.suppress(FileNotFoundError):
        if files.cat_file(f"{target}/{MANIFEST}") == manifest:
            return False
    if _local(files):
        _rename_into_place(bundle, Path(target))
        return True
    with contextlib.suppress(FileNotFoundError):
        files.rm_file(f"{target}/{MANIFEST}")  # while files of two bundles stand there, there is no bundle
    for path in sorted(item for item in bundle.rglob("*") if item.is_file() and item.name != MANIFEST):
        files.put_file(str(path), f"{target}/{path.relative_to(bundle).as_posix()}")
    files.pipe_file(f"{target}/{MANIFEST}", manifest)
    return True


def _rename_into_place(bundle: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}{_PARTIAL}"))
    try:
        new, old = scratch / "new", scratch / "old"
        shutil.copytree(bundle, new)
        if target.exists():
            target.rename(old)
        new.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _failures() -> tuple[type[Exception], ...]:
    """What says that storage cannot be reached; the client of S3 has errors of its own for credentials and addresses."""
    client = sys.modules.get("botocore.exceptions")
    return (OSError, client.BotoCoreError) if client else (OSError,)


def _storage(url: str) -> tuple[Any, str]:
    import fsspec

    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        hint = "For S3: pip install 'frame-oracle[s3]'. A folder is written as its path."
        raise UsageError(f"{url}: cannot be used ({error}).", hint=hint) from error
    return files, str(path)


def _local(files: Any) -> bool:
    return "file" in ((files.protocol,) if isinstance(files.protocol, str) else files.protocol)
