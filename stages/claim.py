"""The five bases, and statements that cannot lie about where they come from.

A language model hands over inference dressed as reading: "[01:33] Serve with white rice", never said, never shown, with a
timestamp. Asking it not to fails silently. So the wrong combination cannot be written: `UnobservedClaim` has no field for an
instant, `ReadClaim` cannot be built without one that lies in the evidence it carries, and the set of unobserved bases is computed,
so that a base added tomorrow falls under rule 2 without anybody remembering it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from stages.evidence import Channel, Coverage, Evidence
from stages.instant import Instant
from stages.rule import Rule, RuleBroken
from stages.written_time import written_times

__all__ = ["BASE_OF", "READ", "UNOBSERVED", "Base", "Checks", "Claim", "ReadClaim", "UnobservedClaim", "refuse_written_time"]


class Base(StrEnum):
    """Where a statement comes from, most anchored first. The values are the contract, in every language."""

    TELA = "tela"
    FALA = "fala"
    INFERIDO = "inferido"
    FORA_DO_VIDEO = "fora_do_video"
    NAO_CONSTA = "nao_consta"


READ: Final[Mapping[StrEnum, Channel]] = {Base.TELA: Channel.TELA, Base.FALA: Channel.FALA}
"""The read bases and the channel each is read from."""

BASE_OF: Final[Mapping[Channel, Base]] = {Channel.TELA: Base.TELA, Channel.FALA: Base.FALA}
"""The base of what is read in a channel."""

UNOBSERVED: Final[frozenset[Base]] = frozenset(Base) - frozenset(READ)
"""All bases minus the read ones."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What code could confirm of a read claim. The defaults say that nothing was."""

    values: str = "unchecked"
    """`confirmed`, `unchecked`, or `none` where the claim has no value."""
    support: float = 0.0
    """Share of the claim's content words found in its evidence, 0..1."""
    status: str = "unchecked"
    """`confirmed`, `weak` or `unchecked`."""
    marks: tuple[str, ...] = ()
    """Stable words a reader should see: `repaired`, `weak_support`, `other_language`, `approximate_time`, `visible_not_written`."""


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A statement that was read, with the evidence it was read from and the instant to look at."""

    id: str
    base: StrEnum
    text: str
    instant: Instant
    evidence: tuple[Evidence, ...]
    quote: str
    """The words of the evidence, verbatim, that say it."""
    question: int | None = None
    """Number of the question it answers, from 1."""
    checks: Checks = Checks()

    def __post_init__(self) -> None:
        channel = READ.get(self.base)
        if channel is None:
            raise RuleBroken(Rule.INSTANT_FORBIDDEN, f"the base {self.base} is not read: it has no instant")
        if not isinstance(self.instant, Instant):
            raise RuleBroken(Rule.INSTANT_REQUIRED, f"the base {self.base} requires an instant")
        if not self.evidence:
            raise RuleBroken(Rule.EVIDENCE_REQUIRED, f"the base {self.base} requires evidence of the channel {channel}")
        for item in self.evidence:
            if item.channel is not channel:
                raise RuleBroken(Rule.EVIDENCE_WRONG_CHANNEL, f"{item.id} is of the channel {item.channel}, not {channel}")
            if not item.trusted:
                raise RuleBroken(Rule.EVIDENCE_UNTRUSTED, f"{item.id} is distrusted: {item.distrust_reason}")
        if not any(self.instant in item.span for item in self.evidence):
            raise RuleBroken(Rule.INSTANT_NOT_IN_EVIDENCE, f"{self.instant} lies in none of the cited evidence")
        refuse_written_time(self.text, (item.text for item in self.evidence))


@dataclass(frozen=True, slots=True)
class UnobservedClaim:
    """A statement that was not read. It has no place for an instant or for evidence."""

    id: str
    base: StrEnum
    text: str
    premises: tuple[ReadClaim, ...] = ()
    """The read claims that an inference rests on."""
    source: str = ""
    """Named source of general knowledge, if there is one."""
    searched: tuple[Coverage, ...] = ()
    """What was readable when the video did not answer."""
    question: int | None = None

    def __post_init__(self) -> None:
        if self.base in READ:
            raise RuleBroken(Rule.INSTANT_REQUIRED, f"the base {self.base} is read: it needs an instant and evidence")
        if self.base == Base.INFERIDO and not self.premises:
            raise RuleBroken(Rule.PREMISE_REQUIRED, "an inference names the read claims it rests on")
        if self.base == Base.NAO_CONSTA and not self.searched:
            raise RuleBroken(Rule.EVIDENCE_REQUIRED, "an absence says what was searched")
        refuse_written_time(self.text, (item.text for premise in self.premises for item in premise.evidence))


Claim = ReadClaim | UnobservedClaim


def refuse_written_time(text: str, content: Iterable[str] = ()) -> None:
    """Raise when `text` is empty or says a time of the video that none of `content`, the words of the evidence, contains."""
    if not text.strip():
        raise RuleBroken(Rule.EMPTY_TEXT, "a statement says something")
    if found := written_times(text, content):
        raise RuleBroken(Rule.TIME_IN_TEXT, f"the text says a time of the video: {found[0].text!r}")
