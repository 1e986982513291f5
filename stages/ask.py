"""Evidence and questions in, drafts out: whoever answers, nothing of it is believed here.

Each question is asked on its own: small models lose the thread of several questions, and a fault then costs one answer. An answer given
after a provider failed is not kept, so that the next run asks again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from stages.answer_form import CITED, LONGEST_LINE, QUOTED, AnswerForm
from stages.draft import Draft, ProviderSeal
from stages.engines.chain import LITERAL, Chain, Link, provider_chain
from stages.evidence import Evidence, EvidenceSet
from stages.findings import Question
from stages.literal import quote_answers, quote_timeline
from stages.retrieval import retrieve
from stages.settings import Settings
from stages.store import StageStore, digest
from stages.video import Video

__all__ = ["Answer", "ask"]

VERSION: Final = 1
_ANSWER_TOKENS: Final = 400
_PROMPT_TOKENS: Final = 900
"""What the instructions and examples take."""
_CHARACTERS_PER_TOKEN: Final = 2.5
"""Cautious for Portuguese and Spanish in the tokenizers of current models."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, by whom."""

    drafts: tuple[Draft, ...]
    provider: ProviderSeal


@dataclass(slots=True)
class _Asking:
    """The course of one video's questions: who answered, whether an answer was cut."""

    chain: Chain
    drafts: list[Draft] = field(default_factory=list)
    answered: list[Link | None] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    truncated: bool = False

    def seal(self) -> ProviderSeal:
        names = [link.entry.name if link else LITERAL for link in self.answered] or [LITERAL]
        local = all(link.local for link in self.answered if link)
        return ProviderSeal(_joined(names), _joined(self.models), local, self.truncated, tuple(self.chain.failovers))


class _NotKept(Exception):
    """An answer that a later run should ask for again, because a provider of the chain was down."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


def ask(
    video: Video,
    evidence: EvidenceSet,
    questions: Sequence[Question],
    settings: Settings,
    store: StageStore,
    progress: Callable[[float], None] = lambda fraction: None,
) -> Answer:
    """The drafts of the answers to `questions`, or of the whole timeline where nothing was asked.

    Raises `NoProvider` only where one provider was asked for by name and does not answer.
    """
    offered = [item for item in evidence if item.trusted]
    if not questions:
        return Answer(tuple(quote_timeline(offered)), ProviderSeal(LITERAL, "", True))
    chain = provider_chain(settings)
    if chain.current is None or not offered:
        drafts = [draft for question in questions for draft in quote_answers(question, offered)]
        return Answer(tuple(drafts), ProviderSeal(LITERAL, "", True, failovers=tuple(chain.failovers)))
    inputs = {
        "evidence": digest(*(f"{item.id}\n{item.channel}\n{item.text}" for item in offered)),
        "questions": digest(*(f"{question.number} {question.text}" for question in questions)),
        "chain": chain.fingerprint,
        "instructions": digest(CITED.instructions, QUOTED.instructions),
    }

    def make(folder: Path) -> None:
        answer = _asked(chain, offered, questions, progress)
        if chain.failovers:
            raise _NotKept(answer)
        (folder / "answer.json").write_text(json.dumps(asdict(answer), ensure_ascii=False), encoding="utf-8")

    try:
        entry = store.build("ask", store.key("ask", VERSION, inputs), make)
    except _NotKept as passing:
        return passing.answer
    return _read(entry / "answer.json")


def _asked(chain: Chain, offered: Sequence[Evidence], questions: Sequence[Question], progress: Callable[[float], None]) -> Answer:
    asking = _Asking(chain)
    for done, question in enumerate(questions, start=1):
        _ask_one(asking, question, offered)
        progress(done / len(questions))
    return Answer(tuple(asking.drafts), asking.seal())


def _ask_one(asking: _Asking, question: Question, offered: Sequence[Evidence]) -> None:
    link = asking.chain.current
    shown = _shown(question, offered, link.entry.context_tokens) if link else list(offered)
    form = _form(link)
    reply = asking.chain.complete(form.messages(question, shown), form.schema(shown), _ANSWER_TOKENS) if link else None
    if reply is None:
        asking.answered.append(None)
        asking.drafts.extend(quote_answers(question, offered))
        return
    completion, who = reply
    asking.answered.append(who)
    asking.models.append(completion.model)
    asking.truncated |= completion.finish == "length"
    # Premises are numbers within this answer; the drafts of all questions are numbered through.
    asking.drafts.extend(form.read(completion, question, shown, len(asking.drafts)))


def _form(link: Link | None) -> AnswerForm:
    """Embedded models are small."""
    return QUOTED if link and link.entry.kind == "embedded" else CITED


def _shown(question: Question, offered: Sequence[Evidence], context_tokens: int) -> list[Evidence]:
    """All the evidence where it fits, else the closest to the question; in the order of the video."""
    room = (context_tokens - _ANSWER_TOKENS - _PROMPT_TOKENS) * _CHARACTERS_PER_TOKEN
    hits = {hit.evidence.id: place for place, hit in enumerate(retrieve(question.text, offered))}
    shown: list[Evidence] = []
    for item in sorted(offered, key=lambda item: hits.get(item.id, len(hits))):
        room -= min(len(item.text), LONGEST_LINE) + 20
        if room < 0:
            break
        shown.append(item)
    return sorted(shown, key=lambda item: (item.span.start, item.id))


def _joined(names: Iterable[str]) -> str:
    return " + ".join(dict.fromkeys(names))


def _read(path: Path) -> Answer:
    said = json.loads(path.read_text(encoding="utf-8"))
    drafts = (Draft(**{**draft, "evidence": tuple(draft["evidence"]), "premises": tuple(draft["premises"])}) for draft in said["drafts"])
    seal = said["provider"]
    return Answer(tuple(drafts), ProviderSeal(**{**seal, "failovers": tuple(seal["failovers"])}))
