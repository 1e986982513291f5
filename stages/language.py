"""Which language a text is written in. Questions, claims and screen text are short, so the choice is narrowed to likely languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

__all__ = ["detect_language", "majority_language"]

_LIKELY: Final = ("pt", "es", "en", "fr", "de", "it", "ja", "ko", "zh", "ar", "ru")
_ENOUGH_LETTERS: Final = 4
_ENOUGH_PROBABILITY: Final = 0.6


@cache
def _identifier() -> LanguageIdentifier:
    """py3langid (Lui and Baldwin 2012, langid.py), loaded when first asked: it costs half a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_LIKELY))
    return identifier


def detect_language(text: str, *, at_least: float = _ENOUGH_PROBABILITY) -> str:
    """ISO 639-1 code of the language of `text`; empty where it is too short or the guess weaker than `at_least` (0..1)."""
    if sum(character.isalpha() for character in text) < _ENOUGH_LETTERS:
        return ""
    language, probability = _identifier().classify(text)
    return str(language) if probability >= at_least else ""


def majority_language(texts: Iterable[str]) -> str:
    """The language most of `texts` are in, weighted by their length; empty where none is known."""
    weights: Counter[str] = Counter()
    for text in texts:
        if language := detect_language(text):
            weights[language] += len(text)
    return weights.most_common(1)[0][0] if weights else ""
