"""What is kept on disk: the Parquet schema of evidence, writes that are whole or absent, and the stage store.

A scheduler's cache keys hash a path, not the content behind it, so a file that changed under the same name would be reported with
the old reading. The stage store keys a result by what went into it: the SHA-256 of the video, the stage's name and version, the
engine and model hash, and the settings that matter to that stage. An entry is used only when its files still have the hashes that
were recorded when it was made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock

from stages.entries import NotStored, why_absent, write_inputs
from stages.errors import InputRejected
from stages.evidence import Box, Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, Word
from stages.instant import OutsideTimeline, Timeline

__all__ = [
    "EVIDENCE_SCHEMA",
    "StageStore",
    "coverage_json",
    "digest",
    "file_sha256",
    "read_evidence",
    "write_atomically",
    "write_evidence",
]

_VERSION: Final = b"frame-oracle/evidence/1"

EVIDENCE_SCHEMA: Final = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("channel", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("start_ms", pa.int64(), nullable=False),
        pa.field("end_ms", pa.int64(), nullable=False),
        pa.field("instant_ms", pa.int64(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("confidence", pa.float64(), nullable=False),
        pa.field("trusted", pa.bool_(), nullable=False),
        pa.field("distrust_reason", pa.string()),
        pa.field("language", pa.string()),
        pa.field("engine", pa.string(), nullable=False),
        pa.field("model", pa.string(), nullable=False),
        pa.field("box", pa.struct([(side, pa.float64()) for side in ("x0", "y0", "x1", "y1")])),
        pa.field(
            "words",
            pa.list_(
                pa.struct(
                    [
                        ("text", pa.string()),
                        ("start_ms", pa.int64()),
                        ("end_ms", pa.int64()),
                        ("prob", pa.float64()),
                        ("approximate", pa.bool_()),
                    ]
                )
            ),
        ),
        pa.field("video_sha256", pa.string(), nullable=False),
    ],
    metadata={b"schema": _VERSION},
)


def digest(*parts: str) -> str:
    """SHA-256 of the parts, each with its length, so that no two lists of parts collide."""
    state = hashlib.sha256()
    for part in parts:
        raw = part.encode()
        state.update(len(raw).to_bytes(8, "big") + raw)
    return state.hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, read in blocks."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` so that `path` holds the old bytes or the new ones, never a part, whatever interrupts."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _row(item: Evidence) -> dict[str, Any]:
    return {
        "id": item.id,
        "channel": item.channel.value,
        "kind": item.kind.value,
        "start_ms": item.span.start.ms,
        "end_ms": item.span.end.ms,
        "instant_ms": item.instant.ms,
        "text": item.text,
        "confidence": item.confidence,
        "trusted": item.trusted,
        "distrust_reason": item.distrust_reason or None,
        "language": item.language or None,
        "engine": item.engine,
        "model": item.model,
        "box": dataclasses.asdict(item.box) if item.box else None,
        "words": [_word_row(word) for word in item.words],
        "video_sha256": item.video_sha256,
    }


def _word_row(word: Word) -> dict[str, Any]:
    span = word.span
    return {
        "text": word.text,
        "start_ms": span.start.ms,
        "end_ms": span.end.ms,
        "prob": word.prob,
        "approximate": word.approximate,
    }


def _evidence(row: Mapping[str, Any], timeline: Timeline) -> Evidence:
    words = tuple(
        Word(word["text"], timeline.span(word["start_ms"], word["end_ms"]), word["prob"], bool(word.get("approximate")))
        for word in row["words"] or ()
    )
    return Evidence(
        id=row["id"], channel=Channel(row["channel"]), kind=Kind(row["kind"]), span=timeline.span(row["start_ms"], row["end_ms"]),
        instant=timeline.instant(row["instant_ms"]), text=row["text"], confidence=row["confidence"], engine=row["engine"],
        model=row["model"], video_sha256=row["video_sha256"], language=row["language"] or "",
        box=Box(**row["box"]) if row["box"] else None, words=words, distrust_reason=row["distrust_reason"] or "",
    )  # fmt: skip


def coverage_json(coverage: Coverage) -> dict[str, Any]:
    """A channel's coverage as `claims.json` and the Parquet metadata carry it."""
    return {
        "state": coverage.state.value,
        "reason": coverage.reason,
        "detail": coverage.detail,
        "unread": [{"start_ms": span.start.ms, "end_ms": span.end.ms} for span in coverage.unread],
    }


def _coverage(channel: Channel, said: Mapping[str, Any], timeline: Timeline) -> Coverage:
    unread = tuple(timeline.span(span["start_ms"], span["end_ms"]) for span in said["unread"])
    return Coverage(channel, CoverageState(said["state"]), unread, said["reason"], said["detail"])


def write_evidence(path: Path, evidence: EvidenceSet) -> None:
    """Write the evidence of one video as Parquet, one row group, with its duration and coverage in the file's metadata."""
    facts = {
        b"schema": _VERSION,
        b"video_sha256": evidence.video_sha256.encode(),
        b"duration_ms": str(evidence.timeline.duration_ms).encode(),
        b"coverage": json.dumps({channel.value: coverage_json(item) for channel, item in evidence.coverage.items()}).encode(),
    }
    table = pa.Table.from_pylist([_row(item) for item in evidence], schema=EVIDENCE_SCHEMA.with_metadata(facts))
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue().to_pybytes())


def read_evidence(path: Path) -> EvidenceSet:
    """Read what `write_evidence` wrote. Raises `InputRejected` for a file that is not of this schema and version."""
    try:
        # Through a buffer: pyarrow would read a folder-partition out of a path with `key=value` in it.
        table = pq.read_table(pa.BufferReader(path.read_bytes()))
        facts = table.schema.metadata or {}
        if facts.get(b"schema") != _VERSION:
            raise ValueError(f"schema {facts.get(b'schema', b'unknown').decode(errors='replace')}")
        timeline = Timeline(int(facts[b"duration_ms"]))
        items = tuple(_evidence(row, timeline) for row in table.to_pylist())
        said = json.loads(facts[b"coverage"])
        coverage = {Channel(name): _coverage(Channel(name), value, timeline) for name, value in said.items()}
        return EvidenceSet(facts[b"video_sha256"].decode(), timeline, items, coverage)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError, OutsideTimeline) as error:
        hint = "Make it with `frame-oracle evidence VIDEO --out FILE.parquet`."
        raise InputRejected(f"{path.name}: not an evidence file ({error}).", hint=hint, code="not_evidence") from error


def _unnoticed(stage: str, reused: bool) -> None:
    """The default of `StageStore.notice`."""


@dataclass(frozen=True, slots=True)
class StageStore:
    """Content-addressed results of stages under `root`; safe for several processes at once."""

    root: Path
    notice: Callable[[str, bool], None] = _unnoticed
    """Told of each result: the stage, and whether it was reused (True) or had to be made (False)."""
    dry: bool = False
    """Make nothing and write nothing: a result that is not there raises `NotStored`."""
    _asked: dict[str, tuple[int, Mapping[str, str]]] = field(default_factory=dict)
    """What went into each key that was asked for."""

    def key(self, stage: str, version: int, inputs: Mapping[str, str]) -> str:
        """The address of a result: everything that goes into it."""
        key = digest(stage, str(version), *(part for name in sorted(inputs) for part in (name, inputs[name])))
        self._asked[key] = version, inputs
        return key

    def build(self, stage: str, key: str, make: Callable[[Path], None]) -> Path:
        """The entry's folder, made by `make(folder)` where it is not there yet. A failure leaves nothing behind."""
        parent = self.root / stage / key[:2]
        entry = parent / key
        if self.dry:
            if not _whole(entry):
                raise NotStored(stage, why_absent(self.root, stage, *self._asked[key], entry))
            return entry
        parent.mkdir(parents=True, exist_ok=True)
        with FileLock(parent / f"{key}.lock"):
            reused = _whole(entry)
            if reused:
                os.utime(entry / _RECORD)  # when it was last used, for those who prune
            else:
                if entry.exists():
                    logging.getLogger(__name__).warning("%s: the stored %s is damaged and is made again", entry, stage)
                _make_entry(entry, make, *self._asked[key])
            self.notice(stage, reused)
            return entry


_RECORD: Final = "entry.json"


def _whole(entry: Path) -> bool:
    """Whether every file of the entry still has the hash recorded when it was made."""
    try:
        recorded = json.loads((entry / _RECORD).read_text())
    except (OSError, ValueError):
        return False
    if not isinstance(recorded, dict) or not recorded:
        return False
    return all((entry / name).is_file() and file_sha256(entry / name) == value for name, value in recorded.items())


def _make_entry(entry: Path, make: Callable[[Path], None], version: int, inputs: Mapping[str, str]) -> None:
    with _scratch(entry.parent) as folder:
        make(folder)
        write_inputs(folder, version, inputs)
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        recorded = {name: file_sha256(folder / name) for name in names}
        write_atomically(folder / _RECORD, json.dumps(recorded, indent=1).encode())
        shutil.rmtree(entry, ignore_errors=True)
        folder.replace(entry)


@contextlib.contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=".partial-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
