"""A delivered bundle holds what it promises, says so to anybody who asks, and cannot be changed without being named."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pytest
import tinyhtml5
from pypdf import PdfReader
from report_case import SHA, TEXTS, URL, clip, delivered, make_case, make_evidence, read_claim

from stages.claim import Base, Checks, ReadClaim
from stages.deliver import deliver
from stages.entries import NotStored
from stages.errors import StageFailed, VerificationFailed
from stages.evidence import Channel, Coverage, CoverageState, Kind
from stages.manifest import MANIFEST, write_manifest
from stages.settings import Settings
from stages.verify import verify_bundle

EXPECTED = {
    "README.txt", "claims.json", "evidence.parquet", "manifest-sha256.txt", "report.html", "report.pdf", "run.json", "media/bolo.mp4",
    "go/c0001.html", "go/c0002.html", "go/c0003.html", "proof/c0001.jpg", "proof/c0002.jpg", "proof/c0003.jpg",
    "claims.csv", "queries.sql", "subtitles/tela.vtt", "subtitles/tela.srt", "subtitles/fala.vtt", "subtitles/fala.srt",
}  # fmt: skip


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of the delivered bundle, free to be changed."""
    return Path(shutil.copytree(delivered(), tmp_path / "bolo"))


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _uris(pdf: Path) -> set[str]:
    pages = PdfReader(pdf).pages
    actions = [note.get_object().get("/A") for page in pages for note in page.get("/Annots", [])]
    return {str(action["/URI"]) for action in actions if action and action.get("/S") == "/URI"}


def test_the_bundle_has_its_files_and_a_stranger_finds_nothing_wrong() -> None:
    assert _names(delivered()) == EXPECTED
    assert verify_bundle(delivered(), deep=True) == ()
    said = json.loads((delivered() / "claims.json").read_text())
    assert said["links"] == {"tested": 3, "verified": 3}


def test_the_manifest_is_one_that_sha256sum_checks() -> None:
    done = subprocess.run(["sha256sum", "--strict", "-c", MANIFEST], cwd=delivered(), capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": OK") == len(EXPECTED) - 1


def test_claims_json_has_an_instant_on_read_claims_and_no_key_for_one_elsewhere() -> None:
    said = json.loads((delivered() / "claims.json").read_text())
    assert said["schema"] == "frame-oracle/claims/1"
    assert said["video"]["sha256"] == SHA
    assert {claim["id"]: claim.get("instant_ms", "absent") for claim in said["claims"]} == {
        "C-0001": 1020, "C-0002": 1300, "C-0003": 4020, "C-0004": "absent", "C-0005": "absent", "C-0006": "absent",
    }  # fmt: skip
    assert said["claims"][3]["premises"] == ["C-0001"]
    assert [item["rule"] for item in said["rejections"]] == ["instant_forbidden", "value_not_in_evidence", "value_not_in_evidence"]
    assert said["coverage"]["fala"]["unread"] == [{"start_ms": 4000, "end_ms": 5000}]


def test_the_pdf_links_to_each_claim_is_tagged_and_prints_what_replaces_a_dead_link() -> None:
    pages = {f"./go/c000{number}.html" for number in (1, 2, 3)}
    web = {f"https://www.youtube.com/watch?v=abc&t={second}s" for second in (1, 4)}
    assert _uris(delivered() / "report.pdf") == pages | web
    reader = PdfReader(delivered() / "report.pdf")
    assert reader.trailer["/Root"]["/Lang"] == "pt"  # type: ignore[index]
    assert reader.metadata is not None and reader.metadata.title == "Bolo de fubá"
    text = " ".join(" ".join(page.extract_text() for page in reader.pages).split())
    for printed in ("00:00:01.020", "C-0001", "Farinha de trigo 500 g", "digite o código da afirmação", "3/3", "3 de 3 links conferidos"):
        assert printed in text
    inside = [note.get_object() for page in reader.pages for note in page.get("/Annots", [])]
    assert sum("/Dest" in note or note.get("/A", {}).get("/S") == "/GoTo" for note in inside) >= 6, "claims and evidence link to each other"


def test_report_and_run_say_with_what_and_on_whose_wishes_it_was_made(tmp_path: Path) -> None:
    case = make_case(model="qwen2.5-coder-0.5b-instruct-q4_k_m")
    made = case.deliver(tmp_path, whisper_model="/srv/weights/own-whisper", profile="receita", speech_language="pt")
    run = json.loads((made.folder / "run.json").read_text())
    assert set(run["software"]) == {"frame-oracle", "weasyprint", "av", "pillow"}
    assert run["settings"] == {
        "mode": "completo", "profile": "receita", "lang": "pt", "whisper-model": "own-whisper", "speech-lang": "pt", "ocr": "auto",
        "media": "copy",
    }  # fmt: skip
    weights = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
    assert run["provider"]["model_sha256"] == weights
    page = (made.folder / "report.html").read_text()
    paper = " ".join(" ".join(page.extract_text() for page in PdfReader(made.folder / "report.pdf").pages).split())
    for said in (f"weasyprint {run['software']['weasyprint']}", "whisper-model=own-whisper"):
        assert said in page and said in paper
    assert weights in page and weights in paper.replace(" ", "")


def test_the_page_runs_only_its_own_script_and_asks_nothing_of_a_network() -> None:
    page = (delivered() / "report.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    for element in ("style", "script"):
        content = re.search(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{element}-src &#39;sha256-{digest}&#39;" in policy[1] or f"{element}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    loads = re.findall(r'(?:src|srcset|poster|action)="([^"]+)"', page)
    assert {address.split(":")[0] if ":" in address else address for address in loads} == {"data", "media/bolo.mp4"}
    assert not re.search(r"""\son[a-z]+=|\sstyle=""", re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL))


def test_an_unchanged_run_opens_nothing_and_anything_else_is_made_again(tmp_path: Path) -> None:
    case = make_case(url=URL)
    made = case.deliver(tmp_path)
    assert (made.folder / MANIFEST).read_bytes() == (delivered() / MANIFEST).read_bytes(), "the same findings give the same bytes"
    before = {name: (made.folder / name).stat().st_mtime_ns for name in _names(made.folder)}
    again = replace(case, video=replace(case.video, media=tmp_path / "gone.mp4", source=tmp_path / "elsewhere.mov")).deliver(tmp_path)
    assert (again.reused, again.links, again.links_verified) == (True, 3, 3)
    assert {name: (made.folder / name).stat().st_mtime_ns for name in _names(made.folder)} == before
    (made.folder / "report.html").write_text("changed")
    assert not case.deliver(tmp_path).reused
    assert (made.folder / MANIFEST).read_bytes() == (delivered() / MANIFEST).read_bytes()
    assert not make_case(url=URL, tela="Leva 500 g de farinha.").deliver(tmp_path).reused
    assert "Leva 500 g" in (made.folder / "report.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["bolo"], "nothing is left beside the bundle"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"settings": {"mode": "breve", "media": "none"}}, "changed: media, mode"),
        ({"findings": {"language": "es"}}, "changed: language"),
        ({"brief": {"questions": ("Quanto leite?",)}}, "changed: questions"),
        ({"settings": {"archive": True}}, "something lacks or was changed in what is there"),
    ],
)
def test_a_dry_run_says_what_a_report_would_be_made_again_for(changed: dict[str, Any], why: str, tmp_path: Path) -> None:
    case = make_case(url=URL)
    shutil.copytree(delivered(), tmp_path / "bolo")
    settings = Settings(out=tmp_path, dry=True, **changed.get("settings", {}))
    findings, brief = replace(case.findings, **changed.get("findings", {})), replace(case.brief, **changed.get("brief", {}))
    if not why:
        assert deliver(case.video, case.evidence, findings, settings, brief).reused
        return
    with pytest.raises(NotStored) as caught:
        deliver(case.video, case.evidence, findings, settings, brief)
    assert caught.value.reason == why
    assert [path.name for path in tmp_path.iterdir()] == ["bolo"]


def test_a_claim_whose_text_is_not_there_is_withdrawn_and_recorded(tmp_path: Path) -> None:
    evidence = make_evidence()
    items = tuple(replace(item, text="Leite condensado 2 latas") if item.id == "T-000001" else item for item in evidence)
    lying = read_claim(replace(evidence, items=items), "C-0001", "T-000001", "Duas latas de leite.", "Leite condensado 2 latas")
    case = make_case()
    kept = tuple(item for item in case.findings.claims if item.id not in ("C-0001", "C-0004"))
    findings = replace(case.findings, claims=(lying, *kept))
    bundle = replace(case, evidence=replace(evidence, items=items), findings=findings).deliver(tmp_path)
    assert (bundle.links_verified, bundle.links) == (2, 2)
    assert verify_bundle(bundle.folder) == ()
    said = json.loads((bundle.folder / "claims.json").read_text())
    assert "C-0001" not in {claim["id"] for claim in said["claims"]}
    assert ("link_not_verified", "Duas latas de leite.") in {(item["rule"], item["draft"].get("text")) for item in said["rejections"]}
    assert not (bundle.folder / "go/c0001.html").exists()
    assert "./go/c0001.html" not in _uris(bundle.folder / "report.pdf")


def test_a_claim_on_a_frame_shows_the_frame_and_no_words(tmp_path: Path) -> None:
    """Visible, not written: there is nothing to quote, so the picture at the instant is what proves it."""
    case = make_case()
    frame = replace(case.evidence.items[0], id="T-000003", kind=Kind.FRAME, text="", box=None)
    evidence = replace(case.evidence, items=(*case.evidence.items, frame, replace(frame, id="T-000004")))
    checks = Checks("unchecked", 0.0, "unchecked", ("visible_not_written",))
    seen = ReadClaim("C-0007", Base.TELA, "O fundo é claro.", frame.instant, (frame,), "", 1, checks)
    findings = replace(case.findings, claims=(*case.findings.claims, seen))
    folder = replace(case, evidence=evidence, findings=findings).deliver(tmp_path).folder
    assert verify_bundle(folder) == ()
    assert (folder / "proof/c0007.jpg").is_file()
    page = (folder / "report.html").read_text()
    assert "visível na imagem, não escrito: olhe o quadro" in page
    assert "um quadro do vídeo" in page
    assert 'id="T-000003"' in page, "what a claim cites is there to be found"
    assert 'id="T-000004"' not in page, "a frame that nothing cites is no line"
    assert page.count('<img class="seen" src="data:image/jpeg;base64,') == 1
    assert not re.search(r"<q[^>]*>\s*</q>", page)
    assert not re.search(r"<q[^>]*>\s*</q>", (folder / "go/c0007.html").read_text())


def test_words_where_the_sound_is_silent_are_withdrawn(tmp_path: Path) -> None:
    evidence = make_evidence()
    timeline = evidence.timeline
    late = tuple(
        replace(item, span=timeline.span(3000, 3900), instant=timeline.instant(3000), words=()) if item.id == "F-000001" else item
        for item in evidence
    )
    moved = replace(evidence, items=late)
    silent = read_claim(moved, "C-0002", "F-000001", "Pede quinhentos gramas.", "quinhentos gramas")
    case = make_case()
    findings = replace(case.findings, claims=(case.findings.claims[0], silent))
    bundle = replace(case, evidence=moved, findings=findings).deliver(tmp_path)
    assert (bundle.links_verified, bundle.links) == (1, 1)
    assert "silent" in (bundle.folder / "claims.json").read_text()


def test_without_media_the_report_still_proves_and_links_to_no_file(tmp_path: Path) -> None:
    bundle = make_case().deliver(tmp_path, media="none")
    page = (bundle.folder / "report.html").read_text()
    assert not (bundle.folder / "media").exists()
    assert verify_bundle(bundle.folder) == ()
    assert "<video" not in page and "media/bolo.mp4" not in page
    assert (bundle.folder / "proof/c0001.jpg").is_file()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "bolo").mkdir()
    (tmp_path / "bolo" / "thesis.txt").write_text("five years")
    with pytest.raises(StageFailed, match="not a report"):
        make_case().deliver(tmp_path)
    assert (tmp_path / "bolo" / "thesis.txt").read_text() == "five years"


def test_a_delivery_that_fails_leaves_the_old_bundle(tmp_path: Path) -> None:
    case = make_case()
    folder = case.deliver(tmp_path).folder
    other = tmp_path / "other.mp4"
    other.write_bytes(clip().read_bytes() + b"x")
    with pytest.raises(StageFailed, match="changed while it was copied"):
        replace(case, video=replace(case.video, media=other), brief=replace(case.brief, recipient="X")).deliver(tmp_path)
    assert verify_bundle(folder, deep=False) == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bolo", "other.mp4"]


def test_what_was_made_of_an_older_bundle_does_not_stay_beside_a_newer_one(tmp_path: Path) -> None:
    case = make_case()
    settings = Settings(out=tmp_path, archive=True, single_file_mb=20.0)
    deliver(case.video, case.evidence, case.findings, settings, case.brief)
    (tmp_path / "other.zip").touch()
    assert {"bolo.zip", "bolo.html"} <= {path.name for path in tmp_path.iterdir()}
    replace(case, brief=replace(case.brief, recipient="X")).deliver(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bolo", "other.zip"]


@pytest.mark.parametrize("name", sorted(EXPECTED - {MANIFEST}))
def test_a_changed_file_is_named(bundle: Path, name: str) -> None:
    data = bytearray((bundle / name).read_bytes())
    data[len(data) // 2] ^= 1
    (bundle / name).write_bytes(data)
    assert any(problem.startswith(f"{name}: changed") for problem in verify_bundle(bundle, deep=False))


@pytest.mark.parametrize("place", [3, 70, -2])
def test_a_manifest_with_one_byte_changed_is_named(bundle: Path, place: int) -> None:
    """In a hash, in a name, at the end of the last name."""
    data = bytearray((bundle / MANIFEST).read_bytes())
    data[place] = ord("e") if data[place] != ord("e") else ord("f")
    (bundle / MANIFEST).write_bytes(data)
    assert any(MANIFEST in problem for problem in verify_bundle(bundle, deep=False))


def test_a_missing_file_an_extra_one_and_a_broken_manifest_are_named(bundle: Path) -> None:
    (bundle / "go/c0002.html").unlink()
    (bundle / "media/extra.bin").write_bytes(b"x")
    (bundle / "Thumbs.db").write_bytes(b"left by a file manager")
    with (bundle / MANIFEST).open("a") as manifest:
        manifest.write("not a line\n")
    problems = verify_bundle(bundle, deep=False)
    for part in ("go/c0002.html: missing", f"media/extra.bin: not in {MANIFEST}", f"{MANIFEST}: line"):
        assert any(problem.startswith(part) for problem in problems)
    assert not any("Thumbs.db" in problem for problem in problems)


def test_a_link_to_the_same_file_elsewhere_does_not_travel_and_is_named(bundle: Path, tmp_path: Path) -> None:
    report = bundle / "report.pdf"
    report.rename(tmp_path / "elsewhere.pdf")
    report.symlink_to(tmp_path / "elsewhere.pdf")
    assert any(problem.startswith("report.pdf: a link") for problem in verify_bundle(bundle, deep=False))


def test_what_is_no_bundle_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(VerificationFailed, match="not a folder"):
        verify_bundle(tmp_path / "nothing")
    assert any("report.html: missing" in problem for problem in verify_bundle(tmp_path))


def _edit_claims(bundle: Path, change: Callable[[dict[str, dict[str, object]]], object]) -> tuple[str, ...]:
    """The problems after somebody edited claims.json and made the manifest fit."""
    said = json.loads((bundle / "claims.json").read_text())
    change({claim["id"]: claim for claim in said["claims"]})
    (bundle / "claims.json").write_text(json.dumps(said))
    write_manifest(bundle)
    return verify_bundle(bundle, deep=False)


@pytest.mark.parametrize(
    ("claim", "change", "said"),
    [
        ("C-0004", {"instant_ms": 1020}, "instant_forbidden"),
        ("C-0006", {"evidence": ["T-000001"]}, "evidence_forbidden"),
        ("C-0001", {"instant_ms": None}, "instant_required"),
        ("C-0001", {"instant_ms": 60_000}, "instant_outside_video"),
        ("C-0001", {"instant_ms": 4000}, "instant_not_in_evidence"),
        ("C-0001", {"evidence": ["F-000001"]}, "evidence_wrong_channel"),
        ("C-0001", {"evidence": ["T-000077"]}, "evidence_unknown"),
        ("C-0001", {"quote": "Farinha de trigo 900 g"}, "no_support"),
        ("C-0004", {"premises": ["C-0005"]}, "premise_refused"),
        ("C-0005", {"base": "tela"}, "instant_required"),
        ("C-0001", {"text": "Aos 12 segundos, 500 g. No minuto 3."}, "time_in_text"),
        ("C-0001", {"instant_ms": "1020"}, "valid integer"),
        ("C-0001", {"instant_ms": 1021}, "report.html: C-0001 does not link to"),
    ],
)
def test_a_forged_claim_is_refused_by_the_rule_it_breaks(bundle: Path, claim: str, change: dict[str, object], said: str) -> None:
    problems = _edit_claims(bundle, lambda claims: claims[claim].update(change))
    assert any(said in problem for problem in problems), problems


def _add_script(pdf: pikepdf.Pdf) -> None:
    pdf.Root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="app.alert(1)")


def _add_launch(pdf: pikepdf.Pdf) -> None:
    _first_link(pdf).A = pikepdf.Dictionary(S=pikepdf.Name.Launch, F="calc.exe")


def _add_address(pdf: pikepdf.Pdf) -> None:
    _first_link(pdf).A = pikepdf.Dictionary(S=pikepdf.Name.URI, URI="https://evil.example/")


def _add_file(pdf: pikepdf.Pdf) -> None:
    pdf.attachments["x.txt"] = b"x"


def _first_link(pdf: pikepdf.Pdf) -> pikepdf.Object:
    return next(note for page in pdf.pages for note in page.get("/Annots", []) if "/A" in note and note.A.get("/S") == "/URI")


@pytest.mark.parametrize(
    ("change", "said"),
    [(_add_script, "JavaScript"), (_add_launch, "Launch"), (_add_address, "evil.example"), (_add_file, "an embedded file")],
)
def test_a_pdf_that_does_anything_else_is_refused(bundle: Path, change: Callable[[pikepdf.Pdf], None], said: str) -> None:
    with pikepdf.open(bundle / "report.pdf", allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(bundle / "report.pdf")
    write_manifest(bundle)
    assert any(problem.startswith("report.pdf:") and said in problem for problem in verify_bundle(bundle, deep=False))


def test_a_page_that_leads_elsewhere_or_names_the_machine_is_refused(bundle: Path) -> None:
    page = bundle / "go/c0001.html"
    page.write_text(page.read_text().replace("</main>", f'<a href="https://evil.example/">x</a><p>{bundle}</p></main>'))
    write_manifest(bundle)
    problems = verify_bundle(bundle, deep=False)
    assert any("go/c0001.html: links to 'https://evil.example/'" in problem for problem in problems)
    assert any("go/c0001.html: holds a path" in problem for problem in problems)


def test_another_video_under_the_same_name_is_found_by_opening_the_links(bundle: Path) -> None:
    """Even when manifest and claims.json were made to fit, the text is not where the links point."""
    media = bundle / "media/bolo.mp4"
    blank = ["-f", "lavfi", "-i", "color=white:s=640x360:r=25:d=6", "-f", "lavfi", "-i", "anullsrc=d=6", "-shortest"]
    subprocess.run(["ffmpeg", "-y", "-loglevel", "error", *blank, "-pix_fmt", "yuv420p", str(media)], check=True, timeout=60)
    said = (bundle / "claims.json").read_text()
    old = hashlib.sha256(clip().read_bytes()).hexdigest()
    (bundle / "claims.json").write_text(said.replace(old, hashlib.sha256(media.read_bytes()).hexdigest()))
    write_manifest(bundle)
    assert verify_bundle(bundle, deep=False) == ()
    problems = verify_bundle(bundle, deep=True)
    assert {problem.split(": ")[1].split()[0] for problem in problems} == {"C-0001", "C-0002", "C-0003"}
    assert all(problem.startswith("media/bolo.mp4: ") for problem in problems)


HOSTILE = (
    """</script></style></title></q>--><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>"' {{ 7 * 7 }} {% raw %} """
    """<iframe src="file:///etc/passwd"></iframe> url(https://evil.example/x.png) \u202e\u0000\u2028 ./go/c0099.html"""
)


def _elements(page: str) -> Counter[str]:
    return Counter(str(element.tag).split("}")[-1] for element in tinyhtml5.parse(io.BytesIO(page.encode())).iter())


def test_hostile_text_in_every_field_changes_neither_the_elements_nor_the_actions(tmp_path: Path) -> None:
    url = "https://example.org/v.mp4"
    hostile = make_case(url=url + '?q="><script>alert(1)</script>', **{name: f"{HOSTILE} {text}" for name, text in TEXTS.items()})
    bundle, plain = hostile.deliver(tmp_path / "h").folder, make_case(url=url, evidence_before="x ").deliver(tmp_path / "p").folder
    assert verify_bundle(bundle, deep=False) == ()
    for name in ("report.html", *(f"go/c000{number}.html" for number in (1, 2, 3))):
        assert _elements((bundle / name).read_text()) == _elements((plain / name).read_text()), name
    local = {uri for uri in _uris(bundle / "report.pdf") if not uri.startswith("https://example.org/v.mp4?")}
    assert local == {uri for uri in _uris(plain / "report.pdf") if not uri.startswith("https://example.org/v.mp4")}
    assert HOSTILE[:40] in (bundle / "README.txt").read_text(), "plain text is not escaped"


@pytest.mark.parametrize("language", ["es", "de"])
def test_reports_in_other_languages_and_scripts(tmp_path: Path, language: str) -> None:
    mixed = "空间里面他绝对赢不了的 محاضرة عربية 😀 Ωμέγα " + "extraordinariamente" * 12
    folder = make_case(language=language, source_name=f"{mixed}.mp4", tela=mixed, question=mixed).deliver(tmp_path).folder
    assert verify_bundle(folder, deep=False) == ()
    reader = PdfReader(folder / "report.pdf")
    assert reader.trailer["/Root"]["/Lang"] == ("en" if language == "de" else language)  # type: ignore[index]
    text = "".join(page.extract_text() for page in reader.pages)
    assert "空间里面" in text and "Ωμέγα" in text
    fonts = {str(font.get_object()["/BaseFont"]) for page in reader.pages for font in page["/Resources"].get("/Font", {}).values()}  # type: ignore[index]
    assert all("+" in name for name in fonts), "every font is embedded as a subset"


def test_findings_without_claims_give_a_report_that_says_so(tmp_path: Path) -> None:
    case = make_case()
    empty = replace(case.findings, claims=(), questions=(), gaps=(), contradictions=(), rejections=())
    mute = {**case.evidence.coverage, Channel.FALA: Coverage(Channel.FALA, CoverageState.COMPLETE, reason="no_audio_track")}
    bundle = replace(case, findings=empty, evidence=replace(case.evidence, coverage=mute)).deliver(tmp_path)
    assert (bundle.links, bundle.links_verified) == (0, 0)
    assert verify_bundle(bundle.folder) == ()
    page = (bundle.folder / "report.html").read_text()
    assert "Nenhuma afirmação pôde ser feita" in page
    assert "não tem faixa de áudio" in page and "O áudio foi ouvido" not in page
