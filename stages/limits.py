"""How much one file may ask for. What a header claims is refused before a decoder believes it."""

from __future__ import annotations

from typing import Final

from stages.errors import InputRejected
from stages.probe import Probe

__all__ = ["require_within"]

_PIXELS: Final = 8192 * 8192
_DURATION_S: Final = 24 * 3600.0
_FRAMES: Final = 24 * 3600 * 240
_STREAMS: Final = 64


def require_within(name: str, found: Probe) -> None:
    """Raise `InputRejected` for a file beyond what is read of anybody's."""
    picture = found.picture
    spans = [item.packets for item in (found.picture, found.sound) if item]
    facts = (
        ("picture", "pixels", picture.width * picture.height if picture else 0, _PIXELS),
        ("picture", "frames", len(picture.packets) if picture else 0, _FRAMES),
        ("file", "seconds", max(packets.end - min(packets.starts) for packets in spans), _DURATION_S),
        ("file", "streams", found.pictures + found.sounds, _STREAMS),
    )
    for thing, unit, amount, most in facts:
        if amount > most:
            message = f"{name}: its {thing} has {amount:.0f} {unit}; at most {most:.0f} are read."
            raise InputRejected(message, hint="Cut it into parts, or scale it down, and give those.", code="too_large")
