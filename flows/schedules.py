"""Deployments: the report on a folder, offered in Prefect's interface on a schedule and on request.

`frame-oracle serve` is the small way, one process that offers and works; `prefect.yaml` with a work pool is the way for several machines.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from flows.options import absolute
from flows.prefect_server import PREFECT_SETTINGS, configured_api, require_answer
from flows.terminal import say
from stages.brief import load_brief
from stages.errors import MissingDependency, UsageError

__all__ = ["serve_reports", "submit_videos"]


def serve_reports(folder: Path, out: Path, brief: Path | None, cron: str, name: str) -> None:
    """Serve the deployment `report/NAME` until interrupted. Raises `MissingDependency` without a Prefect API that answers."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder.", hint="Give the folder whose videos are reported on.")
    if absolute(out).resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{out}: the output lies inside the input {folder}.", hint="Give an --out beside it.")
    api = _require_api()
    from prefect import serve
    from prefect.deployments.runner import RunnerDeployment
    from prefect.types.entrypoint import EntrypointType

    from flows.batch import report

    if brief:
        load_brief(brief)  # a night's run should not be the first to read it
    parameters = {"folder": str(absolute(folder)), "out": str(absolute(out)), "brief": str(absolute(brief)) if brief else ""}
    try:
        deployment = report.to_deployment(name, cron=cron or None, parameters=parameters, entrypoint_type=EntrypointType.MODULE_PATH)
    except ValueError as error:
        raise UsageError(f"--cron: {cron!r} is not a schedule.", hint="Give five fields, such as '0 2 * * *'.") from error
    say(f"serving report/{name} at {api.removesuffix('/api')}/deployments")
    serve(cast(RunnerDeployment, deployment), print_starting_message=False)


def submit_videos(source: str, out: str, deployment: str, parameters: Mapping[str, str]) -> Mapping[str, str]:
    """A run of `deployment` for each video below `source`; how each ended, by slug, said as it ends."""
    _require_api()
    from flows.remote import submit

    return submit(source, out, deployment, parameters, tell=say)


def _require_api() -> str:
    api = configured_api()
    if not api:
        hint = "Start one with `prefect server start`, and set PREFECT_API_URL=http://127.0.0.1:4200/api."
        raise MissingDependency("No Prefect API is configured.", hint=hint, code="no_prefect_api")
    os.environ |= PREFECT_SETTINGS  # before Prefect is imported, and for the runs that it starts
    require_answer("Start it with `prefect server start`, or correct PREFECT_API_URL.")
    return api
