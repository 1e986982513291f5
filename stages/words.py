"""Words of a statement against words of its evidence: what they share.

Deterministic and modest: it can say that a statement shares nothing with what it cites. It cannot say that a statement
is true, and nothing here claims that.

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

__all__ = ["contains_words", "content_words", "find_run", "fold", "same_word", "shared_words", "support", "tokens"]

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LIKENESS: Final = 84.0
"""rapidfuzz ratio from which two words of five letters or more count as one misread word."""

_SHORTEST_STEM: Final = 4
"""A shorter stem says little: "sala" and "salir" are both "sal"."""

_ENDINGS: Final = frozenset(
    """a e o as es os am em an en ar er ir ara era ira ado ada ados adas ido ida idos idas ando endo indo iendo ou eu iu io amos emos imos
    aram eram iram aron ieron ava aba avam aban ia iam ian asse esse ase iese aremos eremos iremos ed ing""".split()
)
_FUNCTION_WORDS: Final = frozenset(
    # Portuguese
    "a o as os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra com sem sob sobre ate entre "
    "e ou mas nem que se como quando onde qual quais quem quanto quanta quantos quantas porque pois ja ainda so tambem mais menos muito "
    "muita muitos muitas pouco ao aos eu tu ele ela nos vos eles elas voce voces me te lhe meu minha seu sua seus suas nosso nossa este "
    "esta isto esse essa isso aquele aquela aquilo ser sou e sao era foi foram sera seja estar esta estao estava estou ter tem tinha ha "
    "haver vai vao ir nao sim cada todo toda todos todas outro outra mesmo mesma assim entao depois antes aqui ali la deve devem pode "
    "podem segundo segun conforme tudo nada algo alguem algum alguma alguns algumas qualquer "
    # Spanish
    "el la los las un una unos unas del al en con sin por para sobre hasta entre y o u pero ni que si como cuando donde cual cuales quien "
    "cuanto cuanta cuantos cuantas porque pues ya aun solo tambien mas menos muy mucho mucha muchos muchas yo tu ella nosotros ellos "
    "usted ustedes me te le les lo mi su sus nuestro nuestra este esta esto ese esa eso aquel aquella ser soy es son era fue fueron sera "
    "sea estar esta estan estaba tener tiene tenia hay haber va van ir no cada todo toda todos todas otro otra mismo misma asi entonces "
    "despues antes aqui alli debe deben puede pueden nadie alguien algun alguno alguna algunos algunas cualquier "
    # English
    "the a an of in on at by for with without from to into over under between and or but nor that this these those which who whom whose "
    "what when where why how if as is are was were be been being am do does did have has had will would shall should can could may might "
    "must not no yes i you he she it we they me him her us them my your his its our their there here then than so too also very much many "
    "more most less each every all any some other same such only just about after before up down out everything according "
    "something anything nothing everyone someone anyone".split()
)


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


@cache
def _is_inflected(one: str, other: str) -> bool:
    """Whether two words are one root of four letters or more with two endings of verbs: the stemmers keep "hornee" and "hornear" apart."""
    shared = next((n for n, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), min(len(one), len(other)))
    return any(one[cut:] in _ENDINGS and other[cut:] in _ENDINGS for cut in range(max(shared - 1, 4), shared + 1))


def same_word(one: str, other: str) -> bool:
    """Whether two folded words are one word: inflected, or with a letter misread."""
    if (
        one == other
        or _is_inflected(one, other)
        or any(len(stem) >= _SHORTEST_STEM or stem in (one, other) for stem in _stems(one) & _stems(other))
    ):
        return True
    return min(len(one), len(other)) >= 5 and fuzz.ratio(one, other) >= _LIKENESS


def _found(word: str, among: Sequence[str]) -> bool:
    return word in among or any(same_word(word, other) for other in among)


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


def find_run(wanted: Sequence[str], among: Sequence[str]) -> int:
    """Where the words `wanted` stand in `among`, one after the other; -1 where they do not."""
    places = range(len(among) - len(wanted) + 1) if wanted else ()
    return next((start for start in places if list(among[start : start + len(wanted)]) == list(wanted)), -1)


def contains_words(text: str, within: str) -> bool:
    """Whether the words and numbers of `text` stand in `within` exactly, one after the other."""
    return find_run(tokens(text), tokens(within)) >= 0
