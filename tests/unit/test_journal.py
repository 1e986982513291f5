"""What a run tells: which stage failed, and whether anything was done."""

from __future__ import annotations

import pytest

from stages.events import Advanced, Event
from stages.journal import Journal


def test_the_stage_that_failed_is_the_one_that_never_finished() -> None:
    journal = Journal("a")
    journal.step("ingest", lambda tick: None)
    with pytest.raises(ZeroDivisionError):
        journal.step("screen", lambda tick: 1 // 0)
    assert journal.unfinished == ["screen"]


def test_progress_is_told_in_steps_that_people_see() -> None:
    events: list[Event] = []

    def stage(tick: object) -> int:
        assert callable(tick)
        for frame in range(100_000):
            tick(frame / 100_000)
        return 7

    assert Journal("a", events.append).step("screen", stage) == 7
    assert len(events) <= 102
    assert events[0] == Advanced("a", "screen", 0.0)
    assert events[-1] == Advanced("a", "screen", 1.0)


def test_a_stage_with_two_results_is_reused_only_when_both_are() -> None:
    journal = Journal("a")
    for stage, reused in (("ingest", True), ("speech", True), ("speech", False), ("screen", False), ("screen", True)):
        journal.notice(stage, reused)
    assert journal.work == {"ingest": "reused", "speech": "made", "screen": "made"}
