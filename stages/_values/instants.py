"""The scanner behind `stages.written_time`: every place of a text that may point at an instant of the video."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from stages._values.cardinals import Number, plain_integer, read_cardinal
from stages._values.instant_words import (
    ABOUT,
    ADDRESS,
    ARTICLES,
    BEFORE,
    CLEAR,
    CLOCK_WORDS,
    DURATION,
    DURATION_NOUNS,
    EDGES,
    ELAPSED,
    FIRSTS,
    FRAMES,
    HEDGES,
    LINKS,
    MARKS,
    NEXT,
    NOUN_OF,
    ONES,
    PEOPLE,
    PLURAL,
    POSITION,
    PRONOUNS,
    RANK,
    RATE,
    RATIOS,
    REACHES,
    SECONDS,
    SHORT,
    SINGULAR,
    SIZE,
    TABLES,
    TIMESTAMPS,
    UNIT_SECONDS,
    VIDEO,
)
from stages._values.joining import read_found
from stages._values.numbers import read_ordinal
from stages._values.reading import Found
from stages._values.text import TokenKind, Tokens, guess_language, is_content, tokenize

__all__ = ["Scan", "WrittenInstant"]


@dataclass(frozen=True, slots=True)
class WrittenInstant:
    first: int
    last: int
    rule: str
    seconds: frozenset[Fraction]
    """Every number of seconds the words may mean."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A clock time or a length of time as the value reader found it, in the indexes of this module's tokens."""

    first: int
    last: int
    found: Found
    seconds: frozenset[Fraction]


@dataclass(frozen=True, slots=True)
class Scan:
    """One text, its tokens and the values read in it."""

    tokens: Tokens
    spans: dict[int, _Span]
    """Values with a time, by the index of their first token."""
    inside: frozenset[int]
    """Indexes of the tokens inside such a value, the first apart."""
    language: str

    @classmethod
    def of(cls, text: str) -> Scan:
        tokens = tokenize(text)
        starts = [token.start for token in tokens]
        spans = {}
        for found in read_found(text):
            seconds = frozenset(reading.base for reading in found.value.readings if reading.dimension in ("time", "clock"))
            if seconds:
                first, last = bisect_right(starts, found.value.start) - 1, bisect_left(starts, found.value.end)
                span = _Span(first, last, found, seconds)
                spans[span.first] = span
        inside = frozenset(index for span in spans.values() for index in range(span.first + 1, span.last))
        return cls(tokens, spans, inside, guess_language(tokens))

    def instants(self) -> Iterator[WrittenInstant]:
        """Every instant in the text, left to right, without overlap."""
        i = 0
        while i < len(self.tokens):
            instant = self._stamp(i) or self._written(i) or (self._in_words(self.spans[i]) if i in self.spans else None)
            if instant is not None:
                yield instant
            i = max(instant.last, i + 1) if instant is not None else i + 1

    def _word(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def is_stamp(self, instant: WrittenInstant) -> bool:
        """Whether a clock time is set as a label: in brackets, or at an edge of the text with a leading zero."""
        if self._is_bracketed(instant.first, instant.last):
            return True
        at_edge = instant.first == 0 or instant.last == len(self.tokens)
        return at_edge and self._word(instant.first).startswith("0")

    def _is_bracketed(self, first: int, last: int) -> bool:
        return (self._word(first - 1), self._word(last)) in (("[", "]"), ("(", ")"), ("<", ">"), ("{", "}"))

    def _stamp(self, i: int) -> WrittenInstant | None:
        """A label in brackets: "[93s]", "[01.33]", "(40 s)" at an edge of the text, "[ts: 93]"."""
        if i == 0 or self._word(i - 1) not in ("[", "(", "<", "{"):
            return None
        at = i + 2 if self._word(i) in ADDRESS and self._word(i + 1) == ":" else i
        if at >= len(self.tokens) or self.tokens[at].kind is not TokenKind.NUMBER:
            return None
        number = self.tokens[at]
        unit = self._word(at + 1)
        last = at + 2 if unit in SECONDS else at + 1
        whole, _, rest = number.text.replace(",", ".").partition(".")
        closed = self._word(last) in ("]", ")", ">", "}")
        if not closed or not whole.isdecimal() or (rest and not rest.isdecimal()):
            return None
        at_edge = i == 1 or last + 1 >= len(self.tokens) or (last + 2 == len(self.tokens) and self._word(last + 1) == ".")
        square = self._word(i - 1) != "("
        if unit in SECONDS and (square or at_edge):
            return WrittenInstant(i, last, "stamp" if square else "position", frozenset({Fraction(number.text.replace(",", "."))}))
        if at > i or (square and len(rest) == 2 and rest < "60" and at_edge):
            seconds = Fraction(int(whole) * 60 + int(rest) if rest else int(whole))
            return WrittenInstant(i, last, "stamp", frozenset({seconds}))
        return None

    def _written(self, i: int) -> WrittenInstant | None:
        kind = self.tokens[i].kind
        if kind is TokenKind.NUMBER:
            return self._colons(i) or self._hms(i) or self._primes(i)
        if kind is TokenKind.WORD:
            return self._address(i) or self._unit_first(i) or self._ordinal(i)
        return None

    def _colons(self, i: int) -> WrittenInstant | None:
        """As in "01:33", "1:04:16", "00:01:33,500", "01 : 33"; not "16:9", "2: 30 g"."""
        fields, end, fraction = [self.tokens[i].text], i + 1, Fraction(0)
        while len(fields) < 3 and self._word(end) == ":" and end + 1 < len(self.tokens):
            spaced = not self.tokens[end].glued and not self.tokens[end + 1].glued
            whole, _, rest = self._word(end + 1).replace(",", ".").partition(".")
            tight = self.tokens[end].glued and self.tokens[end + 1].glued
            if not (spaced or tight) or len(whole) != 2 or not whole.isdecimal() or whole > "59":
                break
            fields.append(whole)
            rest = rest[:6]
            fraction = Fraction(int(rest), 10 ** len(rest)) if rest.isdecimal() else Fraction(0)
            end += 2
        if len(fields) == 1 or not fields[0].isdecimal() or len(fields[0]) > 3 or (len(fields) == 2 and self._is_ratio(i)):
            return None
        numbers = [int(one) for one in fields]
        if len(fields) == 3:
            seconds = {numbers[0] * 3600 + numbers[1] * 60 + numbers[2] + fraction}
        else:
            seconds = {numbers[0] * 60 + numbers[1] + fraction, Fraction(numbers[0] * 3600 + numbers[1] * 60)}
        clock = {second + 43200 for second in seconds if second % 60 == 0 and second < 43200}
        return WrittenInstant(i, end, "clock", frozenset(Fraction(second) for second in seconds | clock))

    def _is_ratio(self, i: int) -> bool:
        """A ratio says that it is one, and no ratio begins with a zero."""
        return not self._word(i).startswith("0") and any(self._word(i - back) in RATIOS for back in (1, 2, 3))

    def _primes(self, i: int) -> WrittenInstant | None:
        """1'33": minutes and seconds by prime marks."""
        first, second = plain_integer(self.tokens, i, 3), plain_integer(self.tokens, i + 2, 2)
        if first is None or second is None or second > 59 or self._word(i + 1) != "'" or len(self._word(i + 2)) != 2:
            return None
        end = i + 4 if self._word(i + 3) == '"' else i + 5 if (self._word(i + 3), self._word(i + 4)) == ("'", "'") else 0
        # Without the second mark, 5'11 may be a height: a label in brackets, a leading zero or a place before it decides.
        if not end and (self._is_bracketed(i, i + 3) or self._word(i + 2).startswith("0") or self._word(i - 1) in POSITION | {"a", "to"}):
            end = i + 3
        return WrittenInstant(i, end, "clock", frozenset({Fraction(first * 60 + second)})) if end else None

    def _hms(self, i: int) -> WrittenInstant | None:
        """As in "1h02m", "14h30", "1min33s", "2m05", "1 h 02 min"; a length of time that says so passes."""
        parts, end = self._parts(i)
        if len(parts) < 2 or (self._is_called_duration(i) and not self._is_bracketed(i, end)):
            return None
        placed = self._word(i - 1) in POSITION or self._is_bracketed(i, end)
        if parts[0][1] == "m" and parts[1][1] == "" and not (self._word(end - 1).startswith("0") or placed):
            return None
        return WrittenInstant(i, end, "hms", frozenset({Fraction(sum(value * SIZE[unit or NEXT[parts[0][1]]] for value, unit in parts))}))

    def _is_called_duration(self, i: int) -> bool:
        """Whether the words before say that a length of time follows: "por 1h30", "tempo de preparo: 1h30"."""
        # What stands before another number is about that one: "the total is $1,249.99 around 47s".
        before = (self.tokens[i - back] for back in range(2, min(7, i + 1)))
        near = [token.text for token in takewhile(lambda token: token.kind is not TokenKind.NUMBER, before)]
        return self._word(i - 1) in DURATION or bool({*near[:3]} & DURATION_NOUNS) or bool({*near} & (DURATION - {"por", "for"}))

    def _parts(self, i: int) -> tuple[list[tuple[int, str]], int]:
        """The numbers with falling units h, m, s that start at i: ([(1, "h"), (2, "m")], end)."""
        parts: list[tuple[int, str]] = []
        end, last = i, 4
        while True:
            value = plain_integer(self.tokens, end, 3)
            unit = SHORT.get(self._word(end + 1), "")
            if value is None or (parts and value > 59):
                return parts, end
            rank = RANK.get(unit, 0)
            if rank and rank < last and (not parts or self.tokens[end].glued or last == 3 or unit == "s"):
                parts.append((value, unit))
                end, last = end + 2, rank
                continue
            if parts and self.tokens[end].glued and len(self._word(end)) == 2 and last > 1:
                parts.append((value, ""))
                end += 1
            return parts, end

    def _address(self, i: int) -> WrittenInstant | None:
        """As in "t=93s", "#t=17.38", "start=93", "timestamp 93"."""
        word, following = self._word(i), self._word(i + 1)
        at = 0
        if word in ADDRESS and following == "=":
            at = i + 2
        elif word in TIMESTAMPS:
            at = i + 2 if following in (":", "=", "de", "of") else i + 1
        number = read_cardinal(self.tokens, at, self.language) if at and at < len(self.tokens) else None
        if number is None or self.tokens[at].kind is not TokenKind.NUMBER:
            return None
        parts, end = self._parts(at)
        seconds = Fraction(sum(value * SIZE[unit or "s"] for value, unit in parts)) if parts else number.value
        return WrittenInstant(i, max(end, number.end), "address", frozenset({seconds}))

    def _unit_first(self, i: int) -> WrittenInstant | None:
        """As in "no segundo 40", "at minute two", "en el minuto 2", "between seconds 40 and 50"."""
        unit, before = self._word(i), self._word(i - 1)
        at = self._past_number_sign(i + 1)
        if not (unit in UNIT_SECONDS or unit in FRAMES) or before in RATE or at >= len(self.tokens):
            return None
        if i in self.inside and not self._names_a_unit(i, at):
            return None
        number = read_cardinal(self.tokens, at, self.language)
        if self._word(at) == "dos" and (at + 1 >= len(self.tokens) or self.tokens[at + 1].kind is TokenKind.MARK):
            number = read_cardinal(self.tokens, at, "es")
        if number is None or (number.article and self._word(at) not in ONES):
            return None
        placed = before in POSITION and not (unit in TABLES and (len(self._word(at)) < 2 or before in ("do", "del", "from")))
        bare = number.end >= len(self.tokens) or self.tokens[number.end].kind is TokenKind.MARK
        clear = unit in CLEAR and (bare or not is_content(self.tokens[number.end]))
        alone = i == 0 or self.tokens[i - 1].kind is TokenKind.MARK
        digits = self.tokens[at].kind is TokenKind.NUMBER
        labelled = self._is_bracketed(i, number.end)
        if not (placed or clear or labelled or (unit in SINGULAR | PLURAL and bare and (alone or digits))):
            return None
        size = UNIT_SECONDS.get(unit, 0)
        more = self._smaller_part(number.end) if size == 60 else None
        seconds = number.value * size + (more[0] if more else 0)
        known = frozenset({seconds}) if size else frozenset({-number.value - 1})
        return WrittenInstant(i - 1 if placed else i, more[1] if more else number.end, "unit-first", known)

    def _names_a_unit(self, i: int, at: int) -> bool:
        """ "código 7731 segundo 36": a unit in the singular is not of the number before it, unless that is one."""
        return self._word(i) in SINGULAR and self._word(i - 1) not in ONES | {"1", "a"} and self.tokens[at].kind is TokenKind.NUMBER

    def _past_number_sign(self, i: int) -> int:
        """The index after "nº", "no.", "número", "#" or a dot between a unit and its number."""
        for sign in (("n", "º"), ("n", "."), ("no", "."), ("nro", "."), ("num", "."), ("numero",), ("number",), (".",), ("#",), ("-",)):
            if all(self._word(i + k) == word for k, word in enumerate(sign)) and i + len(sign) < len(self.tokens):
                return i + len(sign)
        return i

    def _smaller_part(self, i: int) -> tuple[int, int] | None:
        """(seconds, end) of "e cinco", "y 5", ":15" after a minute."""
        if self._word(i) not in ("e", "y", "and", ":", "con", "com"):
            return None
        number = read_cardinal(self.tokens, i + 1, self.language) if i + 1 < len(self.tokens) else None
        if number is None or number.article or number.value.denominator != 1 or number.value > 59:
            return None
        return int(number.value), number.end + (self._word(number.end) in ("segundos", "seconds"))

    def _ordinal(self, i: int) -> WrittenInstant | None:
        """As in "no segundo minuto", "in the 40th second", unless it is the second minute of something else."""
        if self._word(i) not in POSITION:
            return None
        ordinal = read_ordinal(self.tokens, i + 1) if i + 1 < len(self.tokens) else None
        unit = self._word(ordinal.end) if ordinal else ""
        if ordinal is not None and ordinal.end > i + 2 and self._word(ordinal.end - 1) == "segundo" and unit not in SINGULAR:
            return self._ordinal_second(i, ordinal)
        if ordinal is None or unit not in SINGULAR or self._is_of_something(ordinal.end + 1):
            return None
        return WrittenInstant(i, ordinal.end + 1, "ordinal", frozenset({ordinal.value * UNIT_SECONDS[unit]}))

    def _ordinal_second(self, i: int, ordinal: Number) -> WrittenInstant | None:
        """ "no quadragésimo segundo": the fortieth second, unless something that is the forty-second follows."""
        end = ordinal.end
        follows = end < len(self.tokens) and is_content(self.tokens[end])
        if follows or self._is_of_something(end):
            return None
        return WrittenInstant(i, end, "ordinal", frozenset({ordinal.value - 2}))

    def _is_of_something(self, i: int) -> bool:
        """Whether "de forno", "of cooking" follows: a time inside the content, not inside the video."""
        if self._word(i) not in NOUN_OF:
            return self._word(i) in ("per", "por")
        at = i + 1 + (self._word(i + 1) in ARTICLES)
        return at < len(self.tokens) and is_content(self.tokens[at]) and self.tokens[at].text not in VIDEO | EDGES

    def _in_words(self, span: _Span) -> WrittenInstant | None:
        return self._duration(span) if span.found.value.kind in ("duration", "year") else self._spoken_clock(span)

    def _spoken_clock(self, span: _Span) -> WrittenInstant | None:
        """As in "at one thirty-three", "às duas e trinta e três": minutes that no part of the day makes a time of day."""
        words = {token.text for token in self.tokens[span.first : span.last]}
        exact = len(span.seconds) == 2 and any(second % 3600 for second in span.seconds) and not words & CLOCK_WORDS
        return WrittenInstant(span.first, span.last, "clock", span.seconds) if exact else None

    def _duration(self, found: _Span) -> WrittenInstant | None:
        """A length of time in the place of an instant: "aos 40 segundos", "40 seconds in", "the 40 second mark"."""
        seconds = found.seconds
        start = self._position_start(found)
        if self._word(found.last) in MARKS or (self._word(found.last + 1) in MARKS and self._word(found.last) == "-"):
            return WrittenInstant(found.first, found.last + 1, "mark", seconds)
        if self._points_into_video(found) or self._is_far_in(found) or (start is not None and not self._is_of_something(found.last)):
            return WrittenInstant(found.first if start is None else start, found.last, "position", seconds)
        return None

    def _position_start(self, found: _Span) -> int | None:
        """Index of the preposition that makes the duration an instant, or None."""
        one, two, three = (self._word(found.first - back) for back in (1, 2, 3))
        if one in ("aos", "ao", "at"):
            return found.first - 1
        if one in HEDGES and (two in ("aos", "ao", "at") or (three, two) == ("a", "los")):
            return found.first - (2 if two in ("aos", "ao", "at") else 3)
        if (two, one) in (("a", "los"), ("marca", "de"), ("marca", "dos"), ("at", "the"), ("at", "about"), ("at", "around")):
            return found.first - 2
        if (three, two, one) in (("marca", "de", "los"), ("alrededor", "de", "los"), ("eso", "de", "los"), ("cerca", "de", "los"),
                                 ("at", "the", "first")):  # fmt: skip
            return found.first - 3
        if one in ELAPSED:
            return found.first - 1
        if (self._word(found.last - 1) in SECONDS and not self._is_called_duration(found.first)) and (
            one in ABOUT or (three, two, one) == ("por", "volta", "de") or self._is_between(found)
        ):
            return found.first - 1
        if self._is_between(found) and one in ("os", "los", "the"):
            return found.first - 1
        if one in REACHES | {"a", "em", "nos", "los", "at", "the", "aos"}:
            before = {self._word(found.first - back) for back in range(1, 6)}
            if before & VIDEO and before & REACHES:
                return found.first - 1
        near = (("partir", "dos"), ("volta", "dos"), ("perto", "dos"), ("torno", "dos"), ("ate", "os"), ("desde", "os"), ("la", "pelos"),
                ("sobre", "los"), ("hacia", "los"), ("desde", "los"), ("hasta", "los"), ("partir", "de"), ("volta", "de"))  # fmt: skip
        if (two, one) in near and (two, one) not in (("volta", "de"),):
            return found.first - 2
        parts = self._minutes_and_seconds(found)
        return found.first - 1 if parts and one in ("em", "a", "no", "na", "en", "in", "com", "con", "from", "around") else None

    def _is_between(self, found: _Span) -> bool:
        """Whether the duration ends a range of instants: "entre os 35 e os 45 segundos", "between 963 and 973 seconds"."""
        before = [self._word(found.first - back) for back in range(1, 7)]
        joint = next((place for place, word in enumerate(before) if word in ("e", "y", "and")), -1)
        return 0 <= joint <= 1 and any(word in ("entre", "between") for word in before[joint + 1 :])

    def _minutes_and_seconds(self, found: _Span) -> bool:
        """As in "um minuto e trinta e três": so exact a length after "em" is an instant."""
        units = [token.text for token in self.tokens[found.first : found.last] if token.kind is TokenKind.WORD]
        return any(unit in ("minuto", "minutos", "minute", "minutes", "min") for unit in units) and not found.found.amounts

    def _points_into_video(self, found: _Span) -> bool:
        """As in "após 2 minutos de vídeo", "30 seconds into the clip", "10 segundos antes do fim"; not "um vídeo de 10 minutos"."""
        at = found.last
        while self._word(at) in LINKS | ARTICLES and at < found.last + 4:
            at += 1
        if at == found.last or self._word(at) not in VIDEO | EDGES:
            return False
        if self._word(at) in EDGES:
            return not self._is_of_something(at + 1)
        # "45 minutos con 39 segundos de vídeo" reads as one length of time, and its second part is the place.
        before = [self._word(i) for i in range(found.first - 1, found.last)]
        return self._word(found.last) not in ("de", "of") or before[0] in BEFORE | FIRSTS or bool({*before} & {"con", "com"})

    def _is_far_in(self, found: _Span) -> bool:
        """As in "40 seconds in", "two minutes in, he adds"; not "40 seconds in the oven"."""
        if self._word(found.last) == "into":
            return self._word(found.last + 1) == "it"
        if self._word(found.last) != "in":
            return False
        at = found.last + 1
        if at >= len(self.tokens) or self.tokens[at].kind is TokenKind.MARK or self._word(at) in PRONOUNS:
            return True
        return self._word(at) == "the" and self._word(at + 1) in PEOPLE
