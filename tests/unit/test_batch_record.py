"""What became of each video, and the exit status that follows: no success while a failure is on record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stages.batch_record import BatchRecord, Status, VideoOrder, VideoRow, exit_code_of, failed_row, require_own, write_batch_record
from stages.brief import VideoBrief
from stages.draft import ProviderSeal
from stages.errors import (
    ExitCode,
    FrameOracleError,
    InputRejected,
    MissingModel,
    NoProvider,
    StageFailed,
    UsageError,
    VerificationFailed,
)
from stages.settings import Settings


def _failed(error: Exception, stage: str = "ingest", name: str = "a.mp4") -> VideoRow:
    return failed_row(VideoOrder(Path("/x") / name, name, "a", VideoBrief(), Settings(Path("/out"))), stage, error)


_GOOD = VideoRow("b.mp4", "b", Status.DELIVERED, bundle="b", work={"ingest": "made"})
_SAME = VideoRow("c.mp4", "c", Status.UNCHANGED, bundle="c", work={"ingest": "reused"})
_PART = VideoRow("d.mp4", "d", Status.PARTIAL, bundle="d", unread=("fala",), work={"ingest": "made"})
_SEARCHED = replace(_GOOD, exit_code=exit_code_of(ProviderSeal("literal", "", True, unasked=(1, 2))))
_HALF_ANSWERED = replace(_GOOD, exit_code=exit_code_of(ProviderSeal("casa + literal", "m", True, unasked=(2,))))
_REJECTED = _failed(InputRejected("a.mp4: not a video."))
_BROKE = _failed(StageFailed("a.mp4: no."), "screen")


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ((_GOOD, _SAME), ExitCode.OK),
        ((_SEARCHED, _SEARCHED), ExitCode.NO_PROVIDER),
        ((_SEARCHED, _GOOD), ExitCode.PARTIAL),
        ((_HALF_ANSWERED, _GOOD), ExitCode.PARTIAL),
        ((_SEARCHED, _BROKE), ExitCode.PARTIAL),
        ((_GOOD, _PART), ExitCode.PARTIAL),
        ((_GOOD, _REJECTED), ExitCode.PARTIAL),
        ((_REJECTED,), ExitCode.NO_USABLE_INPUT),
        ((_REJECTED, _BROKE), ExitCode.PARTIAL),
        ((_BROKE,), ExitCode.PARTIAL),
        ((_failed(NoProvider("down"), "ask"),), ExitCode.NO_PROVIDER),
        ((_failed(NoProvider("down"), "ask"), _GOOD), ExitCode.PARTIAL),
        ((_failed(VerificationFailed("links"), "deliver"), _GOOD), ExitCode.VERIFICATION_FAILED),
        ((_GOOD, _failed(MissingModel("whisper"), "speech")), ExitCode.MISSING_DEPENDENCY),
        ((_failed(KeyError("x"), "screen"),), ExitCode.INTERNAL),
        ((_failed(KeyError("x"), "screen"), _GOOD), ExitCode.PARTIAL),
    ],
)
def test_exit_status(rows: tuple[VideoRow, ...], code: ExitCode) -> None:
    assert BatchRecord(rows).exit_code is code
    assert BatchRecord(rows[::-1]).exit_code is code


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputRejected("a.mp4: empty.", hint="Copy it again.", code="empty_file"), "empty_file", "a.mp4: empty."),
        (OSError(28, "No space left on device"), "disk_full", "a.mp4: the disk of the cache is full."),
        (ZeroDivisionError("oh"), "internal", "a.mp4: ZeroDivisionError: oh"),
    ],
)
def test_a_failed_row_says_what_happened_and_what_to_do(error: FrameOracleError, code: str, said: str) -> None:
    row = _failed(error, "speech")
    assert (row.stage, row.code, row.message) == ("speech", code, said)
    assert row.hint


def test_a_full_disk_is_the_output_s_while_a_bundle_is_written() -> None:
    assert _failed(OSError(28, "No space left on device"), "deliver").message == "a.mp4: the disk of the output is full."


def test_unchanged_means_that_every_stage_was_reused() -> None:
    assert _SAME.unchanged
    assert not _GOOD.unchanged
    assert not VideoRow("x", "x", Status.DELIVERED, work={"ingest": "reused", "ask": "made"}).unchanged
    assert not VideoRow("x", "x", Status.FAILED).unchanged


def test_batch_json_counts_everything_that_was_given(tmp_path: Path) -> None:
    write_batch_record(tmp_path, BatchRecord((_GOOD, _PART, _REJECTED), ("notes.txt",)))
    said = json.loads((tmp_path / "batch.json").read_text())
    assert said["schema"] == "frame-oracle/batch/1"
    assert said["exit_code"] == 3
    assert said["counts"] == {"delivered": 1, "unchanged": 0, "partial": 1, "failed": 1, "ignored": 1}
    assert [video["status"] for video in said["videos"]] == ["delivered", "partial", "failed"]
    assert said["ignored"] == [{"source": "notes.txt", "status": "ignored"}]


def test_a_name_that_is_no_text_still_makes_valid_json(tmp_path: Path) -> None:
    row = _failed(InputRejected("\udcff.mp4: no."), name="\udcff 🎬.mp4")
    write_batch_record(tmp_path, BatchRecord((row,)))
    assert json.loads((tmp_path / "batch.json").read_bytes())["videos"][0]["source"] == "\udcff 🎬.mp4"


@pytest.mark.parametrize(
    ("name", "text"), [("index.html", "my page"), ("batch.json", '{"jobs": 3}'), ("batch.json", "no JSON"), ("gaps.json", "[]")]
)
def test_files_of_somebody_else_are_not_written_over(name: str, text: str, tmp_path: Path) -> None:
    require_own(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=name):
        require_own(tmp_path)
    if name != "batch.json":
        write_batch_record(tmp_path, BatchRecord((_GOOD,)))
        require_own(tmp_path)
