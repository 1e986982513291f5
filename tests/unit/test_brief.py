"""The brief: what was asked reaches the right video, and nothing that was written is silently ignored."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from flows.order import plan
from stages.brief import Brief, VideoBrief, load_brief
from stages.errors import ExitCode, UsageError
from stages.settings import ProviderEntry, Settings

_WHOLE = """
language = "pt"
recipient = "Padaria Sol"
questions = [" Quanto de farinha? "]

[[video]]
file = "receita.mp4"
questions = ["Qual o forno?"]
language = "es"
url = "https://example.org/receita"
recorded = 2026-03-01

[[video]]
file = "aula.mp4"
recipient = "Escola"
"""


def _load(folder: Path, text: str) -> Brief:
    path = folder / "brief.toml"
    path.write_text(text, encoding="utf-8")
    return load_brief(path)


def test_own_values_replace_general_ones_and_own_questions_come_after(tmp_path: Path) -> None:
    brief = _load(tmp_path, _WHOLE)
    assert brief.for_video("receita.mp4") == VideoBrief(
        questions=("Quanto de farinha?", "Qual o forno?"),
        language="es",
        recipient="Padaria Sol",
        url="https://example.org/receita",
        recorded="2026-03-01",
    )
    assert brief.for_video("aula.mp4") == VideoBrief(questions=("Quanto de farinha?",), language="pt", recipient="Escola")
    assert brief.for_video("outro.mp4") == VideoBrief(questions=("Quanto de farinha?",), language="pt", recipient="Padaria Sol")


def test_a_name_is_the_same_however_its_accents_are_stored(tmp_path: Path) -> None:
    brief = _load(tmp_path, f'[[video]]\nfile = "{unicodedata.normalize("NFD", "lição.mp4")}"\nquestions = ["q?"]\n')
    assert brief.for_video(unicodedata.normalize("NFC", "lição.mp4")).questions == ("q?",)


def test_names_that_no_video_has_are_told(tmp_path: Path) -> None:
    assert _load(tmp_path, _WHOLE).unmatched(["aula.mp4", "x.mp4"]) == ("receita.mp4",)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('questons = ["a?"]', "questons"),
        ('[[video]]\nfile = "a.mp4"\nurll = "x"', "urll"),
        ('[[video]]\nquestions = ["a?"]', "file"),
        ('questions = "a?"', "questions"),
        ("questions = [1]", "questions"),
        ('questions = ["  "]', "questions"),
        ('language = "português"', "language"),
        ('[[video]]\nfile = "a.mp4"\nurl = "javascript:alert(1)"', "url"),
        ('[[video]]\nfile = "a.mp4"\nurl = "ftp://example.org/a"', "url"),
        ('[[video]]\nfile = "a.mp4"\n[[video]]\nfile = "a.mp4"', "a.mp4"),
        ("video = 3", "video"),
        ("language = ", "TOML"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        _load(tmp_path, text)
    assert caught.value.exit_code is ExitCode.USAGE
    assert "brief.toml" in caught.value.message
    assert named in caught.value.message
    assert caught.value.hint


def test_a_misspelt_key_is_answered_with_the_key_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'questions'"):
        _load(tmp_path, 'questons = ["a?"]')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"absent\.toml: cannot be read"):
        load_brief(tmp_path / "absent.toml")
    (tmp_path / "latin.toml").write_bytes('recipient = "São"'.encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8"):
        load_brief(tmp_path / "latin.toml")


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b'\xef\xbb\xbflanguage = "pt"\r\n')
    assert load_brief(path).for_video("a.mp4").language == "pt"


def test_a_brief_can_keep_everything_on_own_hosts(tmp_path: Path) -> None:
    path, video = tmp_path / "brief.toml", tmp_path / "in" / "a.mp4"
    path.write_text("local_only = true")
    video.parent.mkdir()
    video.touch()
    away = ProviderEntry("longe", "openai", base_url="https://models.example.com/v1")
    settings = Settings(tmp_path / "out", providers=(away,))
    assert plan([video], settings, Brief())
    with pytest.raises(UsageError, match="longe"):
        plan([video], settings, load_brief(path))
