"""A Prefect server of our own, for a run that wants one and has none: started once, awaited, stopped cleanly.

Prefect's ephemeral server needs 14-16 s of CPU before the first work, gives up on a loaded machine, and prints stack traces about
events that it could not send when it stops. Here the server is a process with a folder and a log of its own on a loopback port that the
kernel chose. It stops when its standard input ends, so it stops also when the run that started it is killed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from stages.doctor import Examined, Health
from stages.errors import MissingDependency

__all__ = ["PREFECT_SETTINGS", "configured_api", "examine_prefect", "require_answer", "running_server"]

PREFECT_SETTINGS: Final = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    # People read our lines; Prefect's go to its interface, whatever a user's profile sends to the screen.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
}
"""Environment of every Prefect process of ours: no telemetry, no results on disk, no log lines on the screen."""

_HEALTHY_WITHIN_S: Final = 120
_STOPPED_WITHIN_S: Final = 30
_PROJECT_FILES: Final = {"prefect.toml": "prefect", ".env": "prefect", "pyproject.toml": "tool.prefect"}
"""Files of a folder that may configure Prefect, with the word that tells; a `pyproject.toml` may only depend on it."""


def configured_api() -> str:
    """The address of the Prefect API that this environment is set up for; empty where there is none.

    Prefect is imported, which takes a second, only where a file could say so.
    """
    if address := os.environ.get("PREFECT_API_URL"):
        return address
    home = Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect")
    told = {home / "profiles.toml": "prefect", **{Path(name): word for name, word in _PROJECT_FILES.items()}}
    if not any(word in _text(path).lower() for path, word in told.items()):
        return ""
    from prefect.settings import PREFECT_API_URL

    return PREFECT_API_URL.value() or ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def examine_prefect() -> Examined:
    """For `doctor`: Prefect's version, and whether the API that is configured answers."""
    installed = f"Prefect {version('prefect')}"
    address = configured_api()
    if not address:
        return Examined("Prefect", Health.GOOD, f"{installed}, no API configured: runs are direct")
    if _healthy(address, within_s=5):
        return Examined("Prefect", Health.GOOD, f"{installed}, API at {address}")
    return Examined("Prefect", Health.MISSING, f"{installed}, API at {address} does not answer", "prefect server start, or --engine direct")


def require_answer(hint: str) -> None:
    """Raise `MissingDependency`, with `hint` as the next move, when the configured API does not answer."""
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL

    with get_client(sync_client=True) as client:
        if (problem := client.api_healthcheck()) is not None:
            message = f"Prefect's API at {PREFECT_API_URL.value()} does not answer: {problem}."
            raise MissingDependency(message, hint=hint, code="no_prefect_api")


@contextlib.contextmanager
def running_server(homes: Path) -> Iterator[dict[str, str]]:
    """The environment that points a process at a server which runs as long as this context.

    The server's folder is the first one below `homes` that no other run uses; it keeps the history of runs. Raises
    `MissingDependency` when the server does not come up.
    """
    with _own_home(homes) as home, socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        environment = os.environ | PREFECT_SETTINGS | {"PREFECT_HOME": str(home), "PREFECT_LOGGING_LEVEL": "WARNING"}
        environment.pop("PREFECT_API_URL", None)
        log = home / "server.log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [sys.executable, "-P", "-m", "flows.prefect_server", str(listener.fileno())],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C is for the run, which stops the server when it has sent what it has
            )
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/api"
        try:
            _await_health(server, address, log)
            yield PREFECT_SETTINGS | {"PREFECT_API_URL": address, "PREFECT_HOME": str(home)}
        finally:
            _stop(server)


@contextlib.contextmanager
def _own_home(homes: Path) -> Iterator[Path]:
    for number in count():
        home = homes / str(number)
        home.mkdir(parents=True, exist_ok=True)
        lock = FileLock(home / "lock")
        with contextlib.suppress(Timeout):
            lock.acquire(timeout=0)
            try:
                yield home
            finally:
                lock.release()
            return


def _await_health(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + _HEALTHY_WITHIN_S
    while server.poll() is None and time.monotonic() < deadline:
        # The socket listens from the start, so the first answer comes as soon as the server can give one.
        if _healthy(address, _HEALTHY_WITHIN_S):
            return
        time.sleep(0.1)
    state = f"ended with status {server.returncode}" if server.returncode is not None else f"did not answer in {_HEALTHY_WITHIN_S} s"
    raise MissingDependency(f"Prefect's server {state}.", hint=f"Its log is {log}. Without Prefect: --engine direct.")


def _healthy(address: str, within_s: float) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=within_s) as answer:  # noqa: S310 - http or https, as Prefect is configured
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.stdin:
        server.stdin.close()
    try:
        server.wait(_STOPPED_WITHIN_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _serve(descriptor: int) -> None:
    """The server process: Prefect's API on the listening socket that was inherited, until standard input ends."""
    import uvicorn
    from prefect.server.api.server import create_app

    server = uvicorn.Server(uvicorn.Config(create_app(final=True), fd=descriptor, log_level="warning"))

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        server.should_exit = True

    threading.Thread(target=end_with_parent, daemon=True).start()
    server.run()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
