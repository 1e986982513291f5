"""Values and written times over generated numbers, units and texts.

The words for numbers come from a writer of their own, so that the reader is not tested against itself.
"""

from __future__ import annotations

import gc
import time
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.number_words import LANGUAGES as WRITTEN
from benchmarks.number_words import spell
from stages.values import Confirmation, confirm_values, read_values
from stages.written_time import written_times

LANGUAGES = st.sampled_from(WRITTEN)
relaxed = settings(deadline=None)
"""The machine that runs the tests may be busy; the linear-time tests below watch the clock."""


def readings(text: str, language: str) -> list[set[Fraction]]:
    return [{reading.number for reading in value.readings} for value in read_values(text, language)]


@pytest.mark.parametrize("feminine", [False, True], ids=["masculine", "feminine"])
@pytest.mark.parametrize("language", WRITTEN)
def test_small_numbers_in_words_are_their_digits(language: str, feminine: bool) -> None:
    for number in [0, *range(2, 1000)]:
        assert readings(spell(number, language, feminine=feminine), language)[0] >= {number}, number


@relaxed
@given(st.integers(2, 99_999), LANGUAGES, st.booleans())
def test_numbers_in_words_are_their_digits(number: int, language: str, feminine: bool) -> None:
    words = spell(number, language, feminine=feminine)
    (value,) = read_values(words, language)
    assert value.text == words
    assert number in {reading.number for reading in value.readings}
    assert confirm_values(f"{number} g", [f"{words} g"], language=language).status is Confirmation.CONFIRMED


@relaxed
@given(st.integers(2, 99), st.integers(1, 999), LANGUAGES)
def test_recognisers_mix_digits_and_words(thousands: int, rest: int, language: str) -> None:
    thousand, joint = {"pt": ("mil", "e"), "es": ("mil", "y"), "en": ("thousand", "and")}[language]
    assert readings(f"{thousands} {thousand} {joint} {rest}", language) == [{Fraction(thousands * 1000 + rest)}]


@relaxed
@given(st.sampled_from(range(20, 100, 10)), st.integers(1, 9), st.sampled_from(["pt", "es"]))
def test_recognisers_split_tens_and_units(tens: int, unit: int, language: str) -> None:
    joint = "e" if language == "pt" else "y"
    assert readings(f"{tens} {joint} {unit}", language) == [{Fraction(tens + unit)}]


FAMILIES = {
    "mass": {"mg": Fraction(1, 1000), "g": Fraction(1), "kg": Fraction(1000), "gramas": Fraction(1), "quilos": Fraction(1000)},
    "volume": {"ml": Fraction(1), "l": Fraction(1000), "litros": Fraction(1000), "cl": Fraction(10), "colheres de sopa": Fraction(15)},
    "length": {"mm": Fraction(1), "cm": Fraction(10), "m": Fraction(1000), "metros": Fraction(1000), "km": Fraction(1_000_000)},
    "time": {"s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "horas": Fraction(3600), "minutos": Fraction(60)},
}
UNIT_PAIRS = [(a, b, fa / fb) for family in FAMILIES.values() for a, fa in family.items() for b, fb in family.items()]


def decimal(value: Fraction) -> str | None:
    """The value with a comma, where a few digits write it exactly."""
    for digits in range(7):
        if (value * 10**digits).denominator == 1:
            whole = str(int(value * 10**digits)).rjust(digits + 1, "0")
            return whole if digits == 0 else f"{whole[:-digits]},{whole[-digits:]}"
    return None


@relaxed
@given(st.integers(1, 9999), st.sampled_from([1, 2, 10, 100]), st.sampled_from(UNIT_PAIRS))
def test_an_amount_converted_exactly_is_confirmed(top: int, bottom: int, pair: tuple[str, str, Fraction]) -> None:
    unit, other, ratio = pair
    written, converted = decimal(Fraction(top, bottom)), decimal(Fraction(top, bottom) * ratio)
    if written is not None and converted is not None:
        assert confirm_values(f"{converted} {other}", [f"{written} {unit}"], language="pt").status is Confirmation.CONFIRMED


@relaxed
@given(st.integers(1, 9999), st.sampled_from([1, 2, 10]), st.sampled_from(UNIT_PAIRS))
def test_the_same_digits_in_another_unit_are_refused(top: int, bottom: int, pair: tuple[str, str, Fraction]) -> None:
    unit, other, ratio = pair
    written = decimal(Fraction(top, bottom))
    if ratio != 1:
        assert confirm_values(f"{written} {other}", [f"{written} {unit}"], language="pt").status is Confirmation.REFUSED


@relaxed
@given(st.integers(10, 999_999), st.data(), st.sampled_from(["", " g", " ovos", " minutos", "%", " km/h"]))
def test_a_changed_digit_is_refused(number: int, data: st.DataObject, unit: str) -> None:
    digits = list(str(number))
    place = data.draw(st.integers(0, len(digits) - 1))
    digits[place] = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != digits[place]]))
    changed = int("".join(digits))
    assert confirm_values(f"{changed}{unit}", [f"{number}{unit}"], language="pt").status is Confirmation.REFUSED


@relaxed
@given(st.integers(2, 99_999), st.integers(2, 99_999), LANGUAGES)
def test_another_number_in_words_is_refused(one: int, other: int, language: str) -> None:
    expected = Confirmation.CONFIRMED if one == other else Confirmation.REFUSED
    assert confirm_values(f"{one} kg", [f"{spell(other, language)} kg"], language=language).status is expected


@relaxed
@given(st.decimals(0, 100_000, places=2, allow_nan=False, allow_infinity=False))
def test_a_price_is_the_same_in_both_notations(price: object) -> None:
    english = f"{price:,.2f}"
    portuguese = english.replace(",", "_").replace(".", ",").replace("_", ".")
    assert confirm_values(f"R$ {portuguese}", [f"{english} reais"]).status is Confirmation.CONFIRMED
    assert confirm_values(f"US$ {portuguese}", [f"R$ {english}"]).status is Confirmation.REFUSED


@relaxed
@given(st.integers(0, 23), st.integers(0, 59))
def test_clock_times_agree_in_every_notation_and_with_no_other_minute(hour: int, minute: int) -> None:
    twelve = f"{(hour - 1) % 12 + 1}:{minute:02d} {'AM' if hour < 12 else 'PM'}"
    assert confirm_values(twelve, [f"{hour:02d}h{minute:02d}"]).status is Confirmation.CONFIRMED
    assert confirm_values(twelve, [f"{hour:02d}h{(minute + 7) % 60:02d}"]).status is Confirmation.REFUSED


DATES = st.dates(date(1500, 1, 1), date(2500, 12, 31))


@relaxed
@given(DATES, DATES)
def test_dates_agree_only_with_themselves(one: date, other: date) -> None:
    expected = Confirmation.CONFIRMED if one == other else Confirmation.REFUSED
    assert confirm_values(f"{one:%d/%m/%Y}", [str(other)], language="pt").status is expected


UNRELATED = st.lists(
    st.sampled_from("a massa fica macia forno quente bolo de milho the dough is soft la masa queda suave".split()), max_size=12
)


@relaxed
@given(st.integers(0, 10**6), st.sampled_from(["", " g", " minutos", "%", " reais"]), UNRELATED)
def test_evidence_without_values_never_confirms(number: int, unit: str, words: list[str]) -> None:
    assert confirm_values(f"{number}{unit}", [" ".join(words)]).status is Confirmation.REFUSED


ALPHABET = st.sampled_from(
    list("0123456789 .,:;/-–()'\"%$€°ºª½²³hmsgkxeyaoº\n\t\u200b\u00a0é")
    + "um uma dois mil meio half and de por minuto segundo 12 may".split()
)
TEXTS = st.text() | st.lists(ALPHABET, max_size=25).map("".join) | st.lists(ALPHABET, max_size=25).map(" ".join)


@relaxed
@given(TEXTS, TEXTS, st.sampled_from(["", "pt", "es", "en", "fr"]))
def test_any_text_is_read_without_error_and_in_place(text: str, other: str, language: str) -> None:
    end = 0
    for value in read_values(text, language):
        assert end <= value.start < value.end <= len(text)
        assert text[value.start : value.end] == value.text
        assert value.readings
        end = value.end
    confirm_values(text, [other], language=language)
    for found in written_times(text, [other]):
        assert text[found.start : found.end] == found.text


@relaxed
@given(TEXTS, LANGUAGES)
def test_a_text_never_contradicts_itself(text: str, language: str) -> None:
    assert confirm_values(text, [text], language=language).status is not Confirmation.REFUSED
    assert written_times(text, [text]) == ()


@relaxed
@given(
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["{m:02d}:{s:02d}", "[{m}:{s:02d}]", "{m}min{s:02d}s", "0:{m:02d}:{s:02d}", "t={m}m{s}s"]),
)
def test_no_instant_slips_through_between_other_words(minute: int, second: int, form: str) -> None:
    assert written_times(f"Depois disso {form.format(m=minute, s=second)} ele mistura tudo.")


@relaxed
@given(st.integers(1, 59), LANGUAGES, st.booleans())
def test_no_instant_in_words_slips_through(number: int, language: str, in_words: bool) -> None:
    said = spell(number, language) if in_words and number > 1 else str(number)
    form = {"pt": "no minuto {} ele ri", "es": "en el segundo {} se ríe", "en": "at minute {} he laughs"}[language]
    assert written_times(form.format(said))


DENSE = ["1:", "1.", "trinta e ", "um quilo e meio ", "hundred and ", "a1-", "no segundo ", "menos ", "( g ) ", "1 e ", "12 de ", "half a "]
PROSE = "A massa leva 500 g de farinha, descansa por uma hora e meia e vai ao forno às 14h30; segundo o autor, rende doze fatias. "


def seconds_of_work(piece: str, size: int) -> float:
    """CPU, the better of two: the collection of the test run's other objects is no work of the reader."""
    text = (piece * (size // len(piece) + 1))[:size]
    gc.disable()
    try:
        return min(_read_once(text), _read_once(text))
    finally:
        gc.enable()


def _read_once(text: str) -> float:
    start = time.process_time()
    read_values(text)
    written_times(text, [text[:100]])
    confirm_values(text[:40], [text])
    return time.process_time() - start


@pytest.mark.parametrize("piece", DENSE)
def test_dense_text_takes_linear_time(piece: str) -> None:
    """Four times the text, about four times the work; 8 and 0.2 s leave room for the machine's other work, 16 would be quadratic."""
    assert seconds_of_work(piece, 10_000) <= 8 * seconds_of_work(piece, 2_500) + 0.2


@pytest.mark.parametrize("piece", ["9", "1\u200b", "x", PROSE])
def test_a_hundred_thousand_characters_take_linear_time(piece: str) -> None:
    assert seconds_of_work(piece, 100_000) <= 8 * seconds_of_work(piece, 25_000) + 0.5
