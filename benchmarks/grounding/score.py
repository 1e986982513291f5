"""Judges seeded drafts with the pipeline's own judgement (`stages.grounding.ground`) and prints the share per kind."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from time import process_time

from benchmarks.grounding.lies import Case, Library
from benchmarks.grounding.texts import HALVES, load_videos
from stages.claim import READ, ReadClaim, refuse_written_time
from stages.grounding import ground
from stages.rule import RuleBroken

__all__ = ["Tally", "arguments", "measure", "run"]

MARKED = "marked"
Makers = Mapping[str, tuple[Callable[[Library, Random], Case], float]]


@dataclass(slots=True)
class Tally:
    """What became of the drafts of one kind."""

    goal: float
    drafts: int = 0
    refused: int = 0
    real: int = 0
    real_refused: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)
    """The drafts that went the wrong way, with their evidence."""


def _judge(case: Case) -> tuple[str, str]:
    """(rule, detail) of the refusal, or ("", status) of the claim."""
    try:
        if case.draft.base not in READ:
            refuse_written_time(case.draft.text)
            return "", "not read"
        claim: ReadClaim = ground(case.draft, case.evidence, "")
    except RuleBroken as broken:
        return str(broken.rule), broken.detail
    if claim.checks.status == "unchecked" and "other_language" in claim.checks.marks:
        return MARKED, "other_language"
    return "", f"{claim.checks.status} values={claim.checks.values} support={claim.checks.support}"


def measure(makers: Makers, seed: int, drafts: int, half: str, *, lies: bool) -> dict[str, Tally]:
    """The tally of each kind over so many drafts in all, made from one half of the texts."""
    library = Library(load_videos(half))
    tallies: dict[str, Tally] = {}
    for kind, (make, goal) in makers.items():
        rng, tally = Random(f"{seed} {kind}"), Tally(goal)
        for _ in range(drafts // len(makers)):
            case = make(library, rng)
            rule, detail = _judge(case)
            # Across languages words cannot be compared: there a mark is all that is asked, elsewhere it is an acceptance.
            refused = bool(rule) and (rule != MARKED or kind == "other language")
            tally.drafts += 1
            tally.refused += refused
            tally.real += case.real
            tally.real_refused += case.real and refused
            tally.rules[rule or "accepted"] += 1
            if refused is not lies:
                cited = " | ".join(item.text for name in case.draft.evidence if (item := case.evidence.get(name)))
                tally.shown.append(f"{kind}: {case.draft.base} {case.draft.text!r} <- {cited!r} {rule} {detail}")
        tallies[kind] = tally
    return tallies


def arguments(parser: argparse.ArgumentParser, drafts: int) -> argparse.Namespace:
    """The options that both commands share."""
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drafts", type=int, default=drafts)
    parser.add_argument("--half", choices=HALVES, default="all", help="texts to use")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N drafts of each kind that went the wrong way")
    return parser.parse_args()


def run(makers: Makers, given: argparse.Namespace, *, lies: bool) -> None:
    """Measure and print; ends with status 1 where a kind misses its goal."""
    started = process_time()
    tallies = measure(makers, given.seed, given.drafts, given.half, lies=lies)
    word = "caught" if lies else "accepted"
    print(f"| kind | drafts | {word} | of real evidence | goal | by rule |\n|---|---|---|---|---|---|")
    missed = 0
    for kind, tally in tallies.items():
        right = tally.refused if lies else tally.drafts - tally.refused
        real = tally.real_refused if lies else tally.real - tally.real_refused
        missed += right / tally.drafts < tally.goal
        rules = ", ".join(f"{rule} {count}" for rule, count in tally.rules.most_common())
        print(f"| {kind} | {tally.drafts} | {right / tally.drafts:.2%} | {real / max(tally.real, 1):.2%} | {tally.goal:.0%} | {rules} |")
    total = sum(tally.drafts for tally in tallies.values())
    print(
        f"{total} drafts, seed {given.seed}, half {given.half}, {process_time() - started:.1f} s CPU; kinds that miss their goal: {missed}"
    )
    for tally in tallies.values():
        for line in list(dict.fromkeys(tally.shown))[: given.show]:
            print(line)
    sys.exit(1 if missed else 0)
