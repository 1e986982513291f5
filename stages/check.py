"""The format as a tool for other people's answers: each item is judged by the rules, nothing is repaired.

Reads `claims.json` or a plain list of `{"base", "text", "instant_s"?, "evidence"?}`. Without evidence only the format and the second
lock are judged, so a read item must bring its instant; with evidence the instant comes from the evidence, and one that is given must
agree with it.
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

__all__ = ["CheckReport", "Result", "check_claims", "load_items"]

_TIME_KEYS: Final = frozenset(
    "instant_s instant_ms instant instante timestamp ts time tempo tiempo at t minute minuto second segundo "
    "start start_s start_ms end end_s end_ms".split()
)
"""Names under which answers carry a time; on an unobserved base each of them is one too many."""


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


def load_items(path: Path) -> list[Any]:
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
    return items


def check_claims(items: Sequence[Any], timeline: Timeline | None, evidence: EvidenceSet | None = None) -> CheckReport:
    """Judge `items` against a video that is as long as `timeline`, or as long as `evidence` says it is."""
    timeline = timeline or (evidence.timeline if evidence else None)
    if timeline is None:
        raise UsageError("The length of the video is not known.", hint="Give --video, --duration or --evidence.")
    premises = _PremiseBook(items, evidence)
    # What is read first, whatever the order: an inference falls with a premise that stands below it.
    order = sorted(range(len(items)), key=lambda index: not _is_read(items[index]))
    results = [_judged(index, items[index], timeline, evidence, premises) for index in order]
    return CheckReport(tuple(sorted(results, key=lambda result: result.index)))


def _is_read(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("base"), str) and item["base"] in READ


class _PremiseBook:
    """Which read claims are there to rest on, what they cite, and which of them were refused so far."""

    def __init__(self, items: Sequence[Any], evidence: EvidenceSet | None) -> None:
        self._read = {item["id"]: item for item in items if _is_read(item) and isinstance(item.get("id"), str)}
        self._evidence = evidence
        self.refused: set[str] = set()

    def content(self, names: Any) -> list[str]:
        """The words of the evidence behind the premises `names`. Raises for one that is not a read claim that stands."""
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


def _judged(index: int, item: Any, timeline: Timeline, evidence: EvidenceSet | None, premises: _PremiseBook) -> Result:
    try:
        return _judge(index, item, timeline, evidence, premises)
    except RuleBroken as broken:
        if isinstance(item, Mapping) and isinstance(item.get("id"), str):
            premises.refused.add(item["id"])
        return Result(index, "refused", broken.rule, broken.detail)


def _judge(index: int, item: Any, timeline: Timeline, evidence: EvidenceSet | None, premises: _PremiseBook) -> Result:
    base, draft = _draft(item)
    given = {str(key).lower(): value for key, value in item.items() if str(key).lower() in _TIME_KEYS and value is not None}
    if base not in READ:
        return _judge_unobserved(index, base, draft, given, item, premises)
    instant = _given_instant(given, timeline)
    if evidence is None:
        if instant is None:
            raise RuleBroken(Rule.INSTANT_REQUIRED, f"the base {base} requires an instant: give instant_s")
        refuse_written_time(draft.text)
        return Result(index, "unchecked", instant_ms=instant)
    claim = ground(draft, evidence, "")
    spans = [cited.span for cited in claim.evidence]
    if instant is not None and not any(s.start.ms - TOLERANCE_MS <= instant <= s.end.ms + TOLERANCE_MS for s in spans):
        raise RuleBroken(Rule.INSTANT_NOT_IN_EVIDENCE, f"at {instant / 1000:g} s the cited evidence is not there")
    return Result(index, claim.checks.status, instant_ms=claim.instant.ms)


def _judge_unobserved(
    index: int, base: Base, draft: Draft, given: Mapping[str, Any], item: Mapping[str, Any], premises: _PremiseBook
) -> Result:
    if given:
        name, value = next(iter(given.items()))
        raise RuleBroken(Rule.INSTANT_FORBIDDEN, f"the base {base} has no instant, but {name} is {value!r}")
    if draft.evidence:
        raise RuleBroken(Rule.EVIDENCE_FORBIDDEN, f"the base {base} cites no evidence")
    # Plain answers have no place for premises; where there is one, it is held to the rule.
    content = premises.content(item["premises"]) if base is Base.INFERIDO and "premises" in item else []
    refuse_written_time(draft.text, content)
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
    return base, Draft(base.value, text, tuple(cited), quote=quote)


def _given_instant(given: Mapping[str, Any], timeline: Timeline) -> int | None:
    """The instant in ms that the item brings, placed on the video; the keys of the format only."""
    try:
        if "instant_ms" in given:
            return timeline.instant(given["instant_ms"]).ms
        if "instant_s" in given:
            return timeline.instant_at(given["instant_s"]).ms
    except OutsideTimeline as outside:
        raise RuleBroken(Rule.INSTANT_OUTSIDE_VIDEO, str(outside)) from None
    return None
