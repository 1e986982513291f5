"""A bounded part of `python -m benchmarks.faults`, which injects every fault at every commit point: docs/faults.md has its table."""

from __future__ import annotations

from pathlib import Path

from benchmarks.faults import Bench, commit_points, inject_at_commit, source_changed


def test_a_run_killed_at_a_commit_is_finished_by_the_same_command(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"massa.mp4": "MASSA 250 g"})
    points = commit_points(bench)
    assert points > 8
    for number in (4, points - 3):  # a stage's entry, the bundle
        inject_at_commit(bench, "kill", number)


def test_a_full_disk_at_a_commit_is_said_and_the_same_command_recovers(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"massa.mp4": "MASSA 250 g"})
    assert inject_at_commit(bench, "full", 7) == "status 3"


def test_a_source_replaced_while_it_is_read_is_refused_and_nothing_is_stored_under_its_hash(tmp_path: Path) -> None:
    source_changed(other=True)(Bench(tmp_path, {"massa.mp4": "MASSA 250 g", "forno.mp4": "FORNO 180"}))
