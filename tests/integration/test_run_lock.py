"""One run per output folder, across real processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from stages.errors import ExitCode, Locked, UsageError
from stages.run_lock import held

_HOLDER = """
import sys, time
from pathlib import Path
from stages.run_lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_refused_and_told_by_whom_and_the_folder_is_free_when_the_holder_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with subprocess.Popen([sys.executable, "-c", _HOLDER, str(folder)], stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(Locked) as caught, held(folder):
                pass
            assert caught.value.exit_code is ExitCode.LOCKED
            assert f"pid {holder.pid} on " in caught.value.message
        finally:
            holder.kill()
            holder.wait()
    started = time.monotonic()
    with held(folder):
        assert time.monotonic() - started < 5


def test_the_note_goes_with_the_lock(tmp_path: Path) -> None:
    with held(tmp_path):
        assert (tmp_path / ".frame-oracle.holder.json").exists()
    assert not (tmp_path / ".frame-oracle.holder.json").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="a file and no folder"), held(tmp_path / "file" / "out"):
        pass
