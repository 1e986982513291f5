"""Encodes a scene and states its truth: each text with the first and the last frame that show it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, cast

import av
import numpy as np
from av.container import OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream
from PIL import Image

from benchmarks.truth.scene import Box, Edge, Encoding, Scene, Shown, draw_frame

__all__ = ["Clip", "TrueText", "make_clip"]

_MS: Final = Fraction(1, 1000)
_FINE: Final = Fraction(1, 90_000)
"""Time base of MP4 files, so that 23.976 frames a second are exact."""


@dataclass(frozen=True, slots=True)
class TrueText:
    """One text of a clip; times are ms of the file."""

    text: str
    edge: Edge
    first_ms: int
    """When the first frame that shows it appears."""
    last_ms: int
    """When the last frame that shows it appears."""
    end_ms: int
    """When the frame after that appears, or the clip ends."""
    clear_first_ms: int
    clear_end_ms: int
    """The same, without the frames at either end in which a cursor stands in front of it."""
    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 of its ink as fractions of the picture, halfway through."""

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.first_ms


@dataclass(frozen=True, slots=True)
class Clip:
    """A video file and what it shows."""

    path: Path
    kind: str
    seed: int
    language: str
    times_ms: tuple[int, ...]
    """When each frame appears."""
    duration_ms: int
    texts: tuple[TrueText, ...]


def make_clip(scene: Scene, folder: Path) -> Clip:
    """Draw, encode and describe `scene` in `folder`."""
    path = folder / f"{scene.kind}-{scene.seed}.{'webm' if scene.encoding.codec == 'libvpx-vp9' else 'mp4'}"
    base = _MS if path.suffix == ".webm" or scene.encoding.lasting_ms else _FINE
    ticks = _ticks(scene.encoding, scene.frames, base)
    _encode(scene, path, base, ticks)
    times = [_rounded(tick, base) for tick in ticks]
    texts = [true for text in scene.texts if (true := _truth(scene, text, times))]
    return Clip(path, scene.kind, scene.seed, scene.language, tuple(times[:-1]), times[-1], tuple(texts))


def _ticks(encoding: Encoding, frames: int, base: Fraction) -> list[int]:
    """When each frame appears, and after them the end, in ticks of `base`."""
    if encoding.lasting_ms:
        moments = [Fraction(0)]
        for frame in range(frames):
            moments.append(moments[-1] + encoding.lasting_ms[frame % len(encoding.lasting_ms)])
        return [int(moment) for moment in moments]
    return [round(frame / encoding.rate / base) for frame in range(frames + 1)]


def _rounded(tick: int, base: Fraction) -> int:
    return int(tick * base * 1000 + Fraction(1, 2))


def _encode(scene: Scene, path: Path, base: Fraction, ticks: list[int]) -> None:
    encoding = scene.encoding
    if encoding.codec == "libx264":
        options = {"preset": "ultrafast" if encoding.fast else "veryfast", "threads": "1"}
    else:
        options = {"deadline": "realtime", "cpu-used": "8", "b": "0", "threads": "1"}
    options |= {"crf": str(encoding.crf), "g": str(encoding.gop)}
    kept: dict[object, Image.Image] = {}
    lasting = {tick: after - tick for tick, after in itertools.pairwise(ticks)}
    with av.open(str(path), "w") as container:
        stream = cast(VideoStream, container.add_stream(encoding.codec, rate=encoding.rate, options=options))
        stream.width, stream.height, stream.pix_fmt = *scene.size, "yuv420p"
        stream.codec_context.time_base = base
        for frame in range(scene.frames):
            picture = av.VideoFrame.from_ndarray(np.asarray(draw_frame(scene, frame, kept)), format="rgb24")
            picture.pts, picture.time_base = ticks[frame], base
            _mux(container, stream.encode(picture), lasting)
        _mux(container, stream.encode(None), lasting)


def _mux(container: OutputContainer, packets: Iterable[Packet[Any]], lasting: dict[int, int]) -> None:
    """Write packets with how long each is shown: encoders leave it out, and the last frame would then have no end."""
    for packet in packets:
        packet.duration = lasting[packet.pts or 0]
        container.mux(packet)


def _truth(scene: Scene, text: Shown, times: list[int]) -> TrueText | None:
    """None for a text that the picture never shows whole."""
    shown = [frame for frame in range(text.first, min(text.end, scene.frames)) if text.visible(frame, scene.size)]
    if not shown:
        return None
    clear = [frame for frame in shown if not any(_covers(overlay.box(frame), text.box(frame)) for overlay in scene.overlays)] or shown
    x0, y0, x1, y1 = text.box(shown[len(shown) // 2])
    width, height = scene.size
    box = (x0 / width, y0 / height, x1 / width, y1 / height)
    return TrueText(
        text=text.text,
        edge=text.edge,
        first_ms=times[shown[0]],
        last_ms=times[shown[-1]],
        end_ms=times[shown[-1] + 1],
        clear_first_ms=times[clear[0]],
        clear_end_ms=times[clear[-1] + 1],
        box=box,
    )


def _covers(front: Box, back: Box) -> bool:
    return front[0] < back[2] and back[0] < front[2] and front[1] < back[3] and back[1] < front[3]
