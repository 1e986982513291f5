"""Which files are read, and what each is called in the output."""

from __future__ import annotations

import os
import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.inputs import assign_slugs, find_inputs, printable, shown_name

ODD_NAMES = [
    " leading and trailing ",
    "line\nbreak.mp4",
    "%20percent%2Fencoded?x=1&t=5#t=9.mp4",
    "😀 reunião #3 (50%) & “notas” [final].mp4",
    "it's; $(touch x) `id`.mp4",
    "محاضرة عربية.mp4",
    "-rf.mp4",
    "concat:a|b.mp4",
    "x" * 251 + ".mp4",
    "cafe\u0301.mp4",
    "caf\u00e9.mp4",
    "no extension",
    "\udcff\udcfe.mp4",
]


def test_folder_is_searched_to_the_bottom_and_what_is_passed_over_is_named(tmp_path: Path) -> None:
    for name in ("b/z.mp4", "a.webm", "no ending", "x.unknown", "notes.TXT", ".hidden.mp4", ".git/v.mp4", "b/slide.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    bundle = tmp_path / "aula"
    (bundle / "media").mkdir(parents=True)
    (bundle / "manifest-sha256.txt").write_text("")
    (bundle / "media" / "aula.mp4").write_bytes(b"x")

    found = find_inputs([tmp_path])

    assert [str(path.relative_to(tmp_path)) for path in found.files] == ["a.webm", "b/z.mp4", "no ending", "x.unknown"]
    assert {str(path.relative_to(tmp_path)) for path in found.ignored} == {"notes.TXT", ".hidden.mp4", ".git", "b/slide.png", "aula"}


def test_explicit_files_are_always_taken_once(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "v.mp4").write_text("x")
    found = find_inputs([tmp_path / "notes.txt", tmp_path, tmp_path / "v.mp4", tmp_path / "missing.mp4"])
    assert [path.name for path in found.files] == ["missing.mp4", "notes.txt", "v.mp4"]
    assert found.ignored == ()


def test_links_to_folders_do_not_loop(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "v.mp4").write_text("x")
    found = find_inputs([tmp_path])
    assert [path.name for path in found.files] == ["v.mp4"]
    assert [path.name for path in found.ignored] == ["loop"]


def test_slugs_of_names_that_people_use() -> None:
    slugs = assign_slugs([Path("/v/Reunião #3 (50%).mp4"), Path("/v/محاضرة.mp4"), Path("/v/CON.mp4"), Path("/v/" + "a" * 250 + ".mp4")])
    assert list(slugs.values()) == ["reuniao-3-50", "video", "video-con", "a" * 60]


def test_names_that_would_collide_are_told_apart_by_ending_then_folder_then_path() -> None:
    same_folder = [Path("/v/same.mp4"), Path("/v/same.webm")]
    assert list(assign_slugs(same_folder).values()) == ["same-mp4", "same-webm"]
    two_folders = [Path("/pasta A/aula.mp4"), Path("/pasta B/aula.mp4")]
    assert list(assign_slugs(two_folders).values()) == ["pasta-a-aula-mp4", "pasta-b-aula-mp4"]
    twins = [Path("/v/cafe\u0301.mp4"), Path("/v/caf\u00e9.mp4")]
    assert all(re.fullmatch(r"cafe-[0-9a-f]{12}", slug) for slug in assign_slugs(twins).values())


@settings(deadline=None, max_examples=60)  # a busy machine is no defect
@given(st.lists(st.text(min_size=1, max_size=40).filter(lambda text: "\0" not in text), min_size=1, max_size=10, unique=True), st.randoms())
def test_slugs_are_safe_unique_and_independent_of_the_order(names: list[str], chance: random.Random) -> None:
    files = list({Path("/v") / name.replace("/", "_") for name in names})
    slugs = assign_slugs(files)
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}", slug) for slug in slugs.values())
    assert len(set(slugs.values())) == len(files)
    chance.shuffle(files)
    assert assign_slugs(files) == slugs


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_survive_the_search_and_print_on_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    (found,) = find_inputs([tmp_path]).files
    assert found.name == name
    shown = shown_name(found)
    assert shown.isprintable() or "😀" in shown
    assert "\n" not in shown
    shown.encode()
    assert re.fullmatch(r"[a-z0-9-]{1,60}", assign_slugs([found])[found])


def test_printable_escapes_what_steers_a_terminal_and_keeps_letters() -> None:
    assert printable("a\x1b[2Jb\u202egpj.\u2028ç日😀") == "a\\x1b[2Jb\\u202egpj.\\u2028ç日😀"


def test_a_folder_that_cannot_be_listed_is_not_passed_over() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "closed").mkdir(mode=0)
        if root:
            os.seteuid(65534)
        try:
            assert find_inputs([folder]).files == (folder / "closed",)
        finally:
            if root:
                os.seteuid(0)
            (folder / "closed").chmod(0o700)
