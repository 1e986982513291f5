"""Frames for a model with eyes: a few of them, those around what a question asks about, small."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PIL import Image

from stages.engines.completion import Part
from stages.evidence import Evidence, Kind
from stages.frames import frame_at
from stages.retrieval import retrieve

__all__ = ["chosen_frames", "picture_parts"]

_MOST: Final = 8
_NEAR: Final = 5
"""Pieces of evidence about a question around which frames are looked at."""
_LARGEST: Final = (768, 768)


def chosen_frames(question: str, items: Sequence[Evidence]) -> list[Evidence]:
    """The frames of `items` to show for a question, in order: those closest in time to what shares its words, else evenly spread."""
    frames = sorted((item for item in items if item.kind is Kind.FRAME), key=lambda item: item.instant)
    if len(frames) <= _MOST:
        return frames
    near = [hit.evidence.instant.ms for hit in retrieve(question, [item for item in items if item.kind is not Kind.FRAME])[:_NEAR]]
    if not near:
        return [frames[place * len(frames) // _MOST] for place in range(_MOST)]
    closest = sorted(frames, key=lambda item: min(abs(item.instant.ms - ms) for ms in near))[:_MOST]
    return sorted(closest, key=lambda item: item.instant)


def picture_parts(media: Path, frames: Sequence[Evidence]) -> list[Part]:
    """Each frame as its id and its picture."""
    parts: list[Part] = []
    for frame in frames:
        picture = Image.fromarray(frame_at(media, frame.instant.ms).image)
        picture.thumbnail(_LARGEST)
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=80)
        parts += [Part(text=f"Picture {frame.id}:"), Part(jpeg=base64.b64encode(buffer.getvalue()).decode())]
    return parts
