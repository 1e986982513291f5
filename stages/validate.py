"""Drafts in, findings out: what may be stated, what was refused and why, what the video does not answer.

A draft that breaks a rule becomes a `Rejection`; it is never shown as a claim and never dropped. A question left without a read claim
is answered honestly by code: the words of an absence are ours, because a model that says "it is not in the video, usually 500 g" would
carry a figure out under the one base that nobody checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stages.claim import READ, Base, Claim, ReadClaim, UnobservedClaim
from stages.contradictions import contradictions
from stages.draft import Draft, ProviderSeal, Rejection
from stages.evidence import EvidenceSet
from stages.findings import Findings, Question
from stages.repair import grounded_or_repaired
from stages.rule import Rule, RuleBroken
from stages.unanswered import absences, gaps
from stages.vintage import refuse_currency, refuse_record
from stages.words import fold

__all__ = ["validate"]


def validate(
    drafts: Sequence[Draft], provider: ProviderSeal, evidence: EvidenceSet, questions: Sequence[Question], language: str
) -> Findings:
    """The findings that `drafts` make over `evidence`; `language` (BCP 47) is the report's."""
    made: dict[int, ReadClaim] = {}
    rejections: list[Rejection] = []
    for number, draft in enumerate(drafts, start=1):
        if draft.base in READ:
            try:
                made[number] = grounded_or_repaired(draft, evidence)
            except RuleBroken as broken:
                rejections.append(Rejection(draft, broken.rule, broken.detail))
    read = _without_repeats(drafts, made, rejections)
    unobserved = [claim for claim in _unobserved(drafts, made, evidence, rejections) if claim is not None]
    answered = {claim.question for claim in read}
    claims = _numbered([*read, *unobserved, *absences(questions, answered, evidence, language, provider)])
    open_questions = gaps(questions, answered, evidence, provider)
    return Findings(tuple(questions), claims, tuple(rejections), contradictions(evidence), open_questions, provider, language)


def _without_repeats(drafts: Sequence[Draft], made: dict[int, ReadClaim], rejections: list[Rejection]) -> list[ReadClaim]:
    """The read claims in order of their drafts, each said once per question. The first stands for its repeats as a premise too."""
    seen: dict[tuple[object, ...], ReadClaim] = {}
    for number, claim in list(made.items()):
        same = (claim.question, fold(claim.text), claim.evidence[0].id)
        if same in seen:
            rejections.append(Rejection(drafts[number - 1], Rule.DUPLICATE, "the same statement from the same evidence was already made"))
            made[number] = seen[same]
        else:
            seen[same] = claim
    return list(seen.values())


def _unobserved(
    drafts: Sequence[Draft], made: dict[int, ReadClaim], evidence: EvidenceSet, rejections: list[Rejection]
) -> Iterable[UnobservedClaim | None]:
    for draft in drafts:
        if draft.base in READ:
            continue
        try:
            yield _unobserved_claim(draft, made, evidence)
        except RuleBroken as broken:
            rejections.append(Rejection(draft, broken.rule, broken.detail))


def _unobserved_claim(draft: Draft, made: dict[int, ReadClaim], evidence: EvidenceSet) -> UnobservedClaim | None:
    """The claim of an unobserved draft; None for an absence, which is worded by code from what was left unanswered."""
    if not draft.base and draft.quote:
        raise RuleBroken(Rule.QUOTE_NOT_IN_EVIDENCE, f"no evidence holds the words {draft.quote!r}")
    try:
        base = Base(draft.base)
    except ValueError:
        raise RuleBroken(Rule.UNKNOWN_BASE, f"{draft.base!r} is not a base") from None
    if draft.evidence:
        raise RuleBroken(Rule.EVIDENCE_FORBIDDEN, f"the base {base} cites no evidence")
    if base is Base.NAO_CONSTA:
        if any(claim.question == draft.question for claim in made.values()):
            raise RuleBroken(Rule.ANSWERED, "a read claim answers the question that this says is not answered")
        return None
    if missing := [number for number in draft.premises if number not in made]:
        raise RuleBroken(Rule.PREMISE_REFUSED, f"it rests on statement {missing[0]}, which does not stand")
    premises = tuple(dict.fromkeys(made[number] for number in draft.premises))
    refuse_currency(draft.text, (item.text for premise in premises for item in premise.evidence))
    refuse_record(draft.text)
    return UnobservedClaim("", base, draft.text, premises=premises, source=draft.source, question=draft.question)


def _numbered(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims in order of question, then as stated, with ids from `C-0001`; premises carry the ids of the claims they are."""
    order = sorted(range(len(claims)), key=lambda place: (claims[place].question or 0, place))
    numbered: dict[int, ReadClaim] = {}
    result: list[Claim] = []
    for number, place in enumerate(order, start=1):
        claim = claims[place]
        if isinstance(claim, ReadClaim):
            named = replace(claim, id=f"C-{number:04d}")
            numbered[id(claim)] = named
            result.append(named)
        else:
            result.append(replace(claim, id=f"C-{number:04d}"))
    return tuple(
        replace(claim, premises=tuple(numbered[id(premise)] for premise in claim.premises)) if isinstance(claim, UnobservedClaim) else claim
        for claim in result
    )
