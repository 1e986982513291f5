"""The benchmark of lies and faithful drafts, small: no kind falls under its goal by more than chance."""

from __future__ import annotations

import pytest

from benchmarks.grounding.honest import FAITHFUL
from benchmarks.grounding.lies import KINDS
from benchmarks.grounding.score import Makers, measure

_CHANCE = 0.02
"""What a hundred drafts of one kind may fall short by where the goal leaves room for misses."""


@pytest.mark.parametrize(("makers", "lies", "drafts"), [(KINDS, True, 1400), (FAITHFUL, False, 700)], ids=["lies", "faithful"])
def test_each_kind_meets_its_goal(makers: Makers, lies: bool, drafts: int) -> None:
    for kind, tally in measure(makers, 11, drafts, "all", lies=lies).items():
        right = (tally.refused if lies else tally.drafts - tally.refused) / tally.drafts
        assert right >= (1.0 if tally.goal == 1 else tally.goal - _CHANCE), (kind, right, tally.shown[:5])
