"""The words of reports in the reader's language: one TOML catalogue per language, English where a language has none.

A report with half its labels in another language looks careless and reads as untrustworthy, so a catalogue is complete or it is not
one: a missing key is an error, and a test holds every catalogue to the same keys and the same placeholders. That is why these are tables
with names and not gettext catalogues, which show the English text where a translation is missing; plural forms, numbers and dates are
Babel's.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from babel import Locale
from babel.core import UnknownLocaleError
from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent

from stages.instant import clock

__all__ = ["LANGUAGES", "Wording", "wording"]

LANGUAGES: Final = ("en", "es", "pt")
_FALLBACK: Final = "en"
_REGION: Final = {"en": "en", "es": "es", "pt": "pt_BR"}


@dataclass(frozen=True, slots=True)
class Wording:
    """The catalogue of one language. Called with a dotted key and the values of its placeholders; raises `KeyError` for an unknown key."""

    language: str
    """BCP 47 tag of the catalogue in use."""
    texts: Mapping[str, str | Mapping[str, str]]

    def __call__(self, key: str, /, **values: object) -> str:
        text = self.texts[key]
        if not isinstance(text, str):
            raise KeyError(f"{key} needs a count")
        return text.format(**values)

    def count(self, key: str, n: int, /, **values: object) -> str:
        """The text of `key` in the plural form that `n` things take, with `{n}` written the language's way."""
        forms = self.texts[key]
        if isinstance(forms, str):
            raise KeyError(f"{key} has no plural forms")
        form = "zero" if n == 0 and "zero" in forms else self._locale.plural_form(n)
        return forms.get(form, forms["other"]).format(n=self.number(n), **values)

    def named(self, table: str, word: str) -> str:
        """The text of one of a stage's stable words; the word itself where the catalogue does not know it."""
        text = self.texts.get(f"{table}.{word}", word)
        return text if isinstance(text, str) else word

    def number(self, value: float) -> str:
        return format_decimal(value, locale=self._locale)

    def percent(self, share: float) -> str:
        """A share of 0..1 as a whole percentage."""
        return format_percent(share, locale=self._locale)

    def join(self, items: Iterable[str]) -> str:
        return format_list(list(items), locale=self._locale)

    def date(self, iso: str) -> str:
        """An ISO date in words; what cannot be read as one is returned as it is."""
        try:
            return format_date(date.fromisoformat(iso[:10]), format="long", locale=self._locale)
        except ValueError:
            return iso

    def clock(self, ms: int) -> str:
        return clock(ms)

    @property
    def _locale(self) -> Locale:
        return Locale.parse(_REGION[self.language])


def wording(language: str) -> Wording:
    """The catalogue for a BCP 47 tag (`pt-BR`, `es`, …); English where there is none."""
    try:
        wanted = Locale.parse(language, sep="-").language if language else _FALLBACK
    except (UnknownLocaleError, ValueError):
        wanted = _FALLBACK
    return _catalogue(wanted if wanted in LANGUAGES else _FALLBACK)


@cache
def _catalogue(language: str) -> Wording:
    tables = tomllib.loads(files("templates").joinpath("i18n", f"{language}.toml").read_text("utf-8"))
    return Wording(language, {f"{table}.{key}": text for table, entries in tables.items() for key, text in entries.items()})
