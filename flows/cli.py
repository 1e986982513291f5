"""The command line: arguments to `Settings`, the order or the flow, errors to exit codes.

stdout carries one JSON object with `--json` and nothing otherwise; what people read goes to stderr. Modules load when a command needs
them: `--help` answers at once, and a report starts its first video within seconds.
"""

from __future__ import annotations

import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from flows.options import PATH, absolute, cache_option, json_option, make_settings, reading_options, report_options
from flows.upkeep import bench, cache, serve, submit, watch
from stages.errors import ExitCode, FrameOracleError, UsageError
from stages.settings import default_cache

if TYPE_CHECKING:
    from stages.instant import Timeline

__all__ = ["main"]

_EPILOG: Final = (
    "Exit status: 0 all good, 1 usage or settings, 2 no usable input, 3 finished but something failed or was refused, "
    "4 an output failed verification, 5 a dependency or model is missing, 6 no provider answered, 11 locked by another run, "
    "15 internal error, 130 interrupted."
)


def main() -> int:
    """Run the command line; returns the exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(oracle.main(prog_name="frame-oracle", standalone_mode=False) or ExitCode.OK)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()  # the help, on lines of its own
        return ExitCode.USAGE
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


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(package_name="frame-oracle")
def oracle() -> None:
    """Videos to reports in which every statement says where it comes from, and every read one opens the video at its instant."""


@oracle.command(epilog=_EPILOG)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, type=PATH)
@report_options
@click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")
@reading_options
def report(
    inputs: tuple[Path, ...], brief: Path | None, dry_run: bool, events: Path | None, as_json: bool, verbose: bool, **given: Any
) -> int:
    """Report on the videos in INPUT, folders or files: one bundle for each, index.html and batch.json."""
    from flows.preview import preview
    from flows.run import run_report
    from stages.brief import Brief, load_brief

    settings = make_settings(**given)
    wanted = load_brief(brief) if brief else Brief()
    if dry_run:
        return preview(inputs, settings, wanted, as_json)
    return run_report(inputs, settings, wanted, as_json, verbose, events)


@oracle.command()
@click.argument("video", type=PATH)
@click.option("--out", required=True, type=PATH, metavar="FILE.parquet", help="File to write.")
@reading_options
def evidence(video: Path, out: Path, as_json: bool, verbose: bool, **given: Any) -> int:
    """Only the reading: what is on the screen and in the speech of VIDEO, with its instants."""
    from flows.run import run_reading

    return run_reading(video, absolute(out), make_settings(out=out.parent, **given), as_json, verbose)


@oracle.command()
@click.argument("claims", metavar="CLAIMS.json", type=PATH)
@click.option("--video", type=PATH, help="The video that the claims are about.")
@click.option("--duration", type=float, metavar="SECONDS", help="Its length, where the video is not at hand.")
@click.option("--evidence", "evidence_file", type=PATH, metavar="FILE.parquet", help="What was read in it.")
@cache_option
@json_option
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
@click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=PATH)
@json_option
def verify(bundles: tuple[Path, ...], as_json: bool) -> int:
    """Open each BUNDLE and check its hashes, links, proofs and format."""
    from flows.terminal import print_json, say
    from stages.deliver import verify_bundle
    from stages.manifest import MANIFEST

    found: list[dict[str, Any]] = []
    for folder in bundles:
        if not (folder / MANIFEST).is_file() and not (folder / "report.html").is_file():
            what = "holds no report" if folder.is_dir() else "is a file; unpack it first" if folder.is_file() else "no such folder"
            raise UsageError(f"{folder}: {what}.", hint="Give a bundle: the folder that holds report.html.")
        problems = verify_bundle(folder)
        found.append({"bundle": str(folder), "good": not problems, "problems": list(problems)})
        for line in problems or ("good",):
            say(f"{folder}: {line}")
    if as_json:
        print_json({"schema": "frame-oracle/verify/1", "bundles": found})
    return ExitCode.OK if all(bundle["good"] for bundle in found) else ExitCode.VERIFICATION_FAILED


@oracle.command()
@click.argument("bundle", metavar="BUNDLE", type=PATH)
@click.option("--url", required=True, metavar="URL", help="Address of a time-stamping authority (RFC 3161).")
@json_option
def stamp(bundle: Path, url: str, as_json: bool) -> int:
    """Have an authority stamp BUNDLE's manifest: proof of when it existed. Needs a network; only a hash goes out."""
    from flows.terminal import print_json, say
    from stages.stamp import stamp as stamp_bundle

    target, moment = stamp_bundle(absolute(bundle), url)
    say(f"{target}: {moment}. To check it: openssl ts -verify -data {bundle / 'manifest-sha256.txt'} -in {target} -CAfile AUTHORITY.pem")
    if as_json:
        print_json({"schema": "frame-oracle/stamp/1", "bundle": str(bundle), "stamp": str(target), "time": moment})
    return ExitCode.OK


@oracle.command()
@cache_option
@json_option
def doctor(cache: Path | None, as_json: bool) -> int:
    """Say what this machine has of what a run needs, and how to get the rest."""
    from flows.prefect_server import examine_prefect
    from flows.terminal import print_json, say
    from stages.doctor import Health, examine

    found = (*examine(make_settings(out=Path.cwd(), cache=cache)), examine_prefect())
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
@json_option
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
@json_option
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

    settings = make_settings(out=Path.cwd(), cache=cache)
    found = ingest(video, "video", settings, StageStore(settings.cache))
    return found.timeline, found.sha256


for _command in (cache, watch, serve, submit, bench):
    oracle.add_command(_command)

if __name__ == "__main__":
    sys.exit(main())
