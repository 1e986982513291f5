"""A few of the generated scenes, read as a run reads them: what `python -m benchmarks.screen_truth` counts holds for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.screen_truth import LEAST_MS, read_clip
from benchmarks.truth.clip import make_clip
from benchmarks.truth.kinds import make_scene
from benchmarks.truth.scene import Edge

FADE_MS = 250
SCROLL_MS = 150
"""A line that moves has no first whole frame to the px: its letters reach less far than its box."""


@pytest.mark.parametrize("kind", ["fade", "scroll"])
def test_every_text_once_and_on_time(kind: str, tmp_path: Path) -> None:
    result = read_clip(make_clip(make_scene(kind, 1), tmp_path), tmp_path)
    assert [text.text for text in result.missed if text.length_ms >= LEAST_MS] == []
    assert [item.text for item in result.not_there + result.repeated] == []
    for found in result.found:
        assert found.digits_right, found
        if found.text.edge is Edge.CUT:
            assert abs(found.first_frames) <= 1, found
        else:
            assert abs(found.first_ms) <= (FADE_MS if found.text.edge is Edge.FADE else SCROLL_MS), found


def test_the_same_seed_is_the_same_clip(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    one, two = (make_clip(make_scene("counter", 3), folder) for folder in folders)
    assert (one.texts, one.times_ms) == (two.texts, two.times_ms)
    assert one.path.read_bytes() == two.path.read_bytes()
