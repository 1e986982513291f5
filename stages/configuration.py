"""The provider chain: which language models may be asked, first to last. One file, found in one of four places.

    [[provider]]
    name = "gateway"
    kind = "openai"
    model = "qwen3-32b"
    base_url = "http://127.0.0.1:8000/v1"
    api_key_env = "GATEWAY_KEY"                 # the name of a variable; the key itself is in no file of ours
    local = true

Who is asked decides where a client's words go, so nothing here has a default address and an unknown key is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import platformdirs

from stages.errors import UsageError
from stages.settings import ProviderEntry
from stages.toml_file import read_toml, record

__all__ = ["configuration_file", "load_providers"]

_KINDS: Final = ("openai", "embedded")
"""What an entry can be; `literal` needs none, it is the floor of every chain."""


@dataclass(frozen=True, slots=True)
class _Top:
    provider: tuple[dict[str, object], ...] = ()


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


def load_providers(path: Path | None) -> tuple[ProviderEntry, ...]:
    """The chain that `path` lists; empty without a file. Raises `UsageError`, which names the file and the key."""
    return () if path is None else tuple(_entries(path))


def _entries(path: Path) -> Iterator[ProviderEntry]:
    names: set[str] = set()
    for number, table in enumerate(record(_Top, read_toml(path), str(path)).provider, start=1):
        where = f"{path}: provider {number}"
        if "api_key" in table:
            raise UsageError(f"{where}: a key does not belong in a file.", hint="Put it in a variable and name that in api_key_env.")
        entry = record(ProviderEntry, table, where)
        if entry.name in names or entry.name in ("", "none"):
            raise UsageError(f"{where}: name: {entry.name!r} is taken or reserved.", hint="Give each provider a name of its own.")
        if entry.kind not in _KINDS:
            raise UsageError(f"{where}: kind: {entry.kind!r} is not known.", hint=f"Choose one of {', '.join(_KINDS)}.")
        if entry.kind == "openai" and urlsplit(entry.base_url).scheme not in ("http", "https"):
            raise UsageError(f"{where}: base_url: {entry.base_url!r} is not a web address.", hint="It starts with http:// or https://.")
        if entry.timeout_s <= 0 or entry.context_tokens <= 0:
            raise UsageError(f"{where}: timeout_s and context_tokens are more than 0.", hint="Correct the value.")
        names.add(entry.name)
        yield entry
