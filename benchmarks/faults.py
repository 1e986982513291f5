"""`python -m benchmarks.faults`: what a run survives. Each fault is injected into a real run, then the same command runs again.

Held means: after the fault no bundle that stands at its final name fails `verify`; the same command then gives the exit status and, byte
for byte, the bundles of a run that nothing disturbed. `batch.json`, `index.html` and `gaps.json` tell of the run itself and are compared
by what they say of each video. Prints the table of docs/faults.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.misbehaving import good, serving
from stages.deliver import verify_bundle
from stages.store import file_sha256

__all__ = ["FAULTS", "Bench", "commit_points", "inject_at_commit", "source_changed", "without_prefect", "workers_below"]

_HOOKS: Final = Path(__file__).parent / "fault_hooks"
_ROOT: Final = Path(__file__).parent.parent
_FONT: Final = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
_HOLD: Final = """
import sys, time
from pathlib import Path
from stages.run_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(99)
"""
_TEXTS: Final = {"forno.mp4": "FORNO 180", "massa.mp4": "MASSA 250 g"}
_OF_THE_RUN: Final = ("work", "status")
_TIMEOUT_S: Final = 900


class NotHeld(AssertionError):
    """A fault broke a promise."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that ended."""

    status: int
    said: str
    """Its stderr."""


class Bench:
    """A folder of small videos, the result of an undisturbed run over them, and a way to run again.

    `given` are options of every run; without them no model is asked.
    """

    def __init__(self, root: Path, texts: Mapping[str, str], *given: str | Path) -> None:
        self.root, self.videos, self.cache, self.out = root, root / "vídeos", root / "cache", root / "out"
        self.given = given or ("--model", "none")
        self.videos.mkdir(parents=True)
        for name, text in texts.items():
            draw(self.videos / name, text)
        self.require(self.run().status == 0, "the undisturbed run fails")
        self.wanted = self.tree()
        self.clear()

    def clear(self) -> None:
        for folder in (self.out, self.cache):
            shutil.rmtree(folder, ignore_errors=True)

    def arguments(self, *more: str | Path) -> list[str]:
        given = ("report", self.videos, "--out", self.out, "--cache", self.cache, "--engine", "direct", *self.given, *more)
        return [sys.executable, "-P", "-m", "flows.cli", *map(str, given)]

    def environment(self, fault: str = "", **more: str) -> dict[str, str]:
        count = self.root / "count"
        count.unlink(missing_ok=True)
        hooks = {"PYTHONPATH": f"{_HOOKS}:{_ROOT}", "FAULT": fault, "FAULT_COUNT": str(count)} if fault else {"PYTHONPATH": str(_ROOT)}
        return without_prefect() | hooks | more

    def run(self, fault: str = "", *given: str | Path, **more: str) -> Ended:
        command, environment = self.arguments(*given), self.environment(fault, **more)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_S, check=False)
        return Ended(done.returncode, done.stderr)

    def tree(self) -> Mapping[str, Any]:
        """What was delivered: each file of each bundle with its hash, and what the record says of each video apart from the run."""
        files = {str(path.relative_to(self.out)): file_sha256(path) for path in sorted(self.out.glob("*/**/*")) if path.is_file()}
        rows = json.loads((self.out / "batch.json").read_bytes())["videos"]
        return files | {
            f"batch.json: {row['source']}": {name: value for name, value in row.items() if name not in _OF_THE_RUN} for row in rows
        }

    def require(self, holds: bool, why: str) -> None:
        if not holds:
            raise NotHeld(why)

    def require_whole(self) -> None:
        """No bundle at a final name fails `verify`."""
        for manifest in self.out.glob("[!.]*/manifest-sha256.txt"):
            self.require(not (problems := verify_bundle(manifest.parent)), f"{manifest.parent.name}: {problems}")
        strange = [path.name for path in self.out.glob("[!.]*/") if not (path / "manifest-sha256.txt").exists()]
        self.require(not strange, f"half a bundle at a final name: {strange}")

    def require_recovery(self) -> None:
        """The same command again gives what an undisturbed run gives."""
        self.require_whole()
        again = self.run()
        self.require(again.status == 0, f"the same command again ends with {again.status}: {again.said}")
        self.require_whole()
        self.require(self.tree() == self.wanted, "the same command again delivers something else")
        left = [str(path) for folder in (self.out, self.cache) for path in folder.glob("**/.*partial-*")]
        self.require(not [path for path in left if path.startswith(str(self.out))], f"left in the output: {left}")


def draw(path: Path, text: str, seconds: float = 1.0) -> Path:
    """A silent white video that says `text`."""
    drawn = f"drawtext=text='{text}':fontsize=48:x=60:y=150:fontfile={_FONT}"
    source = ["-f", "lavfi", "-i", f"color=white:s=640x360:d={seconds}:r=10", "-vf", drawn, "-pix_fmt", "yuv420p"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, f"file:{path}"], check=True, timeout=60)
    return path


def without_prefect() -> dict[str, str]:
    """This process's environment, away from any Prefect API that it may have."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}


def commit_points(bench: Bench) -> int:
    """How many renames an undisturbed run makes, over all its processes."""
    bench.clear()
    bench.run("kill@0")
    return (bench.root / "count").stat().st_size


def inject_at_commit(bench: Bench, what: str, number: int) -> str:
    """Kill whoever is about to make commit `number`, or tell it that the disk is full; then recover. Returns what the run said."""
    bench.clear()
    ended = bench.run(f"{what}@{number}")
    bench.require("Traceback" not in ended.said, f"commit {number}: {ended.said}")
    bench.require(what != "full" or ended.status in (0, 1, 3), f"commit {number}: status {ended.status}: {ended.said}")
    bench.require_recovery()
    return f"status {ended.status}"


def _swept(what: str) -> Callable[[Bench], str]:
    def sweep(bench: Bench) -> str:
        points = commit_points(bench)
        for number in range(1, points + 1):
            inject_at_commit(bench, what, number)
        return f"all {points} commit points of a run over one video"

    return sweep


def _stopped(number: signal.Signals) -> Callable[[Bench], str]:
    def stop(bench: Bench) -> str:
        bench.clear()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job, and so its children, would ignore it
        with subprocess.Popen(bench.arguments("-v"), env=bench.environment(), stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            next((line for line in process.stderr if "screen" in line), "")
            process.send_signal(number)
            said = process.stderr.read()
        bench.require(process.returncode == 130, f"status {process.returncode}: {said}")
        bench.require("Traceback" not in said and "resource_tracker" not in said, said)
        rows = json.loads((bench.out / "batch.json").read_bytes())["videos"]
        bench.require("interrupted" in {row.get("code") for row in rows}, f"batch.json does not say it: {rows}")
        bench.require_recovery()
        return "status 130, batch.json names what is not finished"

    return stop


def workers_below(pid: int) -> list[Any]:
    """The worker processes of a run, as psutil has them."""
    import psutil

    below = psutil.Process(pid).children(recursive=True)
    return [child for child in below if "spawn_main" in " ".join(child.cmdline())]


def _worker_killed(bench: Bench) -> str:
    bench.clear()
    with subprocess.Popen(bench.arguments("-v"), env=bench.environment(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        next((line for line in process.stderr if "screen" in line), "")
        workers_below(process.pid)[0].kill()
        said = process.stderr.read()
    bench.require(process.returncode == 3 and "SIGKILL" in said, f"status {process.returncode}: {said}")
    bench.require_recovery()
    return "status 3, its video failed (worker_died), the other was delivered"


def source_changed(other: bool) -> Callable[[Bench], str]:
    """The file goes, or another takes its name, after it was hashed and before it is decoded."""

    def change(bench: Bench) -> str:
        bench.clear()
        source = bench.videos / "forno.mp4"
        kept, replacement = bench.root / "kept.mp4", bench.root / "other.mp4"
        shutil.copy2(source, kept)
        shutil.copy2(bench.videos / "massa.mp4", replacement)
        given = {"FAULT_SOURCE": str(source)} | ({"FAULT_OTHER": str(replacement)} if other else {})
        ended = bench.run("source", **given)
        rows = {row["source"]: row for row in json.loads((bench.out / "batch.json").read_bytes())["videos"]}
        bench.require(ended.status == 3 and rows["forno.mp4"].get("code") == "changed", f"{ended.status}: {rows['forno.mp4']}")
        shutil.move(kept, source)
        bench.require_recovery()
        return "status 3, code changed; nothing stored under the wrong hash"

    return change


def _odd(fault: str, **environment: str) -> Callable[[Bench], str]:
    def odd(bench: Bench) -> str:
        bench.clear()
        ended = bench.run(fault, **environment)
        bench.require(ended.status == 0, f"status {ended.status}: {ended.said}")
        bench.require(bench.tree() == bench.wanted, "another result")
        bench.require_recovery()
        return "the same bytes"

    return odd


def _two_runs(bench: Bench) -> str:
    bench.clear()
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(bench.out)], env=bench.environment(), stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        second = bench.run()
        holder.kill()
        killed = time.monotonic()
    bench.require(second.status == 11 and f"pid {holder.pid}" in second.said, f"status {second.status}: {second.said}")
    from stages.run_lock import held

    with held(bench.out):
        free = time.monotonic() - killed
    bench.require(free < 5, f"free after {free:.1f} s")
    bench.require_recovery()
    return f"status 11, the holder named; free {free:.1f} s after its kill -9"


@contextmanager
def _mounted(folder: Path, *options: str) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    if subprocess.run(["mount", *options, str(folder)], check=False).returncode:
        raise PermissionError("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def _full_or_closed(place: str, how: str) -> Callable[[Bench], str]:
    """The output or the cache on a disk that is full, or that takes no writes."""

    def inject(bench: Bench) -> str:
        bench.clear()
        folder = bench.root / "disk"
        with _mounted(folder, "-t", "tmpfs", "-o", "size=256k", "none"):
            if how == "full":
                with suppress(OSError):
                    (folder / "fill").write_bytes(b"x" * (180 << 10) if place == "disk" else b"x" * (1 << 20))
            else:
                subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
            option = "--cache" if place == "cache" else "--out"
            ended = bench.run("", option, folder / "x")
        bench.require(ended.status in (1, 3) and "Traceback" not in ended.said, f"status {ended.status}: {ended.said}")
        bench.require("space" in ended.said or "full" in ended.said or "Read-only" in ended.said, ended.said)
        bench.require_recovery()
        return f"status {ended.status}, the disk named, no video blamed"

    return inject


def _says(handler: Any) -> None:
    """A model that states what is on the screen of the video it is asked about."""
    asked = json.dumps(handler.service.requests[-1], ensure_ascii=False)
    text = next(text for text in _TEXTS.values() if f"T-000001 screen: {text}" in asked)
    good([{"base": "tela", "text": text, "evidence": ["T-000001"], "quote": text}])(handler)


def _model_down(answers: int) -> Callable[[Bench], str]:
    """Nothing listens any more at the model's address after so many answers."""

    def inject(bench: Bench) -> str:
        root = bench.root / f"model-{answers}"
        root.mkdir()
        brief, chain = root / "brief.toml", root / "chain.toml"
        asked = "".join(f'[[video]]\nfile = "{name}"\nquestions = ["Quanto?"]\n' for name in _TEXTS)
        brief.write_text(asked, encoding="utf-8")
        with serving(_says) as service:
            port = int(service.address.rpartition(":")[2])
            entry = f'[[provider]]\nname = "casa"\nkind = "openai"\nmodel = "m"\nbase_url = "{service.address}/v1"\n'
            chain.write_text(entry, encoding="utf-8")
            bench = Bench(root / "runs", _TEXTS, "--brief", brief, "--config", chain)
        bench.clear()
        with serving(_says, port, answers) if answers else nullcontext():
            ended = bench.run()
        bench.require(ended.status == (3 if answers else 6), f"status {ended.status}: {ended.said}")
        bench.require("casa" in ended.said and "Traceback" not in ended.said, ended.said)
        with serving(_says, port):
            bench.require_recovery()
        return f"status {ended.status}, all delivered, literal quotes where it was gone; asked again by the next run"

    return inject


FAULTS: Final[Mapping[str, tuple[str, Callable[[Bench], str]]]] = {
    "worker killed": ("SIGKILL to the worker (what the OOM killer sends) while it reads the screen", _worker_killed),
    "disk full while a bundle is written": ("output on a tmpfs with 76 kB left", _full_or_closed("disk", "full")),
    "disk full before the start": ("output on a full tmpfs", _full_or_closed("out", "full")),
    "cache full": ("cache on a full tmpfs", _full_or_closed("cache", "full")),
    "output read-only": ("output on a read-only mount", _full_or_closed("out", "read-only")),
    "cache read-only": ("cache on a read-only mount", _full_or_closed("cache", "read-only")),
    "source replaced": ("another video renamed over it when its decoder starts", source_changed(other=True)),
    "source removed": ("unlinked when its decoder starts", source_changed(other=False)),
    "two runs on one folder": ("a second run while another process holds the folder; the holder killed", _two_runs),
    "Ctrl-C": ("SIGINT while it reads the screen", _stopped(signal.SIGINT)),
    "asked to end": ("SIGTERM while it reads the screen", _stopped(signal.SIGTERM)),
    "model server down at the start": ("nothing listens at its address", _model_down(0)),
    "model server down in the middle": ("it answers one video's question and closes its port", _model_down(1)),
    "clock jumps": ("time.time() leaps by ten years and back at every call", _odd("clock")),
    "no locale": ("LC_ALL=C, no UTF-8 mode, names with accents", _odd("", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")),
    "directory order": ("every directory listing shuffled", _odd("shuffle")),
    "kill -9 at a commit point": ("SIGKILL at the N-th rename of the run, for every N", _swept("kill")),
    "disk full at a commit point": ("ENOSPC at the N-th rename of the run, for every N", _swept("full")),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="parts of the names of the faults to inject, with commas")
    wanted = parser.parse_args().only
    broken = 0
    print("| fault | injected how | what held | |", "|---|---|---|---|", sep="\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        benches: dict[bool, Bench] = {}
        for name, (how, inject) in FAULTS.items():
            if not any(part in name for part in wanted.split(",")):
                continue
            swept = "commit point" in name  # two runs for each point: one video is enough
            try:
                if swept not in benches:
                    benches[swept] = Bench(Path(scratch, str(swept)), {"massa.mp4": _TEXTS["massa.mp4"]} if swept else _TEXTS)
                bench = benches[swept]
                print(f"| {name} | {how} | {inject(bench)} | held |", flush=True)
            except NotHeld as error:
                broken += 1
                print(f"| {name} | {how} | {error} | **broken** |", flush=True)
            except PermissionError as error:
                print(f"| {name} | {how} | not injected: {error} | |", flush=True)
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
