"""Pictures that prove a read claim where no player is at hand: the frame with the text boxed, the text's pixels, the words' sound.

They are drawn from the delivered file at the very instant that the link opens, in the same pass as the self-test of the link, and
scaled once: the page and the paper embed the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from stages.audio import Sound
from stages.claim import READ, ReadClaim
from stages.deep_link import quoted_span
from stages.evidence import Box, Channel
from stages.figure import waveform
from stages.instant import Span, Timeline
from stages.link_check import OpenedLink, pixels
from stages.view import Proof

__all__ = ["make_proofs"]

_FRAME: Final = (480, 480)
"""The frame inside the report, px: printed 48 mm wide, some 250 to the inch."""
_PICTURE: Final = (1280, 1280)
"""The frame of `proof/cNNNN.jpg`."""
_STRIP: Final = (900, 120)
_STRIP_MARGIN: Final = 0.4
_WAVE: Final = (640, 120)
_PEAKS: Final = 120
_AROUND_MS: Final = 600
"""Sound shown before and after the quoted words."""
_BLUE: Final = (11, 79, 156)
_WHITE: Final = (255, 255, 255)
_WORDS: Final = (207, 226, 248)
_LATIN_TO_CYRILLIC: Final = 0x0530
"""Letters below this are in the font that pictures are lettered with."""


def make_proofs(links: Iterable[OpenedLink], timeline: Timeline, tick: Callable[[str], None]) -> Mapping[str, Proof]:
    """The proof of each opened link, by claim code; `tick` is called with the code when one is drawn."""
    proofs = {}
    for link in links:
        spoken = READ[link.claim.base] is Channel.FALA
        proofs[link.claim.id] = _speech_proof(link, timeline) if spoken else _screen_proof(link)
        tick(link.claim.id)
    return proofs


def _screen_proof(link: OpenedLink) -> Proof:
    if link.image is None:
        return Proof(link.check)
    box = next(item for item in link.claim.evidence if link.claim.instant in item.span).box
    picture = Image.fromarray(link.image)
    if box is None:
        return Proof(link.check, _jpeg(_scaled(picture, _PICTURE)), _jpeg(_scaled(picture, _FRAME)))
    strip = _strip(link.image, box)
    whole = _stacked([_boxed(picture, box, _PICTURE), strip])
    return Proof(link.check, _jpeg(whole), _jpeg(_boxed(picture, box, _FRAME)), _jpeg(strip))


def _speech_proof(link: OpenedLink, timeline: Timeline) -> Proof:
    words = quoted_span(link.claim)
    heard = timeline.span(max(0, words.start.ms - _AROUND_MS), min(timeline.duration_ms, words.end.ms + _AROUND_MS))
    peaks = _peaks(link.sound, heard) if link.sound else ()
    frame = _scaled(Image.fromarray(link.image), _PICTURE) if link.image is not None else None
    parts = [part for part in (frame, _wave_picture(peaks, heard, words, link.claim) if peaks else None) if part is not None]
    return Proof(
        link.check,
        picture=_jpeg(_stacked(parts)) if parts else b"",
        frame=_jpeg(_scaled(Image.fromarray(link.image), _FRAME)) if link.image is not None else b"",
        wave=waveform(peaks, heard, words) if peaks else None,
    )


def _scaled(picture: Image.Image, limit: tuple[int, int]) -> Image.Image:
    """Fitted into `limit`, never enlarged."""
    scale = min(1.0, limit[0] / picture.width, limit[1] / picture.height)
    return picture.resize((max(1, round(picture.width * scale)), max(1, round(picture.height * scale))), Image.Resampling.LANCZOS)


def _boxed(picture: Image.Image, box: Box, limit: tuple[int, int]) -> Image.Image:
    """The frame with the text framed in blue on white, so that it shows on any ground."""
    scaled = _scaled(picture, limit)
    draw = ImageDraw.Draw(scaled)
    corners = pixels(box, np.asarray(scaled), 0.2)
    for grow, colour in ((3, _WHITE), (2, _BLUE), (1, _BLUE), (0, _BLUE)):
        x0, y0, x1, y1 = corners
        draw.rectangle((x0 - grow, y0 - grow, x1 - 1 + grow, y1 - 1 + grow), outline=colour)
    return scaled


def _strip(image: NDArray[np.uint8], box: Box) -> Image.Image:
    x0, y0, x1, y1 = pixels(box, image, _STRIP_MARGIN)
    return _scaled(Image.fromarray(image[y0:y1, x0:x1]), _STRIP)


def _peaks(sound: Sound, heard: Span) -> tuple[float, ...]:
    """The loudest sample of each of `_PEAKS` stretches, against the loudest of all."""
    samples = np.abs(sound.read(heard.start.ms, heard.end.ms))
    if samples.size < _PEAKS or not samples.any():
        return ()
    loudest = np.array([part.max() for part in np.array_split(samples, _PEAKS)])
    return tuple(round(float(peak), 3) for peak in loudest / loudest.max())


def _wave_picture(peaks: tuple[float, ...], heard: Span, words: Span, claim: ReadClaim) -> Image.Image:
    width, height = _WAVE
    picture = Image.new("RGB", (width, height + 40), _WHITE)
    draw = ImageDraw.Draw(picture)
    left, right = ((edge.ms - heard.start.ms) * width / max(heard.length_ms, 1) for edge in (words.start, words.end))
    draw.rectangle((left, 0, max(right, left + 2), height), fill=_WORDS)
    step = width / len(peaks)
    for index, peak in enumerate(peaks):
        half = peak * (height / 2 - 4)
        draw.rectangle((index * step, height / 2 - half, (index + 0.7) * step, height / 2 + half + 1), fill=_BLUE)
    if all(ord(letter) < _LATIN_TO_CYRILLIC for letter in claim.quote):
        draw.text((8, height + 8), claim.quote, fill=(23, 32, 43), font=ImageFont.load_default(20))
    return picture


def _stacked(parts: list[Image.Image]) -> Image.Image:
    gap = 12
    size = max(part.width for part in parts), sum(part.height for part in parts) + gap * (len(parts) - 1)
    whole = Image.new("RGB", size, _WHITE)
    top = 0
    for part in parts:
        whole.paste(part, (0, top))
        top += part.height + gap
    return whole


def _jpeg(picture: Image.Image) -> bytes:
    """Without chroma subsampling, which blurs coloured letters."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80, subsampling=0, optimize=True)
    return buffer.getvalue()
