"""Evidence and questions in, drafts out: whoever answers, nothing of it is believed here.

Each question is asked on its own: small models lose the thread of several questions, and a fault then costs one answer. Drafts that the
checks refuse go back to the model once, with the reasons; a small model is asked once more whether its words answer at all. An answer
given after a provider failed is not kept, so that the next run asks again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from stages.answer_form import CITED, QUOTED, AnswerForm
from stages.claim import READ, Base
from stages.correction import correction, refusals, replaces, verbatim
from stages.draft import Draft, PartlyShown, ProviderSeal
from stages.engines.chain import LITERAL, Chain, Link, provider_chain
from stages.engines.completion import Message, Part, ProviderError
from stages.engines.embeddings import embeddings_version
from stages.evidence import Evidence, EvidenceSet
from stages.findings import Question
from stages.literal import asks_for_value, quote_answers, quote_timeline
from stages.pertinence import off_topic
from stages.pictures import chosen_frames, picture_parts
from stages.retrieval import asked_parts
from stages.second_look import (
    LOOK_SCHEMA,
    LOOK_TOKENS,
    LOOK_WORDS,
    Candidate,
    Look,
    best_of,
    found,
    look_messages,
    looked,
    meant,
    own,
    telling,
    together,
)
from stages.settings import Settings
from stages.store import StageStore, digest
from stages.video import Video
from stages.windows import Windows, windows

__all__ = ["Answer", "ask"]

VERSION: Final = 8
_ANSWER_TOKENS: Final = 400
_DENIED: Final = "the model, asked about these words alone, says that they do not give what the question asks for"
_MOST_PORTIONS: Final = 4
"""Portions of evidence that one question is asked over; what is in none of them is stated."""
_SMALL_PORTION: Final = 800
"""Tokens of a portion for a small model on a CPU, where all the evidence does not fit: each question has another prompt to be read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, by whom."""

    drafts: tuple[Draft, ...]
    provider: ProviderSeal


@dataclass(slots=True)
class _Asking:
    """The course of one video's questions: who answered, what was cut, what could not be asked or shown.

    `offered` is what was read; frames are shown beside it, to models that can look at them.
    """

    chain: Chain
    video: Video
    evidence: EvidenceSet
    offered: Sequence[Evidence]
    drafts: list[Draft] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    truncated: bool = False
    unasked: list[int] = field(default_factory=list)
    partly_shown: list[PartlyShown] = field(default_factory=list)

    def seal(self) -> ProviderSeal:
        return ProviderSeal(
            name=_joined(self.answered) or LITERAL,
            model=_joined(self.models),
            local=self.chain.stayed,
            truncated=self.truncated,
            failovers=tuple(self.chain.failovers),
            unasked=tuple(self.unasked),
            partly_shown=tuple(self.partly_shown),
        )


@dataclass(frozen=True, slots=True)
class _View:
    """What one provider is shown for one question, at a time."""

    link: Link
    form: AnswerForm
    question: Question
    shown: tuple[Evidence, ...]
    pictures: Sequence[Part]


class _NotKept(Exception):
    """An answer that a later run should ask for again, because a provider of the chain was down or the budget used up."""

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
    offered = [item for item in evidence if item.quotable]
    if not questions:
        return Answer(tuple(quote_timeline(offered)), ProviderSeal(LITERAL, "", True))
    chain = provider_chain(settings)
    if chain.current is None or not offered:
        drafts = [draft for question in questions for draft in quote_answers(question, offered)]
        unasked = tuple(question.number for question in questions) if offered and settings.providers and chain.failovers else ()
        return Answer(tuple(drafts), ProviderSeal(LITERAL, "", True, failovers=tuple(chain.failovers), unasked=unasked))
    inputs = {
        "evidence": digest(
            *(f"{item.id}\n{item.channel}\n{item.kind}\n{item.instant.ms}\n{item.text}" for item in evidence if item.trusted)
        ),
        "coverage": digest(*(f"{coverage}" for coverage in evidence.coverage.values())),
        "questions": digest(*(f"{question.number} {question.text}" for question in questions)),
        "chain": f"{chain.fingerprint}\n{embeddings_version()}",
        "instructions": digest(CITED.instructions, QUOTED.instructions, f"{look_messages('', [])}"),
    }

    def make(folder: Path) -> None:
        answer = _asked(_Asking(chain, video, evidence, offered), questions, progress)
        if chain.failovers:
            raise _NotKept(answer)
        (folder / "answer.json").write_text(json.dumps(asdict(answer), ensure_ascii=False), encoding="utf-8")

    try:
        entry = store.build("ask", store.key("ask", VERSION, inputs), make)
    except _NotKept as passing:
        return passing.answer
    return _read(entry / "answer.json")


def _asked(asking: _Asking, questions: Sequence[Question], progress: Callable[[float], None]) -> Answer:
    for done, question in enumerate(questions, start=1):
        drafts = _answer(asking, question)
        if drafts is None:
            asking.unasked.append(question.number)
            asking.answered.append(LITERAL)
            drafts = quote_answers(question, asking.offered)
        asking.drafts.extend(drafts)
        progress(done / len(questions))
    for question in questions:
        _look_again(asking, question)
    return Answer(tuple(asking.drafts), asking.seal())


def _look_again(asking: _Asking, question: Question) -> None:
    """Let a small model look once more at what it cites for this question beside what a search finds; what loses does not stand."""
    link = asking.chain.current
    if link is None or _form(link) is not QUOTED or question.number in asking.unasked:
        return
    places = [place for place, draft in enumerate(asking.drafts) if draft.question == question.number and draft.base in READ]
    drafts = meant([asking.drafts[place] for place in places if not asking.drafts[place].off_topic], asking.offered)
    drafts = telling(question.text, drafts, asking.evidence)
    standing: list[Draft] = []
    for part in asked_parts(question.text):
        chosen = _chosen(asking, link, replace(question, text=part), drafts)
        if chosen is None:
            return
        standing += [draft for draft in chosen if draft not in standing]
    overlooked = [draft for draft in standing if draft not in asking.drafts]
    for place in places:
        if (draft := asking.drafts[place]) not in standing:
            asking.drafts[place] = replace(draft, off_topic=draft.off_topic or _DENIED)
    if overlooked:
        asking.answered.append(LITERAL)
        absent = Base.NAO_CONSTA.value
        kept = (draft for draft in asking.drafts if draft.question != question.number or draft.base != absent)
        asking.drafts = [*kept, *overlooked]


def _chosen(asking: _Asking, link: Link, question: Question, drafts: Sequence[Draft]) -> Sequence[Draft] | None:
    """What answers a question that asks for one thing: `drafts`, some of them, or what was found; None where the model cannot be asked."""
    first = _look(asking, link, question, own(drafts))
    if drafts and first is None:
        return None
    if first and first.weighed and len(drafts) > 1 and asks_for_value(question.text):
        each = [_look(asking, link, question, own([draft])) for draft in drafts]
        first = together([look for look in each if look]) or first
    standing = first.candidate if first else own([])
    others: list[Look] = []
    for candidate in found(question, asking.offered, asking.evidence):
        if first and (first.settles or _cited(candidate).keys() <= _cited(standing).keys()):
            continue
        if (look := _look(asking, link, question, candidate)) is None:
            break
        others.append(look)
        if not look.weighed:
            break
    best = best_of([first, *others] if first else others)
    return best.drafts if best else ()


def _look(asking: _Asking, link: Link, question: Question, candidate: Candidate) -> Look | None:
    """The model's look at a candidate; None where there is nothing to look at or the model cannot be asked."""
    cited = [item.text for name in _cited(candidate) if (item := asking.evidence.get(name)) is not None]
    if not cited or asking.chain.spent:
        return None
    try:
        said = asking.chain.complete(link, look_messages(question.text, cited), LOOK_SCHEMA, LOOK_TOKENS, LOOK_WORDS)
    except ProviderError as error:
        _note(asking.chain, f"{link.entry.name}: asked about an answer: {error.message}")
        return None
    return looked(question.text, candidate, cited, said)


def _cited(candidate: Candidate) -> dict[str, None]:
    return dict.fromkeys(name for draft in candidate.drafts for name in draft.evidence)


def _answer(asking: _Asking, question: Question) -> list[Draft] | None:
    """The drafts of the first provider that answers; None when none does, or the budget is used up."""
    chain = asking.chain
    while link := chain.current:
        if chain.spent:
            _note(chain, f"budget: {chain.spent} for this video are used up")
            asking.truncated = True
            return None
        try:
            return _answer_of(link, asking, question)
        except ProviderError as error:
            chain.failed(link, error)
    return None


def _answer_of(link: Link, asking: _Asking, question: Question) -> list[Draft] | None:
    """The drafts of one provider, portion by portion until one answers; None where all it said was cut off."""
    form = _form(link)
    shown = _windows(link, form, question, asking.offered)
    drafts: list[Draft] = []
    seen = 0
    frames = chosen_frames(question.text, [item for item in asking.evidence if item.trusted]) if link.entry.vision else []
    pictures = picture_parts(asking.video.media, frames)
    for portion in shown.portions:
        if seen and asking.chain.spent:
            break
        seen += len(portion)
        view = _View(link, form, question, (*portion, *frames), pictures)
        for draft in _from_portion(view, asking, len(asking.drafts) + len(drafts)):
            if draft not in drafts:
                drafts.append(draft)
        if any(draft.base in READ for draft in drafts):
            break
    left_out = shown.left_out + sum(len(portion) for portion in shown.portions) - seen
    if left_out:
        asking.partly_shown.append(PartlyShown(question.number, len(asking.offered) - left_out, len(asking.offered)))
    if not drafts:
        return None
    asking.answered.append(link.entry.name)
    if form is QUOTED and len(refusals(drafts, asking.evidence)) == len(drafts):
        asking.answered.append(LITERAL)
        drafts += [draft for draft in quote_answers(question, asking.offered) if draft.base in READ]
    return [draft for draft in drafts if draft.base in READ] or drafts if len(shown.portions) > 1 else drafts


def _from_portion(view: _View, asking: _Asking, before: int) -> list[Draft]:
    """The drafts over one portion of the evidence; where the checks refuse some of them, the model's second answer if it is better."""
    messages = view.form.messages(view.question, view.shown, asking.evidence, view.pictures)
    drafts, text = _completed(view, asking, messages, before)
    if view.form is QUOTED and (mended := verbatim(drafts, asking.evidence)):
        return [*drafts, *mended]
    refused = refusals(drafts, asking.evidence)
    if not refused or asking.chain.spent:
        return drafts
    again: list[Message] = [*messages, {"role": "assistant", "content": text}, {"role": "user", "content": correction(refused)}]
    try:
        revised, _ = _completed(view, asking, again, before)
    except ProviderError as error:
        _note(asking.chain, f"{view.link.entry.name}: asked to correct an answer: {error.message}")
        return drafts
    return revised if replaces(revised, drafts, asking.evidence) else drafts


def _completed(view: _View, asking: _Asking, messages: Sequence[Message], before: int) -> tuple[list[Draft], str]:
    said = asking.chain.complete(view.link, messages, view.form.schema(view.question, view.shown), _ANSWER_TOKENS)
    asking.models.append(said.model)
    asking.truncated |= said.finish == "length"
    # Premises are numbers within this answer; the drafts of all questions are numbered through.
    drafts = view.form.read(said, view.question, view.shown, before)
    about, question, seen = view.form is QUOTED, view.question.text, {item.id for item in view.shown}
    judged = [
        replace(
            draft,
            off_topic=off_topic(question, draft, asking.evidence, about=about),
            saw_frames=bool(view.pictures) and seen.issuperset(draft.evidence),
        )
        for draft in drafts
    ]
    return judged, said.text


def _windows(link: Link, form: AnswerForm, question: Question, offered: Sequence[Evidence]) -> Windows:
    room = link.entry.context_tokens - _ANSWER_TOKENS * 2 - form.instruction_tokens
    room = max(room, _ANSWER_TOKENS)
    return windows(question.text, offered, room, _MOST_PORTIONS, min(room, _SMALL_PORTION) if form is QUOTED else room)


def _form(link: Link) -> AnswerForm:
    """Embedded models are small; what stands behind an endpoint is for its owner to say."""
    quoted = link.entry.form == "quoted" or (link.entry.kind == "embedded" and not link.entry.form)
    return QUOTED if quoted else CITED


def _note(chain: Chain, line: str) -> None:
    if line not in chain.failovers:
        chain.failovers.append(line)


def _joined(names: Iterable[str]) -> str:
    return " + ".join(dict.fromkeys(names))


def _read(path: Path) -> Answer:
    said = json.loads(path.read_text(encoding="utf-8"))
    drafts = (Draft(**{**draft, "evidence": tuple(draft["evidence"]), "premises": tuple(draft["premises"])}) for draft in said["drafts"])
    seal = said["provider"]
    partly_shown = tuple(PartlyShown(**item) for item in seal["partly_shown"])
    lists = {"failovers": tuple(seal["failovers"]), "unasked": tuple(seal["unasked"]), "partly_shown": partly_shown}
    return Answer(tuple(drafts), ProviderSeal(**{**seal, **lists}))
