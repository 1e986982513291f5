"""Small flat drawings for the slides, made of shapes so that no picture of anyone else is needed.

Every function draws into a square of 360 x 360 units whose scale the caller's `Pen` applies. None holds letters or figures: an OCR
engine must find on a slide exactly the texts of the scene.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PIL import ImageDraw

__all__ = ["DRAWINGS", "Palette", "Pen"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as #rrggbb."""

    background: str
    ink: str
    accent: str
    tint: str
    warm: str


@dataclass(frozen=True, slots=True)
class Pen:
    """Shapes in units of the slide, drawn `scale` times larger to be smoothed later."""

    draw: ImageDraw.ImageDraw
    scale: int
    x: int = 0
    y: int = 0

    def _at(self, points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        return [((self.x + px) * self.scale, (self.y + py) * self.scale) for px, py in points]

    def box(self, x0: float, y0: float, x1: float, y1: float, fill: str, radius: float = 0) -> None:
        """A filled rectangle."""
        self.draw.rounded_rectangle(self._at([(x0, y0), (x1, y1)]), radius * self.scale, fill=fill)

    def disc(self, cx: float, cy: float, r: float, fill: str) -> None:
        """A filled circle."""
        self.draw.ellipse(self._at([(cx - r, cy - r), (cx + r, cy + r)]), fill=fill)

    def line(self, points: Sequence[tuple[float, float]], fill: str, width: float) -> None:
        """A line with round joints and ends."""
        self.draw.line(self._at(points), fill=fill, width=round(width * self.scale), joint="curve")
        for px, py in (points[0], points[-1]):
            self.disc(px, py, width / 2, fill)

    def shape(self, points: Sequence[tuple[float, float]], fill: str) -> None:
        """A filled polygon."""
        self.draw.polygon(self._at(points), fill=fill)


def _bread(pen: Pen, colours: Palette) -> None:
    for left in (130, 180, 230):
        wave = [(left + 9 * math.sin(step / 4), 110 - 3 * step) for step in range(21)]
        pen.line(wave, colours.background, 9)
    pen.box(50, 262, 310, 284, colours.ink, 11)
    pen.box(76, 170, 284, 262, colours.warm, 30)
    pen.box(64, 138, 296, 212, colours.accent, 37)
    for left in (110, 165, 220):
        pen.line([(left, 192), (left + 32, 158)], colours.background, 10)


def _plan(pen: Pen, colours: Palette) -> None:
    pen.box(64, 78, 296, 290, colours.background, 18)
    pen.box(64, 78, 296, 128, colours.accent, 18)
    pen.box(64, 108, 296, 128, colours.accent)
    for left in (120, 240):
        pen.line([(left, 64), (left, 92)], colours.ink, 12)
    for row in range(3):
        for column in range(4):
            marked = (row, column) == (1, 2)
            x, y = 88 + 49 * column, 150 + 44 * row
            pen.box(x, y, x + 36, y + 28, colours.warm if marked else colours.tint, 7)


def _wheel(pen: Pen, colours: Palette) -> None:
    pen.disc(180, 180, 138, colours.ink)
    pen.disc(180, 180, 98, colours.background)
    pen.disc(180, 180, 84, colours.accent)
    corners = [(180 + 56 * math.sin(a), 180 - 56 * math.cos(a)) for a in (2 * math.pi * n / 5 for n in range(5))]
    star = [corners[n * 2 % 5] for n in range(6)]
    pen.line(star, colours.tint, 5)
    for x, y in corners:
        pen.disc(x, y, 17, colours.background)
        pen.disc(x, y, 10, colours.warm)


def _lift(pen: Pen, colours: Palette) -> None:
    pen.box(84, 52, 276, 308, colours.ink, 16)
    pen.box(108, 92, 252, 308, colours.background)
    pen.box(108, 92, 176, 308, colours.accent)
    pen.box(184, 92, 252, 308, colours.accent)
    pen.shape([(164, 80), (180, 60), (196, 80)], colours.warm)
    pen.box(160, 180, 168, 224, colours.tint, 4)
    pen.box(192, 180, 200, 224, colours.tint, 4)
    pen.box(60, 308, 300, 320, colours.warm, 6)


DRAWINGS: dict[str, Callable[[Pen, Palette], None]] = {
    "bakery": _bread,
    "office": _plan,
    "workshop": _wheel,
    "notice": _lift,
}
