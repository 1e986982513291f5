"""Files that travel with the code: the catalogue of models and the profiles.

An installed wheel carries them in `stages/data`; a checkout keeps them in `data/` at its root, where people look for them and edit them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["resource"]

_PACKAGE: Final = Path(__file__).parent


def resource(name: str) -> Path:
    """The path of `data/<name>`; raises `FileNotFoundError` when neither the wheel nor the checkout has it."""
    for folder in (_PACKAGE / "data", _PACKAGE.parent / "data"):
        if (found := folder / name).exists():
            return found
    raise FileNotFoundError(f"data/{name} is missing from this installation; install frame-oracle again")
