"""A scene: what is on the picture in which frame, and how to draw and encode it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Final, Protocol

from PIL import Image, ImageDraw, ImageFont

__all__ = ["Box", "Edge", "Encoding", "Overlay", "Scene", "Shown", "draw_frame", "load_font"]

_VISIBLE: Final = 0.1
"""Share of its contrast from which a fading text is visible."""

Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in px."""


class Edge(StrEnum):
    """How a text comes and goes."""

    CUT = "cut"
    FADE = "fade"
    MOVING = "moving"
    """It comes into the picture, or leaves it, or moves inside it: visible while all of it is in the picture."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of text in frames `first` to `end` - 1."""

    text: str
    first: int
    end: int
    x: float
    """Left end, px, in frame `first`."""
    y: float
    """Upper edge of its tallest letters, px, in frame `first`."""
    font: str
    size: int
    """Height of the font, px."""
    ink: Colour
    outline: int = 0
    """Width of a black outline, px."""
    fade_in: int = 0
    fade_out: int = 0
    """Frames over which it comes and goes."""
    moves: tuple[float, float] = (0.0, 0.0)
    """Px to the right and down in each frame."""
    leaps: tuple[tuple[int, int], ...] = ()
    """(frame, px down) of each leap, as a terminal scrolls."""

    @property
    def edge(self) -> Edge:
        if self.moves != (0.0, 0.0) or self.leaps:
            return Edge.MOVING
        return Edge.FADE if self.fade_in or self.fade_out else Edge.CUT

    def strength(self, frame: int) -> float:
        """0 where it is not shown, 1 where it is shown in full."""
        if not self.first <= frame < self.end:
            return 0.0
        return min(1.0, (frame - self.first + 1) / (self.fade_in or 1), (self.end - frame) / (self.fade_out or 1))

    def at(self, frame: int) -> tuple[int, int]:
        """Where it stands in a frame, px."""
        passed = frame - self.first
        leapt = sum(down for when, down in self.leaps if when <= frame)
        return round(self.x + self.moves[0] * passed), round(self.y + self.moves[1] * passed) + leapt

    def box(self, frame: int) -> Box:
        """x0, y0, x1, y1 of its ink in a frame, px."""
        x, y = self.at(frame)
        x0, y0, x1, y1 = load_font(self.font, self.size).getbbox(self.text, anchor="lt")
        return x + int(x0), y + int(y0), x + int(x1), y + int(y1)

    def visible(self, frame: int, size: tuple[int, int]) -> bool:
        """Whether a person would see the whole of it in a picture of that (width, height)."""
        if self.strength(frame) < _VISIBLE:
            return False
        x0, y0, x1, y1 = self.box(frame)
        return x0 >= 0 and y0 >= 0 and x1 <= size[0] and y1 <= size[1]


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the pictures become a file."""

    codec: str
    """`libx264` or `libvpx-vp9`."""
    crf: int
    rate: Fraction
    """Frames per second, where they are evenly spaced."""
    lasting_ms: tuple[int, ...] = ()
    """How long each frame is shown where they are not; repeated as needed."""
    gop: int = 250
    fast: bool = False
    """Encode for speed rather than size, as screen recorders do."""


class Overlay(Protocol):
    """Something in front of the finished picture: a cursor, a webcam."""

    def draw(self, image: Image.Image, frame: int) -> None: ...

    def box(self, frame: int) -> Box:
        """What it covers, px."""
        ...


@dataclass(frozen=True, slots=True)
class Scene:
    """One video before it is encoded."""

    kind: str
    seed: int
    language: str
    size: tuple[int, int]
    frames: int
    texts: tuple[Shown, ...]
    ground: Callable[[int], Image.Image]
    """The picture without its texts."""
    encoding: Encoding
    still: bool = True
    """The ground is the same wherever `ground_of` is."""
    ground_of: Callable[[int], int] = lambda frame: 0
    overlays: tuple[Overlay, ...] = ()


def draw_frame(scene: Scene, frame: int, kept: dict[object, Image.Image]) -> Image.Image:
    """The picture of one frame; `kept` holds the last picture without its overlays, for the frames that look like it."""
    shown = [(text, text.strength(frame), text.at(frame)) for text in scene.texts if text.strength(frame) > 0]
    key = (scene.ground_of(frame) if scene.still else frame, tuple((id(text), strength, place) for text, strength, place in shown))
    if key not in kept:
        image = scene.ground(frame).copy()
        for text, strength, place in shown:
            _write(image, text, strength, place)
        kept.clear()
        kept[key] = image
    image = kept[key].copy() if scene.overlays else kept[key]
    for overlay in scene.overlays:
        overlay.draw(image, frame)
    return image


@cache
def load_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(name, size, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise FileNotFoundError(f"{name} is not installed: scripts/setup installs the fonts that the truth is drawn with") from error


def _write(image: Image.Image, text: Shown, strength: float, place: tuple[int, int]) -> None:
    font = load_font(text.font, text.size)
    x0, y0, x1, y1 = font.getbbox(text.text, anchor="lt", stroke_width=text.outline)
    area = (place[0] + int(x0) - 1, place[1] + int(y0) - 1, place[0] + int(x1) + 2, place[1] + int(y1) + 2)
    before = image.crop(area) if strength < 1 else None
    draw = ImageDraw.Draw(image)
    draw.text(place, text.text, font=font, fill=text.ink, anchor="lt", stroke_width=text.outline, stroke_fill=(0, 0, 0))
    if before:
        image.paste(Image.blend(before, image.crop(area), strength), area[:2])
