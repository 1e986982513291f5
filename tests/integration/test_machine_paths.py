"""No path of the machine that a bundle was made on leaves it, in any file, however the file packs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from report_case import make_evidence

from stages.store import write_evidence
from stages.verify import machine_paths

PATH = Path("/home/ana maria/vídeos")
FORMS = ("/home/ana maria/vídeos/aula.mp4", "file:///home/ana%20maria/v%C3%ADdeos/aula.mp4")


def _bytes(path: Path, form: str) -> None:
    path.write_bytes(b"\x00\xff" * 4000 + form.encode() + b"\x00")


def _stream(path: Path, form: str) -> None:
    with pikepdf.new() as pdf:
        pdf.Root.Hidden = pdf.make_stream(b"0 0 m " * 500 + form.encode())
        pdf.save(path, compress_streams=True)
    assert form.encode() not in path.read_bytes()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "write"), [("media/a.mp4", _bytes), ("proof/a.jpg", _bytes), ("a.json", _bytes), ("a.pdf", _stream)])
def test_a_path_in_any_file_is_found(tmp_path: Path, name: str, write: Callable[[Path, str], None], form: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    write(tmp_path / name, form)
    assert list(machine_paths(tmp_path, [PATH])) == [f"{name}: holds a path of the machine it was made on"]
    assert list(machine_paths(tmp_path, [Path("/home/another/vídeos")])) == []


def test_an_empty_file_and_a_broken_pdf_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    assert list(machine_paths(tmp_path, [PATH])) == []


def test_a_path_inside_the_evidence_is_found(tmp_path: Path) -> None:
    write_evidence(tmp_path / "evidence.parquet", make_evidence(before=f"{FORMS[0]} " * 40))
    assert list(machine_paths(tmp_path, [PATH])) == ["evidence.parquet: holds a path of the machine it was made on"]
