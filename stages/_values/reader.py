"""Reads the values of a text: every number with what it counts or measures, every price, share, date and clock time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from stages._values.cardinals import Amount, Number, parse_digits, plain_integer
from stages._values.clocks import read_clock
from stages._values.codes import compact
from stages._values.dates import read_date, slashed_dates
from stages._values.numbers import read_number, read_ordinal
from stages._values.reading import Found, Reading, Value, bare, integer, kind_of, measured
from stages._values.text import TokenKind, Tokens, is_content
from stages._values.units import UNITS, Unit, match_money_sign, match_unit
from stages._values.unread import VAGUE_PHRASES, VAGUE_STARTS, VAGUE_TAILS, VAGUE_WORDS, roman_value, unread_end

__all__ = ["read_each"]

_DOZENS = {
    "duzia": 12, "duzias": 12, "docena": 12, "docenas": 12, "dozen": 12, "dozens": 12, "dezena": 10, "dezenas": 10, "decena": 10,
    "decenas": 10, "centena": 100, "centenas": 100, "milhar": 1000, "milhares": 1000, "millar": 1000, "millares": 1000,
}  # fmt: skip
_YEAR_CUES = frozenset("em in en since desde ano year ©".split())
_LABELS = frozenset(
    """passo etapa capitulo licao aula parte item pagina exercicio questao fase nivel regra dica paso leccion clase pregunta regla
    consejo step stage chapter lesson part page exercise question phase level rule tip section secao seccion seculo siglo lei ley
    law""".split()
)
_NOT_NEGATIVE = frozenset("ou o or pelo ao lo al de mais mas no nada cuando".split())
_BELOW_ZERO = (("negativos",), ("negativo",), ("abaixo", "de", "zero"), ("bajo", "cero"), ("below", "zero"), ("sob", "zero"))
_JOINERS = frozenset("e y and con com".split())
_OF = frozenset("de of do da dos das del".split())
_DETERMINERS = frozenset("a an um uma un una the o la el as os los las".split())
_NAMESAKES = frozenset("length pressure power mass money:peso".split())
"""Dimensions with casual unit names that also name things one counts (feet, bars, horses, jaguars, weights)."""
_COUNTS = {"twice": 2, "both": 2, "ambos": 2, "ambas": 2}
_IDIOMS_WITH_HALF = frozenset("no ao por em en do el la o na de".split())


def stem(word: str) -> str:
    """A noun without its plural."""
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


@dataclass(slots=True)
class _Reader:
    """One pass over the tokens of one text."""

    text: str
    tokens: Tokens
    language: str
    evidence: bool
    """Also give what a claim does not count as a value: lone articles, the numbers of a list."""
    found: list[Found] = field(default_factory=list)
    enumerated: int = -1
    """The last number of a list that was read; -1 before the first."""

    def read(self) -> list[Found]:
        i = 0
        while i < len(self.tokens):
            found = self._at(i)
            if found is None:
                i += 1
            else:
                i = max(found.last, i + 1)
                if self.evidence or not found.article or found.value.kind != "number":
                    self.found.append(found)
        return self.found

    def _at(self, i: int) -> Found | None:
        token = self.tokens[i]
        if token.kind is TokenKind.CODE:
            return self._make(i, i + 1, "name", (Reading("name", literal=compact(token.text)), *_version(token.text)))
        if token.kind is TokenKind.MARK and token.text not in "-–$€£¥°":
            return None
        if token.kind is TokenKind.NUMBER and not parse_digits(token.text) and read_date(self.tokens, i) is None:
            return self._make(i, i + 1, "name", (Reading("name", literal=compact(token.text)),))
        enumerator = self._enumerator(i)
        if enumerator:
            return enumerator
        return self._vague(i) or self._date(i) or self._clock(i) or self._ordinal(i) or self._ratio(i) or self._quantity(i)

    def _make(
        self,
        first: int,
        last: int,
        kind: str,
        readings: Sequence[Reading],
        amounts: tuple[Amount, ...] = (),
        *,
        thing: tuple[str, bool] = ("", False),
        article: bool = False,
    ) -> Found:
        """The value of the tokens from first to last; `thing` is what it counts or measures, as `_noun` gives it."""
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        value = Value(self.text[start:end], start, end, kind, tuple(readings))
        return Found(value, first, last, amounts, *thing, article)

    def _word(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def _starts(self, i: int, words: Sequence[str]) -> bool:
        return all(self._word(i + k) == word for k, word in enumerate(words))

    def _enumerator(self, i: int) -> Found | None:
        """As in "1." or "2)" at the start of a line, or after the one before it ("1. Lixe. 2. Pinte")."""
        number = plain_integer(self.tokens, i, 2)
        if number is None or self._word(i + 1) not in (".", ")") or i + 2 >= len(self.tokens) or self.tokens[i + 2].glued:
            return None
        if i and self._word(i - 1) != "\n" and number != self.enumerated + 1:
            return None
        self.enumerated = number
        readings = (Reading("number", *integer(number)), Reading("ordinal", *integer(number)))
        return self._make(i, i + 2, "number", readings, article=True)

    def _vague(self, i: int) -> Found | None:
        if self.tokens[i].kind is not TokenKind.WORD:
            return None
        for words in VAGUE_PHRASES:
            if self._starts(i, words):
                return self._make(i, i + len(words), "vague", (Reading("vague", certain=False),))
        if self._word(i) in VAGUE_WORDS:
            return self._make(i, i + 1, "vague", (Reading("vague", certain=False),))
        return self._unread(i)

    def _unread(self, i: int) -> Found | None:
        """A number in a writing that is not read, before a unit; a Roman one after "capítulo" is read."""
        roman = roman_value(self.tokens[i].raw)
        if roman and (self._word(i - 1) in _LABELS or stem(self._word(i - 1)) in _LABELS):
            return self._make(i, i + 1, "number", (Reading("number", *integer(roman)), Reading("ordinal", *integer(roman))))
        end = unread_end(self.tokens, i, self.language)
        return self._make(i, end, "vague", (Reading("vague", certain=False),)) if end else None

    def _date(self, i: int) -> Found | None:
        match = read_date(self.tokens, i, self.language)
        if match is None:
            return None
        readings = [Reading("date", date=date, certain=match.certain) for date in match.dates]
        if match.end == i + 1 and match.dates[0].day and not match.dates[0].month:
            readings.append(Reading("number", *integer(match.dates[0].day)))
        number = read_number(self.tokens, i, self.language)
        if number is not None and number.ratio and number.end == match.end:
            readings += [*bare(number.amounts), Reading("ratio", terms=number.ratio)]
        weekday = match.dates[0].weekday and not match.certain
        ordinal = read_ordinal(self.tokens, i) if weekday else None
        if ordinal is not None:
            readings.append(Reading("ordinal", ordinal.value, base=ordinal.value, certain=False))
        return self._make(i, match.end, "date", readings)

    def _clock(self, i: int) -> Found | None:
        clock = read_clock(self.tokens, i, self.language)
        if clock is None:
            return None
        readings = [Reading("clock", base=Fraction(second), step=Fraction(60)) for second in clock.times]
        readings += [Reading("time", Fraction(seconds), "s", Fraction(seconds), Fraction(1), "time") for seconds in clock.durations]
        if clock.hour is not None:
            readings.append(Reading("number", clock.hour, base=clock.hour, step=Fraction(1)))
        if clock.durations and self._word(i + 1) in ("h", "hs", "hrs") and clock.end == i + 2:
            hours = Fraction(clock.durations[0], 3600)
            readings[-1] = Reading("time", hours, "h", hours * 3600, Fraction(3600), "time")
        return self._make(i, clock.end, "clock" if clock.times else "duration", readings)

    def _ordinal(self, i: int) -> Found | None:
        ordinal = read_ordinal(self.tokens, i)
        fraction = read_number(self.tokens, i, self.language) if ordinal is None or not ordinal.certain else None
        if ordinal is None or (fraction is not None and fraction.end > ordinal.end) or self._is_adverb(i, ordinal.end):
            return None
        certain = ordinal.certain
        readings = [Reading("ordinal", ordinal.value, base=ordinal.value, step=Fraction(1), certain=certain)]
        if self._word(ordinal.end - 1) in ("º", "ª"):
            unit = match_unit(self.tokens, ordinal.end - 1, self.language)
            readings += measured(ordinal.amounts, unit.units) if unit else []
            last = unit.end if unit else ordinal.end
            if unit and last > ordinal.end:
                return self._make(i, last, "quantity", readings[1:], ordinal.amounts)
        return self._make(i, ordinal.end, "ordinal", readings, thing=self._noun(ordinal.end))

    def _is_adverb(self, i: int, end: int) -> bool:
        """As in "Primeiro, ...", "segundo o diretor", "first of all", "30 segundos"."""
        word, following = self._word(i), self._word(end)
        if word in ("primeiro", "primero", "first", "second", "segundo") and (following in (",", ":", "of") or self._word(i - 1) == "at"):
            return True
        if word in ("segundo", "segundos"):
            previous = self._word(i - 1)
            named = end < len(self.tokens) and self.tokens[end].raw[:1].isupper() and previous not in ("o", "el", "no", "do", "al", "del")
            according = following in ("o", "a", "os", "as", "el", "la", "los", "las", "ele", "ela", "eles", "elas", "esse", "este", "seu")
            return named or (according and previous not in ("o", "el", "no", "do", "al", "del", "ao", "um", "un"))
        return False

    def _ratio(self, i: int) -> Found | None:
        """As in "2:1", "16:9"."""
        left, right = plain_integer(self.tokens, i, 4), plain_integer(self.tokens, i + 2, 4)
        if left is None or right is None or self._word(i + 1) != ":" or not (self.tokens[i + 1].glued and self.tokens[i + 2].glued):
            return None
        return self._make(i, i + 3, "ratio", (Reading("ratio", terms=(left, right)),))

    def _quantity(self, i: int) -> Found | None:
        negative = self._negative_prefix(i)
        at = i + 1 if negative else i
        sign = match_money_sign(self.tokens, at)
        if sign:
            return self._priced(i, sign.end, sign.units, negative=negative)
        number = read_number(self.tokens, at, self.language)
        if number is None:
            return None if negative else self._counted_twice(i) or self._unit_and_half(i)
        if number.article and self._is_rate(i):
            return None
        for tail in VAGUE_TAILS if self._word(number.end) in VAGUE_STARTS else ():
            if self._starts(number.end, tail):
                return self._make(i, number.end + len(tail), "vague", (Reading("vague", certain=False),))
        number = self._dozens(number)
        if negative:
            number = replace(number, amounts=tuple(Amount(-amount.value, amount.step) for amount in number.amounts))
        return self._decade(i, number) or self._measured_number(i, number) or self._bare_number(i, number)

    def _negative_prefix(self, i: int) -> bool:
        token, previous = self.tokens[i], self._word(i - 1)
        if i + 1 >= len(self.tokens):
            return False
        if token.text in ("-", "–"):
            return self.tokens[i + 1].glued and (not token.glued or previous in ("(", ":", "="))
        if token.text not in ("menos", "minus", "negative") or previous in _NOT_NEGATIVE:
            return False
        return i == 0 or self.tokens[i - 1].kind is not TokenKind.NUMBER

    def _is_rate(self, i: int) -> bool:
        """Whether the article means per ("$15 an hour", "twice a day")."""
        return self._word(i) in ("a", "an") and (
            (bool(self.found) and self.found[-1].last == i) or self._word(i - 1) in ("once", "twice", "times")
        )

    def _dozens(self, number: Number) -> Number:
        factor = _DOZENS.get(self._word(number.end))
        if factor is None:
            return number
        amounts = tuple(Amount(amount.value * factor, Fraction(1)) for amount in number.amounts)
        return Number(amounts, number.end + 1)

    def _priced(self, i: int, at: int, units: Sequence[Unit], *, negative: bool) -> Found | None:
        number = read_number(self.tokens, at, self.language)
        if number is None or number.article:
            return None
        amounts = [max(number.amounts, key=lambda amount: amount.step)]  # no price has thousandths
        end, factor = number.end, 1
        if self._word(end) in ("m", "mm") and self.tokens[end].raw.isupper():
            end, factor = end + 1, 1_000_000
        scale = -factor if negative else factor
        scaled = tuple(Amount(amount.value * scale, amount.step * factor) for amount in amounts)
        unit = match_unit(self.tokens, end, self.language)
        if unit and {u.dimension for u in unit.units} & {u.dimension for u in units}:
            end = unit.end
        return self._make(i, end, "money", measured(scaled, units), scaled)

    def _measured_number(self, i: int, number: Number) -> Found | None:
        """A number with its unit."""
        at = number.end
        if self._word(at) == "-" and at + 1 < len(self.tokens) and self.tokens[at].glued and self.tokens[at + 1].glued:
            at += 1
        unit = match_unit(self.tokens, at, self.language)
        if unit is None and number.value >= 1_000_000 and self._word(at) == "de":
            unit = match_unit(self.tokens, at + 1, self.language)
        if unit is None and number.fraction and at == number.end:
            at += self._word(at) in ("de", "of")
            at += self._word(at) in _DETERMINERS
            unit = match_unit(self.tokens, at, self.language) if at > number.end else None
        if unit is None:
            return None
        units, end, amounts = unit.units, unit.end, number.amounts
        if number.fraction and len(amounts) > 1:
            amounts = amounts[:1]
        thousands = [Amount(amount.value * 1000, amount.step * 1000) for amount in amounts] if self._word(at) == "k" else []
        if units[0].key == "m" and self._is_minutes(unit.end):
            units = (UNITS["min"],)
        extra = self._fraction_after(end)
        if extra:
            amounts = tuple(Amount(amount.value + extra[0], Fraction(0)) for amount in amounts)
            end = extra[1]
        for tail in _BELOW_ZERO:
            if self._starts(end, tail) and units[0].dimension in ("temperature", "angle"):
                amounts, end = tuple(Amount(-abs(amount.value), amount.step) for amount in amounts), end + len(tail)
                break
        certain = not (number.article and unit.casual) or bool(extra)
        readings = measured(amounts, units, certain=certain and (number.certain or number.fraction))
        if unit.casual and units[0].dimension in _NAMESAKES and not number.article:
            readings += bare(amounts)
        readings += bare(thousands)  # "180 K" may be 180 thousand
        return self._make(i, end, kind_of(units), readings, amounts, thing=self._noun(end), article=number.article)

    def _is_minutes(self, end: int) -> bool:
        """Whether m is minutes ("2m30s"): metres take no seconds."""
        return end + 1 < len(self.tokens) and self.tokens[end].glued and self.tokens[end].text.isdecimal() and self._word(end + 1) == "s"

    def _fraction_after(self, i: int) -> tuple[Fraction, int] | None:
        """As in "(um quilo) e meio", "(hora) y cuarto", "(one cup) and a quarter", unless the fraction has a unit of its own."""
        if self._word(i) not in ("e", "y", "and") or self.tokens[i].accented or i + 1 >= len(self.tokens):
            return None
        at = i + 2 if self._word(i + 1) == "a" else i + 1
        if self._word(at) in ("cuarto", "quarter"):
            part, end = Fraction(1, 4), at + 1
        else:
            number = read_number(self.tokens, at, self.language) if at < len(self.tokens) else None
            if number is None or not number.fraction or number.value >= 1:
                return None
            part, end = number.value, number.end
        own_unit = end < len(self.tokens) and match_unit(self.tokens, end, self.language)
        follows_noun = end < len(self.tokens) and is_content(self.tokens[end]) and self._word(at) in ("meia", "media", "medio", "meio")
        return None if own_unit or follows_noun else (part, end)

    def _counted_twice(self, i: int) -> Found | None:
        """A word that implies a number, which evidence may say and a claim need not: "both", "twice"."""
        count = _COUNTS.get(self._word(i))
        amounts = (Amount(Fraction(count), Fraction(1)),) if count else ()
        return self._make(i, i + 1, "number", bare(amounts, certain=False), amounts, article=True) if count else None

    def _unit_and_half(self, i: int) -> Found | None:
        """As in "quilo e meio", "hora y media"."""
        if self.tokens[i].kind is not TokenKind.WORD:
            return None
        unit = match_unit(self.tokens, i, self.language)
        extra = self._fraction_after(unit.end) if unit else None
        if unit is None or extra is None:
            return None
        amounts = (Amount(1 + extra[0], Fraction(0)),)
        return self._make(i, extra[1], kind_of(unit.units), measured(amounts, unit.units), amounts, thing=self._noun(extra[1]))

    def _bare_number(self, i: int, number: Number) -> Found | None:
        end = number.end
        thing = noun, plural = self._noun(end)
        half_word = number.fraction and number.end == i + 1 and self._word(i) in ("meio", "meia", "medio", "media")
        if half_word and (not noun or self._word(i - 1) in _IDIOMS_WITH_HALF):
            return None
        certain = number.certain and not number.article
        readings = bare(number.amounts, certain=certain)
        if number.ratio:
            readings.append(Reading("ratio", terms=number.ratio))
            readings += [Reading("date", date=date) for date in slashed_dates(*number.ratio, self.language)]
        kind = "number"
        if number.amounts[0].step == 1 and len(number.amounts) == 1:
            kind, readings = self._year_or_label(i, number, readings, counted=bool(noun) and plural)
        if self._word(i) == "-" and (i == 0 or self._word(i - 1) == "\n"):
            readings += [replace(reading, number=-reading.number, base=-reading.base) for reading in readings]
        article = half_word or not (certain or number.fraction)
        return self._make(i, end, kind, readings, number.amounts, thing=thing, article=article)

    def _year_or_label(self, i: int, number: Number, readings: list[Reading], *, counted: bool) -> tuple[str, list[Reading]]:
        value, before = number.value, self._word(i - 1)
        if 1000 <= value <= 2199 and not counted and "," not in self._word(i) and "." not in self._word(i):
            year = Reading("year", value, base=value, step=Fraction(1))
            in_brackets = before == "(" and self._word(number.end) == ")"
            return ("year", [year]) if before in _YEAR_CUES or in_brackets else ("number", [*readings, year])
        if stem(before) in _LABELS or before in _LABELS:
            return "number", [*readings, Reading("ordinal", value, base=value)]
        return "number", readings

    def _decade(self, i: int, number: Number) -> Found | None:
        """As in "the 1990s", "anos 90", "década de 1990"."""
        value, before = number.value, self._word(i - 1)
        if value.denominator != 1 or value % 10 or not (10 <= value <= 90 or 1000 <= value <= 2090):
            return None
        plural = self._word(number.end) == "s" and self.tokens[number.end].glued
        named = before == "anos" or (before in ("de", "of") and self._word(i - 2) == "decada")
        if not named and not (plural and (value >= 1000 or before in ("the", "los", "os"))):
            return None
        readings = [Reading("decade", value, base=value % 100)]
        if named:
            readings += bare(number.amounts)
        elif before not in ("the", "los", "os") or self._word(i - 2) == "a":
            readings += measured(number.amounts, [UNITS["s"]])
        return self._make(i, number.end + plural, "year", readings)

    def _noun(self, i: int) -> tuple[str, bool]:
        """(stem, plural) of what the value that ends at i counts or measures; ("", False) where the text does not say."""
        if self._word(i) in _OF:
            i += 1
            i += self._word(i) in _DETERMINERS
        if i < len(self.tokens) and is_content(self.tokens[i]):
            word = self._word(i)
            return stem(word), word.endswith("s") and not word.endswith("ss") and len(word) >= 4
        return "", False


def _version(name: str) -> list[Reading]:
    """The number in "v2.0"."""
    amounts = parse_digits(name[1:]) if name[0] == "v" and name[1:].replace(".", "", 1).isdecimal() else ()
    return bare(amounts)


def read_each(text: str, tokens: Tokens, language: str, *, evidence: bool) -> list[Found]:
    """The values of a tokenized text, each on its own."""
    return _Reader(text, tokens, language, evidence).read()
