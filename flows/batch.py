"""The order as Prefect flows: one for the folder, one for each video below it, one task for each stage.

The order itself is in `flows/order.py`; here is only what Prefect sees of it. Nothing is stored or cached by Prefect: its cache keys
hash a path and not the content behind it, and a flow can be COMPLETED although its result could not be stored. What is delivered is
what the bundle says when it is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, cast
from uuid import UUID

import cloudpickle
from prefect import flow, task
from prefect.artifacts import create_markdown_artifact, create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterParentFlowRunId
from prefect.client.schemas.objects import State
from prefect.concurrency.sync import concurrency
from prefect.context import FlowRunContext, hydrated_context, serialize_context
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.states import Completed, Crashed, Failed

from flows.options import make_settings
from flows.order import report_folder, report_video
from flows.prefect_server import require_answer
from flows.workers import Crew, run_log
from stages.batch_record import BatchRecord, VideoOrder, VideoRow
from stages.brief import Brief, load_brief
from stages.errors import ExitCode, NoProvider
from stages.events import Event, Finished, Planned, Watch, unwatched
from stages.inputs import shown_name
from stages.settings import Settings

__all__ = ["as_task", "folder_flow", "report", "run_folder", "video_run"]

_T = TypeVar("_T")

_OWN_WAYS: Final[dict[str, Any]] = {"persist_result": False, "validate_parameters": False}
_LIMITS: Final = {"screen": "frame-oracle-gpu", "speech": "frame-oracle-gpu", "ask": "frame-oracle-model"}
"""Global concurrency limits that hold across workers, where somebody made them (`prefect gcl create`)."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&:@])")

_begun: ContextVar[tuple[Crew, Watch]] = ContextVar("begun")
"""Who works in the run that starts the flow, and who looks at it; parameters would be shown in Prefect's interface."""


def run_folder(inputs: Sequence[Path], settings: Settings, brief: Brief, crew: Crew, watch: Watch) -> BatchRecord:
    """`report_folder` as a flow run on the configured API. Raises `MissingDependency` when that does not answer."""
    require_answer("Start it with `prefect server start`, or run with --engine direct.")
    token = _begun.set((crew, watch))
    try:
        title = ", ".join(map(shown_name, inputs))
        run = folder_flow.with_options(flow_run_name=lambda: title)
        record: BatchRecord = _outcome(run([str(path) for path in inputs], settings, brief, return_state=True))
        return record
    finally:
        _begun.reset(token)


@flow(name="report-folder", **_OWN_WAYS)
def folder_flow(inputs: list[str], settings: Settings, brief: Brief) -> object:
    """A folder of videos to reports."""
    return _folder([Path(name) for name in inputs], settings, brief)


@flow(name="report", flow_run_name="{folder}", persist_result=False)
def report(
    folder: str, out: str, brief: str = "", profile: str = "generic", mode: Literal["completo", "breve", "briefing"] = "completo",
    model: str = "", language: str = "", jobs: int = 1,
) -> object:  # fmt: skip
    """A folder of videos to reports, as a deployment: every parameter is one that a person fills in.

    folder and out are folders of the machine that does the work; brief is a TOML file there. model "none": literal quotes.
    """
    settings = make_settings(out=Path(out), cache=None, profile=profile, mode=mode, model=model, language=language, jobs=jobs)
    wanted = load_brief(Path(brief)) if brief else Brief()
    with Crew(run_log(settings.cache), "flows.batch") as crew:
        _begun.set((crew, unwatched))
        return _folder([Path(folder)], settings, wanted)


def _folder(inputs: Sequence[Path], settings: Settings, brief: Brief) -> State[BatchRecord]:
    crew, watch = _begun.get()
    # By its full name: a flow that was loaded from a path is of a module that the workers cannot import.
    from flows.batch import video_run as work

    try:
        record = report_folder(inputs, settings, brief, crew, _shown(watch), partial(work, cloudpickle.dumps(serialize_context())))
    finally:
        _close_crashed()
    create_markdown_artifact(key="videos", markdown=_table(record, settings), description="What became of each video")
    counts = ", ".join(f"{number} {status}" for status, number in record.counts.items() if number)
    if record.exit_code is ExitCode.OK:
        return Completed(message=counts, data=record)
    return Failed(message=counts, data=record)


def _shown(watch: Watch) -> Watch:
    """`watch`, and beside it how many videos are done, on the run's page."""
    total, done = 0, 0
    shown: UUID | None = None

    def follow(event: Event) -> None:
        nonlocal total, done, shown
        watch(event)
        if isinstance(event, Planned):
            total = len(event.videos)
            shown = cast(UUID, create_progress_artifact(0.0, key="progress", description=f"0 of {total} videos"))
        elif isinstance(event, Finished) and shown:
            done += 1
            update_progress_artifact(shown, 100.0 * done / total, description=f"{done} of {total} videos")

    return follow


def _close_crashed() -> None:
    """A worker that was killed cannot say so: its video's run would look as if it still went on."""
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        return
    below = FlowRunFilter(parent_flow_run_id=FlowRunFilterParentFlowRunId(any_=[context.flow_run.id]))
    with get_client(sync_client=True) as client:
        for run in client.read_flow_runs(flow_run_filter=below):
            if run.state is None or not run.state.is_final():
                client.set_flow_run_state(run.id, Crashed(message="Its worker process died, or the run was ended."), force=True)


def video_run(context: bytes, order: VideoOrder, watch: Watch) -> VideoRow:
    """`report_video` as a flow run below the folder's, whose `context` came across from its process; a worker's work."""

    @flow(name="report-video", flow_run_name=lambda: order.name, **_OWN_WAYS)
    def video_flow(source: str, slug: str) -> object:
        row = report_video(order, watch, as_task)
        return Failed(message=f"{row.message} {row.hint}", data=row) if row.failed else Completed(message=row.status, data=row)

    # Whoever started the worker sees it die; the thread of Prefect's own sign of life is waited for up to a second at the end of each flow.
    with hydrated_context(cloudpickle.loads(context)), temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        row: VideoRow = _outcome(video_flow(order.name, order.slug, return_state=True))
    return row


def as_task(name: str, stage: Callable[[], _T]) -> _T:
    """Run one stage as a task; its inputs and its result stay in this process."""
    shell = task(
        name=name, task_run_name=name, cache_policy=NO_CACHE, persist_result=False,
        retries=1, retry_delay_seconds=5, retry_condition_fn=_passes_by_itself,
    )  # fmt: skip
    limited = partial(_within_limit, _LIMITS[name], stage) if name in _LIMITS else stage
    return shell(limited)()


def _within_limit(limit: str, stage: Callable[[], _T]) -> _T:
    """`stage`, when the global concurrency limit of this name has room; without such a limit, at once.

    To take a slot of one that nobody made is a write, which waits about 2 s for SQLite.
    """
    if not _is_made(limit):
        return stage()
    with concurrency(limit):
        return stage()


@cache
def _is_made(limit: str) -> bool:
    """Whether somebody made this limit, asked once in each worker process."""
    with get_client(sync_client=True) as client:
        try:
            client.read_global_concurrency_limit_by_name(limit)
        except ObjectNotFound:
            return False
    return True


def _passes_by_itself(_task: object, _run: object, state: State[Any]) -> bool:
    """A disk or a model endpoint may be back in a moment; a verdict about a file stays."""
    return isinstance(state.result(raise_on_failure=False), OSError | NoProvider)


def _outcome(state: State[Any]) -> Any:
    """What the flow returned, also in a failed state; what it raised is raised."""
    result = state.result(raise_on_failure=False)
    if isinstance(result, BaseException):
        raise result
    return result


def _table(record: BatchRecord, settings: Settings) -> str:
    """The videos as Markdown; names and messages are untrusted text."""
    rows = []
    for row in record.videos:
        cells = (row.source, row.status.value, f"{row.links_verified} of {row.links}", f"{row.message} {row.hint}")
        rows.append(" | ".join([*(_MARKDOWN.sub(r"\\\1", cell) for cell in cells), _report_link(row, settings)]))
    return "\n".join(["| video | status | links | | report |", "|---|---|---|---|---|", *(f"| {line} |" for line in rows)])


def _report_link(row: VideoRow, settings: Settings) -> str:
    """A web address where the reports are published; else the place, which no browser would open from a page of Prefect's."""
    if not row.bundle:
        return ""
    if settings.link_base:
        return f"[{row.bundle}]({settings.link_base.rstrip('/')}/{row.bundle}/report.html)"
    return _MARKDOWN.sub(r"\\\1", str(settings.out / row.bundle / "report.html"))
