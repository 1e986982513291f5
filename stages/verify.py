"""What a bundle promises, checked on the files themselves: by the one who makes it before delivery, by anybody afterwards.

"Delivered" is what this says, never the state of a scheduler. Nothing of the making is used: the claims are read back and made again
through their types, the PDF's actions are taken from the PDF, and the media is decoded where its links point.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import pikepdf

from stages.claim import Claim, ReadClaim
from stages.claims_json import ClaimsFile, claim_of, load_claims
from stages.deep_link import DeepLink, deep_link, media_path, proof_path
from stages.engines.screen_reader import open_reader
from stages.errors import FrameOracleError, VerificationFailed
from stages.evidence import EvidenceSet
from stages.link_check import open_links
from stages.manifest import manifest_problems
from stages.rule import RuleBroken
from stages.settings import Settings
from stages.store import file_sha256, read_evidence

__all__ = ["machine_paths", "verify_bundle"]

_REQUIRED: Final = ("report.html", "report.pdf", "claims.json", "evidence.parquet", "run.json", "README.txt")
_RUNS: Final = frozenset(
    {"/JavaScript", "/Launch", "/GoToR", "/GoToE", "/SubmitForm", "/ResetForm", "/ImportData", "/Rendition", "/Movie", "/Sound", "/Named"}
)
"""Kinds of action that a report has no use for, wherever in the PDF they are."""
_LINK_ACTIONS: Final = frozenset({"/URI", "/GoTo"})
"""The only ones that a link may hold."""
_CARRIERS: Final = frozenset({"/EmbeddedFile", "/Filespec"})


@dataclass(frozen=True, slots=True)
class _Bundle:
    """A bundle read back. `links` holds the addresses of the claims whose link was delivered."""

    folder: Path
    file: ClaimsFile
    run: Mapping[str, Any]
    evidence: EvidenceSet
    claims: Mapping[str, Claim]
    links: Mapping[str, DeepLink]


def verify_bundle(folder: Path, deep: bool = True) -> tuple[str, ...]:
    """The problems of a bundle, each naming its file; none when it holds what it promises.

    `deep` opens every delivered link in the media and reads again what is there, which takes decoding and the screen reader. Raises
    `VerificationFailed` when `folder` is no bundle at all, `MissingDependency` when the screen reader is not installed.
    """
    if not folder.is_dir():
        raise VerificationFailed(f"{folder}: is not a folder.", hint="Give the folder that holds report.html.", code="no_bundle")
    problems = [*manifest_problems(folder), *(f"{name}: missing" for name in _REQUIRED if not (folder / name).is_file())]
    try:
        bundle = _read(folder, problems)
    except FrameOracleError as error:
        problems.append(error.message)
    else:
        problems += [*_media_problems(bundle), *_page_problems(bundle), *_pdf_problems(bundle), *machine_paths(folder, [folder.resolve()])]
        if deep and bundle.file.video.media:
            problems += _link_problems(bundle)
    return tuple(dict.fromkeys(problems))


def machine_paths(folder: Path, paths: list[Path]) -> Iterator[str]:
    """A problem for each file of the bundle that holds one of `paths`, absolute, which are of the machine it was made on: as it stands in
    the file, and in what a PDF and a Parquet file compress.

    A path of one part, such as `/` or `/srv`, is in any text and says nothing.
    """
    telling = [form for path in paths if len(path.parts) > 2 for form in (os.fsencode(path), quote(str(path)).encode())]
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        if any(_holds(file, path) for path in telling) or any(path in part for part in _compressed(file) for path in telling):
            yield f"{file.relative_to(folder).as_posix()}: holds a path of the machine it was made on"


def _holds(file: Path, words: bytes) -> bool:
    with file.open("rb") as opened:
        if not file.stat().st_size:
            return False
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:  # a video may be larger than the memory
            return content.find(words) >= 0


def _compressed(file: Path) -> Iterator[bytes]:
    """What a search of the bytes of a PDF or a Parquet file misses: its streams and strings, its texts. Of a file that cannot be read,
    nothing: that it cannot is a problem of its own."""
    if file.suffix == ".pdf":
        with contextlib.suppress(OSError, pikepdf.PdfError), pikepdf.open(file) as pdf:
            for item in pdf.objects:
                if isinstance(item, pikepdf.Stream) and str(item.get("/Subtype")) != "/Image":
                    yield item.read_bytes()
                yield bytes(item) if isinstance(item, pikepdf.String) else item.unparse()
    elif file.suffix == ".parquet":
        with contextlib.suppress(FrameOracleError):
            yield os.fsencode("\n".join(f"{item.text}\n{item.engine}\n{item.model}" for item in read_evidence(file)))


def _read(folder: Path, problems: list[str]) -> _Bundle:
    file = load_claims(folder / "claims.json")
    run = _run_json(folder / "run.json")
    evidence = read_evidence(folder / "evidence.parquet")
    if (evidence.video_sha256, evidence.timeline.duration_ms) != (file.video.sha256, file.video.duration_ms):
        problems.append("evidence.parquet: is of another video than claims.json")
    claims: dict[str, Claim] = {}
    for entry in sorted(file.claims, key=lambda entry: bool(entry.premises)):
        try:
            claims[entry.id] = claim_of(entry, evidence, claims)
        except RuleBroken as broken:
            problems.append(f"claims.json: {entry.id}: {broken}")
    if len({entry.id for entry in file.claims}) != len(file.claims):
        problems.append("claims.json: claim ids repeat")
    linked = {entry.id for entry in file.claims if entry.link_verified}
    address = partial(deep_link, slug=file.video.slug, url=run["url"], link_base=run["link_base"])
    links = {name: address(claim) for name, claim in claims.items() if isinstance(claim, ReadClaim) and name in linked}
    return _Bundle(folder, file, run, evidence, claims, links)


def _run_json(path: Path) -> Mapping[str, Any]:
    try:
        run: dict[str, Any] = json.loads(path.read_bytes())
        for name in ("url", "link_base", "screen_reader"):
            if not isinstance(run[name], str):
                raise TypeError(f"{name} is not a text")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise VerificationFailed(f"{path.name}: cannot be used ({error!r}).", code="run_unreadable") from error
    return run


def _media_problems(bundle: _Bundle) -> Iterator[str]:
    video = bundle.file.video
    if not video.media:
        return
    if video.media != media_path(video.slug):
        yield f"claims.json: the video is at {video.media!r}, not at {media_path(video.slug)!r}"
    elif not (bundle.folder / video.media).is_file():
        yield f"{video.media}: missing"
    elif file_sha256(bundle.folder / video.media) != video.media_sha256:
        yield f"{video.media}: is not the video that the instants refer to"


class _Page(HTMLParser):
    """The ids and the addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src", "poster", "action", "data") and value is not None:
                self.addresses.append(value)


def _page_problems(bundle: _Bundle) -> Iterator[str]:
    """The page has every claim and every delivered link; each of those has its page; no address leads anywhere else."""
    pages = {"report.html": _page(bundle.folder / "report.html")}
    pages |= {link.page: _page(bundle.folder / link.page) for link in bundle.links.values()}
    report = pages["report.html"]
    yield from (f"report.html: has no place for {name}" for name in bundle.claims if name not in report.ids)
    for name, link in bundle.links.items():
        if bundle.file.video.media and link.media not in report.addresses:
            yield f"report.html: {name} does not link to {link.media}"
        if f"../report.html#{name}" not in pages[link.page].addresses:
            yield f"{link.page}: does not lead to {name}"
        if not (bundle.folder / proof_path(name)).is_file():
            yield f"{proof_path(name)}: missing"
    web = {link.web for link in bundle.links.values()}
    for name, page in pages.items():
        for address in page.addresses:
            if address not in web and not _inside(bundle.folder, name, address, pages):
                yield f"{name}: links to {address[:80]!r}, which is not in the bundle"


def _page(path: Path) -> _Page:
    try:
        return _Page(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return _Page("")  # missing or changed, which the manifest already told


def _inside(folder: Path, page: str, address: str, pages: Mapping[str, _Page]) -> bool:
    """Whether an address of a page is a picture in the page itself, or names a file of the bundle and, in a page, a place that exists."""
    if address.startswith("data:image/"):
        return True
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or parts.query:
        return False
    target = (folder / page).parent / unquote(parts.path) if parts.path else folder / page
    if not target.is_file() or not target.resolve().is_relative_to(folder.resolve()):
        return False
    named = pages.get(target.resolve().relative_to(folder.resolve()).as_posix())
    return named is None or not parts.fragment or parts.fragment in named.ids


def _pdf_problems(bundle: _Bundle) -> Iterator[str]:
    """Only actions that open a delivered link, each of them there; nothing embedded, nothing that runs."""
    expected = {link.pdf for link in bundle.links.values()} | {link.web for link in bundle.links.values() if link.web}
    found: set[str] = set()
    try:
        with pikepdf.open(bundle.folder / "report.pdf") as pdf:
            if "/StructTreeRoot" not in pdf.Root or "/Lang" not in pdf.Root:
                yield "report.pdf: is not tagged, or has no language"
            for kind, value in _pdf_parts(pdf):
                if kind == "uri":
                    found.add(value)
                else:
                    yield f"report.pdf: holds {value}"
    except (OSError, pikepdf.PdfError) as error:
        yield f"report.pdf: cannot be opened ({error})"
        return
    yield from (f"report.pdf: links to {uri[:80]!r}, which is no link of this report" for uri in sorted(found - expected))
    yield from (f"report.pdf: has no link to {uri!r}" for uri in sorted(expected - found))


def _pdf_parts(pdf: pikepdf.Pdf) -> Iterator[tuple[str, str]]:
    """`("uri", address)` of each URI action, `("forbidden", name)` of each thing that may not be in a report."""
    stack: list[Any] = list(pdf.objects)
    while stack:
        item = stack.pop()
        if isinstance(item, pikepdf.Array):
            stack += [part for part in item if not getattr(part, "is_indirect", False)]
        elif isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
            entries = dict(item.items())
            stack += [part for part in entries.values() if not getattr(part, "is_indirect", False)]
            yield from _told(entries)


def _told(entries: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What one dictionary of a PDF does."""
    kind, subtype, action = str(entries.get("/S")), str(entries.get("/Subtype")), entries.get("/A")
    if kind in _RUNS or "/JS" in entries or "/AA" in entries:
        yield "forbidden", f"an action ({kind if kind in _RUNS else 'a script'})"
    if str(entries.get("/Type")) == "/Annot" and subtype != "/Link":
        yield "forbidden", f"an annotation {subtype}"
    if subtype == "/Link" and isinstance(action, pikepdf.Dictionary) and str(action.get("/S")) not in _LINK_ACTIONS:
        yield "forbidden", f"a link with the action {action.get('/S')}"
    if str(entries.get("/Type")) in _CARRIERS or "/EmbeddedFiles" in entries:
        yield "forbidden", "an embedded file"
    if "/URI" in entries and kind == "/URI":
        yield "uri", str(entries["/URI"])


def _link_problems(bundle: _Bundle) -> Iterator[str]:
    """Each delivered link, opened again in the delivered media."""
    media = bundle.folder / bundle.file.video.media
    if not media.is_file():
        return
    claims = [claim for name, claim in bundle.claims.items() if isinstance(claim, ReadClaim) and name in bundle.links]
    engine = bundle.run["screen_reader"].split()[0]  # its name stands before its version
    reader = partial(open_reader, Settings(out=bundle.folder, ocr=engine))
    for link in open_links(media, bundle.evidence.timeline, claims, reader):
        if not link.check.verified:
            yield f"{bundle.file.video.media}: {link.claim.id} at {link.claim.instant}: {link.check.reason} ({link.check.detail})"
