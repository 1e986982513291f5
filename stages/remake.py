"""The delivered file, made before anything is read, so that every time is a time on the file that the client opens.

The rule of the clock: an instant is the time since what the player shows as 0:00 of the *delivered* file. There, the first presented frame
stands at 0, or the first audio sample where sound starts clearly earlier or there is no picture. Why it has to be made so: the streams of
an original may start at 10 s or at 3600 s, and on such a file two browsers put the same link five seconds apart.

What stays true to the original: the distance between frames (a variable rate stays variable), and where sound lies against the picture:
sound that starts late gets silence before it, a hole in the sound gets silence in it. A picture that starts after the sound is held from 0
on its first frame, because players disagree about what to show before it.

A stream that browsers play as it is, upright, is copied; any other is encoded.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import ffmpeg

from stages.errors import InputRejected
from stages.inputs import shown_name
from stages.media_formats import OPEN_OPTIONS, file_url
from stages.media_tool import Finished, filters, run
from stages.probe import Picture, Probe, Sound

__all__ = ["HOLE_S", "Plan", "can_tonemap", "check", "make", "plan"]

_LEAD_S: Final = 0.05
"""Sound that starts this much before the picture, or less, is an encoder's run-in: the picture's first frame is 0 all the same."""

_SOUND_DRIFT_S: Final = 0.05
"""How far copied sound may start from 0; more is made exact with silence."""

_RUN_IN: Final = 3
"""Packets of sound that an edit list may hide: an encoder's run-in; more is a cut that browsers may ignore."""

HOLE_S: Final = 0.1
"""A step in the sound's clock that is filled with silence."""

_JUMP_S: Final = 3600.0
"""A step between packets that is damage, not a pause: filling it would make hours of nothing."""

_PATIENCE_S: Final = 120.0
"""One second of 4K HDR takes a slow machine this long at worst."""

_PROXY_SIDE: Final = 720
"""Smaller side of a proxy, px."""

_RATE: Final = 48_000
"""Sound is delivered at this rate: the run-in of AAC is 21 ms then, at 8 kHz it would be 128 ms, and not every player removes it."""

_CLOCK: Final = "1:90000"
"""Time base of the picture, fine enough for any source; ffmpeg's own choice is the header's frame rate, and times are rounded to it."""

_SOURCE: Final = "source"
"""Stands for the input's path in a graph."""

_FIXED: Final = frozenset({"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "flv"})
"""Containers that describe a stream once. In the others it may change its size or its channels on the way, which no MP4 can hold."""

_PROFILES: Final = frozenset({"Constrained Baseline", "Baseline", "Main", "High"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with one original. Times are seconds on the clock that ffmpeg gives it."""

    zero_s: float
    """What becomes 0."""
    picture: Picture | None
    """None where there is none or not one frame of it decodes."""
    picture_s: float
    """When its first frame appears."""
    sound: Sound | None
    sound_s: float
    copy_picture: bool
    copy_sound: bool
    size: tuple[int, int]
    """Delivered width and height in px, even; (0, 0) without a picture."""

    @property
    def copies(self) -> bool:
        return self.copy_picture or self.copy_sound

    @property
    def scaled(self) -> bool:
        """The picture is delivered smaller than it is."""
        return self.picture is not None and self.size != _delivered_size(self.picture.shown_size, proxy=False)

    def encoding_all(self) -> Plan:
        return dataclasses.replace(self, copy_picture=False, copy_sound=False)

    @property
    def length_s(self) -> float:
        """How long the delivered file will be, about; for progress only."""
        ends = [item.packets.end - min(item.packets.starts) for item in (self.picture, self.sound) if item]
        return max(ends)


def plan(source: Path, found: Probe, *, proxy: bool) -> Plan:
    """Decide from what the file holds and from the first frame of each stream that really decodes.

    `proxy`: the smaller side is at most 720 px. Raises `InputRejected` when nothing decodes or the clock of the file jumps by hours.
    """
    starts = _first_frames(source, [item for item in (found.picture, found.sound) if item])
    picture = found.picture if found.picture and found.picture.index in starts else None
    sound = found.sound if found.sound and found.sound.index in starts else None
    if not starts:
        message = f"{shown_name(source)}: no frame of it can be decoded."
        raise InputRejected(message, hint="It is damaged or cut short: copy it again, to the end.", code="no_frames")
    zero = min(starts.values())
    picture_s = starts[picture.index] if picture else zero
    sound_s = starts[sound.index] if sound else zero
    if picture_s - zero <= _LEAD_S:
        zero = picture_s
    _refuse_jump(source, found.container, [item for item in (picture, sound) if item])
    size = _delivered_size(picture.shown_size, proxy) if picture else (0, 0)
    fixed = found.container in _FIXED
    return Plan(
        zero_s=zero,
        picture=picture,
        picture_s=picture_s,
        sound=sound,
        sound_s=sound_s,
        copy_picture=fixed and picture is not None and abs(picture_s - zero) < 0.001 and _browsers_play(picture, size),
        copy_sound=fixed and sound is not None and abs(sound_s - zero) <= _SOUND_DRIFT_S and _plays(sound),
        size=size,
    )


def _refuse_jump(source: Path, container: str, streams: Sequence[Picture | Sound]) -> None:
    """Raise `InputRejected` for a clock that leaps; in a transport stream ffmpeg closes such a step itself."""
    longest = max(item.packets.longest_step() for item in streams)
    if longest > _JUMP_S and container != "mpegts":
        message = f"{shown_name(source)}: its clock jumps by {longest / 3600:.1f} hours."
        raise InputRejected(message, hint="It is damaged: save it again from the program that made it.", code="clock_jump")


def make(source: Path, target: Path, decided: Plan, on_progress: Callable[[float], None]) -> Finished:
    """Write the delivered MP4 as planned; its complaints are the decode errors met on the way."""
    opened = ffmpeg.input(_SOURCE, **OPEN_OPTIONS)
    streams: list[Any] = []
    options: dict[str, Any] = {}
    if decided.picture:
        stream = opened[str(decided.picture.index)]
        streams.append(stream if decided.copy_picture else _filtered(stream, decided.picture, decided))
        options |= {"c:v": "copy"} if decided.copy_picture else _picture_options(decided)
    if decided.sound:
        stream = opened[str(decided.sound.index)]
        streams.append(stream if decided.copy_sound else _aligned(stream, decided))
        options |= {"c:a": "copy"} if decided.copy_sound else {"c:a": "aac", "b:a": "128k", "ac": 1 if decided.sound.channels == 1 else 2}
    output = ffmpeg.output(
        *streams,
        file_url(target),
        format="mp4",
        output_ts_offset=f"{-decided.zero_s:.6f}",
        movflags="+faststart",
        map_metadata=-1,  # a phone writes where its owner lives
        map_chapters=-1,
        fflags="+bitexact",
        max_muxing_queue_size=4096,
        **options,
    )
    return _followed(_arguments(output, source), decided, on_progress)


def check(source: Path, decided: Plan, on_progress: Callable[[float], None]) -> Finished:
    """Decode the chosen streams to the end and write nothing; the complaints are the decode errors."""
    opened = ffmpeg.input(_SOURCE, **OPEN_OPTIONS)
    streams = [opened[str(item.index)] for item in (decided.picture, decided.sound) if item]
    output = ffmpeg.output(*streams, "-", format="null", **{"fps_mode:v": "vfr", "enc_time_base:v": _CLOCK})
    return _followed(_arguments(output, source), decided, on_progress)


def _arguments(output: Any, source: Path) -> list[str]:
    """The program's arguments; the name goes in last, because ffmpeg-python cannot hold one with bytes that are no UTF-8."""
    arguments: list[str] = output.get_args(overwrite_output=True)
    arguments[arguments.index("-i") + 1] = file_url(source)
    return arguments


def _first_frames(source: Path, streams: Sequence[Picture | Sound]) -> dict[int, float]:
    """When the first frame that decodes of each stream is shown, seconds, by stream number; those of which none does are absent.

    Together, because ffmpeg's clock for a transport stream depends on which streams are read; one by one where together nothing comes,
    because a stream without a decoder takes the other with it.
    """
    found: dict[int, float] = {}
    bases: dict[int, Fraction] = {}

    def read(line: str) -> bool:
        if header := re.fullmatch(r"#tb (\d+): (\S+)", line):
            bases[int(header[1])] = Fraction(header[2])
        elif row := re.match(r"(\d+),\s*-?\d+,\s*(-?\d+),", line):
            found.setdefault(streams[int(row[1])].index, float(int(row[2]) * bases[int(row[1])]))
        return True

    opened = ffmpeg.input(_SOURCE, **OPEN_OPTIONS)
    # Filters that end after the first frame: the option `-frames` of one stream would end the other with it.
    first = [
        opened[str(item.index)].filter("trim", end_frame=1)
        if isinstance(item, Picture)
        else opened[str(item.index)].filter("atrim", end_sample=1)
        for item in streams
    ]
    exact = {"fps_mode": "passthrough", "enc_time_base:v": _CLOCK, "avoid_negative_ts": "disabled"}
    output = ffmpeg.output(*first, "-", format="framecrc", **exact)
    run("ffmpeg", _arguments(output, source), read, patience_s=_PATIENCE_S)
    if not found and len(streams) > 1:
        return next((alone for item in streams if (alone := _first_frames(source, [item]))), {})
    return found


def _delivered_size(shown: tuple[int, int], proxy: bool) -> tuple[int, int]:
    """Even width and height (H.264 in 4:2:0 has no odd ones), at proxy size where asked."""
    shrink = min(1.0, _PROXY_SIDE / min(shown)) if proxy else 1.0
    width, height = (2 * math.ceil(round(side * shrink) / 2) for side in shown)
    return width, height


def _browsers_play(picture: Picture, size: tuple[int, int]) -> bool:
    """Whether every browser shows the stream right as it is, without an edit list."""
    plain = picture.codec == "h264" and picture.pixels == "yuv420p" and picture.profile in _PROFILES
    upright = not picture.turned and not picture.interlaced and not picture.hdr and picture.aspect == 1
    return plain and upright and size == (picture.width, picture.height) and not picture.packets.hidden


def _plays(sound: Sound) -> bool:
    """Whether every browser plays the stream right as it is: AAC without a hole."""
    whole = sound.packets.longest_step() - sound.packets.usual_step() <= HOLE_S
    return sound.codec == "aac" and sound.profile in {"LC", "HE-AAC"} and sound.channels <= 2 and whole and sound.packets.hidden <= _RUN_IN


def _aligned(stream: Any, decided: Plan) -> Any:
    """`stream` on the common clock: nothing before 0, silence before a late start and in the holes, nothing stretched.

    Without `first_pts` where the sound is not late: a stream that changes its channels on the way starts the filter anew, and each start
    would bring its own silence.
    """
    late = decided.sound_s - decided.zero_s > 0.001
    first = {"first_pts": round(decided.zero_s * _RATE)} if late else {}
    return stream.filter("atrim", start=f"{decided.zero_s:.6f}").filter("aresample", _RATE, **{"async": 1}, **first)


def _filtered(stream: Any, picture: Picture, decided: Plan) -> Any:
    """`stream` (turned upright by ffmpeg itself) as a browser needs it: progressive, SDR, square pixels, even sides, from 0."""
    width, height = decided.size
    if picture.interlaced:
        stream = stream.filter("bwdif", mode="send_frame", deint="interlaced")
    # The size in numbers, because a stream may change its size on the way. Odd sides get a line of black: scaling would blur all text.
    inner = decided.size if decided.scaled else picture.shown_size
    stream = stream.filter("scale", *inner, out_range="tv")
    if picture.hdr and can_tonemap():
        stream = _tonemapped(stream, picture.transfer)
    stream = stream.filter("pad", width, height).filter("setsar", 1).filter("format", "yuv420p")
    if decided.picture_s > decided.zero_s:
        stream = stream.filter("setpts", f"if(lte(T,{decided.picture_s + 0.0005:.6f}),{decided.zero_s:.6f}/TB,PTS)")
    return stream


def can_tonemap() -> bool:
    """Whether the installed ffmpeg can bring HDR into the range of an ordinary screen."""
    return {"zscale", "tonemap"} <= filters()


def _tonemapped(stream: Any, transfer: str) -> Any:
    """HDR to BT.709, so that white text on light ground stays readable and nothing comes out grey."""
    return (
        stream.filter("setparams", color_primaries="bt2020", color_trc=transfer, colorspace="bt2020nc")
        .filter("zscale", transfer="linear", npl=100)
        .filter("format", "gbrpf32le")
        .filter("zscale", primaries="bt709")
        .filter("tonemap", "hable", desat=0)
        .filter("zscale", transfer="bt709", matrix="bt709", range="tv")
        .filter("format", "yuv420p")
    )


def _picture_options(decided: Plan) -> dict[str, Any]:
    """H.264 that starts at once wherever a link leads: a keyframe every two seconds, no reordering and so no edit list."""
    blocks = math.ceil(decided.size[0] / 16) * math.ceil(decided.size[1] / 16)
    return {
        "c:v": "libx264",
        "preset": "veryfast",
        "crf": 20,
        "bf": 0,
        "force_key_frames": "expr:gte(t,n_forced*2)",
        # Each frame keeps its own time.
        "fps_mode:v": "vfr",
        "enc_time_base:v": _CLOCK,
        "video_track_timescale": _CLOCK.partition(":")[2],
        # By size alone: a header that says 1000 frames/s would ask for a level that no hardware decoder takes.
        "level:v": "4.2" if blocks <= 8704 else "5.2" if blocks <= 36864 else "6.2",
    }


def _followed(arguments: list[str], decided: Plan, on_progress: Callable[[float], None]) -> Finished:
    follow = _follower(decided.length_s, on_progress)
    # However much of a file is damaged, what can be decoded is delivered; the complaints are counted.
    return run("ffmpeg", ["-nostats", "-progress", "pipe:1", "-max_error_rate", "1", *arguments], follow, patience_s=_PATIENCE_S)


def _follower(length_s: float, on_progress: Callable[[float], None]) -> Callable[[str], bool]:
    """Reads ffmpeg's `-progress`; news is a frame or a moment more than before."""
    seen: dict[str, str] = {}

    def read(line: str) -> bool:
        key, _, value = line.partition("=")
        if key not in {"frame", "out_time_us", "total_size"} or seen.get(key) == value:
            return False
        seen[key] = value
        if key == "out_time_us" and value.lstrip("-").isdigit() and length_s > 0:
            on_progress(min(1.0, max(0.0, int(value) / 1e6 / length_s)))
        return True

    return read
