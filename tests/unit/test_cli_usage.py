"""The command line as a process: a wrong call is answered in one line with a stable status, and the help is the documented one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.errors import ExitCode

_ROOT = Path(__file__).resolve().parents[2]


def _run(*arguments: str | Path, cwd: Path = _ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", *map(str, arguments)]
    whole = {**os.environ, "PYTHONPATH": str(_ROOT), **environment}
    return subprocess.run(command, cwd=cwd, env=whole, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def help_text() -> str:
    return _run("report", "--help").stdout


_DOCUMENTED = """--out --brief --profile --mode --model --lang --speech-lang --audio-track --whisper-model --ocr --device --jobs --engine
    --dry-run --json --media --link-base --zip --single-file --single-file-budget
    --local-only --gap-log --events --cache --config --verbose""".split()


def test_the_help_of_report_has_every_documented_option_and_no_other(help_text: str) -> None:
    assert set(re.findall(r"--[a-z][a-z-]+", help_text)) == {*_DOCUMENTED, "--help"}


def test_the_help_has_the_documented_choices_and_every_exit_status(help_text: str) -> None:
    for choices in ("completo|breve|briefing", "auto|rapidocr|easyocr", "auto|cpu|cuda", "auto|prefect|direct", "copy|proxy|none"):
        assert f"[{choices}]" in help_text
    said = " ".join(help_text.split()).split("Exit status: ")[1]
    assert {int(status) for status in re.findall(r"(\d+) [a-z]", said)} == set(ExitCode)


def test_the_commands_are_the_documented_ones() -> None:
    listed = _run("--help").stdout.split("Commands:")[1].split("Exit status")[0]
    assert re.findall(r"^  ([a-z]+)", listed, re.MULTILINE) == [
        "bench", "cache", "check", "doctor", "evidence", "models", "report", "serve", "stamp", "submit",
        "verify", "watch",
    ]  # fmt: skip


def test_help_answers_at_once_and_loads_no_engine() -> None:
    probe = "import sys; sys.argv = ['frame-oracle', '--help']; from flows.cli import main; main(); print(*sys.modules, file=sys.stderr)"
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", probe], cwd=_ROOT, capture_output=True, text=True, timeout=30)
    assert time.monotonic() - started < 2  # 0.15 s on an idle machine
    loaded = set(done.stderr.split())
    assert "flows.cli" in loaded
    assert loaded.isdisjoint({"prefect", "pyarrow", "numpy", "pydantic", "rich", "av", "onnxruntime", "faster_whisper", "weasyprint"})


@pytest.mark.parametrize(
    "arguments",
    [
        ["report"],
        ["report", "x.mp4"],
        ["report", "x.mp4", "--out", "o", "--mode", "longo"],
        ["report", "x.mp4", "--out", "o", "--jobs", "0"],
        ["report", "x.mp4", "--out", "o", "--jobs", "many"],
        ["report", "x.mp4", "--out", "o", "--profile", "astrologia"],
        ["report", "x.mp4", "--out", "o", "--link-base", "ftp://x"],
        ["report", "x.mp4", "--out", "o", "--brief", "absent.toml"],
        ["report", "x.mp4", "--out", "o", "--config", "absent.toml"],
        ["report", "x.mp4", "--out", "o", "--frobnicate"],
        ["report", "x.mp4", "--out", "o", "--model", "gpt-9"],
        ["report", "x.mp4", "--out", "o", "--single-file", "--single-file-budget", "nan"],
        ["report", "x.mp4", "--out", "o", "--single-file", "--single-file-budget", "0"],
        ["watch", "absent", "--out", "o"],
        ["report", "x.mp4", "--out", "o", "--lang", "klingon"],
        ["report", "x.mp4", "--out", "o", "--speech-lang", "portuguese"],
        ["cache", "list", "--cache", "absent"],
        ["cache", "prune", "--older-than", "-1"],
        ["evidence", "x.mp4"],
        ["evidence", "x.mp4", "--out", "absent/e.parquet"],
        ["check", "absent.json", "--duration", "7"],
        ["verify"],
        ["verify", "absent"],
        ["verify", "."],
        ["models", "get", "gpt-9"],
        ["nothing"],
    ],
)
def test_usage_errors_are_one_line_and_status_1(tmp_path: Path, arguments: list[str]) -> None:
    done = _run(*arguments, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [[], ["cache"]])
def test_without_arguments_the_help_is_shown(arguments: list[str]) -> None:
    done = _run(*arguments)
    assert done.returncode == 1
    assert "Commands:" in (done.stdout + done.stderr).splitlines()


def test_with_json_an_error_is_one_object_on_stdout(tmp_path: Path) -> None:
    done = _run("report", "x.mp4", "--out", "o", "--brief", "absent.toml", "--json", cwd=tmp_path)
    said = json.loads(done.stdout)
    assert said["schema"] == "frame-oracle/error/1"
    assert said["error"]["exit_code"] == done.returncode == 1
    assert "absent.toml" in said["error"]["message"]


def test_a_hostile_name_cannot_steer_the_terminal(tmp_path: Path) -> None:
    done = _run("check", "\x1b[2J\x1b]0;owned\x07[bold]a\n.json", "--duration", "7", cwd=tmp_path)
    assert done.returncode == 1
    assert "\x1b" not in done.stderr
    assert "\\x1b[2J" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_check_judges_a_file_and_its_status_says_so(tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(
        json.dumps([{"base": "inferido", "text": "Sirva com arroz branco", "instant_s": 93}, {"base": "nao_consta", "text": "?"}])
    )
    done = _run("check", claims, "--duration", "7", "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 3
    assert said["schema"] == "frame-oracle/check/1"
    assert [result["rule"] for result in said["results"]] == ["instant_forbidden", None]
    claims.write_text('[{"base": "nao_consta", "text": "?"}]')
    assert _run("check", claims, "--duration", "7").returncode == 0
    for wrong in (["--duration", "nan"], ["--duration", "-1"], [], ["--duration", "7", "--video", "x.mp4"]):
        assert _run("check", claims, *wrong).returncode == 1


def test_a_reader_that_leaves_changes_nothing(tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps([{"base": "inferido", "text": "a", "instant_s": 1}] * 3000))
    command = f"{sys.executable} -m flows.cli check {claims} --duration 7 --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=_ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == '{\n "schema'
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
