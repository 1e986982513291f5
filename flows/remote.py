"""Videos as flow runs of a work pool: any number of workers, on any number of machines, and none of them needed.

A worker that is killed cannot say so, and Prefect would show its run as running for ever. So a run gives a sign of life, and whoever
submitted it gives it to another worker when the sign stays out. Two workers may then deliver the same bundle: storage takes it once.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, cast
from uuid import UUID

from httpx import TransportError
from prefect import flow
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun
from prefect.context import FlowRunContext
from prefect.deployments import run_deployment
from prefect.exceptions import ObjectNotFound
from prefect.states import Completed, Failed, Scheduled

from flows.batch import as_task
from flows.options import make_settings
from flows.order import report_video
from stages.batch_record import VideoOrder
from stages.brief import Brief, load_brief
from stages.errors import MissingDependency, UsageError
from stages.events import unwatched
from stages.inputs import assign_slugs, shown_name
from stages.settings import default_cache
from stages.shared_storage import fetched, full_address, is_published, lies_below, publish, videos_below
from stages.store import digest, file_sha256

__all__ = ["report_shared", "submit"]

_SIGN: Final = "frame-oracle.sign-of-life"
_SIGN_S: Final = 10.0
_PATIENCE_S: Final = 60.0
"""A run whose sign of life stays out so long is given to another worker."""
_LOOK_S: Final = 2.0
_WORKER_WITHIN_S: Final = 30.0
"""Where no worker has taken any run by then, there may be none."""


@flow(name="report-shared", flow_run_name="{slug}", persist_result=False)
def report_shared(
    source: str, out: str, slug: str, brief: str = "", profile: str = "generic",
    mode: Literal["completo", "breve", "briefing"] = "completo", model: str = "", language: str = "",
) -> object:  # fmt: skip
    """One video on shared storage to its bundle there. source and out are addresses that fsspec knows: a path, or s3://bucket/folder."""
    scratches = default_cache() / "scratch" / "shared"
    scratches.mkdir(parents=True, exist_ok=True)
    with _signs_of_life(), TemporaryDirectory(prefix=".partial-", dir=scratches) as scratch:
        settings = make_settings(out=Path(scratch, "out"), cache=None, profile=profile, mode=mode, model=model, language=language)
        video = fetched(source, Path(scratch))
        wanted = (load_brief(Path(brief)) if brief else Brief()).for_video(video.name)
        row = report_video(VideoOrder(video, shown_name(video), slug, wanted, settings), unwatched, as_task)
        if row.failed:
            return Failed(message=f"{row.code}: {row.message} {row.hint}")
        new = publish(settings.out / row.bundle, out)
    return Completed(message=row.status.value if new else "unchanged")


@contextmanager
def _signs_of_life() -> Iterator[None]:
    context, done = FlowRunContext.get(), threading.Event()
    run = context.flow_run if context else None

    def sign(run_id: UUID) -> None:
        with get_client(sync_client=True) as client:
            while True:
                client.update_flow_run_labels(run_id, {_SIGN: str(time.time_ns())})
                if done.wait(_SIGN_S):
                    return

    thread = threading.Thread(target=sign, args=(run.id,), daemon=True) if run else None
    if thread:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if thread:
            thread.join()


def _unheard(line: str) -> None:
    """The default of `tell`."""


def submit(
    source: str,
    out: str,
    deployment: str,
    parameters: Mapping[str, str],
    patience_s: float = _PATIENCE_S,
    tell: Callable[[str], None] = _unheard,
) -> Mapping[str, str]:
    """A run of `deployment` for each video below `source`; waits for all of them and returns by slug how each ended, told as it ends.

    That no worker takes any of them is told too, once: Prefect lets them wait for ever.

    Submitting the same again runs only what failed, what changed, and what is no longer there.
    """
    if lies_below(out, source):
        raise UsageError(f"{out}: the output lies inside the input {source}.", hint="Give an --out beside it.")
    videos, out = videos_below(source), full_address(out)
    slugs = assign_slugs([Path(address) for address in videos])
    try:
        with get_client(sync_client=True) as client:
            runs = {}
            for address, state in videos.items():
                given = {"source": address, "out": out, "slug": slugs[Path(address)], **parameters}
                runs[_submitted(client, deployment, given, state)] = given["slug"]
            return _awaited(client, runs, patience_s, tell)
    except ObjectNotFound as error:
        hint = "Make it with `prefect deploy --all`, or give another --deployment FLOW/NAME."
        raise UsageError(f"--deployment: the server has no {deployment}.", hint=hint) from error
    except TransportError as error:
        hint = "Submit the same again when it does: what was finished is kept."
        raise MissingDependency(f"Prefect's API does not answer any more: {error}.", hint=hint, code="no_prefect_api") from error


def _submitted(client: SyncPrefectClient, deployment: str, given: Mapping[str, str], state: str) -> UUID:
    """The run for what is `given` and for the file in this `state`: a new one, or the one that there is, once more if it left no bundle."""
    brief = Path(given["brief"]) if given.get("brief") else None
    asked = file_sha256(brief) if brief and brief.is_file() else ""  # where the workers' brief can be seen from here
    key = digest(version("frame-oracle"), state, asked, *(f"{name}={given[name]}" for name in sorted(given)))
    run = cast(FlowRun, run_deployment(deployment, parameters=dict(given), timeout=0, idempotency_key=key, as_subflow=False))
    if run.state and run.state.is_final() and not (run.state.is_completed() and is_published(given["out"], given["slug"])):
        client.set_flow_run_state(run.id, Scheduled(), force=True)
    return run.id


def _awaited(client: SyncPrefectClient, runs: Mapping[UUID, str], patience_s: float, tell: Callable[[str], None]) -> Mapping[str, str]:
    ended: dict[str, str] = {}
    seen: dict[UUID, tuple[str, float]] = {}
    tell(f"{len(runs)} videos submitted")
    worry = time.monotonic() + _WORKER_WITHIN_S
    while len(ended) < len(runs):
        time.sleep(_LOOK_S)
        if ended or seen:
            worry = math.inf
        elif time.monotonic() > worry:
            tell("no worker has taken a run yet: start one, `prefect worker start --pool NAME`; what was submitted waits for it")
            worry = math.inf
        for run_id, slug in runs.items():
            if slug in ended:
                continue
            run = client.read_flow_run(run_id)
            if run.state and run.state.is_final():
                ended[slug] = f"{run.state.name}: {run.state.message or ''}".rstrip(": ")
                tell(f"{slug}: {ended[slug]}")
            elif _silent_for(run, seen) > patience_s:
                client.set_flow_run_state(run_id, Scheduled(message="Its worker gave no sign of life."), force=True)
                seen.pop(run_id)
    return ended


def _silent_for(run: FlowRun, seen: dict[UUID, tuple[str, float]]) -> float:
    """How long this process has seen no new sign of a run that is said to go on, seconds; clocks of other machines do not matter."""
    if run.state is None or not (run.state.is_running() or run.state.is_pending()):
        seen.pop(run.id, None)
        return 0.0
    sign, now = f"{run.state.id} {run.labels.get(_SIGN, '')}", time.monotonic()
    if run.id not in seen or seen[run.id][0] != sign:
        seen[run.id] = sign, now
    return now - seen[run.id][1]
