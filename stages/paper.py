"""The page that becomes the PDF, laid out in a process of its own, with bounded time and memory.

The page holds text that strangers wrote. A layout that never ends, or a font that takes all memory, must cost one report and not the
worker with its loaded engines. The child gets the page and its pictures on its standard input and opens nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from stages.errors import StageFailed

__all__ = ["TIME_S", "LaidOut", "laid_out"]

TIME_S: Final = 600
"""What a layout may take, of the clock and of a processor."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A page on paper."""

    pdf: bytes
    unshown: str
    """The characters that no font of this machine has, each once: the PDF shows a box in their place."""


def laid_out(page: str, identifier: str, pictures: Mapping[str, bytes] | None = None) -> LaidOut:
    """`page` as a tagged PDF (PDF/UA-1) with no date; `pictures` are the JPEG files that it shows, by their address in it.

    Raises `StageFailed` when it takes too long, too much, or fails.
    """
    pictures = pictures or {}
    content = page.encode()
    sizes = json.dumps({"page": len(content), "pictures": {address: len(picture) for address, picture in pictures.items()}})
    command = [sys.executable, "-P", "-m", "stages.paper_process", identifier]
    given = b"".join((sizes.encode(), b"\n", content, *pictures.values()))
    try:
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, timeout=TIME_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise _failed(f"it took more than {TIME_S} s") from error
    if done.returncode:
        raise _failed(f"its process ended with {done.returncode}; the run log has what it said")
    unshown, _, pdf = done.stdout.partition(b"\n")
    return LaidOut(pdf, json.loads(unshown))


def _failed(why: str) -> StageFailed:
    hint = "Ask fewer questions, or choose a shorter --mode."
    return StageFailed(f"The PDF could not be laid out: {why}.", hint=hint, code="paper_failed")
