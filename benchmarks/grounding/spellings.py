"""How people write amounts, dates and times in three languages: the benchmark's own tables, which know nothing of the reader's."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Final

from benchmarks.number_words import spell

__all__ = ["UNITS", "clock_spellings", "convertible", "date_spellings", "measure_spellings", "pick"]


@dataclass(frozen=True, slots=True)
class UnitName:
    """One unit: what it measures, its size, and what it is called."""

    dimension: str
    factor: Fraction
    symbol: str
    pt: str
    es: str
    en: str
    """Singular and plural with a slash between."""

    def word(self, language: str, amount: Fraction) -> str:
        one, many = {"pt": self.pt, "es": self.es, "en": self.en}[language].split("/")
        return one if abs(amount) == 1 or (abs(amount) < 1 and language == "pt") else many


def _unit(dimension: str, factor: str, symbol: str, pt: str, es: str, en: str) -> UnitName:
    return UnitName(dimension, Fraction(factor), symbol, pt, es, en)


UNITS: Final = {
    "g": _unit("mass", "1", "g", "grama/gramas", "gramo/gramos", "gram/grams"),
    "kg": _unit("mass", "1000", "kg", "quilo/quilos", "kilo/kilos", "kilo/kilos"),
    "lb": _unit("mass", "453.59237", "lb", "libra/libras", "libra/libras", "pound/pounds"),
    "t": _unit("mass", "1000000", "t", "tonelada/toneladas", "tonelada/toneladas", "tonne/tonnes"),
    "ml": _unit("volume", "1", "ml", "mililitro/mililitros", "mililitro/mililitros", "milliliter/milliliters"),
    "l": _unit("volume", "1000", "l", "litro/litros", "litro/litros", "liter/liters"),
    "cup": _unit("cups", "1", "", "xícara/xícaras", "taza/tazas", "cup/cups"),
    "s": _unit("time", "1", "s", "segundo/segundos", "segundo/segundos", "second/seconds"),
    "min": _unit("time", "60", "min", "minuto/minutos", "minuto/minutos", "minute/minutes"),
    "h": _unit("time", "3600", "h", "hora/horas", "hora/horas", "hour/hours"),
    "day": _unit("time", "86400", "", "dia/dias", "día/días", "day/days"),
    "week": _unit("time", "604800", "", "semana/semanas", "semana/semanas", "week/weeks"),
    "cm": _unit("length", "10", "cm", "centímetro/centímetros", "centímetro/centímetros", "centimeter/centimeters"),
    "m": _unit("length", "1000", "m", "metro/metros", "metro/metros", "meter/meters"),
    "km": _unit("length", "1000000", "km", "quilômetro/quilômetros", "kilómetro/kilómetros", "kilometer/kilometers"),
    "mi": _unit("length", "1609344", "", "milha/milhas", "milla/millas", "mile/miles"),
    "C": _unit("celsius", "1", "°C", "grau Celsius/graus Celsius", "grado Celsius/grados Celsius", "degree Celsius/degrees Celsius"),
    "F": _unit("fahrenheit", "1", "°F", "grau Fahrenheit/graus Fahrenheit", "grado Fahrenheit/grados Fahrenheit",
               "degree Fahrenheit/degrees Fahrenheit"),
    "K": _unit("kelvin", "1", "K", "kelvin/kelvins", "kelvin/kelvins", "kelvin/kelvins"),
    "ftlb": _unit("torque", "1", "ft-lb", "libra-pé/libras-pé", "libra-pie/libras-pie", "foot-pound/foot-pounds"),
    "Nm": _unit("torque-si", "1", "Nm", "newton metro/newtons metro", "newton metro/newtons metro", "newton metre/newton metres"),
    "psi": _unit("psi", "1", "psi", "psi/psi", "psi/psi", "psi/psi"),
    "bar": _unit("bar", "1", "bar", "bar/bar", "bar/bar", "bar/bar"),
    "rpm": _unit("rpm", "1", "rpm", "rotação por minuto/rotações por minuto", "revolución por minuto/revoluciones por minuto",
                 "revolution per minute/revolutions per minute"),
    "percent": _unit("percent", "1", "%", "por cento/por cento", "por ciento/por ciento", "percent/percent"),
    "BRL": _unit("BRL", "1", "R$", "real/reais", "real/reales", "real/reais"),
    "EUR": _unit("EUR", "1", "€", "euro/euros", "euro/euros", "euro/euros"),
    "USD": _unit("USD", "1", "$", "dólar/dólares", "dólar/dólares", "dollar/dollars"),
    "GBP": _unit("GBP", "1", "£", "libra esterlina/libras esterlinas", "libra esterlina/libras esterlinas",
                 "pound sterling/pounds sterling"),
}  # fmt: skip
"""Units of one dimension convert into each other; where people round (°C and °F, foot-pounds and Nm) no conversion is claimed."""

_MONEY: Final = ("BRL", "EUR", "USD", "GBP")
_FEMININE: Final = frozenset("cup h week t lb mi ftlb rpm GBP".split())
_MONTHS: Final = {
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "en": "January February March April May June July August September October November December".split(),
}


def _decimal(amount: Fraction, language: str, *, grouped: bool = False, places: int = 0) -> str:
    """The amount in digits, with the marks of the language; at least `places` decimals."""
    digits = places
    while digits < 6 and (amount * 10**digits).denominator != 1:
        digits += 1
    scaled = round(amount * 10**digits)
    whole, rest = divmod(abs(scaled), 10**digits)
    text = f"{whole:,}" if grouped else str(whole)
    text = text if language == "en" else text.replace(",", ".")
    mark = "." if language == "en" else ","
    return ("-" if scaled < 0 else "") + text + (f"{mark}{rest:0{digits}d}" if digits else "")


def _exact(amount: Fraction, places: int = 3) -> bool:
    return (amount * Fraction(10) ** places).denominator == 1


def convertible(amount: Fraction, unit: str) -> list[tuple[Fraction, str]]:
    """The same quantity in the other units of its dimension, where a few digits write it exactly."""
    mine = UNITS[unit]
    out = []
    for key, other in UNITS.items():
        if key != unit and other.dimension == mine.dimension and key != "lb" and unit != "lb" and "mi" not in (key, unit):
            value = amount * mine.factor / other.factor
            if _exact(value) and Fraction(1, 20) <= value <= 100_000:
                out.append((value, key))
    return out


def _count_word(amount: Fraction, language: str, *, feminine: bool = False) -> str:
    """A whole number in words, before a noun; empty where it has none."""
    if amount.denominator != 1 or not 0 < amount < 100_000:
        return ""
    words = spell(int(amount), language, feminine=feminine)
    if language == "es" and not feminine:
        words = words[:-1] if words == "uno" else f"{words[:-9]}veintiún" if words.endswith("veintiuno") else words
        words = words[:-4] + " un" if words.endswith(" uno") else words
    return words


def measure_spellings(amount: Fraction, unit: str, language: str, *, digits_only: bool = False, feminine: bool = False) -> list[str]:
    """Ways to write the amount in this unit (a count where it is empty)."""
    digits = _decimal(amount, language)
    if not unit:
        words = "" if digits_only or amount == 1 else _count_word(amount, language, feminine=feminine)
        return [digits, words] if words else [digits]
    name = UNITS[unit]
    word = name.word(language, amount)
    if unit in _MONEY:
        grouped = _decimal(amount, language, grouped=True, places=0 if amount.denominator == 1 else 2)
        out = [f"{digits} {word}", f"{name.symbol} {grouped}", f"{grouped} {word}"]
        spelled = _count_word(amount, language, feminine=unit in _FEMININE)
        return [*out, f"{spelled} {word}"] if spelled else out
    out = [f"{digits} {word}"]
    if name.symbol:
        out += [f"{digits} {name.symbol}", f"{digits}{name.symbol}"] if name.symbol[0] in "°%" or len(name.symbol) < 3 else [
            f"{digits} {name.symbol}"
        ]  # fmt: skip
    if spelled := _count_word(amount, language, feminine=unit in _FEMININE and language != "en"):
        out.append(f"{spelled} {word}")
    if amount == Fraction(1, 2):
        half = {"pt": "meia" if unit in _FEMININE else "meio", "es": "media" if unit in _FEMININE else "medio", "en": "half a"}[language]
        out.append(f"{half} {word}")
    return out


def date_spellings(date: tuple[int, int, int], language: str) -> list[str]:
    """Ways to write (year, month, day); year 0 is not written."""
    year, month, day = date
    name = _MONTHS[language][month - 1]
    if language == "en":
        out = [f"{name} {day}", f"{day} {name}"]
        return [f"{out[0]}, {year}", f"{out[1]} {year}", f"{year}-{month:02d}-{day:02d}"] if year else out
    out = [f"{day} de {name}"]
    if not year:
        return [*out, f"{day:02d}/{month:02d}"]
    return [f"{day} de {name} de {year}", f"{day:02d}/{month:02d}/{year}", f"{year}-{month:02d}-{day:02d}"]


def clock_spellings(hour: int, minute: int, language: str) -> list[str]:
    """Ways to write a time of day."""
    twelve = hour % 12 or 12
    half = "PM" if hour >= 12 else "AM"
    out = [f"{hour:02d}:{minute:02d}"]
    if language == "pt":
        out += [f"{hour}h{minute:02d}", f"{hour} h {minute:02d} min"]
    if language == "es":
        out += [f"{hour}:{minute:02d} h", f"{hour}:{minute:02d} horas"]
    if language == "en":
        out = [f"{twelve}:{minute:02d} {half}", f"{twelve}:{minute:02d} {half[0].lower()}.m.", f"{hour:02d}:{minute:02d}"]
    return out


def pick(rng: Random, options: list[str]) -> str:
    """One of the options."""
    return options[rng.randrange(len(options))]
