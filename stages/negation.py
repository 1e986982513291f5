"""Whether a statement turns a no of its evidence into a yes, or a yes into a no.

Compared word by word where the two share words, because a no does not reach every word of its clause: "ligue a serra sem os óculos" and
"nunca ligue a serra sem os óculos" have their words and a "sem" in common, and say the opposite. Two noes of one clause that agree
("no ... nunca", "não ... nenhum") are one, as Portuguese and Spanish use them; "sem" and what it takes away count apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stages.words import content_words, fold, same_word, tokens

__all__ = ["is_denial", "negation_flipped"]

_STRONG_BREAK: Final = re.compile(r"[.!?;:\n…]+|\s[-–—]\s")
_COMMA: Final = re.compile(r",\s+")
_CONCORD: Final[dict[str, frozenset[str]]] = {
    "pt": frozenset("nao nunca jamais nem nada ninguem nenhum nenhuma tampouco".split()),
    "es": frozenset("no nunca jamas ni nada nadie ningun ninguno ninguna tampoco".split()),
    "en": frozenset("not no never nor none nobody nothing neither cannot".split()),
}
_CERTAIN: Final = frozenset("nao nunca jamais jamas not never cannot tampoco nenhum nenhuma ningun ninguna".split())
"""Words that deny in one of the languages and mean nothing else in the others ("no" is "in the" in Portuguese)."""
_WITHOUT: Final = frozenset("sem sin without".split())
_AND_NOT: Final = frozenset("nem ni nor or".split())
_DENYING_VERB: Final = re.compile(
    r"(?:evit|proib|prohib|forbid|forbad|avoid|refrain|abstene|abstenh|impid|impec|prevent|recus|rehus|refus)\w*"
)
_STOPPING: Final = re.compile(r"\b(?:deix\w+ de|dej\w+ de|par\w+ de|stop\w*|quit)\b")
_NO_DENIAL: Final = re.compile(
    r"\b(?:nao|no|not) (?:so|solo|apenas|somente|only|just)\b|\b(?:sem|sin|without) (?:duvida|falta|doubt|fail|problem\w*)\b|\bno doubt\b"
    r"|\bpor que (?:nao|no)\b|\bwhy not\b|\b(?:antes que|antes de mais|mas que|de) nada\b"
)
_REACH: Final = 2
"""Content words that "sem" takes away."""
_JOINTS: Final = frozenset("e y and mas pero but".split())


@dataclass(frozen=True, slots=True)
class _Clause:
    """One clause: its content words, each with whether it is denied, and those that stand after "sem"."""

    words: tuple[str, ...]
    denied: frozenset[str]
    without: frozenset[str]


def negation_flipped(text: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether `text` denies what the evidence affirms, or the reverse.

    Each clause of the text is compared with the clauses of the evidence that share most of its words, and it is flipped when it stands
    on the other side of all of them. `language` (ISO 639-1) decides what denies: "no" does in Spanish and English and is "in the" in
    Portuguese.
    """
    given = [clause for item in evidence for clause in _clauses(item, language)]
    clauses = _clauses(text, language)
    for said in clauses:
        scored = [(len(_pairs(said, clause)), clause) for clause in given]
        best = max((score for score, _ in scored), default=0)
        closest = [clause for score, clause in scored if best and score == best]
        others = [other for other in clauses if other is not said]
        if closest and all(_opposed(said, clause) and not _completed(others, clause) for clause in closest):
            return True
    return False


def _completed(others: Sequence[_Clause], given: _Clause) -> bool:
    """Whether another clause of the statement says the no of the evidence: "a porta fica fechada: não abra"."""
    return any(given.denied and other.denied and _pairs(other, given) and not _opposed(other, given) for other in others)


def is_denial(word: str) -> bool:
    """Whether a folded word denies, alone or as a verb ("evite"), in any of the languages."""
    return _denies(word, frozenset().union(*_CONCORD.values()) | _WITHOUT) or _DENYING_VERB.fullmatch(word) is not None


def _clauses(text: str, language: str) -> list[_Clause]:
    return [clause for sentence in _STRONG_BREAK.split(text) for part in _parts(sentence) if (clause := _clause(part, language)).words]


def _parts(sentence: str) -> list[str]:
    """The sentence at its commas, a piece of one word ("No forno,") kept with what follows it."""
    parts: list[str] = []
    short = ""
    for piece in _COMMA.split(sentence):
        size = len(content_words(piece))
        if not size:
            continue
        joined = f"{short} {piece}".strip()
        if size < 2:
            short = joined
        else:
            parts.append(joined)
            short = ""
    if short and parts:
        parts[-1] = f"{parts[-1]} {short}"
    elif short:
        parts.append(short)
    return parts


def _clause(text: str, language: str) -> _Clause:
    folded = _NO_DENIAL.sub(" ", fold(text))
    said = tokens(folded)
    content = set(content_words(folded))
    concord = _CONCORD.get(language, _CERTAIN) | _CERTAIN
    without = _after_without(said, content)
    verbs = sum(_DENYING_VERB.fullmatch(word) is not None for word in said) + len(_STOPPING.findall(folded))
    noes = {word for place, word in enumerate(said) if _denies(word, concord) and not _continues_without(said, place)}
    denied = (bool(noes) + verbs) % 2 == 1
    words = tuple(dict.fromkeys(word for word in said if word in content and word not in concord and not _DENYING_VERB.fullmatch(word)))
    return _Clause(words, frozenset(word for word in words if denied is not (word in without)), frozenset(without))


def _denies(word: str, concord: frozenset[str]) -> bool:
    return word in concord or word.endswith(("n't", "n’t"))


def _after_without(said: Sequence[str], content: set[str]) -> set[str]:
    """The words that "sem" takes away: the next ones, and those that "nem" adds to them."""
    taken: set[str] = set()
    left = 0
    open_list = False
    for word in said:
        if word in _WITHOUT or (open_list and word in _AND_NOT):
            left, open_list = _REACH, True
        elif word in _JOINTS:
            left = 0
        elif left and word in content:
            taken.add(word)
            left -= 1
    return taken


def _continues_without(said: Sequence[str], place: int) -> bool:
    return said[place] in _AND_NOT and any(word in _WITHOUT for word in said[:place])


def _pairs(said: _Clause, given: _Clause) -> list[tuple[str, str]]:
    """The words both have, as each writes them."""
    return [(word, other) for word in said.words for other in given.words if same_word(word, other)]


def _opposed(said: _Clause, given: _Clause) -> bool:
    """Whether a word that "sem" takes away on one side is there on the other, or most of what they share is on opposite sides."""
    pairs = _pairs(said, given)
    opposite = [(word, other) for word, other in pairs if (word in said.denied) is not (other in given.denied)]
    if any(word in said.without or other in given.without for word, other in opposite):
        return len(opposite) * 2 >= len(pairs) or bool(said.without) is not bool(given.without)
    return len(opposite) * 2 > len(pairs)
