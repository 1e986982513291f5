"""What became of every video of a run: `batch.json`, and the exit status that follows from it.

Partial is a state. A run that delivered nine of ten reports must not look like one that delivered ten, so each video has a row with
its status, the failing stage, a stable code, one line for people and their next move, and nothing that was given is left out.
"""

from __future__ import annotations

import errno
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from stages.brief import VideoBrief
from stages.draft import ProviderSeal
from stages.errors import ExitCode, FrameOracleError, InputRejected, StageFailed, UsageError
from stages.evidence import EvidenceSet
from stages.findings import Stated
from stages.gap_record import GapTicket
from stages.settings import Settings
from stages.store import write_atomically
from stages.video import Video

__all__ = [
    "BatchRecord",
    "Status",
    "VideoOrder",
    "VideoRow",
    "delivered_row",
    "exit_code_of",
    "failed_row",
    "require_own",
    "unfinished_row",
    "write_batch_record",
]

_SCHEMA: Final = "frame-oracle/batch/1"
_WRITTEN: Final = ("batch.json", "gaps.json", "index.html")


class Status(StrEnum):
    """What became of one video."""

    DELIVERED = "delivered"
    UNCHANGED = "unchanged"
    """Its bundle was there already, made of the same things: nothing was done."""
    PARTIAL = "partial"
    """Delivered, but part of a channel could not be read."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class VideoOrder:
    """One video to report on, and how; crosses process borders."""

    source: Path
    name: str
    """Its path below the folder that was given, or its file name; untrusted text."""
    slug: str
    brief: VideoBrief
    settings: Settings


@dataclass(frozen=True, slots=True)
class VideoRow:
    """One video of the batch. Names are untrusted text."""

    source: str
    """The order's `name`."""
    slug: str
    status: Status
    sha256: str = ""
    """Of the original's bytes; empty where they could not be read."""
    duration_ms: int = 0
    bundle: str = ""
    """Its folder, relative to the batch's; empty when nothing was delivered."""
    language: str = ""
    provider: str = ""
    """The entry of the chain that answered, and its model."""
    claims: Mapping[str, int] = field(default_factory=dict)
    """How many of each base."""
    rejections: int = 0
    gaps: int = 0
    seal: str = ""
    """Level of the report's confidence seal."""
    stated: tuple[Stated, ...] = ()
    """What the delivered report states."""
    tickets: tuple[GapTicket, ...] = ()
    """The questions that the video does not answer; none where a provider that should have answered was down."""
    clips: str = ""
    """`n of m`: how many read claims carry their clip in the page for mail; empty where none was made in this run."""
    links: int = 0
    """Read claims whose link was tested."""
    links_verified: int = 0
    work: Mapping[str, str] = field(default_factory=dict)
    """What each stage did: `made` or `reused`."""
    unread: tuple[str, ...] = ()
    """Channels that were not read completely."""
    stage: str = ""
    """The stage that failed."""
    code: str = ""
    """Stable word for why it failed."""
    message: str = ""
    hint: str = ""
    exit_code: ExitCode = ExitCode.OK
    """What this video alone would end a run with: its failure, or a report that no model answered."""
    unasked: int = 0
    """Questions that no model of the chain answered."""
    failovers: tuple[str, ...] = ()
    """Providers that did not answer, and why."""
    fonts_lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the Debian package that has them, the scripts that the PDF shows as boxes."""
    unusable: bool = False
    """The file itself is the reason of the failure."""

    @property
    def failed(self) -> bool:
        return self.status is Status.FAILED

    @property
    def unchanged(self) -> bool:
        """True when no stage did anything."""
        return bool(self.work) and set(self.work.values()) == {"reused"}

    def as_json(self) -> dict[str, Any]:
        said: dict[str, Any] = {"source": self.source, "slug": self.slug, "sha256": self.sha256, "status": self.status.value}
        if self.failed:
            return said | {"stage": self.stage, "code": self.code, "message": self.message, "hint": self.hint, "work": dict(self.work)}
        return said | {
            "bundle": self.bundle,
            "duration_ms": self.duration_ms,
            "language": self.language,
            "provider": self.provider,
            "unasked": self.unasked,
            "failovers": list(self.failovers),
            "claims": dict(self.claims),
            "rejections": self.rejections,
            "gaps": self.gaps,
            "seal": self.seal,
            "links": self.links,
            "links_verified": self.links_verified,
            "clips": self.clips,
            "unread": list(self.unread),
            "fonts_lacking": {package: list(scripts) for package, scripts in self.fonts_lacking.items()},
            "work": dict(self.work),
        }


def exit_code_of(seal: ProviderSeal) -> ExitCode:
    """What the answers of one delivered report alone would end a run with: a search for words is no answer of a model."""
    if not seal.unasked:
        return ExitCode.OK
    return ExitCode.PARTIAL if seal.model else ExitCode.NO_PROVIDER


def failed_row(order: VideoOrder, stage: str, error: Exception, **known: Any) -> VideoRow:
    """The row of a video that `error` ended in `stage`; `known` are the fields that are known none the less."""
    row = VideoRow(order.name, order.slug, Status.FAILED, stage=stage, **known)
    if isinstance(error, FrameOracleError):
        unusable = isinstance(error, InputRejected)
        return replace(row, code=error.code, message=error.message, hint=error.hint, exit_code=error.exit_code, unusable=unusable)
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            code, hint = "disk_full", "Free some, and run again: what was finished is kept."
            reason = f"the disk of the {'output' if stage == 'deliver' else 'cache'} is full"
        else:
            code, hint = "os_error", "Check the permissions of the file, the output and the cache, and run again."
            reason = error.strerror or str(error)
        return replace(row, code=code, message=f"{order.name}: {reason}.", hint=hint, exit_code=ExitCode.PARTIAL)
    message = f"{order.name}: {type(error).__name__}: {error}"
    hint = "This is a defect of the program; the run log has the details."
    return replace(row, code="internal", message=message, hint=hint, exit_code=ExitCode.INTERNAL)


def unfinished_row(order: VideoOrder, stage: str) -> VideoRow:
    """The row of a video that is not finished, and was last seen in `stage`; it stands where the run ends before."""
    hint = "Run the same command again: what was finished is kept."
    row = failed_row(order, stage, StageFailed(f"{order.name}: not finished when the run ended.", hint=hint, code="interrupted"))
    return replace(row, exit_code=ExitCode.INTERRUPTED)


def delivered_row(order: VideoOrder, video: Video, evidence: EvidenceSet, work: Mapping[str, str], **known: Any) -> VideoRow:
    """The row of a video that was read to the end; `known` are the fields that depend on what was made of it."""
    unread = tuple(channel.value for channel, coverage in evidence.coverage.items() if not coverage.complete)
    row = VideoRow(
        order.name, order.slug, Status.DELIVERED, sha256=video.sha256, duration_ms=video.timeline.duration_ms, unread=unread,
        work=dict(work), **known,
    )  # fmt: skip
    return replace(row, status=Status.PARTIAL if unread else Status.UNCHANGED if row.unchanged else Status.DELIVERED)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A finished run: its videos in the order of their names, and what was given and is no video."""

    videos: tuple[VideoRow, ...]
    ignored: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        statuses = Counter(row.status for row in self.videos)
        return {status.value: statuses[status] for status in Status} | {"ignored": len(self.ignored)}

    @property
    def compared(self) -> list[tuple[str, list[tuple[VideoRow, list[Stated]]]]]:
        """Each question that several videos were asked, with what the report of each states on it."""
        asked: dict[str, list[tuple[VideoRow, list[Stated]]]] = {}
        for row in self.videos:
            for question in dict.fromkeys(item.question for item in row.stated if item.question):
                asked.setdefault(question, []).append((row, [item for item in row.stated if item.question == question]))
        return [(question, answers) for question, answers in asked.items() if len(answers) > 1]

    @property
    def tickets(self) -> tuple[GapTicket, ...]:
        """The open questions of all its videos."""
        return tuple(ticket for row in self.videos for ticket in row.tickets)

    @property
    def language(self) -> str:
        """The language that most of its reports are in; empty where there is none."""
        languages = Counter(row.language for row in self.videos if row.language)
        return languages.most_common(1)[0][0] if languages else ""

    @property
    def exit_code(self) -> ExitCode:
        """0 when nothing lacks. What stops every video or breaks a promise comes first; where nothing was delivered, its reason decides."""
        failures = [row.exit_code for row in self.videos if row.failed]
        for worst in (ExitCode.INTERRUPTED, ExitCode.USAGE, ExitCode.MISSING_DEPENDENCY, ExitCode.VERIFICATION_FAILED):
            if worst in failures:
                return worst
        if not failures:
            unanswered = {row.exit_code for row in self.videos}
            if unanswered == {ExitCode.NO_PROVIDER}:
                return ExitCode.NO_PROVIDER
            partial = any(row.status is Status.PARTIAL for row in self.videos)
            return ExitCode.PARTIAL if partial or unanswered - {ExitCode.OK} else ExitCode.OK
        if len(failures) < len(self.videos):
            return ExitCode.PARTIAL
        if all(row.unusable for row in self.videos):
            return ExitCode.NO_USABLE_INPUT
        return failures[0] if len(set(failures)) == 1 else ExitCode.PARTIAL

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": _SCHEMA,
            "exit_code": int(self.exit_code),
            "counts": self.counts,
            "videos": [row.as_json() for row in self.videos],
            "ignored": [{"source": name, "status": "ignored"} for name in self.ignored],
        }


def require_own(folder: Path) -> None:
    """Raise `UsageError` where a run would write over files of the same names that no run wrote: each run writes `batch.json` first."""
    there = [name for name in _WRITTEN if (folder / name).exists()]
    if there and not _is_record(folder / "batch.json"):
        message = f"{folder}: holds {' and '.join(there)} of somebody else, which a run would write over."
        raise UsageError(message, hint="Choose another --out, or move what is there away.", code="foreign_output")


def _is_record(path: Path) -> bool:
    try:
        said = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and str(said.get("schema", "")).startswith(_SCHEMA.rpartition("/")[0])


def write_batch_record(folder: Path, record: BatchRecord) -> None:
    """Write `batch.json`. A name that is no valid Unicode is written with escapes, so that the file always is."""
    text = json.dumps(record.as_json(), ensure_ascii=False, indent=1) + "\n"
    write_atomically(folder / "batch.json", text.encode("utf-8", "backslashreplace"))
