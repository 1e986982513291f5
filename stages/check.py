"""The format as a tool for other people's answers: each item is judged by the rules, nothing is repaired.

Reads `claims.json` or a plain list of `{"base", "text", "instant_s"?, "evidence"?}`. Without evidence only the format and the second
lock are judged, so a read item must bring its instant; with evidence the instant comes from the evidence, and one that is given must
agree with it. An inference of `claims.json` names its premises; a plain answer has no place for them, so there the key may be absent.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from stages.claim import READ, Base, refuse_written_time
from stages.draft import Draft
from stages.errors import UsageError
from stages.evidence import EvidenceSet
from stages.grounding import ground
from stages.instant import TOLERANCE_MS, OutsideTimeline, Timeline
from stages.rule import Rule, RuleBroken
from stages.vintage import refuse_currency, refuse_record

__all__ = ["Answers", "CheckReport", "Result", "check_claims", "load_answers"]

_TIME_KEYS: Final = frozenset(
    "instant_s instant_ms instant instante timestamp ts time tempo tiempo at t minute minuto second segundo "
    "start start_s start_ms end end_s end_ms".split()
)
"""Names under which answers carry a time: one too many on an unobserved base, held to the second lock on a read one."""
_OWN_SCHEMA: Final = "frame-oracle/claims/"


@dataclass(frozen=True, slots=True)
class Answers:
    """The statements to judge."""

    items: tuple[Any, ...]
    own_format: bool = False
    """They are a `claims.json`, whose rules are stricter than those of a plain list."""


@dataclass(frozen=True, slots=True)
class Result:
    """The judgement of one item, in the order given."""

    index: int
    status: str
    """`confirmed`, `weak`, `unchecked` or `refused`."""
    rule: str = ""
    detail: str = ""
    instant_ms: int | None = None

    @property
    def accepted(self) -> bool:
        return self.status != "refused"

    def as_json(self) -> dict[str, Any]:
        said: dict[str, Any] = {"index": self.index, "accepted": self.accepted, "status": self.status}
        said |= {"rule": self.rule or None, "detail": self.detail or None}
        return said if self.instant_ms is None else said | {"instant_ms": self.instant_ms}


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All judgements of one file."""

    results: tuple[Result, ...]

    @property
    def accepted(self) -> bool:
        """True when every item is."""
        return all(result.accepted for result in self.results)

    def as_json(self) -> dict[str, Any]:
        statuses = Counter(result.status for result in self.results)
        counts = {"total": len(self.results), "accepted": sum(result.accepted for result in self.results)}
        counts |= {status: statuses[status] for status in ("confirmed", "weak", "unchecked", "refused")}
        return {"schema": "frame-oracle/check/1", "results": [result.as_json() for result in self.results], "counts": counts}


def load_answers(path: Path) -> Answers:
    """The items of a `claims.json` or of a plain list. Raises `UsageError` for a file that holds neither."""
    try:
        said = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path.name}: cannot be read ({error.strerror}).", hint="Give a JSON file of claims.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path.name}: not JSON ({error}).", hint="Give a list of claims or a claims.json.") from error
    items = said.get("claims") if isinstance(said, dict) else said
    if not isinstance(items, list):
        raise UsageError(f"{path.name}: holds no list of claims.", hint='Give a list of {"base", "text", …} or a claims.json.')
    return Answers(tuple(items), isinstance(said, dict) and str(said.get("schema", "")).startswith(_OWN_SCHEMA))


def check_claims(
    answers: Answers, timeline: Timeline | None, evidence: EvidenceSet | None = None, *, video_sha256: str = ""
) -> CheckReport:
    """Judge `answers` against a video that is as long as `timeline`, or as long as `evidence` says it is.

    `video_sha256` is the video's, where it is at hand: evidence of another video is an error of whoever called, not of the answers.
    """
    timeline = timeline or (evidence.timeline if evidence else None)
    if timeline is None:
        raise UsageError("The length of the video is not known.", hint="Give --video, --duration or --evidence.")
    if evidence and video_sha256 not in ("", evidence.video_sha256):
        raise UsageError(
            f"The evidence was read in another video (SHA-256 {evidence.video_sha256[:12]}…, not {video_sha256[:12]}…).",
            hint="Read this video with `frame-oracle evidence VIDEO --out FILE.parquet`.",
        )
    premises = _PremiseBook(answers, evidence)
    # What is read first, whatever the order: an inference falls with a premise that stands below it.
    items = answers.items
    order = sorted(range(len(items)), key=lambda index: not _is_read(items[index]))
    repeated = _repeated_ids(items)
    results = [_judged(index, items[index], timeline, evidence, premises, index in repeated) for index in order]
    return CheckReport(tuple(sorted(results, key=lambda result: result.index)))


def _repeated_ids(items: Sequence[Any]) -> set[int]:
    """Indexes of the items whose id an earlier one has: a premise that names it would name two statements."""
    seen: set[str] = set()
    repeated: set[int] = set()
    for index, item in enumerate(items):
        name = item.get("id") if isinstance(item, Mapping) else None
        if isinstance(name, str):
            if name in seen:
                repeated.add(index)
            seen.add(name)
    return repeated


def _is_read(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("base"), str) and item["base"] in READ


class _PremiseBook:
    """Which read claims are there to rest on, what they cite, and which of them were refused so far."""

    def __init__(self, answers: Answers, evidence: EvidenceSet | None) -> None:
        self._read: dict[str, Mapping[str, Any]] = {}
        for item in answers.items:
            if _is_read(item) and isinstance(item.get("id"), str):
                self._read.setdefault(item["id"], item)
        self._evidence = evidence
        self._required = answers.own_format
        self.refused: set[str] = set()

    def content(self, item: Mapping[str, Any]) -> list[str]:
        """The words of the evidence behind the premises of an inference. Raises for one that is not a read claim that stands."""
        if "premises" not in item and not self._required:
            return []
        names = item.get("premises")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise RuleBroken(Rule.PREMISE_REQUIRED, "premises is a list of ids of read claims")
        cited: list[str] = []
        for name in names:
            if name not in self._read or name in self.refused:
                raise RuleBroken(Rule.PREMISE_REFUSED, f"it rests on {name!r}, which is not a read claim that stands")
            ids = self._read[name].get("evidence") or []
            found = [self._evidence.get(item) for item in ids] if self._evidence else []
            cited += [item.text for item in found if item]
        return cited


def _judged(index: int, item: Any, timeline: Timeline, evidence: EvidenceSet | None, premises: _PremiseBook, repeated: bool) -> Result:
    try:
        if repeated:
            raise RuleBroken(Rule.DUPLICATE, f"an earlier statement has the id {item['id']!r}")
        return _judge(index, item, timeline, evidence, premises)
    except RuleBroken as broken:
        if not repeated and isinstance(item, Mapping) and isinstance(item.get("id"), str):
            premises.refused.add(item["id"])
        return Result(index, "refused", broken.rule, broken.detail)


def _judge(index: int, item: Any, timeline: Timeline, evidence: EvidenceSet | None, premises: _PremiseBook) -> Result:
    base, draft = _draft(item)
    given = {str(key).lower(): value for key, value in item.items() if str(key).lower() in _TIME_KEYS and value is not None}
    if base not in READ:
        return _judge_unobserved(index, base, draft, given, item, premises)
    times = _given_times(given, timeline)
    if evidence is None:
        if not {"instant_ms", "instant_s"} & times.keys():
            raise RuleBroken(Rule.INSTANT_REQUIRED, f"the base {base} requires an instant: give instant_s")
        refuse_written_time(draft.text)
        return Result(index, "unchecked", instant_ms=times.get("instant_ms", times.get("instant_s")))
    claim = ground(draft, evidence, "")
    for cited in claim.evidence:
        _placed(cited.instant.ms, timeline)
    spans = [cited.span for cited in claim.evidence]
    for ms in times.values():
        if not any(span.start.ms - TOLERANCE_MS <= ms <= span.end.ms + TOLERANCE_MS for span in spans):
            raise RuleBroken(Rule.INSTANT_NOT_IN_EVIDENCE, f"at {ms / 1000:g} s the cited evidence is not there")
    return Result(index, claim.checks.status, instant_ms=claim.instant.ms)


def _judge_unobserved(
    index: int, base: Base, draft: Draft, given: Mapping[str, Any], item: Mapping[str, Any], premises: _PremiseBook
) -> Result:
    if given:
        name, value = next(iter(given.items()))
        raise RuleBroken(Rule.INSTANT_FORBIDDEN, f"the base {base} has no instant, but {name} is {value!r}")
    if draft.evidence:
        raise RuleBroken(Rule.EVIDENCE_FORBIDDEN, f"the base {base} cites no evidence")
    content = premises.content(item) if base is Base.INFERIDO else []
    refuse_written_time(draft.text, content)
    if content:
        refuse_currency(draft.text, content)
    refuse_record(draft.text)
    return Result(index, "unchecked")


def _draft(item: Any) -> tuple[Base, Draft]:
    if not isinstance(item, Mapping):
        raise RuleBroken(Rule.MALFORMED, "an item is an object with base and text")
    said, text, cited, quote = item.get("base"), item.get("text"), item.get("evidence") or [], item.get("quote") or ""
    try:
        base = Base(said)  # type: ignore[arg-type]  # anything may have been said
    except ValueError:
        raise RuleBroken(Rule.UNKNOWN_BASE, f"{said!r} is not one of {', '.join(Base)}") from None
    if not isinstance(text, str) or not isinstance(quote, str):
        raise RuleBroken(Rule.MALFORMED, "text and quote are strings")
    if not isinstance(cited, list) or not all(isinstance(name, str) for name in cited):
        raise RuleBroken(Rule.MALFORMED, "evidence is a list of ids")
    # What whoever answered was shown is not known here; that nothing written supports it, its status says.
    return base, Draft(base.value, text, tuple(cited), quote=quote, saw_frames=True)


def _given_times(given: Mapping[str, Any], timeline: Timeline) -> dict[str, int]:
    """The times that the item brings, by key, in ms, placed on the video; seconds unless the key says ms."""
    return {key: _placed(value, timeline, in_ms=key.endswith("_ms")) for key, value in given.items()}


def _placed(value: Any, timeline: Timeline, *, in_ms: bool = True) -> int:
    try:
        return timeline.instant(value).ms if in_ms else timeline.instant_at(value).ms
    except OutsideTimeline as outside:
        raise RuleBroken(Rule.INSTANT_OUTSIDE_VIDEO, str(outside)) from None
