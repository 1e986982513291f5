"""Which containers are opened, and how a path is handed to libav.

A text file named `x.mp4` that is an HLS or ffconcat playlist makes libav open *other* files: what it names, on disk or on the network.
A file named `concat:a|b` is read as a protocol. So both readers, the `ffmpeg` programs and PyAV, get this list of self-contained
containers, the `file` protocol alone, and an absolute path behind an explicit `file:`.

Left out on purpose: playlists and manifests; still images; and formats without a header (`amrnb`, raw PCM), which are a guess that turns
any garbage into minutes of noise.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["OPEN_OPTIONS", "file_url"]

_CONTAINERS: Final = (
    "mov", "matroska", "webm", "avi", "flv", "live_flv", "mpegts", "mpeg", "ogg", "asf", "mxf", "nut", "rm", "dv", "ivf", "wtv",
    "wav", "w64", "aiff", "caf", "au", "mp3", "aac", "flac", "ac3", "eac3", "amr", "ape", "tta", "wv", "tak",
    "gif", "apng", "h264", "hevc", "m4v", "mpegvideo", "av1", "obu", "yuv4mpegpipe",
)  # fmt: skip

OPEN_OPTIONS: Final[Mapping[str, str]] = {"format_whitelist": ",".join(_CONTAINERS), "protocol_whitelist": "file"}
"""Options of every input, for PyAV's `options=` and as `-name value` of the programs."""


def file_url(path: Path) -> str:
    """`path` as libav must be given it; bytes that are no valid UTF-8 stay as Python keeps them (surrogate escapes)."""
    return "file:" + os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links, Path.absolute keeps `..`
