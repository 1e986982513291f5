"""The same findings give the same bytes: whoever keeps a report's digest must be able to make the report again and find it unchanged."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from report_case import URL, make_case

from stages.archive import write_archive

_MADE = """
import sys
from pathlib import Path
from report_case import URL, make_case
print(make_case(url=URL).deliver(Path(sys.argv[1])).folder)
"""


def _digests(folder: Path) -> dict[str, str]:
    archive = write_archive(folder)
    files = [path for path in folder.rglob("*") if path.is_file()] + [archive]
    return {str(path.relative_to(folder.parent)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_another_process_place_time_zone_and_hash_seed_give_the_same_bytes(tmp_path: Path) -> None:
    here = make_case(url=URL).deliver(tmp_path / "here").folder
    elsewhere = tmp_path / "another place"
    elsewhere.mkdir()
    paths = os.pathsep.join((str(Path(__file__).parents[1]), str(Path(__file__).parents[2])))
    changed = {"PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONPATH": paths, "SOURCE_DATE_EPOCH": "1"}
    argv = [sys.executable, "-c", _MADE, str(elsewhere)]
    done = subprocess.run(argv, cwd=elsewhere, env=os.environ | changed, capture_output=True, text=True, timeout=120, check=True)
    there = Path(done.stdout.strip())
    assert there.parent == elsewhere
    first, second = _digests(here), _digests(there)
    assert {"bolo.zip", "bolo/report.pdf", "bolo/report.html"} <= set(first)
    assert {name for name in first | second if first.get(name) != second.get(name)} == set()
