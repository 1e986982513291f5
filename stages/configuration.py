"""Which language models may be asked, first to last, and what that may cost. One file, found in one of four places.

    local_only = true                           # refuse every provider that is not on a host of one's own
    own_hosts = ["gpu1.example.internal"]       # this machine is one without being listed

    [budget]                                    # for each video
    seconds = 900

    [[provider]]
    name = "gateway"
    kind = "openai"
    model = "qwen3-32b"
    base_url = "http://gpu1.example.internal:8000/v1"
    api_key_env = "GATEWAY_KEY"                 # the name of a variable; the key itself is in no file of ours

Who is asked decides where a client's words go, so nothing here has a default address and an unknown key is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import platformdirs

from stages.errors import UsageError
from stages.settings import Budget, ProviderEntry, host_of
from stages.toml_file import read_toml, record

__all__ = ["Configuration", "configuration_file", "load_configuration"]

_KINDS: Final = ("openai", "anthropic", "embedded")
"""What an entry can be; `literal` needs none, it is the floor of every chain."""
_FORMS: Final = ("", "cited", "quoted")


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says."""

    providers: tuple[ProviderEntry, ...] = ()
    """The chain, in the order in which it is tried."""
    local_only: bool = False
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True)
class _Top:
    provider: tuple[dict[str, object], ...] = ()
    local_only: bool = False
    own_hosts: tuple[str, ...] = ()
    budget: dict[str, object] = field(default_factory=dict)


def configuration_file(named: Path | None = None) -> Path | None:
    """The file that rules: `named`, else `FRAME_ORACLE_CONFIG`, else `./frame-oracle.toml`, else the user's; None where there is none.

    Only the last two may be absent: a file that somebody named and that is not there is a `UsageError`.
    """
    variable = os.environ.get("FRAME_ORACLE_CONFIG")
    for path, origin in ((named, "--config"), (Path(variable) if variable else None, "FRAME_ORACLE_CONFIG")):
        if path is not None:
            if not path.is_file():
                raise UsageError(f"{path}: no such file ({origin}).", hint="Name a TOML file with [[provider]] entries.")
            return path
    own = platformdirs.user_config_path("frame-oracle") / "config.toml"
    return next((path for path in (Path("frame-oracle.toml"), own) if path.is_file()), None)


def load_configuration(path: Path | None) -> Configuration:
    """What `path` says; the defaults without a file. Raises `UsageError`, which names the file and the key."""
    if path is None:
        return Configuration()
    top = record(_Top, read_toml(path), str(path))
    budget = record(Budget, top.budget, f"{path}: budget")
    if min(budget.seconds, budget.tokens, budget.calls) <= 0:
        raise UsageError(f"{path}: budget: its values are more than 0.", hint="Leave a key out for its default.")
    return Configuration(tuple(_entries(path, top)), top.local_only, budget)


def _entries(path: Path, top: _Top) -> Iterator[ProviderEntry]:
    names: set[str] = set()
    own = {host.lower() for host in top.own_hosts}
    for number, table in enumerate(top.provider, start=1):
        where = f"{path}: provider {number}"
        if "api_key" in table:
            raise UsageError(f"{where}: a key does not belong in a file.", hint="Put it in a variable and name that in api_key_env.")
        if "own_host" in table:
            raise UsageError(f"{where}: own_host is no key.", hint="List the host in own_hosts, at the top of the file.")
        entry = record(ProviderEntry, table, where)
        if entry.name in names or entry.name in ("", "none", "literal"):
            raise UsageError(f"{where}: name: {entry.name!r} is taken or reserved.", hint="Give each provider a name of its own.")
        _require_sound(entry, where)
        names.add(entry.name)
        yield replace(entry, own_host=host_of(entry.base_url) in own)


def _require_sound(entry: ProviderEntry, where: str) -> None:
    for key, allowed in (("kind", _KINDS), ("form", _FORMS)):
        if (value := getattr(entry, key)) not in allowed:
            raise UsageError(f"{where}: {key}: {value!r} is not known.", hint=f"Choose one of {', '.join(filter(None, allowed))}.")
    if entry.kind == "openai" or entry.base_url:
        parts = urlsplit(entry.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{where}: base_url: {entry.base_url!r} is not a web address.", hint="It starts with http:// or https://.")
    if entry.timeout_s <= 0 or entry.context_tokens <= 0:
        raise UsageError(f"{where}: timeout_s and context_tokens are more than 0.", hint="Correct the value.")
