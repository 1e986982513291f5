"""What a report shows, as records: the claims with their links, proofs and marks, ready to be laid out, free of any layout.

The records of the format are carried whole; what is added is only what a reader needs beside them. Every read claim here has a link that
was opened and held: those that did not hold were withdrawn before a view is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stages.claim import Base, Claim, ReadClaim
from stages.deep_link import DeepLink, LinkCheck, proof_path
from stages.draft import ProviderSeal, Rejection
from stages.evidence import Channel, Coverage, Evidence
from stages.figure import Figure, Wave
from stages.findings import Contradiction, Gap, Question
from stages.instant import Span
from stages.video import Video

__all__ = ["Answer", "ChannelView", "ClaimView", "Proof", "Quantity", "Quoted", "Refusals", "Refused", "ReportView", "Seal"]


@dataclass(frozen=True, slots=True)
class Proof:
    """The pictures that prove one read claim where no player is at hand. JPEG bytes, empty where there is nothing to show."""

    check: LinkCheck
    picture: bytes = b""
    """The file `proof/cNNNN.jpg`."""
    frame: bytes = b""
    """The frame at the instant, small, with the text boxed."""
    strip: bytes = b""
    """The pixels of the text itself."""
    wave: Wave | None = None
    """The sound around the quoted words."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """One piece of evidence, its text split around the words that the claim quotes."""

    evidence: Evidence
    before: str
    quote: str
    after: str
    claims: tuple[str, ...] = ()
    """Codes of the claims that cite it."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim. What follows `claim` belongs to read claims."""

    claim: Claim
    evidence: tuple[Quoted, ...] = ()
    span: Span | None = None
    """How long the quoted words are shown or said."""
    link: DeepLink | None = None
    proof: Proof | None = None
    risks: tuple[str, ...] = ()
    """Why it deserves a second look in this domain, as in `stages.risk`."""
    fabricated: tuple[str, ...] = ()
    """Risky terms that it puts beside a figure and that no evidence gives that figure."""

    @property
    def read(self) -> ReadClaim | None:
        return self.claim if isinstance(self.claim, ReadClaim) else None

    @property
    def literal(self) -> bool:
        """Whether the claim says nothing but the words it quotes, so that showing both would show one thing twice."""
        return self.read is not None and self.read.text.strip() == self.read.quote.strip()

    @property
    def proof_path(self) -> str:
        return proof_path(self.claim.id)


@dataclass(frozen=True, slots=True)
class Answer:
    """The claims that answer one question; `question` is None for those that answer none in particular."""

    question: Question | None
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True, slots=True)
class ChannelView:
    """What could be read of one channel, and by what."""

    coverage: Coverage
    readings: int
    distrusted: int
    engines: tuple[str, ...]
    """`engine (model)`, each once."""


@dataclass(frozen=True, slots=True)
class Refused:
    """One refused draft, beside the evidence that it claims for itself."""

    rejection: Rejection
    cited: Mapping[str, Evidence | None]
    """By the id as it was written; None for an id that this video's evidence does not have."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """The drafts that broke one rule."""

    rule: str
    items: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """The values of one read claim, as written."""

    values: tuple[str, ...]
    item: ClaimView


@dataclass(frozen=True, slots=True)
class Seal:
    """How far the report can be relied on, counted and not judged."""

    claims: int
    read: int
    traceable: int
    """Read claims whose link opened on their words."""
    values_checked: int
    """Read claims that have values."""
    values_confirmed: int
    weak: int
    unchecked: int
    fabricated: int
    """Claims with a risky term beside a figure that no evidence gives it."""
    contradictions: int
    refused: Mapping[str, int]
    """By rule."""
    complete: bool
    """Every channel was read from beginning to end."""
    truncated: bool
    only_searched: int
    """Questions that were only searched by their words: those without an answer, and all that a model should have been asked."""

    @property
    def level(self) -> str:
        """`low`: a fabricated term, a cut answer, or not even half of the values confirmed. `high`: nothing lacks. Else `medium`.
        `none`: nothing was read that could be relied on."""
        if not self.read and not self.fabricated:
            return "none"
        if self.fabricated or self.truncated or 2 * self.values_confirmed < self.values_checked:
            return "low"
        doubts = self.contradictions + self.only_searched + self.weak + self.unchecked + (self.values_checked - self.values_confirmed)
        return "high" if self.complete and not doubts and self.traceable == self.read else "medium"


@dataclass(frozen=True, slots=True)
class ReportView:
    """Everything one report shows."""

    video: Video
    title: str
    recipient: str
    recorded: str
    """ISO date or the brief's own words; empty when nobody knows."""
    language: str
    """BCP 47 tag of the claims' language."""
    mode: str
    sections: tuple[str, ...]
    """The parts of the report that its mode and profile ask for, in their order."""
    empty: tuple[str, ...]
    """Those of `sections` for which this video gave nothing."""
    left_out: int
    """Claims that are not of the kinds that the mode shows."""
    seal: Seal
    answers: tuple[Answer, ...]
    chronology: tuple[ClaimView, ...]
    """The read claims in order of time."""
    quantities: tuple[Quantity, ...]
    interpretations: tuple[ClaimView, ...]
    """What was concluded and what comes from elsewhere, apart from what was read."""
    doubtful: tuple[ClaimView, ...]
    """Claims to look at first: risky ones that are weak or unchecked, and those with a fabricated term."""
    claims: tuple[ClaimView, ...]
    """All claims, in order of code."""
    counts: Mapping[Base, int]
    """Claims of each base, zeros included."""
    media: str
    """Path of the delivered media in the bundle, or empty where it is not delivered."""
    figure: Figure
    channels: Mapping[Channel, ChannelView]
    transcript: tuple[Quoted, ...]
    """What was heard and read, and frames that a claim cites, in order of time, without what its own reader distrusts."""
    contradictions: tuple[Contradiction, ...]
    gaps: tuple[Gap, ...]
    refusals: tuple[Refusals, ...]
    """By rule, the most frequent first."""
    provider: ProviderSeal
    addressed: tuple[Evidence, ...]
    """Evidence whose text speaks to a language model rather than to a viewer."""
    software: Mapping[str, str]
    """Version of each program that made the report, by name."""
    settings: Mapping[str, str]
    """What was asked for and shapes the report, by the name of its option; no path."""
    model_sha256: str
    """Hash of the weights of an embedded language model; empty for every other provider."""

    @property
    def version(self) -> str:
        return self.software["frame-oracle"]

    @property
    def read(self) -> tuple[ClaimView, ...]:
        return tuple(item for item in self.claims if item.read)

    @property
    def unanswered(self) -> int:
        """Questions without a read claim, whether the video gives no answer or nobody could look for one."""
        return sum(item.claim.base is Base.NAO_CONSTA for item in self.claims)

    @property
    def asked(self) -> bool:
        """Whether there were questions, so that there are answers and not only a reading."""
        return any(answer.question for answer in self.answers)

    @property
    def example_code(self) -> str:
        """A claim's code to show how one is typed."""
        return next((item.claim.id for item in self.read), "C-0001")

    @property
    def cited(self) -> tuple[Quoted, ...]:
        """The evidence that read claims cite, in order of time."""
        return tuple(item for item in self.transcript if item.claims)

    @property
    def refused(self) -> int:
        return sum(len(group.items) for group in self.refusals)
