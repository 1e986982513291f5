"""What the person who orders the reports wants to know: questions, language, recipient, where each video is published.

    language = "pt"
    recipient = "Padaria Sol"
    local_only = true                           # nothing of these videos leaves hosts of one's own
    questions = ["Quanto de farinha?"]          # asked of every video

    [[video]]
    file = "receita.mp4"
    questions = ["Qual o forno?"]               # asked of this one as well
    url = "https://example.org/receita"
    recorded = "2026-03-01"

A file name that no video has is a typing error more often than not, so `Brief.unmatched` lets the run say so.
"""

from __future__ import annotations

import datetime
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from stages.errors import UsageError
from stages.settings import require_language_tag
from stages.toml_file import read_toml, record

__all__ = ["Brief", "VideoBrief", "load_brief"]


@dataclass(frozen=True, slots=True)
class VideoBrief:
    """What is wanted of one video. Empty where nothing was said."""

    questions: tuple[str, ...] = ()
    language: str = ""
    """BCP 47 tag of the report."""
    recipient: str = ""
    url: str = ""
    """Web address at which the video itself is published."""
    recorded: str = ""
    """When it was recorded, in the brief's own words."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What is wanted of all videos, and of some of them by file name."""

    general: VideoBrief = VideoBrief()
    videos: Mapping[str, VideoBrief] = field(default_factory=dict)
    """By file name; questions here come after the general ones, any other value replaces the general one."""
    local_only: bool = False
    """Whoever orders the reports wants no evidence to leave hosts of one's own."""

    def for_video(self, file_name: str) -> VideoBrief:
        """The brief of the video with this file name."""
        own = self.videos.get(_same_name(file_name), VideoBrief())
        general = self.general
        return VideoBrief(
            questions=(*general.questions, *own.questions),
            language=own.language or general.language,
            recipient=own.recipient or general.recipient,
            url=own.url,
            recorded=own.recorded,
        )

    def unmatched(self, file_names: Iterable[str]) -> tuple[str, ...]:
        """The names that the brief speaks of and that are not among `file_names`."""
        present = {_same_name(name) for name in file_names}
        return tuple(name for name in self.videos if name not in present)


@dataclass(frozen=True, slots=True)
class _Top:
    language: str = ""
    recipient: str = ""
    questions: tuple[str, ...] = ()
    video: tuple[dict[str, object], ...] = ()
    local_only: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    file: str
    questions: tuple[str, ...] = ()
    language: str = ""
    recipient: str = ""
    url: str = ""
    recorded: str | datetime.date | datetime.datetime = ""


def load_brief(path: Path) -> Brief:
    """Read a brief. Raises `UsageError`, which names the file and the key, for anything it does not know."""
    top = record(_Top, read_toml(path), str(path))
    general = VideoBrief(questions=top.questions, language=top.language, recipient=top.recipient)
    _require_sound(general, str(path))
    videos: dict[str, VideoBrief] = {}
    for number, table in enumerate(top.video, start=1):
        where = f"{path}: video {number}"
        entry = record(_Entry, table, where)
        name = _same_name(entry.file)
        if name in videos:
            raise UsageError(f"{where}: {entry.file!r} is there twice.", hint="Put everything about one video in one [[video]].")
        videos[name] = VideoBrief(entry.questions, entry.language, entry.recipient, entry.url, str(entry.recorded))
        _require_sound(videos[name], f"{where} ({entry.file})")
    return Brief(_stripped(general), {name: _stripped(video) for name, video in videos.items()}, top.local_only)


def _same_name(file_name: str) -> str:
    """Some file systems store é as one character and some as two; people see the same name."""
    return unicodedata.normalize("NFC", file_name)


def _stripped(brief: VideoBrief) -> VideoBrief:
    return replace(brief, questions=tuple(question.strip() for question in brief.questions))


def _require_sound(brief: VideoBrief, where: str) -> None:
    if not all(question.strip() for question in brief.questions):
        raise UsageError(f"{where}: questions: one of them is empty.", hint="Remove it, or write the question.")
    require_language_tag(f"{where}: language", brief.language)
    parts = urlsplit(brief.url)
    if brief.url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise UsageError(f"{where}: url: {brief.url!r} is not a web address.", hint="Write one that starts with https://.")
