"""The cache as a whole: what dry runs say of it, what pruning takes, and that it takes nothing from under a run."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from stages.entries import NotStored, in_use, list_entries, prune
from stages.errors import Locked, UsageError
from stages.store import StageStore

_DAY = 86400.0


def _make(root: Path, text: str, inputs: dict[str, str], version: int = 1) -> Path:
    store = StageStore(root)

    def make(folder: Path) -> None:
        (folder / "result").write_text(text)

    return store.build("screen", store.key("screen", version, inputs), make)


def _why(root: Path, inputs: dict[str, str], version: int = 1) -> str:
    store = StageStore(root, dry=True)
    with pytest.raises(NotStored) as caught:
        store.build("screen", store.key("screen", version, inputs), lambda folder: pytest.fail("a dry store makes nothing"))
    return caught.value.reason


def test_a_dry_store_says_why_a_result_is_not_there_and_writes_nothing(tmp_path: Path) -> None:
    assert _why(tmp_path, {"video": "a", "engine": "x"}) == "this video is new"
    assert not any(tmp_path.iterdir())
    entry = _make(tmp_path, "read", {"video": "a", "engine": "x", "language": ""})
    assert _why(tmp_path, {"video": "b", "engine": "x", "language": ""}) == "this video is new"
    assert _why(tmp_path, {"video": "a", "engine": "y", "language": ""}) == "changed: engine"
    assert _why(tmp_path, {"video": "a", "engine": "x", "language": ""}, version=2) == "changed: version of the stage"
    (entry / "result").write_text("read?")
    assert _why(tmp_path, {"video": "a", "engine": "x", "language": ""}) == "its stored files are damaged"


def test_what_went_into_a_key_is_kept_as_digests(tmp_path: Path) -> None:
    entry = _make(tmp_path, "read", {"video": "a", "chain": "http://user:hunter2@host/v1"})
    assert "hunter2" not in json.dumps([path.read_text() for path in entry.iterdir()])


def test_a_damaged_entry_is_made_again_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    entry = _make(tmp_path, "read", {"video": "a"})
    (entry / "result").write_text("torn")
    assert (_make(tmp_path, "read again", {"video": "a"}) / "result").read_text() == "read again"
    assert "damaged and is made again" in caplog.text


@pytest.mark.parametrize("record", ["", "{}", "[1, 2]", '{"result": 1}', "null"])
def test_an_entry_whose_record_is_damaged_is_made_again(tmp_path: Path, record: str) -> None:
    entry = _make(tmp_path, "read", {"video": "a"})
    (entry / "entry.json").write_text(record)
    assert _why(tmp_path, {"video": "a"}) == "its stored files are damaged"
    assert (_make(tmp_path, "read again", {"video": "a"}) / "result").read_text() == "read again"


def test_pruning_takes_the_unused_and_the_longest_unused_and_what_dead_runs_left(tmp_path: Path) -> None:
    entries = {name: _make(tmp_path, name * 1000, {"video": name}) for name in "abc"}
    for days, name in enumerate("cba"):
        os.utime(entries[name] / "entry.json", (time.time() - days * _DAY - 60,) * 2)
    left = entries["a"].parent / ".partial-dead"
    left.mkdir()
    (left / "half").write_text("x" * 5000)
    assert prune(tmp_path, 1.5 * _DAY, None, keep=True)
    assert left.exists()
    assert entries["a"].exists()
    assert {entry.path for entry in prune(tmp_path, 1.5 * _DAY, None)} == {left, entries["a"]}
    assert {entry.path for entry in list_entries(tmp_path)} == {entries["b"], entries["c"]}
    assert not list(tmp_path.glob(f"*/*/{entries['a'].name}.lock"))
    prune(tmp_path, None, 2000)
    assert [entry.path for entry in list_entries(tmp_path)] == [entries["c"]]


def test_use_counts_as_use(tmp_path: Path) -> None:
    entry = _make(tmp_path, "read", {"video": "a"})
    os.utime(entry / "entry.json", (0, 0))
    _make(tmp_path, "never", {"video": "a"})
    assert not prune(tmp_path, _DAY, None)
    assert (entry / "result").read_text() == "read"


def test_nothing_is_pruned_while_a_run_uses_the_cache(tmp_path: Path) -> None:
    entry = _make(tmp_path, "read", {"video": "a"})
    with in_use(tmp_path), in_use(tmp_path), pytest.raises(Locked, match="a run is using this cache"):
        prune(tmp_path, 0, 0)
    assert entry.exists()
    assert prune(tmp_path, 0, 0)


def test_a_cache_that_cannot_be_made_is_said_with_the_option(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="another --cache"), in_use(tmp_path / "file" / "cache"):
        pass
