"""The commands of those who keep it running: look after the cache, watch a folder, serve schedules, measure what a machine can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from flows.options import PATH, cache_option, json_option, make_settings, reading_options, report_options
from stages.errors import ExitCode, UsageError
from stages.settings import Settings, default_cache

__all__ = ["bench", "cache", "serve", "submit", "watch"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _bytes(_context: click.Context, _option: click.Parameter, given: str | None) -> int | None:
    """`20G`, `500MB`, `1.5 GB`, `1000`, decimal."""
    if given is None:
        return None
    text = given.upper().replace(" ", "").removesuffix("B")
    unit = text[-1:] if text[-1:].isalpha() else ""
    try:
        return round(float(text.removesuffix(unit)) * _UNITS[unit])
    except (ValueError, KeyError) as error:
        raise click.BadParameter(f"{given!r} is not a size: give 500M or 20G.") from error


def _cache(given: Path | None) -> Path:
    """The folder that was given, which is one: a name typed wrong would look like an empty cache."""
    if given is not None and not given.is_dir():
        raise UsageError(f"--cache: {given}: no such folder.", hint="Give the folder that a run was given as --cache.")
    return given or default_cache()


@click.group()
def cache() -> None:
    """Results of stages, kept between runs."""


@cache.command("list")
@cache_option
@json_option
def list_cache(cache: Path | None, as_json: bool) -> int:
    """Say what is kept, how large it is, and what dead runs left."""
    from flows.terminal import print_json, say
    from stages.entries import list_entries

    root = _cache(cache)
    entries = list_entries(root)
    stages = {
        stage: (len(sizes), sum(sizes))
        for stage in sorted({entry.stage for entry in entries})
        if (sizes := [entry.size for entry in entries if entry.stage == stage])
    }
    for stage, (number, size) in stages.items():
        say(f"{stage or 'left by dead runs'}: {number} {'results' if stage else 'scratch'}, {size / 1e6:.2f} MB")
    say(f"{sum(size for _, size in stages.values()) / 1e6:.2f} MB in {root}")
    if as_json:
        listed = [{"stage": entry.stage, "path": str(entry.path), "bytes": entry.size, "used": entry.used_s} for entry in entries]
        print_json({"schema": "frame-oracle/cache/1", "cache": str(root), "entries": listed})
    return ExitCode.OK


@cache.command("prune")
@click.option("--older-than", type=click.FloatRange(min=0), metavar="DAYS", help="Remove what was not used for so many days.")
@click.option("--max-size", callback=_bytes, metavar="SIZE", help="Then remove the longest unused until so much is left, such as 20G.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@cache_option
@json_option
def prune_cache(older_than: float | None, max_size: int | None, dry_run: bool, cache: Path | None, as_json: bool) -> int:
    """Remove what dead runs left, and results by age and size. Refused while a run uses the cache."""
    from flows.terminal import print_json, say
    from stages.entries import prune

    root = _cache(cache)
    gone = prune(root, older_than * 86400 if older_than is not None else None, max_size, keep=dry_run)
    freed = sum(entry.size for entry in gone)
    say(f"{'would free' if dry_run else 'freed'} {freed / 1e6:.2f} MB of {root}: {len(gone)} entries")
    if as_json:
        listed = [{"stage": entry.stage, "path": str(entry.path), "bytes": entry.size} for entry in gone]
        print_json({"schema": "frame-oracle/cache/1", "cache": str(root), "removed": not dry_run, "bytes": freed, "entries": listed})
    return ExitCode.OK


@click.command()
@click.argument("folder", type=PATH)
@report_options
@click.option("--settle", "settle_s", type=float, default=10.0, show_default=True, metavar="S", help="A file unchanged so long is whole.")
@click.option("--every", "every_s", type=float, default=5.0, show_default=True, metavar="S", help="Look this often.")
@click.option("--once", is_flag=True, help="End with the first report, or when there is nothing to do.")
@reading_options
def watch(
    folder: Path,
    brief: Path | None,
    settle_s: float,
    every_s: float,
    once: bool,
    events: Path | None,
    as_json: bool,
    verbose: bool,
    **given: Any,
) -> int:
    """Report on the videos that come into FOLDER, each when it is whole, until interrupted."""
    from flows.run import run_report
    from flows.watch_folder import require_private, watch_folder
    from stages.brief import Brief, load_brief
    from stages.configuration import configuration_file

    if settle_s <= 0 or every_s <= 0:
        raise UsageError("--settle and --every are more than 0 seconds.", hint="Correct the value.")
    for path in (brief, configuration_file(given["config"])):
        if path is not None:
            require_private(path)
    settings, wanted = make_settings(**given), load_brief(brief) if brief else Brief()

    def report(taken: Settings) -> int:
        return run_report([folder], taken, wanted, as_json, verbose, events)

    return watch_folder(folder, settings, report, settle_s, every_s, once)


@click.command()
@click.argument("folder", type=PATH)
@click.option("--out", required=True, type=PATH, metavar="DIR", help="Folder for the bundles.")
@click.option("--brief", type=PATH, metavar="FILE.toml", help="Questions, language, recipient.")
@click.option("--cron", default="", metavar="CRON", help="When to run, such as '0 2 * * *'; default: only when somebody asks.")
@click.option("--name", default="videos", show_default=True, help="Name of the deployment in Prefect's interface.")
def serve(folder: Path, out: Path, brief: Path | None, cron: str, name: str) -> int:
    """Offer reports on FOLDER in Prefect's interface, on a schedule and on request, until interrupted."""
    from flows.schedules import serve_reports

    serve_reports(folder, out, brief, cron, name)
    return ExitCode.OK


@click.command()
@click.argument("source")
@click.option("--out", required=True, metavar="URL", help="Where the bundles go: a folder, or s3://bucket/folder.")
@click.option("--deployment", default="report-shared/shared", show_default=True, help="What works on each video.")
@click.option("--brief", default="", metavar="FILE.toml", help="Questions, language, recipient; a file of the workers' machines.")
@click.option("--profile", default="generic", show_default=True, metavar="NAME", help="What is risky in this domain (data/profiles).")
@click.option("--model", default="", metavar="NAME|none", help="Entry of the provider chain of the workers.")
@json_option
def submit(source: str, out: str, deployment: str, as_json: bool, **parameters: str) -> int:
    """Give the videos below SOURCE, a folder or s3://bucket/folder, to the workers of a pool, and wait for all of them."""
    from flows.schedules import submit_videos
    from flows.terminal import print_json

    ended = submit_videos(source, out, deployment, parameters)
    if as_json:
        print_json({"schema": "frame-oracle/submitted/1", "out": out, "videos": ended})
    return ExitCode.OK if all(how.startswith("Completed") for how in ended.values()) else ExitCode.PARTIAL


@click.command()
@click.argument("video", type=PATH)
@click.option("--brief", type=PATH, metavar="FILE.toml", help="Questions; without them no language model is asked.")
@click.option("--model", default="", metavar="NAME|none", help="Entry of the provider chain.")
@click.option("--config", type=PATH, metavar="FILE.toml", help="Provider chain; default: ./frame-oracle.toml or the user's.")
@reading_options
def bench(video: Path, brief: Path | None, cache: Path | None, as_json: bool, verbose: bool, **given: Any) -> int:
    """Measure what each stage costs on this machine for VIDEO; nothing is taken from the cache and nothing is kept."""
    from flows.measure import bench_video
    from stages.brief import Brief, load_brief

    given_brief = load_brief(brief) if brief else Brief()
    given["local_only"] = given_brief.local_only
    wanted = given_brief.for_video(video.name)
    return bench_video(video, wanted, lambda out, own: make_settings(out=out, cache=own, **given), cache or default_cache(), as_json)
