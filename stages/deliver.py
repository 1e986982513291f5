"""From findings to a delivered bundle: made beside, tested, verified, and only then put in its place.

A reader must never find half a report, nor a new page beside an old video. So the bundle is built in a hidden folder next to its final
place, every link is opened in the very file that is delivered, the finished folder is verified as a stranger would verify it, and a
rename puts it there. A bundle that is already there, whole and made of the same things, is left as it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from stages.archive import archive_path, write_archive
from stages.brief import VideoBrief
from stages.claims_json import claims_json
from stages.deep_link import media_path
from stages.engines.screen_reader import identify_reader, open_reader
from stages.entries import NotStored, digests
from stages.errors import StageFailed, VerificationFailed
from stages.evidence import EvidenceSet
from stages.exports import exported
from stages.findings import Findings
from stages.fonts import lacking
from stages.link_check import open_links
from stages.manifest import MANIFEST, manifest_problems, write_manifest
from stages.profile import load_profile
from stages.proof import make_proofs
from stages.render import render_html, render_pages, render_pdf, render_readme, templates_digest
from stages.report import build_view
from stages.settings import Settings
from stages.single_file import SingleFile, write_single_file
from stages.store import digest, file_sha256, write_evidence
from stages.unanswered import withdrawn
from stages.verify import machine_paths, verify_bundle
from stages.video import Video
from stages.view import Proof, ReportView

__all__ = ["Bundle", "Counts", "deliver", "verify_bundle"]

_VERSION: Final = 6
"""Raised when the same findings would be delivered differently."""
_RUN_SCHEMA: Final = "frame-oracle/run/1"
_PROOFS_DONE: Final = 0.6
"""Share of the work that is done when every link was opened."""

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a delivered report states, after the claims whose link did not hold were withdrawn."""

    claims: Mapping[str, int]
    """By base."""
    rejections: int
    gaps: int
    seal: str
    """Level of the confidence seal."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A delivered folder."""

    folder: Path
    links: int
    """Read claims whose link was tested."""
    links_verified: int
    counts: Counts
    single: SingleFile | None = None
    """The page for mail, where one was asked for and made."""
    fonts: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """By the Debian package that has them, the scripts that the PDF shows as boxes because no font of this machine has them."""
    reused: bool = False
    """True when the folder was there already, whole and made of the same things."""


def _silent(fraction: float) -> None:
    """The default of `progress`."""


def deliver(
    video: Video,
    evidence: EvidenceSet,
    findings: Findings,
    settings: Settings,
    brief: VideoBrief,
    progress: Progress = _silent,
) -> Bundle:
    """Write the bundle of one video to `settings.out/<slug>/`, or find it there unchanged. `progress` gets fractions 0..1.

    Raises `StageFailed` when something else has that name, and `VerificationFailed` when what was made does not hold what it promises;
    then what was there before stays. In a dry run, `NotStored` unless it is there unchanged.
    """
    target = settings.out / video.slug
    made_of = _made_of(video, evidence, findings, settings, brief)
    if kept := _unchanged(target, made_of, settings):
        return kept
    if settings.dry:
        raise NotStored("deliver", _why_not_kept(target, made_of))
    _require_ours(target)
    with _scratch(target) as folder:
        view, counts, fonts = _build(folder, video, evidence, findings, settings, brief, made_of, progress)
        problems = [*verify_bundle(folder, deep=False), *machine_paths(folder, [video.media.parent])]
        if problems:
            message = f"{video.source_name}: the report does not hold what it promises ({'; '.join(problems[:3])})."
            raise VerificationFailed(message, hint="This is a defect of the program; nothing was delivered.", code="bundle_problems")
        single = _single(target, view, folder, video, settings)
        if target.exists():
            _drop_outdated(target, settings)
        _put_in_place(folder, target)
    if settings.archive:
        write_archive(target)
    progress(1.0)
    return Bundle(target, len(view.read), len(view.read), counts, single, fonts)


def _single(target: Path, view: ReportView, folder: Path, video: Video, settings: Settings) -> SingleFile | None:
    if not settings.single_file_mb:
        return None
    media = folder / view.media if view.media else video.media
    return write_single_file(_single_path(target), view, media, int(settings.single_file_mb * 1e6))


def _single_path(target: Path) -> Path:
    return target.with_name(f"{target.name}.html")


def _made_of(video: Video, evidence: EvidenceSet, findings: Findings, settings: Settings, brief: VideoBrief) -> dict[str, str]:
    """Everything that a bundle is made of, as digests. The records are frozen and their `repr` holds every field."""
    parts = {
        "program": repr((_VERSION, version("frame-oracle"), version("weasyprint"))),
        "templates": templates_digest(),
        "screen reader": repr((settings.ocr, identify_reader(settings))),
        "speech": repr((Path(settings.whisper_model).name, settings.speech_language, settings.audio_track)),
        "model": settings.model,
        "media": settings.media,
        "single file": str(settings.single_file_mb),
        "link base": settings.link_base,
        "mode": settings.mode,
        "profile": repr(load_profile(settings.profile)),
        "url": brief.url,
        "recipient": brief.recipient,
        "recorded": repr(brief.recorded),
        "questions": repr(brief.questions),
        "language": findings.language,
        "video": repr(dataclasses.replace(video, source=Path(), media=Path())),
        "reading": repr(evidence),
        "answers": repr(dataclasses.replace(findings, language="")),
    }
    return digests(parts)


def _bundle_key(made_of: Mapping[str, str]) -> str:
    return digest(*(part for item in made_of.items() for part in item))


def _why_not_kept(target: Path, made_of: Mapping[str, str]) -> str:
    if not (target / MANIFEST).is_file():
        return "no report is there"
    try:
        other = dict(json.loads((target / "run.json").read_bytes())["made_of"])
    except (OSError, ValueError, KeyError, TypeError):
        return "what is there cannot be read"
    changed = [name for name, value in made_of.items() if other.get(name) != value]
    return f"changed: {', '.join(changed)}" if changed else "something lacks or was changed in what is there"


def _unchanged(target: Path, made_of: Mapping[str, str], settings: Settings) -> Bundle | None:
    """The bundle that is there, if it was made of the same things, no file has changed since and nothing that was asked for lacks."""
    if settings.single_file_mb and not _single_path(target).is_file():
        return None
    if settings.dry and settings.archive and not archive_path(target).is_file():
        return None
    try:
        run = json.loads((target / "run.json").read_bytes())
        kept = Bundle(target, int(run["links"]["tested"]), int(run["links"]["verified"]), Counts(**run["counts"]), reused=True)
        same = run["bundle_key"] == _bundle_key(made_of) and not run["fonts_lacking"]  # a font may have come
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not same or any(manifest_problems(target)):
        return None
    if settings.archive and not settings.dry:
        write_archive(target)
    return kept


def _require_ours(target: Path) -> None:
    """A folder that is no bundle holds somebody's work."""
    if target.is_symlink() or (target.exists() and not target.is_dir()) or (target.is_dir() and _foreign(target)):
        hint = "Move it away, or choose another --out."
        raise StageFailed(f"{target}: is there already and is not a report of this program.", hint=hint, code="not_ours")


def _foreign(target: Path) -> bool:
    return any(target.iterdir()) and not (target / MANIFEST).is_file()


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target`, gone afterwards; what killed runs left of this video goes too."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{target.name}.partial-*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.partial-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _drop_outdated(target: Path, settings: Settings) -> None:
    """What was made of the bundle that goes: beside a newer one it would be mailed as its own."""
    archive_path(target).unlink(missing_ok=True)
    if not settings.single_file_mb:
        _single_path(target).unlink(missing_ok=True)


def _put_in_place(folder: Path, target: Path) -> None:
    """Two renames; when the second fails the old bundle is put back."""
    old = folder.with_name(f"{folder.name}-old")
    if target.exists():
        target.rename(old)
    try:
        folder.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _build(
    folder: Path,
    video: Video,
    evidence: EvidenceSet,
    findings: Findings,
    settings: Settings,
    brief: VideoBrief,
    made_of: Mapping[str, str],
    progress: Progress,
) -> tuple[ReportView, Counts, Mapping[str, tuple[str, ...]]]:
    media = _copied(video, folder) if settings.media != "none" else video.media
    proofs = _proofs(media, evidence, findings, settings, progress)
    failed = {code: f"{proof.check.reason} {proof.check.detail}".strip() for code, proof in proofs.items() if not proof.check.verified}
    findings = withdrawn(findings, failed, evidence)
    held = {code: proof for code, proof in proofs.items() if code not in failed}
    view = build_view(video, evidence, findings, settings, brief, held)
    stated = dict(Counter(item.claim.base.value for item in view.claims))
    counts = Counts(stated, len(findings.rejections), len(findings.gaps), view.seal.level)
    paper = render_pdf(view)
    fonts = lacking(paper.unshown)
    texts = {
        "report.html": render_html(view),
        "README.txt": render_readme(view),
        "claims.json": claims_json(view, evidence, findings),
        "run.json": json.dumps(_run(view, settings, brief, made_of, counts, fonts), indent=1) + "\n",
        **render_pages(view),
        **exported(view, evidence),
    }
    binaries = {item.proof_path: item.proof.picture for item in view.claims if item.proof and item.proof.picture}
    for name, content in {**{name: text.encode() for name, text in texts.items()}, **binaries, "report.pdf": paper.pdf}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    write_evidence(folder / "evidence.parquet", evidence)
    write_manifest(folder)
    return view, counts, fonts


def _copied(video: Video, folder: Path) -> Path:
    """The delivered file in the bundle. Raises `StageFailed` when the copy is not the file that the instants were computed on."""
    media = folder / media_path(video.slug)
    media.parent.mkdir()
    shutil.copyfile(video.media, media)
    if file_sha256(media) != video.media_sha256:
        hint = "Run again; if it happens again, the disk may be damaged."
        raise StageFailed(f"{video.source_name}: the delivered video changed while it was copied.", hint=hint, code="media_changed")
    return media


def _proofs(media: Path, evidence: EvidenceSet, findings: Findings, settings: Settings, progress: Progress) -> Mapping[str, Proof]:
    read = findings.read
    drawn: list[str] = []

    def tick(code: str) -> None:
        drawn.append(code)
        progress(_PROOFS_DONE * len(drawn) / len(read))

    return make_proofs(open_links(media, evidence.timeline, read, partial(open_reader, settings)), evidence.timeline, tick)


def _run(
    view: ReportView,
    settings: Settings,
    brief: VideoBrief,
    made_of: Mapping[str, str],
    counts: Counts,
    fonts: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    """What the report was made of and with: no date, no path, so that the same work gives the same bytes."""
    name, model = identify_reader(settings)
    return {
        "schema": _RUN_SCHEMA,
        "bundle_key": _bundle_key(made_of),
        "made_of": made_of,
        "software": dict(view.software),
        "settings": dict(view.settings),
        "original_sha256": view.video.sha256,
        "media_sha256": view.video.media_sha256,
        "readers": {channel.value: list(of.engines) for channel, of in view.channels.items()},
        "screen_reader": name,
        "screen_reader_model": model,
        "provider": {**dataclasses.asdict(view.provider), "model_sha256": view.model_sha256},
        "links": {"tested": len(view.read), "verified": len(view.read)},
        "media": settings.media,
        "mode": settings.mode,
        "profile": settings.profile,
        "url": brief.url,
        "link_base": settings.link_base,
        "counts": dataclasses.asdict(counts),
        "fonts_lacking": fonts,
    }
