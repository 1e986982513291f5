"""What docs/security.md guarantees, shown: hostile files leave no trace beyond their row, the network may be off, no secret gets out."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cli_process import command, draw_video, read_batch, run_cli

from stages.errors import InputRejected, StageFailed
from stages.limits import require_within
from stages.paper import laid_out
from stages.probe import Packets, Picture, Probe

_SECRET = "sk-canary-5f0c1d"


class _Listener:
    """A port of the loopback that remembers whether anybody called."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.called = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        self.socket.accept()
        self.called = True


def test_a_playlist_disguised_as_a_video_reaches_no_file_and_no_port(tmp_path: Path) -> None:
    canary, listener = tmp_path / "canary.txt", _Listener()
    canary.write_text("CANARY-7281")
    os.utime(canary, (1, 1))
    folder = tmp_path / "in"
    folder.mkdir()
    targets = (canary, f"http://127.0.0.1:{listener.port}/x.ts")
    entries = "".join(f"#EXTINF:1,\n{target}\n" for target in targets)
    (folder / "hls.mp4").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n{entries}#EXT-X-ENDLIST\n")
    (folder / "concat.mp4").write_text("ffconcat version 1.0\n" + "".join(f"file '{target}'\n" for target in targets))
    done = run_cli("report", folder, "--out", tmp_path / "out", "--cache", tmp_path / "cache", "--model", "none")
    assert done.returncode == 2
    assert [row["code"] for row in read_batch(tmp_path / "out")["videos"]] == ["playlist", "playlist"]
    assert not listener.called
    assert canary.stat().st_atime == 1
    for path in (*(tmp_path / "out").rglob("*"), *(tmp_path / "cache").rglob("*")):
        assert not path.is_file() or b"CANARY-7281" not in path.read_bytes()


def test_a_whole_run_needs_no_network(tmp_path: Path) -> None:
    offline = ["unshare", "-rn"]
    if subprocess.run([*offline, "true"], capture_output=True).returncode:
        pytest.skip("this machine does not let a process leave the network (unshare -rn)")
    video = draw_video(tmp_path / "oven.mp4", "OVEN 180")
    run = command("report", video, "--out", tmp_path / "out", "--cache", tmp_path / "cache", "--model", "none")
    done = subprocess.run([*offline, *run], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    (bundle,) = (path.parent for path in (tmp_path / "out").glob("*/report.html"))
    done = subprocess.run([*offline, *command("verify", bundle)], capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr


_READS_FOR_20_S = """
import time
from pathlib import Path
import numpy as np
from PIL import Image, ImageDraw, ImageFont
from stages.engines.screen_reader import open_reader
from stages.settings import Settings
page = Image.new("RGB", (640, 200), "white")
ImageDraw.Draw(page).text((20, 60), "OVEN 180", fill="black", font=ImageFont.load_default(40))
reader, end = open_reader(Settings(out=Path("/"), ocr="rapidocr")), time.monotonic() + 20
while time.monotonic() < end:
    reader.read(np.asarray(page))
"""


def test_reading_calls_nobody(tmp_path: Path) -> None:
    """onnxruntime sends what it does to its maker after some ten seconds of it; it holds still where it sees a CI, so it is shown none."""
    log = tmp_path / "calls.txt"
    traced = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmmsg", "-e", "signal=none", "-o", str(log)]
    if not shutil.which("strace") or subprocess.run([*traced, "true"], capture_output=True).returncode:
        pytest.skip("strace is not installed, or may not trace here")
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    done = subprocess.run([*traced, sys.executable, "-c", _READS_FOR_20_S], env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert [line for line in log.read_text().splitlines() if "AF_INET" in line] == []


def test_a_key_in_the_environment_is_written_nowhere(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    brief, config = tmp_path / "brief.toml", tmp_path / "frame-oracle.toml"
    brief.write_text('questions = ["What is the oven at?"]\n')
    config.write_text(
        f'[[provider]]\nname = "g"\nkind = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:{port}/v1"\napi_key_env = "ORACLE_KEY"\n'
    )
    video = draw_video(tmp_path / "oven.mp4", "OVEN 180")
    places = ("--out", tmp_path / "out", "--cache", tmp_path / "cache")
    done = run_cli("report", video, *places, "--brief", brief, "--config", config, "-v", "--json", ORACLE_KEY=_SECRET)
    assert done.returncode == 6, done.stderr  # delivered, without the provider
    assert _SECRET not in done.stdout + done.stderr
    files = [path for folder in ("out", "cache") for path in (tmp_path / folder).rglob("*") if path.is_file()]
    assert any(path.suffix == ".log" for path in files)
    assert any(path.name == "run.json" for path in files)
    assert [path for path in files if _SECRET.encode() in path.read_bytes()] == []


def _probe(width: int = 640, seconds: float = 1.0, streams: int = 1) -> Probe:
    packets = Packets()
    packets.add(0.0, seconds, hidden=False)
    upright = (1 << 16, 0, 0, 1 << 16)
    fields = {"index": 0, "codec": "h264", "profile": "High", "pixels": "yuv420p", "width": width, "height": 9000, "aspect": 1}
    picture = Picture(**fields, matrix=upright, interlaced=False, transfer="bt709", packets=packets)  # type: ignore[arg-type]
    return Probe(container="mp4", picture=picture, sound=None, pictures=streams, sounds=0, recorded="", complaints=0)


@pytest.mark.parametrize("asks", [{"width": 9000}, {"seconds": 25 * 3600.0}, {"streams": 65}])
def test_a_file_that_asks_for_too_much_is_refused_by_its_header(asks: dict[str, int]) -> None:
    require_within("a.mp4", _probe())
    with pytest.raises(InputRejected, match=r"^a\.mp4: its .* at most"):
        require_within("a.mp4", _probe(**asks))


def test_programs_that_read_media_run_bounded(tmp_path: Path) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\nsleep 0.5\nulimit -v >&2; ulimit -c >&2\n")
    program.chmod(0o755)
    probe = "from stages.media_tool import run; print(run('ffmpeg', [], lambda line: True).said)"
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == f"('{(12 << 30) // 1024}', '0')"


def test_a_layout_that_fails_costs_its_report_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert laid_out("<p>good", "ab" * 16).pdf.startswith(b"%PDF-")
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")
    with pytest.raises(StageFailed, match="could not be laid out"):
        laid_out("<p>good", "ab" * 16)
