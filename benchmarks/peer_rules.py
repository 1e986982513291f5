"""Which frames other programs would read: the rules of PEERS, written out from their descriptions, a few lines each.

What is compared is their choice of frames, not their code: most of them are not on PyPI. Each rule is given every frame in order, as
brightness (and colour where it needs it), and says which are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from stages.frames import decode
from stages.media_formats import file_url

__all__ = ["RULES", "Look", "looks"]

Chosen = list[int]
_Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One frame, as the rules see it."""

    ms: int
    luma: NDArray[np.uint8]
    hsv: NDArray[np.uint8]
    """At half size."""
    key: bool


def looks(path: Path) -> Iterator[Look]:
    """The frames of a file, in order."""
    with av.open(file_url(path)) as container:
        keys = sorted(packet.pts for packet in container.demux(video=0) if packet.is_keyframe and packet.pts is not None)
        base = container.streams.video[0].time_base or 1
        key_ms = {round(1000 * pts * base) for pts in keys}
    for frame in decode(path):
        small = cv2.resize(frame.image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        hsv = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2HSV), np.uint8)
        yield Look(frame.ms, frame.luma.copy(), hsv, any(abs(frame.ms - ms) <= 1 for ms in key_ms))


def _every(ms: float) -> Callable[[Sequence[Look]], Chosen]:
    """A fixed sampling rate: the first frame at or after each multiple of `ms`."""

    def rule(frames: Sequence[Look]) -> Chosen:
        chosen, due = [], 0.0
        for place, frame in enumerate(frames):
            if frame.ms >= due:
                chosen.append(place)
                due = (frame.ms // ms + 1) * ms
        return chosen

    return rule


def _absolute_difference(frames: Sequence[Look]) -> Chosen:
    """videocr-PaddleOCR: of every second frame, those in which 100 px differ from the one before by more than 25 levels."""
    chosen = [0]
    for place in range(2, len(frames), 2):
        if np.count_nonzero(cv2.absdiff(frames[place].luma, frames[place - 2].luma) > 25) >= 100:
            chosen.append(place)
    return chosen


def _similarity(least: float) -> Callable[[Sequence[Look]], Chosen]:
    """VideOCR: read where the structural similarity with the frame that was read last is below a limit."""

    def rule(frames: Sequence[Look]) -> Chosen:
        chosen = [0]
        for place in range(1, len(frames)):
            if _ssim(frames[chosen[-1]].luma, frames[place].luma) < least:
                chosen.append(place)
        return chosen

    return rule


def _ssim(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Mean structural similarity at half size, windows of 7 px."""

    def half(luma: NDArray[np.uint8]) -> _Grey:
        return np.asarray(cv2.resize(luma, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.float32)

    def mean(values: _Grey) -> _Grey:
        return np.asarray(cv2.blur(values, (7, 7)), np.float32)

    a, b = half(one), half(other)
    mean_a, mean_b = mean(a), mean(b)
    var_a, var_b, both = mean(a * a) - mean_a**2, mean(b * b) - mean_b**2, mean(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    likeness = ((2 * mean_a * mean_b + c1) * (2 * both + c2)) / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))
    return float(likeness.mean())


def _first_middle_last(frames: Sequence[Look]) -> Chosen:
    """PySceneDetect's content detector (mean difference of hue, saturation, value above 27): first, middle, last frame of each scene."""
    cuts = [0]
    for place in range(1, len(frames)):
        if cv2.absdiff(frames[place].hsv, frames[place - 1].hsv).mean() > 27:
            cuts.append(place)
    ends = [*cuts[1:], len(frames)]
    return sorted({place for start, end in zip(cuts, ends, strict=True) for place in (start, (start + end) // 2, end - 1)})


def _scene_score(frames: Sequence[Look]) -> Chosen:
    """ffmpeg's select=gt(scene,0.4): the mean difference, or its change where that is less, per cent."""
    chosen, before = [0], 0.0
    for place in range(1, len(frames)):
        now = float(cv2.absdiff(frames[place].luma, frames[place - 1].luma).mean())
        if min(now, abs(now - before)) / 100 > 0.4:
            chosen.append(place)
        before = now
    return chosen


def _keyframes(frames: Sequence[Look]) -> Chosen:
    return [place for place, frame in enumerate(frames) if frame.key]


RULES: Final[dict[str, Callable[[Sequence[Look]], Chosen]]] = {
    "3 fps (video-subtitle-extractor)": _every(1000 / 3),
    "1 fps": _every(1000),
    "absolute difference (videocr-PaddleOCR)": _absolute_difference,
    "SSIM .92 (VideOCR 1.5)": _similarity(0.92),
    "SSIM .99": _similarity(0.99),
    "first, middle, last (PySceneDetect)": _first_middle_last,
    "gt(scene,0.4) (ffmpeg)": _scene_score,
    "keyframes": _keyframes,
}
"""The choice of frames of each peer."""
