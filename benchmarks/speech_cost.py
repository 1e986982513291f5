"""What hearing costs, and how exact it is, against `whisper-ctranslate2` at its defaults with the same weights and threads.

`python -m benchmarks.speech_cost --peer VENV/bin/whisper-ctranslate2 --voice DIR`; the peer lives in an environment of its own:
`uv venv VENV && uv pip install --python VENV/bin/python whisper-ctranslate2`. Three arms:

- `ours`: what the speech stage does with a file: decode, measure the voice, hear, guard; word times always;
- `peer`: its defaults (beam of 5, no word times), JSON out;
- `peer with words`: the same with `--word_timestamps True`; its word starts are the raw engine's.

The gate: our word error rate is at most 0.2 points above the peer's, our median word-start error at most 0.6 times the raw engine's, our
90th percentile no worse. All on the half `score` of the corpus, which no threshold was tuned on; a word that our stage distrusts is lost.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import Arm, interleaved, machine, ratio, require_quiet, run_arm
from benchmarks.speech_corpus import HALVES, MEDIA, Recording, TimedToken, recordings, tokens
from benchmarks.speech_truth import Score, score, table
from stages.models import get_model

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, required=True, metavar="PROGRAM", help="whisper-ctranslate2 in an environment of its own.")
    parser.add_argument("--half", choices=HALVES, default="score")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="These recordings and no others.")
    parser.add_argument("--voice", type=Path, metavar="DIR", help="Where the synthesiser's packages are or go.")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1, help="Of each arm.")
    parser.add_argument("--loaded", action="store_true", help="Measure although other work takes the machine.")
    arguments = parser.parse_args()
    if not MEDIA.is_dir():
        sys.exit(f"{MEDIA} is not there: the real recordings are not part of this repository.")
    require_quiet(arguments.loaded)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = list(recordings(arguments.half, arguments.voice or Path(scratch), arguments.voice, frozenset(arguments.only)))
        return _compare(corpus, arguments, Path(scratch))


def _compare(corpus: Sequence[Recording], arguments: argparse.Namespace, scratch: Path) -> int:
    sounds = [str(one.sound) for one in corpus]
    ours = Arm("ours", (sys.executable, "-m", "benchmarks.speech_cost_arm", str(arguments.threads), *sounds))
    peer = _peer("peer", arguments, scratch / "peer", sounds)
    with_words = _peer("peer with words", arguments, scratch / "words", sounds, "--word_timestamps", "True")

    timed = run_arm(with_words)
    samples = interleaved([ours, peer], arguments.repeats)
    heard = json.loads(samples["ours"][-1].output)
    own = [score(one, _tokens(heard[str(one.sound)], one.language)) for one in corpus]
    raw = [score(one, _peer_tokens(scratch / "words", one)) for one in corpus]
    plain = [score(one, _peer_tokens(scratch / "peer", one)) for one in corpus]

    seconds = sum(one.seconds for one in corpus)
    print(f"{machine()}; {arguments.threads} thread(s) each; {seconds:.0f} s of sound, half {arguments.half}")
    print("| arm | CPU, median | x real time | wall, median | peak memory |\n|---|---|---|---|---|")
    for name, taken in [*samples.items(), (with_words.name + " (once)", [timed])]:
        cpu, wall = (float(np.median([getattr(one, field) for one in taken])) for field in ("cpu_s", "wall_s"))
        peak = max(one.peak_rss_bytes for one in taken) / 1e6
        print(f"| {name} | {cpu:.1f} s | {seconds / cpu:.1f} | {wall:.1f} s | {peak:.0f} MB |")
    print(f"peer / ours, CPU: {ratio(samples['ours'], samples['peer'])} over {arguments.repeats} pairs\n")
    for name, scores in (("ours", own), ("peer", plain), ("peer with words", raw)):
        print(f"{name}:\n{table(scores)}\n")
    return _gate(own, plain, raw)


def _peer(name: str, arguments: argparse.Namespace, out: Path, sounds: Sequence[str], *more: str) -> Arm:
    model = get_model("whisper-base")
    program = (str(arguments.peer), "--model_directory", str(model), "--local_files_only", "True", "--device", "cpu")
    same = ("--compute_type", "int8", "--threads", str(arguments.threads), "--verbose", "False")
    return Arm(name, (*program, *same, "--output_dir", str(out), "--output_format", "json", *more, *sounds))


def _peer_tokens(out: Path, recording: Recording) -> list[TimedToken]:
    segments = json.loads((out / f"{recording.sound.stem}.json").read_text(encoding="utf-8"))["segments"]
    words = [(word["word"], 1000 * word["start"]) for segment in segments for word in segment.get("words") or ()]
    return _tokens(words or [(segment["text"], None) for segment in segments], recording.language)


def _tokens(words: Sequence[tuple[str, float | None]], language: str) -> list[TimedToken]:
    return [token for text, start in words for token in tokens(text, language, start)]


def _gate(own: Sequence[Score], plain: Sequence[Score], raw: Sequence[Score]) -> int:
    """Says whether the ratio may be quoted."""
    worse = 100 * (_rate(own) - _rate(plain))
    starts, theirs = (np.abs([error for one in scores for error in one.errors_ms]) for scores in (own, raw))
    median = float(np.median(starts) / np.median(theirs))
    tail = float(np.percentile(starts, 90) / np.percentile(theirs, 90))
    good = worse <= 0.2 and median <= 0.6 and tail <= 1.0
    print(
        f"Gate {'held' if good else 'FAILED'}: word error rate {worse:+.2f} points (at most +0.20), "
        f"median start error {median:.2f}x (at most 0.60), 90th percentile {tail:.2f}x (at most 1.00)."
    )
    return 0 if good else 1


def _rate(scores: Sequence[Score]) -> float:
    return sum(one.wrong for one in scores) / sum(one.words for one in scores)


if __name__ == "__main__":
    sys.exit(main())
