"""From what was established about a video to what its report shows: pure, so that the same findings always read the same.

The order serves a reader with five seconds: answers first, question by question; within an answer what was read comes before what was
concluded, and that before what comes from elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from stages.brief import VideoBrief
from stages.claim import Base, Claim, ReadClaim
from stages.deep_link import deep_link, media_path, quoted_span
from stages.draft import ProviderSeal, Rejection
from stages.evidence import Channel, Evidence, EvidenceSet, Kind
from stages.figure import timeline_figure
from stages.findings import Findings, Question
from stages.models import list_models
from stages.profile import Profile, load_profile
from stages.quarantine import addressed_to_machine
from stages.report_parts import INTERPRETED, doubtful, quantities, sections_of, shown
from stages.risk import fabricated_terms, risks
from stages.settings import Settings
from stages.unanswered import only_searched
from stages.video import Video
from stages.view import Answer, ChannelView, ClaimView, Proof, Quoted, Refusals, Refused, ReportView, Seal

__all__ = ["build_view"]

_RANK: Final = {base: rank for rank, base in enumerate(Base)}
_SOFTWARE: Final = ("frame-oracle", "weasyprint", "av", "pillow")
"""What decodes, draws and lays out; the readers and their models stand with the coverage."""


def build_view(
    video: Video,
    evidence: EvidenceSet,
    findings: Findings,
    settings: Settings,
    brief: VideoBrief,
    proofs: Mapping[str, Proof],
) -> ReportView:
    """The report of one video. `proofs` holds, by claim code, the pictures and the result of the link's self-test.

    Raises `ValueError` when a read claim has no proof that its link holds, or when the brief's or the settings' web address is not one.
    """
    profile = load_profile(settings.profile)
    said = [item.text for item in evidence if item.quotable]
    every = [_claim_view(claim, video, settings, brief, proofs, profile, said) for claim in findings.claims]
    claims = shown(settings.mode, every)
    read = tuple(sorted((view for view in claims if view.read), key=_when))
    read_claims = [view.read for view in read if view.read]
    sections = sections_of(settings.mode, profile, bool(findings.questions))
    interpreted = tuple(view for view in claims if view.claim.base in INTERPRETED)
    apart = INTERPRETED if "interpretations" in sections else ()
    answers = _answers(findings.questions, [view for view in claims if view.claim.base not in apart])
    figures, first = quantities(read, profile), doubtful(claims)
    filled: dict[str, object] = {
        "answers": claims,
        "chronology": read,
        "quantities": figures,
        "contradictions": findings.contradictions,
        "interpretations": interpreted,
        "gaps": findings.gaps,
        "risks": (*findings.contradictions, *first),
    }
    return ReportView(
        video=video,
        title=video.source_name.rpartition(".")[0] or video.source_name,
        recipient=brief.recipient,
        recorded=brief.recorded or video.recorded,
        language=findings.language,
        mode=settings.mode,
        sections=sections,
        empty=tuple(name for name in sections if name in filled and not filled[name]),
        left_out=len(every) - len(claims),
        seal=_seal(claims, findings, evidence),
        answers=answers,
        chronology=read,
        quantities=figures,
        interpretations=interpreted,
        doubtful=first,
        claims=claims,
        counts={base: sum(view.claim.base == base for view in claims) for base in Base},
        media="" if settings.media == "none" else media_path(video.slug),
        figure=timeline_figure(evidence, read_claims),
        channels={channel: _channel_view(evidence, channel) for channel in Channel if channel in evidence.coverage},
        transcript=_transcript(evidence, read_claims),
        contradictions=findings.contradictions,
        gaps=findings.gaps,
        refusals=_refusals(findings.rejections, evidence),
        provider=findings.provider,
        addressed=tuple(item for item in evidence if addressed_to_machine(item.text)),
        software={name: version(name) for name in _SOFTWARE},
        settings=_asked_for(settings, findings.language),
        model_sha256=_weights(findings.provider),
    )


def _asked_for(settings: Settings, language: str) -> dict[str, str]:
    """Of the settings, those that another person needs to make the same report; of a folder of weights only its name, which is no path."""
    chosen = {
        "mode": settings.mode,
        "profile": settings.profile,
        "lang": language,
        "model": settings.model,
        "whisper-model": Path(settings.whisper_model).name,
        "speech-lang": settings.speech_language,
        "audio-track": str(settings.audio_track or ""),
        "ocr": settings.ocr,
        "media": settings.media,
        "link-base": settings.link_base,
    }
    return {name: value for name, value in chosen.items() if value}


def _weights(provider: ProviderSeal) -> str:
    return next((file.sha256 for spec in list_models() if spec.name == provider.model for file in spec.files), "")


def _claim_view(
    claim: Claim,
    video: Video,
    settings: Settings,
    brief: VideoBrief,
    proofs: Mapping[str, Proof],
    profile: Profile,
    said: Sequence[str],
) -> ClaimView:
    """`said` are the words of all the video's evidence: a term that stands anywhere in it was not made up."""
    if claim.base == Base.NAO_CONSTA:
        return ClaimView(claim)
    risky, fabricated = risks(claim.text, profile), fabricated_terms(claim.text, said, profile)
    if not isinstance(claim, ReadClaim):
        return ClaimView(claim, risks=risky, fabricated=fabricated)
    proof = proofs.get(claim.id)
    if proof is None or not proof.check.verified:
        raise ValueError(f"{claim.id} is read, and nothing proves that its link holds")
    link = deep_link(claim, video.slug, url=brief.url, link_base=settings.link_base)
    quoted = tuple(_quoted(item, claim.quote) for item in claim.evidence)
    return ClaimView(claim, quoted, quoted_span(claim), link, proof, risky, fabricated)


def _when(view: ClaimView) -> tuple[int, str]:
    return (view.read.instant.ms if view.read else 0, view.claim.id)


def _seal(claims: Sequence[ClaimView], findings: Findings, evidence: EvidenceSet) -> Seal:
    read = [view.read for view in claims if view.read]
    answered = {claim.question for claim in read} - {*findings.provider.unasked}
    statuses, values = Counter(claim.checks.status for claim in read), Counter(claim.checks.values for claim in read)
    return Seal(
        claims=len(claims),
        read=len(read),
        traceable=len(read),
        values_checked=len(read) - values["none"],
        values_confirmed=values["confirmed"],
        weak=statuses["weak"],
        unchecked=statuses["unchecked"],
        fabricated=sum(bool(view.fabricated) for view in claims),
        contradictions=len(findings.contradictions),
        refused=dict(Counter(str(rejection.rule) for rejection in findings.rejections)),
        complete=all(coverage.complete for coverage in evidence.coverage.values()),
        truncated=findings.provider.truncated,
        only_searched=sum(
            only_searched(question, evidence, findings.provider) and question.number not in answered for question in findings.questions
        ),
    )


def _quoted(item: Evidence, quote: str, claims: Sequence[str] = ()) -> Quoted:
    before, found, after = item.text.partition(quote) if quote else (item.text, "", "")
    return Quoted(item, before, found, after, tuple(claims))


def _answers(questions: Sequence[Question], claims: Sequence[ClaimView]) -> tuple[Answer, ...]:
    """One answer per question in its order; then the claims that answer none, where there are any."""
    by_question: dict[int | None, list[ClaimView]] = defaultdict(list)
    asked = {question.number for question in questions}
    for view in claims:
        number = view.claim.question
        by_question[number if number in asked else None].append(view)
    answers = [Answer(question, _ranked(by_question[question.number])) for question in questions]
    if loose := by_question[None]:
        answers.append(Answer(None, _ranked(loose)))
    return tuple(answers)


def _ranked(claims: Sequence[ClaimView]) -> tuple[ClaimView, ...]:
    """Read claims first, in order of time; then the others, most anchored first."""

    def place(view: ClaimView) -> tuple[int, int, str]:
        return (0, view.read.instant.ms, view.claim.id) if view.read else (_RANK[Base(view.claim.base)], 0, view.claim.id)

    return tuple(sorted(claims, key=place))


def _channel_view(evidence: EvidenceSet, channel: Channel) -> ChannelView:
    items = [item for item in evidence.of(channel) if item.kind is not Kind.FRAME]
    engines = dict.fromkeys(f"{item.engine} ({item.model})" for item in items)
    return ChannelView(evidence.coverage[channel], len(items), sum(not item.trusted for item in items), tuple(engines))


def _transcript(evidence: EvidenceSet, read: Sequence[ReadClaim]) -> tuple[Quoted, ...]:
    citing: dict[str, list[str]] = defaultdict(list)
    for claim in read:
        for item in claim.evidence:
            citing[item.id].append(claim.id)
    told = (item for item in evidence if item.quotable or item.id in citing)
    ordered = sorted(told, key=lambda item: (item.span.start, item.id))
    return tuple(_quoted(item, "", citing[item.id]) for item in ordered)


def _refusals(rejections: Sequence[Rejection], evidence: EvidenceSet) -> tuple[Refusals, ...]:
    by_rule: dict[str, list[Refused]] = defaultdict(list)
    for rejection in rejections:
        cited = {name: evidence.get(name) for name in rejection.draft.evidence}
        by_rule[str(rejection.rule)].append(Refused(rejection, cited))
    groups = [Refusals(rule, tuple(items)) for rule, items in by_rule.items()]
    return tuple(sorted(groups, key=lambda group: (-len(group.items), group.rule)))
