"""Drafts that are faithful: the number spelled otherwise, a unit converted, words inflected, reordered, shortened, in an order."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Final

from benchmarks.grounding.lies import Case, Library, fill, respelled, written
from benchmarks.grounding.order import told_orders
from benchmarks.grounding.score import arguments, run
from benchmarks.grounding.spellings import convertible, pick
from benchmarks.grounding.texts import Piece

__all__ = ["FAITHFUL"]


def _say(piece: Piece, rng: Random) -> str:
    return piece.say[rng.randrange(len(piece.say))]


def _respelled(library: Library, rng: Random) -> Case:
    video, piece = library.choose(rng, lambda piece: piece.has_value)
    said = _say(piece, rng)
    return library.case(video, piece.channel, fill(said, respelled(piece, video.language, rng, said)), (piece.id,))


def _converted(library: Library, rng: Random) -> Case:
    video, piece = library.choose(rng, lambda piece: piece.unit and convertible(Fraction(piece.amount), piece.unit))
    said = _say(piece, rng)
    options = convertible(Fraction(piece.amount), piece.unit)
    amount, unit = options[rng.randrange(len(options))]
    return library.case(video, piece.channel, fill(said, written(piece, amount, unit, video.language, rng, said)), (piece.id,))


def _reworded(library: Library, rng: Random) -> Case:
    video, piece = library.choose(rng, lambda piece: piece.say and not piece.has_value)
    said = _say(piece, rng)
    said = said[:1].upper() + said[1:] if rng.random() < 0.7 else said
    return library.case(video, piece.channel, said + rng.choice(["", ".", "."]), (piece.id,), piece.text if rng.random() < 0.3 else "")


def _shortened(library: Library, rng: Random) -> Case:
    """The words of the evidence from one place to the end of it or to a comma."""
    video, piece = library.choose(rng, lambda piece: piece.say and len(piece.text.split()) >= 4 and not piece.deny)
    words = piece.text.split()
    start = rng.randrange(0, len(words) - 2)
    return library.case(video, piece.channel, " ".join(words[start:]), (piece.id,))


def _verbatim(library: Library, rng: Random) -> Case:
    video, piece = library.choose(rng, lambda piece: piece.say)
    text = piece.text
    forms = [text, text.lower(), text.upper(), text.rstrip(".!?"), text + "."]
    return library.case(video, piece.channel, rng.choice(forms), (piece.id,))


def _two_cited(library: Library, rng: Random) -> Case:
    """One sentence from two pieces of one channel."""
    video, piece = library.choose(rng, lambda piece: piece.say and not piece.has_value)
    others = [
        other for other in video.pieces if other.channel is piece.channel and other.say and not other.has_value and other is not piece
    ]
    if not others:
        return _reworded(library, rng)
    other = others[rng.randrange(len(others))]
    joint = {"pt": "; ", "es": "; ", "en": "; "}[video.language]
    return library.case(video, piece.channel, _say(piece, rng) + joint + _say(other, rng), (piece.id, other.id))


def _ordered(library: Library, rng: Random) -> Case:
    video, piece = library.choose(rng, lambda piece: piece.steps)
    text = pick(rng, told_orders(piece.steps[0], piece.steps[1], video.language))
    return library.case(video, piece.channel, text, (piece.id,))


FAITHFUL: Final[dict[str, tuple[Callable[[Library, Random], Case], float]]] = {
    "respelled": (_respelled, 0.99),
    "unit converted": (_converted, 0.99),
    "reworded": (_reworded, 0.99),
    "shortened": (_shortened, 0.99),
    "verbatim": (_verbatim, 0.99),
    "two cited": (_two_cited, 0.99),
    "in order": (_ordered, 0.99),
}
"""Each kind of faithful draft with its maker and the share of it that is to be accepted."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Share of faithful drafts that the checker accepts.")
    run(FAITHFUL, arguments(parser, drafts=5_600), lies=False)


if __name__ == "__main__":
    main()
