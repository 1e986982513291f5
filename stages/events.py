"""What a run tells those who watch it: people at a terminal, programs, a scheduler's page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stages.batch_record import VideoRow

__all__ = ["Advanced", "Event", "Finished", "Planned", "Watch", "unwatched"]


@dataclass(frozen=True, slots=True)
class Planned:
    """The videos of the run: slug -> name, untrusted text."""

    videos: Mapping[str, str]
    unmatched: tuple[str, ...] = ()
    """File names that the brief speaks of and that are not there."""


@dataclass(frozen=True, slots=True)
class Advanced:
    """A stage of one video is this far: `fraction` 0..1."""

    slug: str
    stage: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing more will be done for this video."""

    row: VideoRow


Event = Planned | Advanced | Finished
Watch = Callable[[Event], None]


def unwatched(event: Event) -> None:
    """The watch of a run that nobody looks at."""
