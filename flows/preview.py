"""`--dry-run`: which videos a run would take, what it would refuse, and which stages it would run and why. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.terminal import print_json, say
from stages.batch_record import VideoOrder
from stages.brief import Brief
from stages.entries import FOLLOWS
from stages.errors import ExitCode, InputRejected
from stages.settings import Settings

__all__ = ["preview"]


def preview(inputs: Sequence[Path], settings: Settings, brief: Brief, as_json: bool) -> int:
    """Say what a run would do; returns the exit status that the inputs would give."""
    from flows.order import plan

    orders, ignored = plan(inputs, settings, brief)
    videos = [_looked_at(order) for order in orders]
    for name in ignored:
        say(f"{name}: ignored")
    if as_json:
        print_json({"schema": "frame-oracle/plan/1", "videos": videos, "ignored": list(ignored)})
    refused = [bool(video["refused"]) for video in videos]
    return ExitCode.NO_USABLE_INPUT if all(refused) else ExitCode.PARTIAL if any(refused) else ExitCode.OK


def _would_run(stages: Mapping[str, str]) -> str:
    first = ", ".join(f"{name} ({why})" for name, why in stages.items() if why not in ("", FOLLOWS))
    then = ", ".join(name for name, why in stages.items() if why == FOLLOWS)
    return f"would run {first}{', then ' if then else ''}{then}" if first else "nothing to do"


def _looked_at(order: VideoOrder) -> dict[str, Any]:
    from flows.order import preview_video
    from stages.probe import probe

    refused, stages = "", dict[str, str]()
    try:
        stages |= preview_video(order)
        if stages["ingest"]:
            probe(order.source, order.settings.audio_track)
    except InputRejected as reason:
        refused = str(reason)
        stages.clear()
    if refused:
        say(f"{order.name}: refused: {refused.removeprefix(f'{order.name}: ')}")
    else:
        say(f"{order.name}: {order.slug}/, questions: {len(order.brief.questions)}, {_would_run(stages)}")
    return {
        "source": order.name,
        "slug": order.slug,
        "questions": list(order.brief.questions),
        "refused": refused,
        "stages": [{"stage": name, "runs": bool(reason), "why": reason} for name, reason in stages.items()],
    }
