"""Passages that share a window, and the words that come out of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stages.engines.speech_recogniser import HeardSegment, HeardWord
from stages.packing import Window, packed, taken_apart
from stages.voice import LONGEST_MS, Passage

FIRST, SECOND = Passage(10_000, 13_000), Passage(60_000, 64_000)
PAIR = Window((FIRST, SECOND))


def segment(*words: HeardWord, start: float = 0.0, end: float = 7.0) -> HeardSegment:
    return HeardSegment("".join(word.text for word in words), start, end, words, -0.2, 0.0, 3.0)


def test_neighbours_share_a_window_as_long_as_they_fit_and_none_is_lost_or_torn() -> None:
    passages = [Passage(start, start + 9_000) for start in range(0, 100_000, 12_000)] + [Passage(200_000, 200_000 + LONGEST_MS)]
    windows = list(packed(passages))
    assert [part for window in windows for part in window.parts] == passages
    assert max(window.length_ms for window in windows) <= LONGEST_MS
    assert [len(window.parts) for window in windows] == [3, 3, 3, 1]
    assert list(packed([])) == []


def test_each_word_goes_to_the_passage_that_holds_its_middle_in_that_passages_seconds() -> None:
    said = segment(HeardWord(" um", 0.5, 1.0, 0.9), HeardWord(" dois", 2.6, 3.1, 0.9), HeardWord(" três", 2.9, 3.6, 0.9))
    (first,), (second,) = taken_apart([said], PAIR)
    assert (first.text, second.text) == (" um dois", " três")
    assert [(word.start, word.end) for word in first.words] == [(0.5, 1.0), (2.6, 3.0)]
    assert [(word.start, word.end) for word in second.words] == [(0.0, pytest.approx(0.6))]
    assert (second.start, second.end) == (0.0, 4.0)


def test_a_word_without_a_time_stays_with_the_word_before_it() -> None:
    said = segment(HeardWord(" em", 0.5, 1.0, 0.9), HeardWord(" 2014", None, None, 0.5), HeardWord(" sim", 4.0, 4.5, 0.9))
    (first,), (second,) = taken_apart([said], PAIR)
    assert [word.text for word in first.words] == [" em", " 2014"]
    assert first.words[1].start is None
    assert [word.text for word in second.words] == [" sim"]


@pytest.mark.parametrize(
    "wrong",
    [
        segment(HeardWord(" ah", 6.5, 9.0, 0.9), end=9.0),
        segment(HeardWord(" ah", -1.0, 0.5, 0.9)),
        segment(HeardWord(" ah", 5.0, 4.0, 0.9)),
        replace(segment(HeardWord(" ah", 1.0, 2.0, 0.9)), start=5.0, end=1.0),
    ],
    ids=["after the end", "before the start", "word backwards", "segment backwards"],
)
def test_impossible_times_stay_impossible(wrong: HeardSegment) -> None:
    pieces = [(piece, part) for part, heard in zip(PAIR.parts, taken_apart([wrong], PAIR), strict=True) for piece in heard]
    ((piece, part),) = pieces
    bounds = [(piece.start, piece.end), *((word.start, word.end) for word in piece.words)]
    assert any(start is None or end is None or not 0 <= start <= end <= part.length_ms / 1000 for start, end in bounds)


def test_what_is_repeated_from_passage_to_passage_is_no_repetition_within_one() -> None:
    said = "siga as instruções que vai ouvir agora, por favor"
    both = segment(HeardWord(f" {said}", 0.5, 2.5, 0.9), HeardWord(f" {said}", 3.5, 6.5, 0.9))
    (first,), (second,) = taken_apart([both], PAIR)
    assert both.compression_ratio == 3.0
    assert first.compression_ratio == second.compression_ratio < 1.2
