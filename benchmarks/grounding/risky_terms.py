"""Share of dangerous words beside a figure that are flagged where the video gives none, and left alone where it does:
`python -m benchmarks.grounding.risky_terms --seed N`.

A statement of each kind is made over one video's evidence and judged under one profile, as a report does it (`stages.risk`):

- *true*: a figure of the video beside the term that the video gives it for, the figure in another spelling, as a sentence, a cell or a row;
- *term of no evidence*: a true figure beside a term of which no word stands anywhere in the video;
- *figure of no evidence*: a term of the video beside a figure that none of its texts has.

What the video says is told by the hand-made annotations and a plain search for the terms, never by what is measured.
"""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from time import process_time
from typing import Final

from benchmarks.grounding.lies import Library, fill, respelled, written
from benchmarks.grounding.score import arguments
from benchmarks.grounding.texts import Piece, Video, load_videos
from stages.profile import Profile, load_profile, profile_names
from stages.risk import fabricated_terms

__all__ = ["KINDS", "Statement", "main", "measure"]

_BESIDE: Final = {
    "pt": ("{t}: {v}", "{t} de {v}", "O valor de {t} é {v}.", "| {t} | {v} |", "{t}\t{v}"),
    "es": ("{t}: {v}", "{t} de {v}", "El valor de {t} es {v}.", "| {t} | {v} |", "{t}\t{v}"),
    "en": ("{t}: {v}", "{t} of {v}", "The {t} is {v}.", "| {t} | {v} |", "{t}\t{v}"),
}
"""A term and a figure in one sentence, cell or row."""
_AROUND: Final = {
    "pt": ("{x}", "{x}", "Convém conferir antes. {x}", "{x}\nO resto está no vídeo."),
    "es": ("{x}", "{x}", "Conviene comprobarlo antes. {x}", "{x}\nEl resto está en el vídeo."),
    "en": ("{x}", "{x}", "Check it first. {x}", "{x}\nThe rest is in the video."),
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with a risky term and a figure in it."""

    text: str
    evidence: tuple[str, ...]
    """All that was read in the video."""
    profile: str


Row = tuple[str, tuple[str, ...]]
"""A profile's name, and one of its rows of terms."""


def _plain(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(sign))


def _said(term: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(_plain(term))}(?:s|es)?\b", _plain(text)) is not None


def _texts(video: Video) -> tuple[str, ...]:
    return tuple(piece.text for piece in video.pieces)


@cache
def _rows() -> list[Row]:
    return [(name, row) for name in profile_names() for row in load_profile(name).risky_terms]


def _statement(video: Video, words: str, profile: str, rng: Random) -> Statement:
    return Statement(rng.choice(_AROUND[video.language]).format(x=words), _texts(video), profile)


@cache
def _with_figure(library: Library) -> list[tuple[Video, Piece, str, str, str]]:
    """Each piece with a value beside a term that the video gives it for: with a saying, the profile and the term."""
    return [
        (video, piece, saying, profile, term)
        for video in library.videos
        for piece in video.pieces
        if piece.has_value
        for profile, row in _rows()
        for term in row
        if _said(term, f"{piece.text} {piece.near}")
        for saying in (*(say for say in piece.say if "{v}" in say and _said(term, say)), *_BESIDE[video.language])
    ]


@cache
def _nowhere(video: Video) -> list[Row]:
    """The rows of which no term stands in the video."""
    return [(profile, row) for profile, row in _rows() if not any(_plain(term) in _plain(text) for term in row for text in _texts(video))]


@cache
def _with_term(library: Library) -> list[tuple[Video, Piece, str, str]]:
    """Each amount of a video in which a term stands, with the profile and the term."""
    return [
        (video, piece, profile, term)
        for video in library.videos
        for piece in video.pieces
        if piece.amount
        for profile, row in _rows()
        for term in row
        if any(_said(term, text) for text in _texts(video))
    ]


def _true(library: Library, rng: Random) -> Statement:
    """What the video says of the term, in a sentence of its own or as a row."""
    video, piece, saying, profile, term = rng.choice(_with_figure(library))
    words = saying.replace("{t}", term)
    return _statement(video, fill(words, respelled(piece, video.language, rng, words)), profile, rng)


def _term_of_none(library: Library, rng: Random) -> Statement:
    video, piece = library.choose(rng, lambda piece: piece.has_value)
    profile, row = rng.choice(_nowhere(video))
    term = rng.choice(row)
    words = rng.choice(_BESIDE[video.language]).replace("{t}", term)
    return _statement(video, fill(words, respelled(piece, video.language, rng, words)), profile, rng)


def _figure_of_none(library: Library, rng: Random) -> Statement:
    video, piece, profile, term = rng.choice(_with_term(library))
    known = {int(number) for text in _texts(video) for number in re.findall(r"\d+", text)}
    amount = next(number for number in iter(lambda: rng.randrange(23, 980), 0) if number not in known)
    words = rng.choice(_BESIDE[video.language]).replace("{t}", term)
    return _statement(video, fill(words, written(piece, Fraction(amount), piece.unit, video.language, rng, words)), profile, rng)


KINDS: Final[dict[str, tuple[Callable[[Library, Random], Statement], bool]]] = {
    "true": (_true, False),
    "term of no evidence": (_term_of_none, True),
    "figure of no evidence": (_figure_of_none, True),
}
"""Each kind with its maker, and whether it is to be flagged."""


def measure(seed: int, statements: int, half: str) -> dict[str, list[tuple[Statement, bool]]]:
    """The statements of each kind, so many in all, with whether each was flagged."""
    library = Library(load_videos(half))
    profiles: dict[str, Profile] = {name: load_profile(name) for name in profile_names()}
    judged: dict[str, list[tuple[Statement, bool]]] = {}
    for kind, (make, _) in KINDS.items():
        rng = Random(f"{seed} {kind}")
        made = [make(library, rng) for _ in range(statements // len(KINDS))]
        judged[kind] = [(said, bool(fabricated_terms(said.text, said.evidence, profiles[said.profile]))) for said in made]
    return judged


def main() -> int:
    """Print the table; returns 1 where a true statement was flagged."""
    given = arguments(argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]), drafts=6_000)
    started, falsely, shown = process_time(), 0, list[str]()
    print("| kind | statements | flagged | to be flagged |\n|---|---|---|---|")
    for kind, judged in measure(given.seed, given.drafts, given.half).items():
        risky = KINDS[kind][1]
        wrong = dict.fromkeys(f"{kind}: {said.profile} {said.text!r}" for said, flagged in judged if flagged is not risky)
        falsely += 0 if risky else len(wrong)
        print(f"| {kind} | {len(judged)} | {sum(flagged for _, flagged in judged) / len(judged):.2%} | {'all' if risky else 'none'} |")
        shown += list(wrong)[: given.show]
    print(f"seed {given.seed}, half {given.half}, {process_time() - started:.1f} s CPU")
    print(*shown, sep="\n")
    return 1 if falsely else 0


if __name__ == "__main__":
    sys.exit(main())
