"""The page that becomes the PDF, laid out in a process of its own, with bounded time and memory.

The page holds text that strangers wrote. A layout that never ends, or a font that takes all memory, must cost one report and not the
worker with its loaded engines. The child gets the page on its standard input and opens nothing: its fetcher allows `data:` only.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Final

from stages.bounds import bound_process
from stages.errors import StageFailed

__all__ = ["laid_out"]

_TIME_S: Final = 600
_MEMORY_BYTES: Final = 4 << 30


def laid_out(page: str, identifier: str) -> bytes:
    """`page` as a tagged PDF (PDF/UA-1) with no date. Raises `StageFailed` when it takes too long, too much, or fails."""
    command = [sys.executable, "-P", "-m", "stages.paper", identifier]
    try:
        done = subprocess.run(command, input=page.encode(), stdout=subprocess.PIPE, timeout=_TIME_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise _failed(f"it took more than {_TIME_S} s") from error
    if done.returncode:
        raise _failed(f"its process ended with {done.returncode}; the run log has what it said")
    return done.stdout


def _failed(why: str) -> StageFailed:
    hint = "Ask fewer questions, or choose a shorter --mode."
    return StageFailed(f"The PDF could not be laid out: {why}.", hint=hint, code="paper_failed")


def _lay_out(identifier: str) -> None:
    bound_process(0, _MEMORY_BYTES, _TIME_S)
    gc.disable()  # one document, then the process ends: what the layout keeps would only be walked through again and again
    from weasyprint import HTML
    from weasyprint.urls import URLFetcher

    fetcher = URLFetcher(allowed_protocols=["data"])
    page = sys.stdin.buffer.read().decode()
    # Without a base address: relative links stay relative, and no path of this machine gets into the file.
    document = HTML(string=page, url_fetcher=fetcher).write_pdf(pdf_variant="pdf/ua-1", pdf_identifier=identifier.encode())
    sys.stdout.buffer.write(document)


if __name__ == "__main__":
    _lay_out(sys.argv[1])
