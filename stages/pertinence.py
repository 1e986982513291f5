"""Whether the evidence that an answer cites can be an answer to the question at all.

The loudest number of a video is not the answer to every question: asked what a torque wrench costs, a small model reads out the torque,
which is true, supported, and no answer. What a question asks for is read from its own words, in Portuguese, Spanish and English, and only
what cannot be an answer is refused: a price needs an amount, "how long" is not answered by a weight.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stages.beside import beside
from stages.draft import Draft
from stages.evidence import Channel, EvidenceSet, Kind
from stages.language import detect_language
from stages.retrieval import asked_fragments, asked_words
from stages.values import Value, read_values
from stages.words import fold, shared_words

__all__ = ["gives_what_is_asked", "introduces", "off_topic"]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A kind of thing that a question asks for."""

    name: str
    question: re.Pattern[str]
    dimensions: frozenset[str] = frozenset()
    """What a value of this kind measures, as in `stages.values`; a number without a unit may be one of any kind."""
    words: re.Pattern[str] | None = None
    """What else is an answer of this kind. Where it is given, an answer has one or the other."""
    bare: re.Pattern[str] | None = None
    """What is said with a number without a unit, or beside it, that is of this kind; any number may be, where it is not given."""


_COSTS: Final = r"(?:cust\w+|cuest\w+|cost\w*|pag\w+|paid|pay|vale|valen|valem)"
_PRICES: Final = r"(?:preco|precio|price|custo|coste|costo|orcamento|presupuesto|budget)s?"
_WANTED: Final = (
    _Wanted(
        "a price",
        re.compile(rf"\b(?:quanto|cuanto|how much)\b.{{0,40}}\b{_COSTS}\b|\b{_PRICES}\b"),
        frozenset({"money"}),
        re.compile(r"\b(?:gratis|gratuit\w+|free|de graca|sem custo|sin coste|no charge|inclu\w+)\b"),
        re.compile(rf"\b(?:{_COSTS}|{_PRICES}|total|por)\b"),
    ),
    _Wanted(
        "a telephone number",
        re.compile(r"\b(?:telefones?|telefonos?|(?:tele)?phone number|celular|whatsapp)\b"),
        words=re.compile(r"\d{3}"),
    ),
    _Wanted("an e-mail address", re.compile(r"\b(?:e-?mail|correo electronico)\b"), words=re.compile(r"@|\barrobas?\b|\bat\b.+\bdot\b")),
    _Wanted(
        "a temperature",
        re.compile(r"\b(?:temperatur\w*|quantos graus|cuantos grados|how hot|how cold)\b"),
        frozenset({"temperature", "angle"}),
    ),
    _Wanted("a pressure", re.compile(r"\b(?:pressao|presion|pressure)\b"), frozenset({"pressure"})),
    _Wanted("a torque", re.compile(r"\b(?:torque|par de apriete)\b"), frozenset({"torque", "percent", "length"})),
    _Wanted("a weight", re.compile(r"\b(?:quanto pesa\w*|cuanto pesa\w*|how heavy|weigh\w*|peso)\b"), frozenset({"mass"})),
    _Wanted(
        "a length",
        re.compile(
            r"\b(?:diametro|diameter|espessura|espesor|thickness|largura|anchura|width|how (?:wide|tall|far|thick|deep)|altura|height)\b"
        ),
        frozenset({"length", "pixels"}),
    ),
    _Wanted(
        "a duration",
        re.compile(
            r"\b(?:(?<!de quanto em )quanto tempo|(?<!cada )cuanto tiempo|how long|duracao|duracion|"
            r"quanto dur\w+|cuanto dur\w+|quanto demor\w+|cuanto tard\w+)\b"
        ),
        frozenset({"time", "months", "clock", "date"}),
    ),
    _Wanted("a share", re.compile(r"\b(?:porcentagem|percentual|porcentaje|percentage|per ?cent)\b"), frozenset({"percent", "ratio"})),
    _Wanted("a date", re.compile(r"\b(?:(?:que|which|what) (?:dia|day|date|mes|month)|data|fecha|due date)\b"), frozenset({"date"})),
    _Wanted("a time of day", re.compile(r"\b(?:que horas?|que horario|what time)\b"), frozenset({"clock", "time"})),
)


_ONE_CHANNEL: Final = {
    Channel.FALA: (
        "said",
        re.compile(
            r"\b(?:narrador\w*|locutor\w*|narrators?|narration|speakers?|voz|voice)\b.{0,20}\b(?:di[zcj]\w*|fal\w+|habl\w+|sa\w+|tell\w*|mention\w*)\b"
        ),
    ),
    Channel.TELA: ("written", re.compile(r"\b(?:escrit[oa]s?|written|(?:na|en la|en) (?:tela|pantalla)|on (?:the )?screen)\b")),
}
"""Questions about one channel only: what is asked for, and how it is asked."""
_WHO_SPEAKS: Final = re.compile(
    r"\b(?:quem|quien|who)(?: e| es| is)?(?: [oa]| el| la| the)? ?"
    r"(?:apresent\w+|fala|ensina|narra|present\w*|habla|ensena|speak\w*|talk\w*|teach\w*|host\w*|narrat\w*|professor\w*|instru\w+)\b"
)
_INTRODUCTION: Final = re.compile(
    r"\b(?:eu sou|aqui e|me chamo|meu nome e|soy|me llamo|mi nombre es|i'm|i am|my name is)(?: [oa]| el| la)? (?-i:[A-ZÀ-ÖØ-Þ])",
    re.IGNORECASE,
)


def introduces(question: str, text: str) -> bool:
    """Whether `question` asks who speaks, and in `text` somebody gives a name: "eu sou o Renato"."""
    return bool(_WHO_SPEAKS.search(fold(question)) and _INTRODUCTION.search(text))


def gives_what_is_asked(question: str, text: str) -> bool | None:
    """Whether a text has a value of a kind that `question` asks for; None where the question asks for no kind that is known here."""
    asked = [wanted for wanted in _asked(question) if wanted.dimensions]
    values = [value for value in read_values(text) if {reading.dimension for reading in value.readings} != {"number"}]
    return any(_is_a(wanted, value) for wanted in asked for value in values) if asked else None


def off_topic(question: str, draft: Draft, evidence: EvidenceSet, *, about: bool) -> str:
    """Why what a draft cites cannot answer `question`, in words for people; empty where it may.

    `about`: also refuse what shares no word with the question, in itself and in what is seen or said beside it, where both are in one
    language. Small models need that; of larger ones it would cost answers in words of their own.
    """
    cited = [item for name in draft.evidence if (item := evidence.get(name)) is not None]
    if not cited or any(item.kind is Kind.FRAME for item in cited):
        return ""
    texts = [item.text for item in cited]
    for channel, (way, asked) in _ONE_CHANNEL.items():
        if asked.search(fold(question)) and all(item.channel is not channel for item in cited):
            return f"the question asks for what is {way}, and the cited evidence is of the other channel"
    near = [other.text for item in cited for other in beside(item, evidence.items)]
    if wanted := _not_given(question, texts, near):
        return f"the question asks for {wanted}, and the cited evidence gives none"
    if about:
        words = asked_words(question)
        spoken, read = detect_language(question), detect_language(" ".join([*texts, *near]))
        if words and spoken == read and not shared_words(" ".join(words), " ".join([*texts, *near, draft.text if not near else ""])):
            return f"neither the cited evidence nor what stands beside it has a word of the question ({', '.join(words)})"
    return ""


def _asked(question: str) -> list[_Wanted]:
    """The kind of thing that each part of a question asks for, where one is known: "what percentage of the torque" is a percentage."""
    kinds: list[_Wanted] = []
    for part in asked_fragments(question):
        found = [(match.start(), wanted) for wanted in _WANTED if (match := wanted.question.search(fold(part)))]
        kinds += [min(found, key=lambda pair: pair[0])[1]] if found else []
    return kinds


def _not_given(question: str, texts: Sequence[str], near: Sequence[str]) -> str:
    """What `question` asks for where the texts give nothing of it, `near` being beside them; of two things that are asked for, one is
    enough."""
    asked = _asked(question)
    values = [value for text in texts for value in read_values(text)]
    said, around = fold(" ".join(texts)), fold(" ".join([*texts, *near]))
    if len(asked) < len(asked_fragments(question)) or any(_gives(wanted, values, said, around) for wanted in asked):
        return ""
    return " and ".join(wanted.name for wanted in asked)


def _gives(wanted: _Wanted, values: Sequence[Value], said: str, around: str) -> bool:
    if wanted.words is not None and wanted.words.search(said):
        return True
    if not values:
        return wanted.words is None  # "until it is golden" is an answer to "how long"
    bare = wanted.bare is None or wanted.bare.search(around) is not None
    return bool(wanted.dimensions) and any(_is_a(wanted, value, bare=bare) for value in values)


def _is_a(wanted: _Wanted, value: Value, *, bare: bool = True) -> bool:
    """Whether a value may be of that kind; `bare`: a number without a unit may."""
    kinds = {reading.dimension.partition(":")[0] for reading in value.readings}
    return bool(kinds & wanted.dimensions) or (bare and kinds == {"number"})
