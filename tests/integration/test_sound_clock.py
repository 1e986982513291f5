"""Sound on the delivered file's clock, whatever the packets of the original say: bursts of a tone at known times, found again.

No recogniser takes part: word times are measured on these samples, so where the samples are right the words can be.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from stages.audio import decode_sound
from stages.ingest import ingest
from stages.settings import Settings
from stages.store import StageStore
from stages.voice import LEVEL_MS, loudness

BURSTS = "if(lt(mod(t,2),0.3),0.5*sin(2*PI*440*t),0)"
"""0.3 s of a tone at 0, 2, 4… s of the sound itself."""
PICTURE = ("-f", "lavfi", "-i", "color=black:s=64x64:r=10:d=20")


@pytest.fixture
def bursts_of(tmp_path: Path) -> Callable[..., tuple[list[int], int]]:
    """Ingest what ffmpeg makes of the arguments; where the bursts begin in ms, and how long the delivered file is."""

    def through(name: str, *arguments: str) -> tuple[list[int], int]:
        source = tmp_path / name
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments, str(source)], check=True, timeout=60)
        video = ingest(source, "v", Settings(out=tmp_path, cache=tmp_path / "cache"), StageStore(tmp_path / "cache"))
        sound = decode_sound(video.media, tmp_path / "sound.s16")
        loud = loudness(sound.read(0, sound.duration_ms)) > 0.05
        return (np.flatnonzero(np.diff(np.pad(loud, (1, 0)).astype(np.int8)) == 1) * LEVEL_MS).tolist(), video.timeline.duration_ms

    return through


def tone(seconds: int, rate: int = 48_000) -> tuple[str, ...]:
    return ("-f", "lavfi", "-i", f"aevalsrc='{BURSTS}':s={rate}:d={seconds}")


def near(found: list[int], expected: list[float], within_ms: int) -> bool:
    return len(found) == len(expected) and all(abs(a - b) <= within_ms for a, b in zip(found, expected, strict=True))


def test_sound_that_starts_late(bursts_of: Callable[..., tuple[list[int], int]]) -> None:
    found, duration_ms = bursts_of("late.mkv", *PICTURE, "-itsoffset", "4.25", *tone(6), "-map", "0:v", "-map", "1:a", "-c:a", "aac")
    assert near(found, [4250, 6250, 8250], 40)
    assert abs(duration_ms - 20_000) <= 100


def test_sound_that_is_shorter_or_longer_than_the_picture(bursts_of: Callable[..., tuple[list[int], int]]) -> None:
    found, duration_ms = bursts_of("short.mp4", *PICTURE, *tone(4), "-c:a", "aac")
    assert near(found, [0, 2000], 40)
    assert abs(duration_ms - 20_000) <= 100
    found, duration_ms = bursts_of("long.mp4", "-f", "lavfi", "-i", "color=black:s=64x64:r=10:d=3", *tone(8), "-c:a", "aac")
    assert near(found, [0, 2000, 4000, 6000], 40)
    assert abs(duration_ms - 8_000) <= 100


@pytest.mark.parametrize("rate", [8_000, 44_100])
def test_any_sample_rate(bursts_of: Callable[..., tuple[list[int], int]], rate: int) -> None:
    found, _ = bursts_of("rate.mkv", *tone(10, rate), "-c:a", "pcm_s16le")
    assert near(found, [0, 2000, 4000, 6000, 8000], 20)


def test_a_clock_that_drifts_against_the_samples_is_the_clock(bursts_of: Callable[..., tuple[list[int], int]]) -> None:
    """A recorder whose clock runs slow stamps packets further apart than their samples last; the picture has the same clock. Followed in
    steps of a tenth of a second, in the delivered file and again when that is decoded; a step may fall inside a burst and part it."""
    found, _ = bursts_of("drift.mkv", *PICTURE, *tone(20), "-c:a", "aac", "-bsf:a", "setts=ts=TS*1.03")
    bursts = [at for before, at in pairwise([-2000, *found]) if at - before > 1000]
    assert near(bursts, [2060 * n for n in range(10)], 200), bursts
