"""Draws a slide and says where each of its texts lies.

One layout pass places every text, also those that come later, so that a line that appears leaves the others untouched to the pixel:
the truth of a "line added to a slide" depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from scripts.samples.art import DRAWINGS, Palette, Pen
from scripts.samples.scene import Slide

__all__ = ["HEIGHT", "WIDTH", "Text", "draw_slide", "lay_out"]

WIDTH, HEIGHT = 1280, 720
SMOOTHING = 3
LEFT = 88
RIGHT = 1192
PANEL_LEFT = 792
FONT = "NotoSans-{weight}.ttf"

THEMES = {
    "bakery": Palette(background="#fbf7f0", ink="#33261d", accent="#b3541e", tint="#f3e2cc", warm="#e0a458"),
    "office": Palette(background="#f6f8fb", ink="#1b2836", accent="#1f5fa8", tint="#d9e5f3", warm="#f0a63c"),
    "workshop": Palette(background="#f5f8f5", ink="#1c2b25", accent="#1f6f54", tint="#d5e8de", warm="#e3a33b"),
    "notice": Palette(background="#f8f6fb", ink="#2a2140", accent="#5d4096", tint="#e4dbf2", warm="#efa94a"),
}


@dataclass(frozen=True, slots=True)
class Style:
    """How one kind of text is set."""

    size_px: int
    weight: str
    colour: str  # a field of Palette


STYLES = {
    "header": Style(22, "Bold", "accent"),
    "title": Style(56, "Bold", "ink"),
    "body": Style(36, "Regular", "ink"),
    "value": Style(58, "Bold", "accent"),
    "label": Style(26, "Regular", "ink"),
    "caption": Style(30, "Bold", "background"),
    "footnote": Style(16, "Regular", "ink"),
    "toast": Style(26, "Bold", "background"),
}


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text on a slide."""

    text: str
    kind: str  # a key of STYLES
    x: int  # pixels, left end of the baseline
    y: int  # pixels, the baseline
    comes: str = "slide"  # "slide", "added" or "toast": with what it appears

    def box(self) -> tuple[int, int, int, int]:
        """x0, y0, x1, y1 of its ink in pixels."""
        x0, y0, x1, y1 = _font(self.kind).getbbox(self.text, anchor="ls")
        return self.x + int(x0), self.y + int(y0), self.x + int(x1), self.y + int(y1)


def lay_out(header: str, slide: Slide) -> tuple[Text, ...]:
    """Every text of the slide, also the ones that come later, in reading order."""
    texts = [Text(header, "header", LEFT, 84)]
    if slide.toast:
        texts.append(Text(slide.toast.text, "toast", _toast_left(slide.toast.text), 82, "toast"))
    cover = slide.layout == "cover"
    texts.append(Text(slide.title, "title", LEFT, 236 if cover else 164))
    top, step = (336, 54) if cover else (266, 66)
    indent = 34 if slide.layout == "list" else 0
    texts += [Text(line, "body", LEFT + indent, top + step * row) for row, line in enumerate(slide.body)]
    if slide.added:
        texts.append(Text(slide.added.text, "body", LEFT + indent, top + step * len(slide.body), "added"))
    for card, (x0, _, _, _) in zip(slide.cards, _card_boxes(slide), strict=True):
        texts.append(Text(card.value, "value", x0 + 40, 352))
        texts.append(Text(card.label, "label", x0 + 40, 418))
    texts.append(Text(slide.caption, "caption", LEFT, 631))
    if slide.footnote:
        texts.append(Text(slide.footnote, "footnote", LEFT, 697))
    if slide.layout != "cards":
        for text in texts:
            if text.kind in ("title", "body") and text.box()[2] > PANEL_LEFT - 32:
                raise ValueError(f"{text.text!r} runs into the drawing: shorten it")
    return tuple(texts)


def draw_slide(theme: str, slide: Slide, texts: tuple[Text, ...], position: tuple[int, int]) -> Image.Image:
    """The slide with the given texts of its layout visible; `position` is (index, count) among the slides."""
    palette = THEMES[theme]
    large = Image.new("RGB", (WIDTH * SMOOTHING, HEIGHT * SMOOTHING), palette.background)
    _shapes(Pen(ImageDraw.Draw(large), SMOOTHING), theme, slide, texts, position)
    image = large.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    draw = ImageDraw.Draw(image)
    for text in texts:
        colour = getattr(palette, STYLES[text.kind].colour)
        draw.text((text.x, text.y), text.text, font=_font(text.kind), fill=colour, anchor="ls")
    return image


def _shapes(pen: Pen, theme: str, slide: Slide, texts: tuple[Text, ...], position: tuple[int, int]) -> None:
    palette = THEMES[theme]
    pen.box(0, 0, 16, HEIGHT, palette.accent)
    pen.box(16, 586, WIDTH, 654, palette.ink)
    pen.box(16, 586, 24, 654, palette.warm)
    index, count = position
    for n in range(count):
        right = RIGHT - 44 * (count - 1 - n)
        pen.box(right - 32, 686, right, 692, palette.accent if n <= index else palette.tint, 3)
    if slide.layout == "cards":
        for x0, y0, x1, y1 in _card_boxes(slide):
            pen.box(x0, y0, x1, y1, palette.tint, 22)
            pen.box(x0, y0 + 40, x0 + 8, y1 - 40, palette.accent, 4)
    else:
        pen.box(PANEL_LEFT, 128, RIGHT, 528, palette.tint, 28)
        DRAWINGS[theme](Pen(pen.draw, pen.scale, PANEL_LEFT + 20, 148), palette)
    rule = 268 if slide.layout == "cover" else 194
    pen.box(LEFT, rule, LEFT + 96, rule + 6, palette.accent, 3)
    for text in texts:
        if text.kind == "toast":
            pen.box(text.x - 24, 44, RIGHT, 102, palette.accent, 29)
        if text.kind == "body" and slide.layout == "list":
            pen.disc(LEFT + 8, text.y - 13, 7, palette.warm)


def _card_boxes(slide: Slide) -> list[tuple[int, int, int, int]]:
    width = 536
    return [(LEFT + n * (width + 32), 238, LEFT + n * (width + 32) + width, 478) for n in range(len(slide.cards))]


def _toast_left(text: str) -> int:
    return RIGHT - 24 - round(_font("toast").getlength(text))


@cache
def _font(kind: str) -> ImageFont.FreeTypeFont:
    style = STYLES[kind]
    try:
        return ImageFont.truetype(FONT.format(weight=style.weight), style.size_px, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise FileNotFoundError("the samples are drawn with Noto Sans: install fonts-noto-core") from error
