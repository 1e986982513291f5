"""The order of the pipeline, written once: folder -> videos -> stages -> bundle.

Every stage goes through `step`, which either calls it or runs it as a Prefect task. One broken video never stops the others: the edge of
a video is the one place here that catches everything, and it turns what it caught into that video's row.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from flows.workers import Crew, Work, run_each
from stages.ask import ask
from stages.batch_record import BatchRecord, VideoOrder, VideoRow, delivered_row, exit_code_of, failed_row, require_own
from stages.brief import Brief
from stages.claims_json import load_claims
from stages.deliver import deliver
from stages.entries import FOLLOWS, NotStored, in_use
from stages.errors import NoUsableInput, UsageError
from stages.events import Planned, Watch, unwatched
from stages.evidence import Channel, EvidenceSet
from stages.findings import Question
from stages.gap_record import log_gaps, tickets
from stages.ingest import ingest
from stages.inputs import assign_slugs, find_inputs, shown_name
from stages.journal import Journal, Runner, call
from stages.ledger import Ledger
from stages.report_language import report_language
from stages.run_lock import held
from stages.screen import read_screen
from stages.settings import Settings
from stages.speech import read_speech
from stages.store import StageStore, file_sha256, write_evidence
from stages.validate import validate
from stages.video import Video

__all__ = ["plan", "preview_video", "read_video", "report_folder", "report_video", "write_reading"]

_Left = TypeVar("_Left")
_Right = TypeVar("_Right")

_STORED: Final = ("ingest", "screen", "speech", "ask", "deliver")
"""The stages whose result is kept."""


def report_folder(
    inputs: Sequence[Path], settings: Settings, brief: Brief, crew: Crew, watch: Watch = unwatched, work: Work | None = None
) -> BatchRecord:
    """Report on every video behind `inputs`; `work`, by default `report_video`, is what a worker does with one of them."""
    orders, ignored = plan(inputs, settings, brief)
    with held(settings.out):
        require_own(settings.out)
        watch(Planned({order.slug: order.name for order in orders}, brief.unmatched(order.source.name for order in orders)))
        ledger = Ledger(settings, orders, ignored, watch)
        ledger.write()
        try:
            run_each(work or report_video, orders, settings.jobs, ledger, crew)
        finally:  # also of an interrupted run: partial is a state
            ledger.close()
        record = ledger.record()
        if settings.gap_log:
            log_gaps(settings.gap_log, record.tickets)
    return record


def preview_video(order: VideoOrder) -> Mapping[str, str]:
    """Why each stage would run, and nothing where its result is there; makes and writes nothing.

    Raises what the run would: `InputRejected` for the file, `MissingDependency` for the machine.
    """
    found: dict[str, str] = {}

    def look(name: str, stage: Callable[[], _Left]) -> _Left:
        try:
            result = stage()
        except NotStored as missing:
            found[name] = missing.reason
            raise
        found[name] = ""
        return result

    with contextlib.suppress(NotStored):
        _report(replace(order, settings=replace(order.settings, dry=True)), Journal(order.slug, runner=look))
    return {name: found.get(name, FOLLOWS) for name in _STORED}


def report_video(order: VideoOrder, watch: Watch = unwatched, runner: Runner = call) -> VideoRow:
    """One video from file to bundle; whatever happens to it, it ends as its row."""
    return _at_the_edge(_report, order, Journal(order.slug, watch, runner))


def write_reading(target: Path, order: VideoOrder, watch: Watch = unwatched) -> VideoRow:
    """Read one video and write its evidence to `target`; whatever happens to it, it ends as its row."""
    return _at_the_edge(partial(_write_reading, target), order, Journal(order.slug, watch))


def _report(order: VideoOrder, journal: Journal) -> VideoRow:
    store = StageStore(order.settings.cache, journal.notice, order.settings.dry)
    step = journal.step

    video, evidence = read_video(order, store, journal)
    settings = replace(order.settings, language=report_language(order.settings, order.brief, evidence))
    questions = tuple(Question(number, text) for number, text in enumerate(order.brief.questions, start=1))

    answer = step("ask", lambda tick: ask(video, evidence, questions, settings, store, tick))
    findings = step("validate", lambda _: validate(answer.drafts, answer.provider, evidence, questions, settings.language))
    bundle = step("deliver", lambda tick: deliver(video, evidence, findings, settings, order.brief, tick))

    journal.notice("deliver", bundle.reused)
    stated = load_claims(bundle.folder / "claims.json")
    return delivered_row(
        order, video, evidence, journal.work,
        bundle=bundle.folder.name,
        language=settings.language,
        provider=" ".join(dict.fromkeys(filter(None, (findings.provider.name, findings.provider.model)))),
        exit_code=exit_code_of(findings.provider),
        unasked=len(findings.provider.unasked),
        failovers=findings.provider.failovers,
        claims=bundle.counts.claims,
        rejections=bundle.counts.rejections,
        gaps=bundle.counts.gaps,
        seal=bundle.counts.seal,
        clips=f"{bundle.single.clips} of {bundle.single.claims}" if bundle.single else "",
        fonts_lacking=bundle.fonts,
        stated=stated.stated,
        tickets=tickets(order.name, stated, settings.profile),
        links=bundle.links,
        links_verified=bundle.links_verified,
    )  # fmt: skip


def read_video(order: VideoOrder, store: StageStore, journal: Journal) -> tuple[Video, EvidenceSet]:
    """The reading alone: the delivered file first, then its screen and its speech side by side."""
    settings, step = order.settings, journal.step
    video = step("ingest", lambda tick: ingest(order.source, order.slug, settings, store, tick))
    screen, speech = _together(
        lambda: step("screen", lambda tick: read_screen(video, settings, store, tick)),
        lambda: step("speech", lambda tick: read_speech(video, settings, store, tick)),
    )
    parts = (screen.items, screen.coverage[Channel.TELA]), (speech.items, speech.coverage[Channel.FALA])
    return video, EvidenceSet.joined(video.sha256, video.timeline, parts)


def _write_reading(target: Path, order: VideoOrder, journal: Journal) -> VideoRow:
    video, evidence = read_video(order, StageStore(order.settings.cache, journal.notice), journal)
    write_evidence(target, evidence)
    return delivered_row(order, video, evidence, journal.work)


def _at_the_edge(work: Callable[[VideoOrder, Journal], VideoRow], order: VideoOrder, journal: Journal) -> VideoRow:
    try:
        with in_use(order.settings.cache):
            return work(order, journal)
    except Exception as error:  # nothing that one file does may stop the others
        logging.getLogger(__name__).exception("%s", order.name)
        return failed_row(order, next(iter(journal.unfinished), ""), error, sha256=_identity(order.source), work=dict(journal.work))


def plan(inputs: Sequence[Path], settings: Settings, brief: Brief) -> tuple[list[VideoOrder], tuple[str, ...]]:
    """What is to be done, without doing any of it: an order for each video, and the names of what is passed over.

    Raises `NoUsableInput` when there is none, and `UsageError` for an output inside an input: the next run would read its own reports.
    """
    if brief.local_only:
        settings = replace(settings, local_only=True)
    for folder in inputs:
        if folder.is_dir() and settings.out.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{settings.out}: the output lies inside the input {folder}.", hint="Give an --out beside it.")
    found = find_inputs(inputs)
    files = [path for path in found.files if path not in settings.passed_over]
    ignored = tuple(_name(path, inputs) for path in (*found.ignored, *sorted(settings.passed_over)))
    if not files:
        raise NoUsableInput(f"There is no video in {', '.join(map(str, inputs))}.", hint="Give a folder or files of video.")
    slugs = assign_slugs(found.files)
    return [VideoOrder(path, _name(path, inputs), slugs[path], brief.for_video(path.name), settings) for path in files], ignored


def _name(path: Path, inputs: Sequence[Path]) -> str:
    """The path below the folder that was given, else the file's name; safe to print."""
    for folder in inputs:
        root = Path(os.path.abspath(folder))  # noqa: PTH100 - as `find_inputs` spells it
        if path != root and path.is_relative_to(root):
            return "/".join(shown_name(Path(part)) for part in path.relative_to(root).parts)
    return shown_name(path)


def _identity(source: Path) -> str:
    """SHA-256 of a file that could not be read as a video, where it can be read at all."""
    try:
        return file_sha256(source) if source.is_file() else ""
    except OSError:
        return ""


def _together(left: Callable[[], _Left], right: Callable[[], _Right]) -> tuple[_Left, _Right]:
    """Both at the same time; waits for both also when one fails."""
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(contextvars.copy_context().run, right)
        return left(), other.result()
