"""A report in one page for mail: each read claim carries a few seconds of the video around its instant, inside the page itself.

No script, nothing beside it, no network: the reader presses play and sees the claim's instant. A mail has a size; the clips that do not fit
in it are left out, the last claims first, and the page says how many and at which claims.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

import ffmpeg

from stages.errors import StageFailed
from stages.media_formats import OPEN_OPTIONS, file_url
from stages.media_tool import run
from stages.render import render_single
from stages.store import write_atomically
from stages.view import ClaimView, ReportView

__all__ = ["SingleFile", "write_single_file"]

_BEFORE_MS: Final = 1500
_AFTER_MS: Final = 1500
_LONGEST_MS: Final = 8000
_SIDE: Final = 640
"""Longer side of a clip, px: text of a slide is legible."""
_ENCODING: Final = {
    "f": "mp4", "vcodec": "libx264", "crf": 30, "preset": "veryfast", "pix_fmt": "yuv420p", "fps_mode": "passthrough",
    "vf": f"scale=w='min({_SIDE},iw)':h='min({_SIDE},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2",
    "acodec": "aac", "b:a": "40k", "ac": 1, "ar": 24000, "movflags": "+faststart",
}  # fmt: skip
_SAME_BYTES: Final = {"threads": 1, "map_metadata": -1, "fflags": "+bitexact", "flags:v": "+bitexact", "flags:a": "+bitexact"}
_BASE64: Final = Fraction(4, 3)


@dataclass(frozen=True, slots=True)
class SingleFile:
    """What was written."""

    path: Path
    clips: int
    """Read claims that carry their clip."""
    claims: int
    """Read claims that could have one."""


@dataclass(frozen=True, slots=True)
class Clip:
    """A few seconds of the video."""

    mp4: bytes
    at_s: float
    """Where the claim's instant lies in it."""


def write_single_file(target: Path, view: ReportView, media: Path, budget_bytes: int) -> SingleFile:
    """Write the page to `target`, at most `budget_bytes` large where the report without clips is smaller than that.

    Raises `StageFailed` when it is not, or when ffmpeg cannot cut `media`.
    """
    bare = len(render_single(view, {}, budget_bytes).encode())
    if bare > budget_bytes:
        hint = "Give a larger --single-file-budget, or --mode breve."
        raise StageFailed(f"{target.name}: {bare / 1e6:.1f} MB without any clip.", hint=hint, code="single_file_too_large")
    wanted = [item for item in view.claims if item.link]
    clips = _clips(wanted, media, budget_bytes - bare)
    write_atomically(target, render_single(view, clips, budget_bytes).encode())
    return SingleFile(target, len(clips), len(wanted))


def _clips(wanted: list[ClaimView], media: Path, room: int) -> Mapping[str, Clip]:
    """By claim code, as many clips as fit, in the order of the report."""
    clips: dict[str, Clip] = {}
    for item in wanted:
        clip = _cut(item, media)
        room -= int(len(clip.mp4) * _BASE64) + 256
        if room < 0:
            break
        clips[item.claim.id] = clip
    return clips


def _cut(item: ClaimView, media: Path) -> Clip:
    """The clip around one claim's instant, with the same bytes each time it is cut."""
    assert item.read is not None and item.span is not None
    start = max(item.read.instant.ms - _BEFORE_MS, 0)
    end = min(max(item.span.end.ms, item.read.instant.ms) + _AFTER_MS, start + _LONGEST_MS)
    source = ffmpeg.input(file_url(media), ss=start / 1000, t=(end - start) / 1000, **OPEN_OPTIONS)
    handle, name = tempfile.mkstemp(suffix=".mp4")
    os.close(handle)
    try:
        output = ffmpeg.output(source, file_url(Path(name)), **_ENCODING, **_SAME_BYTES)
        finished = run("ffmpeg", output.overwrite_output().get_args(), lambda line: True)
        if not finished.ok:
            reason = finished.said[-1] if finished.said else "no reason given"
            raise StageFailed(f"{media.name}: no clip could be cut ({reason}).", hint="Run again without --single-file.", code="no_clip")
        return Clip(Path(name).read_bytes(), (item.read.instant.ms - start) / 1000)
    finally:
        Path(name).unlink(missing_ok=True)
