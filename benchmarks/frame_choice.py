"""How often frames are read, and what is seen that way: `python -m benchmarks.frame_choice --seeds 101-102`.

Counted for this program: *frames* of which anything was given to the engine, in whole or in part, which is what compares with peers that
read whole frames; *regions*, each one call of the detector; *lines* that were recognised alone, without a detector; and how many whole
frames the regions add up to. The screen stage runs as it is, with its real engine and its errors. For the peers perfect recognition is
assumed: a text that is visible in a frame they read is seen, from that frame on.

A *text state* is a set of texts that are visible together; one that returns is the same state.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.peer_rules import RULES, looks
from benchmarks.screen_truth import parse_seeds
from benchmarks.truth.clip import Clip, make_clip
from benchmarks.truth.kinds import make_scene
from benchmarks.truth.score import Read, score
from stages.engines.screen_reader import ScreenReader, TextLine, open_reader
from stages.evidence import Box
from stages.frames import decode
from stages.scan import Scan
from stages.settings import Settings

__all__ = ["main"]

_GROUPS: Final = {
    "slides": ("slides", "build"),
    "screencasts": ("popups", "cursor"),
    "screencasts with a webcam": ("webcam", "lecture"),
    "a one-digit counter": ("counter",),
    "fades": ("fade",),
    "a scroll": ("scroll",),
    "low contrast": ("pale",),
}
"""The last four are no part of the goal for calls; they must be seen."""
_GOAL_GROUPS: Final = ("slides", "screencasts", "screencasts with a webcam")
_OURS: Final = "this program"
_MOST_CALLS: Final = 1.1
_MOST_ERROR: Final = 0.1


@dataclass(slots=True)
class Tally:
    """What one rule did on some clips."""

    states: int = 0
    texts: int = 0
    frames: int = 0
    seen: int = 0
    late_ms: list[int] = field(default_factory=list)
    """Of each text seen."""
    regions: int = 0
    lines: int = 0
    whole_frames: float = 0.0

    def onset_ms(self) -> float:
        return float(np.mean(self.late_ms)) if self.late_ms else 0.0


class _Counting:
    """The reader, and what it is asked."""

    def __init__(self, reader: ScreenReader) -> None:
        self.name, self.model = reader.name, reader.model
        self._reader = reader
        self.regions = self.lines = self.pixels = 0

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        self.regions += 1
        self.pixels += image.shape[0] * image.shape[1]
        return self._reader.read(image)

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        self.lines += len(crops)
        return self._reader.recognise(crops)


def main() -> int:
    """0 when the goals hold, 3 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=parse_seeds, default=range(101, 103), help="one seed, or the first and last: 101-102")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    arguments = parser.parse_args()
    tallies = {group: {name: Tally() for name in (_OURS, *RULES)} for group in _GROUPS}
    reader = open_reader(Settings(out=Path(tempfile.gettempdir()), ocr="rapidocr"))
    for group, kinds in _GROUPS.items():
        for kind in kinds:
            for seed in arguments.seeds:
                with tempfile.TemporaryDirectory() as folder:
                    clip = make_clip(make_scene(kind, seed), Path(folder))
                    _ours(clip, reader, tallies[group][_OURS])
                    _theirs(clip, tallies[group], RULES if arguments.peers else ())
        _print_group(group, tallies[group])
    return _judge(tallies)


def _ours(clip: Clip, reader: ScreenReader, tally: Tally) -> None:
    counting = _Counting(reader)
    scan = Scan(counting, clip.duration_ms / len(clip.times_ms))
    asked, size = 0, 1
    for frame in decode(clip.path):
        scan.step(frame)
        size = frame.luma.size
        tally.frames += counting.regions + counting.lines > asked
        asked = counting.regions + counting.lines
    lines = scan.finish(clip.duration_ms)
    tally.frames += counting.regions + counting.lines > asked
    read = [Read(line.text, line.start_ms, line.end_ms, line.confidence, Box(*line.box)) for line in lines]
    result = score(clip, read)
    tally.states += len(_states(clip))
    tally.texts += len(clip.texts)
    tally.seen += len(result.found)
    tally.late_ms += [abs(found.first_ms) for found in result.found]
    tally.regions += counting.regions
    tally.lines += counting.lines
    tally.whole_frames += counting.pixels / size


def _theirs(clip: Clip, tallies: dict[str, Tally], rules: Iterable[str]) -> None:
    frames = list(looks(clip.path)) if rules else []
    for name in rules:
        tally, chosen = tallies[name], RULES[name](frames)
        tally.states += len(_states(clip))
        tally.texts += len(clip.texts)
        tally.frames += len(chosen)
        for text in clip.texts:
            when = next((frames[place].ms for place in chosen if text.first_ms <= frames[place].ms < text.end_ms), None)
            if when is not None:
                tally.seen += 1
                tally.late_ms.append(when - text.first_ms)


def _states(clip: Clip) -> set[frozenset[int]]:
    """The sets of texts (by their number) that some frame shows together."""
    shown = (frozenset(n for n, text in enumerate(clip.texts) if text.first_ms <= ms < text.end_ms) for ms in clip.times_ms)
    return {state for state in shown if state}


def _print_group(group: str, tallies: dict[str, Tally]) -> None:
    print(f"\n{group}: {tallies[_OURS].texts} texts, {tallies[_OURS].states} text states\n", flush=True)
    print("| rule | frames read | per text state | texts seen | mean onset error | regions searched | lines alone | whole frames |")
    print("|---|---|---|---|---|---|---|---|")
    for name, tally in tallies.items():
        if not tally.states:
            continue
        own = f"{tally.regions} | {tally.lines} | {tally.whole_frames:.1f}" if name == _OURS else f"- | - | {tally.frames}"
        seen = f"{100 * tally.seen / tally.texts:.0f} %"
        print(f"| {name} | {tally.frames} | {tally.frames / tally.states:.2f} | {seen} | {tally.onset_ms():.0f} ms | {own} |", flush=True)


def _judge(tallies: dict[str, dict[str, Tally]]) -> int:
    print()
    held = True
    for group, of_group in tallies.items():
        ours, sampled = of_group[_OURS], of_group["3 fps (video-subtitle-extractor)"]
        goals = {"all texts seen": ours.seen == ours.texts}
        if group in _GOAL_GROUPS:
            goals[f"at most {_MOST_CALLS} frames read per text state"] = ours.frames <= _MOST_CALLS * ours.states
            goals["onset error at most a tenth of that at 3 fps"] = ours.onset_ms() <= _MOST_ERROR * sampled.onset_ms()
        for goal, holds in goals.items():
            print(f"{'holds' if holds else 'FAILS'}: {group}: {goal}")
            held &= holds
    return 0 if held else 3


if __name__ == "__main__":
    sys.exit(main())
