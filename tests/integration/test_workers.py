"""Worker processes: one video's death is that video's row, and nothing outlives the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from flows.workers import Crew, run_each
from stages.batch_record import Status, VideoOrder, VideoRow, failed_row
from stages.brief import VideoBrief
from stages.errors import MissingModel
from stages.events import Advanced, Event, Finished, Watch, unwatched
from stages.settings import Settings


def _orders(*names: str) -> list[VideoOrder]:
    return [VideoOrder(Path(name), name, name, VideoBrief(), Settings(Path("/out"))) for name in names]


def deliver(order: VideoOrder, watch: Watch) -> VideoRow:
    """A worker that does its work, and prints."""
    print("noise on stdout")
    os.write(2, b"noise of a library\n")
    watch(Advanced(order.slug, "screen", 0.5))
    return VideoRow(order.name, order.slug, Status.DELIVERED, language=str(os.getpid()))


def die_of_b(order: VideoOrder, watch: Watch) -> VideoRow:
    """A worker that the kernel ends at the video b."""
    watch(Advanced(order.slug, "screen", 0.0))
    if order.name == "b":
        os.kill(os.getpid(), signal.SIGKILL)
    return deliver(order, watch)


def lack_a_model(order: VideoOrder, watch: Watch) -> VideoRow:
    """A worker that lacks what every video needs."""
    return failed_row(order, "speech", MissingModel("whisper-base is not here.", hint="Get it."))


def hang(mark: Path, order: VideoOrder, watch: Watch) -> VideoRow:
    """A worker that never ends; it writes its process id first."""
    mark.write_text(str(os.getpid()))
    time.sleep(120)
    raise AssertionError


def _await(mark: Path) -> None:
    deadline = time.monotonic() + 20
    while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)


def _gone(pid: int, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_one_worker_serves_many_videos_and_its_noise_goes_to_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    events: list[Event] = []
    rows = run_each(deliver, _orders("a", "b", "c"), 1, events.append, Crew(tmp_path / "log"))
    assert [row.source for row in rows] == ["a", "b", "c"]
    assert len({row.language for row in rows}) == 1
    assert [event.row for event in events if isinstance(event, Finished)] == rows
    assert Advanced("b", "screen", 0.5) in events
    assert capfd.readouterr() == ("", "")
    assert (tmp_path / "log").read_text().count("noise of a library") == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_video_that_kills_its_worker_fails_alone(tmp_path: Path, jobs: int) -> None:
    rows = {row.source: row for row in run_each(die_of_b, _orders("a", "b", "c"), jobs, unwatched, Crew(tmp_path / "log"))}
    assert rows["a"].status is rows["c"].status is Status.DELIVERED
    assert (rows["b"].stage, rows["b"].code) == ("screen", "worker_died")
    assert "SIGKILL" in rows["b"].message


def test_what_every_video_would_lack_stops_the_run_and_no_row_is_lost(tmp_path: Path) -> None:
    events: list[Event] = []
    rows = run_each(lack_a_model, _orders("a", "b", "c"), 1, events.append, Crew(tmp_path / "log"))
    assert [(row.source, row.code) for row in rows] == [(name, "MissingModel") for name in ("a", "b", "c")]
    assert [event.row for event in events if isinstance(event, Finished)] == rows


def test_an_interrupted_run_leaves_no_worker(tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    def interrupt_when_busy() -> None:
        _await(mark)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt_when_busy, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_each(partial(hang, mark), _orders("a"), 1, unwatched, Crew(tmp_path / "log"))
    assert _gone(int(mark.read_text()), 1)


_PARENT = """
import sys
from functools import partial
from pathlib import Path
sys.path.insert(0, {folder!r})
import test_workers as here
if __name__ == "__main__":
    here.run_each(partial(here.hang, Path({mark!r})), here._orders("a"), 1, here.unwatched, here.Crew(Path({log!r})))
"""


def test_a_killed_run_takes_its_workers_with_it(tmp_path: Path) -> None:
    mark, script = tmp_path / "pid", tmp_path / "parent.py"
    script.write_text(_PARENT.format(folder=str(Path(__file__).parent), mark=str(mark), log=str(tmp_path / "log")))
    parent = subprocess.Popen([sys.executable, str(script)])
    _await(mark)
    parent.kill()
    parent.wait()
    assert _gone(int(mark.read_text()), 5)
