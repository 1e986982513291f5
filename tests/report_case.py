"""One small video and what was established about it, from which tests build views and bundles. Drawn here: it needs no media folder."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from stages.brief import VideoBrief
from stages.claim import Base, Checks, Claim, ReadClaim, UnobservedClaim
from stages.deliver import Bundle, deliver
from stages.draft import Draft, ProviderSeal, Rejection
from stages.evidence import Box, Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, Word
from stages.findings import Contradiction, Findings, Gap, Question
from stages.instant import Timeline
from stages.settings import Settings
from stages.video import AudioTrack, Video

SHA = "ab" * 32
DURATION_MS = 6000
FRAME_MS = 40
SIZE = (640, 360)
Slides = tuple[tuple[str, int, int], ...]
SLIDES: Slides = (("Farinha de trigo 500 g", 0, 3000), ("Forno a 180 graus", 3000, 6000))
"""What the picture shows, from and to, ms."""
_FONT = ImageFont.truetype("NotoSans-Regular.ttf", 40)
"""Pillow's own font has no accents."""

FIVE_SLIDES: Slides = (
    ("Farinha de trigo 500 g", 0, 1200),
    ("Forno a 180 graus", 1200, 2400),
    ("Custa R$ 1.250,00 por mês", 2400, 3600),
    ("Reunião às 14:30", 3600, 4800),
    ("Código da obra AB-47", 4800, 6000),
)
SPOKEN = ("junte quinhentos gramas de farinha", 1000, 2500)
"""Where there is a tone; the rest of the sound is silence."""

URL = "https://www.youtube.com/watch?v=abc&t=3s"

TEXTS: Mapping[str, str] = {
    "source_name": "Bolo de fubá.mov",
    "recipient": "Padaria Sol",
    "question": "Quanto de farinha?",
    "gap": "Dá para congelar?",
    "tela": "São 500 g de farinha.",
    "fala": "Pede quinhentos gramas.",
    "inferido": "A receita é para muitas pessoas.",
    "fora": "Fornos variam.",
    "source": "Manual do forno",
    "nao_consta": "O vídeo não responde a esta pergunta.",
    "refused": "A farinha é de 1,5 kg.",
    "detail": "1,5 kg",
    "topic": "farinha",
    "value": "500 g",
    "recorded": "2024-03-09",
    "model": "modelo-pequeno",
    "failover": "primeiro: sem resposta",
    "evidence_before": "",
}
"""Every text of a report that somebody else wrote."""


@dataclass(frozen=True)
class Case:
    """What `deliver` and `build_view` take."""

    video: Video
    evidence: EvidenceSet
    findings: Findings
    brief: VideoBrief

    def deliver(self, out: Path, **settings: str) -> Bundle:
        return deliver(self.video, self.evidence, self.findings, Settings(out=out, **settings), self.brief)  # type: ignore[arg-type]


@functools.cache
def clip(slides: Slides = SLIDES) -> Path:
    """The video: slides at 25 frames a second, one keyframe in all, a tone where `SPOKEN` is."""
    folder = Path(tempfile.mkdtemp(prefix="frame-oracle-test-"))
    inputs: list[str] = []
    for number, (text, start, end) in enumerate(slides):
        slide = Image.new("RGB", SIZE, "#f3ead8")
        ImageDraw.Draw(slide).text((40, 60), text, fill="#1c2733", font=_FONT)
        slide.save(folder / f"{number}.png")
        inputs += ["-loop", "1", "-framerate", "25", "-t", str((end - start) / 1000), "-i", str(folder / f"{number}.png")]
    tone = f"sine=f=220:d={DURATION_MS / 1000},volume='if(between(t,{SPOKEN[1] / 1000},{SPOKEN[2] / 1000}),0.5,0)':eval=frame"
    target = folder / "media.mp4"
    argv = ["ffmpeg", "-y", "-loglevel", "error", *inputs, "-f", "lavfi", "-i", tone, "-filter_complex", f"concat=n={len(slides)}[v]"]
    argv += [
        "-map",
        "[v]",
        "-map",
        f"{len(slides)}:a",
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-g",
        "999",
        "-sc_threshold",
        "0",
        "-pix_fmt",
        "yuv420p",
    ]
    subprocess.run([*argv, "-c:a", "aac", "-movflags", "+faststart", str(target)], check=True, timeout=60)
    return target


@functools.cache
def delivered() -> Path:
    """A delivered bundle, made once. Copy it before changing it."""
    return make_case(url=URL).deliver(Path(tempfile.mkdtemp(prefix="frame-oracle-test-"))).folder


@functools.cache
def delivered_slides() -> Path:
    """A delivered bundle with a claim for each of `FIVE_SLIDES`, and a spoken one."""
    case = make_case(slides=FIVE_SLIDES)
    screen = [item for item in case.evidence if item.channel is Channel.TELA]
    claims = [read_claim(case.evidence, f"C-{n:04d}", item.id, item.text, item.text) for n, item in enumerate(screen, start=1)]
    claims.append(read_claim(case.evidence, "C-0006", "F-000001", "Pede quinhentos gramas.", "quinhentos gramas", SPOKEN[1] + 300))
    findings = dataclasses.replace(case.findings, claims=tuple(claims), gaps=())
    return dataclasses.replace(case, findings=findings).deliver(Path(tempfile.mkdtemp(prefix="frame-oracle-test-"))).folder


def make_case(*, url: str = "", language: str = "pt", slug: str = "bolo", slides: Slides = SLIDES, **texts: str) -> Case:
    """The case, with some of `TEXTS` replaced."""
    said = {**TEXTS, **texts}
    media = clip(slides)
    video = Video(
        sha256=SHA, source=Path("/somewhere") / "video.mov", source_name=said["source_name"], slug=slug, media=media,
        media_sha256=hashlib.sha256(media.read_bytes()).hexdigest(), timeline=Timeline(DURATION_MS), width=SIZE[0], height=SIZE[1],
        frame_ms=FRAME_MS, audio=AudioTrack(0, 1, "por", "aac"), recorded="", remade=True, notes=("start_offset",),
    )  # fmt: skip
    evidence = make_evidence(said["evidence_before"], slides)
    brief = VideoBrief(recipient=said["recipient"], url=url, recorded=said["recorded"])
    return Case(video, evidence, make_findings(evidence, said, language), brief)


def make_evidence(before: str = "", slides: Slides = SLIDES) -> EvidenceSet:
    """T-000001 and on for the slides, F-000001 for the tone."""
    timeline = Timeline(DURATION_MS)
    items = []
    for number, (text, start, end) in enumerate(slides, start=1):
        width = _FONT.getlength(text)
        span, instant = timeline.span(start, end), timeline.instant(start + 1020)
        box = Box(40 / SIZE[0], 64 / SIZE[1], (40 + width) / SIZE[0], 108 / SIZE[1])
        name, read = f"T-{number:06d}", before + text
        items.append(Evidence(name, Channel.TELA, Kind.TEXT, span, instant, read, 0.97, "rapidocr", "small", SHA, box=box))
    text, start, end = SPOKEN
    words = text.split()
    step = (end - start) // len(words)
    said = tuple(Word(f" {word}", timeline.span(start + n * step, start + (n + 1) * step), 0.9) for n, word in enumerate(words))
    span, instant, heard = timeline.span(start, end), timeline.instant(start), before + text
    items.append(Evidence("F-000001", Channel.FALA, Kind.SPEECH, span, instant, heard, 0.9, "whisper", "base", SHA, "pt", None, said))
    coverage = {
        Channel.TELA: Coverage(Channel.TELA, CoverageState.COMPLETE),
        Channel.FALA: Coverage(Channel.FALA, CoverageState.PARTIAL, (timeline.span(4000, 5000),), "decode_error"),
    }
    return EvidenceSet(SHA, timeline, tuple(items), coverage)


def read_claim(evidence: EvidenceSet, claim_id: str, evidence_id: str, text: str, quote: str, at_ms: int | None = None) -> ReadClaim:
    """A read claim at the evidence's instant, or at `at_ms`."""
    item = evidence.get(evidence_id)
    assert item is not None
    base = Base.FALA if item.channel is Channel.FALA else Base.TELA
    instant = item.instant if at_ms is None else evidence.timeline.instant(at_ms)
    return ReadClaim(claim_id, base, text, instant, (item,), quote, 1, Checks("confirmed", 1.0, "confirmed"))


def make_findings(evidence: EvidenceSet, said: Mapping[str, str], language: str = "pt") -> Findings:
    """Each base once, `tela` twice, and one of everything else that a report shows."""
    questions = (Question(1, said["question"]), Question(2, said["gap"]))
    screen = read_claim(evidence, "C-0001", "T-000001", said["tela"], "Farinha de trigo 500 g")
    speech = read_claim(evidence, "C-0002", "F-000001", said["fala"], "quinhentos gramas", SPOKEN[1] + 300)
    oven = read_claim(evidence, "C-0003", "T-000002", "Forno a 180 graus.", "Forno a 180 graus")
    claims: tuple[Claim, ...] = (
        screen,
        speech,
        oven,
        UnobservedClaim("C-0004", Base.INFERIDO, said["inferido"], premises=(screen,), question=1),
        UnobservedClaim("C-0005", Base.FORA_DO_VIDEO, said["fora"], source=said["source"], question=1),
        UnobservedClaim("C-0006", Base.NAO_CONSTA, said["nao_consta"], searched=tuple(evidence.coverage.values()), question=2),
    )
    refused = Draft("tela", said["refused"], ("T-000001", "T-000099"))
    rejections = (
        Rejection(Draft("inferido", said["refused"]), "instant_forbidden", said["detail"]),
        Rejection(refused, "value_not_in_evidence", said["detail"]),
        Rejection(refused, "value_not_in_evidence", said["detail"]),
    )
    contradiction = Contradiction(screen.evidence[0], speech.evidence[0], said["value"], said["value"], said["topic"])
    provider = ProviderSeal("embedded", said["model"], True, failovers=(said["failover"],))
    gaps = (Gap(questions[1], False, evidence.coverage),)
    return Findings(questions, claims, rejections, (contradiction,), gaps, provider, language)
