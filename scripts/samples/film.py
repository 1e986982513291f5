"""Lays a scene out in time, encodes it and states what is seen and heard when.

Frames are counted, never timed: 25 frames a second make every frame a whole 40 ms, the voice's own frame is 25 ms, so every
time in the ground truth is an exact whole millisecond of the delivered file, which starts at 0.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scripts.samples.scene import Appearance, Scene, Slide
from scripts.samples.slides import HEIGHT, WIDTH, Text, draw_slide, lay_out
from scripts.samples.voice import SAMPLE_RATE, Sentence, Voice

__all__ = ["FPS", "FRAME_MS", "Film", "Shot", "Spoken", "Visible", "encode", "plan"]

FPS = 25
FRAME_MS = 1000 // FPS
SAMPLES_PER_MS = SAMPLE_RATE // 1000
LOUDEST = 0.9
LEAD_MS = 400  # from the cut to the first sentence
PAUSE_MS = 500  # between sentences
TAIL_MS = 800  # from the last sentence to the next cut


@dataclass(frozen=True, slots=True)
class Visible:
    """One text on the screen from `first` to `last` frame, both included."""

    text: Text
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """One sentence of the narration, starting at `start_ms` of the file."""

    sentence: Sentence
    start_ms: int


@dataclass(frozen=True, slots=True)
class Shot:
    """One slide on the screen: frames `first` to `first + frames - 1`."""

    slide: Slide
    first: int
    frames: int
    texts: tuple[Visible, ...]


@dataclass(frozen=True, slots=True)
class Film:
    """A scene laid out in time."""

    scene: Scene
    shots: tuple[Shot, ...]
    speech: tuple[Spoken, ...]

    @property
    def frames(self) -> int:
        """Number of frames of the whole film."""
        return self.shots[-1].first + self.shots[-1].frames

    def screen(self) -> tuple[Visible, ...]:
        """Every text, one entry for the time it stays: a header that outlives a cut is one text, not two."""
        runs: list[Visible] = []
        for visible in (text for shot in self.shots for text in shot.texts):
            before = next((r for r in runs if r.text == visible.text and r.last + 1 == visible.first), None)
            if before:
                runs[runs.index(before)] = Visible(before.text, before.first, visible.last)
            else:
                runs.append(visible)
        return tuple(runs)


def plan(scene: Scene, voice: Voice) -> Film:
    """Synthesise the narration and give every slide, text and sentence its place."""
    shots: list[Shot] = []
    speech: list[Spoken] = []
    first = 0
    for slide in scene.slides:
        spoken = _narrate(scene, slide, first * FRAME_MS + LEAD_MS, voice)
        frames = slide.frames
        if spoken:
            end_ms = spoken[-1].start_ms + len(spoken[-1].sentence.samples) // SAMPLES_PER_MS + TAIL_MS
            frames = -(-end_ms // FRAME_MS) - first
        shots.append(Shot(slide, first, frames, _visible(scene.header, slide, first, frames, spoken)))
        speech += spoken
        first += frames
    return Film(scene, tuple(shots), tuple(speech))


def _narrate(scene: Scene, slide: Slide, start_ms: int, voice: Voice) -> list[Spoken]:
    spoken: list[Spoken] = []
    for text in slide.narration:
        if scene.voicing is None:
            raise ValueError(f"{scene.file}: a slide has narration but the scene has no voicing")
        sentence = voice.say(text, scene.voicing.espeak, scene.voicing.style, scene.voicing.speed)
        spoken.append(Spoken(sentence, start_ms))
        start_ms += len(sentence.samples) // SAMPLES_PER_MS + PAUSE_MS
    return spoken


def _visible(header: str, slide: Slide, first: int, frames: int, spoken: list[Spoken]) -> tuple[Visible, ...]:
    last = first + frames - 1
    texts = []
    for text in lay_out(header, slide):
        cue = {"added": slide.added, "toast": slide.toast}.get(text.comes)
        if cue is None:
            texts.append(Visible(text, first, last))
            continue
        start = _cue_frame(cue, first, spoken)
        texts.append(Visible(text, start, last if cue.frames is None else start + cue.frames - 1))
    return tuple(texts)


def _cue_frame(cue: Appearance, first: int, spoken: list[Spoken]) -> int:
    if cue.frame is not None:
        return first + cue.frame
    if cue.sentence is None:
        raise ValueError(f"{cue.text!r}: neither `sentence` nor `frame` says when it comes")
    said = spoken[cue.sentence]
    return -(-(said.start_ms + said.sentence.words[0].start_ms) // FRAME_MS)


def encode(film: Film, target: Path) -> None:
    """Write the film as H.264/AAC MP4 that starts at 0, the index in front, bit-exact for the same encoder."""
    sound = target.with_suffix(".f32")
    speech = _sound(film)
    if film.scene.voicing:
        speech.tofile(sound)
    try:
        encoder = subprocess.Popen(_command(film, sound, target), stdin=subprocess.PIPE)
        if encoder.stdin is None:
            raise RuntimeError("ffmpeg was started without a pipe for its frames")
        for index, shot in enumerate(film.shots):
            pictures: dict[tuple[Text, ...], bytes] = {}
            for frame in range(shot.first, shot.first + shot.frames):
                texts = tuple(v.text for v in shot.texts if v.first <= frame <= v.last)
                if texts not in pictures:
                    image = draw_slide(film.scene.theme, shot.slide, texts, (index, len(film.shots)))
                    pictures[texts] = image.tobytes()
                encoder.stdin.write(pictures[texts])
        encoder.stdin.close()
        if encoder.wait(timeout=300) != 0:
            raise RuntimeError(f"{target}: ffmpeg ended with {encoder.returncode}; its message is above")
    finally:
        sound.unlink(missing_ok=True)


def _sound(film: Film) -> NDArray[np.float32]:
    track = np.zeros(film.frames * FRAME_MS * SAMPLES_PER_MS, dtype=np.float32)
    for spoken in film.speech:
        start = spoken.start_ms * SAMPLES_PER_MS
        track[start : start + len(spoken.sentence.samples)] += spoken.sentence.samples
    peak = float(np.abs(track).max())
    return track * np.float32(LOUDEST / peak) if peak else track


def _command(film: Film, sound: Path, target: Path) -> list[str]:
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{WIDTH}x{HEIGHT}", "-r", str(FPS), "-i", "pipe:0"]
    if film.scene.voicing:
        command += ["-f", "f32le", "-ar", str(SAMPLE_RATE), "-ac", "1", "-i", f"file:{sound.resolve()}"]
        command += ["-c:a", "aac", "-b:a", "64k", "-flags:a", "+bitexact"]
    # One thread, because x264 divides its work, and so its result, by the number of cores.
    command += ["-c:v", "libx264", "-preset", "slow", "-tune", "stillimage", "-crf", "20", "-threads", "1"]
    command += ["-g", str(5 * FPS), "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]
    command += ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]
    command += ["-flags:v", "+bitexact", "-fflags", "+bitexact", "-map_metadata", "-1", "-movflags", "+faststart"]
    return [*command, f"file:{target.resolve()}"]
