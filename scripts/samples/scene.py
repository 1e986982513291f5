"""What a sample video says and shows: the records that `scenes/*.toml` is read into.

A scene is data so that wording, which decides whether a recogniser can read it, is edited without touching the drawing code.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, with_config

__all__ = ["Appearance", "Card", "Contradiction", "Question", "Scene", "Slide", "Voicing", "load_scene"]

_STRICT = ConfigDict(extra="forbid")


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Appearance:
    """A text that comes after its slide does. Exactly one of `sentence` and `frame` says when."""

    text: str
    sentence: int | None = None  # index into the slide's narration: appears with that sentence's first word
    frame: int | None = None  # frames after the slide's first
    frames: int | None = None  # how many frames it stays; None = until the slide ends


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Card:
    """A figure in large type over its name."""

    value: str
    label: str


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Slide:
    """One slide; slides follow each other by cuts."""

    layout: Literal["cover", "list", "steps", "cards"]
    title: str
    caption: str
    body: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    footnote: str = ""
    added: Appearance | None = None  # one more line of the body
    toast: Appearance | None = None  # a short note over the top right corner
    narration: tuple[str, ...] = ()  # one entry is synthesised at a time
    frames: int = 0  # length where nothing is said


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Question:
    """A question with its known answer. `base` is None exactly where the video does not answer."""

    question: str
    language: str
    answerable: bool
    base: Literal["tela", "fala"] | None = None
    evidence_text: str | None = None
    also: tuple[str, ...] = ()  # further passages that answer, or contradict, on either channel
    values: tuple[str, ...] = ()


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Contradiction:
    """The screen says one thing, the speech another."""

    tela: str
    fala: str


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Voicing:
    """How the narration is synthesised (see `voice.Voice.say`)."""

    espeak: str
    style: str
    speed: float = 1.0


@with_config(_STRICT)
@dataclass(frozen=True, slots=True)
class Scene:
    """One sample video."""

    file: str
    language: str
    header: str  # the same on every slide
    theme: str  # a key of `slides.THEMES`
    slides: tuple[Slide, ...]
    questions: tuple[Question, ...]
    contradictions: tuple[Contradiction, ...] = ()
    voicing: Voicing | None = None  # None: the file has no audio stream


def load_scene(path: Path) -> Scene:
    """Read one scene file. pydantic's ValidationError names the key that is wrong or unknown."""
    return TypeAdapter(Scene).validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
