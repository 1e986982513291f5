"""RapidOCR on the CPU: PP-OCRv6 small, whose weights lie inside the `rapidocr` wheel.

Four of its habits would lose text or time here, and are turned off. It shrinks any picture to 2000 px before looking for text, so that
a footnote on a 4K slide vanishes without a word. It scales a thin crop up until its short side has 736 px. `use_det` and its sisters
stay as the last call left them. And it downloads a model file that is not where it expects it: both files are named here, so that a
broken installation is an error and never a download.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from stages.boxes import PixelBox
from stages.engines.screen_reader import EngineFailed, ScreenReader, TextLine
from stages.errors import MissingDependency, MissingModel
from stages.grid import search_areas

__all__ = ["RapidReader", "identity", "open_reader"]

_DETECTOR: Final = "PP-OCRv6_det_small.onnx"
_RECOGNISER: Final = "PP-OCRv6_rec_small.onnx"
_HINT: Final = "Install it again: uv pip install --reinstall rapidocr"

_DETECT_SIDE: Final = 1280
"""Pictures up to this long side are searched for text as they are, px: measured, 12 px letters on 1080p are all found at this size."""
_LEAST_SCALE: Final = 0.6
"""A larger picture is shrunk for the search, but never below this: 12 px letters then still have 7."""
_TALL: Final = 1.5
"""Height over width from which RapidOCR takes a region for text that runs upwards or downwards."""
_GRID: Final = 32
"""The detector takes sides that are multiples of this, px; others would be stretched."""


def identity() -> tuple[str, str]:
    """The engine with its version, and the weights with their hash; loads neither. Raises `MissingDependency` or `MissingModel`."""
    folder = _models_folder()
    return f"rapidocr {version('rapidocr')}", _model_id(folder)


def open_reader(device: str) -> ScreenReader:
    """RapidOCR, loaded. It runs on the CPU whatever `device` says."""
    return RapidReader()


class RapidReader:
    """`ScreenReader` by RapidOCR with PP-OCRv6 small; one thread."""

    def __init__(self) -> None:
        self.name, self.model = identity()
        self._engine = _load(_models_folder())

    def read(self, image: NDArray[np.uint8]) -> list[TextLine]:
        """The lines in an RGB picture, top to bottom."""
        picture = _bgr(image)
        size = (picture.shape[1], picture.shape[0])
        quads = [quad for area in search_areas(_grey(picture)) for quad in self._detect(picture, area)]
        texts = self._recognise_regions(picture, quads) if quads else []
        lines = [TextLine(text, score, _bounds(quad, *size)) for quad, (text, score) in zip(quads, texts, strict=True) if text.strip()]
        return sorted(lines, key=lambda line: (line.box[1], line.box[0]))

    def recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        """Text and confidence of each one-line RGB crop."""
        whole = [place for place, crop in enumerate(crops) if min(crop.shape[:2]) > 0]
        found = self._recognise([_bgr(crops[place]) for place in whole])
        texts = dict(zip(whole, found, strict=True))
        return [texts.get(place, ("", 0.0)) for place in range(len(crops))]

    def _detect(self, picture: NDArray[np.uint8], area: PixelBox) -> list[NDArray[np.float32]]:
        """Corners (4, 2) of each line in an area of the picture, px, clockwise from the top left."""
        scaled, scale = _for_detector(picture[area.y0 : area.y1, area.x0 : area.x1])
        found = _run(self._engine, scaled, use_det=True, use_cls=False, use_rec=False)
        corner = np.array((area.x0, area.y0), np.float32)
        return [] if found.boxes is None else [np.asarray(box, np.float32) / scale + corner for box in found.boxes]

    def _recognise_regions(self, picture: NDArray[np.uint8], quads: list[NDArray[np.float32]]) -> list[tuple[str, float]]:
        """Text and confidence of each line; one that stands upright is read both ways, upwards and downwards."""
        crops = self._engine.crop_text_regions(picture, quads)
        tall = [place for place, quad in enumerate(quads) if _is_tall(quad)]
        texts = self._recognise([*crops, *(np.ascontiguousarray(np.rot90(crops[place], 2)) for place in tall)])
        for place, other in zip(tall, texts[len(crops) :], strict=True):
            texts[place] = max(texts[place], other, key=lambda text: text[1])
        return texts[: len(crops)]

    def _recognise(self, crops: Sequence[NDArray[np.uint8]]) -> list[tuple[str, float]]:
        if not crops:
            return []
        found = _run(self._engine.recognize_txt, list(crops))
        return [(str(text), float(score)) for text, score in zip(found.txts, found.scores, strict=True)]


def _run(call: Callable[..., Any], *given: Any, **options: bool) -> Any:
    from rapidocr.inference_engine.onnxruntime.main import ONNXRuntimeError

    try:
        return call(*given, **options)
    except (ONNXRuntimeError, MemoryError) as error:
        said = str(error).strip().splitlines() or ["out of memory"]
        raise EngineFailed(f"rapidocr: {said[-1]}") from error


def _models_folder() -> Path:
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or spec.origin is None:
        raise MissingDependency("RapidOCR is not installed.", hint="Run: make setup")
    return Path(spec.origin).parent / "models"


@cache
def _model_id(folder: Path) -> str:
    state = hashlib.sha256()
    for name in (_DETECTOR, _RECOGNISER):
        try:
            state.update((folder / name).read_bytes())
        except OSError as error:
            raise MissingModel(f"RapidOCR's weights cannot be read: {error}.", hint=_HINT) from error
    return f"PP-OCRv6-small sha256:{state.hexdigest()[:16]}"


def _load(folder: Path) -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            "Global.max_side_len": 1_000_000,
            "Det.model_path": str(folder / _DETECTOR),
            "Det.limit_type": "max",
            "Det.limit_side_len": 1_000_000,
            "Rec.model_path": str(folder / _RECOGNISER),
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _bgr(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(image[:, :, ::-1])


def _grey(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8) if picture.size else picture[:, :, 0]


def _for_detector(picture: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    """The picture at the detector's scale, its right and lower edge repeated up to the grid; and that scale."""
    height, width = picture.shape[:2]
    scale = min(1.0, max(_LEAST_SCALE, _DETECT_SIDE / max(height, width)))
    if scale < 1.0:
        picture = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        height, width = picture.shape[:2]
    padded = cv2.copyMakeBorder(picture, 0, -height % _GRID, 0, -width % _GRID, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8), scale


def _is_tall(quad: NDArray[np.float32]) -> bool:
    """Whether RapidOCR lays the region on its side to read it."""
    across, down = np.linalg.norm(quad[0] - quad[1]), np.linalg.norm(quad[0] - quad[3])
    return bool(down >= _TALL * across)


def _bounds(quad: NDArray[np.float32], width: int, height: int) -> tuple[float, float, float, float]:
    """The upright box around a quadrilateral, inside the picture."""
    (x0, y0), (x1, y1) = np.clip(quad, 0, (width, height)).min(0), np.clip(quad, 0, (width, height)).max(0)
    return float(x0), float(y0), float(x1), float(y1)
