"""Evidence and questions in, drafts out: whoever answers, nothing of it is believed here.

Each question is asked on its own, with the evidence that is about it: small models lose the thread of several questions, and a fault
then costs one answer. The instructions and the evidence come first and the question last, so that a model which keeps the beginning of
its last prompt reads them once. What comes from the video stands between marks, stripped of characters that no eye sees: text in a
video may be written for the model that reads it.
"""

from __future__ import annotations

import json
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from stages.draft import Draft, ProviderSeal, answer_model
from stages.engines.chain import LITERAL, Chain, Link, provider_chain
from stages.engines.completion import Completion, Message
from stages.evidence import Channel, Evidence, EvidenceSet
from stages.findings import Question
from stages.language import detect_language
from stages.literal import quote_answers, quote_timeline
from stages.retrieval import retrieve
from stages.settings import Settings
from stages.store import StageStore, digest
from stages.video import Video

__all__ = ["Answer", "ask"]

VERSION: Final = 1
_LABEL: Final[Mapping[Channel, str]] = {Channel.TELA: "screen", Channel.FALA: "speech"}
_LANGUAGES: Final = {"pt": "Portuguese", "es": "Spanish", "en": "English", "fr": "French", "de": "German", "it": "Italian"}
_ANSWER_TOKENS: Final = 400
_PROMPT_TOKENS: Final = 900
"""What the instructions and examples take."""
_CHARACTERS_PER_TOKEN: Final = 2.5
"""Cautious for Portuguese and Spanish in the tokenizers of current models."""
_LONGEST_LINE: Final = 400


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
        "instructions": digest(_prompt("answer.txt"), _prompt("examples.toml")),
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
    ids = {channel: [item.id for item in shown if item.channel is channel] for channel in Channel}
    schema = answer_model(ids, max_statements=3).model_json_schema()
    reply = asking.chain.complete(_messages(question, shown), schema, _ANSWER_TOKENS) if link else None
    if reply is None:
        asking.answered.append(None)
        asking.drafts.extend(quote_answers(question, offered))
        return
    completion, who = reply
    asking.answered.append(who)
    asking.models.append(completion.model)
    asking.truncated |= completion.finish == "length"
    # Premises are numbers within this answer; the drafts of all questions are numbered through.
    asking.drafts.extend(_drafts(completion, question, before=len(asking.drafts)))


def _shown(question: Question, offered: Sequence[Evidence], context_tokens: int) -> list[Evidence]:
    """All the evidence where it fits, else the closest to the question; in the order of the video."""
    room = (context_tokens - _ANSWER_TOKENS - _PROMPT_TOKENS) * _CHARACTERS_PER_TOKEN
    hits = {hit.evidence.id: place for place, hit in enumerate(retrieve(question.text, offered))}
    shown: list[Evidence] = []
    for item in sorted(offered, key=lambda item: hits.get(item.id, len(hits))):
        room -= min(len(item.text), _LONGEST_LINE) + 20
        if room < 0:
            break
        shown.append(item)
    return sorted(shown, key=lambda item: (item.span.start, item.id))


def _messages(question: Question, shown: Sequence[Evidence]) -> list[Message]:
    """Instructions and examples, which are the same for every video; then the evidence; the question last."""
    lines = "\n".join(f"{item.id} {_LABEL[item.channel]}: {_plain(item.text)}" for item in shown)
    asked = _asked_in(_plain(question.text), detect_language(question.text))
    return [*_examples(), {"role": "user", "content": f"<evidence>\n{lines}\n</evidence>\n\n{asked}"}]


def _asked_in(question: str, language: str) -> str:
    """The question with the name of its language: small models otherwise answer in the language of the instructions."""
    name = _LANGUAGES.get(language)
    return f"Question (answer in {name}): {question}" if name else f"Question (answer in its language): {question}"


@cache
def _examples() -> tuple[Message, ...]:
    said = tomllib.loads(_prompt("examples.toml"))
    messages: list[Message] = [{"role": "system", "content": _prompt("answer.txt")}]
    for turn in said["turn"]:
        asked = _asked_in(turn["question"], turn["language"])
        messages.append({"role": "user", "content": f"<evidence>\n{said['evidence']}\n</evidence>\n\n{asked}"})
        messages.append({"role": "assistant", "content": turn["answer"]})
    return tuple(messages)


def _plain(text: str) -> str:
    """One bounded line without control, format and tag characters, and without the marks that delimit evidence."""
    kept = "".join(c if unicodedata.category(c) not in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"} else " " for c in text)
    return " ".join(kept.replace("<", "‹").replace(">", "›").split())[:_LONGEST_LINE]


def _prompt(name: str) -> str:
    return files("templates").joinpath("prompts", name).read_text(encoding="utf-8")


def _drafts(completion: Completion, question: Question, before: int) -> list[Draft]:
    """The statements of an answer. A cut answer keeps the statements that are whole; its unfinished tail is dropped."""
    statements = _statements(completion)
    return [_draft(statement, question, before) for statement in statements if isinstance(statement, Mapping)]


def _statements(completion: Completion) -> list[Any]:
    if completion.finish == "stop":
        said = json.loads(completion.text)
        listed = said.get("statements") if isinstance(said, dict) else said
        return listed if isinstance(listed, list) else [said]
    whole: list[Any] = []
    decoder, text = json.JSONDecoder(), completion.text
    place = text.find("{", text.find("["))
    while place > 0:
        try:
            statement, end = decoder.raw_decode(text, place)
        except ValueError:
            break
        whole.append(statement)
        place = text.find("{", end)
    return whole


def _draft(said: Mapping[str, Any], question: Question, before: int) -> Draft:
    """A statement as a draft, whatever its shape: what is not of the form is kept for the record of its refusal."""
    known = {"base", "text", "evidence", "quote", "premises", "source"}
    return Draft(
        base=str(said.get("base", "")),
        text=str(said.get("text", "")),
        evidence=tuple(str(name) for name in _list(said.get("evidence"))),
        premises=tuple(number + before for number in _list(said.get("premises")) if isinstance(number, int)),
        quote=str(said.get("quote", "")),
        source=str(said.get("source", "")),
        question=question.number,
        extra={str(key): value for key, value in said.items() if key not in known},
    )


def _list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _joined(names: Iterable[str]) -> str:
    return " + ".join(dict.fromkeys(names))


def _read(path: Path) -> Answer:
    said = json.loads(path.read_text(encoding="utf-8"))
    drafts = (Draft(**{**draft, "evidence": tuple(draft["evidence"]), "premises": tuple(draft["premises"])}) for draft in said["drafts"])
    seal = said["provider"]
    return Answer(tuple(drafts), ProviderSeal(**{**seal, "failovers": tuple(seal["failovers"])}))
