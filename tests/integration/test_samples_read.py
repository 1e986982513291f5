"""The reading held against the samples' ground truth, which comes from drawing and synthesis, not from a recogniser."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from stages.evidence import Channel, EvidenceSet
from stages.ingest import ingest
from stages.models import is_present
from stages.screen import read_screen
from stages.settings import Settings
from stages.speech import read_speech
from stages.store import StageStore
from stages.words import fold, tokens

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples"
TRUTH: list[dict[str, Any]] = json.loads((SAMPLES / "ground_truth.json").read_text(encoding="utf-8"))["videos"]
TWO_FRAMES = 2
WORD_START_MS = 300
WORDS_HEARD = 0.85
"""Share of the words said that the recogniser must write for their times to mean anything."""


@dataclass(frozen=True)
class Read:
    truth: dict[str, Any]
    screen: EvidenceSet
    speech: EvidenceSet


@pytest.fixture(scope="module", params=TRUTH, ids=lambda truth: truth["file"])
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Read:
    if not is_present("whisper-base"):
        pytest.skip("whisper-base is not in the model store (frame-oracle models get whisper-base)")
    folder = tmp_path_factory.mktemp("samples")
    settings, store = Settings(out=folder), StageStore(folder / "cache")
    video = ingest(SAMPLES / request.param["file"], "sample", settings, store)
    return Read(request.param, read_screen(video, settings, store), read_speech(video, settings, store))


def test_every_text_is_found_from_its_first_frame(sample: Read) -> None:
    frame_ms = 1000 / sample.truth["fps"]
    missing, late = [], []
    for text in sample.truth["screen"]:
        same = [item for item in sample.screen if fold(item.text) == fold(text["text"])]
        if not same:
            missing.append(text["text"])
            continue
        error = min(abs(item.span.start.ms - text["first_ms"]) for item in same) / frame_ms
        if error > TWO_FRAMES:
            late.append((text["text"], error))
    assert not missing
    assert not late


def test_nothing_is_read_that_is_not_there(sample: Read) -> None:
    drawn = {fold(text["text"]) for text in sample.truth["screen"]}
    assert [item.text for item in sample.screen if item.quotable and fold(item.text) not in drawn] == []


def test_every_text_is_shown_where_its_link_opens(sample: Read) -> None:
    for item in (item for item in sample.screen if item.quotable):
        spans = [
            (t["first_ms"], t["last_ms"] + 1000 / sample.truth["fps"]) for t in sample.truth["screen"] if fold(t["text"]) == fold(item.text)
        ]
        assert any(start <= item.instant.ms < end for start, end in spans), item.text


def test_words_start_where_they_are_said(sample: Read) -> None:
    if not sample.truth["audio"]:
        assert sample.speech.coverage[Channel.FALA].reason == "no_audio_track"
        return
    said = [(tokens(word["text"])[0], word["start_ms"]) for line in sample.truth["speech"] for word in line["words"]]
    heard = [(token, word.span.start.ms) for item in sample.speech for word in item.words for token in tokens(word.text)[:1]]
    matcher = SequenceMatcher(a=[word for word, _ in said], b=[word for word, _ in heard], autojunk=False)
    errors = [abs(said[a + n][1] - heard[b + n][1]) for a, b, size in matcher.get_matching_blocks() for n in range(size)]
    assert len(errors) >= WORDS_HEARD * len(said)
    assert statistics.median(errors) <= WORD_START_MS / 2
    assert max(errors) <= WORD_START_MS


def test_the_quantity_said_once_is_kept() -> None:
    recipe = next(truth for truth in TRUTH if truth["file"] == "receita.mp4")
    assert not [text for text in recipe["screen"] if "500" in text["text"] or "quinhentos" in text["text"]]
    assert sum("quinhentos gramas" in line["text"] for line in recipe["speech"]) == 1
