"""EasyOCR on a GPU: the CRAFT detector and a CTC recogniser, through torch.

It is an extra of several gigabytes, and worth it where CUDA is there. Its weights come from the model store, verified: torch unpickles
them, and a pickle is a program. Downloads are off.

Given an array, EasyOCR looks for text in it as RGB and makes it grey as if it were BGR. So both are prepared here and its detector and
recogniser are called apart. It also drops boxes under 20 px and shrinks a picture to 2560 px, which loses small text without a word.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.engines.screen_reader import EngineFailed, ScreenReader, TextLine
from stages.errors import MissingDependency
from stages.grid import search_areas
from stages.models import get_model, is_present, list_models, model_hash

__all__ = ["EasyReader", "identity", "open_reader"]

_ENGLISH: Final = "easyocr-english"
_LATIN: Final = "easyocr-latin"
"""Reads accents; used where the model store's own catalogue has it and it was fetched."""
_LANGUAGES: Final = {_ENGLISH: ["en"], _LATIN: ["en", "pt", "es", "fr", "it", "de"]}

_CANVAS: Final = 2560
"""Pictures up to this long side are searched for text as they are, px."""
_LEAST_SCALE: Final = 0.6
"""A larger picture is shrunk for the search, but never below this."""
_LEAST_BOX: Final = 5
"""Longer side of the smallest box kept, px: a single small digit."""
_BATCH: Final = 16


def identity() -> tuple[str, str]:
    """The engine with its version, and the weights with their hash; loads neither. Raises `MissingDependency`."""
    _require()
    weights = _weights()
    return f"easyocr {version('easyocr')}", f"{weights} sha256:{model_hash(weights)[:16]}"


def open_reader(device: str) -> ScreenReader:
    """EasyOCR, loaded; on `cuda` or `cpu`, or for `auto` on whichever is there. Raises `MissingDependency` or `MissingModel`."""
    return EasyReader(device)


class EasyReader:
    """`ScreenReader` by EasyOCR."""

    def __init__(self, device: str = "auto") -> None:
        self.name, self.model = identity()
        self._reader = _load(_weights(), _on_gpu(device))

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        """The lines in an RGB picture, top to bottom."""
        height, width = image.shape[:2]
        if min(height, width) == 0:
            return []
        picture = np.ascontiguousarray(image)
        grey = _grey(picture)
        lines = []
        for area in search_areas(grey):
            cut, corner = (slice(area.y0, area.y1), slice(area.x0, area.x1)), np.array((area.x0, area.y0))
            for corners, text, sure in self._texts(grey[cut], *self._boxes(picture[cut])):
                lines.append(_line(np.asarray(corners, np.float64) + corner, text, sure, (width, height)))
        return sorted((line for line in lines if line.text), key=lambda line: (line.box[1], line.box[0]))

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        """Text and confidence of each one-line RGB crop."""
        return [self._recognise(crop) if min(crop.shape[:2]) > 0 else ("", 0.0) for crop in crops]

    def _recognise(self, crop: NDArray[np.uint8]) -> tuple[str, float]:
        height, width = crop.shape[:2]
        found = self._texts(_grey(np.ascontiguousarray(crop)), [[0, width, 0, height]], [])
        return (found[0][1], float(found[0][2])) if found else ("", 0.0)

    def _boxes(self, picture: NDArray[np.uint8]) -> tuple[list[Any], list[Any]]:
        """Where the lines of an RGB picture are: upright ones as x0, x1, y0, y1 in px, slanted ones as four corners."""
        canvas = max(_CANVAS, round(_LEAST_SCALE * max(picture.shape)))
        found = _run(lambda: self._reader.detect(np.ascontiguousarray(picture), reformat=False, canvas_size=canvas, min_size=_LEAST_BOX))
        return found[0][0], found[1][0]

    def _texts(self, grey: NDArray[np.uint8], upright: list[Any], slanted: list[Any]) -> list[tuple[Any, str, float]]:
        """(corners, text, confidence) of each box of a grey picture."""
        found: list[tuple[Any, str, float]] = []
        if upright or slanted:
            found = _run(lambda: self._reader.recognize(grey, upright, slanted, batch_size=_BATCH, reformat=False))
        return [(corners, text.strip(), _confidence(text, sure)) for corners, text, sure in found]


def _require() -> None:
    if importlib.util.find_spec("easyocr") is None:
        raise MissingDependency("EasyOCR is not installed.", hint="Install the extra: uv pip install 'frame-oracle[easyocr]'")


def _weights() -> str:
    known = {spec.name for spec in list_models()}
    return _LATIN if _LATIN in known and is_present(_LATIN) else _ENGLISH


def _on_gpu(device: str) -> bool:
    import torch

    there = bool(torch.cuda.is_available())
    if device == "cuda" and not there:
        raise MissingDependency("There is no CUDA device that torch can use.", hint="Check the driver, or run with --device cpu.")
    return there and device != "cpu"


def _load(weights: str, gpu: bool) -> Any:
    folder = str(get_model(weights))
    import easyocr

    def load() -> Any:
        return easyocr.Reader(
            _LANGUAGES[weights],
            gpu=gpu,
            model_storage_directory=folder,
            user_network_directory=folder,
            download_enabled=False,
            verbose=False,
            quantize=False,
        )

    return _run(load)


def _run(call: Callable[[], Any]) -> Any:
    """Call into EasyOCR: it warns of torch's deprecations and of pinned memory, which is nobody's concern who reads a screen."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (RuntimeError, cv2.error, MemoryError) as error:
            raise EngineFailed(f"easyocr: {error}") from error


def _grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)


def _confidence(text: str, sure: float) -> float:
    """The geometric mean of the letters' probabilities, 0..1, as other engines count.

    EasyOCR gives their product to the power of 2 / sqrt(n), n letters: the longer a line, the less it is believed.
    """
    within = min(1.0, max(0.0, float(sure)))
    return float(within ** (1 / (2 * max(1, len(text)) ** 0.5)))


def _line(corners: NDArray[np.float64], text: str, sure: float, size: tuple[int, int]) -> TextLine:
    points = np.clip(corners, 0, size)
    (x0, y0), (x1, y1) = points.min(0), points.max(0)
    return TextLine(text, sure, (float(x0), float(y0), float(x1), float(y1)))
