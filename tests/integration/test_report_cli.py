"""Real runs of the command line on small real videos: what is delivered, what is said, and that a second run does nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_process import command, draw_video, read_batch, run_cli

from stages.store import read_evidence

_HOLD = """
import sys, time
from pathlib import Path
from stages.run_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


class _Run:
    """One folder that was reported on: what was given, the cache, and the process that ended."""

    def __init__(self, root: Path) -> None:
        self.videos, self.out, self.cache = root / "vídeos", root / "out", root / "cache"
        (self.videos / "aulas").mkdir(parents=True)
        draw_video(self.videos / "oven.mp4", "OVEN 180")
        draw_video(self.videos / "aulas" / "oven.mp4", "MIX 250 g")
        (self.videos / "not a\x1b[31m video.mp4").write_text("hello")
        (self.videos / "notes.txt").write_text("x")
        self.brief = root / "brief.toml"
        self.brief.write_text('recipient = "Ana"\n[[video]]\nfile = "absent.mp4"\n')
        self.done = self.again()

    def again(self, *more: str) -> subprocess.CompletedProcess[str]:
        return run_cli("report", self.videos, "--out", self.out, "--cache", self.cache, "--brief", self.brief, "--model", "none", *more)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> _Run:
    return _Run(tmp_path_factory.mktemp("report"))


def test_every_readable_video_is_delivered_and_every_other_file_accounted_for(run: _Run) -> None:
    assert run.done.returncode == 3, run.done.stderr
    said = read_batch(run.out)
    rows = {row["source"]: row for row in said["videos"]}
    assert {name: row["status"] for name, row in rows.items()} == {
        "aulas/oven.mp4": "delivered",
        "not a\\x1b[31m video.mp4": "failed",
        "oven.mp4": "delivered",
    }
    failed = rows["not a\\x1b[31m video.mp4"]
    assert failed["stage"] == "ingest"
    assert "video.mp4" in failed["message"]
    assert failed["hint"]
    assert len(failed["sha256"]) == 64
    assert said["ignored"] == [{"source": "notes.txt", "status": "ignored"}]
    assert rows["oven.mp4"]["slug"] != rows["aulas/oven.mp4"]["slug"]
    for name in ("oven.mp4", "aulas/oven.mp4"):
        assert rows[name]["claims"] == {"tela": 1}
        assert rows[name]["links_verified"] == rows[name]["links"] == 1
    assert (run.out / "index.html").exists()


def test_each_bundle_is_of_its_own_video_and_verifies(run: _Run) -> None:
    folders = {row["source"]: run.out / row["bundle"] for row in read_batch(run.out)["videos"] if row["status"] == "delivered"}
    texts = {name: json.loads((folder / "claims.json").read_text())["claims"][0]["text"] for name, folder in folders.items()}
    assert "180" in texts["oven.mp4"]
    assert "250" in texts["aulas/oven.mp4"]
    done = run_cli("verify", *folders.values(), "--json")
    assert done.returncode == 0, done.stderr
    assert [bundle["good"] for bundle in json.loads(done.stdout)["bundles"]] == [True, True]


def test_people_get_a_line_for_each_video_and_nothing_else(run: _Run) -> None:
    lines = run.done.stderr.splitlines()
    assert run.done.stdout == ""
    assert len(lines) == 7, lines
    assert lines[0] == "3 videos"
    assert "absent.mp4" in lines[1]
    assert [sum(line.startswith(name) for line in lines) for name in ("oven.mp4: ", "aulas/oven.mp4: ", "not a\\x1b[31m video.mp4: ")] == [
        1,
        1,
        1,
    ]
    assert "\x1b" not in run.done.stderr


def test_an_unchanged_second_run_does_nothing_and_says_so(run: _Run) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.out.rglob("*") if path.is_file() and path.parent != run.out}
    done = run.again("--json")
    said = json.loads(done.stdout)
    assert said["schema"] == "frame-oracle/report/1"
    assert said["counts"] == {"delivered": 0, "unchanged": 2, "partial": 0, "failed": 1, "ignored": 1}
    for row in said["videos"]:
        assert set(row["work"].values()) <= {"reused"}
    assert done.stderr.count("unchanged: nothing was decoded, read, heard or asked") == 2
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_brief_that_changes_changes_the_report_and_decodes_nothing(run: _Run) -> None:
    brief = run.brief.read_text()
    try:
        run.brief.write_text('recipient = "Bia"\n')
        rows = json.loads(run.again("--json").stdout)["videos"]
    finally:
        run.brief.write_text(brief)
    made = [row["work"] for row in rows if row["status"] == "delivered"]
    assert made == [{"ingest": "reused", "screen": "reused", "deliver": "made"}] * 2


def test_a_second_run_on_the_folder_exits_11_and_names_the_first(run: _Run) -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(run.out)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        done = run.again("--json")
        holder.kill()
    assert done.returncode == 11
    assert f"pid {holder.pid}" in done.stderr
    assert json.loads(done.stdout)["error"]["exit_code"] == 11


def test_dry_run_names_everything_and_writes_nothing(run: _Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run_cli("report", run.videos, "--out", out, "--dry-run", "--json", "--cache", tmp_path / "cache")
    said = json.loads(done.stdout)
    assert done.returncode == 3
    assert said["schema"] == "frame-oracle/plan/1"
    assert [(row["source"], bool(row["refused"])) for row in said["videos"]] == [
        ("aulas/oven.mp4", False),
        ("not a\\x1b[31m video.mp4", True),
        ("oven.mp4", False),
    ]
    assert said["ignored"] == ["notes.txt"]
    assert not any(tmp_path.iterdir())


def test_an_output_inside_the_input_is_refused(run: _Run) -> None:
    done = run_cli("report", run.videos, "--out", run.videos / "reports")
    assert done.returncode == 1
    assert "inside the input" in done.stderr


def test_nothing_usable(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").touch()
    (tmp_path / "a.mp4").touch()
    assert run_cli("report", tmp_path / "notes", "--out", tmp_path / "out").returncode == 2
    assert not (tmp_path / "out").exists()
    done = run_cli("report", tmp_path / "a.mp4", tmp_path / "absent.mp4", "--out", tmp_path / "out", "--cache", tmp_path / "cache")
    assert done.returncode == 2
    assert [row["status"] for row in read_batch(tmp_path / "out")["videos"]] == ["failed", "failed"]


def test_names_that_shells_terminals_and_encodings_trip_over(tmp_path: Path) -> None:
    names = [b"-rf.mp4", b"concat:a|b.mp4", b"new\nline.mp4", "🎬 it's; $(touch x) `id`.mp4".encode(), b"bytes \xff.mp4", b" "]
    folder = tmp_path / "in"
    folder.mkdir()
    for name in names:
        (folder / os.fsdecode(name)).write_text("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n")
    done = run_cli("report", folder, "--out", tmp_path / "out", "--cache", tmp_path / "cache", "--json", LC_ALL="C")
    assert done.returncode == 2, done.stderr
    rows = json.loads(done.stdout)["videos"]
    assert sorted(row["source"] for row in rows) == sorted(
        ["-rf.mp4", "concat:a|b.mp4", "new\\nline.mp4", "🎬 it's; $(touch x) `id`.mp4", "bytes \\udcff.mp4", " "]
    )
    assert {row["code"] for row in rows} == {"playlist"}
    assert len(done.stderr.splitlines()) == len(names) + 3
    assert len(read_batch(tmp_path / "out")["videos"]) == len(names)


def test_doctor_names_what_is_missing_and_its_remedy(tmp_path: Path) -> None:
    done = run_cli("doctor", "--json", FRAME_ORACLE_MODELS=str(tmp_path), PATH="/nonexistent")
    assert done.returncode == 5
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    for name, fix in (("ffmpeg", "apt install ffmpeg"), ("fonts", "fonts-"), ("speech model", "frame-oracle models get whisper-base")):
        assert checks[name]["health"] == "missing"
        assert fix in checks[name]["fix"]
    assert checks["language model qwen2.5-coder-1.5b-instruct-q4_k_m"]["health"] == "optional"


@pytest.mark.skipif(not Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf").exists(), reason="fonts-dejavu-core is not installed")
def test_doctor_names_the_scripts_that_no_font_covers(tmp_path: Path) -> None:
    few = tmp_path / "fonts.conf"
    few.write_text(f"<fontconfig><dir>/usr/share/fonts/truetype/dejavu</dir><cachedir>{tmp_path / 'fonts'}</cachedir></fontconfig>")
    done = run_cli("doctor", "--json", FRAME_ORACLE_MODELS=str(tmp_path), FONTCONFIG_FILE=str(few))
    glyphs = next(check for check in json.loads(done.stdout)["checks"] if check["name"] == "glyphs")
    assert glyphs["health"] == "optional" and {"Chinese", "Japanese", "Korean"} <= set(re.findall(r"\w+", glyphs["detail"]))
    assert "Cyrillic" not in glyphs["detail"] and "marks" not in glyphs["detail"]
    assert "fonts-noto-cjk" in glyphs["fix"] and "fonts-dejavu-core" not in glyphs["fix"]


def test_a_missing_model_stops_the_run_and_says_how_to_get_it(run: _Run, tmp_path: Path) -> None:
    sounding = tmp_path / "sound.mp4"
    tone = ["-f", "lavfi", "-i", "color=white:s=64x64:d=1:r=5", "-f", "lavfi", "-i", "sine=d=1", "-pix_fmt", "yuv420p", "-shortest"]
    subprocess.run(["ffmpeg", "-v", "error", *tone, str(sounding)], check=True, timeout=60)
    where = {"FRAME_ORACLE_MODELS": str(tmp_path / "models")}
    done = run_cli("report", sounding, "--out", tmp_path / "out", "--cache", tmp_path / "cache", "--model", "none", **where)
    assert done.returncode == 5
    assert "frame-oracle models get whisper-base" in done.stderr


def test_evidence_is_written_and_read_back(run: _Run, tmp_path: Path) -> None:
    target = tmp_path / "e.parquet"
    done = run_cli("evidence", run.videos / "oven.mp4", "--out", target, "--cache", run.cache, "--json", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["video"]["work"] == {"ingest": "reused", "screen": "reused"}
    assert "180" in " ".join(item.text for item in read_evidence(target))
    claims = tmp_path / "claims.json"
    claims.write_text(json.dumps([{"base": "tela", "text": "OVEN 180", "evidence": [read_evidence(target).items[0].id]}]))
    assert run_cli("check", claims, "--evidence", target).returncode == 0
    assert run_cli("check", claims, "--evidence", target, "--video", run.videos / "oven.mp4", "--cache", run.cache).returncode == 0


def test_ctrl_c_ends_clean_and_the_next_run_goes_on(run: _Run, tmp_path: Path) -> None:
    long = draw_video(tmp_path / "long.mp4", "WAIT", seconds=20)
    arguments = ("report", long, "--out", tmp_path / "out", "--cache", tmp_path / "cache", "--model", "none")
    with subprocess.Popen(command(*arguments, "-v"), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if ": screen" in line:
                break
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert time.monotonic() - started < 10
    assert "Traceback" not in rest
    assert "Interrupted." in rest
    assert not list((tmp_path / "out").glob("long*"))
    assert run_cli(*arguments).returncode == 0
