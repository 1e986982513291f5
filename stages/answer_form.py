"""The two forms in which an answer is asked for, and how each is read back into drafts.

*Cited*: the statements of `stages.draft.answer_model`, each with the ids of its evidence. Large models do this well.

*Quoted*: the words that answer, copied, then the answer; code finds the evidence that holds the words. Small models copy the right sentence
and cite the wrong id: of twelve answerable questions in three languages the embedded 1.5B cited 3 of 4 right by id and quoted 11 of 12
right, in a probe too small to be more than a direction.

In both the instructions and examples come first, then the evidence, and the question last, so that a model which keeps the beginning of
its last prompt reads them once. What comes from the video stands between marks, stripped of characters that no eye sees.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from rapidfuzz import fuzz

from stages.claim import READ
from stages.draft import Draft, answer_model
from stages.engines.completion import Completion, Message
from stages.evidence import Channel, Evidence
from stages.findings import Question
from stages.language import detect_language
from stages.values import Confirmation, confirm_values
from stages.words import contains_words, fold, shared_words, tokens

__all__ = ["CITED", "LONGEST_LINE", "QUOTED", "AnswerForm"]

LONGEST_LINE: Final = 400
"""Characters of one piece of evidence that are shown."""
_LANGUAGES: Final = {"pt": "Portuguese", "es": "Spanish", "en": "English", "fr": "French", "de": "German", "it": "Italian"}
_LABEL: Final[Mapping[Channel, str]] = {Channel.TELA: "screen", Channel.FALA: "speech"}
_NOTHING: Final = "NONE"
_MISCOPIED: Final = 90.0
"""rapidfuzz ratio from which a quote is the evidence's words with a slip of the copyist; the digits must be the same."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """One form: its prompt, the schema of its answer, and the way back."""

    name: str
    schema: Callable[[Sequence[Evidence]], dict[str, Any]]
    line: Callable[[Evidence], str]
    read: Callable[[Completion, Question, Sequence[Evidence], int], list[Draft]]

    def messages(self, question: Question, shown: Sequence[Evidence]) -> list[Message]:
        """The prompt for one question over the evidence that is shown."""
        lines = "\n".join(self.line(item) for item in shown)
        asked = _asked_in(_plain(question.text), detect_language(question.text))
        return [*_examples(self.name), {"role": "user", "content": f"<evidence>\n{lines}\n</evidence>\n\n{asked}"}]

    @property
    def instructions(self) -> str:
        """The fixed part of the prompt, for the key of a kept answer."""
        return json.dumps(_examples(self.name))


def _asked_in(question: str, language: str) -> str:
    """The question with the name of its language: small models otherwise answer in the language of the instructions."""
    return f"Question (answer in {_LANGUAGES.get(language, 'its language')}): {question}"


@cache
def _examples(name: str) -> tuple[Message, ...]:
    prompts = files("templates").joinpath("prompts")
    said = tomllib.loads(prompts.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    messages: list[Message] = [{"role": "system", "content": prompts.joinpath(f"{name}.txt").read_text(encoding="utf-8")}]
    for turn in said["turn"]:
        asked = _asked_in(turn["question"], turn["language"])
        messages.append({"role": "user", "content": f"<evidence>\n{said['evidence']}\n</evidence>\n\n{asked}"})
        messages.append({"role": "assistant", "content": turn["answer"]})
    return tuple(messages)


def _plain(text: str) -> str:
    """One bounded line without control, format and tag characters, and without the marks that delimit evidence."""
    kept = "".join(c if unicodedata.category(c) not in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"} else " " for c in text)
    return " ".join(kept.replace("<", "‹").replace(">", "›").split())[:LONGEST_LINE]


def _cited_schema(shown: Sequence[Evidence]) -> dict[str, Any]:
    ids = {channel: [item.id for item in shown if item.channel is channel] for channel in Channel}
    return answer_model(ids, max_statements=3).model_json_schema()


def _cited_line(item: Evidence) -> str:
    return f"{item.id} {_LABEL[item.channel]}: {_plain(item.text)}"


def _read_cited(completion: Completion, question: Question, shown: Sequence[Evidence], before: int) -> list[Draft]:
    """The statements of an answer. A cut answer keeps the statements that are whole; its unfinished tail is dropped."""
    return [_draft(statement, question, before) for statement in _statements(completion) if isinstance(statement, Mapping)]


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


def _quoted_schema(shown: Sequence[Evidence]) -> dict[str, Any]:
    words = {"type": "string", "minLength": 1, "maxLength": 200}

    def statement(**properties: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    return {"anyOf": [statement(quote={"const": _NOTHING}), statement(quote=words, text=words)]}


def _quoted_line(item: Evidence) -> str:
    return f"- {_plain(item.text)}"


def _read_quoted(completion: Completion, question: Question, shown: Sequence[Evidence], before: int) -> list[Draft]:
    """One draft on the evidence that holds the quoted words; without evidence where none does. A cut answer says nothing."""
    if completion.finish != "stop":
        return []
    said = json.loads(completion.text)
    quote, text = (str(said.get(name) or "") for name in ("quote", "text")) if isinstance(said, dict) else ("", "")
    if quote == _NOTHING or not quote:
        return [Draft("nao_consta", text or question.text, question=question.number)]
    holders = _holders(quote, text, shown)
    if not holders:
        return [Draft("", text, quote=quote, question=question.number)]
    base = next(base for base, channel in READ.items() if channel is holders[0].channel)
    ids = tuple(item.id for item in holders if item.channel is holders[0].channel)
    return [Draft(base.value, text, ids, quote=quote, question=question.number)]


def _holders(quote: str, text: str, shown: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that holds the quote, or each of its parts: models join the words of two lines with a comma."""
    if whole := _holder(quote, text, shown):
        return [whole]
    parts = [_holder(part, text, shown) for part in re.split(r"[,;/|\n]+| - ", quote) if tokens(part)]
    return list(dict.fromkeys(part for part in parts if part)) if all(parts) else []


def _holder(quote: str, text: str, shown: Sequence[Evidence]) -> Evidence | None:
    """The evidence with these words, closest to the answer where several have them; else the closest that differs by a slip."""
    exact = [item for item in shown if contains_words(quote, item.text)]
    if exact:
        return max(exact, key=lambda item: fuzz.token_set_ratio(fold(text), fold(item.text)))
    digits = _digits(quote)
    likely = [(fuzz.partial_ratio(fold(quote), fold(item.text)), item) for item in shown if digits <= _digits(item.text)]
    score, closest = max(likely, key=lambda pair: pair[0], default=(0.0, None))
    if closest is not None and score >= _MISCOPIED and len(tokens(quote)) > 1:
        return closest
    return _holder_of_values(quote, shown)


def _holder_of_values(quote: str, shown: Sequence[Evidence]) -> Evidence | None:
    """The evidence that says the quote's values in another spelling, about the same words: "15 unidades" for "quince unidades"."""
    same = [item for item in shown if confirm_values(quote, [item.text]).status is Confirmation.CONFIRMED]
    shares = [(len(shared_words(quote, item.text)), item) for item in same]
    most, closest = max(shares, key=lambda pair: pair[0], default=(0, None))
    return closest if most else None


def _digits(text: str) -> set[str]:
    return {token for token in tokens(text) if token[0].isdigit()}


CITED: Final = AnswerForm("cited", _cited_schema, _cited_line, _read_cited)
QUOTED: Final = AnswerForm("quoted", _quoted_schema, _quoted_line, _read_quoted)
