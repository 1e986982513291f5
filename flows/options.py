"""Arguments that several commands share, and the one place where they become settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from stages.settings import DEVICES, MEDIA, MODES, OCR_ENGINES, RUNNERS, Settings, default_cache

__all__ = ["PATH", "absolute", "cache_option", "json_option", "make_settings", "reading_options", "report_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

PATH: Final = click.Path(path_type=Path)


def _together(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Several options as one decorator, in the order given."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
cache_option = click.option("--cache", type=PATH, help="Where stage results are kept between runs.")
reading_options = _together(
    click.option("--speech-lang", "speech_language", default="", metavar="LANG", help="Language that is spoken; default: detected."),
    click.option(
        "--audio-track", type=int, default=0, metavar="N", help="Audio track to deliver and hear, from 1; default: the file's default one."
    ),
    click.option("--whisper-model", default="whisper-base", show_default=True, metavar="NAME|FOLDER", help="Speech model."),
    click.option("--ocr", type=click.Choice(OCR_ENGINES), default="auto", show_default=True, help="Screen reader."),
    click.option("--device", type=click.Choice(DEVICES), default="auto", show_default=True, help="Where the engines run."),
    cache_option,
    click.option("-v", "--verbose", is_flag=True, help="Say each stage, and where the run log is."),
    json_option,
)
report_options = _together(
    click.option("--out", required=True, type=PATH, metavar="DIR", help="Folder for the bundles; made where it is not there."),
    click.option("--brief", type=PATH, metavar="FILE.toml", help="Questions, language, recipient, web address of each video."),
    click.option("--profile", default="generic", show_default=True, metavar="NAME", help="What is risky in this domain (data/profiles)."),
    click.option("--mode", type=click.Choice(MODES), default="completo", show_default=True, help="How much the report says."),
    click.option("--model", default="", metavar="NAME|none", help="Entry of the provider chain; none: literal quotes, no language model."),
    click.option("--local-only", is_flag=True, help="Refuse every provider that is not on a host of one's own."),
    click.option(
        "--lang", "language", default="", metavar="LANG", help="Language of the report; default: the questions', else the video's."
    ),
    click.option("--jobs", type=int, default=1, show_default=True, metavar="N", help="Videos at a time."),
    click.option("--engine", "runner", type=click.Choice(RUNNERS), default="auto", show_default=True, help="auto: Prefect if one is set."),
    click.option("--media", type=click.Choice(MEDIA), default="copy", show_default=True, help="The video in the bundle."),
    click.option("--link-base", default="", metavar="URL", help="Web address under which DIR will be published."),
    click.option("--zip", "archive", is_flag=True, help="Each bundle also as a ZIP."),
    click.option("--single-file", is_flag=True, help="Each report also as one page for mail, with a short clip at each read claim."),
    click.option(
        "--single-file-budget",
        type=click.FloatRange(min=0, min_open=True),
        default=20.0,
        show_default=True,
        metavar="MB",
        help="Largest size of that page.",
    ),
    click.option("--gap-log", type=PATH, metavar="FILE", help="Private log of the questions that no video answers; default: none."),
    click.option("--events", type=PATH, metavar="FILE", help="Append one JSON line to FILE for whatever happens, as it happens."),
    click.option("--config", type=PATH, metavar="FILE.toml", help="Provider chain; default: ./frame-oracle.toml or the user's."),
)


def make_settings(*, out: Path, cache: Path | None, config: Path | None = None, **given: Any) -> Settings:
    """The one place where arguments become settings. Raises `UsageError`."""
    from stages.configuration import Configuration, configuration_file, load_configuration

    if "profile" in given:
        from stages.profile import load_profile

        load_profile(given["profile"])
    if "single_file" in given:
        budget = given.pop("single_file_budget")
        given["single_file_mb"] = budget if given.pop("single_file") else 0.0
    if given.get("gap_log"):
        from stages.gap_record import require_private

        given["gap_log"] = absolute(given["gap_log"])
        require_private(given["gap_log"], absolute(out))
    said = load_configuration(configuration_file(config)) if "model" in given else Configuration()
    if given.get("model"):
        from stages.engines.chain import NO_MODEL, named_entry

        if given["model"] not in NO_MODEL:
            named_entry(given["model"], said.providers)
    given["local_only"] = given.get("local_only", False) or said.local_only
    given |= {"providers": said.providers, "budget": said.budget}
    return Settings(out=absolute(out), cache=absolute(cache or default_cache()), **given)


def absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay as given
