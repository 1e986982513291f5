"""Bundles on shared storage: a folder gets one rename, an object store its manifest last; the same bundle is put once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

from stages.errors import InputRejected, NoUsableInput, UsageError
from stages.manifest import MANIFEST, write_manifest
from stages.shared_storage import fetched, full_address, is_published, lies_below, publish, videos_below


def _bundle(root: Path, text: str = "report") -> Path:
    bundle = root / "aula"
    (bundle / "media").mkdir(parents=True, exist_ok=True)
    (bundle / "report.html").write_text(text)
    (bundle / "media" / "aula.mp4").write_bytes(b"film")
    (bundle / MANIFEST).unlink(missing_ok=True)
    write_manifest(bundle)
    return bundle


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A bucket of an S3 server on loopback, spoken to over HTTP by the client of the extra `s3`."""
    pytest.importorskip("s3fs", reason="the extra s3 is not installed")
    server = pytest.importorskip("moto.server", reason="moto is not installed").ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        fsspec.filesystem("s3").mkdir("shared-videos")
        yield "s3://shared-videos"
    server.stop()


@pytest.fixture(params=["folder", "object store", "S3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(tmp_path / "shared")
    store = "memory:/" if request.param == "object store" else request.getfixturevalue("bucket")
    return f"{store}/{uuid4().hex}/reports"


def test_a_bundle_is_put_once_and_replaced_when_it_changes(place: str, tmp_path: Path) -> None:
    assert publish(_bundle(tmp_path), place)
    assert not publish(_bundle(tmp_path), place)
    assert publish(_bundle(tmp_path, "report 2"), place)
    files, root = fsspec.core.url_to_fs(place)
    assert files.cat_file(f"{root}/aula/report.html") == b"report 2"
    assert sorted(Path(path).name for path in files.find(root)) == ["aula.mp4", MANIFEST, "report.html"]


def test_an_upload_that_breaks_off_leaves_no_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"memory://{uuid4().hex}/reports"
    files, root = fsspec.core.url_to_fs(place)
    put = type(files).put_file

    def break_off(self: object, local: str, remote: str, **given: object) -> None:
        if local.endswith("report.html"):
            raise OSError("connection lost")
        put(self, local, remote, **given)

    monkeypatch.setattr(type(files), "put_file", break_off)
    with pytest.raises(OSError, match="connection lost"):
        publish(_bundle(tmp_path), place)
    assert not files.exists(f"{root}/aula/{MANIFEST}")


def test_videos_are_found_and_fetched(place: str, tmp_path: Path) -> None:
    files, root = fsspec.core.url_to_fs(place)
    for name in ("b/aula.mp4", "a.mkv", ".hidden.mp4", "notes.txt"):
        files.makedirs(f"{root}/b", exist_ok=True)
        files.pipe_file(f"{root}/{name}", b"film")
    states = videos_below(place)
    found = list(states)
    assert [address.rpartition("reports")[2].rpartition("shared")[2] for address in found] == ["/a.mkv", "/b/aula.mp4"]
    assert fetched(found[1], tmp_path).read_bytes() == b"film"
    assert videos_below(place) == states
    files.pipe_file(f"{root}/a.mkv", b"another film")
    files.invalidate_cache()
    assert {address for address, state in videos_below(place).items() if state != states[address]} == {found[0]}


def test_a_bundle_is_there_when_its_manifest_is(place: str, tmp_path: Path) -> None:
    assert not is_published(place, "aula")
    publish(_bundle(tmp_path), place)
    assert is_published(place, "aula")
    assert is_published(full_address(place), "aula")
    assert lies_below(f"{place}/x", place)
    assert not lies_below(place, f"{place}/x")
    assert not lies_below(f"{place}-2", place)


def test_a_folder_is_named_to_other_machines_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert full_address("reports") == f"file://{tmp_path}/reports"
    assert full_address("memory://bucket/reports") == "memory:///bucket/reports"


def test_what_cannot_be_reached_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        videos_below("nosuchstore://x")
    with pytest.raises(NoUsableInput, match="no video below"):
        videos_below(str(tmp_path / "mistyped"))
    with pytest.raises(InputRejected, match="cannot be fetched"):
        fetched(f"memory://{uuid4().hex}/absent.mp4", tmp_path)
