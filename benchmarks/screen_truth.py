"""How right the screen stage is on videos whose texts are known to the frame: `python -m benchmarks.screen_truth --seeds 1-3`.

Runs ingest and the real screen stage over every kind of scene, each seed a video of its own. Recall counts texts visible for at least
0.2 s, with trusted readings alone; "not there" are trusted readings of no text that is drawn, "repeated" second readings of one. Errors
of the first and last visible frame are in frames for cuts, in ms for fades and for texts that move, which count as visible while they
are wholly in the picture; where a cursor stands in front of a text when it comes or goes, the frames with it and without it are both right.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from benchmarks.truth.clip import Clip, make_clip
from benchmarks.truth.kinds import KINDS, make_scene
from benchmarks.truth.scene import Edge
from benchmarks.truth.score import Found, Read, Score, score
from stages.evidence import Kind
from stages.ingest import ingest
from stages.screen import read_screen
from stages.settings import Settings
from stages.store import StageStore

__all__ = ["main", "parse_seeds", "read_clip"]

LEAST_MS: Final = 200
"""The shortest text that is promised to be found."""

_COLUMNS: Final = (
    "kind",
    "texts",
    "recall",
    "not there",
    "repeated",
    "character errors",
    "values wrong",
    "first, cuts (frames)",
    "last, cuts (frames)",
    "first, fades (ms)",
    "last, fades (ms)",
    "first, moving (ms)",
    "last, moving (ms)",
)


def read_clip(clip: Clip, folder: Path, ocr: str = "rapidocr") -> Score:
    """Ingest and read one clip as a run would, and hold what is believed against its truth."""
    settings, store = Settings(out=folder, ocr=ocr), StageStore(folder / f"store-{clip.kind}-{clip.seed}")
    video = ingest(clip.path, f"{clip.kind}-{clip.seed}", settings, store)
    return score(clip, [Read.of(item) for item in read_screen(video, settings, store) if item.kind is Kind.TEXT and item.trusted])


def main() -> int:
    """0 when every goal holds, 3 otherwise."""
    arguments = _arguments()
    scores: dict[str, list[Score]] = {kind: [] for kind in arguments.kinds}
    for kind in arguments.kinds:
        for seed in arguments.seeds:
            with tempfile.TemporaryDirectory() as folder:
                scores[kind].append(read_clip(make_clip(make_scene(kind, seed), Path(folder)), Path(folder), arguments.ocr))
            if arguments.verbose:
                _tell(scores[kind][-1])
    print(_line(_COLUMNS))
    print(_line("---" for _ in _COLUMNS))
    for kind, of_kind in scores.items():
        print(_row(kind, of_kind))
    everything = [each for of_kind in scores.values() for each in of_kind]
    print(_row("all", everything))
    return _judge(everything)


def _judge(scores: Sequence[Score]) -> int:
    cuts = [abs(found.first_frames) for found in _found(scores, Edge.CUT)]
    fades = [abs(found.first_ms) for found in _found(scores, Edge.FADE)]
    goals = {
        "every text of 0.2 s is found": not any(text.length_ms >= LEAST_MS for each in scores for text in each.missed),
        "no text is there that is not": not any(each.not_there for each in scores),
        "first visible frame of cuts: median 0, worst 1": not cuts or (statistics.median(cuts) == 0 and max(cuts) <= 1),
        "first visible frame of fades: 250 ms at worst": max(fades, default=0) <= 250,
    }
    for goal, holds in goals.items():
        print(f"{'holds' if holds else 'FAILS'}: {goal}")
    return 0 if all(goals.values()) else 3


def _row(name: str, scores: Sequence[Score]) -> str:
    lasting = [text for each in scores for text in each.clip.texts if text.length_ms >= LEAST_MS]
    missed = [text for each in scores for text in each.missed if text.length_ms >= LEAST_MS]
    found = [item for each in scores for item in each.found]
    letters = sum(len(item.text.text) for item in found)
    cuts, fades, moving = (_found(scores, edge) for edge in Edge)
    cells = [
        name,
        str(len(lasting)),
        f"{100 * (1 - len(missed) / max(1, len(lasting))):.1f} %",
        str(sum(len(each.not_there) for each in scores)),
        str(sum(len(each.repeated) for each in scores)),
        f"{100 * sum(item.errors for item in found) / max(1, letters):.2f} %",
        str(sum(not item.digits_right for item in found)),
        _spread([item.first_frames for item in cuts]),
        _spread([item.last_frames for item in cuts]),
        _spread([item.first_ms for item in fades]),
        _spread([item.last_ms for item in fades]),
        _spread([item.first_ms for item in moving]),
        _spread([item.last_ms for item in moving]),
    ]
    return _line(cells)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _found(scores: Sequence[Score], edge: Edge) -> list[Found]:
    return [found for each in scores for found in each.found if found.text.edge is edge]


def _spread(errors: Sequence[int]) -> str:
    """Median and worst of the absolute errors."""
    sizes = [abs(error) for error in errors]
    return f"{statistics.median(sizes):g}, worst {max(sizes)}" if sizes else "-"


def _tell(result: Score) -> None:
    """What went wrong with one clip, to stderr."""
    clip = f"{result.clip.kind} {result.clip.seed}"
    for text in result.missed:
        print(f"{clip}: missed {text.text!r} {text.first_ms}-{text.end_ms}", file=sys.stderr)
    for name, items in (("not there", result.not_there), ("repeated", result.repeated)):
        for item in items:
            print(f"{clip}: {name} {item.text!r} {item.first_ms}-{item.end_ms} {item.confidence:.2f}", file=sys.stderr)
    for found in result.found:
        off = abs(found.first_frames) > 0 or abs(found.last_frames) > 0
        if off or found.errors:
            what = f"{found.first_frames:+d}/{found.last_frames:+d} frames, {found.first_ms:+d}/{found.last_ms:+d} ms, {found.text.edge}"
            print(f"{clip}: {found.text.text!r} as {found.read.text!r}: {what} {found.text.first_ms}-{found.text.end_ms}", file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=parse_seeds, default=range(1, 2), help="one seed, or the first and last: 1-3")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--ocr", default="rapidocr", choices=("rapidocr", "easyocr"))
    parser.add_argument("--verbose", action="store_true", help="tell each error")
    return parser.parse_args()


def parse_seeds(given: str) -> range:
    """`5` or `5-9`."""
    first, _, last = given.partition("-")
    return range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    sys.exit(main())
