"""A small model is asked once more about what it answered: do these words give what the question asks for?

Asked for the words that answer, a small model finds some for every question. Shown one question and what was cited, yes or no, it tells
most of them apart. All answers of a video are looked at after its last question, because a model keeps the beginning of its last prompt
only. A "no" makes the answer one that is refused, on record, as no answer.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from stages.engines.completion import Completion, Message
from stages.pertinence import gives_what_is_asked
from stages.quarantine import plain
from stages.values import read_values
from stages.words import fold, shared_words

__all__ = ["LOOK_SCHEMA", "LOOK_TOKENS", "is_clear", "is_denied", "look_messages"]

LOOK_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object", "properties": {"gives": {"enum": ["yes", "no"]}}, "required": ["gives"], "additionalProperties": False,
}  # fmt: skip
LOOK_TOKENS: Final = 16
_HOW_MANY: Final = re.compile(r"\b(?:quant[ao]s?|cuant[ao]s?|how (?:many|much)) (\w+)")


def look_messages(question: str, cited: Sequence[str]) -> list[Message]:
    """The prompt for one question and the texts that its answer cites."""
    return [*_shown(), {"role": "user", "content": _form(question, cited)}]


def is_clear(question: str, cited: Sequence[str]) -> bool:
    """Whether the words alone tell that what is asked for is given: a price for a price, "500 gramas" for "how many grams"."""
    words = " / ".join(cited)
    if (given := gives_what_is_asked(question, words)) is not None:
        return given
    counted = [match[1] for match in _HOW_MANY.finditer(fold(question))]
    return bool(counted) and bool(read_values(words)) and all(shared_words(word, words) for word in counted)


def is_denied(said: Completion) -> bool:
    """Whether the model says no; what is neither counts as no word against the answer."""
    answer = json.loads(said.text) if said.finish == "stop" else {}
    return isinstance(answer, Mapping) and answer.get("gives") == "no"


def _form(question: str, cited: Sequence[str]) -> str:
    return f"Question: {plain(question)}\nWords: {' / '.join(map(plain, cited))}"


@cache
def _shown() -> tuple[Message, ...]:
    prompts = files("templates").joinpath("prompts")
    messages: list[Message] = [{"role": "system", "content": prompts.joinpath("look.txt").read_text(encoding="utf-8")}]
    for turn in tomllib.loads(prompts.joinpath("look.toml").read_text(encoding="utf-8"))["turn"]:
        messages.append({"role": "user", "content": _form(turn["question"], [turn["words"]])})
        messages.append({"role": "assistant", "content": json.dumps({"gives": turn["gives"]}, separators=(",", ":"))})
    return tuple(messages)
