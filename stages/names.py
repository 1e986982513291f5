"""Proper names of a statement that its evidence does not have. A wrong name is as costly as a wrong number, and harder to see.

Only the capitals tell: there is no list of names here. So a name is looked for where a capital says something, and a name that a reading
spelled otherwise ("Steen", heard "Steam") is another name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from rapidfuzz import fuzz

from stages.negation import is_denial
from stages.words import content_words, fold, same_word, tokens

__all__ = ["missing_names"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;…\n]\s*|[-–—•·]\s+|[\"“«¿¡(\[]\s*)$")
_NAMED_OPENING: Final = re.compile(
    r" [A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]"
    r"|,? (?:diz|disse|fala|explica|ensina|mostra|dice|dijo|habla|enseña|muestra|says|said|explains?|shows?|teaches)\b"
)
"""What follows a name that opens a sentence: a surname, or a verb of telling."""
_FOLLOWING: Final = re.compile(r" ([^\W\d_]+)")
_LABEL: Final = re.compile(r"([^\W\d_]+): $")
_LONG_NAME: Final = 6
_NAME_LIKENESS: Final = 85.0


def missing_names(text: str, evidence: Sequence[str]) -> list[str]:
    """Proper names of `text` that none of `evidence` has.

    A name is a capitalised word that does not open a sentence, or a word of capitals among words that are not; at the opening, one that
    another capital follows, or that is said to speak ("Ana explica"). A text in title case or in capitals throughout shows no names this
    way, and none is reported.
    """
    candidates = [(match.group(), match.start(), match.end()) for match in _WORD.finditer(text) if match.group()[0].isalpha()]
    capitals = {fold(word) for item in evidence for word in _WORD.findall(item) if word[0].isupper()}
    if _is_title_case([word for word, _, _ in candidates if content_words(word)], capitals):
        return []
    among = [tokens(item) for item in evidence]
    everything = [word for item in among for word in item]
    names = [word for word, start, end in candidates if _is_name(word, text[:start], text[end:])]
    if not names:
        names = [word for word, start, end in candidates if word[0].isupper() and _is_replaced(text, start, end, among, capitals)]
    return [name for name in dict.fromkeys(names) if not _is_named(_bare(name), everything)]


def _is_title_case(words: Sequence[str], capitals: set[str]) -> bool:
    """Whether every word has a capital and its evidence writes them small, so that a capital says nothing of a name."""
    if len(words) <= 2 or not all(word[0].isupper() for word in words):
        return False
    return sum(_bare(word) in capitals for word in words) * 2 < len(words)


def _is_replaced(text: str, start: int, end: int, evidence: Sequence[Sequence[str]], capitals: set[str]) -> bool:
    """Whether an opening word stands where the evidence has another with a capital, next to the same word: "Leeds revisa" for "Marta
    revisa", "Responsable: Haddad" for "Responsable: Begoña Muñoz"."""
    word, said = fold(text[start:end]), set(tokens(text))
    if not content_words(word) or is_denial(word):
        return False
    after = _FOLLOWING.match(text, end)
    label = _LABEL.search(text[:start])
    beside = fold(after.group(1)) if after else fold(label.group(1)) if label else ""
    if not content_words(beside):
        return False
    pairs = ((item[::-1] if label and not after else item) for item in evidence)
    return any(
        other in capitals and other not in said and not is_denial(other) and not same_word(other, word) and same_word(near, beside)
        for item in pairs
        for other, near in pairwise(item)
    )


def _bare(name: str) -> str:
    """A folded name without its possessive."""
    return re.sub(r"['’]s$", "", fold(name))


def _is_named(name: str, among: Sequence[str]) -> bool:
    """Whether the name is there, a letter misread at most: "Beatriz" and "Beatrix", but not "Maria" and "Mario"."""
    if name in among or any(_bare(other) == name for other in among):
        return True
    return any(min(len(name), len(other)) >= _LONG_NAME and fuzz.ratio(name, other) >= _NAME_LIKENESS for other in among)


def _is_name(word: str, before: str, after: str) -> bool:
    if not word[0].isupper() or not content_words(word) or len(word) < 2:
        return False
    if not _SENTENCE_START.search(before):
        return True
    return (word.isupper() and any(character.islower() for character in after)) or _NAMED_OPENING.match(after) is not None
