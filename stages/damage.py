"""Where the original is damaged: the stretches that a decoder hides by drawing something that was never there.

Handed a damaged file, a decoder conceals: it repeats, smears and guesses, and says so in a log. The delivered file is encoded from
that, without a fault of its own, so whoever reads it cannot know. Here the original goes through a decoder that hides nothing; a frame
that it then fails to give is damaged, and so are those that are predicted from it, up to the next keyframe.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

import av
import av.error
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from stages.media_formats import OPEN_OPTIONS, file_url
from stages.probe import Picture, Sound

__all__ = ["damaged"]

_APART_S: Final = 0.1
"""Stretches that are closer are one."""
_LOST: Final = 1.5
"""Usual steps from one packet to the next from which packets are missing between them."""
_STRICT: Final = {"err_detect": "explode+crccheck+bitstream+buffer", "flags": "+output_corrupt"}

Span = tuple[float, float]


def damaged(source: Path, stream: Picture | Sound) -> list[Span]:
    """Stretches of `stream` that do not decode, in seconds on ffmpeg's clock of the file, in order and apart from one another.

    Only for a file that a decoder complained about: elsewhere a step between packets is a pause. Empty where nothing is found, and for a
    file that only the programs can open.
    """
    try:
        return _damaged(source, stream)
    except av.error.FFmpegError:
        return []  # the complaints of the programs stay on record


def _damaged(source: Path, stream: Picture | Sound) -> list[Span]:
    with av.open(file_url(source), options=dict(OPEN_OPTIONS)) as container:
        zero = (container.start_time or 0) / av.time_base
        chosen = container.streams[stream.index]
        assert isinstance(chosen, VideoStream | AudioStream)
        good, bad = _sorted_out(container, chosen)
    starts = sorted(stream.packets.starts)
    step = stream.packets.usual_step()
    for start, following in pairwise(starts):
        if following - start > _LOST * step:
            bad.append(start + step)
    resumes = sorted(good) if isinstance(stream, Picture) else starts
    spans = ((start, next((place for place in resumes if place > start), stream.packets.end)) for start in sorted(bad))
    return [(start - zero, end - zero) for start, end in _joined(spans)]


def _sorted_out(container: InputContainer, stream: VideoStream | AudioStream) -> tuple[set[float], list[float]]:
    """When the keyframes that decode are shown, and when the packets that do not, seconds on the file's own clock."""
    stream.codec_context.options = dict(_STRICT)
    stream.codec_context.thread_count = 1
    base = float(stream.time_base or 1)
    keys: set[float] = set()
    shown: set[int] = set()
    packets: dict[int, bool] = {}
    failed: set[int | None] = set()
    demuxed = container.demux(stream)
    while True:
        try:
            packet = next(demuxed)
            if packet.pts is not None and not packet.is_discard:
                packets[packet.pts] = packet.is_corrupt
            frames = packet.decode()
        except (StopIteration, av.error.EOFError):
            break
        except av.error.FFmpegError:
            failed.add(packet.pts)
            continue
        for frame in frames:
            if isinstance(frame, VideoFrame) and frame.pts is not None and not frame.is_corrupt:
                shown.add(frame.pts)
                if frame.key_frame:
                    keys.add(frame.pts * base)
    # Sound comes out under times of its own; a picture comes out packets later than it went in.
    wrong = failed if isinstance(stream, AudioStream) else packets.keys() - shown
    return keys, [pts * base for pts, corrupt in packets.items() if corrupt or pts in wrong]


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in spans:
        if joined and start <= joined[-1][1] + _APART_S:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
