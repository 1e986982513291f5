"""Driving a page in a real browser, whichever it is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

STATUS = "document.getElementById('status').textContent"
TIME = "document.getElementById('player').currentTime"


def address(path: Path, fragment: str = "") -> str:
    return "file://" + quote(str(path)) + fragment


def open_page(browser: Any, url: str, **options: Any) -> Any:
    """A page that is offline, and does not glide, since a click on a gliding page may miss.

    What its script or its policy complains of fails the test.
    """
    page = browser.new_context(offline=True, reduced_motion="reduce", **options).new_page()
    page.set_default_timeout(60_000)
    # Taking a screenshot adds a style to the page, which the policy blocks and Firefox calls an error.
    page.on("pageerror", lambda error: pytest.fail(f"the script failed: {error}") if "style-src-elem" not in str(error) else None)
    page.on("console", lambda line: pytest.fail(f"the browser complains: {line.text}") if "Content Security" in line.text else None)
    page.goto(url)
    return page


def until(page: Any, condition: str) -> None:
    """Playwright's own waiting evaluates text inside the page, which the page's policy forbids to anybody."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(30)
    pytest.fail(f"never came true: {condition}; the player says {page.evaluate(STATUS)!r}")


def told(page: Any, part: str = "") -> str:
    """What the player says, once it says something with `part` in it."""
    until(page, f"{STATUS}.includes({part!r}) && {STATUS} !== ''")
    return str(page.evaluate(STATUS))


def at_ms(page: Any) -> float:
    until(page, "!document.getElementById('player').seeking")
    return float(page.evaluate(TIME)) * 1000


def draw(target: Path, seconds: int, size: str = "640x360") -> None:
    source = ["-f", "lavfi", "-i", f"color=white:s={size}:r=25:d={seconds}"]
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", *source, "-pix_fmt", "yuv420p", str(target)], check=True, timeout=60)
