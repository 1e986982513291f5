"""Units of measure and currency, by every name they go by in Portuguese, Spanish and English.

General libraries were measured and read wrong ("pesa 1,5 kg" as 5 kg), so the table is our own and holds no arithmetic
besides a factor. Factors are exact: the international yard and pound, SI prefixes, US customary measures with the metric
roundings that cooks use. A name that means several things ("libra", "cup", "graus") yields several units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stages._values.text import TokenKind, Tokens

__all__ = ["MONEY_SIGNS", "UNITS", "Unit", "UnitMatch", "glued_suffixes", "match_money_sign", "match_unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit."""

    key: str
    dimension: str
    """What it measures: only units of one dimension are compared."""
    factor: Fraction
    """Size in the dimension's base unit."""
    system: str
    """Units of one system convert exactly; between systems people round."""
    offset: Fraction = Fraction(0)
    """Base value of zero of this unit (temperature)."""
    family: str = ""
    """What units of one name share ("cup" here and there); also the dimension of the bare name ("colher") for this unit."""


@dataclass(frozen=True, slots=True)
class UnitMatch:
    """A unit found in a token list."""

    units: tuple[Unit, ...]
    end: int
    """Index of the token after it."""
    casual: bool
    """The name is also an everyday object or a manner of speech ("uma colher", "um dia", "a foot")."""


# dimension | key | factor | system | names | family | offset; a space inside a name is written _; names after ~ are casual.
_TABLE = """
mass|mg|1/1000|si|mg mgs miligrama miligramas miligramo miligramos milligram milligrams
mass|ug|1/1000000|si|µg ug mcg micrograma microgramas microgramo microgramos microgram micrograms
mass|g|1|si|g gr grs grama gramas gramo gramos gram grams gramme grammes
mass|kg|1000|si|kg kgs kq quilo quilos kilo kilos quilograma quilogramas kilogramo kilogramos kilogram kilograms quilinho
mass|t|1000000|si|t tonelada toneladas tonne tonnes metric_ton metric_tons ~ton ~tons|ton
mass|ust|907184.74|us|~ton ~tons short_ton short_tons|ton
mass|lb|453.59237|us|lb lbs pound pounds libra libras
mass|oz|28.349523125|us|oz ~onca ~oncas ~onza ~onzas ounce ounces
mass|arroba|15000|si|~arroba ~arrobas
volume|ml|1|si|ml mls mililitro mililitros milliliter milliliters millilitre millilitres cc cm³ cm_3 cm3
volume|cl|10|si|cl centilitro centilitros centiliter centiliters
volume|dl|100|si|dl decilitro decilitros deciliter deciliters
volume|l|1000|si|l lt lts litro litros liter liters litre litres dm³
volume|m3|1000000|si|m³ m_3 m3 metro_cubico metros_cubicos cubic_meter cubic_meters
volume|cup240|240|cook|xicara_de_cha xicaras_de_cha xicara_(_cha_) xicaras_(_cha_) xicara_(_de_cha_) xicaras_(_de_cha_) ~xicara ~xicaras xic ~taza ~tazas ~cup ~cups ~chavena ~chavenas|cup
volume|cup236|236.5882365|us|~cup ~cups ~taza ~tazas|cup
volume|cup250|250|cook250|~xicara ~xicaras ~taza ~tazas ~cup ~cups ~chavena ~chavenas|cup
volume|tbsp|15|cook|tbsp tbsps tbs tablespoon tablespoons colher_de_sopa colheres_de_sopa colher_sopa colheres_sopa colher_(_sopa_) colheres_(_sopa_) colher_(_de_sopa_) colheres_(_de_sopa_) c_._sopa col_._sopa cucharada cucharadas cda cdas cuchara_sopera cucharas_soperas cucharada_sopera cucharadas_soperas ~colher ~colheres ~cuchara ~cucharas|spoon
volume|ustbsp|14.78676478125|us|tbsp tbsps tablespoon tablespoons|spoon
volume|tsp|5|cook|tsp tsps teaspoon teaspoons colher_de_cha colheres_de_cha colher_cha colheres_cha colher_(_cha_) colheres_(_cha_) colher_(_de_cha_) colheres_(_de_cha_) c_._cha cucharadita cucharaditas cdta cdtas cdita cditas|spoon
volume|ustsp|4.92892159375|us|tsp tsps teaspoon teaspoons|spoon
volume|dessertspoon|10|cook|colher_de_sobremesa colheres_de_sobremesa colher_(_sobremesa_) colheres_(_sobremesa_) cucharada_de_postre cucharadas_de_postre dessertspoon dessertspoons dessert_spoon dessert_spoons|spoon
volume|coffeespoon|2.5|cook|colher_de_cafe colheres_de_cafe colher_(_cafe_) colheres_(_cafe_)|spoon
spoon|spoon|1|cook|~colher ~colheres ~cuchara ~cucharas ~spoon ~spoons ~spoonful ~spoonfuls
glass|glass|1|cook|~copo ~copos ~vaso ~vasos ~glass ~glasses
volume|floz|29.5735295625|us|fl_oz fluid_ounce fluid_ounces fl_._oz
volume|pint|473.176473|us|pint pints ~pinta ~pintas|pint
volume|ukpint|568.26125|uk|pint pints ~pinta ~pintas|pint
volume|quart|946.352946|us|quart quarts qt qts
volume|gal|3785.411784|us|gal gallon gallons galao galoes galon galones|gallon
volume|ukgal|4546.09|uk|gallon gallons|gallon
length|nm|1/1000000|si|nm nanometro nanometros nanometer nanometers nanometre nanometres
length|um|1/1000|si|µm micron microns micra micras micrometro micrometros
length|mm|1|si|mm milimetro milimetros millimeter millimeters millimetre millimetres
length|cm|10|si|cm cms centimetro centimetros centimeter centimeters centimetre centimetres
length|dm|100|si|dm decimetro decimetros
length|m|1000|si|m mts metro metros meter meters metre metres
length|km|1000000|si|km kms quilometro quilometros kilometro kilometros kilometer kilometers kilometre kilometres
length|in|25.4|us|in inch inches polegada polegadas pol pulgada pulgadas
length|ft|304.8|us|ft ~foot ~feet ~pe ~pes ~pie ~pies
length|yd|914.4|us|yd yds ~yard ~yards jarda jardas yarda yardas
length|mi|1609344|us|mi mile miles milha milhas milla millas
area|cm2|1|si|cm² cm_2 cm2 centimetro_quadrado centimetros_quadrados centimetro_cuadrado centimetros_cuadrados square_centimeter square_centimeters
area|m2|10000|si|m² m_2 m2 metro_quadrado metros_quadrados metro_cuadrado metros_cuadrados square_meter square_meters square_metres sqm
area|km2|10000000000|si|km² km_2 km2 quilometro_quadrado quilometros_quadrados kilometro_cuadrado kilometros_cuadrados square_kilometer square_kilometers
area|ha|100000000|si|ha hectare hectares hectarea hectareas
area|ft2|929.0304|us|ft² ft_2 sq_ft square_foot square_feet sqft pes_quadrados pies_cuadrados
area|acre|40468564.224|us|acre acres
time|ms|1/1000|time|ms milissegundo milissegundos milisegundo milisegundos millisecond milliseconds
time|s|1|time|s seg segs sec secs ~segundo ~segundos ~second ~seconds ~segundinho ~segundinhos
time|min|60|time|min mins minuto minutos minute minutes minutinho minutinhos minutito minutitos
time|h|3600|time|h hr hrs hs hora horas hour hours horinha horinhas
time|day|86400|time|~dia ~dias ~day ~days
time|week|604800|time|semana semanas ~week ~weeks wk wks
months|month|1|time|mes meses ~month ~months
months|year|12|time|~ano ~anos ~year ~years yr yrs
months|decade|120|time|~decada ~decadas ~decade ~decades
months|century|1200|time|~seculo ~seculos ~siglo ~siglos ~century ~centuries
temperature|C|1|si|°_c º_c oc °c º_celsius °_celsius c celsius grau_celsius graus_celsius graus_centigrados grau_centigrado grados_celsius grados_centigrados grado_celsius degree_celsius degrees_celsius degrees_centigrade graus_c grados_c degrees_c centigrados deg_c
angle|deg|1|angle|° º ~grau ~graus ~grado ~grados ~degree ~degrees deg degs
temperature|F|5/9|us|°_f º_f of °f º_fahrenheit °_fahrenheit f fahrenheit graus_fahrenheit grau_fahrenheit grados_fahrenheit degree_fahrenheit degrees_fahrenheit graus_f grados_f degrees_f deg_f||-160/9
temperature|K|1|si|k kelvin kelvins||-273.15
length/time|kmh|2500/9|si|kmh kph km_h
length/time|mph|447.04|us|mph
torque|Nm|1|si|nm n_m n_*_m n_·_m n_._m newton_metro newton_metros newtons_metro newtons_metros newton_meter newton_meters newton_metre newton_metres newtons_por_metro nxm
torque|kgfm|9.80665|kgf|kgfm kgf_m kgf_·_m kgf_._m kgm mkgf kgf_x_m quilograma_forca_metro kilogramo_fuerza_metro
torque|lbft|1.3558179483314004|us|ft_lb ft_lbs ft_._lb ft_._lbs lb_ft lbs_ft lb_._ft lbft ftlb ftlbs foot_pound foot_pounds pound_foot pound_feet pounds_feet libra_pe libras_pe libra_pes libras_pes pe_libra pes_libra pe_libras pes_libras libra_pie libras_pie libras_pies pie_libra pie_libras pies_libra pies_libras foot_lbs
torque|lbin|0.1129848290276167|us|in_lb in_lbs lb_in lbs_in inch_pound inch_pounds pound_inch libras_polegada libras_pulgada inch_lbs
force|N|1|si|n newton newtons
force|kgf|9.80665|si|kgf quilograma_forca
pressure|psi|6894.757293168|us|psi libra libras libra_por_polegada_quadrada libras_por_polegada_quadrada libras_por_pulgada_cuadrada pounds_per_square_inch
pressure|bar|100000|si|~bar ~bars
pressure|pa|1|si|pa pascal pascals
pressure|kpa|1000|si|kpa
pressure|mpa|1000000|si|mpa
pressure|atm|101325|si|~atm atmosfera atmosferas atmospheres
pressure|mmhg|133.322387415|si|mmhg
power|W|1|si|w watt watts vatio vatios
power|kW|1000|si|kw quilowatt quilowatts kilowatt kilowatts kilovatio kilovatios
power|MW|1000000|si|mw megawatt megawatts
power|cv|735.49875|cv|cv ~cavalo ~cavalos ~caballo ~caballos cavalos_vapor caballos_de_fuerza
power|hp|745.69987158227|us|hp horsepower ~cavalo ~cavalos ~caballo ~caballos
energy|J|1|si|j joule joules
energy|kJ|1000|si|kj
energy|Wh|3600|si|wh
energy|kWh|3600000|si|kwh quilowatt_hora quilowatts_hora kilowatt_hour kilowatt_hours
energy|cal|4.184|cal|cal cals caloria calorias calorie calories|calorie
energy|kcal|4184|kcal|kcal kcals quilocaloria quilocalorias kilocaloria kilocalorias caloria calorias calorie calories|calorie
voltage|V|1|si|v volt volts voltio voltios
voltage|kV|1000|si|kv
voltage|mV|1/1000|si|mv
current|A|1|si|a ~amp ~amps ampere amperes amperio amperios
current|mA|1/1000|si|ma miliampere miliamperes
charge|Ah|1|si|ah
charge|mAh|1/1000|si|mah
resistance|ohm|1|si|ohm ohms ohmio ohmios ω
frequency|Hz|1|si|hz hertz
frequency|kHz|1000|si|khz
frequency|MHz|1000000|si|mhz megahertz
frequency|GHz|1000000000|si|ghz gigahertz
rotation|rpm|1|si|rpm rotacao_por_minuto rotacoes_por_minuto revoluciones_por_minuto revolutions_per_minute rotacoes
beats|bpm|1|si|bpm batidas_por_minuto latidos_por_minuto beats_per_minute batimentos_por_minuto
frames|fps|1|si|fps quadros_por_segundo cuadros_por_segundo fotogramas_por_segundo frames_per_second
turn|turn|1|si|~volta ~voltas ~vuelta ~vueltas ~turn ~turns
data|B|1|si|byte bytes|byte
data|kB|1000|si|kb kilobyte kilobytes|byte
data|MB|1000000|si|mb megabyte megabytes ~mega ~megas|byte
data|GB|1000000000|si|gb gigabyte gigabytes ~giga ~gigas ~gig ~gigs|byte
data|TB|1000000000000|si|tb terabyte terabytes ~tera ~teras|byte
data|KiB|1024|bin|kb kilobyte kilobytes kib|byte
data|MiB|1048576|bin|mb megabyte megabytes ~mega ~megas mib|byte
data|GiB|1073741824|bin|gb gigabyte gigabytes ~giga ~gigas ~gig ~gigs gib|byte
data|TiB|1099511627776|bin|tb terabyte terabytes ~tera ~teras tib|byte
bitrate|kbps|1000|si|kbps kb_/_s
bitrate|Mbps|1000000|si|mbps mb_/_s mega_por_segundo megas_por_segundo megabits_per_second
bitrate|Gbps|1000000000|si|gbps
pixels|px|1|si|px pixel pixels pixeis
pixels|Mpx|1000000|si|megapixel megapixels
density|dpi|1|si|dpi ppp
sound|dB|1|si|db decibel decibeis decibels decibelios
percent|percent|1/100|percent|% por_cento porcento por_ciento per_cent percent pct por_100 %_% ponto_percentual pontos_percentuais puntos_porcentuales percentage_points percentage_point
money:BRL|BRL|1|money|reais ~real brl
money:BRL|BRLc|1/100|money|centavo centavos
money:peso|peso|1|money|~peso ~pesos mxn ars clp cop
money:peso|pesoc|1/100|money|centavo centavos
money:USD|USD|1|money|dolar dolares dollar dollars usd buck bucks
money:USD|USDc|1/100|money|cent cents ¢ centavo_de_dolar centavos_de_dolar
money:EUR|EUR|1|money|euro euros eur €
money:EUR|EURc|1/100|money|cent cents centimo centimos centavo_de_euro
money:GBP|GBP|1|money|£ gbp pound pounds libra libras libra_esterlina libras_esterlinas pounds_sterling quid
money:GBP|GBPc|1/100|money|penny pence
money:JPY|JPY|1|money|¥ jpy yen iene ienes yenes
money:PEN|PEN|1|money|soles pen
"""  # noqa: E501

_CASED = frozenset("cfavwjnk")
MONEY_SIGNS = {
    ("r", "$"): ("BRL",), ("us", "$"): ("USD",), ("u", "$"): ("USD",), ("$",): ("USD", "peso"), ("€",): ("EUR",), ("£",): ("GBP",),
    ("¥",): ("JPY",), ("s", "/"): ("PEN",), ("rs",): ("BRL",), ("brl",): ("BRL",), ("usd",): ("USD",), ("eur",): ("EUR",),
    ("gbp",): ("GBP",), ("mxn",): ("peso",), ("mx", "$"): ("peso",), ("ar", "$"): ("peso",),
}  # fmt: skip
"""Currency marks that stand before the amount, as tokens, longest match first by the caller."""

UNITS: dict[str, Unit] = {}
_INDEX: dict[str, list[tuple[tuple[str, ...], tuple[Unit, ...], bool]]] = {}


def _build() -> None:
    named: dict[tuple[str, ...], list[Unit]] = {}
    casual: set[tuple[str, ...]] = set()
    for line in _TABLE.strip().splitlines():
        dimension, key, factor, system, names, family, offset = [*line.split("|"), "", ""][:7]
        unit = Unit(key, dimension, Fraction(factor), system, Fraction(offset or 0), family)
        UNITS[key] = unit
        for name in names.split():
            words = tuple(part for part in name.lstrip("~").split("_") if part)
            named.setdefault(words, []).append(unit)
            if name.startswith("~"):
                casual.add(words)
    for words, units in named.items():
        _INDEX.setdefault(words[0], []).append((words, tuple(units), words in casual))
    for entries in _INDEX.values():
        entries.sort(key=lambda entry: -len(entry[0]))


_build()


def glued_suffixes() -> frozenset[str]:
    """Unit names of one word: what may follow digits without a space ("500g")."""
    return frozenset(words[0] for entries in _INDEX.values() for words, _, _ in entries if len(words) == 1)


def match_unit(tokens: Tokens, i: int, language: str = "") -> UnitMatch | None:
    """The unit whose name starts at token i, longest name first, with a rate ("km/h", "litros por minuto") taken whole."""
    plain = _match_plain(tokens, i, language)
    if plain is None:
        return None
    return _match_rate(tokens, plain, language) or plain


def match_money_sign(tokens: Tokens, i: int) -> UnitMatch | None:
    """The currency mark at token i ("R$", "US$", "€"), if one stands there before an amount."""
    for length in (2, 1):
        window = tokens[i : i + length]
        keys = MONEY_SIGNS.get(tuple(token.text for token in window)) if len(window) == length else None
        if keys is None or (length == 2 and not tokens[i + 1].glued) or (tokens[i].text == "rs" and not tokens[i].raw.isupper()):
            continue
        return UnitMatch(tuple(UNITS[key] for key in keys), i + length, casual=False)
    return None


def _match_plain(tokens: Tokens, i: int, language: str) -> UnitMatch | None:
    if i >= len(tokens):
        return None
    for words, units, casual in _INDEX.get(tokens[i].text, ()):
        end = _match_words(tokens, i, words)
        if end and words[-1] == "in" and len(words) > 1 and _is_something_else(tokens, end - 1, language):
            continue  # "12 lb in weight" is no torque
        if end and not (len(words) == 1 and _is_something_else(tokens, i, language)):
            return UnitMatch(_with_degrees(units, language), end, casual)
    return None


def _match_words(tokens: Tokens, i: int, words: Sequence[str]) -> int:
    """The index after the words, hyphens between them allowed, or 0."""
    for position, word in enumerate(words):
        if position and i + 1 < len(tokens) and tokens[i].text == "-" != word:
            i += 1
        if i >= len(tokens) or tokens[i].text != word:
            return 0
        i += 1
    return i


def _is_something_else(tokens: Tokens, i: int, language: str) -> bool:
    """Whether a one-word unit name is here a letter, a preposition or another word."""
    token = tokens[i]
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    before_word = following is not None and following.kind in (TokenKind.WORD, TokenKind.NUMBER) and not following.glued
    if token.text in _CASED:
        return not token.raw.isupper() or (token.text == "a" and not token.glued and before_word)
    if token.text == "in":
        return not token.glued and before_word
    if token.text == "mi":
        return language != "en"
    if token.text == "of":
        return token.raw != "oF" or not token.glued
    if len(token.text) == 1 and token.kind is TokenKind.WORD:
        return (token.raw.isupper() and token.text in "sm") or (following is not None and following.text == "'")
    return token.text in ("ha", "as", "pes", "pie", "pies", "real", "mega") and language == "en"


def _with_degrees(units: tuple[Unit, ...], language: str) -> tuple[Unit, ...]:
    """Bare degrees are an angle or a temperature; Fahrenheit only where English is spoken."""
    if units[0].key != "deg":
        return units
    scales = ("C",) if language in ("pt", "es") else ("C", "F")
    return (*(replace(UNITS[scale], family="degree") for scale in scales), *units)


_RATES = frozenset({"length/time", "volume/time", "length/volume", "mass/volume", "mass/time", "data/time"})


def _match_rate(tokens: Tokens, top: UnitMatch, language: str) -> UnitMatch | None:
    if top.end + 1 >= len(tokens) or tokens[top.end].text not in ("/", "por", "per", "an", "a"):
        return None
    bottom = _match_plain(tokens, top.end + 1, language)
    if bottom is None:
        return None
    rates = tuple(
        Unit(f"{a.key}/{b.key}", f"{a.dimension}/{b.dimension}", a.factor / b.factor, a.system)
        for a in top.units
        for b in bottom.units
        if f"{a.dimension}/{b.dimension}" in _RATES
    )
    if not rates:
        return None
    is_speed = any(rate.dimension == "length/time" for rate in rates)
    return UnitMatch(rates if is_speed or tokens[top.end].text == "/" else (*rates, *top.units), bottom.end, casual=False)
