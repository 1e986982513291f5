"""The self-test of links: the delivered media is decoded at each claim's instant and what is there is compared with what was claimed.

A link that opens the wrong instant looks like proof and disproves the report. So nothing that the pipeline believes about a time is
taken over: the file that the reader will get is opened where the link points, the text is read again, the words are looked for in the
sound. The same test runs when a bundle is made and whenever somebody verifies it.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from stages.audio import Sound, decode_sound
from stages.claim import READ, ReadClaim
from stages.deep_link import LinkCheck, quoted_span
from stages.engines.screen_reader import EngineFailed, ScreenReader
from stages.errors import StageFailed
from stages.evidence import Box, Channel, Evidence, Kind
from stages.frames import frame_at
from stages.instant import Timeline

__all__ = ["SAME_TEXT", "OpenedLink", "open_links", "pixels"]

SAME_TEXT: Final = 90.0
"""Similarity, 0..100, from which the text that is read again is the quoted text."""
_SILENCE: Final = 0.001
"""-60 dBFS: words are louder than that at least once."""
_LEAST_HEARD_MS: Final = 200
"""A word's own span can be a few ms long; that much around its start is listened to."""
_MARGIN: Final = 0.15
"""Share of a box's height that is read around it: recognisers want some air."""


@dataclass(frozen=True, slots=True)
class OpenedLink:
    """The delivered media at one claim's instant."""

    claim: ReadClaim
    image: NDArray[np.uint8] | None
    """The frame a player shows there, (height, width, 3) RGB; None without a picture."""
    sound: Sound | None
    """The whole sound; None without one, or where it cannot be decoded."""
    check: LinkCheck


def open_links(media: Path, timeline: Timeline, claims: Sequence[ReadClaim], reader: Callable[[], ScreenReader]) -> Iterator[OpenedLink]:
    """Each claim's link, opened and tested, in order of time. `reader` is called only when there is a text to read.

    The sound of an opened link can be read until the next one is asked for.
    """
    with tempfile.TemporaryDirectory(prefix="frame-oracle-") as folder:
        spoken = any(READ[claim.base] is Channel.FALA for claim in claims)
        sound = _sound(media, Path(folder) / "sound") if spoken else None
        opened: ScreenReader | None = None
        shown, image = -1, None  # lines of one screen share their frame
        for claim in sorted(claims, key=lambda claim: (claim.instant, claim.id)):
            if claim.instant.ms != shown:
                shown, image = claim.instant.ms, _image(media, claim.instant.ms)
            if READ[claim.base] is Channel.FALA:
                check = _check_speech(claim, sound, timeline)
            elif image is None:
                check = LinkCheck("no_frame")
            else:
                opened = opened or reader()
                check = _check_screen(claim, image, opened)
            yield OpenedLink(claim, image, sound, check)


def pixels(box: Box, image: NDArray[np.uint8], margin: float) -> tuple[int, int, int, int]:
    """x0, y0, x1, y1 of `box` in `image`, px, wider by `margin` of its height on each side, inside the image."""
    height, width = image.shape[:2]
    air = margin * (box.y1 - box.y0) * height
    x0, y0 = max(0, round(box.x0 * width - air)), max(0, round(box.y0 * height - air))
    return x0, y0, min(width, max(x0 + 1, round(box.x1 * width + air))), min(height, max(y0 + 1, round(box.y1 * height + air)))


def _sound(media: Path, into: Path) -> Sound | None:
    try:
        return decode_sound(media, into)
    except StageFailed:
        return None  # each spoken claim's check says so


def _image(media: Path, ms: int) -> NDArray[np.uint8] | None:
    try:
        return frame_at(media, ms).image
    except StageFailed:
        return None  # each screen claim's check says so


def _check_speech(claim: ReadClaim, sound: Sound | None, timeline: Timeline) -> LinkCheck:
    if sound is None:
        return LinkCheck("undecodable")
    words = quoted_span(claim)
    if not any(words.start in item.span and words.end in item.span for item in claim.evidence):
        return LinkCheck("outside_speech", f"the words are at {words.start} to {words.end}")
    heard = sound.read(words.start.ms, max(words.end.ms, min(words.start.ms + _LEAST_HEARD_MS, timeline.duration_ms)))
    peak = float(np.abs(heard).max(initial=0.0))
    return LinkCheck(detail=f"peak {peak:.4f}") if peak >= _SILENCE else LinkCheck("silent", f"peak {peak:.4f}")


def _check_screen(claim: ReadClaim, image: NDArray[np.uint8], reader: ScreenReader) -> LinkCheck:
    item = next(item for item in claim.evidence if claim.instant in item.span)
    if item.kind is Kind.FRAME:
        return LinkCheck(detail="the frame is there")
    wanted = claim.quote if claim.quote in item.text else item.text
    best, found = 0.0, ""
    try:
        for text in _readings(item, image, reader):
            similarity = _similarity(wanted, text)
            if similarity >= best:
                best, found = similarity, text
            if similarity >= SAME_TEXT:
                return LinkCheck(detail=f"{similarity / 100:.2f}: {text}")
    except EngineFailed as error:
        return LinkCheck("undecodable", str(error))
    return LinkCheck("text_differs", f"{best / 100:.2f}: {found}")


def _readings(item: Evidence, image: NDArray[np.uint8], reader: ScreenReader) -> Iterator[str]:
    """What stands in the evidence's box: read as one line, which is quick; then as the whole frame was read."""
    if item.box is None:
        yield " ".join(line.text for line in reader.read(image))
        return
    x0, y0, x1, y1 = pixels(item.box, image, _MARGIN)
    yield reader.recognise([image[y0:y1, x0:x1]])[0][0]
    yield " ".join(
        line.text for line in reader.read(image) if line.box[0] < x1 and line.box[2] > x0 and line.box[1] < y1 and line.box[3] > y0
    )


def _similarity(wanted: str, found: str) -> float:
    """0..100: how much of `wanted` is in `found`; spacing, which recognisers make up, does not count."""
    wanted, found = (("".join(unicodedata.normalize("NFKC", text).split())) for text in (wanted, found))
    return fuzz.partial_ratio(wanted, found) if len(found) >= len(wanted) else fuzz.ratio(wanted, found)
