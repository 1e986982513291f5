"""What the cost benchmarks run on: 1080p30 H.264 slides, a screencast, and camera footage, the same for the same seed.

Here only the cost of pictures matters; texts whose times and letters are the truth are drawn elsewhere. The camera footage is real where
`shared/media` is there (a small clip, enlarged, with the grain of a sensor), else a moving fractal.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

__all__ = ["FPS", "KINDS", "SHARED_MEDIA", "video"]

FPS: Final = 30
SHARED_MEDIA: Final = Path(__file__).parents[2] / "shared" / "media"

_SIZE: Final = (1920, 1080)
_FOLDER: Final = Path(tempfile.gettempdir()) / "frame-oracle-benchmarks"
_SPOKEN: Final = Path(__file__).parents[1] / "data" / "samples"
_CAMERA: Final = SHARED_MEDIA / "container" / "gradio" / "world.mp4"
_WORDS: Final = (
    "pressure valve torque margin harvest invoice meeting delivery quarter budget flour oven kettle signal voltage ladder anchor "
    "horizon bridge engine piston filter sensor archive ticket vendor supply route garden winter summer station platform"
).split()

_Picture = NDArray[np.uint8]


def video(kind: str, seed: int, seconds: int, *, spoken: bool = False) -> Path:
    """A video of that kind (one of `KINDS`), drawn on first use; `spoken` adds the speech of the project's samples, again and again."""
    _FOLDER.mkdir(exist_ok=True)
    silent = _FOLDER / f"{kind}-{seed}-{seconds}s.mp4"
    if not silent.exists():
        KINDS[kind](silent.with_suffix(".part"), random.Random(seed), seconds)  # noqa: S311 - drawn pictures, no secrets
        silent.with_suffix(".part").rename(silent)
    if not spoken:
        return silent
    heard = silent.with_name(f"{silent.stem}-spoken.mp4")
    if not heard.exists():
        voices = sorted(_SPOKEN.glob("*.mp4"))[seed % 3]
        _ffmpeg(
            "-i",
            silent,
            "-stream_loop",
            "-1",
            "-i",
            voices,
            "-map",
            "0:v",
            "-map",
            "1:a",
            "-c:v",
            "copy",
            "-c:a",
            "aac",
            "-shortest",
            heard,
        )
    return heard


def _slides(path: Path, dice: random.Random, seconds: int) -> None:
    """A new slide every 6 s: a title, a few lines, a footnote."""

    def pictures() -> Iterator[_Picture]:
        for frame in range(seconds * FPS):
            if frame % (6 * FPS) == 0:
                slide = _page(
                    (245, 244, 238), (30, 30, 40), [(_sentence(dice, 4), 64), *((_sentence(dice, 7), 40) for _ in range(5))], dice
                )
            yield slide

    _encode(path, pictures())


def _screencast(path: Path, dice: random.Random, seconds: int) -> None:
    """A dark editor of 24 lines in which a new line is typed all the time; the cursor moves; now and then a note of 10 frames."""

    def pictures() -> Iterator[_Picture]:
        lines = [_sentence(dice, 8) for _ in range(24)]
        typed, row = "", 0
        note = 0
        for frame in range(seconds * FPS):
            if not typed:
                row, typed = dice.randrange(24), _sentence(dice, 8)
                lines[row] = ""
            if frame % 2 == 0:
                lines[row], typed = lines[row] + typed[:1], typed[1:]
                if frame % (10 * FPS) == 0:
                    lines = [_sentence(dice, 8) for _ in range(24)]
                page = _page((28, 30, 36), (210, 214, 220), [(line, 24) for line in lines], dice, footnote=False)
            shown = page.copy()
            if frame % (4 * FPS) == 2 * FPS:
                note, said = 10, _page((60, 90, 60), (250, 250, 250), [(_sentence(dice, 3), 30)], dice, footnote=False)[40:160, :640]
            if note:
                shown[900:1020, 1240:1880] = said
                note -= 1
            x, y = 900 + round(700 * np.sin(frame / 40)), 500 + round(400 * np.cos(frame / 67))
            shown[y : y + 22, x : x + 12] = 255
            yield shown

    _encode(path, pictures())


def _camera(path: Path, dice: random.Random, seconds: int) -> None:
    grain = f"scale=1920:1080,fps={FPS},noise=alls=6:allf=t:all_seed={dice.randrange(1000)},format=yuv420p"
    if _CAMERA.exists():
        source = ["-stream_loop", "-1", "-ss", str(dice.randrange(8)), "-i", str(_CAMERA)]
    else:
        source = ["-f", "lavfi", "-i", f"mandelbrot=size=960x540:rate={FPS}"]
    _ffmpeg(*source, "-t", str(seconds), "-an", "-vf", grain, "-c:v", "libx264", "-crf", "23", "-preset", "veryfast", "-f", "mp4", path)


KINDS: Final[dict[str, Callable[[Path, random.Random, int], None]]] = {"slides": _slides, "screencast": _screencast, "camera": _camera}


def _page(
    ground: tuple[int, int, int], ink: tuple[int, int, int], lines: list[tuple[str, int]], dice: random.Random, *, footnote: bool = True
) -> _Picture:
    page = Image.new("RGB", _SIZE, ground)
    pen = ImageDraw.Draw(page)
    y = 60
    for text, size in lines:
        pen.text((120, y), text, font=ImageFont.load_default(size), fill=ink)
        y += size + (72 if size > 30 else 16)
    if footnote:
        pen.text((120, 1030), _sentence(dice, 9), font=ImageFont.load_default(18), fill=ink)
    return np.asarray(page)


def _sentence(dice: random.Random, words: int) -> str:
    return " ".join([*dice.choices(_WORDS, k=words - 1), str(dice.randrange(10, 9999))])


def _encode(path: Path, pictures: Iterator[_Picture]) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(FPS), options={"crf": "23", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = *_SIZE, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture)))
        container.mux(stream.encode())


def _ffmpeg(*arguments: str | Path) -> None:
    subprocess.run(("ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)), check=True, timeout=1800)
