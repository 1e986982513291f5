"""What every screen reader (OCR engine) promises, and the choice among them.

The rest of the program knows this protocol only. An engine's package is imported where it was chosen and nowhere else: torch alone
takes seconds to import and gigabytes to install, and most machines have no use for it. What an engine is called and which weights it
runs can be told without loading either, so that an unchanged video is recognised as read before anything is loaded.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from stages.errors import StageFailed
from stages.settings import Settings

__all__ = ["EngineFailed", "ScreenReader", "TextLine", "identify_reader", "open_reader"]

_MODULES: Final = {"rapidocr": "stages.engines.rapid", "easyocr": "stages.engines.easy"}


class EngineFailed(StageFailed):
    """The engine broke on a picture that it was given; the message is in its own words."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text as it was read in one picture."""

    text: str
    confidence: float
    """0..1, the engine's own."""
    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 in px of the picture that was given; inside it."""


class ScreenReader(Protocol):
    """Reads text in pictures. Same picture, same lines. Raises `EngineFailed` where the engine breaks."""

    name: str
    """The engine and its version."""
    model: str
    """Its weights and their hash."""

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        """The lines in a (height, width, 3) RGB picture, top to bottom; empty where there is no text. May be a view."""
        ...

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        """Text and confidence (0..1) of each (height, width, 3) RGB crop, which holds one upright line; ("", 0.0) for none."""
        ...


def identify_reader(settings: Settings) -> tuple[str, str]:
    """`name` and `model` of the reader that `open_reader` would open, without loading its weights."""
    return cast(tuple[str, str], _module(settings).identity())


def open_reader(settings: Settings) -> ScreenReader:
    """The reader that the settings ask for, loaded. Raises `MissingDependency` or `MissingModel` where it is not installed."""
    return cast(ScreenReader, _module(settings).open_reader(settings.device))


def _chosen(settings: Settings) -> str:
    """`auto` is EasyOCR where it is installed and a CUDA device is there and allowed; RapidOCR everywhere else."""
    if settings.ocr != "auto":
        return settings.ocr
    return "easyocr" if settings.device != "cpu" and _has_easyocr() and _has_cuda() else "rapidocr"


def _has_easyocr() -> bool:
    return importlib.util.find_spec("easyocr") is not None and importlib.util.find_spec("torch") is not None


def _has_cuda() -> bool:
    return bool(importlib.import_module("torch").cuda.is_available())


def _module(settings: Settings) -> ModuleType:
    return importlib.import_module(_MODULES[_chosen(settings)])
