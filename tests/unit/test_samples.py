"""The samples and their ground truth belong together: a truth that does not fit its video would fail honest code or pass broken code."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from stages.brief import load_brief

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "data" / "samples"
SCENES = ROOT / "scripts" / "samples" / "scenes"
TRUTH: dict[str, Any] = json.loads((SAMPLES / "ground_truth.json").read_text(encoding="utf-8"))
VIDEOS: list[dict[str, Any]] = TRUTH["videos"]
MOST_BYTES = 6_000_000

per_video = pytest.mark.parametrize("video", VIDEOS, ids=[video["file"] for video in VIDEOS])


def _probe(path: Path) -> dict[str, Any]:
    command = ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", f"file:{path}"]
    found = subprocess.run(command, capture_output=True, check=True, timeout=60)
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


def _passages(video: dict[str, Any]) -> dict[str, set[str]]:
    return {"tela": {text["text"] for text in video["screen"]}, "fala": {sentence["text"] for sentence in video["speech"]}}


def test_the_schema_is_the_one_that_is_documented() -> None:
    assert TRUTH["schema"] == "frame-oracle/ground-truth/1"
    assert TRUTH["schema"] in (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert TRUTH["method"]["speech"]["tolerance_ms"] > 0


def test_the_samples_stay_small_and_cover_three_languages() -> None:
    files = {path.name: path.stat().st_size for path in SAMPLES.glob("*.mp4")}
    assert set(files) == {video["file"] for video in VIDEOS}
    assert sum(files.values()) < MOST_BYTES
    assert {video["language"] for video in VIDEOS} == {"pt", "es", "en"}


@per_video
def test_the_file_is_the_one_that_the_truth_describes(video: dict[str, Any]) -> None:
    path = SAMPLES / video["file"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == video["sha256"]
    probed = _probe(path)
    streams = {stream["codec_type"]: stream for stream in probed["streams"]}
    picture = streams["video"]
    assert picture["avg_frame_rate"] == f"{video['fps']}/1"
    assert (picture["width"], picture["height"]) == (video["width"], video["height"])
    assert int(picture["nb_frames"]) == video["frames"]
    assert float(probed["format"]["start_time"]) == 0
    assert float(probed["format"]["duration"]) * 1000 == pytest.approx(video["duration_ms"], abs=1)
    assert ("audio" in streams) == video["audio"] == bool(video["speech"])


@per_video
def test_every_text_lies_within_the_video_and_the_picture(video: dict[str, Any]) -> None:
    frame_ms = 1000 // video["fps"]
    for text in video["screen"]:
        assert text["text"].strip()
        assert 0 <= text["first_frame"] <= text["last_frame"] < video["frames"]
        assert (text["first_ms"], text["last_ms"]) == (text["first_frame"] * frame_ms, text["last_frame"] * frame_ms)
        x0, y0, x1, y1 = text["box"]
        assert 0 <= x0 < x1 <= 1, text["text"]
        assert 0 <= y0 < y1 <= 1, text["text"]


@per_video
def test_slides_follow_each_other_without_a_hole(video: dict[str, Any]) -> None:
    expected = 0
    for slide in video["slides"]:
        assert slide["first_frame"] == expected <= slide["last_frame"]
        expected = slide["last_frame"] + 1
    assert expected == video["frames"]


@per_video
def test_words_run_forward_within_their_sentence_and_the_video(video: dict[str, Any]) -> None:
    now = 0
    for sentence in video["speech"]:
        assert (sentence["start_ms"], sentence["end_ms"]) == (sentence["words"][0]["start_ms"], sentence["words"][-1]["end_ms"])
        assert [word["text"] for word in sentence["words"]] == [word.strip("¿¡,.;:!?") for word in sentence["text"].split()]
        for word in sentence["words"]:
            assert now <= word["start_ms"] < word["end_ms"]
            now = word["end_ms"]
    assert now <= video["duration_ms"]


@per_video
def test_the_truth_was_made_from_the_scene_that_stands_beside_the_script(video: dict[str, Any]) -> None:
    scene = tomllib.loads((SCENES / video["file"]).with_suffix(".toml").read_text(encoding="utf-8"))
    assert [sentence["text"] for sentence in video["speech"]] == [line for slide in scene["slides"] for line in slide.get("narration", [])]
    assert [question["question"] for question in video["questions"]] == [question["question"] for question in scene["questions"]]
    drawn = [text for slide in scene["slides"] for text in (slide["title"], slide["caption"], *slide.get("body", []))]
    assert set(drawn) <= _passages(video)["tela"]


@per_video
def test_a_third_of_the_questions_have_no_answer_and_the_others_quote_it(video: dict[str, Any]) -> None:
    questions = video["questions"]
    open_questions = [question for question in questions if not question["answerable"]]
    assert len(questions) >= 6
    assert 3 * len(open_questions) >= len(questions)
    passages = _passages(video)
    for question in questions:
        if question["answerable"]:
            assert question["evidence_text"] in passages[question["base"]]
            assert set(question["also"]) <= passages["tela"] | passages["fala"]
        else:
            assert (question["base"], question["evidence_text"], question["values"]) == (None, None, [])


@per_video
def test_contradictions_quote_both_channels(video: dict[str, Any]) -> None:
    passages = _passages(video)
    for contradiction in video["contradictions"]:
        assert contradiction["tela"] in passages["tela"]
        assert contradiction["fala"] in passages["fala"]


def test_the_quantity_of_the_recipe_is_said_once_and_shown_never() -> None:
    (recipe,) = [video for video in VIDEOS if video["file"] == "receita.mp4"]
    assert " ".join(_passages(recipe)["fala"]).count("quinhentos gramas") == 1
    assert not [text for text in _passages(recipe)["tela"] if "500" in text or "quinhentos" in text]


def test_two_notes_are_fleeting() -> None:
    lengths = [text["last_frame"] - text["first_frame"] + 1 for video in VIDEOS for text in video["screen"] if text["kind"] == "toast"]
    assert sorted(lengths) == [6, 8]


def test_the_brief_asks_known_questions_of_every_sample() -> None:
    brief = load_brief(SAMPLES / "brief.toml")
    assert brief.unmatched(video["file"] for video in VIDEOS) == ()
    for video in VIDEOS:
        known = {question["question"]: question["answerable"] for question in video["questions"]}
        asked = brief.for_video(video["file"]).questions
        assert len(asked) == 4
        assert sum(not known[question] for question in asked) == 1
