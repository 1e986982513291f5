"""Letters without a font are said, not only printed as boxes; those with a font are in the file."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pikepdf
import pytest
from report_case import make_case

from stages.fonts import lacking
from stages.paper import laid_out

_WRITTEN = {"tela": "שלום 500 g", "fala": "مرحبا quinhentos gramas", "inferido": "漢字かな한글", "fora": "🧾 ok"}


@pytest.fixture
def _few_fonts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with the fonts of fonts-dejavu-core alone."""
    config = tmp_path / "fonts.conf"
    folder = "/usr/share/fonts/truetype/dejavu"
    config.write_text(f"<fontconfig><dir>{folder}</dir><cachedir>{tmp_path / 'cache'}</cachedir></fontconfig>")
    monkeypatch.setenv("FONTCONFIG_FILE", str(config))


@pytest.mark.usefixtures("_few_fonts")
def test_a_delivered_report_names_the_scripts_it_could_not_show_and_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(**_WRITTEN)
    made = case.deliver(tmp_path / "out")
    assert made.fonts == {"fonts-noto-cjk": ("Chinese", "Japanese", "Korean"), "fonts-noto-color-emoji": ("emoji",)}
    assert json.loads((made.folder / "run.json").read_text())["fonts_lacking"]["fonts-noto-color-emoji"] == ["emoji"]
    monkeypatch.delenv("FONTCONFIG_FILE")
    again = case.deliver(tmp_path / "out")
    assert not again.reused and not again.fonts
    assert case.deliver(tmp_path / "out").reused


def test_every_font_that_is_used_is_embedded() -> None:
    done = laid_out(f"<html lang=pt><title>x</title><p>{' '.join(_WRITTEN.values())} Ж Ω ห ह", "ab" * 16)
    assert not done.unshown
    with pikepdf.open(io.BytesIO(done.pdf)) as pdf:
        fonts = [item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/FontDescriptor"]
        assert len(fonts) >= 5 and all({"/FontFile2", "/FontFile3"} & set(font.keys()) for font in fonts)


def test_what_no_font_can_have_is_not_asked_for() -> None:
    assert lacking("\ue000\u200b\x00\U0010fffd") == {}
    assert lacking("ᚠ☃") == {"fonts-noto-core": ("Runic", "symbols")}
