"""What a report states and what was read, in the forms other programs open: a table of the claims, subtitles, questions for DuckDB.

Every text in them was read, said or answered by somebody else. A spreadsheet runs a cell that starts with `=`, a caption's markup is
rendered by players, an empty line ends a cue: each form has its own way to be fooled and is written so that it cannot be.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Final

from stages.evidence import Channel, Evidence, EvidenceSet, Kind
from stages.instant import clock
from stages.view import ClaimView, ReportView

__all__ = ["claims_csv", "exported"]

_COLUMNS: Final = (
    "id", "base", "question", "text", "clock", "instant_ms", "evidence", "quote", "status", "values", "support",
    "premises", "source", "link",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that spreadsheets take for a formula, in full width too (OWASP, CSV Injection)."""
_LINE: Final = 84
"""Characters of one cue: two lines of 42, what people read at a glance (BBC Subtitle Guidelines)."""


def exported(view: ReportView, evidence: EvidenceSet) -> Mapping[str, str]:
    """By path in the bundle: `claims.csv`, `queries.sql`, and the subtitles of each channel that has any."""
    said = {"claims.csv": claims_csv(view), "queries.sql": files("templates").joinpath("queries.sql").read_text("utf-8")}
    for channel in Channel:
        if cues := list(_cues(item for item in evidence.of(channel) if item.trusted and item.kind is not Kind.FRAME)):
            said[f"subtitles/{channel}.vtt"] = _vtt(cues)
            said[f"subtitles/{channel}.srt"] = _srt(cues)
    return said


def claims_csv(view: ReportView) -> str:
    """One row per claim, with a byte-order mark, without which spreadsheets misread accents. A cell that would be a formula gets a `'`."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(_COLUMNS)
    asked = {answer.question.number: answer.question.text for answer in view.answers if answer.question}
    for item in view.claims:
        rows.writerow([_cell(value) for value in _row(item, asked)])
    return "\ufeff" + out.getvalue()


def _row(item: ClaimView, asked: Mapping[int, str]) -> Iterator[str]:
    claim, read = item.claim, item.read
    yield from (claim.id, claim.base.value, asked.get(claim.question or 0, ""), claim.text)
    if read:
        yield from (clock(read.instant.ms), str(read.instant.ms), " ".join(cited.id for cited in read.evidence), read.quote)
        yield from (read.checks.status, read.checks.values, f"{read.checks.support:g}", "", "", item.link.page if item.link else "")
    else:
        premises = " ".join(premise.id for premise in getattr(claim, "premises", ()))
        yield from ("", "", "", "", "", "", "", premises, getattr(claim, "source", ""), "")


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cues(items: Iterable[Evidence]) -> Iterator[tuple[int, int, str]]:
    """Start and end in ms and the text of each caption; long speech is cut between words, at their times."""
    for item in items:
        if len(item.text) <= _LINE or not item.words:
            yield item.span.start.ms, item.span.end.ms, _one_line(item.text)
            continue
        start, line, end = 0, "", 0
        for word in item.words:
            longer = f"{line} {word.text.strip()}".strip()
            if line and len(longer) > _LINE:
                yield start, end, _one_line(line)
                line, longer = "", word.text.strip()
            if not line:
                start = word.span.start.ms
            line, end = longer, word.span.end.ms
        if line:
            yield start, end, _one_line(line)


def _one_line(text: str) -> str:
    """An empty line would end the cue."""
    return " ".join(text.split())


def _vtt(cues: Iterable[tuple[int, int, str]]) -> str:
    escaped = ((start, end, text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) for start, end, text in cues)
    return "WEBVTT\n\n" + "".join(f"{clock(start)} --> {clock(end)}\n{text}\n\n" for start, end, text in escaped)


def _srt(cues: Iterable[tuple[int, int, str]]) -> str:
    """SubRip has no escape: players render `<b>` and `{\\an8}`, so their first signs are written as their full-width twins."""
    blocks = []
    for number, (start, end, text) in enumerate(cues, start=1):
        times = f"{clock(start)} --> {clock(end)}".replace(".", ",")
        blocks.append(f"{number}\n{times}\n{text.replace('<', '＜').replace('{', '｛').replace('-->', '→')}\n\n")
    return "".join(blocks)
