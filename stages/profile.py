"""What a domain changes: which statements are risky, and what a report of it must highlight. Nothing else knows a domain.

risky_values = ["quantity", "money"]           # kinds of value that deserve a second look, as `stages.values` names them
risky_names = true                             # so do statements that name somebody or something
risky_order = true                             # and those that say what comes first and what after
highlight = ["quantities", "chronology"]       # parts of the report that come right after the answers
risky_terms = [["torque", "aperto"], …]        # words that make a figure beside them dangerous; each row is one thing in several words
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from stages.errors import UsageError
from stages.resources import resource
from stages.toml_file import read_toml, record

__all__ = ["HIGHLIGHTS", "Profile", "load_profile", "profile_names"]

HIGHLIGHTS: Final = ("quantities", "chronology", "contradictions")
"""Parts of a report that a profile may bring forward."""

_VALUES: Final = ("number", "quantity", "money", "percent", "date", "year", "clock", "duration", "ordinal", "ratio", "name")


@dataclass(frozen=True, slots=True)
class Profile:
    """One file of `data/profiles`."""

    risky_values: tuple[str, ...] = ()
    """Kinds of value, as in `stages.values.Value.kind`."""
    risky_names: bool = False
    risky_order: bool = False
    highlight: tuple[str, ...] = ()
    """Of `HIGHLIGHTS`, in the order in which they come forward."""
    risky_terms: tuple[tuple[str, ...], ...] = ()
    """Each row is one thing, in the words that it goes by in several languages."""


def profile_names() -> tuple[str, ...]:
    """The profiles that are installed, in order of name."""
    return tuple(sorted(path.stem for path in resource("profiles").glob("*.toml")))


def load_profile(name: str) -> Profile:
    """The profile `name`. Raises `UsageError` where there is none, or for anything in its file that nobody reads."""
    if name not in (known := profile_names()):
        raise UsageError(f"profile: {name!r} is not known.", hint=f"Choose one of {', '.join(known)}.")
    where = f"profiles/{name}.toml"
    profile = record(Profile, read_toml(resource(where)), where)
    for key, given, allowed in (("risky_values", profile.risky_values, _VALUES), ("highlight", profile.highlight, HIGHLIGHTS)):
        if unknown := [word for word in given if word not in allowed]:
            raise UsageError(f"{where}: {key}: {unknown[0]!r} is not known.", hint=f"Choose among {', '.join(allowed)}.")
    return profile
