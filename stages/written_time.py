"""Law 4, second half: finds an instant of the video written into the text of a claim.

The format gives a model no field for a time, so a model that wants to date its answer writes the date into the words:
"[01:33] Sirva", "no segundo 40", "40 seconds in". Models point at the right moment 3 to 4 % of the time; such words are
refused. A length of time that is content ("35 minutos de forno") is not an instant, and a clock time or duration that the
cited evidence itself contains ("Reunião às 14:30") is a value to confirm.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from stages._values.cardinals import plain_integer, read_cardinal
from stages._values.joining import read_found
from stages._values.numbers import read_ordinal
from stages._values.reading import Found
from stages._values.text import TokenKind, Tokens, guess_language, is_content, tokenize

__all__ = ["WrittenTime", "written_times"]


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """An instant written in a text."""

    text: str
    """Verbatim."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    rule: str
    """As in "clock" (01:33), "hms" (1h02m), "address" (t=93s), "unit-first" (no segundo 40), "position" (aos 40 segundos),
    "mark" (the 40 second mark), "ordinal" (no segundo minuto)."""


@dataclass(frozen=True, slots=True)
class _Instant:
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


def written_times(text: str, content: Iterable[str] = ()) -> tuple[WrittenTime, ...]:
    """The instants written in `text`, in order, except those that a text of `content` (the cited evidence) contains.

    Never raises; linear in the length of the texts.
    """
    scan = _Scan.of(text)
    instants = list(scan.instants())
    if not instants:
        return ()
    known = {second for one in content for second in _content_seconds(one)}
    return tuple(
        WrittenTime(text[start:end], start, end, instant.rule)
        for instant in instants
        if not instant.seconds & known
        for start, end in [(scan.tokens[instant.first].start, scan.tokens[instant.last - 1].end)]
    )


def _content_seconds(text: str) -> set[Fraction]:
    """The clock times and durations a text contains, in seconds."""
    scan = _Scan.of(text)
    written = {second for instant in scan.instants() for second in instant.seconds}
    return written | {second for span in scan.spans.values() for second in span.seconds}


def _words(listing: str) -> frozenset[str]:
    return frozenset(listing.split())


_UNIT_SECONDS = {
    **dict.fromkeys(_words("segundo segundos second seconds seg sec instante instant"), 1),
    **dict.fromkeys(_words("minuto minutos minute minutes min"), 60),
    **dict.fromkeys(_words("hora horas hour hours"), 3600),
}
_SINGULAR = _words("segundo second minuto minute")
_CLEAR = _words("minuto minute")
_PLURAL = _words("segundos seconds minutos minutes")
_ONES = _words("um uno one")
_FRAMES = _words("frame frames fotograma fotogramas")
_POSITION = _words(
    "os no na ao aos nos do dos em el al en del at from until ate desde hasta around by a los near hacia sobre entre between the"
)
_RATE = _words("por per cada each every")
_CLOCK_WORDS = _words(": h hs hrs past to para half quarter menos meia media meio cuarto am pm")
_RATIOS = _words("proporcao razao escala ratio ratios scale proporcion proporciones aspect aspecto placar score marcador diluicao")
_ADDRESS = _words("t ts start time timestamp begin seek")
_TIMESTAMPS = _words("timestamp timecode minutagem timestamps")
_DURATION = _words("por durante for leva levam takes take took tarda tardan dura duram duran lasts duracao duracion duration total demora")
_VIDEO = _words(
    """video videos clip clips clipe clipes gravacao grabacion recording footage film filme filmagem pelicula transmissao stream audio
    episode episodio talk lecture presentation apresentacao presentacion palestra playback tutorial reproducao reproduccion"""
)
_EDGES = _words("inicio comeco comienzo principio start beginning fim final fin end")
_PEOPLE = _words("speaker presenter host narrator chef instructor teacher man woman person video clip screen title text slide camera")
_PRONOUNS = _words("he she it they we you i there one someone")
_MARKS = _words("mark marker point")
_LINKS = _words("iniciais finais iniciales finales de do da del of into in no na en dentro from to antes before after desde depois despues")
_ARTICLES = _words("o a os as el la los las the this esta este")
_NOUN_OF = _words("de do da dos das del of")
_DURATION_NOUNS = _words("tempo tiempo time duracao duracion duration total")
_BEFORE = _words("apos de aos com tras despues after at with passados transcorridos decorridos los dos nos em en in a ao depois")
_FIRSTS = _words("primeiros primeiras primeros primeras first")
_SHORT = {
    **dict.fromkeys(_words("h hr hrs hs hora horas hour hours"), "h"),
    **dict.fromkeys(_words("m min mins"), "m"),
    **dict.fromkeys(_words("s seg segs sec secs"), "s"),
}
_RANK = {"h": 3, "m": 2, "s": 1}
_NEXT = {"h": "m", "m": "s", "s": "s"}
_SIZE = {"h": 3600, "m": 60, "s": 1}


@dataclass(frozen=True, slots=True)
class _Scan:
    """One text, its tokens and the values read in it."""

    tokens: Tokens
    spans: dict[int, _Span]
    """Values with a time, by the index of their first token."""
    inside: frozenset[int]
    """Indexes of the tokens inside such a value, the first apart."""
    language: str

    @classmethod
    def of(cls, text: str) -> _Scan:
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

    def instants(self) -> Iterator[_Instant]:
        """Every instant in the text, left to right, without overlap."""
        i = 0
        while i < len(self.tokens):
            instant = self._written(i) or (self._in_words(self.spans[i]) if i in self.spans else None)
            if instant is not None:
                yield instant
            i = max(instant.last, i + 1) if instant is not None else i + 1

    def _word(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _written(self, i: int) -> _Instant | None:
        kind = self.tokens[i].kind
        if kind is TokenKind.NUMBER:
            return self._colons(i) or self._hms(i) or self._primes(i)
        if kind is TokenKind.WORD:
            return self._address(i) or self._unit_first(i) or self._ordinal(i)
        return None

    def _colons(self, i: int) -> _Instant | None:
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
        return _Instant(i, end, "clock", frozenset(Fraction(second) for second in seconds | clock))

    def _is_ratio(self, i: int) -> bool:
        """A ratio says that it is one, and no ratio begins with a zero."""
        return not self._word(i).startswith("0") and any(self._word(i - back) in _RATIOS for back in (1, 2, 3))

    def _primes(self, i: int) -> _Instant | None:
        """1'33": minutes and seconds by prime marks."""
        first, second = plain_integer(self.tokens, i, 3), plain_integer(self.tokens, i + 2, 2)
        if first is None or second is None or second > 59 or self._word(i + 1) != "'" or len(self._word(i + 2)) != 2:
            return None
        end = i + 4 if self._word(i + 3) == '"' else i + 5 if (self._word(i + 3), self._word(i + 4)) == ("'", "'") else 0
        return _Instant(i, end, "clock", frozenset({Fraction(first * 60 + second)})) if end else None

    def _hms(self, i: int) -> _Instant | None:
        """As in "1h02m", "14h30", "1min33s", "2m05", "1 h 02 min"; a length of time that says so passes."""
        parts, end = self._parts(i)
        if len(parts) < 2 or self._is_called_duration(i):
            return None
        if parts[0][1] == "m" and parts[1][1] == "" and not (self._word(end - 1).startswith("0") or self._word(i - 1) in _POSITION):
            return None
        return _Instant(i, end, "hms", frozenset({Fraction(sum(value * _SIZE[unit or _NEXT[parts[0][1]]] for value, unit in parts))}))

    def _is_called_duration(self, i: int) -> bool:
        """Whether the words before say that a length of time follows: "por 1h30", "tempo de preparo: 1h30"."""
        nouns = {self._word(i - back) for back in (2, 3, 4)}
        return self._word(i - 1) in _DURATION or bool(nouns & (_DURATION_NOUNS))

    def _parts(self, i: int) -> tuple[list[tuple[int, str]], int]:
        """The numbers with falling units h, m, s that start at i: ([(1, "h"), (2, "m")], end)."""
        parts: list[tuple[int, str]] = []
        end, last = i, 4
        while True:
            value = plain_integer(self.tokens, end, 3)
            unit = _SHORT.get(self._word(end + 1), "")
            if value is None or (parts and value > 59):
                return parts, end
            rank = _RANK.get(unit, 0)
            if rank and rank < last and (not parts or self.tokens[end].glued or last == 3 or unit == "s"):
                parts.append((value, unit))
                end, last = end + 2, rank
                continue
            if parts and self.tokens[end].glued and len(self._word(end)) == 2 and last > 1:
                parts.append((value, ""))
                end += 1
            return parts, end

    def _address(self, i: int) -> _Instant | None:
        """As in "t=93s", "#t=17.38", "start=93", "timestamp 93"."""
        word, following = self._word(i), self._word(i + 1)
        at = 0
        if word in _ADDRESS and following == "=":
            at = i + 2
        elif word in _TIMESTAMPS:
            at = i + 2 if following in (":", "=", "de", "of") else i + 1
        number = read_cardinal(self.tokens, at, self.language) if at and at < len(self.tokens) else None
        if number is None or self.tokens[at].kind is not TokenKind.NUMBER:
            return None
        parts, end = self._parts(at)
        seconds = Fraction(sum(value * _SIZE[unit or "s"] for value, unit in parts)) if parts else number.value
        return _Instant(i, max(end, number.end), "address", frozenset({seconds}))

    def _unit_first(self, i: int) -> _Instant | None:
        """As in "no segundo 40", "at minute two", "en el minuto 2", "between seconds 40 and 50"."""
        unit, before = self._word(i), self._word(i - 1)
        at = i + 2 if self._word(i + 1) in (".", "#", "-") and i + 2 < len(self.tokens) else i + 1
        if not (unit in _UNIT_SECONDS or unit in _FRAMES) or before in _RATE or at >= len(self.tokens) or i in self.inside:
            return None
        number = read_cardinal(self.tokens, at, self.language)
        if number is None or (number.article and self._word(at) not in _ONES):
            return None
        placed = before in _POSITION
        bare = number.end >= len(self.tokens) or self.tokens[number.end].kind is TokenKind.MARK
        clear = unit in _CLEAR and (bare or not is_content(self.tokens[number.end]))
        if not (placed or clear or (unit in _SINGULAR | _PLURAL and bare and (i == 0 or self.tokens[i - 1].kind is TokenKind.MARK))):
            return None
        size = _UNIT_SECONDS.get(unit, 0)
        more = self._smaller_part(number.end) if size == 60 else None
        seconds = number.value * size + (more[0] if more else 0)
        known = frozenset({seconds}) if size else frozenset({-number.value - 1})
        return _Instant(i - 1 if placed else i, more[1] if more else number.end, "unit-first", known)

    def _smaller_part(self, i: int) -> tuple[int, int] | None:
        """(seconds, end) of "e cinco", "y 5", ":15" after a minute."""
        if self._word(i) not in ("e", "y", "and", ":", "con", "com"):
            return None
        number = read_cardinal(self.tokens, i + 1, self.language) if i + 1 < len(self.tokens) else None
        if number is None or number.article or number.value.denominator != 1 or number.value > 59:
            return None
        return int(number.value), number.end + (self._word(number.end) in ("segundos", "seconds"))

    def _ordinal(self, i: int) -> _Instant | None:
        """As in "no segundo minuto", "in the 40th second", unless it is the second minute of something else."""
        if self._word(i) not in _POSITION:
            return None
        ordinal = read_ordinal(self.tokens, i + 1) if i + 1 < len(self.tokens) else None
        unit = self._word(ordinal.end) if ordinal else ""
        if ordinal is None or unit not in _SINGULAR or self._is_of_something(ordinal.end + 1):
            return None
        return _Instant(i, ordinal.end + 1, "ordinal", frozenset({ordinal.value * _UNIT_SECONDS[unit]}))

    def _is_of_something(self, i: int) -> bool:
        """Whether "de forno", "of cooking" follows: a time inside the content, not inside the video."""
        if self._word(i) not in _NOUN_OF:
            return self._word(i) in ("per", "por")
        at = i + 1 + (self._word(i + 1) in _ARTICLES)
        return at < len(self.tokens) and is_content(self.tokens[at]) and self.tokens[at].text not in _VIDEO | _EDGES

    def _in_words(self, span: _Span) -> _Instant | None:
        return self._duration(span) if span.found.value.kind == "duration" else self._spoken_clock(span)

    def _spoken_clock(self, span: _Span) -> _Instant | None:
        """As in "at one thirty-three", "às duas e trinta e três": minutes that no part of the day makes a time of day."""
        words = {token.text for token in self.tokens[span.first : span.last]}
        exact = len(span.seconds) == 2 and any(second % 3600 for second in span.seconds) and not words & _CLOCK_WORDS
        return _Instant(span.first, span.last, "clock", span.seconds) if exact else None

    def _duration(self, found: _Span) -> _Instant | None:
        """A length of time in the place of an instant: "aos 40 segundos", "40 seconds in", "the 40 second mark"."""
        seconds = found.seconds
        start = self._position_start(found)
        if self._word(found.last) in _MARKS or (self._word(found.last + 1) in _MARKS and self._word(found.last) == "-"):
            return _Instant(found.first, found.last + 1, "mark", seconds)
        if self._points_into_video(found) or self._is_far_in(found) or (start is not None and not self._is_of_something(found.last)):
            return _Instant(found.first if start is None else start, found.last, "position", seconds)
        return None

    def _position_start(self, found: _Span) -> int | None:
        """Index of the preposition that makes the duration an instant, or None."""
        one, two, three = (self._word(found.first - back) for back in (1, 2, 3))
        if one in ("aos", "ao", "at"):
            return found.first - 1
        if (two, one) in (("a", "los"), ("marca", "de"), ("marca", "dos"), ("at", "the"), ("at", "about"), ("at", "around")):
            return found.first - 2
        if (three, two, one) in (("marca", "de", "los"), ("alrededor", "de", "los"), ("at", "the", "first")):
            return found.first - 3
        near = (("partir", "dos"), ("volta", "dos"), ("perto", "dos"), ("torno", "dos"), ("ate", "os"), ("desde", "os"), ("la", "pelos"),
                ("sobre", "los"), ("hacia", "los"), ("desde", "los"), ("hasta", "los"), ("partir", "de"), ("volta", "de"))  # fmt: skip
        if (two, one) in near and (two, one) not in (("volta", "de"),):
            return found.first - 2
        parts = self._minutes_and_seconds(found)
        return found.first - 1 if parts and one in ("em", "a", "no", "na", "en", "in", "com", "con", "from", "around") else None

    def _minutes_and_seconds(self, found: _Span) -> bool:
        """As in "um minuto e trinta e três": so exact a length after "em" is an instant."""
        units = [token.text for token in self.tokens[found.first : found.last] if token.kind is TokenKind.WORD]
        return any(unit in ("minuto", "minutos", "minute", "minutes", "min") for unit in units) and not found.found.amounts

    def _points_into_video(self, found: _Span) -> bool:
        """As in "após 2 minutos de vídeo", "30 seconds into the clip", "10 segundos antes do fim"; not "um vídeo de 10 minutos"."""
        at, links = found.last, 0
        while self._word(at) in _LINKS | _ARTICLES and links < 4:
            at, links = at + 1, links + 1
        if not links or self._word(at) not in _VIDEO | _EDGES:
            return False
        if self._word(at) in _EDGES:
            return not self._is_of_something(at + 1)
        return self._word(found.last) not in ("de", "of") or self._word(found.first - 1) in _BEFORE | _FIRSTS

    def _is_far_in(self, found: _Span) -> bool:
        """As in "40 seconds in", "two minutes in, he adds"; not "40 seconds in the oven"."""
        if self._word(found.last) == "into":
            return self._word(found.last + 1) == "it"
        if self._word(found.last) != "in":
            return False
        at = found.last + 1
        if at >= len(self.tokens) or self.tokens[at].kind is TokenKind.MARK or self._word(at) in _PRONOUNS:
            return True
        return self._word(at) == "the" and self._word(at + 1) in _PEOPLE
