"""A report of any length, drawn and not read: what the cost of laying out is measured on.

Every claim has a picture of its own. Half are of the screen, with frame and crop, half of speech, with frame and waveform; one claim in
ten is an inference, which has neither.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from stages.brief import VideoBrief
from stages.claim import Base, Checks, Claim, ReadClaim, UnobservedClaim
from stages.deep_link import LinkCheck
from stages.draft import ProviderSeal
from stages.evidence import Box, Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, evidence_id
from stages.figure import waveform
from stages.findings import Findings, Question
from stages.instant import Timeline
from stages.report import build_view
from stages.settings import Settings
from stages.video import AudioTrack, Video
from stages.view import Proof, ReportView

__all__ = ["long_report"]

_EVERY_MS: Final = 4000
_SHA: Final = "ab" * 32
_FRAME: Final = (480, 270)
_STRIP: Final = (420, 60)
_PER_QUESTION: Final = 10


def long_report(claims: int) -> ReportView:
    """The view of a report with `claims` claims, ten to a question."""
    timeline = Timeline((claims + 1) * _EVERY_MS)
    items = tuple(_evidence(n, timeline) for n in range(1, claims + 1))
    coverage = {channel: Coverage(channel, CoverageState.COMPLETE) for channel in Channel}
    evidence = EvidenceSet(_SHA, timeline, items, coverage)
    made: list[Claim] = []
    for n, item in enumerate(items, start=1):
        made.append(_claim(n, item, made))
    questions = tuple(Question(n, f"O que se diz e se mostra na parte {n}?") for n in range(1, 1 + math.ceil(claims / _PER_QUESTION)))
    findings = Findings(questions, tuple(made), (), (), (), ProviderSeal("literal", "", True), "pt")
    video = Video(
        _SHA, Path("video.mp4"), "treinamento.mp4", "treinamento", Path("media.mp4"), _SHA, timeline, 1280, 720, 40.0,
        AudioTrack(0, 1, "por", "aac"), "", False,
    )  # fmt: skip
    return build_view(video, evidence, findings, Settings(out=Path("out")), VideoBrief(recipient="Cliente Exemplo"), _proofs(findings))


def _evidence(n: int, timeline: Timeline) -> Evidence:
    channel = Channel.TELA if n % 2 else Channel.FALA
    start = n * _EVERY_MS
    span, instant = timeline.span(start, start + _EVERY_MS // 2), timeline.instant(start + 500)
    text = f"Na etapa {n}, aplique {n * 7 % 90 + 10} gramas do produto e espere a superfície secar por completo."
    kind = Kind.TEXT if channel is Channel.TELA else Kind.SPEECH
    box = Box(0.1, 0.3, 0.9, 0.4) if channel is Channel.TELA else None
    return Evidence(evidence_id(channel, n), channel, kind, span, instant, text, 0.95, "engine", "model", _SHA, "pt", box)


def _claim(n: int, item: Evidence, before: list[Claim]) -> Claim:
    name, question = f"C-{n:04d}", 1 + (n - 1) // _PER_QUESTION
    read = [claim for claim in before[-_PER_QUESTION:] if isinstance(claim, ReadClaim)]
    if n % 10 == 0 and read:
        text = "A superfície precisa secar antes da etapa seguinte."
        return UnobservedClaim(name, Base.INFERIDO, text, premises=tuple(read[-2:]), question=question)
    base = Base.TELA if item.channel is Channel.TELA else Base.FALA
    text = f"A etapa {n} leva {n * 7 % 90 + 10} gramas do produto."
    quote = f"aplique {n * 7 % 90 + 10} gramas do produto"
    return ReadClaim(name, base, text, item.instant, (item,), quote, question, Checks("confirmed", 1.0, "confirmed"))


def _proofs(findings: Findings) -> Mapping[str, Proof]:
    proofs = {}
    for claim in findings.read:
        frame = _drawn(claim.evidence[0].text, claim.id, _FRAME)
        if claim.base == Base.TELA:
            proofs[claim.id] = Proof(LinkCheck(), frame, frame, _drawn(claim.quote, claim.id, _STRIP))
        else:
            peaks = [abs(math.sin(n * (claim.instant.ms % 97 + 3))) for n in range(120)]
            proofs[claim.id] = Proof(LinkCheck(), frame, frame, wave=waveform(peaks, claim.evidence[0].span, claim.evidence[0].span))
    return proofs


def _drawn(text: str, code: str, size: tuple[int, int]) -> bytes:
    shade = sum(map(ord, code)) * 37 % 120
    picture = Image.new("RGB", size, (130 + shade, 250 - shade, 235))
    draw = ImageDraw.Draw(picture)
    draw.text((12, size[1] // 3), f"{code} {text}", fill=(20, 30, 40), font=ImageFont.load_default(18))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80, subsampling=0, optimize=True)
    return buffer.getvalue()
