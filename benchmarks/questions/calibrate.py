"""How a small model's "yes" is weighed: `python -m benchmarks.questions.calibrate` prints the weights of `stages/second_look.py`.

Each question of the `tune` half is asked of the 1.5B; then the model looks at each piece that it cited, at the five that a search finds
closest, and at those that answer. A logistic regression (ridge 0.3, Newton's method) tells from the log-odds of its "yes" and from what the
words tell by themselves whether a piece answers. What is printed beside the weights is measured on videos that the fit has not seen, one
left out at a time.

--folder DIR      looks already taken are kept there, so that an interrupted run goes on
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.questions.__main__ import provider_settings
from benchmarks.questions.cases import Asked, Case, load_cases
from stages.answer_form import QUOTED
from stages.engines.chain import Chain, provider_chain
from stages.literal import quoted
from stages.pertinence import off_topic
from stages.second_look import LOOK_SCHEMA, LOOK_TOKENS, LOOK_WORDS, WEIGHTS, log_odds, look_messages, told_by_words
from stages.windows import about, windows

__all__ = ["main"]

_FEATURES: Final = tuple(WEIGHTS)
_RIDGE: Final = 0.3
_CLOSEST: Final = 5
_ANSWER_TOKENS: Final = 400

Numbers = NDArray[np.float64]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path(gettempdir(), "frame-oracle-calibration"))
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    cases = load_cases("tune")
    with provider_settings("1.5B", folder) as settings:
        chain = provider_chain(settings)
        rows = [row for case in cases for asked in case.asked for row in _kept(folder, chain, case, asked)]
    seen = np.array([[row[name] for name in _FEATURES] for row in rows], np.float64)
    answers = np.array([row["answers"] for row in rows], np.float64)
    videos = np.array([row["video"] for row in rows])
    weights = _fitted(seen, answers)
    print(f"{len(rows)} pieces of evidence for {len({(row['video'], row['question']) for row in rows})} questions of {len(cases)} videos")
    print(", ".join(f"{name} {weight:.2f}" for name, weight in zip((*_FEATURES, "bias"), weights, strict=True)))
    odds = np.zeros(len(rows))
    for video in sorted(set(videos)):
        odds[videos == video] = _odds(seen[videos == video], _fitted(seen[videos != video], answers[videos != video]))
    _say_unseen(rows, odds)
    return 0


def _kept(folder: Path, chain: Chain, case: Case, asked: Asked) -> list[dict[str, Any]]:
    path = folder / f"{case.name}-{asked.question.number}.json"
    if not path.exists():
        path.write_text(json.dumps(_looks(chain, case, asked)), encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _looks(chain: Chain, case: Case, asked: Asked) -> list[dict[str, Any]]:
    """One row for each piece that is looked at for a question."""
    link, question = chain.current, asked.question
    assert link is not None
    room = link.entry.context_tokens
    (offered,) = windows(question.text, [item for item in case.evidence if item.quotable], room, 1, room).portions
    said = chain.complete(link, QUOTED.messages(question, offered, case.evidence), QUOTED.schema(question, offered), _ANSWER_TOKENS)
    own = {name for draft in QUOTED.read(said, question, offered, 0) for name in draft.evidence}
    closest = [item.id for item in about(question.text, offered)[:_CLOSEST]]
    rows: list[dict[str, Any]] = []
    for item in offered:
        needed = any(item.id in group for group in asked.needs)
        if not (needed or item.id in own or item.id in closest):
            continue
        if off_topic(question.text, quoted(item, question.number), case.evidence, about=False):
            continue
        look = chain.complete(link, look_messages(question.text, [item.text]), LOOK_SCHEMA, LOOK_TOKENS, LOOK_WORDS)
        row = told_by_words(question.text, [item.text]) | {"yes": log_odds(look.weights["yes"]), "own": float(item.id in own)}
        about_it = {"video": case.name, "question": question.number, "answerable": asked.answerable, "answers": float(needed)}
        rows.append(row | about_it)
    return rows


def _fitted(seen: Numbers, answers: Numbers) -> Numbers:
    """Weights and bias."""
    wide = np.c_[seen, np.ones(len(seen))]
    weights = np.zeros(wide.shape[1])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-wide @ weights))
        curvature = wide.T @ (wide * (likely * (1 - likely))[:, None]) + _RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curvature, wide.T @ (answers - likely) - _RIDGE * weights)
    return weights


def _odds(seen: Numbers, weights: Numbers) -> Numbers:
    odds: Numbers = np.c_[seen, np.ones(len(seen))] @ weights
    return odds


def _say_unseen(rows: list[Mapping[str, Any]] | list[dict[str, Any]], odds: Numbers) -> None:
    """Of each question the likeliest piece: how many are right, and how many questions without an answer get none, by the limit."""
    likeliest: dict[tuple[str, int], tuple[float, Mapping[str, Any]]] = {}
    for row, odd in zip(rows, odds, strict=True):
        key = (row["video"], row["question"])
        likeliest[key] = max(likeliest.get(key, (-np.inf, row)), (float(odd), row), key=lambda pair: pair[0])
    answerable = [(odd, row["answers"]) for odd, row in likeliest.values() if row["answerable"]]
    absent = [odd for odd, row in likeliest.values() if not row["answerable"]]
    print("| least log-odds | right | absences held |\n|---|---|---|")
    for least in np.arange(-1.2, 0.6, 0.2):
        right = sum(odd >= least and bool(answers) for odd, answers in answerable)
        print(f"| {least:.1f} | {right}/{len(answerable)} | {sum(odd < least for odd in absent)}/{len(absent)} |")


if __name__ == "__main__":
    sys.exit(main())
