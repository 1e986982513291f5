"""The questions that a batch's videos do not answer: `gaps.json` for the batch, and a private log for whoever keeps one.

What clients ask is theirs. So the ticket that travels with the batch has the question's number and no word of it; the words go only to a
log that somebody asked for, in a file that other users of the machine cannot read. A provider that was down is not a gap of the video:
its questions get no ticket, and the next run asks them again.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stages.claims_json import ClaimsFile
from stages.engines.chain import LITERAL
from stages.errors import UsageError
from stages.store import write_atomically

__all__ = ["GapTicket", "log_gaps", "require_private", "tickets", "write_gaps"]

_SCHEMA: Final = "frame-oracle/gaps/1"


@dataclass(frozen=True, slots=True)
class GapTicket:
    """One question that one video does not answer."""

    video: str
    """Its name in the batch; untrusted text."""
    sha256: str
    question: int
    """Number of the question, from 1."""
    text: str
    """The question; for the private log only."""
    proven: bool
    """Both channels were read completely, so that the absence is proven."""
    coverage: Mapping[str, Any]
    """By channel, as in `claims.json`."""
    profile: str


def tickets(video: str, stated: ClaimsFile, profile: str) -> tuple[GapTicket, ...]:
    """The gaps of a delivered report. None where a provider was down and nobody who understands a question was left to ask."""
    if stated.provider.failovers and LITERAL in stated.provider.name:
        return ()
    sha256 = stated.video.sha256
    return tuple(GapTicket(video, sha256, gap.question, gap.text, gap.proven, gap.coverage, profile) for gap in stated.gaps)


def write_gaps(folder: Path, gaps: Iterable[GapTicket]) -> None:
    """Write `gaps.json`, also where there is no gap: a missing file would mean nothing."""
    said = {"schema": _SCHEMA, "gaps": [_public(ticket) for ticket in gaps]}
    text = json.dumps(said, ensure_ascii=False, indent=1) + "\n"
    write_atomically(folder / "gaps.json", text.encode("utf-8", "backslashreplace"))


def require_private(log: Path, out: Path) -> None:
    """Raise `UsageError` unless `log` is a place for private words: not in the delivered folder, and not readable by other users."""
    if log.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{log}: the gap log lies inside the delivered folder {out}.", hint="Give a place that is not delivered.")
    if not log.parent.is_dir():
        raise UsageError(f"{log.parent}: no such folder.", hint="Make it, or choose another --gap-log.")
    if log.exists() and (not log.is_file() or stat.S_IMODE(log.stat().st_mode) & 0o077):
        raise UsageError(f"{log}: other users may read it.", hint=f"Make it private (chmod 600 {log.name}), or choose another --gap-log.")


def log_gaps(log: Path, gaps: Iterable[GapTicket]) -> None:
    """Append each ticket with the words of its question, one JSON object a line, to a file that only its owner can read."""
    lines = list(_private(gaps))
    if not lines:
        return
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(lines)


def _public(ticket: GapTicket) -> dict[str, Any]:
    return {
        "video": ticket.video,
        "sha256": ticket.sha256,
        "question": ticket.question,
        "proven": ticket.proven,
        "coverage": dict(ticket.coverage),
        "profile": ticket.profile,
    }


def _private(gaps: Iterable[GapTicket]) -> Iterator[str]:
    for ticket in gaps:
        yield json.dumps(_public(ticket) | {"text": ticket.text}, ensure_ascii=False) + "\n"
