"""Every broken file that people sent in, between two good ones: the good reports are made, each broken file has its own reason, and the
order in which they come changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli_process import draw_video, read_batch, run_cli

_LONG = {
    "corrupted.mp4", "no_timescale.mp4", "video_with_failing_audio.mp4", "playable_but_bad_container.mp4",
    "playable_but_bad_container.mkv", "sample-with-large-length.avi",
}  # fmt: skip
"""Readable after all, and half a minute of work each: their faults are tested where they are ingested."""
_HOPELESS = {
    "WrongFile.mp4", "mono.empty.wav", "mono.invalid.wav", "mono.zero.wav", "1024_incrementing_bytes.mp3",
    "missing_wav_header.wav", "chunk_out_of_range.mp4", "file_0.mp4", "nostreams.mp4",
}  # fmt: skip
"""Nothing in them can be read by anybody."""


def _rows(inputs: list[Path], out: Path, cache: Path) -> dict[str, dict[str, Any]]:
    done = run_cli("report", *inputs, "--out", out, "--cache", cache, "--model", "none", "--jobs", "2")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    batch = read_batch(out)
    assert [row["source"] for row in batch["videos"]] == sorted(row["source"] for row in batch["videos"])
    return {row["source"]: {key: value for key, value in row.items() if key not in ("work", "status")} for row in batch["videos"]} | {
        "status": {row["source"]: row["status"].replace("unchanged", "delivered") for row in batch["videos"]}
    }


def test_all_broken_files_between_two_good_ones(shared_media: Path, tmp_path: Path) -> None:
    first = draw_video(tmp_path / "first.mp4", "FIRST 1")
    last = draw_video(tmp_path / "last.mp4", "LAST 2")
    broken = sorted(path for path in (shared_media / "broken").rglob("*") if path.is_file() and path.name not in _LONG)
    given = [first, *broken, last]

    rows = _rows(given, tmp_path / "out", tmp_path / "cache")
    status = rows["status"]
    assert len(status) == len(given)
    assert status["first.mp4"] == status["last.mp4"] == "delivered"
    assert {name for name in _HOPELESS if status[name] != "failed"} == set()
    for name, row in rows.items():
        if name != "status" and status[name] == "failed":
            assert name in row["message"]
            assert row["hint"]
            assert row["code"] not in ("internal", "os_error", "worker_died"), row
    assert _rows(given[::-1], tmp_path / "out", tmp_path / "cache") == rows
