"""Text as the value readers see it: folded for comparison, every token tied to its place in the original.

What a recogniser or a model writes hides the same words behind full-width digits, zero-width characters, decomposed
accents and no-break spaces. Readers that look at the raw characters miss them; readers that normalise first lose the
offsets. Folding here keeps both: the folded text, and for each folded character the index it came from.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Token", "TokenKind", "Tokens", "fold", "guess_language", "is_content", "join_words", "languages_of", "tokenize"]

GROUP_SPACE = "\u00a0"
VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"

_KEPT = {c: c for c in VULGAR + "ºª°²³µ\n"}
_MAPPED = {
    "μ": "µ", "˚": "°", "−": "-", "‐": "-", "‑": "-", "—": "–", "⁄": "/", "∕": "/", "×": "x", "✕": "x", "⋅": "·", "•": "·",
    "’": "'", "‘": "'", "′": "'", "“": '"', "”": '"', "″": '"', "：": ":", "∶": ":", "︓": ":", "﹕": ":", "ː": ":", "꞉": ":",
    "։": ":", "׃": ":", "⁚": ":", "˸": ":", "᛬": ":", "︰": ":", "܃": ":", "܄": ":", "፥": ":", "᠄": ":",
    "\u00a0": GROUP_SPACE, "\u202f": GROUP_SPACE, "\u2009": GROUP_SPACE, "\u2007": GROUP_SPACE,
    "\u3164": "", "\u115f": "", "\u1160": "", "\uffa0": "", "\u2800": " ", "\r": "\n",
    **dict(zip("аеорсхукмтнвіѕј", "aeopcxykmtnbisj", strict=True)), **dict(zip("АЕОРСХУКМТНВІЅЈ", "aeopcxykmtnbisj", strict=True)),
    "ο": "o", "α": "a", "ν": "v", "κ": "k",
}  # fmt: skip
"""Marks written in several ways, and letters of other alphabets that no eye tells from Latin ones: "5 кg" is 5 kg."""


class _FoldTable(dict[str, str]):
    """Folded form of each character met so far."""

    def __missing__(self, char: str) -> str:
        folded = _fold_char(char)
        self[char] = folded
        return folded


def _fold_char(char: str) -> str:
    if char in _KEPT:
        return char
    if char in _MAPPED:
        return _MAPPED[char]
    category = unicodedata.category(char)
    if category == "No" and not unicodedata.decomposition(char) and (digit := unicodedata.digit(char, None)) is not None:
        return str(digit)
    if category in ("Cf", "Mn", "Me"):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if char.isspace():
        return " "
    plain = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return plain.lower()


_FOLD = _FoldTable()


def fold(text: str) -> tuple[str, list[int]]:
    """The text without case, accents, zero-width characters and digit variants, and where each character came from.

    Returns (folded, origin): `origin[i]` is the index in `text` of the character that gave `folded[i]`; one more
    entry, `len(text)`, closes the list.
    """
    pieces: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        folded = _FOLD[char]
        pieces.append(folded)
        origin.extend([index] * len(folded))
    origin.append(len(text))
    return "".join(pieces), origin


class TokenKind(StrEnum):
    """What a token is made of."""

    NUMBER = "number"
    FRACTION = "fraction"
    WORD = "word"
    CODE = "code"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a folded text."""

    kind: TokenKind
    text: str
    """Folded."""
    raw: str
    """As written, zero-width characters included."""
    start: int
    """Offset of the first character in the original text."""
    end: int
    """Offset after the last character in the original text."""
    glued: bool
    """No space between this token and the one before."""

    @property
    def accented(self) -> bool:
        """Whether folding took an accent away: "média" is not "media", "é" is not "e"."""
        return any(unicodedata.decomposition(c) for c in self.raw) or any(unicodedata.combining(c) for c in self.raw)


class Tokens(list[Token]):
    """The tokens of one text, with what was already parsed in it."""

    __slots__ = ("parsed",)

    def __init__(self) -> None:
        super().__init__()
        self.parsed: dict[tuple[object, ...], object] = {}
        """Results by (what, index, ...): several readers try the same place, and the text must be read in linear time."""


_TOKEN = re.compile(
    rf"(?P<number>(?<![\w.])\.\d+(?![.,]?\d)|\d{{1,3}}(?:{GROUP_SPACE}\d{{3}})+(?!\d)(?:[.,]\d{{1,2}}(?!\d))?|\d+(?:[.,]\d+)*)"
    rf"|(?P<fraction>[{VULGAR}])"
    rf"|(?P<word>[^\W\d_ºª{VULGAR}]+)"
    r"|(?P<mark>\n|\S)"
)
_LIST = re.compile(r"(?!\d{1,3}(?:,\d{3})+$)\d+(?:,\d+){2,}")
_LIST_ITEM = re.compile(r"\d+|,")
_CANDIDATE = re.compile(r"[a-z0-9]+(?:[-_.:/@#]{1,3}[a-z0-9]+)*")


def tokenize(text: str, is_code: Callable[[str], bool] | None = None) -> Tokens:
    """The tokens of a text, in order.

    `is_code` decides which unbroken folded runs ("mp4", "pp-ocrv6", "192.168.0.1") stay one token.
    """
    folded, origin = fold(text)
    tokens = Tokens()
    position = 0
    if is_code is not None:
        for match in _CANDIDATE.finditer(folded):
            if len(match[0]) <= 64 and is_code(match[0]):
                _add_tokens(tokens, text, folded, origin, position, match.start())
                _add(tokens, TokenKind.CODE, text, folded, origin, match.start(), match.end())
                position = match.end()
    _add_tokens(tokens, text, folded, origin, position, len(folded))
    return tokens


def _add_tokens(out: Tokens, text: str, folded: str, origin: list[int], start: int, end: int) -> None:
    for match in _TOKEN.finditer(folded, start, end):
        kind = TokenKind(match.lastgroup or "mark")
        if kind is TokenKind.NUMBER and _LIST.fullmatch(match[0]):
            for item in _LIST_ITEM.finditer(folded, match.start(), match.end()):
                _add(out, TokenKind.MARK if item[0] == "," else kind, text, folded, origin, item.start(), item.end())
        else:
            _add(out, kind, text, folded, origin, match.start(), match.end())


def _add(out: Tokens, kind: TokenKind, text: str, folded: str, origin: list[int], start: int, end: int) -> None:
    first, last = origin[start], max(origin[end - 1] + 1, origin[end])
    glued = start > 0 and not folded[start - 1].isspace()
    out.append(Token(kind, folded[start:end], text[first:last], first, last, glued))


def join_words(tokens: Tokens, start: int, end: int) -> str:
    """The folded tokens from start to end, one space between them."""
    return " ".join(token.text for token in tokens[start:end])


_EXCLUSIVE = {
    "pt": """dos o os ao aos da das do em no na nos nas nao e com uma um sao voce mais muito muita pelo pela depois entao ate ele ela eles
        as isso essa esse seu sua foi ser esta tem ter meia meio quilo quilos xicara xicaras colher colheres quarto quartos dois duas
        oito nove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento duzentos trezentos quinhentos doze onze
        treze quinze gramas hora horas ovo ovos reais leite farinha sete quatro dez tarde manha minutinhos segunda terca sexta quinta
        forno acucar mil agua para por de gente coloca vamos agora aqui""",
    "es": """el la los las y en del al una un es muy mas con por para lo su sus fue ser esta tiene despues entonces hasta ella ellos
        media medio kilo kilos taza tazas cuchara cucharada cucharadas cucharadita cuarto cuartos dos tres cuatro ocho nueve diez
        veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos quinientos gramos hora
        horas huevo huevos leche harina siete docena docenas tarde manana lunes martes miercoles jueves viernes segundos minutos
        horno azucar mil agua de se que hay aqui ahora vamos pesos euros kilometros""",
    "en": """the of and to in is it for with on at are was were be this that from by or an you your we they has have not but then there
        add use bake one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty
        ninety hundred thousand half quarter cup cups pound pounds inch inches feet foot hour hours minutes seconds grams teaspoon
        tablespoon tablespoons teaspoons degrees dollars percent third second first dozen egg eggs people butter flour sugar milk water
        bolt bolts step meeting costs page video""",
}  # fmt: skip
_LANGUAGES_OF: dict[str, set[str]] = {}
for _language, _words in _EXCLUSIVE.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, set()).add(_language)
_LETTERS = {"ã": "pt", "õ": "pt", "ç": "pt", "ê": "pt", "ô": "pt", "â": "pt", "à": "pt", "ñ": "es", "¿": "es", "¡": "es"}


def languages_of(token: Token) -> frozenset[str]:
    """The languages that have the token among their everyday words."""
    return frozenset(_LANGUAGES_OF.get(token.text, ()))


def guess_language(tokens: Tokens) -> str:
    """One of "pt", "es", "en", or "" where the words do not tell.

    Each word counts for the languages that use it, so one shared by two counts for both; a letter of one alphabet counts double.
    """
    score = dict.fromkeys(_EXCLUSIVE, 0)
    for token in tokens:
        if token.kind is TokenKind.NUMBER or (token.text in ("medio", "media") and token.accented):
            continue
        for language in _LANGUAGES_OF.get(token.text, ()):
            score[language] += 1
        for char in token.raw.lower():
            if char in _LETTERS:
                score[_LETTERS[char]] += 2
    ranked = sorted(score, key=lambda language: -score[language])
    return ranked[0] if score[ranked[0]] > score[ranked[1]] else ""


_FUNCTION_WORDS = frozenset(
    """o a os as um uma uns umas de do da dos das em no na nos nas num numa por para pra pelo pela pelos pelas com sem sob sobre ate
    e ou mas que se como quando onde ja nao mais menos muito muita bem so tambem depois antes entao assim ao aos foi sao era eram ser
    esta estao tem isso isto esse essa este ele ela eles elas seu sua seus suas cada todo toda todos todas mesmo apenas agora aqui ali
    el la los las un una unos unas del al en y u pero sin hasta lo le les su sus es son fue eran muy ya no si despues entonces asi este
    esto eso ese esa hay tiene cada todo toda todos solo ahora aqui con por para desde entre durante segun tras ante
    the of and or to in on at by for from with without into onto is are was were be been being it its this that these those then than as
    but not no so if when where while after before until about over under each every all both only just more less also there here he she
    they we you his her their our your has have had does did do will would can could should may might must up down out off per plus minus
    versus always perhaps unless across thus yes jamais alias""".split()
)


def is_content(token: Token) -> bool:
    """Whether the token is a word that names something, in any of the three languages."""
    return token.kind is TokenKind.WORD and len(token.text) >= 3 and token.text not in _FUNCTION_WORDS
