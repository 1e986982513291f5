"""Nobody watches: folders that fill up, schedules, a cache that is looked after, and what a video costs here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml
from cli_process import command, draw_video, read_batch, run_cli

_ROOT = Path(__file__).resolve().parents[2]


def test_watch_waits_until_a_file_is_whole_and_passes_over_links_and_pipes(tmp_path: Path) -> None:
    video = draw_video(tmp_path / "oven.mp4", "OVEN 180")
    folder, whole = tmp_path / "in", video.read_bytes()
    folder.mkdir()
    (folder / "link.mp4").symlink_to(video)
    os.mkfifo(folder / "pipe.mp4")
    target = folder / "oven.mp4"
    target.write_bytes(whole[:100])

    def fill() -> None:
        for end in range(100, len(whole), 1 + len(whole) // 10):
            target.write_bytes(whole[:end])
            time.sleep(0.2)
        target.write_bytes(whole)

    writer = threading.Thread(target=fill)
    writer.start()
    places = ("--out", tmp_path / "out", "--cache", tmp_path / "cache", "--model", "none")
    done = run_cli("watch", folder, *places, "--settle", "1", "--every", "0.1", "--once", "--events", tmp_path / "events")
    writer.join()
    assert done.returncode == 0, done.stderr
    assert {row["source"]: row["status"] for row in read_batch(tmp_path / "out")["videos"]} == {"oven.mp4": "delivered"}
    assert [line for line in done.stderr.splitlines() if "passed over" in line] == [
        "link.mp4: passed over: a link or no plain file",
        "pipe.mp4: passed over: a link or no plain file",
    ]
    assert {row["source"] for row in read_batch(tmp_path / "out")["ignored"]} == {"link.mp4", "pipe.mp4"}
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    assert [event["event"] for event in events if event["event"] != "advanced"] == ["planned", "finished"]
    assert {event["stage"] for event in events if event["event"] == "advanced"} >= {"ingest", "screen", "deliver"}
    assert events[-1]["video"]["status"] == "delivered"
    again = run_cli("report", target, *places, "--dry-run", "--json")
    assert {stage["stage"]: stage["runs"] for stage in json.loads(again.stdout)["videos"][0]["stages"]} == dict.fromkeys(
        ("ingest", "screen", "speech", "ask", "deliver"), False
    )


@pytest.mark.parametrize("given", ["out inside in", "open brief", "open folder above the brief", "link to the folder"])
def test_watch_refuses_what_others_could_turn_against_it(tmp_path: Path, given: str) -> None:
    folder, brief = tmp_path / "in", tmp_path / "brief.toml"
    folder.mkdir()
    brief.write_text('recipient = "Ana"\n')
    (tmp_path / "link").symlink_to(folder)
    if given == "open brief":
        brief.chmod(0o666)
    if given == "open folder above the brief":
        brief = tmp_path / "open" / "inner" / "brief.toml"
        brief.parent.mkdir(parents=True)
        brief.write_text("")
        (tmp_path / "open").chmod(0o777)
    out = folder / "out" if given == "out inside in" else tmp_path / "out"
    watched = tmp_path / "link" if given == "link to the folder" else folder
    done = run_cli("watch", watched, "--out", out, "--brief", brief, "--once")
    assert done.returncode == 1
    assert {
        "out inside in": "inside the input",
        "open brief": "chmod o-w",
        "open folder above the brief": "chmod o-w",
        "link to the folder": "not a link",
    }[given] in done.stderr
    assert not out.exists()


def test_a_watch_ends_with_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with subprocess.Popen(command("watch", tmp_path / "in", "--out", tmp_path / "out"), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("watching ")
        process.send_signal(2)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert rest.lstrip() == "Interrupted. Run the same command again: what was finished is kept.\n"


def test_bench_says_what_each_stage_costs_and_leaves_nothing(tmp_path: Path) -> None:
    done = run_cli("bench", draw_video(tmp_path / "oven.mp4", "OVEN 180"), "--cache", tmp_path / "cache", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    costs = {stage["stage"]: stage["cpu_s"] for stage in said["stages"]}
    assert set(costs) == {"ingest", "screen", "speech", "ask", "validate", "deliver"}
    assert said["duration_ms"] == 1000
    assert costs["screen"] > 0
    assert not list((tmp_path / "cache" / "scratch" / "bench").iterdir())


def test_the_cache_is_listed_and_pruned_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "screen" / "ab" / ".partial-x").mkdir(parents=True)
    (tmp_path / "screen" / "ab" / ".partial-x" / "half").write_bytes(b"x" * 20_000)
    assert "left by dead runs: 1 scratch, 0.02 MB" in run_cli("cache", "list", "--cache", tmp_path).stderr
    done = run_cli("cache", "prune", "--cache", tmp_path, "--max-size", "1.5 GB", "--json")
    assert json.loads(done.stdout)["bytes"] == 20_000
    assert run_cli("cache", "prune", "--cache", tmp_path, "--max-size", "much").returncode == 1


def test_serving_needs_an_api(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    done = run_cli("serve", tmp_path / "in", "--out", tmp_path / "out", PREFECT_HOME=str(tmp_path))
    assert done.returncode == 5
    assert "prefect server start" in done.stderr


@pytest.mark.parametrize("api", ["http://127.0.0.1:9/api", "not an address"])
def test_an_api_that_does_not_answer_is_no_defect_of_the_program(tmp_path: Path, api: str) -> None:
    done = run_cli("submit", tmp_path, "--out", tmp_path / "out", PREFECT_API_URL=api, PREFECT_HOME=str(tmp_path))
    assert done.returncode == 5
    assert "does not answer" in done.stderr


def test_every_deployment_names_the_flow_and_parameters_that_it_has() -> None:
    deployments = yaml.safe_load((_ROOT / "prefect.yaml").read_text())["deployments"]
    probe = (
        "import json, flows.batch, flows.remote; from inspect import signature; "
        "print(json.dumps({f'flows.{m}.{f}': list(signature(getattr(getattr(flows, m), f).fn).parameters)"
        " for m, f in (('batch', 'report'), ('remote', 'report_shared'))}))"
    )
    said = subprocess.run([sys.executable, "-c", probe], cwd=_ROOT, capture_output=True, text=True, timeout=120, check=True)
    parameters = json.loads(said.stdout)
    assert {"folder", "out", "brief", "profile", "mode"} <= set(parameters["flows.batch.report"])
    for deployment in deployments:
        assert set(deployment["parameters"]) <= set(parameters[deployment["entrypoint"]])
    assert any(deployment.get("schedules") for deployment in deployments)
