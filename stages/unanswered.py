"""What a report says of a question that no read claim answers, in words that are ours and not a model's."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Final

from stages.claim import Base, Claim, ReadClaim, UnobservedClaim
from stages.draft import Draft, ProviderSeal, Rejection
from stages.engines.chain import LITERAL
from stages.evidence import EvidenceSet
from stages.findings import Findings, Gap, Question
from stages.rule import Rule

__all__ = ["absences", "gaps", "only_searched", "withdrawn"]

_ABSENT: Final = {
    "pt": (
        "O vídeo não responde a esta pergunta.",
        "A resposta não está no que foi possível ler deste vídeo.",
        "Nenhum modelo de linguagem respondeu a esta pergunta; uma busca por palavras não encontrou a resposta no que foi lido.",
    ),
    "es": (
        "El vídeo no responde a esta pregunta.",
        "La respuesta no está en lo que se pudo leer de este vídeo.",
        "Ningún modelo de lenguaje respondió a esta pregunta; una búsqueda por palabras no encontró la respuesta en lo que se leyó.",
    ),
    "en": (
        "The video does not answer this question.",
        "The answer is not in what could be read of this video.",
        "No language model answered this question; a search for its words found no answer in what was read.",
    ),
}
"""Of an absence that is proven, that is not, and that only a search for words stands behind."""


def absences(
    questions: Sequence[Question], answered: Container[int | None], evidence: EvidenceSet, language: str, provider: ProviderSeal
) -> list[UnobservedClaim]:
    """The `nao_consta` of each question that is not `answered`, without an id yet; `language` (BCP 47) is the report's."""
    searched = tuple(evidence.coverage.values())
    texts = _ABSENT.get(language.split("-")[0], _ABSENT["en"])
    return [
        UnobservedClaim("", Base.NAO_CONSTA, texts[_certainty(question, evidence, provider)], searched=searched, question=question.number)
        for question in questions
        if question.number not in answered
    ]


def gaps(questions: Sequence[Question], answered: Container[int | None], evidence: EvidenceSet, provider: ProviderSeal) -> tuple[Gap, ...]:
    """The questions that are not `answered`. One that no model could be asked is none: a provider's fault says nothing of the video."""
    return tuple(
        Gap(question, _certainty(question, evidence, provider) == 0, evidence.coverage)
        for question in questions
        if question.number not in answered and question.number not in provider.unasked
    )


def only_searched(question: Question, evidence: EvidenceSet, provider: ProviderSeal) -> bool:
    """Whether nobody who understands the question looked for its answer in what was read; a search for its words proves no absence."""
    return question.number in provider.unasked or (provider.name == LITERAL and any(item.quotable for item in evidence))


def withdrawn(findings: Findings, failed: Mapping[str, str], evidence: EvidenceSet) -> Findings:
    """`findings` without the read claims whose link does not open on their words: `failed`, claim code -> what was found there.

    They become rejections, and what rests on them falls with them; a question they answered is then open. The other codes stay.
    """
    if not failed:
        return findings
    standing: list[Claim] = []
    rejections = list(findings.rejections)
    for claim in findings.claims:
        if claim.id in failed:
            rejections.append(Rejection(_as_draft(claim), Rule.LINK_NOT_VERIFIED, failed[claim.id]))
        elif isinstance(claim, UnobservedClaim) and any(premise.id in failed for premise in claim.premises):
            rejections.append(Rejection(_as_draft(claim), Rule.PREMISE_REFUSED, "it rests on a statement whose link did not hold"))
        else:
            standing.append(claim)
    answered = {claim.question for claim in standing if isinstance(claim, ReadClaim)}
    stated = answered | {claim.question for claim in standing if claim.base == Base.NAO_CONSTA}
    opened = absences(findings.questions, stated, evidence, findings.language, findings.provider)
    last = max(int(claim.id.rpartition("-")[2]) for claim in findings.claims)
    standing += [replace(claim, id=f"C-{last + number:04d}") for number, claim in enumerate(opened, start=1)]
    standing.sort(key=lambda claim: claim.question or 0)
    open_questions = gaps(findings.questions, answered, evidence, findings.provider)
    return replace(findings, claims=tuple(standing), rejections=tuple(rejections), gaps=open_questions)


def _as_draft(claim: Claim) -> Draft:
    cited = tuple(item.id for item in claim.evidence) if isinstance(claim, ReadClaim) else ()
    return Draft(claim.base.value, claim.text, cited, question=claim.question)


def _certainty(question: Question, evidence: EvidenceSet, provider: ProviderSeal) -> int:
    """0 where the absence is proven, 1 where something could not be read or shown, 2 where no model was there to look."""
    if only_searched(question, evidence, provider):
        return 2
    read = all(coverage.complete for coverage in evidence.coverage.values())
    return 0 if read and all(part.question != question.number for part in provider.partly_shown) else 1
