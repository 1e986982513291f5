"""Dates in Portuguese, Spanish and English, in digits and in words.

"12/05" keeps both orders where English may be the language, and a month alone is only perhaps a date ("maio", "May").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stages._values.cardinals import plain_integer, read_cardinal
from stages._values.numbers import read_ordinal
from stages._values.text import TokenKind, Tokens

__all__ = ["NO_DATE", "Date", "DateMatch", "read_date", "slashed_dates"]


@dataclass(frozen=True, slots=True)
class Date:
    """A calendar date as far as it was written; 0 for what was not."""

    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0
    """1 Monday to 7 Sunday."""


NO_DATE = Date()


@dataclass(frozen=True, slots=True)
class DateMatch:
    """A date found in a token list."""

    dates: tuple[Date, ...]
    end: int
    certain: bool = True


_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            "janeiro enero january jan ene", "fevereiro febrero february fev feb", "marco marzo march mar", "abril april abr apr",
            "maio mayo may mai", "junho junio june jun", "julho julio july jul", "agosto august ago aug",
            "setembro septiembre setiembre september set sep sept", "outubro octubre october out oct",
            "novembro noviembre november nov", "dezembro diciembre december dez dic dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_SHORT_MONTHS = frozenset("jan ene fev feb mar abr apr mai jun jul ago aug set sep sept out oct nov dez dic dec".split())
_ENGLISH = frozenset("january february march april may june july august september october november december".split())
_ENGLISH_SHORT = frozenset("jan feb mar apr may jun jul aug sep sept oct nov dec".split())
_CAPITAL_MONTHS = frozenset("may march".split())
_SOFT_MONTHS = frozenset("may march abril julio june april august maio marco augusto".split())
_WEEKDAYS = {
    name: day
    for day, names in enumerate(
        ("lunes monday mondays", "terca martes tuesday tuesdays", "miercoles wednesday wednesdays", "jueves thursday thursdays",
         "viernes friday fridays", "sabado saturday saturdays sabados", "domingo sunday sundays domingos"),
        1,
    )
    for name in names.split()
}  # fmt: skip
_FEIRAS = {"segunda": 1, "terca": 2, "quarta": 3, "quinta": 4, "sexta": 5}
_FEIRA_CUES = frozenset("na nesta desta toda ate proxima da".split())
_DAY_CUES = frozenset("dia".split())
_DATE_CUES = frozenset("dia el on em data fecha date until ate hasta prazo deadline".split())
_OF = frozenset("de of del do".split())
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")


def read_date(tokens: Tokens, i: int, language: str = "") -> DateMatch | None:
    """The date at token i, or None."""
    if tokens[i].kind is TokenKind.NUMBER:
        numeric = _numeric_date(tokens, i, language)
        if numeric:
            return numeric
    return _day_first(tokens, i, language) or _month_first(tokens, i, language) or _weekday(tokens, i) or _day_only(tokens, i)


def _numeric_date(tokens: Tokens, i: int, language: str) -> DateMatch | None:
    dotted = _DOTTED.fullmatch(tokens[i].text)
    if dotted:
        return _ordered(int(dotted[1]), int(dotted[2]), int(dotted[3]), i + 1, language)
    parts, end, mark = [tokens[i]], i + 1, ""
    while len(parts) < 3 and end + 1 < len(tokens) and tokens[end].text in ("/", "-") and tokens[end].glued:
        if (mark and tokens[end].text != mark) or not tokens[end + 1].glued or not tokens[end + 1].text.isdecimal():
            break
        mark = tokens[end].text
        parts.append(tokens[end + 1])
        end += 2
    if not parts[0].text.isdecimal() or any(len(part.text) > 4 for part in parts):
        return None
    first, *rest = (int(part.text) for part in parts)
    if len(parts) == 3 and len(parts[0].text) == 4:
        return _valid(Date(first, rest[0], rest[1]), end)
    if len(parts) == 3 and len(parts[2].text) in (2, 4):
        year = rest[1] + 2000 if len(parts[2].text) == 2 else rest[1]
        return _ordered(first, rest[0], year, end, language)
    if len(parts) == 2 and mark == "/":
        padded = any(len(part.text) == 2 and part.text.startswith("0") for part in parts)
        cued = i > 0 and tokens[i - 1].text in _DATE_CUES
        if padded or cued or (first > rest[0] and max(len(part.text) for part in parts) == 2):
            return _ordered(first, rest[0], 0, end, language)
    return None


def _ordered(first: int, second: int, year: int, end: int, language: str) -> DateMatch | None:
    dates = [Date(year, second, first)]
    if language not in ("pt", "es"):
        dates.append(Date(year, first, second))
    dates = [date for date in dates if _is_valid(date)]
    return DateMatch(tuple(dict.fromkeys(dates)), end) if dates else None


def slashed_dates(first: int, second: int, language: str = "") -> tuple[Date, ...]:
    """The dates that two numbers with a slash may be, day first except where English may be the language."""
    match = _ordered(first, second, 0, 0, language)
    return match.dates if match else ()


def _is_valid(date: Date) -> bool:
    return 1 <= date.month <= 12 and 1 <= date.day <= 31 and (date.year == 0 or 1000 <= date.year <= 2999)


def _valid(date: Date, end: int) -> DateMatch | None:
    return DateMatch((date,), end) if _is_valid(date) else None


def _month(tokens: Tokens, i: int) -> int:
    """The month named at token i, or 0. "may" and "march" are months only with a capital."""
    if i >= len(tokens) or tokens[i].kind is not TokenKind.WORD:
        return 0
    if tokens[i].text in _CAPITAL_MONTHS and not tokens[i].raw[:1].isupper():
        return 0
    return _MONTHS.get(tokens[i].text, 0)


def _day_number(tokens: Tokens, i: int, language: str) -> tuple[int, int] | None:
    """(day, end) of a day of the month in digits, words or as an ordinal."""
    ordinal = read_ordinal(tokens, i)
    if ordinal is not None and ordinal.value <= 31:
        return int(ordinal.value), ordinal.end
    cardinal = read_cardinal(tokens, i, language)
    if cardinal is None or cardinal.article or cardinal.value.denominator != 1 or not 1 <= cardinal.value <= 31:
        return None
    return int(cardinal.value), cardinal.end


def _day_first(tokens: Tokens, i: int, language: str) -> DateMatch | None:
    """As in "12 de maio de 2026", "1º de mayo", "12 May", "the third of June", "12/mai"."""
    day = _day_number(tokens, i, language)
    if day is None or day[1] >= len(tokens):
        return None
    at = day[1]
    joined = tokens[at].text in _OF or (tokens[at].text in ("/", "-", ".") and at + 1 < len(tokens) and tokens[at + 1].glued)
    at += joined
    month = _month(tokens, at)
    if not month or (tokens[at].text in _SHORT_MONTHS and tokens[at].text != "may" and not (joined or _year(tokens, at + 1, language))):
        return None
    year = _year(tokens, at + 1, language)
    return DateMatch((Date(year[0] if year else 0, month, day[0]),), year[1] if year else at + 1)


def _month_first(tokens: Tokens, i: int, language: str) -> DateMatch | None:
    """As in "May 12, 2026", "May the 12th", "maio de 2026", "em maio"."""
    month = _month(tokens, i)
    if not month:
        return None
    at = i + 1
    if at < len(tokens) and tokens[at].text == "." and tokens[at].glued:
        at += 1
    if tokens[i].text in _SHORT_MONTHS - _ENGLISH_SHORT and not tokens[i].raw[0].isupper():
        return None
    if tokens[i].text in _SHORT_MONTHS - _ENGLISH_SHORT or (tokens[i].text in _SHORT_MONTHS and language in ("pt", "es")):
        year = _year(tokens, at, language)
        return DateMatch((Date(year[0], month),), year[1]) if year and tokens[at].text in ("/", "-", "de", "del") else None
    day_at = at + 1 if at < len(tokens) and tokens[at].text == "the" else at
    is_english = tokens[i].text in _ENGLISH or language not in ("pt", "es")
    day = _day_number(tokens, day_at, language) if day_at < len(tokens) and is_english else None
    if day:
        year = _year(tokens, day[1], language)
        return DateMatch((Date(year[0] if year else 0, month, day[0]),), year[1] if year else day[1])
    year = _year(tokens, at, language)
    if year:
        return DateMatch((Date(year[0], month),), year[1])
    if tokens[i].text in _SHORT_MONTHS and tokens[i].text != "may":
        return None
    return DateMatch((Date(month=month),), i + 1, certain=False)


def _year(tokens: Tokens, i: int, language: str) -> tuple[int, int] | None:
    """(year, end) of a year that completes a date at i: "de 2026", ", 2026", "/26", "of two thousand ten"."""
    if i >= len(tokens):
        return None
    mark = tokens[i].text
    at = i + 1 if mark in _OF or mark in (",", "/", "-", "'", ".") else i
    two = plain_integer(tokens, at, 2)
    if two is not None and mark in ("/", "-", "'") and len(tokens[at].text) == 2 and tokens[at].glued:
        return 2000 + two, at + 1
    number = read_cardinal(tokens, at, language)
    if number is None or number.value.denominator != 1 or not 1000 <= number.value <= 2199 or len(number.amounts) > 1:
        return None
    if at > i and mark in (",", ".") and tokens[at].kind is not TokenKind.NUMBER:
        return None
    return int(number.value), number.end


def _weekday(tokens: Tokens, i: int) -> DateMatch | None:
    token = tokens[i]
    if i + 2 < len(tokens) and tokens[i + 1].text == "-" and tokens[i + 2].text == "feira" and token.text in _FEIRAS:
        return DateMatch((Date(weekday=_FEIRAS[token.text]),), i + 3)
    if i + 1 < len(tokens) and tokens[i + 1].text in ("feira", "feiras") and token.text in _FEIRAS:
        return DateMatch((Date(weekday=_FEIRAS[token.text]),), i + 2)
    if token.text in _WEEKDAYS:
        return DateMatch((Date(weekday=_WEEKDAYS[token.text]),), i + 1, certain=token.text not in ("domingo", "sabado"))
    follows_noun = i + 1 < len(tokens) and tokens[i + 1].kind is TokenKind.WORD and len(tokens[i + 1].text) > 2
    stands_alone = i + 1 >= len(tokens) or tokens[i + 1].text in (",", ")", "/")
    if token.text in _FEIRAS and not follows_noun and (stands_alone or (i > 0 and tokens[i - 1].text in _FEIRA_CUES)):
        return DateMatch((Date(weekday=_FEIRAS[token.text]),), i + 1, certain=False)
    return None


def _day_only(tokens: Tokens, i: int) -> DateMatch | None:
    """A day alone ("dia 12"): the number belongs to the day, wherever the month is."""
    day = plain_integer(tokens, i, 2)
    if day is None or not 1 <= day <= 31 or i == 0 or tokens[i - 1].text not in _DAY_CUES:
        return None
    return DateMatch((Date(day=day),), i + 1)
