"""The benchmark of lies and faithful drafts, small: no kind falls under its goal by more than chance."""

from __future__ import annotations

import pytest

from benchmarks.grounding.honest import FAITHFUL
from benchmarks.grounding.lies import KINDS
from benchmarks.grounding.risky_terms import KINDS as RISKY
from benchmarks.grounding.risky_terms import measure as measure_risky
from benchmarks.grounding.score import Makers, measure

_CHANCE = 0.02
"""What a hundred drafts of one kind may fall short by where the goal leaves room for misses."""


@pytest.mark.parametrize(("makers", "lies", "drafts"), [(KINDS, True, 1400), (FAITHFUL, False, 700)], ids=["lies", "faithful"])
def test_each_kind_meets_its_goal(makers: Makers, lies: bool, drafts: int) -> None:
    for kind, tally in measure(makers, 11, drafts, "all", lies=lies).items():
        right = (tally.refused if lies else tally.drafts - tally.refused) / tally.drafts
        assert right >= (1.0 if tally.goal == 1 else tally.goal - _CHANCE), (kind, right, tally.shown[:5])


def test_a_risky_term_is_flagged_beside_a_figure_that_the_video_does_not_give_it_and_nowhere_else() -> None:
    for kind, judged in measure_risky(11, 450, "all").items():
        flagged = sum(flagged for _, flagged in judged) / len(judged)
        assert flagged >= 1 - _CHANCE if RISKY[kind][1] else flagged == 0, (kind, [said.text for said, _ in judged][:5])
