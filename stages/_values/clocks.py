"""Clock times in Portuguese, Spanish and English, in digits and in words.

A time without a part of the day keeps both halves of the day, and "14:30" may also be a length of time: what the writer left
open stays open, so that it neither confirms too much in a sentence that says more nor accuses one that says the same in
another way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from stages._values.cardinals import plain_integer, read_cardinal
from stages._values.text import TokenKind, Tokens
from stages._values.units import match_unit

__all__ = ["Clock", "read_clock"]


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock time found in a token list."""

    times: tuple[int, ...]
    """Seconds since midnight, one per half of the day it may be in."""
    end: int
    durations: tuple[int, ...] = ()
    """Seconds, where the same spelling may be a length of time."""
    hour: Fraction | None = None
    """The number itself, where the words may be a plain number ("at two")."""


_AT_WORDS = frozenset("at by until from before after".split())
_PAST = {"past": 1, "to": -1, "til": -1, "till": -1, "before": -1, "after": 1}
_AND = frozenset("e y".split())
_NOON = {"noon": 12, "midday": 12, "mediodia": 12, "midnight": 0, "medianoche": 0}
_HALVES = frozenset("meia media meio".split())


def read_clock(tokens: Tokens, i: int, language: str = "") -> Clock | None:
    """The clock time at token i, or None."""
    token = tokens[i]
    if token.kind is TokenKind.NUMBER:
        written = _colon_clock(tokens, i) or _h_clock(tokens, i)
        if written:
            return written
    return _noon(tokens, i) or _relative_clock(tokens, i, language) or _spoken_clock(tokens, i, language)


def _colon_clock(tokens: Tokens, i: int) -> Clock | None:
    """As in "14:30", "2:30 PM", "1:04:16"."""
    fields, end = [tokens[i].text], i + 1
    while len(fields) < 3 and end + 1 < len(tokens) and tokens[end].text == ":" and tokens[end].glued and tokens[end + 1].glued:
        field = tokens[end + 1].text.partition(".")[0].partition(",")[0]
        if len(field) != 2 or not field.isdecimal() or int(field) > 59:
            break
        fields.append(field)
        end += 2
    if len(fields) == 1 or not fields[0].isdecimal() or len(fields[0]) > 3:
        return None
    first, second = int(fields[0]), int(fields[1])
    third = int(fields[2]) if len(fields) == 3 else 0
    hms = first * 3600 + second * 60 + third
    durations = (hms,) if len(fields) == 3 else (first * 60 + second, hms)
    times, after = _halves(tokens, end, hms) if first <= 24 else ((), end)
    return Clock(times, after, () if _part_of_day(tokens, end)[0] else durations)


def _h_clock(tokens: Tokens, i: int) -> Clock | None:
    """As in "14h30", "14h", "9h30min"."""
    hour = plain_integer(tokens, i, 2)
    if hour is None or i + 1 >= len(tokens) or tokens[i + 1].text not in ("h", "hs", "hrs"):
        return None
    minute = plain_integer(tokens, i + 2, 2) if i + 2 < len(tokens) and tokens[i + 2].glued else None
    end = i + 2
    if minute is not None and minute < 60:
        end = i + 3
        end += end < len(tokens) and tokens[end].text in ("min", "m") and tokens[end].glued
        if end + 1 < len(tokens) and tokens[end].glued and tokens[end].kind is TokenKind.NUMBER:
            return None
    elif i + 2 < len(tokens) and tokens[i + 2].kind is TokenKind.NUMBER:
        spaced = plain_integer(tokens, i + 2, 2)
        if spaced is None or spaced > 59 or i + 3 >= len(tokens) or tokens[i + 3].text not in ("min", "m"):
            return None
        minute, end = spaced, i + 4
    seconds = hour * 3600 + (minute or 0) * 60
    times = _halves(tokens, end, seconds)[0] if hour <= 24 else ()
    return Clock(times, end, (seconds,))


def _halves(tokens: Tokens, end: int, seconds: int) -> tuple[tuple[int, ...], int]:
    """The times of day that a 12-hour or 24-hour reading allows, and the end after "PM" or "da tarde"."""
    seconds %= 86400
    half, after = _part_of_day(tokens, end)
    noon = seconds % 43200
    if half and seconds < 46800:
        return ((noon + (43200 if half == "pm" else 0),), after)
    return ((seconds, seconds + 43200) if 3600 <= seconds < 43200 else (seconds, noon) if seconds < 46800 else (seconds,)), max(end, after)


_PARTS = (
    (("da", "tarde"), "pm"), (("da", "noite"), "pm"), (("da", "manha"), "am"), (("da", "madrugada"), "am"),
    (("de", "la", "tarde"), "pm"), (("de", "la", "noche"), "pm"), (("de", "la", "manana"), "am"), (("de", "la", "madrugada"), "am"),
    (("in", "the", "afternoon"), "pm"), (("in", "the", "evening"), "pm"), (("in", "the", "morning"), "am"), (("at", "night"), "pm"),
    (("a", ".", "m", "."), "am"), (("p", ".", "m", "."), "pm"), (("a", ".", "m"), "am"), (("p", ".", "m"), "pm"),
    (("am",), "am"), (("pm",), "pm"), (("del", "mediodia"), "pm"),
)  # fmt: skip


def _part_of_day(tokens: Tokens, i: int) -> tuple[str, int]:
    """("am" or "pm", index after it), past a word for the hour; ("", i) where there is none."""
    at = i
    if at < len(tokens) and tokens[at].text in ("h", "hs", "hrs", "horas", "hora"):
        at += 1
    elif at + 2 < len(tokens) and tokens[at].text == "o" and tokens[at + 2].text == "clock":
        at += 3
    first = tokens[at].text if at < len(tokens) else ""
    for words, half in _PARTS:
        if words[0] == first and all(at + k < len(tokens) and tokens[at + k].text == word for k, word in enumerate(words)):
            return half, at + len(words)
    return "", at if at > i else i


def _noon(tokens: Tokens, i: int) -> Clock | None:
    hour, end = _NOON.get(tokens[i].text), i + 1
    if hour is None and tokens[i].text in ("meio", "meia"):
        at = i + 2 if i + 2 < len(tokens) and tokens[i + 1].text == "-" else i + 1
        name = tokens[at].text if at < len(tokens) else ""
        hour = 12 if (tokens[i].text, name) == ("meio", "dia") else 0 if (tokens[i].text, name) == ("meia", "noite") else None
        end = at + 1
    if hour is None:
        return None
    if end + 1 < len(tokens) and tokens[end].text in _AND and tokens[end + 1].text in _HALVES:
        return Clock((hour * 3600 + 1800,), end + 2)
    return Clock((hour * 3600,), end)


def _hour(tokens: Tokens, i: int, language: str) -> tuple[int, int] | None:
    number = read_cardinal(tokens, i, language) if i < len(tokens) else None
    if number is None or number.value.denominator != 1 or not 0 <= number.value <= 24 or number.amounts[0].step != 1:
        return None
    return int(number.value), number.end


def _relative_clock(tokens: Tokens, i: int, language: str) -> Clock | None:
    """As in "half past two", "a quarter to three", "ten past two", "quinze para as três"."""
    start = i + 1 if tokens[i].text == "a" and i + 1 < len(tokens) else i
    minutes: int | None
    if tokens[start].text in ("half", "quarter"):
        minutes, at = (30 if tokens[start].text == "half" else 15), start + 1
    else:
        number = _hour(tokens, start, language) if start == i else None
        minutes, at = number or (None, i)
        at += at < len(tokens) and tokens[at].text in ("minutes", "minutos")
    if minutes is None or at + 1 >= len(tokens):
        return None
    sign = _PAST.get(tokens[at].text, 0) if language in ("en", "") else 0
    hour_at = at + 1
    if tokens[at].text == "para" and tokens[at + 1].text in ("as", "a", "o"):
        sign, hour_at = -1, at + 2
        noon = _noon(tokens, hour_at) if hour_at < len(tokens) else None
        if noon:
            return Clock((noon.times[0] - minutes * 60,), noon.end)
    hour = _hour(tokens, hour_at, language) if sign else None
    if hour is None or not 1 <= hour[0] <= 12 or (tokens[start].kind is TokenKind.NUMBER and tokens[at].text in ("to", "after", "before")):
        return None
    if minutes % 5 or (hour[1] < len(tokens) and _names_something(tokens, hour[1], language) and not _part_of_day(tokens, hour[1])[0]):
        return None
    times, end = _halves(tokens, hour[1], hour[0] * 3600 + sign * minutes * 60)
    return Clock(times, end)


def _spoken_clock(tokens: Tokens, i: int, language: str) -> Clock | None:
    """As in "às duas e meia", "las tres menos cuarto", "at two", "duas da tarde", "five o'clock"."""
    hour = _hour(tokens, i, language)
    if hour is None:
        return None
    minutes, end = _minutes_after(tokens, hour[1], language)
    half, after = _part_of_day(tokens, end)
    named_hour = after > end
    cued = _is_cued(tokens, i)
    if not half and not cued and not (after > end and tokens[end].text == "o"):
        return None
    following = tokens[after] if after < len(tokens) else None
    if not half and not named_hour and minutes == 0 and following is not None and _names_something(tokens, after, language):
        return None
    times, _ = _halves(tokens, end, hour[0] * 3600 + minutes * 60)
    plain = None if half or named_hour or minutes else Fraction(hour[0])
    return Clock(times, after, hour=plain)


def _names_something(tokens: Tokens, i: int, language: str) -> bool:
    return (tokens[i].kind is TokenKind.WORD and len(tokens[i].text) > 3) or match_unit(tokens, i, language) is not None


def _is_cued(tokens: Tokens, i: int) -> bool:
    """Whether the words before name an hour: "às", "a las", "at"; not the article in "as duas xícaras"."""
    if i == 0:
        return False
    before, earlier = tokens[i - 1], tokens[i - 2].text if i > 1 else ""
    if before.text == "as":
        return before.accented or earlier in ("ate", "para", "entre")
    if before.text in ("das",):
        return True
    if before.text in ("las", "la"):
        return earlier in ("a", "son", "es", "desde", "hasta", "sobre", "eran")
    return before.text in _AT_WORDS and before.text in ("at",)


def _minutes_after(tokens: Tokens, i: int, language: str) -> tuple[int, int]:
    """(minutes, end) of "e meia", "y cuarto", "menos diez", "e quinze", or (0, i)."""
    for minutes, end in _minute_forms(tokens, i, language):
        return minutes, end
    return 0, i


def _minute_forms(tokens: Tokens, i: int, language: str) -> Iterator[tuple[int, int]]:
    if i + 1 >= len(tokens):
        return
    joint, word = tokens[i].text, tokens[i + 1].text
    if (joint in _AND and not tokens[i].accented) or joint == "menos":
        sign = -1 if joint == "menos" else 1
        if word in _HALVES and not tokens[i + 1].accented:
            yield sign * 30, i + 2
        if word == "cuarto":
            yield sign * 15, i + 2
        number = _hour60(tokens, i + 1, language)
        if number:
            yield sign * number[0], number[1]
    elif tokens[i].kind is TokenKind.WORD and language == "en":
        number = _hour60(tokens, i, language)
        if number and number[0] >= 10:
            yield number


def _hour60(tokens: Tokens, i: int, language: str) -> tuple[int, int] | None:
    number = read_cardinal(tokens, i, language)
    if number is None or number.article or number.value.denominator != 1 or not 1 <= number.value <= 59:
        return None
    return int(number.value), number.end
