"""The process that lays a page out as PDF, and what it is spared.

WeasyPrint's cost is Python objects, one set of styles for every element that differs from its neighbours, so a long report is cheap only
where nothing is computed that no page shows: `stages.paper` starts this and says what it gets and gives.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
from collections.abc import Mapping
from email.message import EmailMessage
from importlib.resources import files
from typing import Any, Final

from weasyprint import CSS, HTML
from weasyprint import pdf as writer
from weasyprint.urls import URLFetcher, URLFetcherResponse

from stages.bounds import bound_process
from stages.paper import TIME_S

_MEMORY_BYTES: Final = 4 << 30
_XREF: Final = b"/Type /XRef"


class _Page(HTML):  # type: ignore[misc]
    """A page without the styles of footnotes and list markers: the standard style sheet gives every element seven of these, and a report
    has neither. They took a third of the memory."""

    def _ua_stylesheets(self, forms: bool = False) -> list[Any]:
        standard = files("weasyprint").joinpath("css/html5_ua.css").read_text("utf-8")
        return [CSS(string="\n".join(line for line in standard.splitlines() if not line.startswith("::")))]


class _Pictures(URLFetcher):  # type: ignore[misc]
    """Nothing can be had but the pictures that came with the page."""

    def __init__(self, pictures: Mapping[str, bytes]) -> None:
        super().__init__(allowed_protocols=[])
        self._pictures = pictures
        self._headers = EmailMessage()  # one for all: to make one costs as much as to place the picture
        self._headers["Content-Type"] = "image/jpeg"

    def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> Any:
        if url not in self._pictures:
            raise ValueError("a report opens nothing")
        return URLFetcherResponse(url, self._pictures[url], self._headers)


class _Pdf(writer.pydyf.PDF):  # type: ignore[misc]
    """A document that lists its pages once, and not again for each of its elements: a report twice as long cost more than twice."""

    _listed: tuple[bytes, ...] = ()

    @property
    def page_references(self) -> tuple[bytes, ...]:
        if len(self._listed) != self.pages["Count"]:
            self._listed = super().page_references
        return self._listed


class _Unshown(logging.Handler):
    """Collects the characters that WeasyPrint finds in no font."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.characters: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        if record.msg.startswith(".notdef") and isinstance(record.args, tuple):
            self.characters.add(str(record.args[0]))


def _lay_out(identifier: str) -> None:
    bound_process(0, _MEMORY_BYTES, TIME_S)
    gc.disable()  # one document, then the process ends: what the layout keeps would only be walked through again and again
    writer.pydyf.PDF = _Pdf  # the writer makes its own, and cannot be given one
    unshown = _Unshown()
    logging.getLogger("weasyprint").addHandler(unshown)
    given = sys.stdin.buffer
    sizes = json.loads(given.readline())
    page = given.read(sizes["page"]).decode()
    pictures = {address: given.read(size) for address, size in sizes["pictures"].items()}
    # Without a base address: relative links stay relative, and no path of this machine gets into the file.
    pdf = _identified(_Page(string=page, url_fetcher=_Pictures(pictures)).write_pdf(pdf_variant="pdf/ua-1"), identifier)
    sys.stdout.buffer.write(json.dumps("".join(sorted(unshown.characters))).encode() + b"\n")
    sys.stdout.buffer.write(pdf)


def _identified(pdf: bytes, identifier: str) -> bytes:
    """`pdf` with its identifier, in the last object of the file, where it moves nothing. Asked for it, the writer would write the whole
    file a second time to make a hash of it."""
    before, found, after = pdf.rpartition(_XREF)
    if not found:
        raise ValueError("the PDF does not end with a cross-reference stream")
    return b"".join((before, f"/ID [<{identifier}> <{identifier}>]".encode(), found, after))


if __name__ == "__main__":
    _lay_out(sys.argv[1])
