"""`python -m benchmarks.scale_out`: many videos, several workers, one of them killed, a server on PostgreSQL, all on this machine.

Two throughputs (one worker, two workers), then the run that counts: while two workers, each with a scratch of its own, work through the
videos, one is killed with all its processes (`kill -9`). Every video must be delivered once; none twice, none lost.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.faults import draw
from benchmarks.side_by_side import machine

_PG: Final = Path("/usr/lib/postgresql")
_POOL: Final = "frame-oracle"
_WORKER: Final = (sys.executable, "-m", "prefect", "worker", "start", "--pool", _POOL, "--type", "process", "--limit", "1")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def _postgres(root: Path) -> Iterator[str]:
    """A PostgreSQL of Debian's package in `root`, as another user where this one is root, which PostgreSQL refuses; its address."""
    programs = max(_PG.glob("*/bin"))
    user = pwd.getpwnam("postgres").pw_name if os.geteuid() == 0 else None
    data, port = root / "pg", _free_port()
    data.mkdir()
    if user:
        shutil.chown(data, user)

    def run(*command: str | Path) -> None:
        subprocess.run([*map(str, command)], check=True, user=user, cwd="/", stdout=subprocess.DEVNULL)

    run(programs / "initdb", "-D", data, "-A", "trust", "-U", "oracle")
    run(programs / "pg_ctl", "-D", data, "-w", "-o", f"-p {port} -k {data} -c listen_addresses=127.0.0.1", "-l", data / "log", "start")
    try:
        run(programs / "createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "oracle", "prefect")
        yield f"postgresql+asyncpg://oracle@127.0.0.1:{port}/prefect"
    finally:
        run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")


@contextmanager
def _process(command: tuple[str, ...], environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=output, start_new_session=True)
    try:
        yield process
    finally:
        _kill_all(process)


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """`kill -9` to the process and everything below it, as when a machine goes."""
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        for one in (*psutil.Process(process.pid).children(recursive=True), process):
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                one.send_signal(signal.SIGKILL)
    process.wait()


@contextmanager
def _workers(root: Path, environment: Mapping[str, str], number: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        crew = []
        for place in range(number):
            own = dict(environment) | {"FRAME_ORACLE_CACHE": str(root / f"scratch-{place}")}
            crew.append(stack.enter_context(_process((*_WORKER, "--name", f"w{place}"), own, root / f"worker-{place}.log")))
        yield crew


def _deploy() -> None:
    from typing import cast

    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.deployments.runner import RunnerDeployment
    from prefect.types.entrypoint import EntrypointType

    from flows.remote import report_shared

    with get_client(sync_client=True) as client:
        client.create_work_pool(WorkPoolCreate(name=_POOL, type="process"))
    deployment = report_shared.to_deployment("shared", work_pool_name=_POOL, entrypoint_type=EntrypointType.MODULE_PATH)
    cast(RunnerDeployment, deployment).apply()


def _drawn(root: Path, number: int) -> Path:
    root.mkdir()
    for place in range(number):
        draw(root / f"video-{place:03d}.mp4", f"OVEN {180 + place}")
    return root


def _submitted(videos: Path, out: Path) -> tuple[Mapping[str, str], float]:
    from flows.remote import submit

    started = time.monotonic()
    ended = submit(str(videos), str(out), "report-shared/shared", {"model": "none"}, patience_s=45.0)
    return ended, time.monotonic() - started


def _kill_when_busy(worker: subprocess.Popen[bytes], out: Path, after: int, told: list[str]) -> None:
    while len(list(out.glob("[!.]*/manifest-sha256.txt"))) < after:
        time.sleep(0.2)
    import psutil

    while not any("prefect.engine" in " ".join(child.cmdline()) for child in psutil.Process(worker.pid).children(recursive=True)):
        time.sleep(0.05)
    time.sleep(1.0)  # mid-video
    told.append(f"{len(list(out.glob('[!.]*/manifest-sha256.txt')))} delivered")
    _kill_all(worker)


def _run(root: Path, environment: Mapping[str, str], few: int, many: int) -> bool:
    import asyncio  # noqa: F401 - Prefect's client needs it loaded before threads start

    from stages.deliver import verify_bundle

    _deploy()
    print(f"\n{machine()}\n\n| workers | videos | wall s | videos/min |\n|---|---|---|---|")
    for number in (1, 2) if few else ():
        videos = _drawn(root / f"few-{number}", few)
        with _workers(root, environment, number):
            ended, wall = _submitted(videos, root / f"out-{number}")
        assert all(how.startswith("Completed") for how in ended.values()), ended
        print(f"| {number} | {few} | {wall:.0f} | {60 * few / wall:.1f} |", flush=True)
    videos, out, told = _drawn(root / "many", many), root / "out", list[str]()
    out.mkdir()
    with _workers(root, environment, 2) as crew:
        threading.Thread(target=_kill_when_busy, args=(crew[1], out, many // 4, told), daemon=True).start()
        ended, wall = _submitted(videos, out)
    bundles = [path.parent for path in out.glob("[!.]*/manifest-sha256.txt")]
    bad = [bundle.name for bundle in bundles if verify_bundle(bundle)]
    left = [path.name for path in out.glob(".*")]
    how = Counter(text.split(" ")[0] for text in ended.values())
    print(f"\nkill -9 of one of two workers and all its processes when there were {told[0]}: {many} submitted, {len(bundles)} bundles")
    print(f"states {dict(how)}, deliveries {Counter(ended.values())}, fail verify {bad}, left over {left}, {wall:.0f} s")
    return len(bundles) == many == how["Completed:"] and not bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=40)
    parser.add_argument("--few", type=int, default=10, help="videos of each throughput run; 0: none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-out-") as scratch, ExitStack() as stack:
        root = Path(scratch)
        root.chmod(0o755)
        database = stack.enter_context(_postgres(root))
        port = _free_port()
        from flows.prefect_server import PREFECT_SETTINGS

        settings = PREFECT_SETTINGS | {
            "PREFECT_HOME": str(root / "prefect"),
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PREFECT_WORKER_QUERY_SECONDS": "2",
        }
        os.environ |= settings
        own = dict(os.environ) | {"PREFECT_API_DATABASE_CONNECTION_URL": database}
        own.pop("PREFECT_API_URL")
        server = (sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port))
        stack.enter_context(_process(server, own, root / "server.log"))
        _await_server(f"http://127.0.0.1:{port}/api/health", root / "server.log")
        return not _run(root, os.environ, given.few, given.videos)


def _await_server(address: str, log: Path) -> None:
    import urllib.request

    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):  # noqa: S310 - our own server
            return
        time.sleep(0.5)
    sys.exit(f"the server did not come up\n{log.read_text()}")


if __name__ == "__main__":
    sys.exit(main())
