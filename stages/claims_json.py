"""`claims.json`: everything a report states, for programs, and the way back into typed claims.

The file is the format's public face: other people's tools read it, and whoever received a bundle may have edited it. So reading it
back trusts nothing. Each entry is made again through the claim types, against the evidence beside it, and what those types forbid is a
problem with the rule's name.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stages.claim import READ, Base, Claim, ReadClaim, UnobservedClaim
from stages.errors import VerificationFailed
from stages.evidence import Evidence, EvidenceSet
from stages.findings import Contradiction, Findings, Gap, Stated
from stages.instant import OutsideTimeline
from stages.rule import Rule, RuleBroken
from stages.store import coverage_json
from stages.video import Video
from stages.view import ClaimView, ReportView

__all__ = ["ClaimEntry", "ClaimsFile", "claim_of", "claims_json", "load_claims"]

_SCHEMA: Final = "frame-oracle/claims/1"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, strict=True)


class ClaimEntry(_Entry):
    """One claim as written; nothing in it is believed yet."""

    id: str = Field(pattern=r"^C-\d{4,9}$")
    base: str
    text: str
    instant_ms: int | None = None
    evidence: list[str] = []
    quote: str = ""
    premises: list[str] = []
    source: str = ""
    question: int | None = None
    link_verified: bool = False
    """Whether the self-test of the claim's link passed, so that the link was delivered."""


class _VideoEntry(_Entry):
    sha256: str
    media_sha256: str
    duration_ms: int = Field(ge=0)
    slug: str = Field(pattern=r"^[a-z0-9-]{1,60}$")
    media: str
    """Path of the delivered video in the bundle; empty when it is not delivered."""


class _QuestionEntry(_Entry):
    number: int
    text: str


class _GapEntry(_Entry):
    question: int
    text: str
    proven: bool
    coverage: dict[str, Any]


class _ProviderEntry(_Entry):
    name: str
    failovers: list[str] = []


class ClaimsFile(_Entry):
    """The parts of the file that a verification needs."""

    version: Literal["frame-oracle/claims/1"] = Field(alias="schema")
    video: _VideoEntry
    provider: _ProviderEntry = _ProviderEntry(name="")
    questions: list[_QuestionEntry] = []
    gaps: list[_GapEntry] = []
    claims: list[ClaimEntry]

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The claims as the index of their folder speaks of them."""
        asked = {question.number: question.text for question in self.questions}
        return tuple(Stated(item.id, item.base, item.text, asked.get(item.question or 0, ""), item.instant_ms) for item in self.claims)


def claims_json(view: ReportView, evidence: EvidenceSet, findings: Findings) -> str:
    """The text of `claims.json` for a report; ends in a newline."""
    said = {
        "schema": _SCHEMA,
        "language": findings.language,
        "video": _video_json(view.video, view.media),
        "provider": dataclasses.asdict(findings.provider),
        "coverage": {channel.value: coverage_json(coverage) for channel, coverage in evidence.coverage.items()},
        "questions": [{"number": question.number, "text": question.text} for question in findings.questions],
        "claims": [_claim_json(item) for item in view.claims],
        "rejections": [{"draft": item.draft.as_json(), "rule": str(item.rule), "detail": item.detail} for item in findings.rejections],
        "contradictions": [_contradiction_json(item) for item in findings.contradictions],
        "gaps": [_gap_json(gap) for gap in findings.gaps],
        "links": {"tested": len(view.read), "verified": len(view.read)},
        "addressed_to_machine": [item.id for item in view.addressed],
        "seal": {"level": view.seal.level, **dataclasses.asdict(view.seal)},
        "mode": {"name": view.mode, "parts": {name: name not in view.empty for name in view.sections}, "left_out": view.left_out},
    }
    # Half a surrogate pair, which a model's answer can hold, cannot be written as UTF-8.
    return json.dumps(said, ensure_ascii=False, indent=1).encode("utf-8", "replace").decode() + "\n"


def load_claims(path: Path) -> ClaimsFile:
    """Read a bundle's `claims.json`. Raises `VerificationFailed`, which names the file and the first thing that is not of its form."""
    try:
        return ClaimsFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise VerificationFailed(f"{path.name}: cannot be read ({error.strerror}).", code="claims_unreadable") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise VerificationFailed(f"{path.name}: {where}: {first['msg']}.", code="claims_malformed") from error


def claim_of(entry: ClaimEntry, evidence: EvidenceSet, earlier: Mapping[str, Claim]) -> Claim:
    """The claim that an entry states over this evidence; `earlier` holds the claims it may rest on. Raises `RuleBroken`."""
    try:
        base = Base(entry.base)
    except ValueError:
        raise RuleBroken(Rule.UNKNOWN_BASE, f"{entry.base!r} is not a base") from None
    if base in READ:
        return _read_claim(entry, base, evidence)
    if entry.instant_ms is not None:
        raise RuleBroken(Rule.INSTANT_FORBIDDEN, f"the base {base} has no instant")
    if entry.evidence:
        raise RuleBroken(Rule.EVIDENCE_FORBIDDEN, f"the base {base} cites no evidence")
    premises = tuple(claim for name in entry.premises if isinstance(claim := earlier.get(name), ReadClaim))
    if len(premises) != len(entry.premises):
        raise RuleBroken(Rule.PREMISE_REFUSED, "it rests on something that is not a read claim of this report")
    searched = tuple(evidence.coverage.values()) if base is Base.NAO_CONSTA else ()
    return UnobservedClaim(entry.id, base, entry.text, premises, entry.source, searched, entry.question)


def _read_claim(entry: ClaimEntry, base: Base, evidence: EvidenceSet) -> ReadClaim:
    if entry.instant_ms is None:
        raise RuleBroken(Rule.INSTANT_REQUIRED, f"the base {base} requires an instant")
    try:
        instant = evidence.timeline.instant(entry.instant_ms)
    except OutsideTimeline as outside:
        raise RuleBroken(Rule.INSTANT_OUTSIDE_VIDEO, str(outside)) from None
    cited: list[Evidence] = []
    for name in entry.evidence:
        item = evidence.get(name)
        if item is None:
            raise RuleBroken(Rule.EVIDENCE_UNKNOWN, f"{name} is not evidence of this video")
        cited.append(item)
    claim = ReadClaim(entry.id, base, entry.text, instant, tuple(cited), entry.quote, entry.question)
    if not any(entry.quote in item.text for item in cited):
        raise RuleBroken(Rule.NO_SUPPORT, f"{entry.quote!r} is not in the cited evidence")
    return claim


def _video_json(video: Video, media: str) -> dict[str, Any]:
    return {
        "sha256": video.sha256,
        "media_sha256": video.media_sha256,
        "duration_ms": video.timeline.duration_ms,
        "slug": video.slug,
        "source_name": video.source_name,
        "media": media,
        "width": video.width,
        "height": video.height,
        "frame_ms": video.frame_ms,
        "recorded": video.recorded,
        "remade": video.remade,
        "notes": list(video.notes),
    }


def _claim_json(item: ClaimView) -> dict[str, Any]:
    """An unobserved claim has no key for an instant, not even an empty one."""
    claim = item.claim
    said: dict[str, Any] = {"id": claim.id, "base": claim.base.value, "text": claim.text, "question": claim.question}
    if item.risks:
        said["risks"] = list(item.risks)
    if item.fabricated:
        said["fabricated_terms"] = list(item.fabricated)
    if isinstance(claim, ReadClaim):
        checks = dataclasses.asdict(claim.checks) | {"marks": list(claim.checks.marks)}
        cited = {"instant_ms": claim.instant.ms, "evidence": [item.id for item in claim.evidence], "quote": claim.quote}
        return said | cited | {"checks": checks, "link_verified": True}
    if claim.premises:
        said["premises"] = [premise.id for premise in claim.premises]
    if claim.source:
        said["source"] = claim.source
    if claim.searched:
        said["searched"] = {coverage.channel.value: coverage_json(coverage) for coverage in claim.searched}
    return said


def _contradiction_json(item: Contradiction) -> dict[str, Any]:
    sides = (("left", item.left, item.left_value), ("right", item.right, item.right_value))
    return {"topic": item.topic} | {side: {"evidence": evidence.id, "value": value} for side, evidence, value in sides}


def _gap_json(gap: Gap) -> dict[str, Any]:
    coverage = {channel.value: coverage_json(item) for channel, item in gap.coverage.items()}
    return {"question": gap.question.number, "text": gap.question.text, "proven": gap.proven, "coverage": coverage}
