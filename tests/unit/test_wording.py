"""A catalogue is complete or it is not one."""

from __future__ import annotations

import re
import string
from importlib.resources import files
from pathlib import Path

import pytest

from stages.claim import Base
from stages.evidence import Channel, CoverageState
from stages.rule import Rule
from stages.wording import LANGUAGES, wording

_USED = re.compile(r"""\bt(?:\.count)?\(\s*'([a-z0-9_.]+)'(\s*~)?""")


def _forms(text: object) -> dict[str, str]:
    return {"": text} if isinstance(text, str) else dict(text)  # type: ignore[call-overload, no-any-return]


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_catalogues_have_the_same_keys_and_placeholders(language: str) -> None:
    english, other = wording("en"), wording(language)
    assert set(english.texts) == set(other.texts)
    for key, text in english.texts.items():
        mine, theirs = _forms(text), _forms(other.texts[key])
        assert isinstance(text, str) == isinstance(other.texts[key], str), key
        assert set().union(*map(_placeholders, mine.values())) == set().union(*map(_placeholders, theirs.values())), key
        assert all(form.strip() for form in theirs.values()), key


def test_the_templates_use_every_key_and_no_other() -> None:
    folder = Path(str(files("templates")))
    used, tables = set(), set()
    for path in folder.glob("*.j2"):
        for key, joined in _USED.findall(path.read_text("utf-8")):
            (tables if joined else used).add(key.rstrip(".").split(".")[0] if joined else key)
        tables |= set(re.findall(r"t\.named\('([a-z_]+)'", path.read_text("utf-8")))
    tables |= {"player", "claims", "keys"}  # handed to the script; chosen by an expression
    known = set(wording("en").texts)
    assert used <= known
    assert {key for key in known - used if key.split(".")[0] not in tables} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_stable_word_that_a_report_may_meet_has_words(language: str) -> None:
    texts = wording(language).texts
    needed = [f"rule.{rule}" for rule in Rule] + [f"base.{base}" for base in Base] + [f"base_about.{base}" for base in Base]
    needed += [f"coverage.{channel}_{state}" for channel in Channel for state in CoverageState] + [
        f"channel.{channel}" for channel in Channel
    ]
    assert [key for key in needed if key not in texts] == []


@pytest.mark.parametrize(
    ("tag", "language"), [("pt-BR", "pt"), ("es-419", "es"), ("en", "en"), ("de", "en"), ("", "en"), ("x!", "en"), ("zz", "en")]
)
def test_a_language_without_a_catalogue_falls_back_to_english(tag: str, language: str) -> None:
    assert wording(tag).language == language


def test_an_unknown_key_is_an_error_and_an_unknown_word_is_shown_as_it_is() -> None:
    t = wording("pt")
    with pytest.raises(KeyError):
        t("no.such.key")
    assert t.named("note", "a_new_word") == "a_new_word"
    assert t.named("note", "rotated") != "rotated"


def test_numbers_and_dates_are_written_the_languages_way() -> None:
    t = wording("pt")
    assert t.count("refusals.count", 1) == "1 recusa"
    assert t.count("refusals.count", 1200) == "1.200 recusas"
    assert t.count("index.total", 0) == "Nenhum vídeo."
    assert t.date("2024-03-09") == "9 de março de 2024"
    assert t.date("março de 2024") == "março de 2024"
    assert t.percent(0.97).replace("\xa0", "") == "97%"
