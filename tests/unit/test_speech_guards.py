"""A recogniser that fails in exactly one way, and what the speech stage makes of it.

The sound is noise in a file; the stub says where the voice is and what it hears. Nothing of the project is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from stages.audio import Sound
from stages.engines.speech_recogniser import (
    BATCH,
    SAMPLE_RATE,
    VOICE_FRAME,
    HeardSegment,
    HeardWord,
    RecognitionFailed,
    Samples,
)
from stages.evidence import Channel, Coverage, CoverageState, EvidenceSet
from stages.instant import Timeline
from stages.speech import hear
from stages.speech_guards import stock_files
from stages.video import AudioTrack, Video

Transcribe = Callable[[Samples, str, bool], Sequence[HeardSegment]]
LEAD_MS = 192
"""What a passage holds before its first voiced frame; the stub's times count from there."""


@dataclass
class Stub:
    """Hears a voice in `voiced` (seconds) and in it what `heard` says."""

    heard: Transcribe
    voiced: Sequence[tuple[float, float]]
    spoken: Callable[[Samples], Mapping[str, float]] = lambda samples: {"pt": 0.97, "es": 0.02}
    calls: list[tuple[float, str, bool]] = field(default_factory=list)
    """Length in seconds, language and `again` of each passage that was to be transcribed."""
    name: str = "stub 1"
    model: str = "none"

    def voice(self, samples: Samples) -> NDArray[np.float32]:
        frames = np.zeros(-(-len(samples) // VOICE_FRAME), np.float32)
        for start, end in self.voiced:
            frames[round(start * SAMPLE_RATE / VOICE_FRAME) : round(end * SAMPLE_RATE / VOICE_FRAME)] = 0.95
        return frames

    def languages(self, batch: Sequence[Samples]) -> Sequence[Mapping[str, float]]:
        return [self.spoken(samples) for samples in batch]

    def transcribe(self, batch: Sequence[Samples], languages: Sequence[str]) -> Sequence[Sequence[HeardSegment]]:
        assert len(batch) <= BATCH
        self.calls += [(len(samples) / SAMPLE_RATE, language, False) for samples, language in zip(batch, languages, strict=True)]
        return [self.heard(samples, language, False) for samples, language in zip(batch, languages, strict=True)]

    def transcribe_again(self, samples: Samples, language: str) -> Sequence[HeardSegment]:
        self.calls.append((len(samples) / SAMPLE_RATE, language, True))
        return self.heard(samples, language, True)


def words(text: str, start: float, end: float, prob: float = 0.9) -> tuple[HeardWord, ...]:
    parts = text.split()
    step = (end - start) / len(parts)
    return tuple(HeardWord(f" {part}", start + n * step, start + (n + 1) * step, prob) for n, part in enumerate(parts))


def segment(text: str, start: float, end: float, prob: float = 0.9) -> HeardSegment:
    return HeardSegment(text, start, end, words(text, start, end, prob), avg_logprob=-0.2, no_speech_prob=0.02, compression_ratio=1.2)


def saying(*segments: HeardSegment) -> Transcribe:
    return lambda samples, language, again: segments


@pytest.fixture
def noise(tmp_path: Path) -> Callable[..., Sound]:
    def make(seconds: float, level: float = 0.1) -> Sound:
        samples = np.random.default_rng(5).normal(0, level * 32767, round(seconds * SAMPLE_RATE)).clip(-32768, 32767)
        path = tmp_path / "sound.s16"
        path.write_bytes(samples.astype(np.int16).tobytes())
        return Sound(path)

    return make


def video(duration_ms: int) -> Video:
    nowhere = Path("/nowhere.mp4")
    track = AudioTrack(index=0, count=1, language="", codec="aac")
    return Video("ab" * 32, nowhere, "v.mp4", "v", nowhere, "cd" * 32, Timeline(duration_ms), 0, 0, 0.0, track, "", False)


def listen(stub: Stub, sound: Sound, language: str = "") -> tuple[EvidenceSet, Coverage]:
    evidence = hear(video(sound.duration_ms), sound, stub, language)
    return evidence, evidence.coverage[Channel.FALA]


def test_speech_is_evidence_with_words_on_the_timeline_of_the_video(noise: Callable[..., Sound]) -> None:
    evidence, coverage = listen(Stub(saying(segment("Use meio quilo de farinha.", 0.2, 2.2)), [(3, 6)]), noise(8))
    (item,) = evidence
    passage_ms = 3008 - LEAD_MS
    assert (item.id, item.text, item.language, item.trusted) == ("F-000001", "Use meio quilo de farinha.", "pt", True)
    assert [word.text for word in item.words] == ["Use", "meio", "quilo", "de", "farinha."]
    assert item.instant == item.words[0].span.start == item.span.start
    assert passage_ms + 200 <= item.instant.ms <= passage_ms + 400
    assert item.span.end.ms == passage_ms + 2200
    assert coverage == Coverage(Channel.FALA, CoverageState.COMPLETE, detail="1 voiced passages, 1 sentences; 3.5 s in pt")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (segment("Nada disto foi dito.", 2.0, 7.5), "of sound"),
        (replace(segment("Nada disto foi dito.", 1.0, 2.0), start=2.0, end=1.0), "runs from 2 s to 1 s"),
        (replace(segment("Nada", 1.0, 2.0), words=(HeardWord(" Nada", 2.0, 1.0, 0.9),)), "'Nada' runs from 2 s to 1 s"),
        (replace(segment("Nada", 1.0, 2.0), words=(HeardWord(" Nada", -0.5, 1.0, 0.9),)), "'Nada' runs from -0.5 s"),
        (replace(segment("Nada", 1.0, 2.0), words=(HeardWord(" Nada", float("nan"), 1.0, 0.9),)), "'Nada' runs from nan s"),
        (replace(segment("Nada", 1.0, 2.0), words=(HeardWord(" Nada", 1.0, float("inf"), 0.9),)), "'Nada' runs to inf s"),
    ],
    ids=["after the end", "segment backwards", "word backwards", "before the start", "nan", "infinity"],
)
def test_an_impossible_time_is_refused_counted_and_never_moved(noise: Callable[..., Sound], wrong: HeardSegment, why: str) -> None:
    evidence, coverage = listen(Stub(saying(segment("Isto foi dito.", 0.5, 1.5), wrong), [(0, 2)]), noise(2))
    assert [item.text for item in evidence] == ["Isto foi dito."]
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "impossible_times")
    assert [(span.start.ms, span.end.ms) for span in coverage.unread] == [(0, 2000)]
    assert "1 refused" in coverage.detail
    assert why in coverage.detail


def test_a_passage_with_impossible_times_is_read_once_more(noise: Callable[..., Sound]) -> None:
    good, bad = segment("Sem glúten, sem leite.", 0.5, 3.5), segment("Sem glúten, sem leite.", 2.0, 9.0)
    stub = Stub(lambda samples, language, again: [good if again else bad], [(0, 4)])
    evidence, coverage = listen(stub, noise(5))
    assert [again for _, _, again in stub.calls] == [False, True]
    assert [item.text for item in evidence] == ["Sem glúten, sem leite."]
    assert coverage.complete


def test_a_word_that_ends_late_by_rounding_ends_where_the_voice_does(noise: Callable[..., Sound]) -> None:
    late = replace(segment("Adeus", 1.0, 2.3), words=(HeardWord(" Adeus", 1.0, 2.3, 0.9),))
    evidence, coverage = listen(Stub(saying(late), [(0, 2)]), noise(2))
    assert coverage.complete
    assert evidence.items[0].span.end.ms <= 2000


def test_a_loop_is_read_again_and_the_second_reading_kept(noise: Callable[..., Sound]) -> None:
    loop = [segment("Vamos ver isso agora.", n / 5, n / 5 + 0.2) for n in range(20)]
    said = "Asse por 35 minutos e deixe esfriar antes de cortar."
    stub = Stub(lambda samples, language, again: [segment(said, 0.0, 4.0)] if again else loop, [(0, 4)])
    evidence, coverage = listen(stub, noise(20))
    assert [(item.text, item.trusted) for item in evidence] == [(said, True)]
    assert coverage.complete


@pytest.mark.parametrize(
    "loop",
    [
        [segment("Vamos ver isso agora.", n, n + 1) for n in range(20)],
        [segment("Obrigado. " * 20, 0, 20)],
        [segment(text, n, n + 1) for n, text in enumerate(["Vamos ver.", "Está bem assim."] * 10)],
        [replace(segment(text, n, n + 1), words=()) for n, text in enumerate(["それでは見てみましょう"] * 20)],
    ],
    ids=["sentence", "within a segment", "two in turn", "no spaces"],
)
def test_a_loop_that_stays_is_kept_distrusted_and_its_span_is_unread(noise: Callable[..., Sound], loop: list[HeardSegment]) -> None:
    evidence, coverage = listen(Stub(saying(*loop), [(0, 20)]), noise(20))
    assert evidence.items
    assert {item.distrust_reason for item in evidence} == {"loop"}
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "unintelligible")
    assert [(span.start.ms, span.end.ms) for span in coverage.unread] == [(0, 20000)]


def test_what_people_repeat_is_no_loop(noise: Callable[..., Sound]) -> None:
    said = segment("Não, não, não, não! Mexa, mexa, mexa bem, uma, duas, três vezes, e de novo uma, duas, três vezes.", 0, 8)
    evidence, _ = listen(Stub(saying(said), [(0, 8)]), noise(8))
    assert all(item.trusted for item in evidence)


def test_a_number_without_a_time_takes_the_bounds_of_its_neighbours(noise: Callable[..., Sound]) -> None:
    heard = (
        HeardWord(" Custou", 1.0, 1.5, 0.9),
        HeardWord(" £13.60", None, None, 0.6),
        HeardWord(" em", 2.5, 2.7, 0.9),
        HeardWord(" 2014.", None, None, 0.6),
    )
    said = replace(segment("Custou £13.60 em 2014.", 1.0, 3.5), words=heard)
    evidence, _ = listen(Stub(saying(said), [(0, 4)]), noise(4))
    (item,) = evidence
    assert item.text == "Custou £13.60 em 2014."
    assert [(word.text, word.approximate) for word in item.words] == [("Custou", False), ("£13.60", True), ("em", False), ("2014.", True)]
    assert [(item.words[n].span.start.ms, item.words[n].span.end.ms) for n in (1, 3)] == [(1500, 2500), (2700, 3500)]


def test_a_segment_that_begins_with_a_timeless_word_does_not_begin_at_zero(noise: Callable[..., Sound]) -> None:
    said = replace(segment("2014 foi bom.", 2.0, 3.0), words=(HeardWord(" 2014", None, None, 0.7), *words("foi bom.", 2.4, 3.0)))
    evidence, _ = listen(Stub(saying(said), [(0, 4)]), noise(4))
    assert evidence.items[0].instant.ms == 2000
    assert evidence.items[0].words[0].approximate


def test_words_without_any_time_are_approximate_within_their_segment(noise: Callable[..., Sound]) -> None:
    evidence, _ = listen(Stub(saying(replace(segment("Dois quilos.", 1.0, 2.0), words=())), [(1, 2.6)]), noise(4))
    (item,) = evidence
    assert item.text == "Dois quilos."
    assert {(word.approximate, word.span.start.ms, word.span.end.ms) for word in item.words} == {
        (True, 992 - LEAD_MS + 1000, 992 - LEAD_MS + 2000)
    }


def test_a_time_that_runs_backwards_counts_as_none(noise: Callable[..., Sound]) -> None:
    heard = (HeardWord(" um", 1.0, 1.5, 0.9), HeardWord(" dois", 0.2, 0.4, 0.9), HeardWord(" três", 2.0, 2.5, 0.9))
    evidence, _ = listen(Stub(saying(replace(segment("um dois três", 1.0, 2.5), words=heard)), [(0, 4)]), noise(4))
    backwards = evidence.items[0].words[1]
    assert (backwards.text, backwards.approximate) == ("dois", True)
    assert (backwards.span.start.ms, backwards.span.end.ms) == (1500, 2000)


@pytest.mark.parametrize(
    "phrase",
    ["Legendas pela comunidade Amara.org", "Thanks for watching!", "¡Suscríbete!", "Obrigado por asistir.", "Subtitles by Someone"],
)
def test_a_stock_phrase_carries_no_trust_even_where_somebody_speaks(noise: Callable[..., Sound], phrase: str) -> None:
    evidence, _ = listen(Stub(saying(segment(phrase, 0.5, 1.5)), [(0, 2)]), noise(2))
    assert [(item.text, item.distrust_reason) for item in evidence] == [(phrase, "stock_phrase")]


def test_a_sentence_that_merely_holds_the_words_of_a_stock_phrase_is_trusted(noise: Callable[..., Sound]) -> None:
    evidence, _ = listen(Stub(saying(segment("She got no thanks for watching the kids all night.", 0.5, 3.5)), [(0, 4)]), noise(4))
    assert evidence.items[0].trusted


def test_a_stock_phrase_on_digital_silence_is_on_silence(noise: Callable[..., Sound]) -> None:
    sound = noise(8, level=0.0)
    evidence, coverage = listen(Stub(saying(segment("Thanks for watching!", 0.2, 1.2)), [(0, 1.5)]), sound)
    assert [item.distrust_reason for item in evidence] == ["on_silence"]
    assert coverage.reason == "silent"


def test_words_where_the_detector_hears_nobody_are_on_silence(noise: Callable[..., Sound]) -> None:
    def between(samples: Samples, language: str, again: bool) -> Sequence[HeardSegment]:
        return [segment("Pausa.", 2.8, 3.2)] if len(samples) > 6 * SAMPLE_RATE else []

    quiet = Stub(between, [(0.2, 2.2), (4.0, 6)])
    assert [item.distrust_reason for item in listen(quiet, noise(7))[0]] == ["on_silence"]


@pytest.mark.parametrize(
    ("doubtful", "reason"),
    [
        (replace(segment("Talvez isto.", 0.5, 1.5), avg_logprob=-1.3), "low_probability"),
        (segment("Talvez isto.", 0.5, 1.5, prob=0.2), "low_probability"),
        (replace(segment("Talvez isto.", 0.5, 1.5), compression_ratio=2.9), "compression"),
        (replace(segment("Talvez isto.", 0.5, 1.5), no_speech_prob=0.8, avg_logprob=-0.7), "on_silence"),
    ],
    ids=["log-probability", "word probability", "compression", "no speech"],
)
def test_what_the_engine_itself_doubts_is_kept_with_the_reason(noise: Callable[..., Sound], doubtful: HeardSegment, reason: str) -> None:
    evidence, coverage = listen(Stub(saying(doubtful), [(0.3, 1.7)]), noise(2))
    assert [item.distrust_reason for item in evidence] == [reason]
    assert coverage.reason == "no_speech"


def test_evidence_is_one_sentence_whatever_the_engine_took_for_a_segment(noise: Callable[..., Sound]) -> None:
    first, second = segment("O Sr. Silva usou 1.5 kg. Depois assou por", 0, 4), segment("trinta minutos. ¿Y ahora qué?", 4, 7)
    evidence, _ = listen(Stub(saying(first, second), [(0, 7)]), noise(7))
    assert [item.text for item in evidence] == ["O Sr. Silva usou 1.5 kg.", "Depois assou por trinta minutos.", "¿Y ahora qué?"]


def test_a_long_sentence_without_punctuation_is_cut_at_its_longest_pauses(noise: Callable[..., Sound]) -> None:
    talk = "e então a gente mexe devagar " * 9
    heard = words(talk, 0, 12) + words(talk, 12.9, 25)
    evidence, _ = listen(Stub(saying(replace(segment(talk + talk, 0, 25), words=heard)), [(0, 25)]), noise(25))
    assert [item.text for item in evidence] == [talk.strip(), talk.strip()]
    assert max(item.span.length_ms for item in evidence) <= 20_000


def test_one_passage_that_breaks_the_engine_leaves_the_others_heard(noise: Callable[..., Sound]) -> None:
    def breaks_on_the_long_one(samples: Samples, language: str, again: bool) -> Sequence[HeardSegment]:
        if len(samples) > 5 * SAMPLE_RATE:
            raise RecognitionFailed("stub 1: out of memory.")
        return [segment("Tudo bem aqui.", 0.2, 2.2)]

    evidence, coverage = listen(Stub(breaks_on_the_long_one, [(1, 3), (8, 15)]), noise(16))
    assert [item.text for item in evidence] == ["Tudo bem aqui."]
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "engine_failed")
    (unread,) = coverage.unread
    assert unread.start.ms <= 8000 <= 15000 <= unread.end.ms
    assert "out of memory" in coverage.detail


def test_an_engine_that_always_breaks_is_a_failed_channel(noise: Callable[..., Sound]) -> None:
    def breaks(samples: Samples, language: str, again: bool) -> Sequence[HeardSegment]:
        raise RecognitionFailed("stub 1: the device is lost.")

    evidence, coverage = listen(Stub(breaks, [(1, 3)]), noise(5))
    assert not evidence.items
    assert (coverage.state, coverage.reason) == (CoverageState.FAILED, "engine_failed")
    assert coverage.unread


def test_a_voice_of_which_nothing_was_written_is_heard_once_more_alone(noise: Callable[..., Sound]) -> None:
    def stops_early(samples: Samples, language: str, again: bool) -> Sequence[HeardSegment]:
        return [segment("The first half.", 0.2, 3)] if len(samples) > 6 * SAMPLE_RATE else [segment("Die zweite Hälfte.", 0.3, 3.2)]

    def spoken(samples: Samples) -> Mapping[str, float]:
        return {"en": 0.95} if len(samples) > 6 * SAMPLE_RATE else {"de": 0.95}

    evidence, coverage = listen(Stub(stops_early, [(0, 3.2), (4.5, 8)], spoken), noise(8))
    assert [(item.text, item.language) for item in evidence] == [("The first half.", "en"), ("Die zweite Hälfte.", "de")]
    assert coverage.complete


def test_a_voice_of_which_nothing_comes_is_unread(noise: Callable[..., Sound]) -> None:
    _, coverage = listen(Stub(saying(), [(1, 5)]), noise(8))
    assert (coverage.state, coverage.reason) == (CoverageState.PARTIAL, "unintelligible")


def test_silence_noise_and_an_empty_track_are_facts_of_coverage(noise: Callable[..., Sound]) -> None:
    nobody = Stub(saying(segment("Nunca.", 0, 1)), [])
    assert listen(nobody, noise(3, level=0.0))[1].reason == "silent"
    assert listen(nobody, noise(3))[1].reason == "no_speech"
    empty = listen(nobody, noise(0))[1]
    assert (empty.state, empty.reason) == (CoverageState.FAILED, "decode_error")
    assert not nobody.calls


def test_the_language_is_voted_by_what_is_voiced_and_a_short_passage_does_not_dissent(noise: Callable[..., Sound]) -> None:
    def spoken(samples: Samples) -> Mapping[str, float]:
        return {"cy": 0.99, "pt": 0.01} if len(samples) < 2 * SAMPLE_RATE else {"pt": 0.7, "gl": 0.3}

    stub = Stub(saying(segment("Ok.", 0.3, 0.8)), [(1, 2), (6, 12), (16, 22)], spoken)
    evidence, _ = listen(stub, noise(24))
    assert {item.language for item in evidence} == {"pt"}
    assert {language for _, language, _ in stub.calls} == {"pt"}


@pytest.mark.parametrize(
    ("claimed", "likely", "language", "reason"),
    [
        ("", {"ru": 0.33, "nl": 0.13, "pt": 0.08}, "ru", "language_unclear"),
        ("por", {"ru": 0.33, "nl": 0.13, "pt": 0.08}, "pt", ""),
        ("", {"en": 0.91, "de": 0.01}, "en", ""),
    ],
    ids=["unclear", "claimed by the file", "clear"],
)
def test_a_single_word_alone_does_not_choose_a_language_that_is_not_clear(
    noise: Callable[..., Sound], claimed: str, likely: Mapping[str, float], language: str, reason: str
) -> None:
    sound = noise(2)
    track = AudioTrack(index=0, count=1, language=claimed, codec="aac")
    stub = Stub(saying(segment("Boca.", 0.3, 0.7)), [(0.5, 1.2)], lambda samples: likely)
    (item,) = hear(replace(video(sound.duration_ms), audio=track), sound, stub)
    assert (item.language, item.distrust_reason) == (language, reason)


@pytest.mark.parametrize("confidence", [0.9, 0.4])
def test_a_passage_that_shares_a_window_with_another_language_keeps_its_own(noise: Callable[..., Sound], confidence: float) -> None:
    """Together they sound Portuguese; the second, alone, is Spanish, which the first reading either does not notice or writes badly."""

    def spoken(samples: Samples) -> Mapping[str, float]:
        together = len(samples) > 7 * SAMPLE_RATE
        return (
            {"pt": 0.6 if confidence > 0.5 else 0.95, "es": 0.05}
            if together
            else ({"es": 0.97} if len(samples) > 4 * SAMPLE_RATE else {"pt": 0.97})
        )

    def says(samples: Samples, language: str, again: bool) -> Sequence[HeardSegment]:
        if len(samples) > 7 * SAMPLE_RATE:
            return [segment("Bom dia a todos.", 0.3, 2.5), segment("Esto es en espanhol.", 4.0, 7.5, prob=confidence)]
        return [segment("Esto es en español." if language == "es" else "Bom dia a todos.", 0.3, 3, prob=0.95)]

    evidence, _ = listen(Stub(says, [(1, 4), (9, 13)], spoken), noise(14))
    assert [(item.text, item.language) for item in evidence] == [("Bom dia a todos.", "pt"), ("Esto es en español.", "es")]


def test_a_forced_language_is_not_detected(noise: Callable[..., Sound]) -> None:
    def never(samples: Samples) -> Mapping[str, float]:
        raise AssertionError("the language was given")

    evidence, _ = listen(Stub(saying(segment("Boa tarde.", 0.5, 2)), [(0, 3)], never), noise(3), language="pt-BR")
    assert [item.language for item in evidence] == ["pt-BR"]


def test_a_long_talk_is_heard_in_passages_that_the_engine_can_take(noise: Callable[..., Sound]) -> None:
    stub = Stub(saying(segment("Aula.", 1, 2)), [(0, 95)])
    listen(stub, noise(95))
    lengths = [length for length, _, _ in stub.calls[:4]]
    assert max(length for length, _, _ in stub.calls) <= 28.0
    assert sum(lengths) > 55


def test_every_list_of_stock_phrases_is_well_formed() -> None:
    import tomllib

    assert {"pt.toml", "es.toml", "en.toml"} <= {path.name for path in stock_files()}
    for path in stock_files():
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        assert set(content) == {"phrases", "openings"}, path.name
        assert all(isinstance(phrase, str) and phrase.strip() for phrase in content["phrases"] + content["openings"]), path.name
