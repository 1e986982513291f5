"""The questions and the evidence they are asked of: one TOML file for each video, in `evidence/`.

half = "tune" | "score"     files whose answers may be looked at while prompts are changed, and files only counted
lines = [[id, start_ms, end_ms, text], …]
[[question]]
needs = [["T-000003", "F-000002"], ["T-000007"]]    one piece of each group is needed; without the key the video does not answer
says = "35|trinta e cinco"                           a pattern that the folded words of the answer or of its quote hold
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stages.claim import ReadClaim
from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind
from stages.findings import Question
from stages.instant import Timeline
from stages.video import Video
from stages.words import fold

__all__ = ["Asked", "Case", "load_cases", "right"]

_FOLDER: Final = Path(__file__).with_name("evidence")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what is known of its answer."""

    question: Question
    language: str
    needs: tuple[frozenset[str], ...]
    """Groups of evidence ids, one of each needed; empty where the video does not answer."""
    says: str

    @property
    def answerable(self) -> bool:
        return bool(self.needs)


@dataclass(frozen=True, slots=True)
class Case:
    """One video's evidence and the questions over it."""

    name: str
    half: str
    video: Video
    evidence: EvidenceSet
    asked: tuple[Asked, ...]


def load_cases(half: str) -> list[Case]:
    """The cases of one half, `tune` or `score`, in order of name."""
    cases = (_case(path) for path in sorted(_FOLDER.glob("*.toml")))
    return [case for case in cases if case.half == half]


def right(asked: Asked, claims: list[ReadClaim]) -> bool:
    """Whether these claims answer the question: a piece of each group is cited, and the answer is said. Nothing answers what is absent."""
    cited = {item.id for claim in claims for item in claim.evidence}
    words = fold(" ".join(f"{claim.text} {claim.quote}" for claim in claims))
    return bool(claims) and asked.answerable and all(group & cited for group in asked.needs) and re.search(asked.says, words) is not None


def _case(path: Path) -> Case:
    raw = path.read_bytes()
    said = tomllib.loads(raw.decode())
    sha256 = hashlib.sha256(raw).hexdigest()
    timeline = Timeline(said["duration_ms"])
    items = tuple(_evidence(line, timeline, sha256) for line in said["lines"])
    coverage = {channel: Coverage(channel, CoverageState.COMPLETE) for channel in Channel}
    video = Video(sha256, path, f"{path.stem}.mp4", path.stem, path, sha256, timeline, 0, 0, 0.0, None, "", False)
    asked = tuple(_asked(number, table) for number, table in enumerate(said["question"], start=1))
    return Case(path.stem, said["half"], video, EvidenceSet(sha256, timeline, items, coverage), asked)


def _asked(number: int, table: dict[str, Any]) -> Asked:
    needs = tuple(frozenset(group) for group in table.get("needs", ()))
    return Asked(Question(number, table["text"]), table["language"], needs, table.get("says", ""))


def _evidence(line: list[Any], timeline: Timeline, sha256: str) -> Evidence:
    name, start, end, text = line
    channel = Channel.TELA if name.startswith("T") else Channel.FALA
    kind = Kind.TEXT if channel is Channel.TELA else Kind.SPEECH
    span = timeline.span(start, end)
    return Evidence(name, channel, kind, span, timeline.instant(start), text, 0.9, "drawn", "drawn", sha256)
