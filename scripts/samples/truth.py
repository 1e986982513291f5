"""The ground truth of the samples as JSON (`frame-oracle/ground-truth/1`)."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.samples.film import FPS, FRAME_MS, Film, Spoken, Visible
from scripts.samples.slides import HEIGHT, WIDTH

__all__ = ["SCHEMA", "ground_truth"]

SCHEMA = "frame-oracle/ground-truth/1"

METHOD = {
    "screen": {
        "obtained": "the frames in which the script drew the text; its box is the ink of the drawn glyphs",
        "tolerance_frames": 0,
    },
    "speech": {
        "obtained": "sums of the phoneme durations that the synthesiser predicts and then renders exactly, trimmed to the sound between"
        " the silences at either side, plus the sentence's place in the track; no recogniser took part",
        "tolerance_ms": 50,
    },
}


def ground_truth(films: list[tuple[Film, Path]]) -> dict[str, Any]:
    """What each encoded film shows and says; times are whole milliseconds of the file, frames count from 0."""
    return {
        "schema": SCHEMA,
        "method": METHOD,
        "videos": [_video(film, path) for film, path in films],
    }


def _video(film: Film, path: Path) -> dict[str, Any]:
    return {
        "file": film.scene.file,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "language": film.scene.language,
        "fps": FPS,
        "width": WIDTH,
        "height": HEIGHT,
        "frames": film.frames,
        "duration_ms": film.frames * FRAME_MS,
        "audio": film.scene.voicing is not None,
        "slides": [{"first_frame": shot.first, "last_frame": shot.first + shot.frames - 1} for shot in film.shots],
        "screen": [_text(visible) for visible in film.screen()],
        "speech": [_sentence(spoken) for spoken in film.speech],
        "questions": [asdict(question) for question in film.scene.questions],
        "contradictions": [asdict(contradiction) for contradiction in film.scene.contradictions],
    }


def _text(visible: Visible) -> dict[str, Any]:
    """`last_ms` is the time of the last frame that shows the text; `box` is x0, y0, x1, y1 in 0..1."""
    x0, y0, x1, y1 = visible.text.box()
    return {
        "text": visible.text.text,
        "kind": visible.text.kind,
        "first_frame": visible.first,
        "last_frame": visible.last,
        "first_ms": visible.first * FRAME_MS,
        "last_ms": visible.last * FRAME_MS,
        "box": [round(x0 / WIDTH, 5), round(y0 / HEIGHT, 5), round(x1 / WIDTH, 5), round(y1 / HEIGHT, 5)],
    }


def _sentence(spoken: Spoken) -> dict[str, Any]:
    words = [
        {"text": word.text, "start_ms": spoken.start_ms + word.start_ms, "end_ms": spoken.start_ms + word.end_ms}
        for word in spoken.sentence.words
    ]
    return {
        "text": spoken.sentence.text,
        "start_ms": words[0]["start_ms"],
        "end_ms": words[-1]["end_ms"],
        "words": words,
    }
