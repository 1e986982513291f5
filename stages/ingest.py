"""A file into a `Video`: who it is, what is delivered of it, and how long that is.

Everything after this stage reads the delivered file only. The batch needs one clear line for what cannot be read; a reader needs to know
what was changed, so each fact about the original that matters is a note on the record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from stages.damage import damaged
from stages.errors import InputRejected, StageFailed
from stages.inputs import printable, shown_name
from stages.instant import Timeline
from stages.limits import require_within
from stages.media_tool import Finished, version
from stages.probe import Picture, Probe, Sound, check_file, probe
from stages.remake import HOLE_S, Plan, can_tonemap, check, make, plan
from stages.settings import Settings
from stages.store import StageStore, file_sha256
from stages.video import AudioTrack, Video

__all__ = ["VERSION", "ingest"]

VERSION: Final = 3
"""Raised when the same file would be delivered differently, so that stored results are not used any more."""

Progress = Callable[[float], None]

_MEDIA: Final = "media.mp4"
_FACTS: Final = "ingest.json"
_NOTED_S: Final = 0.05
"""A difference in time that a reader should know about, seconds."""


def _silent(fraction: float) -> None:
    """The default of `progress`."""


def ingest(source: Path, slug: str, settings: Settings, store: StageStore, progress: Progress = _silent) -> Video:
    """Make the delivered file of `source`, or find the one made before, and describe it.

    `progress` gets fractions 0..1. Raises `InputRejected` (its message names the file, its hint the next move, its code is stable) when the
    file cannot be read, `StageFailed` when it can but no delivered file comes of it, `MissingDependency` without ffmpeg.
    """
    check_file(source)
    try:
        seen = _state(source)
        sha256 = file_sha256(source)
    except OSError as error:
        message = f"{shown_name(source)}: reading it failed ({error.strerror})."
        raise InputRejected(message, hint="Copy it to another disk and try again.", code="read_error") from error
    proxy = settings.media == "proxy"
    told = {"video": sha256, "size": "proxy" if proxy else "full", "audio_track": str(settings.audio_track), "ffmpeg": version()}
    entry = store.build(
        "ingest", store.key("ingest", VERSION, told), partial(_deliver, source, seen, proxy, settings.audio_track, progress)
    )
    progress(1.0)
    facts: dict[str, Any] = json.loads((entry / _FACTS).read_text())
    return Video(
        sha256=sha256,
        source=source,
        source_name=shown_name(source),
        slug=slug,
        media=entry / _MEDIA,
        media_sha256=facts["media_sha256"],
        timeline=Timeline(facts["duration_ms"]),
        width=facts["width"],
        height=facts["height"],
        frame_ms=facts["frame_ms"],
        audio=AudioTrack(**facts["audio"]) if facts["audio"] else None,
        recorded=facts["recorded"],
        remade=facts["remade"],
        notes=tuple(facts["notes"]),
        damaged_picture=tuple((start, end) for start, end in facts["damaged_picture"]),
        damaged_sound=tuple((start, end) for start, end in facts["damaged_sound"]),
    )


def _state(source: Path) -> tuple[int, ...]:
    """What changes when a file is replaced or written to."""
    state = source.stat()
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _require_same(source: Path, seen: tuple[int, ...]) -> None:
    """Raise `InputRejected` when the file is another than the one whose hash was taken: its result would be kept under a wrong name."""
    try:
        same = _state(source) == seen
    except OSError:
        same = False
    if not same:
        message = f"{shown_name(source)}: the file changed or went while it was read."
        raise InputRejected(message, hint="Run again when nothing writes to it any more.", code="changed")


def _deliver(source: Path, seen: tuple[int, ...], proxy: bool, audio_track: int, progress: Progress, folder: Path) -> None:
    """The stored entry: the delivered file and what is known of it."""
    try:
        _make(source, proxy, audio_track, progress, folder)
    finally:
        _require_same(source, seen)  # first: whatever else went wrong may be a consequence


def _make(source: Path, proxy: bool, audio_track: int, progress: Progress, folder: Path) -> None:
    found = probe(source, audio_track)
    require_within(shown_name(source), found)
    decided = plan(source, found, proxy=proxy)
    errors = 0
    if decided.copies:
        errors = _errors(found, check(source, decided, lambda fraction: progress(fraction / 2)))
    # A copy of something damaged stays damaged; and one may not come out as it must, because the header promised too much.
    attempts = [decided, decided.encoding_all()] if decided.copies and not errors else [decided.encoding_all()]
    for attempt in attempts:
        finished = make(source, folder / _MEDIA, attempt, lambda fraction: progress((1 + fraction) / 2))
        made = _verified(folder / _MEDIA, attempt, finished)
        if made is not None:
            errors += _errors(found, finished)
            facts = _facts(folder / _MEDIA, found, attempt, made) | {
                "notes": list(_notes(found, attempt, errors)),
                "damaged_picture": _damage(source, attempt.picture, attempt, made) if errors else [],
                "damaged_sound": _damage(source, attempt.sound, attempt, made) if errors else [],
            }
            (folder / _FACTS).write_text(json.dumps(facts, indent=1))
            return
    raise _not_made(source, finished)


def _errors(found: Probe, finished: Finished) -> int:
    """Complaints about the streams that are used."""
    return max(0, finished.complaints - found.complaints) + (not finished.ok)


def _verified(target: Path, decided: Plan, finished: Finished) -> Probe | None:
    """The made file as its packets tell it; None unless it holds what was planned, upright, and starts at 0."""
    if not finished.ok:
        return None
    try:
        made = probe(target)
    except InputRejected:
        return None
    if (made.picture is None, made.sound is None) != (decided.picture is None, decided.sound is None):
        return None
    good = made.sound is None or (abs(min(made.sound.packets.starts)) <= _NOTED_S and made.sound.packets.steady())
    if made.picture and decided.picture:
        shown = made.picture.shown_size == decided.size and not made.picture.turned
        whole = not decided.copy_picture or len(made.picture.packets) == len(decided.picture.packets)
        good = good and shown and whole and abs(min(made.picture.packets.starts)) < 0.0005
    return made if good else None


def _not_made(source: Path, finished: Finished) -> StageFailed:
    name, hint = shown_name(source), "Convert it to MP4 first and give that."
    if finished.stalled:
        return StageFailed(f"{name}: decoding it made no progress and was ended.", hint=hint, code="stalled")
    if any("No space left on device" in line for line in finished.said):
        hint = "Free some, or point FRAME_ORACLE_CACHE to another disk."
        return StageFailed(f"{name}: the disk of the cache is full.", hint=hint, code="disk_full")
    why = printable(finished.said[-1])[:200] if finished.said else "ffmpeg gave no reason"
    return StageFailed(f"{name}: no playable file could be made of it ({why}).", hint=hint, code="not_made")


def _damage(source: Path, stream: Picture | Sound | None, decided: Plan, made: Probe) -> list[tuple[int, int]]:
    """Where a stream of the original is damaged, ms on the made file."""
    if stream is None:
        return []
    end = max(item.packets.end for item in (made.picture, made.sound) if item)
    spans = [(max(0.0, start - decided.zero_s), min(end, stop - decided.zero_s)) for start, stop in damaged(source, stream)]
    return [(round(start * 1000), round(stop * 1000)) for start, stop in spans if start < stop]


def _facts(target: Path, found: Probe, decided: Plan, made: Probe) -> dict[str, Any]:
    """What the record of the video takes from the made file, which is the one that counts, and from the original."""
    picture, sound = made.picture, decided.sound
    ends = [item.packets.end for item in (picture, made.sound) if item]
    return {
        "media_sha256": file_sha256(target),
        "duration_ms": round(max(ends) * 1000),
        "width": picture.width if picture else 0,
        "height": picture.height if picture else 0,
        "frame_ms": picture.packets.usual_step() * 1000 if picture else 0.0,
        "audio": {"index": sound.place, "count": sound.count, "language": sound.language, "codec": sound.codec} if sound else None,
        "recorded": found.recorded,
        "remade": not (decided.copy_picture or picture is None) or not (decided.copy_sound or sound is None),
    }


def _notes(found: Probe, decided: Plan, errors: int) -> Iterator[str]:
    """Stable words for what a reader should know of the original."""
    picture, sound = decided.picture, decided.sound
    chosen = [item for item in (picture, sound) if item]
    if abs(min(min(item.packets.starts) for item in chosen)) > _NOTED_S:
        yield "start_offset"
    if picture:
        facts = {
            "edit_list": picture.packets.hidden > 0,
            "rotated": picture.turned,
            "non_square_pixels": picture.aspect != 1,
            "interlaced": picture.interlaced,
            "hdr": picture.hdr and can_tonemap(),
            "hdr_not_tonemapped": picture.hdr and not can_tonemap(),
            "scaled_down": decided.scaled,
            "variable_frame_rate": picture.packets.longest_step() > 1.4 * picture.packets.usual_step(),
            "picture_starts_late": decided.picture_s - decided.zero_s > _NOTED_S,
            "several_pictures": found.pictures > 1,
        }
        yield from (word for word, holds in facts.items() if holds)
    if sound:
        facts = {
            "sound_starts_late": decided.sound_s - decided.zero_s > _NOTED_S,
            "sound_has_holes": sound.packets.longest_step() - sound.packets.usual_step() > HOLE_S,
            "several_sounds": sound.count > 1,
        }
        yield from (word for word, holds in facts.items() if holds)
    lost = (found.picture is not picture and "picture_undecodable", found.sounds > 0 and sound is None and "sound_undecodable")
    yield from (word for word in lost if word)
    if errors:
        yield "decode_errors"
