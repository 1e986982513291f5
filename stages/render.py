"""From a report's view to its files: the page, the paper, the pages that the paper links to, the index of a batch.

Everything that was read, said, named or answered is untrusted text. It goes through one environment that escapes without exception:
choosing by file name, as `select_autoescape` does, leaves a template named `report.html.j2` unescaped. The page runs no code but ours,
which a policy with hashes holds it to, and asks nothing of any network.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stages.batch_record import BatchRecord
from stages.deep_link import seconds
from stages.paper import LaidOut, laid_out
from stages.store import digest
from stages.view import ReportView
from stages.wording import wording

__all__ = ["render_html", "render_index", "render_pages", "render_pdf", "render_readme", "render_single", "templates_digest"]

_PLAYER_WORDS: Final = (
    "at",
    "unknown_code",
    "no_instant",
    "missing",
    "too_short",
    "other_file",
    "other_picture",
    "no_media",
    "line",
    "shown",
)
"""What the player may have to say, of the catalogue's table `player`."""

_UNPRINTABLE: Final = dict.fromkeys([*(code for code in range(0x20) if code not in (0x9, 0xA, 0xD)), 0x7F, *range(0xD800, 0xE000)], 0xFFFD)
"""Controls, and halves of surrogate pairs, which cannot be written as UTF-8."""


def render_html(view: ReportView) -> str:
    """`report.html`: one file that needs nothing but the video beside it."""
    t = wording(view.language)
    words = {name: t.texts[f"player.{name}"] for name in _PLAYER_WORDS}
    style = _style("style.css") + _screen_shape(view, "#player")
    return _rendered("report.html.j2", view.language, view=view, style=style, script=_text("player.js"), words=words)


def render_pdf(view: ReportView) -> LaidOut:
    """`report.pdf`: tagged (PDF/UA-1), with no date and an identifier made from its content, so that the same report has the same bytes."""
    pictures: dict[str, bytes] = {}

    def picture(content: bytes) -> str:
        """An address made of the content: a picture that is shown twice is in the file once."""
        address = f"picture:{hashlib.sha256(content).hexdigest()[:32]}"
        pictures[address] = content
        return address

    page = _rendered("report.pdf.html.j2", view.language, view=view, style=_text("paper.css"), picture=picture)
    return laid_out(page, hashlib.sha256(page.encode()).hexdigest()[:32], pictures)


def render_pages(view: ReportView) -> Mapping[str, str]:
    """By path in the bundle, the page that each delivered link of the PDF opens."""
    style = _style("style.css")
    return {item.link.page: _rendered("go.html.j2", view.language, view=view, item=item, style=style) for item in view.claims if item.link}


def render_single(view: ReportView, clips: Mapping[str, Any], budget_bytes: int) -> str:
    """The report in one page for mail; `clips` are the pieces of video that it carries, by claim code."""
    style = _style("style.css") + _screen_shape(view, "video.clip")
    given = {"view": view, "clips": clips, "budget_mb": round(budget_bytes / 1e6, 1), "style": style}
    return _rendered("single.html.j2", view.language, **given)


def render_readme(view: ReportView) -> str:
    """`README.txt`: plain text, so nothing is escaped; a name keeps to its line."""
    template = _environment().overlay(autoescape=False).get_template("README.txt.j2")
    return template.render(view=view, t=wording(view.language), title=" ".join(view.title.split())).translate(_UNPRINTABLE)


def render_index(record: BatchRecord, language: str, archive: bool = False) -> str:
    """`index.html` of a batch: one row per video, with links to its report. Without a language, in the one that most reports are in."""
    most = Counter(row.language for row in record.videos if row.language).most_common(1)
    language = language or (most[0][0] if most else "")
    given = {"record": record, "archive": archive, "compared": record.compared, "style": _style("style.css"), "script": _text("index.js")}
    return _rendered("index.html.j2", language, **given)


@cache
def templates_digest() -> str:
    """SHA-256 over every template, style, script and catalogue: a report made with others is another report."""
    folder = files("templates")
    inside = [(path.name, path) for path in folder.iterdir() if path.is_file() and not path.name.endswith(".py")]
    inside += [(f"i18n/{path.name}", path) for path in folder.joinpath("i18n").iterdir()]
    return digest(*(part for name, path in sorted(inside) for part in (name, path.read_text("utf-8"))))


def _rendered(template: str, language: str, **given: Any) -> str:
    """The page. Characters that no page may hold, which a model's answer can, are shown as U+FFFD."""
    form = {"paper": template == "report.pdf.html.j2", "single": template == "single.html.j2"}
    return _environment().get_template(template).render(t=wording(language), **form, **given).translate(_UNPRINTABLE)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("templates", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"jpeg_uri": _jpeg_uri, "mp4_uri": _mp4_uri, "csp_hash": _csp_hash, "inline": _inline, "seconds": seconds}
    environment.globals["direction"] = _direction
    return environment


def _direction(text: str) -> Markup:
    """The attribute of an element on paper that holds `text`: the layout does not find out by itself which way it runs."""
    strong = next((kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return Markup("") if strong == "L" else Markup(' dir="rtl"')


def _screen_shape(view: ReportView, player: str) -> str:
    """The size of `player`, a selector: as wide as there is room, half the window high at most, and below it room for controls."""
    if not view.video.has_picture:
        return ""
    width, height = view.video.width, view.video.height

    def shape(tallest: str) -> str:
        return (
            f"{player}{{max-height:none;width:min(100cqw,{tallest}*{width}/{height});"
            f"height:calc(min(100cqw*{height}/{width},{tallest}) + 4.6rem)}}"
        )

    return f"@supports(width:1cqw){{{shape('42vh')}@media(max-width:900px){{{shape('30vh')}}}}}\n"


def _style(name: str) -> str:
    return _text("glyphs.css") + _text(name)


@cache
def _text(name: str) -> str:
    return files("templates").joinpath(name).read_text("utf-8")


def _inline(ours: str) -> Markup:
    """The content of a `<style>` or `<script>`, which HTML does not unescape; only files of ours come here."""
    if "</" in ours:
        raise ValueError("an inlined file cannot hold `</`, which would end its element")
    return Markup(ours)  # noqa: S704 - a file of this package


def _csp_hash(ours: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()


def _jpeg_uri(picture: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(picture).decode()


def _mp4_uri(clip: bytes) -> str:
    return "data:video/mp4;base64," + base64.b64encode(clip).decode()
