"""The second lock: a time that the video cannot contain gets no address."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import pytest

from stages.instant import Instant, OutsideTimeline, Span, Timeline, clock


@pytest.mark.parametrize("seconds", [0, 0.0, 7, 7.4, 7.5])
def test_a_time_inside_or_rounded_past_the_end_is_placed(seconds: float) -> None:
    assert Timeline.of_seconds(7).instant_at(seconds).ms == round(seconds * 1000)


@pytest.mark.parametrize("seconds", [40, 7.6, 7.5011, -0.1, -1e-9, math.nan, math.inf, -math.inf, None, "5", True, [1]])
def test_any_other_time_is_refused_and_never_clamped(seconds: object) -> None:
    with pytest.raises(OutsideTimeline):
        Timeline.of_seconds(7).instant_at(seconds)  # type: ignore[arg-type]


def test_nobody_but_a_timeline_makes_an_instant() -> None:
    placed = Timeline(1000).instant(10)
    with pytest.raises(TypeError):
        Instant(10)
    with pytest.raises(TypeError):
        dataclasses.replace(placed, ms=10**9)
    with pytest.raises(dataclasses.FrozenInstanceError):
        placed.ms = 10**9  # type: ignore[misc]


def test_an_instant_survives_a_process_border() -> None:
    placed = Timeline(1000).instant(10)
    assert pickle.loads(pickle.dumps(placed)) == placed == copy.deepcopy(placed)


@pytest.mark.parametrize("duration", [-1, 1.5, True, "7"])
def test_a_duration_is_whole_milliseconds(duration: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        Timeline(duration)  # type: ignore[arg-type]


def test_a_span_may_be_a_point_and_never_runs_backwards() -> None:
    timeline = Timeline(1000)
    assert timeline.span(5, 5).length_ms == 0
    with pytest.raises(OutsideTimeline):
        timeline.span(6, 5)
    with pytest.raises(OutsideTimeline):
        Span(timeline.instant(6), timeline.instant(5))


@pytest.mark.parametrize(
    ("seconds", "label"),
    [
        (0.9995, "00:00:01.000"),  # 999.5 ms rounds to the even 1000
        (1.9996, "00:00:02.000"),
        (59.9996, "00:01:00.000"),
        (75.1 - 15.1, "00:01:00.000"),
        (3599.9999, "01:00:00.000"),
        (359999.9999, "100:00:00.000"),
        (3856, "01:04:16.000"),  # the hour is never dropped
    ],
)
def test_a_label_rounds_once_and_then_splits(seconds: float, label: str) -> None:
    assert clock(Timeline.of_seconds(400_000).instant_at(seconds).ms) == label
