"""Two real browsers, and no network for either."""

from __future__ import annotations

import ctypes
import fcntl
import shutil
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
_NEW_NETWORK, _SET_FLAGS, _UP = 0x40000000, 0x8914, 0x41


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """This process and what it starts see a network with nothing but themselves in it, where the system lets us ask for one."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/self/ns/net").open() as before:
        if libc.unshare(_NEW_NETWORK) != 0:
            yield  # not root: the browsers are told to be offline all the same
            return
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as loopback:
            fcntl.ioctl(loopback, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))
        with pytest.raises(OSError, match="unreachable"):
            socket.create_connection(("192.0.2.1", 80), timeout=1)
        yield
        assert libc.setns(before.fileno(), _NEW_NETWORK) == 0


@pytest.fixture(scope="session")
def started(no_network: None) -> Iterator[object]:
    with playwright.sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(started: object) -> Iterator[object]:
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed")
    browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])  # type: ignore[attr-defined]
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def firefox(started: object) -> Iterator[object]:
    """Debian's own, through WebDriver BiDi."""
    path = shutil.which("firefox-esr")
    if path is None:
        pytest.skip("firefox-esr is not installed")
    browser = started.firefox.launch(channel="moz-firefox", executable_path=path)  # type: ignore[attr-defined]
    yield browser
    browser.close()


@pytest.fixture(params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest) -> object:
    return request.getfixturevalue(request.param)
