"""Whatever a recogniser says about time, no evidence lies outside the sound: it is inside, or it is refused and counted."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stages.engines.speech_recogniser import HeardSegment, HeardWord
from stages.instant import Timeline
from stages.speech_guards import judge
from stages.voice import FRAME_MS, LEVEL_MS, Activity, Passage

DURATION_MS = 9_000
PASSAGE = Passage(2_000, 6_500)

times = st.one_of(st.none(), st.floats(0, 4.5), st.floats(-2, 7), st.floats())
texts = st.sampled_from([" um", " dois.", " 35", "。", " £13.60", " Sr.", "", " "])
heard_words = st.builds(HeardWord, texts, times, times, st.floats(0, 1))
heard_segments = st.builds(
    HeardSegment,
    st.sampled_from(["um dois.", "", "Thanks for watching!", "a a a a a a a a"]),
    st.one_of(st.floats(0, 4.5), st.floats()),
    st.one_of(st.floats(0, 5), st.floats()),
    st.lists(heard_words, max_size=5).map(tuple),
    st.floats(-3, 0),
    st.floats(0, 1),
    st.floats(0, 9),
)
voices = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40).map(
    lambda few: np.resize(np.array(few, np.float32), -(-DURATION_MS // FRAME_MS))
)


@given(st.lists(heard_segments, max_size=6), voices)
def test_every_sentence_lies_inside_what_was_heard(heard: list[HeardSegment], voice: NDArray[np.float32]) -> None:
    level = np.resize(voice, DURATION_MS // LEVEL_MS)
    reading = judge(heard, PASSAGE, Activity(voice, level, DURATION_MS), Timeline(DURATION_MS))
    spoken = [segment for segment in heard if any(map(str.isalnum, "".join(word.text for word in segment.words) or segment.text))]
    assert len(reading.refused) <= len(heard)
    assert reading.sentences or reading.refused or not spoken
    for sentence in reading.sentences:
        assert PASSAGE.start_ms <= sentence.start_ms <= sentence.end_ms <= PASSAGE.end_ms
        for word in sentence.words:
            assert PASSAGE.start_ms <= word.span.start.ms <= word.span.end.ms <= PASSAGE.end_ms
