"""What lies behind and beside the texts: paper, scenery that moves, a webcam, a cursor."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.truth.scene import Box

__all__ = ["Cursor", "Webcam", "gradient", "paper", "scenery"]

_POINTER: Final = ((0, 0), (0, 17), (4, 13), (7, 20), (10, 19), (7, 12), (12, 12))

Ground = Callable[[int], Image.Image]


def paper(size: tuple[int, int], colour: tuple[int, int, int]) -> Ground:
    image = Image.new("RGB", size, colour)
    return lambda frame: image


def gradient(size: tuple[int, int], top: tuple[int, int, int], low: tuple[int, int, int]) -> Ground:
    """One colour above, another below."""
    ramp = np.linspace(0, 1, size[1])[:, None, None]
    pixels = np.broadcast_to((1 - ramp) * np.array(top) + ramp * np.array(low), (size[1], size[0], 3))
    image = Image.fromarray(pixels.astype(np.uint8))
    return lambda frame: image


def scenery(size: tuple[int, int], seed: int, speed: tuple[float, float], *, soft: int = 40, dark: float = 0.75) -> Ground:
    """A coloured landscape of blobs `soft` px wide that passes by, some px a frame."""
    rng = np.random.default_rng(seed)
    width, height = 2 * size[0], 2 * size[1]
    blobs = Image.fromarray(rng.integers(0, 255, (height // soft, width // soft, 3), np.uint8)).resize(
        (width, height), Image.Resampling.BICUBIC
    )
    grain = rng.integers(-10, 11, (height, width, 1))
    wide = Image.fromarray(np.clip(np.asarray(blobs, np.int16) * dark + grain, 0, 255).astype(np.uint8))

    def at(frame: int) -> Image.Image:
        x, y = (_to_and_fro(speed[0] * frame, size[0]), _to_and_fro(speed[1] * frame, size[1]))
        return wide.crop((x, y, x + size[0], y + size[1]))

    return at


class Webcam:
    """A moving picture in a corner: a head that sways before a room, and the grain of a cheap sensor."""

    def __init__(self, box: Box, seed: int) -> None:
        self._box = box
        self._size = box[2] - box[0], box[3] - box[1]
        self._room = scenery(self._size, seed, (0.0, 0.0), soft=48, dark=0.6)(0)
        rng = np.random.default_rng(seed)
        self._grains = [rng.integers(-7, 8, (self._size[1], self._size[0], 1)) for _ in range(8)]

    def box(self, frame: int) -> Box:
        return self._box

    def draw(self, image: Image.Image, frame: int) -> None:
        (width, height), view = self._size, self._room.copy()
        x, y = width / 2 + width / 8 * math.sin(frame / 7), height * 0.55 + height / 16 * math.sin(frame / 3)
        pen = ImageDraw.Draw(view)
        pen.ellipse((x - width / 6, y - height / 3, x + width / 6, y + height / 6), fill=(205, 160, 130))
        pen.rectangle((x - width / 4, y + height / 6, x + width / 4, height), fill=(60, 70, 110))
        pen.ellipse((x - 8, y + 2, x + 8, y + 6 + 6 * abs(math.sin(frame / 2))), fill=(120, 40, 40))
        pixels = np.asarray(view, np.int16) + self._grains[frame % len(self._grains)]
        image.paste(Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)), self._box[:2])


class Cursor:
    """A mouse pointer that runs from place to place and rests 10 to 40 frames at each."""

    def __init__(self, size: tuple[int, int], seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311 (pictures, no secrets)
        places = [(rng.randrange(size[0] - 20), rng.randrange(size[1] - 24)) for _ in range(200)]
        self._path: list[tuple[int, int]] = []
        for (x0, y0), (x1, y1) in itertools.pairwise(places):
            steps = rng.randint(6, 20)
            self._path += [(x0 + (x1 - x0) * step // steps, y0 + (y1 - y0) * step // steps) for step in range(steps)]
            self._path += [(x1, y1)] * rng.randint(10, 40)

    def box(self, frame: int) -> Box:
        x, y = self._path[frame % len(self._path)]
        return x, y, x + 13, y + 21

    def draw(self, image: Image.Image, frame: int) -> None:
        x, y = self._path[frame % len(self._path)]
        outline = [(x + right, y + down) for right, down in _POINTER]
        ImageDraw.Draw(image).polygon(outline, fill=(255, 255, 255), outline=(0, 0, 0))


def _to_and_fro(passed: float, room: int) -> int:
    """A place within `room` px that comes back instead of running out."""
    place = round(passed) % (2 * room)
    return place if place <= room else 2 * room - place
