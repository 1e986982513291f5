"""The screen channel: every text that the picture shows, from the frame in which it appears to the one in which it is gone.

How frames become lines is told in `stages/scan.py` and what it uses. Here lines become evidence, and the stage says what it could not
read: frames that do not decode are unread stretches, and an engine that breaks ends the reading where it broke.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from stages.engines.screen_reader import EngineFailed, ScreenReader, identify_reader, open_reader
from stages.evidence import Box, Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, evidence_id
from stages.frames import Frame, decode, picture_end
from stages.line import Sighting
from stages.scan import Scan
from stages.settings import Settings
from stages.shots import Shot, ShotFinder
from stages.store import StageStore, read_evidence, write_evidence
from stages.video import Video

__all__ = ["VERSION", "read_screen"]

VERSION: Final = 7
"""Raised when the same video would be read differently, so that stored results are not used any more."""

Progress = Callable[[float], None]

_FILE: Final = "screen.parquet"
_SHOTS: Final = "shots"
"""What finds the frames to look at, as evidence names it."""
_TRUSTED: Final = 0.6
_SURE: Final = 0.95
"""Confidence from which a reading can carry a claim, and a single digit can."""
_PROMISED_MS: Final = 200
"""The shortest time on the screen for which a text is promised to be read."""


def _silent(fraction: float) -> None:
    """The default of `progress`."""


class _Unfinished(Exception):
    """The engine broke, and may not break again: what was read is used, and not kept."""

    def __init__(self, evidence: EvidenceSet) -> None:
        super().__init__()
        self.evidence = evidence


def read_screen(video: Video, settings: Settings, store: StageStore, progress: Progress = _silent) -> EvidenceSet:
    """The screen's evidence of one video with its coverage, made or found in `store`. `progress` gets fractions 0..1.

    Raises `MissingDependency` or `MissingModel` where the engine is not installed, `StageFailed` where the file cannot be opened.
    """
    if not video.has_picture:
        return _evidence_set(video, (), Coverage(Channel.TELA, CoverageState.COMPLETE, reason="no_video_stream"))
    engine, model = identify_reader(settings)
    key = store.key("screen", VERSION, {"video": video.sha256, "media": video.media_sha256, "engine": engine, "model": model})

    def make(folder: Path) -> None:
        write_evidence(folder / _FILE, _read(video, open_reader(settings), progress))

    try:
        entry = store.build("screen", key, make)
    except _Unfinished as unfinished:
        return unfinished.evidence
    progress(1.0)
    return read_evidence(entry / _FILE)


def _read(video: Video, reader: ScreenReader, progress: Progress) -> EvidenceSet:
    """Raises `_Unfinished` where the engine breaks."""
    unread: list[tuple[int, int]] = []
    scan, shots = Scan(reader, video.frame_ms), ShotFinder()
    end = max(1, video.timeline.duration_ms)

    def lost(start: int, stop: int) -> None:
        unread.append((start, stop))
        scan.pause(start)
        shots.pause(start)

    try:
        for frame in _true(decode(video.media, on_unread=lost), video.damaged_picture, lost):
            scan.step(frame)
            shots.step(frame.ms, frame.luma, changed=scan.changed)
            progress(min(1.0, frame.ms / end))
        unread.sort()
        shown_until = min(end, max(picture_end(video.media), scan.reached_ms + round(video.frame_ms)))
        dark_from = unread[-1][0] if unread and unread[-1][0] > scan.reached_ms else shown_until
        sightings = scan.finish(dark_from)
    except EngineFailed as failure:
        read = _evidence_of(video, reader, scan.abandon(), shots.finish(scan.reached_ms))
        coverage = _incomplete(video, [*unread, (scan.unread_from_ms, end)], "engine_failed", failure.message)
        raise _Unfinished(_evidence_set(video, read, coverage)) from failure
    read = _evidence_of(video, reader, sightings, shots.finish(dark_from))
    if unread:
        return _evidence_set(video, read, _incomplete(video, unread, "decode_error", f"{len(unread)} stretches do not decode"))
    reason = "" if any(item.quotable for item in read) else "no_text"
    return _evidence_set(video, read, Coverage(Channel.TELA, CoverageState.COMPLETE, reason=reason))


def _true(frames: Iterable[Frame], damaged: Sequence[tuple[int, int]], lost: Callable[[int, int], None]) -> Iterator[Frame]:
    """The frames that are as the original has them; `lost` is told of each stretch of `damaged` when it is reached."""
    coming, wrong_until = deque(damaged), 0
    for frame in frames:
        while coming and coming[0][0] <= frame.ms:
            lost(*coming[0])
            wrong_until = coming.popleft()[1]
        if frame.ms >= wrong_until:
            yield frame
    for stretch in coming:
        lost(*stretch)


def _incomplete(video: Video, unread: Sequence[tuple[int, int]], reason: str, detail: str) -> Coverage:
    end = video.timeline.duration_ms
    spans = tuple(video.timeline.span(min(start, end), min(stop, end)) for start, stop in sorted(unread))
    nothing = spans[0].start.ms == 0 and spans[0].end.ms >= end
    return Coverage(Channel.TELA, CoverageState.FAILED if nothing else CoverageState.PARTIAL, spans, reason, detail)


def _evidence_set(video: Video, items: Sequence[Evidence], coverage: Coverage) -> EvidenceSet:
    return EvidenceSet.joined(video.sha256, video.timeline, [(items, coverage)])


def _evidence_of(video: Video, reader: ScreenReader, lines: Sequence[Sighting], shots: Sequence[Shot]) -> tuple[Evidence, ...]:
    """What is written, then what is visible."""
    writes_ideographs = any(sum(map(_is_ideograph, line.text)) > 1 for line in lines)
    written = [
        Evidence(
            id=evidence_id(Channel.TELA, number),
            channel=Channel.TELA,
            kind=Kind.TEXT,
            span=video.timeline.span(line.start_ms, line.end_ms),
            instant=video.timeline.instant(line.instant_ms),
            text=line.text,
            confidence=line.confidence,
            engine=reader.name,
            model=reader.model,
            video_sha256=video.sha256,
            box=Box(*line.box),
            distrust_reason=_distrust(line, writes_ideographs),
        )
        for number, line in enumerate(lines, 1)
    ]
    visible = [
        Evidence(
            id=evidence_id(Channel.TELA, number),
            channel=Channel.TELA,
            kind=Kind.FRAME,
            span=video.timeline.span(shot.start_ms, shot.end_ms),
            instant=video.timeline.instant(shot.instant_ms),
            text="",
            confidence=1.0,
            engine=_SHOTS,
            model="",
            video_sha256=video.sha256,
        )
        for number, shot in enumerate(shots, len(written) + 1)
    ]
    return (*written, *visible)


def _distrust(line: Sighting, writes_ideographs: bool) -> str:
    """Why a line is not believed: the reader was unsure, or took an icon for a sign that stands alone. A digit alone is a value, where it
    is read surely and stays."""
    if line.confidence < _TRUSTED:
        return "low_confidence"
    stays = line.confidence >= _SURE and line.end_ms - line.start_ms >= _PROMISED_MS
    means_something = (line.text.isdigit() and stays) or (writes_ideographs and _is_ideograph(line.text[0]))
    return "" if len(line.text) > 1 or means_something else "lone_sign"


def _is_ideograph(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith("CJK UNIFIED")
