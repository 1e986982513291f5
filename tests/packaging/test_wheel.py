"""The built wheel, not the checkout: what people install holds everything it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHONPATH", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 3), done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(Path(sys.executable).with_name("uv"), "build", "-q", "--wheel", "--out-dir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_code_templates_and_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {"flows", "stages", "templates"} == {top for top in tops if not top.endswith(".dist-info")}
    for needed in (
        "stages/data/models.toml",
        "templates/prompts/quoted.txt",
        "templates/i18n/pt.toml",
        "stages/data/distrust/pt.toml",
        "stages/py.typed",
        "flows/py.typed",
        "templates/py.typed",
    ):
        assert needed in names
    assert not [name for name in names if name.endswith((".mp4", ".pyc")) or "/tests/" in name]


def test_the_installed_program_judges_a_claim(wheel: Path, tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    python = tmp_path / "venv" / "bin" / "python"
    run(uv, "venv", "-q", "--python", sys.executable, tmp_path / "venv", cwd=tmp_path)
    run(uv, "pip", "install", "-q", "--python", python, "--require-hashes", "-r", ROOT / "locks/runtime.txt", cwd=tmp_path)
    run(uv, "pip", "install", "-q", "--python", python, "--no-deps", wheel, cwd=tmp_path)
    claims = tmp_path / "respostas.json"
    claims.write_text(json.dumps([{"base": "inferido", "text": "Sirva com arroz branco", "instant_s": 5}]))
    oracle = python.with_name("frame-oracle")
    done = run(oracle, "check", claims, "--duration", "7", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["results"][0]["rule"] == "instant_forbidden"
    run(oracle, "models", "list", cwd=tmp_path)
    run(oracle, "--help", cwd=tmp_path)
