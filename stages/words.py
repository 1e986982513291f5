"""Words of a statement against words of its evidence: support, proper names, negation.

Deterministic and modest: it can say that a statement shares nothing with what it cites, that it names somebody the evidence does not
name, or that it turned a no into a yes. It cannot say that a statement is true, and nothing here claims that.

Words are compared without case and accents, by their Snowball stem (Porter 2001, snowballstem.org) in the languages of the project, and
with a little tolerance for a misread letter. Numbers are not compared here: `stages.values` does that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

import snowballstemmer
from rapidfuzz import fuzz

__all__ = ["contains_words", "content_words", "fold", "missing_names", "negation_flipped", "shared_words", "support", "tokens"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE: Final = re.compile(r"[.!?;:\n…]+|,\s|\s[-–—]\s")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;…\n]\s*|[-–—•·]\s+|[\"“«¿¡(\[]\s*)$")
_LIKENESS: Final = 84.0
"""rapidfuzz ratio from which two words of five letters or more count as one misread word."""

_FUNCTION_WORDS: Final = frozenset(
    # Portuguese
    "a o as os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra com sem sob sobre ate entre "
    "e ou mas nem que se como quando onde qual quais quem quanto quanta quantos quantas porque pois ja ainda so tambem mais menos muito "
    "muita muitos muitas pouco ao aos eu tu ele ela nos vos eles elas voce voces me te lhe meu minha seu sua seus suas nosso nossa este "
    "esta isto esse essa isso aquele aquela aquilo ser sou e sao era foi foram sera seja estar esta estao estava estou ter tem tinha ha "
    "haver vai vao ir nao sim cada todo toda todos todas outro outra mesmo mesma assim entao depois antes aqui ali la deve devem pode "
    "podem "
    # Spanish
    "el la los las un una unos unas del al en con sin por para sobre hasta entre y o u pero ni que si como cuando donde cual cuales quien "
    "cuanto cuanta cuantos cuantas porque pues ya aun solo tambien mas menos muy mucho mucha muchos muchas yo tu ella nosotros ellos "
    "usted ustedes me te le les lo mi su sus nuestro nuestra este esta esto ese esa eso aquel aquella ser soy es son era fue fueron sera "
    "sea estar esta estan estaba tener tiene tenia hay haber va van ir no cada todo toda todos todas otro otra mismo misma asi entonces "
    "despues antes aqui alli debe deben puede pueden "
    # English
    "the a an of in on at by for with without from to into over under between and or but nor that this these those which who whom whose "
    "what when where why how if as is are was were be been being am do does did have has had will would shall should can could may might "
    "must not no yes i you he she it we they me him her us them my your his its our their there here then than so too also very much many "
    "more most less each every all any some other same such only just about after before up down out".split()
)

_NEGATIONS: Final[dict[str, frozenset[str]]] = {
    "pt": frozenset("nao nunca jamais nem sem nada ninguem nenhum nenhuma tampouco".split()),
    "es": frozenset("no nunca jamas ni sin nada nadie ningun ninguno ninguna tampoco".split()),
    "en": frozenset("not no never nor without none nobody nothing neither cannot".split()),
}
_CERTAIN_NEGATIONS: Final = frozenset("nao nunca jamais jamas sem sin not never without cannot tampoco".split())
"""Words that negate in one of the languages and mean nothing else in the others ("no" is "in the" in Portuguese)."""


def fold(text: str) -> str:
    """`text` in NFKD without accents and case, invisible characters dropped."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = (c for c in decomposed if (not unicodedata.combining(c) and unicodedata.category(c) not in {"Cf", "Cc"}) or c in "\n\t")
    return "".join(kept).casefold()


def tokens(text: str) -> list[str]:
    """The folded words and numbers of `text`, in order."""
    return _WORD.findall(fold(text))


@cache
def _stems(word: str) -> frozenset[str]:
    return frozenset({word, *(stemmer.stemWord(word) for stemmer in _stemmers())})


@cache
def _stemmers() -> tuple[snowballstemmer.basestemmer.BaseStemmer, ...]:
    return tuple(snowballstemmer.stemmer(language) for language in ("portuguese", "spanish", "english"))


def content_words(text: str) -> list[str]:
    """The words that carry meaning: no function words, no numbers, nothing of one Latin letter."""
    return [word for word in tokens(text) if word not in _FUNCTION_WORDS and not word[0].isdigit() and (len(word) > 1 or word > "\u2e80")]


def _same(one: str, other: str) -> bool:
    if one == other or _stems(one) & _stems(other):
        return True
    return min(len(one), len(other)) >= 5 and fuzz.ratio(one, other) >= _LIKENESS


def _found(word: str, among: Sequence[str]) -> bool:
    return word in among or any(_same(word, other) for other in among)


def shared_words(text: str, other: str) -> list[str]:
    """The content words of `text` that `other` has too, in the order of `text`."""
    among = content_words(other)
    return [word for word in dict.fromkeys(content_words(text)) if _found(word, among)]


def support(text: str, evidence: Sequence[str]) -> float | None:
    """Share of the content words of `text` that the evidence has, 0..1; None where `text` has none to compare."""
    words = list(dict.fromkeys(content_words(text)))
    if not words:
        return None
    among = list(dict.fromkeys(word for item in evidence for word in content_words(item)))
    return sum(_found(word, among) for word in words) / len(words)


def contains_words(text: str, within: str) -> bool:
    """Whether the words and numbers of `text` stand in `within` exactly, one after the other."""
    wanted, among = tokens(text), tokens(within)
    return bool(wanted) and any(among[start : start + len(wanted)] == wanted for start in range(len(among) - len(wanted) + 1))


def missing_names(text: str, evidence: Sequence[str]) -> list[str]:
    """Proper names of `text` that none of `evidence` has.

    A name is a capitalised word that does not open a sentence, or a word of capitals among words that are not. A text in title case
    or in capitals throughout shows no names this way, and none is reported.
    """
    candidates = [(match.group(), match.start()) for match in _WORD.finditer(text) if match.group()[0].isalpha()]
    capitalised = [word for word, _ in candidates if word[0].isupper()]
    meaningful = [word for word, _ in candidates if fold(word) not in _FUNCTION_WORDS]
    if len(meaningful) > 1 and len(capitalised) >= 0.8 * len(meaningful):
        return []
    among = [word for item in evidence for word in tokens(item)]
    names = [word for word, start in candidates if _is_name(word, text[:start])]
    return [name for name in dict.fromkeys(names) if not _found(fold(name), among)]


def _is_name(word: str, before: str) -> bool:
    if not word[0].isupper() or fold(word) in _FUNCTION_WORDS or len(word) < 2:
        return False
    return word.isupper() or not _SENTENCE_START.search(before)


def _negated(clause: str, language: str) -> bool:
    words = tokens(clause)
    negations = _NEGATIONS.get(language, _CERTAIN_NEGATIONS)
    return any(word in negations or word.endswith(("n't", "n’t")) for word in words)


def negation_flipped(text: str, evidence: Sequence[str], language: str = "") -> bool:
    """Whether `text` denies what the evidence affirms, or the reverse.

    Each is cut into clauses; a clause of the text is compared with the clauses of the evidence that share most of its content words,
    and it is flipped when they all stand on the other side. `language` (ISO 639-1) decides what negates: "no" denies in Spanish and
    English and is "in the" in Portuguese.
    """
    clauses = [clause for item in evidence for clause in _CLAUSE.split(item) if content_words(clause)]
    for said in (clause for clause in _CLAUSE.split(text) if content_words(clause)):
        scored = [(len(shared_words(said, clause)), clause) for clause in clauses]
        best = max((score for score, _ in scored), default=0)
        if best < 1:
            continue
        sides = {_negated(clause, language) for score, clause in scored if score == best}
        if sides == {not _negated(said, language)}:
            return True
    return False
