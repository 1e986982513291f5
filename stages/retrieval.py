"""Which evidence is about a question: Okapi BM25 over folded, stemmed words (Robertson and Zaragoza 2009, as in rank-bm25), and how
much of the question each piece covers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rank_bm25 import BM25Okapi

from stages.evidence import Evidence
from stages.words import content_words, shared_words, tokens

__all__ = ["Hit", "asked_fragments", "asked_parts", "asked_words", "retrieve"]

_ABOUT_THE_VIDEO: Final = frozenset(
    "video videos diz dizem disse fala falam falado mostra mostram mostrado aparece aparecem tela qual quais "
    "dice dicen dijo habla hablan muestra muestran pantalla say says said tell tells shown show shows screen appear appears mentioned "
    "mention menciona mencionado mencionada mencionam according segundo".split()
)
"""Words of a question that ask of the video, not of its subject."""

_AND: Final = re.compile(
    r",?\s+(?:e|y|and)\s+(?=(?:(?:a|de|em|en|por|para|com|con|in|on|at|for|until|hasta|ate|até)\s+)?"
    r"(?:qual|quais|quant[oa]s?|quando|onde|quem|qu[eé]|cu[aá]l(?:es)?|cu[aá]nt[oa]s?|cu[aá]ndo|d[oó]nde|qui[eé]n(?:es)?|"
    r"what|which|when|where|who|how)\b)",
    re.IGNORECASE,
)
"""Before a second word that asks."""
_MEASURES: Final = frozenset(
    "dia hora horario data fecha tipo valor preco precio day time date hour kind type price cost cor color colour".split()
)
"""Words that say which kind of answer is wanted and not of what: "on which day" is no question of its own."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of evidence that may answer a question."""

    evidence: Evidence
    score: float
    """BM25, higher is closer; comparable within one question only."""
    coverage: float
    """Share of the question's words that the evidence has, 0..1."""
    rarity: float
    """The same share, each word weighted by how rare it is in this video, 0..1."""


def asked_fragments(question: str) -> list[str]:
    """A question cut before each word that asks: "on which day, and at what time does it start?" is two fragments and one question."""
    return [part.strip(" ,;") for part in _AND.split(question)]


def asked_parts(question: str) -> list[str]:
    """The things that one question asks for, each as a question of its own: "which room, and when?" wants two answers."""
    parts = asked_fragments(question)
    return parts if all(set(asked_words(part)) - _MEASURES for part in parts) else [question]


def asked_words(question: str) -> list[str]:
    """The words of a question that are of its subject, each once."""
    return [word for word in dict.fromkeys(content_words(question)) if word not in _ABOUT_THE_VIDEO]


def retrieve(question: str, evidence: Sequence[Evidence]) -> list[Hit]:
    """The evidence that shares words with `question`, closest first."""
    wanted = asked_words(question)
    numbers = [token for token in tokens(question) if token[0].isdigit()]
    if not evidence or not (wanted or numbers):
        return []
    shared = [_shared(wanted, numbers, item.text) for item in evidence]
    frequency = Counter(word for words in shared for word in words)
    weight = {word: math.log(1 + len(evidence) / (1 + frequency[word])) for word in (*wanted, *numbers)}
    total = sum(weight.values()) or 1.0
    # The words found, in the question's own spelling, are the document: an inflected form counts as the word asked for.
    documents = [
        [*words, *(word for word in content_words(item.text) if word not in words)] for words, item in zip(shared, evidence, strict=True)
    ]
    scores = BM25Okapi([document or [""] for document in documents]).get_scores([*wanted, *numbers])
    hits = [
        Hit(item, float(score), len(words) / len(weight), sum(weight[word] for word in words) / total)
        for item, score, words in zip(evidence, scores, shared, strict=True)
        if words
    ]
    return sorted(hits, key=lambda hit: (-hit.rarity, -hit.score, hit.evidence.span.start.ms))


def _shared(wanted: Sequence[str], numbers: Sequence[str], text: str) -> list[str]:
    present = set(tokens(text))
    return [*shared_words(" ".join(wanted), text), *(number for number in numbers if number in present)]
