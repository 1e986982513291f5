"""The kinds of scene: what a screen can do to a text. Each is drawn from a seed alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from PIL import Image, ImageDraw

from benchmarks.truth.backdrop import Cursor, Webcam, gradient, paper, scenery
from benchmarks.truth.scene import Colour, Encoding, Overlay, Scene, Shown, load_font
from benchmarks.truth.wording import LANGUAGES, Wording

__all__ = ["KINDS", "make_scene"]

_FONTS: Final = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSansMono.ttf",
    "NotoSans-Regular.ttf",
    "NotoSans-Bold.ttf",
    "NotoSerif-Regular.ttf",
)
"""Those that `scripts/setup` installs: fonts-dejavu-core and fonts-noto-core."""

_HD: Final = (1280, 720)
_FULL_HD: Final = (1920, 1080)
_SMALL: Final = (640, 360)

_NTSC_FILM: Final = Fraction(24000, 1001)
_NTSC: Final = Fraction(30000, 1001)
_ENCODINGS: Final = (
    Encoding("libx264", 21, _NTSC_FILM),
    Encoding("libx264", 27, _NTSC),
    Encoding("libvpx-vp9", 33, Fraction(30)),
    Encoding("libx264", 24, Fraction(50), fast=True),
    Encoding("libx264", 24, Fraction(25), lasting_ms=(33, 50, 17, 40, 33, 80, 20, 33)),
)
_COARSE: Final = (
    Encoding("libx264", 34, Fraction(25), gop=50),
    Encoding("libvpx-vp9", 44, _NTSC),
    Encoding("libx264", 31, _NTSC_FILM, gop=30),
)
"""At low bitrates: only letters of `_COARSE_LEAST` px and more are legible then."""
_COARSE_LEAST: Final = 26
_LEAST: Final = 17
_PALETTES: Final[tuple[tuple[Colour, Colour], ...]] = (
    ((250, 250, 248), (28, 28, 32)),
    ((232, 238, 247), (20, 40, 96)),
    ((255, 246, 222), (96, 40, 12)),
    ((24, 26, 32), (232, 232, 236)),
    ((12, 44, 40), (214, 240, 224)),
)
"""(paper, ink)."""
_GREYS: Final[tuple[tuple[Colour, Colour], ...]] = (
    ((244, 244, 244), (196, 196, 196)),
    ((30, 30, 34), (78, 78, 84)),
    ((250, 250, 250), (205, 196, 190)),
)
"""Low contrast: 45 to 50 levels."""


class _Desk:
    """What every kind draws from: random choices, wording, colours, places that do not overlap."""

    def __init__(self, kind: str, seed: int, size: tuple[int, int] = _HD, *, coarse: bool | None = None) -> None:
        self.rng = random.Random(f"{kind}/{seed}")  # noqa: S311 (pictures, no secrets)
        self.kind, self.seed, self.size = kind, seed, size
        self.language = self.rng.choice(LANGUAGES)
        self.wording = Wording(self.rng, self.language)
        self.coarse = self.rng.random() < 0.25 if coarse is None else coarse
        self.encoding = self.rng.choice(_COARSE if self.coarse else _ENCODINGS)
        self.paper, self.ink = self.rng.choice(_PALETTES)
        self.font = self.rng.choice(_FONTS)
        self.least = _COARSE_LEAST if self.coarse else _LEAST

    def frames(self, seconds: float) -> int:
        return max(1, round(seconds * self.encoding.rate))

    def row(self, text: str, first: int, end: int, y: float, size: int | None = None, x: float | None = None) -> Shown:
        """A line that lies wholly inside the picture."""
        size = size or self.rng.randint(self.least, 40)
        while load_font(self.font, size).getlength(text) > self.size[0] - 80:
            size -= 1
        room = self.size[0] - 40 - load_font(self.font, size).getlength(text)
        return Shown(text, first, end, self.rng.uniform(40, max(41, room)) if x is None else x, y, self.font, size, self.ink)

    def rows(self, count: int, first: int, end: int, top: int = 60, low: int | None = None, **more: float) -> list[Shown]:
        """So many lines one below the other, of one size each."""
        low = low or self.size[1] - 60
        step = (low - top) / count
        size = min(int(step * 0.55), 40)
        sizes = [self.rng.randint(self.least, max(self.least, size)) for _ in range(count)]
        return [self.row(self.wording.line(), first, end, top + step * place, sizes[place], **more) for place in range(count)]

    def scene(self, frames: int, texts: list[Shown]) -> Scene:
        """The texts on plain paper."""
        return Scene(
            kind=self.kind,
            seed=self.seed,
            language=self.language,
            size=self.size,
            frames=frames,
            texts=tuple(texts),
            ground=paper(self.size, self.paper),
            encoding=self.encoding,
        )


def _slides(desk: _Desk) -> Scene:
    """Cuts between slides; a header stays."""
    count, frame, texts = desk.rng.randint(3, 5), 0, []
    for _ in range(count):
        length = desk.frames(desk.rng.uniform(0.6, 1.6))
        texts += desk.rows(desk.rng.randint(2, 4), frame, frame + length, top=140)
        frame += length
    header = desk.row(desk.wording.line(), 0, frame, 40, max(desk.least, 24), 60)
    return desk.scene(frame, [header, *texts])


def _build(desk: _Desk) -> Scene:
    """Lines added one after the other."""
    rows, frames = desk.rows(5, 0, 0, x=70), desk.frames(4.5)
    return desk.scene(frames, [replace(row, first=place * frames // 6, end=frames) for place, row in enumerate(rows)])


def _fade(desk: _Desk) -> Scene:
    """Lines that fade in and out, and a slide that dissolves into another."""
    fades = [desk.frames(desk.rng.uniform(0.2, 0.7)) for _ in range(4)]
    hold, half = desk.frames(0.9), desk.frames(2.2)
    alone = [desk.row(desk.wording.line(), 6 + place * half, 6 + place * half + hold + 2 * fades[place], 70) for place in (0, 1)]
    texts = [replace(row, fade_in=fades[place], fade_out=fades[place]) for place, row in enumerate(alone)]
    cut = 2 * half
    dissolve = fades[2]
    leaving = desk.rows(2, half // 2, cut + dissolve, top=180, low=400)
    coming = desk.rows(2, cut, cut + half, top=420, low=660)
    texts += [replace(row, fade_in=fades[3], fade_out=dissolve) for row in leaving]
    texts += [replace(row, fade_in=dissolve) for row in coming]
    return desk.scene(cut + half, texts)


def _scroll(desk: _Desk) -> Scene:
    """Credits that run upwards."""
    frames, speed = desk.frames(5), desk.rng.choice((60, 90, 150)) / float(desk.encoding.rate)
    rows = [desk.row(desk.wording.line(), 0, frames, 200.0 + 90 * place, desk.rng.randint(max(22, desk.least), 36)) for place in range(10)]
    return desk.scene(frames, [replace(row, moves=(0.0, -speed)) for row in rows])


def _terminal(desk: _Desk) -> Scene:
    """A terminal: each new line pushes the others up by a row."""
    step, rows, texts, frame = 44, 8, [], 4
    starts = []
    for _ in range(14):
        starts.append(frame)
        frame += desk.rng.randint(*(desk.frames(0.22), desk.frames(0.5)))
    frames = frame + 10
    for place, start in enumerate(starts):
        line = desk.row(desk.wording.line(), start, frames, 60 + step * min(place, rows), max(24, desk.least), 30)
        leaps = tuple((when, -step) for when in starts[max(place, rows) + 1 :])
        texts.append(replace(line, leaps=leaps))
    return desk.scene(frames, texts)


def _pan(desk: _Desk) -> Scene:
    """A camera that passes over a board."""
    frames = desk.frames(3.5)
    across, down = desk.rng.choice(((1.0, 0.0), (-1.0, 0.3), (0.7, -0.7), (1.6, 0.0)))
    speed = 40 / float(desk.encoding.rate)
    moves = (across * speed, down * speed)
    rows = desk.rows(5, 0, frames, top=150, low=570)
    texts = [replace(row, x=(desk.size[0] - load_font(row.font, row.size).getlength(row.text)) / 2, moves=moves) for row in rows]
    texts = [replace(row, x=row.x - moves[0] * frames / 2) for row in texts]
    board = gradient((2 * desk.size[0], desk.size[1]), desk.paper, tuple(min(255, level + 12) for level in desk.paper))  # type: ignore[arg-type]
    pen = ImageDraw.Draw(board(0))
    for stain in range(60):
        x, y = desk.rng.randrange(2 * desk.size[0]), desk.rng.randrange(desk.size[1])
        shade = tuple(max(0, level - 14 - stain % 9) for level in desk.paper)
        pen.ellipse((x, y, x + 60, y + 40), outline=shade)

    def ground(frame: int) -> Image.Image:
        x = round(desk.size[0] / 2 - moves[0] * frame)
        return board(0).crop((x, 0, x + desk.size[0], desk.size[1]))

    return replace(desk.scene(frames, texts), ground=ground, still=False)


def _footage(desk: _Desk) -> Scene:
    """Captions with an outline over a moving picture."""
    frames, frame, texts = desk.frames(5), 3, []
    desk.ink = (255, 255, 255)
    while frame < frames - 5:
        end = min(frames, frame + desk.frames(desk.rng.uniform(0.35, 1.4)))
        if end - frame >= desk.frames(0.3):
            line = desk.row(desk.wording.line(), frame, end, 600, desk.rng.randint(30, 40))
            texts.append(replace(line, outline=2, x=(desk.size[0] - load_font(line.font, line.size).getlength(line.text)) / 2))
        frame = end + desk.rng.choice((0, 0, 4, 12))
    speed = desk.rng.uniform(60, 120) / float(desk.encoding.rate)
    return replace(desk.scene(frames, texts), ground=scenery(desk.size, desk.seed, (speed, speed / 3)), still=False)


def _screencast(desk: _Desk, overlays: tuple[Overlay, ...], seconds: float = 5) -> Scene:
    """A page that stays, notices of 6 to 15 frames in a panel of their own, a line that changes."""
    frames = desk.frames(seconds)
    texts = desk.rows(3, 0, frames, top=50, low=300, x=60)
    half = frames // 2
    texts += [desk.row(desk.wording.line(), 0, half, 330, 24 if not desk.coarse else 28, 60)]
    texts += [desk.row(desk.wording.line(), half, frames, 330, 24 if not desk.coarse else 28, 60)]
    panels: list[tuple[int, int, tuple[int, int, int, int]]] = []
    frame = 12
    while frame < frames - 20:
        end = frame + desk.rng.randint(6, 15)
        notice = desk.row(desk.wording.line(), frame, end, desk.rng.randint(420, 600), desk.rng.randint(max(20, desk.least), 30), 90)
        texts.append(notice)
        x0, y0, x1, y1 = notice.box(frame)
        panels.append((frame, end, (x0 - 20, y0 - 16, x1 + 20, y1 + 16)))
        frame = end + desk.rng.randint(8, 25)
    tint = tuple(level + (-16 if desk.paper[0] > 128 else 22) for level in desk.paper)
    page = paper(desk.size, desk.paper)

    def shown(frame: int) -> int:
        return next((place for place, (first, end, _) in enumerate(panels) if first <= frame < end), -1)

    def ground(frame: int) -> Image.Image:
        image = page(frame).copy()
        if shown(frame) >= 0:
            ImageDraw.Draw(image).rounded_rectangle(panels[shown(frame)][2], 8, fill=tint, outline=desk.ink)
        return image

    return replace(desk.scene(frames, texts), ground=ground, ground_of=shown, overlays=overlays)


def _popups(desk: _Desk) -> Scene:
    return _screencast(desk, ())


def _cursor(desk: _Desk) -> Scene:
    """The same with a mouse pointer over it."""
    return _screencast(desk, (Cursor(desk.size, desk.seed),))


def _webcam(desk: _Desk) -> Scene:
    """The same with a person in the corner."""
    return _screencast(desk, _person(desk))


def _lecture(desk: _Desk) -> Scene:
    """The same for as long as a rule that learns needs to have learned what the corner holds."""
    return _screencast(desk, _person(desk), 40)


def _person(desk: _Desk) -> tuple[Overlay, ...]:
    width, height = desk.size
    return (Webcam((width - 300, height - 230, width - 20, height - 20), desk.seed), Cursor(desk.size, desk.seed))


def _counter(desk: _Desk) -> Scene:
    """One digit that changes."""
    word = {"pt": "Página atual", "es": "Página número", "en": "Page number"}[desk.language]
    texts, frame, digits = [], 0, desk.rng.sample(range(10), 8)
    size, x, y = desk.rng.randint(desk.least, 44), desk.rng.randint(40, 500), desk.rng.randint(60, 500)
    for digit in digits:
        end = frame + max(desk.rng.randint(6, 25), desk.frames(0.21))
        texts.append(desk.row(f"{word} {digit}", frame, end, y, size, x))
        frame = end
    still = desk.row(desk.wording.line(), 0, frame, 620, 30)
    return desk.scene(frame, [*texts, still])


def _pale(desk: _Desk) -> Scene:
    """Low contrast, light on dark and dark on light."""
    desk.paper, desk.ink = desk.rng.choice(_GREYS)
    frames = desk.frames(3.2)
    rows = desk.rows(4, 0, frames, top=80)
    third = frames // 3
    texts = [
        replace(row, size=max(24, row.size), first=place * third // 2, end=frames - (place % 2) * third) for place, row in enumerate(rows)
    ]
    return desk.scene(frames, [desk.row(text.text, text.first, text.end, text.y, text.size, 60) for text in texts])


def _small(desk: _Desk) -> Scene:
    """Print of 12 to 15 px on a page of 1080 rows."""
    desk.encoding = replace(desk.rng.choice(_ENCODINGS[:2]), crf=20)
    frames = desk.frames(1.6)
    rows = [desk.row(desk.wording.line(), 0, frames, 80.0 + 110 * place, desk.rng.randint(12, 15)) for place in range(8)]
    late = frames // 2
    return desk.scene(frames, [replace(row, first=late * (place % 2)) for place, row in enumerate(rows)])


def _brief(desk: _Desk) -> Scene:
    """Texts of 3 to 10 frames."""
    texts, frame = [desk.row(desk.wording.line(), 0, 10**6, 60)], 8
    for length in (3, 4, 5, 6, 8, 10):
        texts.append(desk.row(desk.wording.line(), frame, frame + length, desk.rng.randint(200, 620)))
        frame += length + desk.rng.choice((0, 7, 15))
    frames = frame + 12
    return desk.scene(frames, [replace(text, end=min(text.end, frames)) for text in texts])


def _minute(desk: _Desk) -> Scene:
    """A minute in which next to nothing happens."""
    desk.encoding = replace(desk.encoding, rate=Fraction(15), lasting_ms=())
    frames = desk.frames(60)
    texts = [desk.row(desk.wording.line(), 0, frames, 40, 24), desk.row(desk.wording.line(), 200, frames, 110, 24)]
    texts += [desk.row(desk.wording.line(), when, when + length, 220, 24) for when, length in ((300, 4), (420, 9), (700, 90))]
    texts.append(replace(texts[-1], first=850, end=880))
    return desk.scene(frames, texts)


KINDS: Final[dict[str, Callable[[_Desk], Scene]]] = {
    "slides": _slides,
    "build": _build,
    "fade": _fade,
    "scroll": _scroll,
    "terminal": _terminal,
    "pan": _pan,
    "footage": _footage,
    "popups": _popups,
    "cursor": _cursor,
    "webcam": _webcam,
    "lecture": _lecture,
    "counter": _counter,
    "pale": _pale,
    "small": _small,
    "brief": _brief,
    "minute": _minute,
}
_SIZES: Final = {"small": _FULL_HD, "minute": _SMALL}
_NEVER_COARSE: Final = ("small", "pale", "minute")
"""What coarse encoding would make illegible."""


def make_scene(kind: str, seed: int) -> Scene:
    """The scene of that kind (a key of `KINDS`) and seed."""
    return KINDS[kind](_Desk(kind, seed, _SIZES.get(kind, _HD), coarse=False if kind in _NEVER_COARSE else None))
