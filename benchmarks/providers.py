"""What a misbehaving provider costs, and what the report says of it: `python -m benchmarks.providers`.

One question is asked of a server on loopback that misbehaves in one way at a time, in the OpenAI and in the Anthropic dialect. The evidence
answers it, so what has to come out is a claim on that evidence, whoever was down. Ends with status 1 where something did not hold.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.misbehaving import FAULTS, Reply, serving
from stages.ask import ask
from stages.batch_record import exit_code_of
from stages.errors import ExitCode
from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind
from stages.findings import Question
from stages.instant import Timeline
from stages.settings import ProviderEntry, Settings
from stages.store import StageStore
from stages.validate import validate
from stages.video import Video

__all__ = ["Outcome", "outcome_of"]

QUESTION: Final = Question(1, "Quanto fubá vai na receita?")
SAID: Final = "adicione quinhentos gramas de fubá"
_TIMEOUT_S: Final = 1.0
_ASIDE_S: Final = 40.0
"""What loading a library and everything but the call may take on a busy machine."""
_DIALECTS: Final = ("openai", "anthropic")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question."""

    timeout_s: float
    requests: int
    seconds: float
    answered_by: str
    failovers: tuple[str, ...]
    read: int
    """Read claims in the findings."""
    exit_code: ExitCode

    @property
    def held(self) -> bool:
        """Bounded, answered from the evidence all the same, and told."""
        told = len(self.failovers) == 1 and self.failovers[0].startswith("casa: ") and "<" not in self.failovers[0]
        bounded = self.requests <= 2 and self.seconds < self.timeout_s + _ASIDE_S
        return told and bounded and self.answered_by == "literal" and self.read == 1 and self.exit_code is ExitCode.NO_PROVIDER


def outcome_of(reply: Reply, dialect: str, folder: Path, timeout_s: float = _TIMEOUT_S) -> Outcome:
    """Ask the one question of a provider that replies like this."""
    evidence, video = _reading()
    with serving(reply) as service:
        address = service.address if dialect == "anthropic" else f"{service.address}/v1"
        entry = ProviderEntry("casa", dialect, model="m", base_url=address, timeout_s=timeout_s)
        settings = Settings(out=folder, providers=(entry,))
        importlib.import_module(dialect)  # seconds on a busy machine, which are not the provider's
        started = time.monotonic()
        answer = ask(video, evidence, [QUESTION], settings, StageStore(folder / "cache"))
        seconds = time.monotonic() - started
    findings = validate(answer.drafts, answer.provider, evidence, [QUESTION], "pt")
    seal = answer.provider
    return Outcome(timeout_s, len(service.requests), seconds, seal.name, seal.failovers, len(findings.read), exit_code_of(seal))


def _reading() -> tuple[EvidenceSet, Video]:
    timeline, sha256 = Timeline(60_000), "ab" * 32
    span, instant = timeline.span(1000, 4000), timeline.instant(2000)
    items = (
        Evidence("T-000001", Channel.TELA, Kind.TEXT, span, instant, "Bolo de fubá", 0.9, "drawn", "drawn", sha256),
        Evidence("F-000001", Channel.FALA, Kind.SPEECH, span, instant, SAID, 0.9, "drawn", "drawn", sha256),
    )
    coverage = {channel: Coverage(channel, CoverageState.COMPLETE) for channel in Channel}
    video = Video(sha256, Path("a.mp4"), "a.mp4", "a", Path("a.mp4"), sha256, timeline, 0, 0, 0.0, None, "", False)
    return EvidenceSet(sha256, timeline, items, coverage), video


def _rows(folder: Path) -> Iterator[bool]:
    heads = ("misbehaviour", "dialect", "requests", "seconds", "answered by", "told", "read claims", "exit", "held")
    print(f"| {' | '.join(heads)} |")
    print("|---" * len(heads) + "|")
    for fault, reply in FAULTS.items():
        for dialect in _DIALECTS:
            done = outcome_of(reply, dialect, folder)
            told = "; ".join(done.failovers)
            cells = (fault, dialect, done.requests, f"{done.seconds:.1f}", done.answered_by, told, done.read, int(done.exit_code))
            print("|", " | ".join(map(str, cells)), "|", "yes" if done.held else "NO", "|", flush=True)
            yield done.held


def main() -> int:
    """Print the table; returns 1 where something did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        held = list(_rows(Path(folder)))
    print(f"\n{sum(held)} of {len(held)} held.")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
