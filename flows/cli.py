"""The command line: arguments to `Settings`, the order or the flow, errors to exit codes.

stdout carries one JSON object with `--json` and nothing otherwise; what people read goes to stderr. Modules load when a command needs
them: `--help` answers at once, and a report starts its first video within seconds.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import click

from stages.errors import ExitCode, FrameOracleError, UsageError
from stages.settings import DEVICES, MEDIA, MODES, OCR_ENGINES, RUNNERS, Settings, default_cache

if TYPE_CHECKING:
    from stages.instant import Timeline

__all__ = ["main"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_EPILOG: Final = (
    "Exit status: 0 all good, 1 usage or settings, 2 no usable input, 3 finished but something failed or was refused, "
    "4 an output failed verification, 5 a dependency or model is missing, 6 no provider answered, 11 locked by another run, "
    "15 internal error, 130 interrupted."
)
_PATH: Final = click.Path(path_type=Path)


def main() -> int:
    """Run the command line; returns the exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(oracle.main(standalone_mode=False) or ExitCode.OK)
    except click.ClickException as error:
        return _end(error.format_message(), "Add --help to see what there is.", "usage", ExitCode.USAGE)
    except FrameOracleError as error:
        return _end(error.message, error.hint, error.code, error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _end("Interrupted.", "Run the same command again: what was finished is kept.", "interrupted", ExitCode.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the command line: what nobody foresaw ends in one line and a status, too
        place = _trace(error)
        return _end(f"{type(error).__name__}: {error}", f"This is a defect; the trace is in {place}.", "internal", ExitCode.INTERNAL)


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _end(message: str, hint: str, code: str, exit_code: ExitCode) -> int:
    from flows.terminal import print_json, say

    if "--json" in sys.argv:
        error = {"code": code, "message": message, "hint": hint, "exit_code": int(exit_code)}
        print_json({"schema": "frame-oracle/error/1", "error": error})
    say(f"{message} {hint}".rstrip())
    return exit_code


def _trace(error: Exception) -> Path:
    from flows.workers import run_log

    log = run_log(default_cache())
    log.write_text("".join(traceback.format_exception(error)), errors="backslashreplace")
    return log


def _options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Several options as one decorator, in the order given."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
_cache_option = click.option("--cache", type=_PATH, help="Where stage results are kept between runs.")
_reading_options = _options(
    click.option("--speech-lang", "speech_language", default="", metavar="LANG", help="Language that is spoken; default: detected."),
    click.option(
        "--audio-track", type=int, default=0, metavar="N", help="Audio track to deliver and hear, from 1; default: the file's default one."
    ),
    click.option("--whisper-model", default="whisper-base", show_default=True, metavar="NAME|FOLDER", help="Speech model."),
    click.option("--ocr", type=click.Choice(OCR_ENGINES), default="auto", show_default=True, help="Screen reader."),
    click.option("--device", type=click.Choice(DEVICES), default="auto", show_default=True, help="Where the engines run."),
    _cache_option,
    click.option("-v", "--verbose", is_flag=True, help="Say each stage, and where the run log is."),
    _json_option,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(package_name="frame-oracle")
def oracle() -> None:
    """Videos to reports in which every statement says where it comes from, and every read one opens the video at its instant."""


@oracle.command(epilog=_EPILOG)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, type=_PATH)
@click.option("--out", required=True, type=_PATH, metavar="DIR", help="Folder for the bundles; made where it is not there.")
@click.option("--brief", type=_PATH, metavar="FILE.toml", help="Questions, language, recipient, web address of each video.")
@click.option("--profile", default="generic", show_default=True, metavar="NAME", help="What is risky in this domain (data/profiles).")
@click.option("--mode", type=click.Choice(MODES), default="completo", show_default=True, help="How much the report says.")
@click.option("--model", default="", metavar="NAME|none", help="Entry of the provider chain; none: literal quotes, no language model.")
@click.option("--lang", "language", default="", metavar="LANG", help="Language of the report; default: the questions', else the video's.")
@click.option("--jobs", type=int, default=1, show_default=True, metavar="N", help="Videos at a time.")
@click.option("--engine", "runner", type=click.Choice(RUNNERS), default="auto", show_default=True, help="auto: Prefect if an API is set.")
@click.option("--media", type=click.Choice(MEDIA), default="copy", show_default=True, help="The video in the bundle.")
@click.option("--link-base", default="", metavar="URL", help="Web address under which DIR will be published.")
@click.option("--gap-log", type=_PATH, metavar="FILE", help="Private log of the questions that no video answers; default: none.")
@click.option("--config", type=_PATH, metavar="FILE.toml", help="Provider chain; default: ./frame-oracle.toml or the user's.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@_reading_options
def report(inputs: tuple[Path, ...], brief: Path | None, dry_run: bool, as_json: bool, verbose: bool, **given: Any) -> int:
    """Report on the videos in INPUT, folders or files: one bundle for each, index.html and batch.json."""
    from flows.run import preview, run_report
    from stages.brief import Brief, load_brief

    settings = _settings(**given)
    wanted = load_brief(brief) if brief else Brief()
    if dry_run:
        return preview(inputs, settings, wanted, as_json)
    return run_report(inputs, settings, wanted, as_json, verbose)


@oracle.command()
@click.argument("video", type=_PATH)
@click.option("--out", required=True, type=_PATH, metavar="FILE.parquet", help="File to write.")
@_reading_options
def evidence(video: Path, out: Path, as_json: bool, verbose: bool, **given: Any) -> int:
    """Only the reading: what is on the screen and in the speech of VIDEO, with its instants."""
    from flows.run import run_reading

    return run_reading(video, _absolute(out), _settings(out=out.parent, **given), as_json, verbose)


@oracle.command()
@click.argument("claims", metavar="CLAIMS.json", type=_PATH)
@click.option("--video", type=_PATH, help="The video that the claims are about.")
@click.option("--duration", type=float, metavar="SECONDS", help="Its length, where the video is not at hand.")
@click.option("--evidence", "evidence_file", type=_PATH, metavar="FILE.parquet", help="What was read in it.")
@_cache_option
@_json_option
def check(claims: Path, video: Path | None, duration: float | None, evidence_file: Path | None, cache: Path | None, as_json: bool) -> int:
    """Judge the statements in CLAIMS.json by the format: claims.json, or a list of {"base", "text", "instant_s", "evidence"}."""
    from flows.terminal import print_json, say
    from stages.check import check_claims, load_answers
    from stages.store import read_evidence

    answers = load_answers(claims)
    read = read_evidence(evidence_file) if evidence_file else None
    timeline, video_sha256 = _extent(video, duration, cache)
    judged = check_claims(answers, timeline, read, video_sha256=video_sha256)
    said = judged.as_json()
    for result in said["results"]:
        say(f"{result['index']}: {result['status']} {result['rule'] or ''} {result['detail'] or ''}".rstrip())
    say(f"{said['counts']['accepted']} of {said['counts']['total']} accepted")
    if as_json:
        print_json(said)
    return ExitCode.OK if judged.accepted else ExitCode.PARTIAL


@oracle.command()
@click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=_PATH)
@_json_option
def verify(bundles: tuple[Path, ...], as_json: bool) -> int:
    """Open each BUNDLE and check its hashes, links, proofs and format."""
    from flows.terminal import print_json, say
    from stages.deliver import verify_bundle

    found: list[dict[str, Any]] = []
    for folder in bundles:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder.", hint="Give a bundle: the folder that holds report.html.")
        problems = verify_bundle(folder)
        found.append({"bundle": str(folder), "good": not problems, "problems": list(problems)})
        for line in problems or ("good",):
            say(f"{folder}: {line}")
    if as_json:
        print_json({"schema": "frame-oracle/verify/1", "bundles": found})
    return ExitCode.OK if all(bundle["good"] for bundle in found) else ExitCode.VERIFICATION_FAILED


@oracle.command()
@_cache_option
@_json_option
def doctor(cache: Path | None, as_json: bool) -> int:
    """Say what this machine has of what a run needs, and how to get the rest."""
    from flows.prefect_server import examine_prefect
    from flows.terminal import print_json, say
    from stages.doctor import Health, examine

    found = (*examine(_settings(out=Path.cwd(), cache=cache)), examine_prefect())
    for item in found:
        say(f"{item.health:8} {item.name}: {item.detail}{f' -> {item.fix}' if item.fix else ''}")
    if as_json:
        print_json({"schema": "frame-oracle/doctor/1", "checks": [item.as_json() for item in found]})
    return ExitCode.MISSING_DEPENDENCY if any(item.health is Health.MISSING for item in found) else ExitCode.OK


@oracle.group(invoke_without_command=True)
@click.pass_context
def models(context: click.Context) -> None:
    """Weights: what there is, what is here, and how to fetch it."""
    if context.invoked_subcommand is None:
        context.invoke(list_models)


@models.command("list")
@_json_option
def list_models(as_json: bool) -> int:
    """List the catalogue and what of it is on this machine."""
    from flows.terminal import print_json, say
    from stages.models import is_present
    from stages.models import list_models as catalogue

    known = [(spec, is_present(spec.name)) for spec in catalogue()]
    for spec, present in known:
        say(f"{'here' if present else '-':5} {spec.name}  {spec.size / 1e6:.0f} MB  {spec.kind}, {spec.licence}: {spec.about}")
    if as_json:
        listed = [{"name": spec.name, "kind": spec.kind, "bytes": spec.size, "licence": spec.licence, "here": here} for spec, here in known]
        print_json({"schema": "frame-oracle/models/1", "models": listed})
    return ExitCode.OK


@models.command("get")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@_json_option
def get_models(names: tuple[str, ...], as_json: bool) -> int:
    """Fetch each NAME, or find it verified."""
    from flows.terminal import fetching, print_json, say
    from stages.models import fetch_model

    places: dict[str, str] = {}
    for name in names:
        with fetching(name) as progress:
            places[name] = str(fetch_model(name, progress))
        say(f"{name}: {places[name]}")
    if as_json:
        print_json({"schema": "frame-oracle/models/1", "fetched": places})
    return ExitCode.OK


def _settings(*, out: Path, cache: Path | None, config: Path | None = None, **given: Any) -> Settings:
    """The one place where arguments become settings."""
    from stages.configuration import configuration_file, load_providers

    if "profile" in given:
        from stages.profile import load_profile

        load_profile(given["profile"])
    if given.get("gap_log"):
        from stages.gap_record import require_private

        given["gap_log"] = _absolute(given["gap_log"])
        require_private(given["gap_log"], _absolute(out))
    providers = load_providers(configuration_file(config)) if "model" in given else ()
    return Settings(out=_absolute(out), cache=_absolute(cache or default_cache()), providers=providers, **given)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay as given


def _extent(video: Path | None, duration: float | None, cache: Path | None) -> tuple[Timeline | None, str]:
    """The extent of the video, from the file that would be delivered of it or from the length that was given, and its SHA-256."""
    from stages.instant import Timeline

    if video and duration is not None:
        raise UsageError("--video and --duration say the same thing.", hint="Give one of them.")
    if duration is not None:
        try:
            return Timeline.of_seconds(duration), ""
        except ValueError as error:
            raise UsageError(f"--duration: {error}.", hint="Give seconds.") from error
    if video is None:
        return None, ""
    from stages.ingest import ingest
    from stages.store import StageStore

    settings = _settings(out=Path.cwd(), cache=cache)
    found = ingest(video, "video", settings, StageStore(settings.cache))
    return found.timeline, found.sha256


if __name__ == "__main__":
    sys.exit(main())
