"""A real run through a real Prefect server that it starts and stops: what Prefect shows, what people see, what is left behind."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from cli_process import command, draw_video, read_batch, run_cli

from benchmarks.faults import without_prefect, workers_below

_HOLD = """
import sys, time
from pathlib import Path
from flows.prefect_server import running_server
with running_server(Path(sys.argv[1])) as environment:
    print(environment["PREFECT_API_URL"], flush=True)
    time.sleep(120)
"""

_LIMITED = """
import os, sys, threading, time
from pathlib import Path
from flows.prefect_server import running_server
with running_server(Path(sys.argv[1])) as environment:
    os.environ |= environment
    from prefect.client.orchestration import get_client
    from prefect.concurrency.sync import concurrency
    from flows.batch import as_task
    done = []
    with get_client(sync_client=True) as client:
        client.upsert_global_concurrency_limit_by_name("frame-oracle-gpu", 1)
    with concurrency("frame-oracle-gpu"):
        waiting = threading.Thread(target=as_task, args=("screen", lambda: done.append("screen")))
        waiting.start()
        as_task("ask", lambda: done.append("ask"))
        time.sleep(1)
        done.append("room")
    waiting.join()
    print(*done)
"""

_SUBMITTED = """
import os, shutil, sys, threading, time
from pathlib import Path
from flows.prefect_server import running_server
root = Path(sys.argv[1])
source, out = root / "in", root / "out"

def work():  # in a worker's place: whatever is submitted leaves a bundle and ends well
    with get_client(sync_client=True) as client:
        while True:
            for run in client.read_flow_runs():
                if not run.state.is_final():
                    (out / run.parameters["slug"]).mkdir(parents=True, exist_ok=True)
                    (out / run.parameters["slug"] / "manifest-sha256.txt").touch()
                    client.set_flow_run_state(run.id, Completed(message="delivered"), force=True)
                    worked.append(run.parameters["slug"])
            time.sleep(0.2)

def told(line):
    if "no worker has taken a run yet" in line:
        print("no worker")
        threading.Thread(target=work, daemon=True).start()

def again(profile="generic"):
    worked.clear()
    submit(str(source), str(out), "report-shared/shared", {"profile": profile}, tell=told)
    print(*sorted(worked), sep="+")

with running_server(root / "prefect") as environment:
    os.environ |= environment
    from prefect.client.orchestration import get_client
    from prefect.states import Completed
    from prefect.types.entrypoint import EntrypointType
    from flows import remote
    from flows.remote import report_shared, submit
    from stages.errors import FrameOracleError
    report_shared.to_deployment("shared", entrypoint_type=EntrypointType.MODULE_PATH).apply()
    worked = []
    remote._WORKER_WITHIN_S = 3.0
    again()
    again()
    (source / "a.mp4").write_bytes(b"another film")
    again()
    shutil.rmtree(out / "b")
    again()
    again(profile="aula")
    try:
        submit(str(source), str(out), "report-shared/none", {})
    except FrameOracleError as error:
        print(error)
"""


def _servers(home: Path) -> list[int]:
    """Process ids of the servers whose folder is below `home`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"flows.prefect_server" in (folder / "cmdline").read_bytes() and str(home).encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_a_run_is_a_flow_with_a_subflow_for_each_video_and_a_task_for_each_stage(tmp_path: Path) -> None:
    videos, out, cache = tmp_path / "My {videos}", tmp_path / "out", tmp_path / "cache"
    videos.mkdir()
    draw_video(videos / "oven.mp4", "OVEN 180")
    (videos / "a|b_{x}.mp4").write_text("not a video")
    done = run_cli("report", videos, "--out", out, "--cache", cache, "--model", "none", "--engine", "prefect")

    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "starting a Prefect server", "2 videos", "a|b_{x}.mp4", "oven.mp4", "1 delivered, 1 failed", "details",
    ]  # fmt: skip
    assert {row["source"]: row["status"] for row in read_batch(out)["videos"]} == {"oven.mp4": "delivered", "a|b_{x}.mp4": "failed"}
    assert "InputRejected" in next((cache / "logs").glob("*.log")).read_text()
    assert not _servers(cache)
    assert (cache / "prefect" / "0" / "server.log").read_text() == ""

    with closing(sqlite3.connect(f"file:{cache}/prefect/0/prefect.db?mode=ro", uri=True)) as history:
        runs = history.execute("select name, state_type, parent_task_run_id is not null from flow_run").fetchall()
        stages = history.execute("select name, state_type from task_run where name not like 'report-video%'").fetchall()
        ((table,),) = history.execute("select data from artifact where key = 'videos'").fetchall()
    assert sorted(runs) == [("My {videos}", "FAILED", 0), ("a|b_{x}.mp4", "FAILED", 1), ("oven.mp4", "COMPLETED", 1)]
    done_stages = [name for name, state in stages if state == "COMPLETED"]
    assert sorted(done_stages) == ["ask", "deliver", "ingest", "screen", "speech", "validate"]
    assert ("ingest", "FAILED") in stages
    assert r"a\|b\_\{x\}\.mp4" in json.loads(table)


def test_a_worker_that_is_killed_leaves_no_flow_that_looks_as_if_it_still_ran(tmp_path: Path) -> None:
    videos, out, cache = tmp_path / "videos", tmp_path / "out", tmp_path / "cache"
    videos.mkdir()
    for name in ("massa.mp4", "oven.mp4"):
        draw_video(videos / name, name)
    options = ("--out", out, "--cache", cache, "--model", "none", "--engine", "prefect", "-v")
    with subprocess.Popen(command("report", videos, *options), env=without_prefect(), stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        next(line for line in run.stderr if "massa.mp4: screen" in line)
        (worker,) = workers_below(run.pid)
        worker.kill()
        said = run.stderr.read()
    assert run.returncode == 3, said
    assert {row["source"]: row.get("code", row["status"]) for row in read_batch(out)["videos"]} == {
        "massa.mp4": "worker_died", "oven.mp4": "delivered",
    }  # fmt: skip
    with closing(sqlite3.connect(f"file:{cache}/prefect/0/prefect.db?mode=ro", uri=True)) as history:
        states = dict(history.execute("select name, state_type from flow_run").fetchall())
    assert states == {"videos": "FAILED", "massa.mp4": "CRASHED", "oven.mp4": "COMPLETED"}


def test_the_server_of_a_killed_run_ends_too(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        address = holder.stdout.readline()
        assert address.startswith("http://127.0.0.1:")
        (server,) = _servers(tmp_path)
        holder.kill()
    deadline = time.monotonic() + 20
    while _servers(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    if _servers(tmp_path):
        os.kill(server, signal.SIGKILL)
        pytest.fail("the server outlived its run by 20 s")


def test_an_api_that_does_not_answer_is_said_at_once(tmp_path: Path) -> None:
    video = draw_video(tmp_path / "oven.mp4", "OVEN 180")
    done = run_cli("report", video, "--out", tmp_path / "out", PREFECT_API_URL="http://127.0.0.1:9/api")
    assert done.returncode == 5
    assert "http://127.0.0.1:9/api does not answer" in done.stderr
    assert "--engine direct" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_stage_waits_for_the_limit_that_was_made_for_it_and_for_no_other(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _LIMITED, str(tmp_path)], capture_output=True, text=True, timeout=200, check=False)
    assert done.stdout == "ask room screen\n", done.stderr


def test_what_is_submitted_again_runs_where_something_changed_failed_or_is_gone(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.mp4").write_bytes(b"film")
    done = subprocess.run([sys.executable, "-c", _SUBMITTED, str(tmp_path)], capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    *worked, unknown = done.stdout.splitlines()
    assert worked == ["no worker", "a+b", "", "a", "b", "a+b"]
    assert unknown.startswith("--deployment: the server has no report-shared/none.")
