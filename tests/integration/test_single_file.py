"""The page for mail: real clips, cut from the delivered video, that show the claim at the place the page opens them at."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import av
import pytest

from stages.deep_link import LinkCheck
from stages.engines.screen_reader import open_reader
from stages.errors import StageFailed
from stages.report import build_view
from stages.settings import Settings
from stages.single_file import write_single_file
from stages.view import Proof
from tests.report_case import clip, make_case

_CLIP = re.compile(r'src="data:video/mp4;base64,([^#"]+)#t=([0-9.]+)"')


def _deliver(out: Path, mb: float) -> str:
    make_case().deliver(out, single_file_mb=mb)  # type: ignore[arg-type]  # a number
    return (out / "bolo.html").read_text("utf-8")


def test_each_clip_shows_the_words_where_the_page_opens_it(tmp_path: Path) -> None:
    page = _deliver(tmp_path, 20.0)
    clips = _CLIP.findall(page)
    assert len(clips) == 3
    reader = open_reader(Settings(out=tmp_path))
    for (data, at), words in zip(clips, ("Farinha de trigo 500 g", "", "Forno a 180 graus"), strict=True):
        path = tmp_path / "clip.mp4"
        path.write_bytes(base64.b64decode(data))
        with av.open(str(path)) as container:
            assert {stream.type for stream in container.streams} == {"video", "audio"}
            shown = [frame for frame in container.decode(video=0) if frame.time is not None and frame.time <= float(at) + 1e-6][-1]
        if words:
            assert words in " ".join(line.text for line in reader.read(shown.to_ndarray(format="rgb24")))
    assert "<script" not in page and "Trechos nesta página: 3 de 3" in page


def test_what_does_not_fit_is_left_out_and_said(tmp_path: Path) -> None:
    case = make_case()
    proofs = {claim.id: Proof(LinkCheck()) for claim in case.findings.read}
    view = build_view(case.video, case.evidence, case.findings, Settings(out=tmp_path), case.brief, proofs)
    whole = write_single_file(tmp_path / "whole.html", view, clip(), 20_000_000)
    budget = (tmp_path / "whole.html").stat().st_size - 2000
    part = write_single_file(tmp_path / "part.html", view, clip(), budget)
    page = (tmp_path / "part.html").read_text("utf-8")
    again = write_single_file(tmp_path / "again.html", view, clip(), 20_000_000)
    assert again.path.read_bytes() == whole.path.read_bytes(), "the same report has the same bytes"
    assert (whole.clips, whole.claims, part.claims) == (3, 3, 3) and 0 < part.clips < 3
    assert len(page.encode()) <= budget and len(_CLIP.findall(page)) == part.clips
    assert f"Trechos nesta página: {part.clips} de 3" in page
    assert page.count("O trecho não coube") == 3 - part.clips


def test_a_budget_below_the_bare_page_is_an_error_with_its_size(tmp_path: Path) -> None:
    with pytest.raises(StageFailed, match="MB without any clip"):
        _deliver(tmp_path, 0.01)
    assert not (tmp_path / "bolo.html").exists() and not (tmp_path / "bolo").exists()
