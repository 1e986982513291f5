"""The provider chain: which file rules, and that nothing in it is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.configuration import Configuration, configuration_file, load_configuration
from stages.errors import UsageError
from stages.settings import Budget, ProviderEntry

_ENDPOINT = '[[provider]]\nname = "gateway"\nkind = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:8000/v1"\n'


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty user's configuration folder, which is returned."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("FRAME_ORACLE_CONFIG", raising=False)
    folder = tmp_path / "config" / "frame-oracle"
    folder.mkdir(parents=True)
    return folder


def test_the_nearest_file_rules(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configuration_file() is None
    (own / "config.toml").touch()
    assert configuration_file() == own / "config.toml"
    Path("frame-oracle.toml").touch()
    assert configuration_file() == Path("frame-oracle.toml")
    Path("variable.toml").touch()
    monkeypatch.setenv("FRAME_ORACLE_CONFIG", "variable.toml")
    assert configuration_file() == Path("variable.toml")
    Path("named.toml").touch()
    assert configuration_file(Path("named.toml")) == Path("named.toml")


def test_a_file_that_was_named_must_be_there(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"absent\.toml"):
        configuration_file(Path("absent.toml"))
    monkeypatch.setenv("FRAME_ORACLE_CONFIG", "gone.toml")
    with pytest.raises(UsageError, match=r"gone\.toml.*FRAME_ORACLE_CONFIG"):
        configuration_file()


def test_the_chain_keeps_its_order(tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(_ENDPOINT + '[[provider]]\nname = "small"\nkind = "embedded"\nmodel = "qwen"\ntimeout_s = 30\n')
    assert load_configuration(path).providers == (
        ProviderEntry("gateway", "openai", "m", "http://127.0.0.1:8000/v1"),
        ProviderEntry("small", "embedded", "qwen", timeout_s=30.0),
    )
    assert load_configuration(None) == Configuration()


def test_own_hosts_and_budget(tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    away = '[[provider]]\nname = "gpu"\nkind = "openai"\nbase_url = "http://GPU1.example.internal:8000/v1"\n'
    path.write_text('local_only = true\nown_hosts = ["gpu1.example.internal"]\n[budget]\nseconds = 60\n' + away + _ENDPOINT)
    said = load_configuration(path)
    assert said.local_only
    assert said.budget == Budget(seconds=60.0)
    assert [entry.stays for entry in said.providers] == [True, True]
    path.write_text(away)
    assert not load_configuration(path).providers[0].stays


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("provder = 1", "provder"),
        (_ENDPOINT + 'base_uri = "x"', "base_uri"),
        ('[[provider]]\nkind = "openai"', "name"),
        ('[[provider]]\nname = "a"\nkind = "gpt"', "gpt"),
        ('[[provider]]\nname = "none"\nkind = "literal"', "none"),
        (_ENDPOINT + _ENDPOINT, "gateway"),
        ('[[provider]]\nname = "a"\nkind = "openai"\nbase_url = "file:///etc/passwd"', "base_url"),
        ('[[provider]]\nname = "a"\nkind = "openai"', "base_url"),
        (_ENDPOINT + "timeout_s = 0", "timeout_s"),
        (_ENDPOINT + "own_host = true", "own_hosts"),
        (_ENDPOINT + 'form = "poem"', "poem"),
        ("[budget]\ncalls = 0", "budget"),
        ("[budget]\ncall = 1", "call"),
        (_ENDPOINT + 'timeout_s = "soon"', "timeout_s"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_configuration(path)
    assert "chain.toml" in caught.value.message
    assert named in str(caught.value)


def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "chain.toml"
    path.write_text(_ENDPOINT + 'api_key = "sk-secret"')
    with pytest.raises(UsageError) as caught:
        load_configuration(path)
    assert "api_key_env" in caught.value.hint
    assert "sk-secret" not in str(caught.value)
