"""Whether a draft may stand as read: the deterministic checks of DESIGN section 1, without another model call.

One judgement serves the pipeline (`stages.validate`) and other people's answers (`stages.check`): the same draft over the same
evidence is refused by the same rule in both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from stages.claim import BASE_OF, READ, Base, Checks, ReadClaim, refuse_written_time
from stages.draft import Draft
from stages.evidence import Channel, Evidence, EvidenceSet, Kind
from stages.instant import Instant
from stages.language import detect_language
from stages.names import missing_names
from stages.negation import negation_flipped
from stages.quarantine import addressed_to_machine
from stages.rule import Rule, RuleBroken
from stages.step_order import order_swapped
from stages.values import Confirmation, confirm_values, language_of, read_values
from stages.vintage import refuse_currency
from stages.words import contains_words, content_words, find_run, fold, support, tokens

__all__ = ["WEAK_SUPPORT", "ground", "repaired"]

WEAK_SUPPORT: Final = 0.5
"""Below this share of content words found, a claim is marked weak; at none found it is refused."""

_MARK_OTHER_LANGUAGE: Final = "other_language"
_SHORTEST_QUOTE: Final = 2
_SURE: Final = 0.95
_MOST: Final = 0.6
_FIRST: Final = 100
"""Pieces that tell the language of a video. In it number words are read that are other words elsewhere ("once botones"), where the
statement is too short to tell and shares words with what it cites."""
_KIND_WORDS: Final = {
    kind: re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE)
    for kind, words in {
        "date": "data fecha date día dia day",
        "clock": "hora horário hour time horario horas",
        "money": "preço precio price custo costo cost custa cuesta costs valor",
        "duration": "tempo tiempo time duração duración duration dura lasts",
        "temperature": "temperatura temperature",
        "mass": "peso pesa weight weighs",
        "percent": "porcentagem porcentaje percentage percentual",
    }.items()
}
"""Words that name the kind of a value and nothing that it is a value of."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a piece of evidence the words are: the instant to look at, and the words, verbatim."""

    instant: Instant
    quote: str
    approximate: bool


def ground(draft: Draft, evidence: EvidenceSet, claim_id: str, *, marks: tuple[str, ...] = ()) -> ReadClaim:
    """The read claim that `draft` makes over `evidence`. Raises `RuleBroken` naming the first rule it breaks."""
    base = Base(draft.base)
    cited = _cited(draft, READ[base], evidence)
    words = [item.text for item in cited]
    refuse_written_time(draft.text, words)
    refuse_currency(draft.text, words)
    checks = _checks(draft.text, cited, evidence, marks)
    primary = max(cited, key=lambda item: fuzz.token_set_ratio(fold(draft.quote or draft.text), fold(item.text)))
    place = _place(draft.quote or draft.text, primary)
    ordered = (primary, *(item for item in cited if item is not primary))
    if place.approximate:
        checks = Checks(checks.values, checks.support, checks.status, (*checks.marks, "approximate_time"))
    return ReadClaim(claim_id, base, draft.text, place.instant, ordered, place.quote, draft.question, checks)


def repaired(draft: Draft, evidence: EvidenceSet) -> Draft | None:
    """The same words on the one piece of evidence they stand in verbatim, digits exact; None where there is no such piece.

    Small models often copy the right sentence and cite the wrong id. The base follows the channel of the evidence.
    """
    for words in (draft.text, draft.quote):
        if len(tokens(words)) < _SHORTEST_QUOTE:
            continue
        holders = [item for item in evidence if item.quotable and contains_words(words, item.text)]
        if holders and len({fold(item.text) for item in holders}) == 1:
            return Draft(BASE_OF[holders[0].channel].value, draft.text, (holders[0].id,), (), words, "", draft.question, draft.extra)
    return None


def _cited(draft: Draft, channel: Channel, evidence: EvidenceSet) -> tuple[Evidence, ...]:
    if not draft.evidence:
        raise RuleBroken(Rule.EVIDENCE_REQUIRED, f"the base {draft.base} cites at least one piece of evidence of its channel")
    cited: list[Evidence] = []
    for name in dict.fromkeys(draft.evidence):
        item = evidence.get(name)
        if item is None:
            raise RuleBroken(Rule.EVIDENCE_UNKNOWN, f"{name} is not evidence of this video")
        if item.channel is not channel:
            raise RuleBroken(Rule.EVIDENCE_WRONG_CHANNEL, f"{name} is of the channel {item.channel}, not {channel}")
        if not item.trusted:
            raise RuleBroken(Rule.EVIDENCE_UNTRUSTED, f"{name} is distrusted: {item.distrust_reason}")
        if addressed_to_machine(item.text) and not addressed_to_machine(draft.text):
            raise RuleBroken(
                Rule.EVIDENCE_TO_MACHINE, f"{name} speaks to a language model: {item.text[:80]!r}; only its words can be reported"
            )
        if item.kind is Kind.FRAME and not draft.saw_frames:
            raise RuleBroken(Rule.FRAME_NOT_SEEN, f"{name} is a picture, which whoever said this was not shown")
        cited.append(item)
    return tuple(cited)


def _checks(text: str, cited: Sequence[Evidence], evidence: EvidenceSet, marks: tuple[str, ...]) -> Checks:
    words = [item.text for item in cited]
    if all(item.kind is Kind.FRAME for item in cited):
        return Checks("unchecked", 0.0, "unchecked", (*marks, "visible_not_written"))
    if any(fold(text) == fold(item.text) for item in cited):
        verbatim = Confirmation.CONFIRMED if read_values(text) else Confirmation.NONE
        return Checks(verbatim.value, 1.0, "confirmed", marks)
    said, read = detect_language(text), _language(cited)
    other_language = _is_other_language(text, said, read)
    stripped = _without_values(text)
    share = support(stripped, words)
    values = confirm_values(text, words, language=language_of(text) or (_language(evidence.items[:_FIRST]) if share else ""))
    if values.status is Confirmation.REFUSED:
        raise RuleBroken(Rule.VALUE_NOT_IN_EVIDENCE, f"{values.detail or ', '.join(values.missing)}")
    if names := missing_names(stripped, words):
        raise RuleBroken(Rule.NAME_NOT_IN_EVIDENCE, f"the cited evidence does not name {', '.join(names)}")
    if values.confirmed or share:
        share = support(stripped, [*words, *_neighbours(cited, evidence)])
    if other_language:
        marks = (*marks, _MARK_OTHER_LANGUAGE)
    elif share == 0:
        raise RuleBroken(Rule.NO_SUPPORT, "none of its content words is in the cited evidence")
    elif negation_flipped(text, words, language_of(f"{text} {' '.join(words)}") or read or said):
        raise RuleBroken(Rule.NEGATION_FLIPPED, "it denies what the cited evidence affirms, or the reverse")
    elif order_swapped(text, words):
        raise RuleBroken(Rule.ORDER_SWAPPED, "it tells the steps in another order than the cited evidence")
    if share is not None and share < WEAK_SUPPORT and not other_language and (holder := _other_channel(stripped, cited, evidence)):
        raise RuleBroken(Rule.EVIDENCE_WRONG_CHANNEL, f"what it says stands in {holder.id}, of the channel {holder.channel}")
    measured = share if share is not None else float(values.status is Confirmation.CONFIRMED)
    return Checks(values.status.value, round(measured, 3), _status(values.status, measured, other_language), marks)


def _neighbours(cited: Sequence[Evidence], evidence: EvidenceSet) -> list[str]:
    """The trusted words seen together with the cited lines, or said next to the cited sentences: a label and its figure are two lines.

    They lend words to a claim that has a value or a word of its own in the cited evidence; alone they carry nothing.
    """
    near: list[str] = []
    for channel in {item.channel for item in cited}:
        line = [item for item in evidence.of(channel) if item.quotable]
        for item in cited:
            if channel is Channel.TELA:
                near += [other.text for other in line if item.instant in other.span]
            else:
                place = line.index(item)
                near += [other.text for other in line[max(place - 1, 0) : place + 2]]
    return near


def _other_channel(text: str, cited: Sequence[Evidence], evidence: EvidenceSet) -> Evidence | None:
    """The piece of the other channel that has most words of `text`: what is only written was not said, and the reverse."""
    others = (item for item in evidence if item.channel is not cited[0].channel and item.trusted)
    return next(
        (item for item in others if len(content_words(text)) >= _SHORTEST_QUOTE and (support(text, [item.text]) or 0) >= _MOST), None
    )


def _without_values(text: str) -> str:
    """`text` with its values blanked, and the words that only say of which kind they are: "gramas" is no word that "meio quilo" lacks,
    and a date need not have "data" beside it."""
    values = read_values(text)
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    kinds = {value.kind for value in values} | {reading.dimension for value in values for reading in value.readings}
    for kind, words in _KIND_WORDS.items():
        if kind in kinds:
            text = words.sub(lambda match: " " * len(match.group()), text)
    return text


def _status(values: Confirmation, measured: float, other_language: bool) -> str:
    if values is Confirmation.UNCHECKED or (other_language and measured < WEAK_SUPPORT):
        return "unchecked"
    return "confirmed" if measured >= WEAK_SUPPORT else "weak"


def _language(cited: Sequence[Evidence]) -> str:
    """The recogniser's word for speech; a guess from the text for the screen."""
    declared = {item.language for item in cited if item.language}
    if len(declared) == 1:
        return declared.pop().split("-")[0]
    return detect_language(" ".join(item.text for item in cited))


def _is_other_language(text: str, said: str, read: str) -> bool:
    """Whether the statement is surely in another language than its evidence; of a short one, a guess is no excuse for sharing no word.

    Portuguese and Spanish are told apart by their small words only.
    """
    if not said or not read or said == read:
        return False
    if language_of(text) == said:
        return True
    return {said, read} != {"pt", "es"} and detect_language(text, at_least=_SURE) == said


def _place(words: str, item: Evidence) -> _Place:
    """Speech is placed at the first of the words quoted, where they stand in the evidence; the screen where it is best legible."""
    spoken = [(index, token) for index, word in enumerate(item.words) for token in tokens(word.text)]
    wanted = tokens(words)
    if item.channel is Channel.FALA and len(wanted) >= _SHORTEST_QUOTE:
        start = find_run(wanted, [token for _, token in spoken])
        if start >= 0:
            first, last = spoken[start][0], spoken[start + len(wanted) - 1][0]
            quote = " ".join(word.text.strip() for word in item.words[first : last + 1])
            return _Place(item.words[first].span.start, quote, item.words[first].approximate)
    return _Place(item.instant, item.text, bool(item.words) and item.words[0].approximate)
