"""A small model is asked once more what answers: do these words give what the question asks for?

Asked for the words that answer, a small model finds some for every question, and at times the wrong ones. Shown one question and one
piece of evidence, yes or no, it tells them apart, and how sure it is of its yes tells more than the yes: the words that answer nearly
always get the largest share. So what it cited is looked at beside what a search finds, and what is much likelier takes its place. All
questions of a video are looked at after the last one, because a model keeps the beginning of its last prompt only. What is denied is
refused, on record, as no answer.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from stages.claim import READ
from stages.draft import Draft
from stages.engines.completion import Completion, Message
from stages.engines.embeddings import likeness
from stages.evidence import Evidence, EvidenceSet
from stages.findings import Question
from stages.literal import quote_answers, quoted
from stages.pertinence import gives_what_is_asked, introduces, off_topic
from stages.quarantine import plain
from stages.retrieval import asked_words
from stages.values import read_values
from stages.windows import about
from stages.words import content_words, fold, shared_words, tokens

__all__ = [
    "LOOK_SCHEMA",
    "LOOK_TOKENS",
    "LOOK_WORDS",
    "Candidate",
    "Look",
    "best_of",
    "found",
    "look_messages",
    "looked",
    "meant",
    "own",
    "together",
]

LOOK_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object", "properties": {"gives": {"enum": ["yes", "no"]}}, "required": ["gives"], "additionalProperties": False,
}  # fmt: skip
LOOK_TOKENS: Final = 16
LOOK_WORDS: Final = ("yes", "no")
_CLEAR: Final = 0.7
"""The least share of a "yes" of words that tell by themselves that they give what is asked."""
_EVEN: Final = 0.5
"""The share from which on such words that a search found are given the least that it needs."""
_STANDS: Final = 0.58
"""From this share on, what the model cited stays its answer."""
_FOUND: Final = 0.72
"""From this share on, what a search found is an answer that the model overlooked."""
_LIKELIER: Final = 0.1
"""By so much more, what a search found takes the place of what the model cited."""
_SURE: Final = 0.85
"""From this share on, nothing else is looked at."""
_MOST_FOUND: Final = 3
"""Of 32 answers of the `tune` half that a search was to find, 30 were among its first three pieces, 25 the first."""
_UNNAMED_LESS: Final = _FOUND - _STANDS
"""What the "yes" to cited words counts less that have no word of the question, and are not clear: of these the model is easily taken in."""
_CLOSER: Final = 0.02
"""By so much more (cosine) the words of an answer mean another piece than the one it cites."""
_TITLE: Final = 3
"""As many words may be a name or a title, and no statement."""
_TITLE_LESS: Final = 0.4
"""What the "yes" to a name or a title counts less."""
_ASKS: Final = re.compile(
    r"\b(?:qua(?:l|is)|quant[ao]s?|quando|onde|quem|que|como|cual(?:es)?|cuant[ao]s?|cuando|donde|quien(?:es)?|"
    r"what|which|when|where|who|why|how)\b"
)
"""A word that asks for something, and not whether something is so."""
_HOW_MANY: Final = re.compile(r"\b(?:quant[ao]s?|cuant[ao]s?|how (?:many|much)) (\w+)")


def look_messages(question: str, cited: Sequence[str]) -> list[Message]:
    """The prompt for one question and the texts that its answer cites."""
    return [*_shown(), {"role": "user", "content": _form(question, cited)}]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Drafts that may together be the answer to a question."""

    drafts: tuple[Draft, ...]
    own: bool = False
    """They are what the model itself answered, and were not found."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the model thinks of a candidate."""

    candidate: Candidate
    share: float
    """Of its "yes", 0 to 1."""
    weighed: bool
    """The model told how sure it is; else the share is that of a plain yes or no."""

    @property
    def settles(self) -> bool:
        """Whether nothing else need be looked at."""
        return self.share >= (_SURE if self.weighed else _FOUND)


def own(drafts: Sequence[Draft]) -> Candidate:
    """What the model itself answered."""
    return Candidate(tuple(drafts), own=True)


def meant(drafts: Sequence[Draft], offered: Sequence[Evidence]) -> list[Draft]:
    """The drafts, each that shares no word with what it cites on the piece that its words mean: a small model that answers in another
    language than that of the video at times copies one line and tells another. Without the extra `embeddings` they stay as they are."""
    return [_meant(draft, offered) for draft in drafts]


def _meant(draft: Draft, offered: Sequence[Evidence]) -> Draft:
    cited = [item for item in offered if item.id in draft.evidence]
    if not cited or any(shared_words(draft.text, item.text) for item in cited):
        return draft
    scores = dict(zip((item.id for item in offered), likeness(draft.text, [item.text for item in offered]), strict=False))
    closest = max(offered, key=lambda item: scores.get(item.id, 0.0))
    further = max(scores.get(item.id, 0.0) for item in cited) + _CLOSER < scores.get(closest.id, 0.0)
    return quoted(closest, draft.question) if further else draft


def found(question: Question, offered: Sequence[Evidence], evidence: EvidenceSet) -> list[Candidate]:
    """What a search finds that may answer a question that asks for one thing: what `literal` would say, then the closest pieces."""
    said = tuple(draft for draft in quote_answers(question, offered) if draft.base in READ)
    closest = [item for item in about(question.text, offered)[:_MOST_FOUND] if _is_telling(question.text, item.text)]
    speakers = [item for item in offered if introduces(question.text, item.text)][:1]
    candidates = (Candidate(said), *(Candidate((quoted(item, question.number),)) for item in [*closest, *speakers]))
    return [
        candidate
        for candidate in candidates
        if candidate.drafts and not any(off_topic(question.text, draft, evidence, about=False) for draft in candidate.drafts)
    ]


def looked(question: str, candidate: Candidate, cited: Sequence[str], said: Completion) -> Look:
    """The look of a completion at a candidate that cites these texts; what is neither yes nor no is no word against it."""
    share = said.weights.get("yes")
    if share is None:
        answer = json.loads(said.text) if said.finish == "stop" else {}
        share = 0.0 if isinstance(answer, Mapping) and answer.get("gives") == "no" else _FOUND
    words = " / ".join(cited)
    if any(introduces(question, text) for text in cited):
        share = max(share, _SURE)
    elif _is_clear(question, words):
        share = max(share, _CLEAR if candidate.own else _FOUND if share >= _EVEN else 0.0)
    elif candidate.own and said.weights and not shared_words(" ".join(asked_words(question)), words):
        share -= _UNNAMED_LESS
    if said.weights and not any(_is_telling(question, text) for text in cited):
        share -= _TITLE_LESS
    return Look(candidate, share, bool(said.weights))


def best_of(first: Look | None, others: Sequence[Look]) -> Candidate | None:
    """The candidate that answers: the model's own, which is `first`, one that was found, or none."""
    likeliest = max(others, key=lambda look: look.share, default=None)
    if likeliest is not None and likeliest.share >= max(_FOUND, first.share + _LIKELIER if first else 0.0):
        return likeliest.candidate
    return first.candidate if first is not None and first.share >= _STANDS else None


def together(each: Sequence[Look]) -> Look | None:
    """What stands of several statements that answer one thing, as one answer: a model asked for one amount lists all of them."""
    standing = [look for look in each if look.share >= _STANDS]
    if not standing:
        return None
    drafts = tuple(draft for look in standing for draft in look.candidate.drafts)
    return Look(own(drafts), max(look.share for look in standing), True)


def _is_telling(question: str, text: str) -> bool:
    """Not a name or a title that shares nothing with the question: a small model takes "Northgate Logistics" for the answer to much; nor
    a label that gives back what is asked: "Final torque" tells nobody what the final torque is."""
    if read_values(text):
        return True
    if len(tokens(text)) <= _TITLE and gives_what_is_asked(question, text) is False:
        return False
    if _ASKS.search(fold(question)) and all(shared_words(word, question) for word in content_words(text)):
        return False
    return len(tokens(text)) > _TITLE or bool(shared_words(" ".join(asked_words(question)), text))


def _is_clear(question: str, words: str) -> bool:
    """Whether the words alone tell that what is asked for is given: a price for a price, "500 gramas" for "how many grams"."""
    if (given := gives_what_is_asked(question, words)) is not None:
        return given
    counted = [match[1] for match in _HOW_MANY.finditer(fold(question))]
    return bool(counted) and bool(read_values(words)) and all(shared_words(word, words) for word in counted)


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
