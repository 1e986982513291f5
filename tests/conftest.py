"""What every test may use: the shared real media, and evidence built by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, Word, evidence_id
from stages.instant import Timeline

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "media"


@pytest.fixture
def shared_media() -> Path:
    """The folder of real media that lies beside the project; tests that need it are skipped where it does not."""
    if not _SHARED.is_dir():
        pytest.skip("the shared media folder is not beside the project")
    return _SHARED


@pytest.fixture
def evidence_set() -> Callable[..., EvidenceSet]:
    """`evidence_set(("tela", "180 °C"), ("fala", "quinhentos gramas"), duration_ms=60000)`: one piece every two seconds."""
    return make_evidence


def make_evidence(*said: tuple[str, str], duration_ms: int = 60_000, distrusted: tuple[str, ...] = (), language: str = "") -> EvidenceSet:
    """Evidence in the order given, each two seconds long; words of speech are evenly spread over its span."""
    timeline, sha256 = Timeline(duration_ms), "ab" * 32
    counts = dict.fromkeys(Channel, 0)
    items = []
    for place, (name, text) in enumerate(said):
        channel = Channel(name)
        counts[channel] += 1
        start = place * 2000
        spoken = channel is Channel.FALA
        words = text.split() if spoken else []
        step = 2000 // max(len(words), 1)
        item_id = evidence_id(channel, counts[channel])
        items.append(
            Evidence(
                id=item_id,
                channel=channel,
                kind=Kind.SPEECH if spoken else Kind.TEXT,
                span=timeline.span(start, start + 2000),
                instant=timeline.instant(start if spoken else start + 1000),
                text=text,
                confidence=0.9,
                engine="hand",
                model="none",
                video_sha256=sha256,
                language=language,
                words=tuple(Word(word, timeline.span(start + n * step, start + (n + 1) * step), 0.9) for n, word in enumerate(words)),
                distrust_reason="low_confidence" if item_id in distrusted else "",
            )
        )
    coverage = {channel: Coverage(channel, CoverageState.COMPLETE) for channel in Channel}
    return EvidenceSet(sha256, timeline, tuple(items), coverage)
