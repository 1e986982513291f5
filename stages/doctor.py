"""What a machine has of what a run needs, each lack with its remedy.

A missing font shows as boxes in a client's PDF, a missing model as a failure an hour into a batch. Both can be said before.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from stages.errors import FrameOracleError, MissingDependency
from stages.fonts import SAMPLES
from stages.media_tool import version
from stages.models import get_model, is_present, list_models
from stages.settings import Settings

__all__ = ["Examined", "Health", "examine"]

_APT: Final = "Install it: apt install"
_FONTS: Final = ("DejaVu Sans", "Noto Sans")
_ROOM_BYTES: Final = 2 << 30
"""A long video's delivered file, its stored copy and the bundle."""
_PROBE_TIMEOUT_S: Final = 30


class Health(StrEnum):
    GOOD = "good"
    OPTIONAL = "optional"
    """Not there; a run does without it."""
    MISSING = "missing"
    """Not there, and a run fails without it."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing that was looked at."""

    name: str
    health: Health
    detail: str
    fix: str = ""
    """What to do; empty when nothing is to be done."""

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "health": self.health.value, "detail": self.detail, "fix": self.fix}


def examine(settings: Settings) -> tuple[Examined, ...]:
    """Look at programs, fonts, libraries, models, devices and disks."""
    checks: tuple[Callable[[], Examined], ...] = (
        _decoder,
        lambda: _program("ffprobe"),
        _encoders,
        _fonts,
        _glyphs,
        _paper,
        lambda: _speech_model(settings.whisper_model),
        _screen_reader,
        _gpu_reader,
        _cuda,
        *(lambda name=spec.name: _language_model(name) for spec in list_models() if spec.kind == "language"),
        lambda: _room("output folder", settings.out),
        lambda: _room("stage cache", settings.cache),
    )
    return tuple(check() for check in checks)


def _output(*command: str) -> str:
    """What a program says; empty when it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PROBE_TIMEOUT_S, stdin=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace")


def _decoder() -> Examined:
    try:
        return Examined("ffmpeg", Health.GOOD, f"{version()} ({shutil.which('ffmpeg')})")
    except MissingDependency as error:
        return Examined("ffmpeg", Health.MISSING, error.message, error.hint)


def _program(name: str) -> Examined:
    said = _output(name, "-version")
    if not said:
        return Examined(name, Health.MISSING, "not found or does not run", f"{_APT} ffmpeg")
    return Examined(name, Health.GOOD, f"{said.splitlines()[0].split(' Copyright')[0]} ({shutil.which(name)})")


def _encoders() -> Examined:
    lacking = [name for name in ("libx264", "aac") if f" {name} " not in _output("ffmpeg", "-hide_banner", "-encoders")]
    if lacking:
        return Examined("encoders", Health.MISSING, f"ffmpeg has no {' and no '.join(lacking)}", f"{_APT} ffmpeg, the full build")
    return Examined("encoders", Health.GOOD, "H.264 (libx264) and AAC")


def _fonts() -> Examined:
    found = [name for name in _FONTS if name in _output("fc-list", ":", "family")]
    if not found:
        return Examined("fonts", Health.MISSING, f"neither {' nor '.join(_FONTS)}", f"{_APT} fontconfig fonts-dejavu-core fonts-noto-core")
    return Examined("fonts", Health.GOOD, ", ".join(found))


def _glyphs() -> Examined:
    """Text that no font covers is printed as boxes, without an error."""
    lacking: dict[str, list[str]] = {}
    for package, written in SAMPLES.items():
        for name, characters in written.items():
            if not all(_output("fc-list", f":charset={ord(one):x}", "family") for one in characters):
                lacking.setdefault(package, []).append(name)
    if lacking:
        names = ", ".join(name for group in lacking.values() for name in group)
        return Examined("glyphs", Health.OPTIONAL, f"no font for: {names}; the PDF shows such text as boxes", f"{_APT} {' '.join(lacking)}")
    return Examined("glyphs", Health.GOOD, ", ".join(name for written in SAMPLES.values() for name in written))


def _paper() -> Examined:
    try:
        import weasyprint
    except OSError as error:
        return Examined("PDF", Health.MISSING, f"WeasyPrint does not load: {error}", f"{_APT} libpango-1.0-0 libpangoft2-1.0-0")
    return Examined("PDF", Health.GOOD, f"WeasyPrint {weasyprint.__version__}")


def _speech_model(name: str) -> Examined:
    if Path(name).is_dir():
        return Examined("speech model", Health.GOOD, name)
    try:
        folder = get_model(name)
    except FrameOracleError as error:
        return Examined("speech model", Health.MISSING, error.message, error.hint)
    return Examined("speech model", Health.GOOD, f"{name}, hash verified ({folder})")


def _language_model(name: str) -> Examined:
    title = f"language model {name}"
    if not is_present(name):
        return Examined(title, Health.OPTIONAL, "not here; reports quote verbatim without one", f"frame-oracle models get {name}")
    try:
        get_model(name)
    except FrameOracleError as error:
        return Examined(title, Health.OPTIONAL, error.message, error.hint)
    return Examined(title, Health.GOOD, "hash verified")


def _screen_reader() -> Examined:
    if importlib.util.find_spec("rapidocr") is None:
        return Examined("screen reader", Health.MISSING, "RapidOCR is not installed", "Install frame-oracle again")
    return Examined("screen reader", Health.GOOD, f"RapidOCR {importlib.metadata.version('rapidocr')}, its weights inside")


def _gpu_reader() -> Examined:
    title = "screen reader for GPUs"
    if importlib.util.find_spec("easyocr") is None:
        return Examined(title, Health.OPTIONAL, "EasyOCR is not installed", "pip install 'frame-oracle[easyocr]'")
    return Examined(title, Health.GOOD, f"EasyOCR {importlib.metadata.version('easyocr')}")


def _cuda() -> Examined:
    import ctranslate2

    devices = ctranslate2.get_cuda_device_count()
    if not devices:
        return Examined("GPU", Health.OPTIONAL, "no CUDA device; the CPU does the work")
    return Examined("GPU", Health.GOOD, f"{devices} CUDA device{'s' if devices > 1 else ''}")


def _room(title: str, folder: Path) -> Examined:
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK):
        return Examined(title, Health.MISSING, f"{folder} cannot be written", "Choose another folder, or change its permissions")
    if free < _ROOM_BYTES:
        return Examined(title, Health.MISSING, f"{free / 1e9:.1f} GB free at {folder}", f"Free {_ROOM_BYTES / 1e9:.0f} GB")
    return Examined(title, Health.GOOD, f"{free / 1e9:.0f} GB free at {folder}")
