"""A small model is asked once more what answers: do these words give what the question asks for?

Asked for the words that answer, a small model finds some for every question, and at times the wrong ones. Shown one question and one
piece of evidence, yes or no, it tells them apart, and how sure it is of its yes tells more than the yes. So what it cited is looked at
beside what a search finds, and the likeliest is the answer, if it is likely at all. A small model says yes to a title and no to a long
sentence too easily: its yes is weighed together with what the words tell by themselves, by a logistic regression
(`benchmarks/questions/calibrate.py`). All questions of a video are looked at after the last one, because a model keeps the beginning of
its last prompt only. What is denied is refused, on record, as no answer.
"""

from __future__ import annotations

import json
import math
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
    "WEIGHTS",
    "Candidate",
    "Look",
    "best_of",
    "found",
    "log_odds",
    "look_messages",
    "looked",
    "meant",
    "own",
    "telling",
    "together",
    "told_by_words",
]

LOOK_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object", "properties": {"gives": {"enum": ["yes", "no"]}}, "required": ["gives"], "additionalProperties": False,
}  # fmt: skip
LOOK_TOKENS: Final = 16
LOOK_WORDS: Final = ("yes", "no")
WEIGHTS: Final[Mapping[str, float]] = {"yes": 1.33, "length": 0.98, "clear": 2.32, "untold": -2.44, "own": 2.27}
"""What each thing that is known of words counts, as `benchmarks/questions/calibrate.py` prints it."""
_BIAS: Final = -4.96
_SETTLED: Final = 2.5
"""Log-odds from which on nothing else is looked at."""
_SAID_YES: Final = 0.8
_SAID_NO: Final = 0.3
"""The share of a model that says yes, or no, and not how sure it is."""
_LONGEST: Final = 25
"""Words from which on more count no more: the weights were found on sentences up to so long."""
_LIKELIEST: Final = 0.99
_SPEAKER: Final = 0.85
"""The least share of words in which somebody gives a name, where it is asked who speaks."""
_MOST_FOUND: Final = 3
"""Of 32 answers of the `tune` half that a search was to find, 30 were among its first three pieces, 25 the first."""
_CLOSER: Final = 0.02
"""By so much more (cosine) the words of an answer mean another piece than the one it cites."""
_TITLE: Final = 3
"""As many words may be a name or a title, and no statement."""
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
    """How likely a candidate is an answer."""

    candidate: Candidate
    odds: float
    """Log-odds."""
    weighed: bool
    """The model told how sure it is, and not only yes or no."""

    @property
    def stands(self) -> bool:
        """Whether it is more likely an answer than not."""
        return self.odds >= 0

    @property
    def settles(self) -> bool:
        """Whether nothing else need be looked at."""
        return self.odds >= _SETTLED or (self.stands and not self.weighed)


def own(drafts: Sequence[Draft]) -> Candidate:
    """What the model itself answered."""
    return Candidate(tuple(drafts), own=True)


def telling(question: str, drafts: Sequence[Draft], evidence: EvidenceSet) -> list[Draft]:
    """The drafts without those that cite a title or a label only, where others cite more: a small model quotes what stands beside too."""
    told = [
        draft
        for draft in drafts
        if any((item := evidence.get(name)) is not None and _is_telling(question, item.text) for name in draft.evidence)
    ]
    return told or list(drafts)


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
    told = told_by_words(question, cited) | {"yes": log_odds(_share(question, cited, said)), "own": float(candidate.own)}
    return Look(candidate, _BIAS + sum(weight * told[name] for name, weight in WEIGHTS.items()), bool(said.weights))


def told_by_words(question: str, cited: Sequence[str]) -> dict[str, float]:
    """What the cited texts tell by themselves: the logarithm of how many words the longest has, whether they give what is asked, whether
    they tell nothing."""
    longest = max((len(tokens(text)) for text in cited), default=0)
    return {
        "length": math.log(min(max(1, longest), _LONGEST)),
        "clear": float(_is_clear(question, " / ".join(cited))),
        "untold": float(not any(_is_telling(question, text) for text in cited)),
    }


def best_of(looks: Sequence[Look]) -> Candidate | None:
    """The candidate that answers, if one does; of two as likely the first."""
    likeliest = max(looks, key=lambda look: look.odds, default=None)
    return likeliest.candidate if likeliest is not None and likeliest.stands else None


def together(each: Sequence[Look]) -> Look | None:
    """What stands of several statements that answer one thing, as one answer: a model asked for one amount lists all of them."""
    standing = [look for look in each if look.stands]
    if not standing:
        return None
    drafts = tuple(draft for look in standing for draft in look.candidate.drafts)
    return Look(own(drafts), max(look.odds for look in standing), True)


def _share(question: str, cited: Sequence[str], said: Completion) -> float:
    """How sure the model is of its "yes", 0 to 1."""
    share = said.weights.get("yes")
    if share is None:
        answer = json.loads(said.text) if said.finish == "stop" else {}
        share = _SAID_NO if isinstance(answer, Mapping) and answer.get("gives") == "no" else _SAID_YES
    return max(share, _SPEAKER) if any(introduces(question, text) for text in cited) else share


def log_odds(share: float) -> float:
    """Of a share; one of nearly all or nearly nothing counts no more than 99 in 100."""
    bounded = min(max(share, 1 - _LIKELIEST), _LIKELIEST)
    return math.log(bounded / (1 - bounded))


def _is_telling(question: str, text: str) -> bool:
    """Not a name or a title that shares nothing with the question: a small model takes "Northgate Logistics" for the answer to much; nor
    a label that gives back what is asked: "Final torque" tells nobody what the final torque is."""
    if read_values(text):
        return True
    if _is_title(text) and gives_what_is_asked(question, text) is False:
        return False
    if _ASKS.search(fold(question)) and all(shared_words(word, question) for word in content_words(text)):
        return False
    return len(tokens(text)) > _TITLE or bool(shared_words(" ".join(asked_words(question)), text))


def _is_title(text: str) -> bool:
    """A few words, or all with capitals: "Biblioteca Municipal de Olivares"."""
    words = [word for word in text.split() if content_words(word)]
    return len(tokens(text)) <= _TITLE or (bool(words) and all(word[0].isupper() for word in words))


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
