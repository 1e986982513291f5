"""How right the speech is: word error rate and word starts, per language, against texts that no recogniser wrote.

`python -m benchmarks.speech_truth` reads the half `score` (`benchmarks/speech_corpus.py`) as the speech stage does, language detected, and
counts what the stage itself believes: a word that it distrusts is a word lost. `--voice DIR` adds the synthesised recordings; the packages
of the voice are fetched into DIR.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from benchmarks.side_by_side import machine
from benchmarks.speech_corpus import HALVES, MEDIA, Recording, TimedToken, recordings, tokens
from stages.audio import decode_sound
from stages.engines.whisper import WhisperChoice, choose_whisper
from stages.instant import Timeline
from stages.settings import Settings
from stages.speech import hear
from stages.video import Video

__all__ = ["Score", "believed_words", "score", "table"]


@dataclass(frozen=True, slots=True)
class Score:
    """One recording, read."""

    recording: Recording
    wrong: int
    """Words put in, left out or exchanged."""
    errors_ms: tuple[float, ...]
    """Start read minus true start, of the words that were read right and whose start is known."""

    @property
    def words(self) -> int:
        return len(self.recording.truth)


def believed_words(sound: Path, choice: WhisperChoice, scratch: Path) -> list[tuple[str, int]]:
    """The words that the speech stage believes, with their starts in ms of the file; the language is detected."""
    decoded = decode_sound(sound, scratch / "sound.s16")
    extent = Timeline(decoded.duration_ms)
    video = Video("00" * 32, sound, sound.name, "v", sound, "00" * 32, extent, 0, 0, 0.0, None, "", False)
    evidence = hear(video, decoded, choice.load())
    return [(word.text, word.span.start.ms) for item in evidence if item.trusted for word in item.words]


def score(recording: Recording, found: Sequence[TimedToken]) -> Score:
    """Compare what was read with what was said."""
    true = recording.truth
    steps = Levenshtein.opcodes([token.text for token in true], [token.text for token in found])
    same = [
        (true[a], found[b])
        for one in steps
        if one.tag == "equal"
        for a, b in zip(range(one.src_start, one.src_end), range(one.dest_start, one.dest_end), strict=True)
    ]
    wrong = sum(max(one.src_end - one.src_start, one.dest_end - one.dest_start) for one in steps if one.tag != "equal")
    errors = [read.start_ms - said.start_ms for said, read in same if said.start_ms is not None and read.start_ms is not None]
    return Score(recording, wrong, tuple(errors))


def table(scores: Iterable[Score]) -> str:
    """Markdown, one line for each language and kind of truth, and for all."""
    scores = list(scores)
    lines = ["| what | words | word error rate | starts known | median error | 90th percentile | bias |", "|---|---|---|---|---|---|---|"]
    languages = sorted({one.recording.language for one in scores})
    groups = [(language, [one for one in scores if one.recording.language == language]) for language in languages]
    groups += [(f"starts by {by}", [one for one in scores if one.recording.timed_by == by]) for by in ("synthesis", "joined", "author")]
    for name, group in [*groups, ("all", scores)]:
        if group:
            lines.append(f"| {name} | {_figures(group)} |")
    return "\n".join(lines)


def _figures(group: Sequence[Score]) -> str:
    words, errors = sum(one.words for one in group), np.array([error for one in group for error in one.errors_ms])
    rate = f"{100 * sum(one.wrong for one in group) / words:.1f} %"
    if not errors.size:
        return f"{words} | {rate} | 0 | - | - | -"
    far = np.abs(errors)
    return f"{words} | {rate} | {errors.size} | {np.median(far):.0f} ms | {np.percentile(far, 90):.0f} ms | {np.median(errors):+.0f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="score")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="These recordings and no others.")
    parser.add_argument("--voice", type=Path, metavar="DIR", help="Where the synthesiser's packages are or go.")
    arguments = parser.parse_args()
    if not MEDIA.is_dir():
        sys.exit(f"{MEDIA} is not there: the real recordings are not part of this repository.")
    with tempfile.TemporaryDirectory() as scratch:
        choice, scores = choose_whisper(Settings(out=Path(scratch), device="cpu")), list[Score]()
        for one in recordings(arguments.half, arguments.voice or Path(scratch), arguments.voice, frozenset(arguments.only)):
            words = believed_words(one.sound, choice, Path(scratch))
            scores.append(score(one, [token for text, start in words for token in tokens(text, one.language, start)]))
            print(f"{one.name}: {scores[-1].wrong} of {scores[-1].words} words wrong", file=sys.stderr, flush=True)
    print(machine())
    print(table(scores))
    if arguments.half == "score" and not arguments.voice:
        print("Not measured: the synthesised recordings (--voice), and with them Portuguese and Spanish sentences with word starts.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
