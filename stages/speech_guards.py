"""What a recogniser wrote, held against the sound: what is impossible is refused, what is doubtful is kept and marked.

Recognisers invent in ways that users reported one by one: sentences over rain, the credits of films they were trained on, one sentence
twenty times to the end of the file, words after the end of the sound, words that end before they start, numbers without any time. An
impossible time is never moved to a place where it would fit. A doubtful text stays in the evidence with the reason, and can carry no claim.
"""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final

from rapidfuzz import fuzz, process

from stages.engines.speech_recogniser import HeardSegment, HeardWord
from stages.evidence import Word
from stages.instant import TOLERANCE_MS, OutsideTimeline, Timeline
from stages.resources import resource
from stages.voice import CLEAR_VOICE, VOICED, Activity, Passage

__all__ = ["Reading", "Spoken", "judge", "stock_files"]

_COMPRESSION: Final = 2.4
_IMPROBABLE: Final = -1.0
_NO_SPEECH: Final = 0.6
"""Whisper's own limits of a failed decoding (Radford et al. 2022, section 4.5)."""
_CONFIDENT: Final = -0.5
"""Mean log-probability from which the engine's doubt whether there is speech does not count."""
_UNSURE: Final = 0.35
"""Mean probability of a sentence's words below which it is not believed."""
_SILENCE: Final = 0.001
"""-60 dBFS."""

_REPEATS: Final = 4
_LOOP_LETTERS: Final = 30
"""People say "no, no, no, no"; a recogniser in a loop repeats more than that, or longer things."""

_LONGEST_MS: Final = 20_000
_PAUSE_MS: Final = 1500
_SENTENCE_END: Final = re.compile(r"[.!?…。！？]+[\"'”’»)\]]*$")
_ABBREVIATIONS: Final = frozenset(
    "mr mrs ms dr dra drs sr sra srta jr st prof profa eng d dª nº n núm art av vs etc ex p pág fig hr fr m mme mlle bzw nr e.g i.e "
    "p.ex".split()
)
"""Their full stop does not end a sentence."""
_LIKENESS: Final = 88.0
"""rapidfuzz ratio from which a sentence is a stock phrase with a letter misspelt."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Words that belong together, placed on the video's timeline. A word's text is as the engine wrote it, leading space included."""

    words: tuple[Word, ...]
    reason: str = ""
    """Why it is not believed (`loop`, `compression`, `low_probability`, `on_silence`, `stock_phrase`); empty when it is."""

    @property
    def text(self) -> str:
        return "".join(word.text for word in self.words).strip()

    @property
    def confidence(self) -> float:
        """Mean probability of the words, 0..1."""
        return math.fsum(word.prob for word in self.words) / len(self.words)

    @property
    def start_ms(self) -> int:
        return min(word.span.start.ms for word in self.words)

    @property
    def end_ms(self) -> int:
        return max(word.span.end.ms for word in self.words)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was made of one passage."""

    sentences: tuple[Spoken, ...]
    refused: tuple[str, ...]
    """Why each refused segment was refused."""
    failing: float
    """Share of the segments that were refused or whose decoding failed by its own measures, 0..1; 1 where nothing was written."""

    @property
    def confidence(self) -> float:
        """Mean probability of the words, 0..1; 0 where there are none."""
        probabilities = [word.prob for sentence in self.sentences for word in sentence.words]
        return math.fsum(probabilities) / len(probabilities) if probabilities else 0.0


def judge(heard: Sequence[HeardSegment], passage: Passage, activity: Activity, timeline: Timeline) -> Reading:
    """The segments that a recogniser heard in `passage`, guarded, as sentences of at most 20 s on the timeline of the video."""
    looping, placed, refused = _looping(heard), list[Spoken](), list[str]()
    for number, segment in enumerate(heard):
        try:
            words = _place(segment, passage, activity, timeline)
        except OutsideTimeline as reason:
            refused.append(str(reason))
        else:
            if words:
                placed.append(Spoken(words, "loop" if number in looping else _failure(segment)))
    failed = len(refused) + sum(1 for segment in placed if segment.reason)
    clear = activity.clearest(passage.start_ms, passage.end_ms) >= CLEAR_VOICE
    sentences = tuple(_doubted(sentence, activity, clear=clear) for sentence in _sentences(placed) if _plain(sentence.text))
    return Reading(sentences, tuple(refused), failed / len(heard) if heard else 1.0)


def _place(segment: HeardSegment, passage: Passage, activity: Activity, timeline: Timeline) -> tuple[Word, ...]:
    """The segment's words on the timeline, each trimmed to the voice within it.

    Raises `OutsideTimeline` with the reason where a time is impossible: before the sound, after it, or an end before its start.
    """
    heard = segment.words or _timeless(segment)
    whole = _possible(repr(segment.text.strip()), segment.start, segment.end, passage)
    given = [_given(word, passage) for word in heard]
    words = []
    for word, (start_ms, end_ms, approximate) in zip(heard, _completed(given, whole, passage.end_ms), strict=True):
        if not approximate:
            start_ms, end_ms = activity.word_within(start_ms, end_ms)
        if end_ms > passage.end_ms:
            raise OutsideTimeline(f"{word.text.strip()!r} ends at {end_ms / 1000:g} s, after the sound")
        words.append(Word(word.text, timeline.span(start_ms, end_ms), word.prob, approximate))
    return tuple(words)


def _timeless(segment: HeardSegment) -> tuple[HeardWord, ...]:
    probability = math.exp(min(0.0, segment.avg_logprob))
    return tuple(HeardWord(f" {token}", None, None, probability) for token in segment.text.split())


def _given(word: HeardWord, passage: Passage) -> tuple[int, int] | None:
    """The word's own bounds in ms of the video, or None where it has none to speak of."""
    if word.start is None or word.end is None or word.start == word.end:
        return None
    return _possible(repr(word.text.strip()), word.start, word.end, passage)


def _possible(what: str, start_s: float, end_s: float, passage: Passage) -> tuple[int, int]:
    """Both bounds in ms of the video. Half a second past the end is the engine's rounding, for the voice to correct or not."""
    if not 0 <= start_s <= end_s:  # NaN fails too
        raise OutsideTimeline(f"{what} runs from {start_s:g} s to {end_s:g} s")
    if 1000 * end_s > passage.length_ms + TOLERANCE_MS:
        raise OutsideTimeline(f"{what} runs to {end_s:g} s in {passage.length_ms / 1000:g} s of sound")
    return passage.start_ms + round(1000 * start_s), passage.start_ms + round(1000 * end_s)


def _completed(given: Sequence[tuple[int, int] | None], whole: tuple[int, int], sound_end: int) -> Iterator[tuple[int, int, bool]]:
    """Bounds for every word, and whether they are approximate: those of a word without a time of its own, or with one that runs
    backwards, are what its neighbours leave."""
    previous = whole[0], whole[0]
    for number, own in enumerate(given):
        if own is not None and own[0] >= previous[0]:
            previous = own
            yield *own, False
        else:
            start = previous[1]
            following = (later[0] for later in given[number + 1 :] if later is not None and later[0] >= start)
            yield start, next(following, max(start, min(whole[1], sound_end))), True


def _failure(segment: HeardSegment) -> str:
    """What the engine's own measures say against the segment."""
    if segment.compression_ratio > _COMPRESSION:
        return "compression"
    if segment.no_speech_prob > _NO_SPEECH and segment.avg_logprob < _CONFIDENT:
        return "on_silence"
    return "low_probability" if segment.avg_logprob < _IMPROBABLE else ""


def _doubted(sentence: Spoken, activity: Activity, *, clear: bool) -> Spoken:
    """The sentence, with what the sound and the stock of invented phrases say against it; `clear`: its passage holds a clear voice."""
    if sentence.reason:
        return sentence
    start, end = sentence.start_ms, sentence.end_ms
    if not clear or activity.clearest(start, end) < VOICED or activity.loudest(start, end) < _SILENCE:
        return replace(sentence, reason="on_silence")
    if _is_stock(_plain(sentence.text)):
        return replace(sentence, reason="stock_phrase")
    return replace(sentence, reason="low_probability") if sentence.confidence < _UNSURE else sentence


def _looping(heard: Sequence[HeardSegment]) -> set[int]:
    """Numbers of the segments in which the same words come again and again, within one or from one to the next."""
    tokens = [(token, number) for number, segment in enumerate(heard) for token in _plain(segment.text).split()]
    looping: set[int] = set()
    for period in range(1, len(tokens) // _REPEATS + 1):
        same = [tokens[at][0] == tokens[at - period][0] for at in range(period, len(tokens))]
        at = 0
        for repeats, run in groupby(same):
            length = len(list(run))
            stretch = tokens[at : at + length + period]
            if repeats and length >= (_REPEATS - 1) * period and sum(len(token) for token, _ in stretch) >= _LOOP_LETTERS:
                looping.update(number for _, number in stretch)
            at += length
    return looping


def _sentences(segments: Sequence[Spoken]) -> Iterator[Spoken]:
    """The same words, cut where sentences end and not where the engine happened to stop: a quotation is a sentence."""
    for reason, group in groupby(segments, key=lambda segment: segment.reason):
        words = [word for segment in group for word in segment.words]
        start = 0
        for end in range(1, len(words) + 1):
            if end == len(words) or _parted(words[end - 1], words[end]):
                yield from (Spoken(part, reason) for part in _short(tuple(words[start:end])))
                start = end


def _parted(word: Word, following: Word) -> bool:
    """Whether a sentence ends between two words."""
    if following.span.start.ms - word.span.end.ms >= _PAUSE_MS:
        return True
    if not _SENTENCE_END.search(word.text) or word.text.strip(" .\"'“‘«([¿¡").casefold() in _ABBREVIATIONS:
        return False
    return not following.text.lstrip(" \"'“‘«([¿¡-–—")[:1].islower()


def _short(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Parts of at most 20 s, cut at the longest pauses."""
    if len(words) < 2 or words[-1].span.end.ms - words[0].span.start.ms <= _LONGEST_MS:
        yield words
        return
    pauses = [following.span.start.ms - word.span.end.ms for word, following in pairwise(words)]
    cut = 1 + max(range(len(pauses)), key=lambda at: (pauses[at], -abs(2 * at - len(pauses))))
    yield from _short(words[:cut])
    yield from _short(words[cut:])


def stock_files() -> list[Path]:
    """The lists of phrases that recognisers invent, one file for each language they are in."""
    return sorted(resource("distrust").glob("*.toml"))


@cache
def _stock() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whole sentences and openings of sentences, all languages: what is invented need not be in the language that is spoken."""
    lists = [tomllib.loads(path.read_text(encoding="utf-8")) for path in stock_files()]
    phrases = tuple(_plain(phrase) for one in lists for phrase in one["phrases"])
    return phrases, tuple(_plain(opening) + " " for one in lists for opening in one["openings"])


def _is_stock(plain: str) -> bool:
    phrases, openings = _stock()
    return plain.startswith(openings) or process.extractOne(plain, phrases, scorer=fuzz.ratio, score_cutoff=_LIKENESS) is not None


def _plain(text: str) -> str:
    """Letters and digits in lower case, single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))
