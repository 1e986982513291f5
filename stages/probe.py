"""What a file says it is: its streams, and when their packets are shown.

Headers lie: a one-second clip claims 39 hours, a recording from a browser claims no duration, a frame rate says 1000. So only the choice of
streams comes from the header; times come from the packets. A file that cannot be read is refused here, in one line that names it, says
why and says what to do.
"""

from __future__ import annotations

import json
import re
import stat
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stages.errors import InputRejected
from stages.inputs import printable, shown_name
from stages.media_formats import OPEN_OPTIONS, file_url
from stages.media_tool import Finished, run

__all__ = ["Packets", "Picture", "Probe", "Sound", "check_file", "probe"]

_PLAYLISTS: Final = frozenset(
    {"hls", "applehttp", "concat", "concatf", "dash", "webm_dash_manifest", "imf", "sdp", "rtsp", "redir", "lavfi", "smil"}
)
_FIRST_VIDEO_YEAR: Final = 1990
"""Containers without a clock say 1904 or 1970."""


@dataclass(slots=True)
class Packets:
    """The packets of one stream that are shown, in seconds on the file's own clock."""

    starts: array[float] = field(default_factory=lambda: array("d"))
    end: float = 0.0
    hidden: int = 0
    """How many an edit list hides."""

    def add(self, start: float, length: float, hidden: bool) -> None:
        if hidden:
            self.hidden += 1
            return
        self.starts.append(start)
        self.end = max(self.end, start + length)

    def finish(self) -> None:
        """No more packets: one that does not say how long it lasts, as in some MP4 files, lasts as long as the others."""
        if self.starts and self.end == max(self.starts):
            self.end += self.usual_step()

    def usual_step(self) -> float:
        """The median time from one packet to the next, seconds; with one packet, how long it lasts."""
        steps = self._steps()
        return float(np.median(steps)) if len(steps) else self.end - self.starts[0]

    def longest_step(self) -> float:
        """The longest time from one packet to the next, seconds."""
        return float(max(self._steps(), default=0.0))

    def steady(self) -> bool:
        """No two packets share their time: as many as the usual step allows, 10 % more or less."""
        return len(self) < 10 or 0.9 <= len(self) * self.usual_step() / (self.end - min(self.starts)) <= 1.1

    def _steps(self) -> NDArray[np.float64]:
        return np.diff(np.sort(np.array(self.starts)))

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture stream that is the film."""

    index: int
    """Its number in the file."""
    codec: str
    profile: str
    pixels: str
    """Pixel format, as ffmpeg names it."""
    width: int
    """Stored width in px."""
    height: int
    aspect: Fraction
    """Width of a stored pixel over its height."""
    matrix: tuple[int, int, int, int]
    """Top left of the display matrix, 16.16 fixed point: where a step right and a step down lead."""
    interlaced: bool
    transfer: str
    """Transfer curve; `smpte2084` and `arib-std-b67` are HDR."""
    packets: Packets

    @property
    def turned(self) -> bool:
        """A player shows it rotated or mirrored."""
        return self.matrix != (1 << 16, 0, 0, 1 << 16)

    @property
    def hdr(self) -> bool:
        return self.transfer in {"smpte2084", "arib-std-b67"}

    @property
    def shown_size(self) -> tuple[int, int]:
        """Width and height in square pixels, upright; the smaller side of a stored pixel is stretched, so that nothing is lost."""
        width = round(self.width * max(self.aspect, Fraction(1)))
        height = round(self.height * max(1 / self.aspect, Fraction(1)))
        across = self.matrix[0] == 0 and self.matrix[1] != 0
        return (height, width) if across else (width, height)


@dataclass(frozen=True, slots=True)
class Sound:
    """The audio stream that is listened to."""

    index: int
    """Its number in the file."""
    place: int
    """Its place among the file's audio streams, from 0."""
    count: int
    language: str
    codec: str
    profile: str
    channels: int
    packets: Packets


@dataclass(frozen=True, slots=True)
class Probe:
    """One file. At least one of `picture` and `sound` is there."""

    container: str
    """The demuxer's name, as ffmpeg writes it."""
    picture: Picture | None
    sound: Sound | None
    pictures: int
    """How many picture streams there are, cover art left out."""
    sounds: int
    """How many audio streams with content there are, those without a known codec too."""
    recorded: str
    """When the container says it was recorded, ISO date; empty when it does not or cannot be right."""
    complaints: int
    """How many lines opening it alone complains: about streams that are not used, cover art above all."""


def check_file(path: Path) -> None:
    """Raise `InputRejected` unless `path` is a regular file with something in it that may be read."""
    name = shown_name(path)
    try:
        state = path.stat()
        if stat.S_ISDIR(state.st_mode):
            next(path.iterdir(), None)
            raise _rejected(name, "is a folder", "Give a file, or a folder that holds videos.", "is_folder")
        if not stat.S_ISREG(state.st_mode):
            raise _rejected(name, "is a pipe or a device", "Copy its content to a file first.", "not_a_file")
        with path.open("rb") as handle:
            if not handle.read(1):
                raise _rejected(name, "is empty", "Copy it again from where it came.", "empty")
    except PermissionError as error:
        raise _rejected(
            name, "may not be read", f"Allow it: chmod +r, or run as the user who owns it ({error.strerror}).", "no_permission"
        ) from error
    except (OSError, ValueError) as error:
        hint = "Check the path; a link may point to nothing."
        raise _rejected(name, f"cannot be opened ({getattr(error, 'strerror', None) or error})", hint, "not_found") from error


def probe(path: Path, audio_track: int = 0) -> Probe:
    """The streams to use and their packets.

    Picture: of the streams flagged default (else of all) that are no cover art, those that last at least 90 % of the longest, and of them
    the largest, the first if equal. Sound: the stream number `audio_track`, counted from 1 among the audio streams, where that is given;
    else the first stream flagged default, else the first. Streams without a packet or without a known codec do not count. Raises
    `InputRejected` when nothing is left, and where `audio_track` is not there.
    """
    said, header = _header(path)
    streams: list[dict[str, Any]] = header.get("streams", [])
    packets, reading = _packets(path)
    usable = [item for item in streams if item.get("codec_name", "unknown") != "unknown" and len(packets.get(item["index"], ()))]
    films = [item for item in usable if item.get("codec_type") == "video" and _is_film(item)]
    sounds = [item for item in streams if item.get("codec_type") == "audio"]
    picture = _best_picture(films, packets)
    heard = [item for item in sounds if item in usable]
    if audio_track:
        sound: Mapping[str, Any] | None = _only_track(shown_name(path), sounds, heard, audio_track)
    else:
        sound = min(heard, key=lambda item: not _default(item), default=None)
    if picture is None and sound is None:
        raise _nothing_to_read(shown_name(path), header, said, reading)
    return Probe(
        container=header.get("format", {}).get("format_name", ""),
        picture=_picture(picture, packets) if picture else None,
        sound=_sound(sound, sounds, packets) if sound else None,
        pictures=len(films),
        sounds=sum(1 for item in sounds if len(packets.get(item["index"], ()))),
        recorded=_recorded(header.get("format", {}).get("tags", {})),
        complaints=said.complaints,
    )


def _header(path: Path) -> tuple[Finished, dict[str, Any]]:
    lines: list[str] = []

    def keep(line: str) -> bool:
        lines.append(line)
        return False

    finished = run("ffprobe", [*_options(), "-show_format", "-show_streams", "-of", "json", "-i", file_url(path)], keep)
    if not finished.ok:
        raise _refusal(path, finished)
    found: dict[str, Any] = json.loads("\n".join(lines))
    return finished, found


def _packets(path: Path) -> tuple[dict[int, Packets], Finished]:
    """The packets of each stream, by its number."""
    found: dict[int, Packets] = {}

    def read(line: str) -> bool:
        fields = dict(part.split("=", 1) for part in line.split("|") if "=" in part)
        start = fields.get("pts_time", "N/A")
        start = fields.get("dts_time", "N/A") if start == "N/A" else start
        if start != "N/A" and "stream_index" in fields:
            length = fields.get("duration_time", "N/A")
            stream = found.setdefault(int(fields["stream_index"]), Packets())
            stream.add(float(start), 0.0 if length == "N/A" else float(length), "D" in fields.get("flags", ""))
        return True

    entries = "packet=stream_index,pts_time,dts_time,duration_time,flags"
    finished = run("ffprobe", [*_options(), "-show_entries", entries, "-of", "compact=p=0", "-i", file_url(path)], read)
    if finished.stalled:
        raise _refusal(path, finished)
    for stream in found.values():
        stream.finish()
    return found, finished


def _options() -> list[str]:
    return [part for name, value in OPEN_OPTIONS.items() for part in (f"-{name}", value)]


def _is_film(stream: Mapping[str, Any]) -> bool:
    flags = stream.get("disposition", {})
    still = any(flags.get(name) for name in ("attached_pic", "timed_thumbnails", "still_image"))
    return not still and bool(stream.get("width")) and bool(stream.get("height"))


def _default(stream: Mapping[str, Any]) -> bool:
    return bool(stream.get("disposition", {}).get("default"))


def _only_track(name: str, sounds: Sequence[Mapping[str, Any]], usable: Sequence[Mapping[str, Any]], number: int) -> Mapping[str, Any]:
    """Audio stream `number`, counted from 1. Raises `InputRejected` with the streams that are there where it is not, or cannot be read."""
    if number <= len(sounds) and sounds[number - 1] in usable:
        return sounds[number - 1]
    why = "cannot be read" if number <= len(sounds) else "is not there"
    there = ", ".join(_track_name(place, item) for place, item in enumerate(sounds, start=1) if item in usable) or "none"
    hint = "Give another --audio-track, or none for the default one."
    raise _rejected(name, f"audio track {number} {why}; its audio tracks: {there}", hint, "no_such_audio_track")


def _track_name(place: int, stream: Mapping[str, Any]) -> str:
    """`2 (por, "Comentário", default)`."""
    tags = stream.get("tags", {})
    said = [_language(stream), f'"{printable(tags["title"])[:40]}"' if tags.get("title") else "", "default" if _default(stream) else ""]
    return f"{place} ({', '.join(filter(None, said))})" if any(said) else str(place)


def _best_picture(films: Sequence[Mapping[str, Any]], packets: Mapping[int, Packets]) -> Mapping[str, Any] | None:
    wanted = [item for item in films if _default(item)] or films

    def length(item: Mapping[str, Any]) -> float:
        shown = packets[item["index"]]
        return shown.end - min(shown.starts)

    longest = max((length(item) for item in wanted), default=0.0)
    lasting = [item for item in wanted if length(item) >= 0.9 * longest]
    return max(lasting, key=lambda item: item["width"] * item["height"], default=None)


def _picture(stream: Mapping[str, Any], packets: Mapping[int, Packets]) -> Picture:
    return Picture(
        index=stream["index"],
        codec=stream["codec_name"],
        profile=stream.get("profile", ""),
        pixels=stream.get("pix_fmt", ""),
        width=stream["width"],
        height=stream["height"],
        aspect=_ratio(stream.get("sample_aspect_ratio", "")),
        matrix=_matrix(stream.get("side_data_list", [])),
        interlaced=stream.get("field_order", "progressive") not in {"progressive", "unknown"},
        transfer=stream.get("color_transfer", ""),
        packets=packets[stream["index"]],
    )


def _sound(stream: Mapping[str, Any], sounds: Sequence[Mapping[str, Any]], packets: Mapping[int, Packets]) -> Sound:
    return Sound(
        index=stream["index"],
        place=[item["index"] for item in sounds].index(stream["index"]),
        count=len(sounds),
        language=_language(stream),
        codec=stream["codec_name"],
        profile=stream.get("profile", ""),
        channels=stream.get("channels", 0),
        packets=packets[stream["index"]],
    )


def _language(stream: Mapping[str, Any]) -> str:
    """The language that the container claims; empty where it claims none, or nonsense."""
    claimed = stream.get("tags", {}).get("language", "")
    return claimed if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", claimed) and claimed != "und" else ""


def _ratio(text: str) -> Fraction:
    """`2:3` as a fraction; 1 where the file says nothing or nonsense."""
    found = re.fullmatch(r"(\d+):(\d+)", text)
    ratio = Fraction(int(found[1]), int(found[2])) if found and int(found[2]) else Fraction(1)
    return ratio if Fraction(1, 20) <= ratio <= 20 else Fraction(1)


def _matrix(side_data: Sequence[Mapping[str, Any]]) -> tuple[int, int, int, int]:
    """The matrix, or that of an upright picture where there is none or one that turns by no right angle."""
    upright = (1 << 16, 0, 0, 1 << 16)
    dump = next((item["displaymatrix"] for item in side_data if "displaymatrix" in item), "")
    rows = [[int(number) for number in line.split(":", 1)[1].split()] for line in dump.splitlines() if ":" in line]
    if len(rows) < 2:
        return upright
    found = (rows[0][0], rows[0][1], rows[1][0], rows[1][1])
    right_angle = sum(map(bool, found[:2])) == sum(map(bool, found[2:])) == 1 and bool(found[0]) == bool(found[3])
    return found if right_angle else upright


def _recorded(tags: Mapping[str, str]) -> str:
    """The phone's local date where there is one, else the container's (UTC); only a date that can be right."""
    for name in ("com.apple.quicktime.creationdate", "creation_time", "date"):
        try:
            found = datetime.fromisoformat(tags.get(name, "")).date()
        except ValueError:
            continue
        if date(_FIRST_VIDEO_YEAR, 1, 1) <= found <= datetime.now(UTC).date():
            return found.isoformat()
    return ""


def _rejected(name: str, why: str, hint: str, code: str) -> InputRejected:
    return InputRejected(f"{name}: {why}.", hint=hint, code=code)


def _refusal(path: Path, finished: Finished) -> InputRejected:
    """Why ffprobe would not open the file, in words."""
    name = shown_name(path)
    said = "\n".join(finished.said)
    format_name = re.search(r"^\[(\S+) @ \S+\] Format not on whitelist", said, re.MULTILINE)
    if finished.stalled:
        return _rejected(
            name, "cannot be read: the reader made no progress", "The file is damaged: copy it again or convert it.", "stalled"
        )
    if format_name and not _PLAYLISTS.isdisjoint(format_name[1].split(",")):
        return _rejected(name, f"is a playlist ({format_name[1]}), not a video", "Give the video file that it names.", "playlist")
    if format_name and (format_name[1].endswith("_pipe") or format_name[1] in {"image2", "ico"}):
        return _rejected(name, "is a still image, not a video", "Give a video or an audio file.", "still_image")
    if format_name:
        hint = "Convert it to MP4 first if it is one: ffmpeg -i FILE out.mp4."
        return _rejected(name, f"is not recognised as a video (it looks like {format_name[1]})", hint, "unsupported_format")
    if "encrypt" in said.lower():
        return _rejected(name, "is encrypted (DRM)", "Get a copy without protection.", "encrypted")
    if "moov atom not found" in said and _looks_like_mp4(path):
        return _rejected(name, "is cut short: its index is missing", "Copy or download it again, to the end.", "truncated")
    return _rejected(name, "is not a video or audio file", "Give a video, or check that it was copied whole.", "not_media")


def _looks_like_mp4(path: Path) -> bool:
    """By its first box; ffmpeg says the same of any text that is named `.mp4`."""
    with path.open("rb") as handle:
        return handle.read(8)[4:] in {b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide"}


def _nothing_to_read(name: str, header: Mapping[str, Any], said: Finished, reading: Finished) -> InputRejected:
    films = [item for item in header.get("streams", []) if item.get("codec_type") in {"video", "audio"}]
    words = "\n".join((*said.said, *reading.said)).lower()
    if any(item.get("codec_tag_string") in {"encv", "enca"} for item in films) or "encrypt" in words:
        return _rejected(name, "is encrypted (DRM)", "Get a copy without protection.", "encrypted")
    if not films:
        return _rejected(name, "holds no picture and no sound", "Give a video or an audio file.", "no_streams")
    known = [item for item in films if item.get("codec_name", "unknown") != "unknown"]
    if not known:
        tag = printable(films[0].get("codec_tag_string", "?"))
        return _rejected(name, f"uses a codec that this ffmpeg does not know ({tag})", "Convert it to H.264 first.", "unsupported_codec")
    if float(header.get("format", {}).get("duration", 0)) > 0:
        return _rejected(name, "is cut short: its content is missing", "Copy or download it again, to the end.", "truncated")
    return _rejected(name, "has no content: its length is zero", "Copy or record it again, to the end.", "zero_duration")
