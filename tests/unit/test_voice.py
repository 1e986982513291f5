"""Where somebody speaks: passages of a soundtrack, and a word inside the stretch that it was given."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from stages.audio import Sound
from stages.instant import Timeline
from stages.voice import FRAME_MS, LEVEL_MS, Activity, Passage, loudness


def activity(*voices: tuple[int, int], duration_ms: int = 100_000, level: float = 0.1) -> Activity:
    """A voice in each of `voices`, in ms."""
    voice = np.zeros(-(-duration_ms // FRAME_MS), np.float32)
    for start, end in voices:
        voice[round(start / FRAME_MS) : round(end / FRAME_MS)] = 0.95
    return Activity(voice, np.full(-(-duration_ms // LEVEL_MS), level, np.float32), duration_ms)


def test_short_pauses_join_and_long_ones_part() -> None:
    passages = activity((3200, 4800), (6400, 8000), (16000, 17600)).passages()
    assert [(round(one.start_ms, -2), round(one.end_ms, -2)) for one in passages] == [(3000, 8300), (15800, 17900)]


def test_no_voice_is_no_passage_and_edges_stay_inside() -> None:
    assert activity().passages() == []
    assert activity((0, 5000), duration_ms=5000).passages() == [Passage(0, 5000)]


def test_a_long_voice_is_cut_at_its_faintest_moment_and_loses_nothing() -> None:
    talk = activity((0, 90_000))
    talk.voice[round(20_000 / FRAME_MS) : round(20_500 / FRAME_MS)] = 0.6
    passages = talk.passages()
    assert 20_000 <= passages[0].end_ms <= 20_600
    assert max(one.length_ms for one in passages) <= 28_000
    assert all(first.end_ms == second.start_ms for first, second in pairwise(passages))
    assert passages[0].start_ms == 0
    assert passages[-1].end_ms >= 90_000


def test_what_was_heard_is_taken_out_and_never_joined_over() -> None:
    timeline = Timeline(100_000)
    talk = activity((0, 10_000))
    rest = talk.without([timeline.span(0, 4000), timeline.span(6000, 6100)])
    stretches = rest.unheard(least_ms=500)
    assert len(stretches) == 2
    assert all(one.end_ms <= 6000 or one.start_ms >= 6100 for one in stretches)
    assert talk.unheard(least_ms=500)[0].start_ms == 0
    assert rest.unheard(least_ms=5000) == []


def test_a_word_starts_where_the_pause_before_it_ends() -> None:
    heard = activity((1000, 2000))
    start, end = heard.word_within(200, 2000)
    assert 960 <= start <= 1040
    assert 1960 <= end <= 2000


def test_the_tail_of_the_word_before_the_pause_is_not_the_word() -> None:
    heard = activity((0, 2240), (3328, 4400))
    start, end = heard.word_within(2100, 3700)
    assert abs(start - 3328) <= 30
    assert end == 3700


def test_a_word_after_a_word_starts_where_the_sound_returns_after_a_dip() -> None:
    heard = activity((0, 3000))
    heard.level[60:63] = 0.001
    start, end = heard.word_within(500, 1500)
    assert abs(start - 630) <= 10
    assert end == 1500


def test_a_start_is_moved_to_a_steep_rise_nearby_and_to_no_other() -> None:
    heard = activity((992, 3000), level=0.001)
    heard.level[101:] = 0.1
    assert abs(heard.word_within(600, 2000)[0] - 1010) <= 30
    far, gentle = activity((992, 3000), level=0.001), activity((992, 3000), level=0.01)
    far.level[120:] = 0.1
    gentle.level[:] = 0.01 * 10 ** (np.arange(gentle.level.size) / 1000)
    assert far.word_within(600, 2000) == gentle.word_within(600, 2000)
    assert abs(far.word_within(600, 2000)[0] - 992) <= 40


def test_a_word_without_a_voice_stays_where_it_was_put() -> None:
    assert activity().word_within(500, 1500) == (500, 1500)
    assert activity((0, 900)).word_within(700, 700) == (700, 700)


def test_level_is_root_mean_square() -> None:
    assert np.allclose(loudness(np.full(16_000, 0.5, np.float32)), 0.5)
    assert loudness(np.zeros(5, np.float32)).shape == (1,)


def test_a_sound_is_read_by_stretches_that_cover_it(tmp_path: Path) -> None:
    path = tmp_path / "a.s16"
    path.write_bytes(np.arange(16_000 * 2 + 8, dtype=np.int16).tobytes())
    sound = Sound(path)
    assert sound.duration_ms == 2000
    assert list(sound.blocks(900)) == [(0, 900), (900, 1800), (1800, 2000)]
    assert len(sound.read(1999, 5000)) == 16 + 8
    assert sound.read(10, 11)[0] == np.float32(160 / 32768)
