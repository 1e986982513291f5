"""`frame-oracle evidence` on every file of a folder of media: each must end in evidence or in a reason, its times as ffprobe sees them.

    python -m benchmarks.catalogue --out RESULTS.jsonl [--only PATTERN] [--media FOLDER] [--limit-s 600]

One file at a time, each in a process of its own with an empty cache, the smallest first. One JSON line per finished file goes to `--out`;
files that have one there are not run again, so a run may be stopped and continued. The table of all results so far is printed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import faster_whisper  # noqa: F401 - loaded once, here, and not once for each file
import rapidocr  # noqa: F401

from flows.cli import main as frame_oracle
from stages.evidence import Channel, EvidenceSet
from stages.probe import Picture, Probe, Sound, probe
from stages.store import read_evidence

_MEDIA: Final = Path(__file__).parents[2] / "shared" / "media"
_NO_MEDIA: Final = frozenset({".md", ".json", ".jsonl", ".txt", ".xhtml", ".transcription", ".fileids"})
_RUN_IN_S: Final = 0.05
"""Sound that leads the picture by this much or less does not move the zero of the clock."""
_ROUNDING_S: Final = 0.001
_LEAST_STEP_S: Final = 0.03
"""Without a picture, one packet of sound as ours are encoded, with its run-in."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="*", help="pattern of the path below the folder")
    parser.add_argument("--media", type=Path, default=_MEDIA)
    parser.add_argument("--limit-s", type=float, default=600.0, help="longest time for one file")
    given = parser.parse_args()
    rows = _results(given.out)
    for path in sorted(_files(given.media), key=lambda path: path.stat().st_size):
        name = path.relative_to(given.media).as_posix()
        if name in rows or not fnmatch(name, given.only):
            continue
        rows[name] = row = _run(path, name, given.limit_s)
        with given.out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(_line(row), file=sys.stderr, flush=True)
    chosen = [row for name, row in sorted(rows.items()) if fnmatch(name, given.only)]
    print("\n".join(_table(chosen)))
    return 0 if all(row["outcome"] in ("evidence", "refused") and not row["times"] for row in chosen) else 1


def _results(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["file"]: row for row in map(json.loads, lines)}


def _files(media: Path) -> Iterator[Path]:
    yield from (path for path in media.rglob("*") if path.is_file() and path.suffix.lower() not in _NO_MEDIA)


def _run(path: Path, name: str, limit_s: float) -> dict[str, Any]:
    """What became of one file, as its line of the results."""
    with tempfile.TemporaryDirectory(prefix="catalogue-") as folder:
        out, cache = Path(folder) / "evidence.parquet", Path(folder) / "cache"
        answer = Path(folder) / "answer.json"
        started = time.monotonic()
        status = _ended(["evidence", str(path), "--out", str(out), "--cache", str(cache), "--json"], answer, limit_s)
        row: dict[str, Any] = {"file": name, "bytes": path.stat().st_size, "seconds": round(time.monotonic() - started, 1), "exit": status}
        if status is None:
            return row | {"outcome": "time limit", "times": []}
        if not out.exists():
            video = json.loads(answer.read_text() or "{}").get("video", {})
            refused = video.get("code", "internal") not in ("internal", "os_error")
            reason = f"{video.get('code', f'exit status {status}')}: {video.get('message', '')}"
            return row | {"outcome": "refused" if refused else "crashed", "reason": reason, "times": []}
        evidence = read_evidence(out)
        delivered = next(cache.rglob("media.mp4"))
        return row | {"outcome": "evidence", **_read(evidence), "times": list(_disagreements(path, delivered, evidence))}


def _ended(command: Sequence[str], said: Path, limit_s: float) -> int | None:
    """Exit status of the command line, run in a process of its own that has its imports already; None where it had to be ended."""
    child = get_context("fork").Process(target=_command, args=(command, said))
    child.start()
    child.join(limit_s)
    if child.exitcode is None:
        child.kill()
        child.join()
        return None
    return child.exitcode


def _command(arguments: Sequence[str], said: Path) -> None:
    """`frame-oracle` with these arguments, stdout going to the file `said`."""
    os.setpgrp()
    with said.open("w") as out, Path(os.devnull).open("w") as nowhere:
        os.dup2(out.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.argv[1:] = arguments
    sys.exit(frame_oracle())


def _read(evidence: EvidenceSet) -> dict[str, Any]:
    kinds = Counter(f"{item.channel} {item.kind}{'' if item.trusted else ' distrusted'}" for item in evidence)
    coverage = {
        channel.value: f"{said.state} {said.reason} {' '.join(f'{span.start.ms}-{span.end.ms}' for span in said.unread)}".strip()
        for channel, said in evidence.coverage.items()
    }
    return {"counts": dict(sorted(kinds.items())), "coverage": coverage, "duration_ms": evidence.timeline.duration_ms}


def _disagreements(source: Path, delivered: Path, evidence: EvidenceSet) -> Iterator[str]:
    """Where the evidence and ffprobe's packets of the original and of the delivered file say different things."""
    original, made = probe(source), probe(delivered)
    step = made.picture.packets.usual_step() if made.picture else _LEAST_STEP_S
    if made.picture and abs(first := min(made.picture.packets.starts)) > _ROUNDING_S:
        yield f"the first frame is at {first:.3f} s"
    length, expected = evidence.timeline.duration_ms / 1000, _extent(original, made)
    if abs(length - expected) > max(step, _LEAST_STEP_S) + _ROUNDING_S:
        yield f"{length:.3f} s long, its packets {expected:.3f} s"
    for channel, stream in ((Channel.TELA, made.picture), (Channel.FALA, made.sound)):
        end = stream.packets.end if stream else 0.0
        late = [item.id for item in evidence.of(channel) if item.span.end.ms / 1000 > end + step]
        if late:
            yield f"{late[0]} ends after the stream, which ends at {end:.3f} s"


def _extent(original: Probe, made: Probe) -> float:
    """From the zero of the clock to the last packet's end, seconds, over the streams that were delivered."""
    streams: list[Picture | Sound] = []
    streams += [original.picture] if original.picture and made.picture else []
    streams += [original.sound] if original.sound and made.sound else []
    starts = [min(item.packets.starts) for item in streams]
    zero = starts[0] if starts[0] - min(starts) <= _RUN_IN_S else min(starts)
    return max(item.packets.end for item in streams) - zero


def _line(row: Mapping[str, Any]) -> str:
    if row["outcome"] != "evidence":
        return f"| {row['file']} | {row['outcome']} {row.get('reason', '')} | | {row['seconds']} | |"
    counts = ", ".join(f"{count} {kind}" for kind, count in row["counts"].items()) or "nothing"
    coverage = "; ".join(f"{channel} {said}" for channel, said in row["coverage"].items())
    return f"| {row['file']} | {counts} | {coverage} | {row['seconds']} | {'; '.join(row['times']) or 'agree'} |"


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| file | evidence | coverage | s | times |"
    yield "|---|---|---|---|---|"
    yield from map(_line, rows)
    outcomes = Counter(row["outcome"] for row in rows)
    wrong = sum(bool(row["times"]) for row in rows)
    yield ""
    yield f"{len(rows)} files: {', '.join(f'{count} {name}' for name, count in outcomes.most_common())}; times disagree in {wrong}"


if __name__ == "__main__":
    sys.exit(main())
