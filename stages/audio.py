"""The delivered file's sound on the delivered file's timeline, read a stretch at a time.

A plain extraction glues the packets together: sound that starts late, or that has a hole, comes out early by as much, and every word
with it. `aresample=async=1:first_pts=0` puts silence where the file has none, so sample n is at n / 16000 s of the file.

Hours of sound would fill the memory, so it is decoded to a file of 16-bit samples (115 MB an hour) and read from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import ffmpeg
import numpy as np
from numpy.typing import NDArray

from stages.engines.speech_recogniser import SAMPLE_RATE
from stages.errors import StageFailed
from stages.media_formats import OPEN_OPTIONS, file_url
from stages.media_tool import run

__all__ = ["Sound", "decode_sound"]

_PER_MS: Final = SAMPLE_RATE // 1000
_SAMPLE_BYTES: Final = 2
_FULL_SCALE: Final = 32768.0


@dataclass(frozen=True, slots=True)
class Sound:
    """Decoded sound on disk: 16-bit mono, 16 kHz, sample 0 at the start of the delivered file."""

    path: Path

    @property
    def samples(self) -> int:
        return self.path.stat().st_size // _SAMPLE_BYTES

    @property
    def duration_ms(self) -> int:
        """Floored, so that nothing inside it lies past the last sample."""
        return self.samples // _PER_MS

    def read(self, start_ms: int, end_ms: int) -> NDArray[np.float32]:
        """The samples from `start_ms` to `end_ms`, -1..1; fewer where the sound ends before."""
        count = max(0, end_ms - start_ms) * _PER_MS
        raw = np.fromfile(self.path, np.int16, count, offset=start_ms * _PER_MS * _SAMPLE_BYTES)
        return raw.astype(np.float32) / np.float32(_FULL_SCALE)

    def blocks(self, length_ms: int) -> Iterator[tuple[int, int]]:
        """Start and end in ms of successive stretches that cover the whole."""
        for start in range(0, self.duration_ms, length_ms):
            yield start, min(start + length_ms, self.duration_ms)


def decode_sound(media: Path, into: Path) -> Sound:
    """Decode the first audio stream of `media` to the new file `into`.

    Raises `StageFailed` (`decode_error`) where ffmpeg gives up, and `MissingDependency` where it is not installed.
    """
    samples = ffmpeg.input(file_url(media), **OPEN_OPTIONS).output(
        file_url(into), map="0:a:0", ac=1, ar=SAMPLE_RATE, af="aresample=async=1:first_pts=0", format="s16le", acodec="pcm_s16le"
    )
    finished = run("ffmpeg", ["-nostats", "-progress", "pipe:1", *ffmpeg.get_args(samples, overwrite_output=True)], _follower())
    if not finished.ok:
        why = "it made no progress" if finished.stalled else finished.said[-1].strip() if finished.said else "ffmpeg gave no reason"
        hint = "Play the file to hear whether it is whole."
        raise StageFailed(f"The sound of {media.name} cannot be decoded: {why}.", hint=hint, code="decode_error")
    return Sound(into)


def _follower() -> Callable[[str], bool]:
    """Reads ffmpeg's `-progress`: news is a later moment than the last."""
    latest = ""

    def is_news(line: str) -> bool:
        nonlocal latest
        if not line.startswith("out_time_us=") or line == latest:
            return False
        latest = line
        return True

    return is_news
