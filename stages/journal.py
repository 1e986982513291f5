"""What a run tells while it goes: which stage of which video is how far, and what was reused.

A stage's own store says whether a result was made or reused, so "nothing was done" is a fact of the run and not a guess about it. A
stage that was started and never finished is the one that failed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from stages.events import Advanced, Watch, unwatched

__all__ = ["Journal", "Runner", "call"]

_T = TypeVar("_T")

_STEP: Final = 0.01
"""A stage may report every frame; people see a hundred steps."""


class Runner(Protocol):
    """How the stage `name` is run: by calling it, or by calling it as a task of a scheduler."""

    def __call__(self, name: str, stage: Callable[[], _T]) -> _T: ...


def call(name: str, stage: Callable[[], _T]) -> _T:
    """The plainest runner."""
    return stage()


@dataclass(slots=True)
class Journal:
    """The progress of one video. Stages may run at the same time."""

    slug: str
    watch: Watch = unwatched
    runner: Runner = call
    work: dict[str, str] = field(default_factory=dict)
    """What each stage did so far: `made` or `reused`."""
    unfinished: list[str] = field(default_factory=list)
    """Stages that were started and have not ended well, in the order they were started."""

    def step(self, name: str, stage: Callable[[Callable[[float], None]], _T]) -> _T:
        """Run `stage`, which is handed its progress function."""
        self.unfinished.append(name)
        self.watch(Advanced(self.slug, name, 0.0))
        result = self.runner(name, lambda: stage(self._progress(name)))
        self.watch(Advanced(self.slug, name, 1.0))
        self.unfinished.remove(name)
        return result

    def notice(self, stage: str, reused: bool) -> None:
        """Told by the stage store; a stage with several results is reused only when all of them are."""
        if not reused or stage not in self.work:
            self.work[stage] = "reused" if reused else "made"

    def _progress(self, name: str) -> Callable[[float], None]:
        last = 0.0

        def advance(fraction: float) -> None:
            nonlocal last
            if fraction - last >= _STEP and fraction < 1:  # the end is told when the stage has returned
                last = fraction
                self.watch(Advanced(self.slug, name, fraction))

        return advance
