"""The container images, held to what matters where no engine can build them: no root, locked dependencies, every package of set-up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.cuda"])
def test_an_image_runs_as_an_ordinary_user_and_installs_by_hash(name: str) -> None:
    text = (_ROOT / name).read_text()
    final = text.rsplit("\nFROM ", 1)[1]
    assert re.search(r"^USER [1-9][0-9]*$", final, re.MULTILINE)
    assert final.index("\nUSER ") < final.index("\nENTRYPOINT ")
    installs = [line for line in text.splitlines() if " install " in line and (" -r " in line)]
    assert installs
    assert all("--require-hashes" in line for line in installs)
    wanted = re.search(r"^packages=\((.*)\)$", (_ROOT / "scripts" / "setup").read_text(), re.MULTILINE)
    assert wanted
    assert [package for package in wanted[1].split() if package not in final] == []
