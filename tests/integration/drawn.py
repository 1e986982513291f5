"""Small clips with known texts, drawn frame by frame, and the `Video` records that go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from stages.frames import frame_times
from stages.instant import Timeline
from stages.store import file_sha256
from stages.video import Video

SIZE = (640, 360)
Backdrop = Callable[[int], Image.Image]
Pointer = Callable[[int], tuple[int, int] | None]


@dataclass(frozen=True)
class Text:
    """A text that is drawn in frames `first` to `end` - 1."""

    text: str
    first: int
    end: int
    y: int = 60
    x: int = 40
    size: int = 28
    shade: int = 20
    fade: int = 0
    """Frames over which it fades in, and out."""

    def strength(self, frame: int) -> float:
        if not self.first <= frame < self.end:
            return 0.0
        return min(1.0, (frame - self.first + 1) / (self.fade or 1), (self.end - frame) / (self.fade or 1))


def plain(shade: int = 240) -> Backdrop:
    return lambda frame: Image.new("RGB", SIZE, (shade,) * 3)


def scenery() -> Backdrop:
    """A coloured picture that pans, 3 px to the right and 2 px down each frame."""
    blobs = np.random.default_rng(7).integers(0, 255, (36, 64, 3), np.uint8)
    wide = Image.fromarray(blobs).resize((2 * SIZE[0], 2 * SIZE[1]), Image.Resampling.BICUBIC)
    return lambda frame: wide.crop((3 * frame, 2 * frame, 3 * frame + SIZE[0], 2 * frame + SIZE[1]))


def draw_clip(
    path: Path,
    frames: int,
    texts: Sequence[Text] = (),
    *,
    fps: int = 25,
    backdrop: Backdrop | None = None,
    pointer: Pointer | None = None,
    outlined: bool = False,
    crf: int = 23,
    gop: int = 250,
) -> Video:
    """Draw and encode (H.264, MP4, starts at 0) a clip of so many frames; its `Video` record."""
    background = backdrop or plain()
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps), options={"crf": str(crf), "g": str(gop), "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for frame in range(frames):
            image = background(frame).copy()
            for text in texts:
                image = _with_text(image, text, text.strength(frame), outlined)
            if pointer and (tip := pointer(frame)):
                _point(image, *tip)
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())
    return video_of(path, round(1000 * frames / fps))


def video_of(path: Path, duration_ms: int | None = None) -> Video:
    """The record of a file that is delivered as it is."""
    with av.open(str(path)) as container:
        picture = container.streams.video[0]
        width, height = picture.width, picture.height
        length = round((container.duration or 0) / 1000)
    times = frame_times(path)
    sha256 = file_sha256(path)
    return Video(
        sha256=sha256,
        source=path,
        source_name=path.name,
        slug="drawn",
        media=path,
        media_sha256=sha256,
        timeline=Timeline(duration_ms or length),
        width=width,
        height=height,
        frame_ms=float(np.diff(times).mean()),
        audio=None,
        recorded="",
        remade=False,
    )


def _with_text(image: Image.Image, text: Text, strength: float, outlined: bool) -> Image.Image:
    if strength <= 0:
        return image
    written = image.copy()
    ImageDraw.Draw(written).text(
        (text.x, text.y),
        text.text,
        font=ImageFont.load_default(text.size),
        fill=(text.shade,) * 3,
        stroke_width=2 if outlined else 0,
        stroke_fill=(0, 0, 0),
    )
    return Image.blend(image, written, strength)


def _point(image: Image.Image, x: int, y: int) -> None:
    """A mouse cursor with its tip at x, y."""
    outline = [(0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12)]
    ImageDraw.Draw(image).polygon([(x + right, y + down) for right, down in outline], fill=(255, 255, 255), outline=(0, 0, 0))
