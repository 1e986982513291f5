"""Event lines for programs: each is whole, and a target that takes no more of them costs no video."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from flows.terminal import telling
from stages.events import Advanced, Event, Planned

_EVENTS = (Planned({"a": "\udcff 🎬\n.mp4"}), Advanced("a", "screen", 0.5))


def test_each_event_is_a_line_after_those_of_earlier_runs(tmp_path: Path) -> None:
    target = tmp_path / "events"
    target.write_text("{}\n")
    with telling(target, lambda event: None) as tell:
        for event in _EVENTS:
            tell(event)
            assert target.read_bytes().endswith(b"\n")
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line.get("event") for line in lines] == [None, "planned", "advanced"]
    assert lines[1]["videos"] == {"a": "\udcff 🎬\n.mp4"}


@pytest.mark.parametrize("target", ["/dev/full", "pipe"])
def test_a_target_that_takes_no_more_is_said_once_and_stops_nothing(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / target
    if target == "pipe":
        os.mkfifo(path)
        threading.Thread(target=lambda: path.open("rb").close()).start()
    seen: list[Event] = []
    with telling(path, seen.append) as tell:
        for event in _EVENTS * 1000:
            tell(event)
    assert len(seen) == 2000
    assert capsys.readouterr().err.count("takes no more events") == 1
