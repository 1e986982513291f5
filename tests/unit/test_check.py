"""The format as a tool: the founding cases, and other people's answers judged in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stages.check import Answers, Result, check_claims, load_answers
from stages.errors import UsageError
from stages.evidence import EvidenceSet
from stages.instant import Timeline
from stages.rule import Rule

SEVEN = Timeline.of_seconds(7)


def judged(item: Any, evidence: EvidenceSet | None = None) -> Result:
    return check_claims(Answers((item,)), None if evidence else SEVEN, evidence).results[0]


def test_inference_dressed_as_reading_is_refused_by_name_of_the_rule() -> None:
    assert judged({"base": "inferido", "text": "Sirva com arroz branco", "instant_s": 5}).rule == Rule.INSTANT_FORBIDDEN
    assert judged({"base": "inferido", "text": "[01:33] Sirva com arroz branco"}).rule == Rule.TIME_IN_TEXT
    assert judged({"base": "inferido", "text": "[01:33] Sirva com arroz branco", "instant_s": 93}).rule == Rule.INSTANT_FORBIDDEN


@pytest.mark.parametrize(("second", "accepted"), [(40, False), (7.4, True), (7.6, False), (-0.1, False), (0, True), (7.5, True)])
def test_the_second_lock_in_a_seven_second_video(second: float, accepted: bool) -> None:
    result = judged({"base": "tela", "text": "Frame", "instant_s": second})
    assert result.accepted is accepted
    assert (result.rule == Rule.INSTANT_OUTSIDE_VIDEO) is not accepted


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", '"7:12"', '"5"', "true", "[5]", "1e999"])
def test_what_is_no_time_is_refused(literal: str) -> None:
    item = json.loads(f'{{"base": "fala", "text": "Olá mundo", "instant_s": {literal}}}')
    assert judged(item).rule == Rule.INSTANT_OUTSIDE_VIDEO


def test_an_absence_without_an_instant_is_accepted_and_with_one_is_not() -> None:
    assert judged({"base": "nao_consta", "text": "O vídeo não diz com o que servir"}).accepted
    assert judged({"base": "nao_consta", "text": "O vídeo não diz", "instant_s": None}).accepted
    assert judged({"base": "nao_consta", "text": "O vídeo não diz", "instant_s": 0}).rule == Rule.INSTANT_FORBIDDEN
    assert judged({"base": "fora_do_video", "text": "Arroz combina", "timestamp": "01:33"}).rule == Rule.INSTANT_FORBIDDEN


def test_a_read_base_brings_its_instant() -> None:
    assert judged({"base": "fala", "text": "Olá mundo"}).rule == Rule.INSTANT_REQUIRED


@pytest.mark.parametrize("item", [None, 5, "tela", [], {}, {"base": "tela"}, {"base": "tela", "text": 5, "instant_s": 1}])
def test_an_item_of_no_shape_is_refused_in_its_place(item: Any) -> None:
    report = check_claims(Answers((item, {"base": "nao_consta", "text": "Não diz"})), SEVEN)
    assert [result.accepted for result in report.results] == [False, True]


def test_with_evidence_the_instant_comes_from_it(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("tela", "Forno a 180 °C"), ("fala", "adicione quinhentos gramas de fubá"))
    said = judged({"base": "fala", "text": "500 g de fubá", "evidence": ["F-000001"]}, evidence)
    assert (said.status, said.instant_ms) == ("confirmed", 2000)
    assert judged({"base": "tela", "text": "Forno a 180 °C", "evidence": ["T-000001"], "instant_s": 30}, evidence).rule == (
        Rule.INSTANT_NOT_IN_EVIDENCE
    )


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        ({"base": "fala", "text": "1,5 kg de fubá", "evidence": ["F-000001"]}, Rule.VALUE_NOT_IN_EVIDENCE),
        ({"base": "fala", "text": "500 g de fubá", "evidence": ["F-000009"]}, Rule.EVIDENCE_UNKNOWN),
        ({"base": "fala", "text": "500 g de fubá", "evidence": ["T-000001"]}, Rule.EVIDENCE_WRONG_CHANNEL),
        ({"base": "fala", "text": "500 g de fubá"}, Rule.EVIDENCE_REQUIRED),
        ({"base": "fala", "text": "Sirva com arroz branco", "evidence": ["F-000001"]}, Rule.NO_SUPPORT),
        ({"base": "fala", "text": "500 g de arroz", "evidence": ["F-000001"]}, Rule.NO_SUPPORT),
        ({"base": "fala", "text": "Não adicione fubá", "evidence": ["F-000001"]}, Rule.NEGATION_FLIPPED),
        ({"base": "fala", "text": "adicione o fubá da Maria", "evidence": ["F-000001"]}, Rule.NAME_NOT_IN_EVIDENCE),
        ({"base": "tela", "text": "ruído", "evidence": ["T-000002"]}, Rule.EVIDENCE_UNTRUSTED),
    ],
)
def test_a_lie_is_refused_by_name(item: dict[str, Any], rule: Rule, evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(
        ("tela", "Forno a 180 °C"), ("fala", "adicione quinhentos gramas de fubá"), ("tela", "ruído"), distrusted=("T-000002",)
    )
    assert judged(item, evidence).rule == rule


def test_an_inference_falls_with_its_premise(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", "adicione quinhentos gramas de fubá"))
    items = [
        {"id": "C-0001", "base": "fala", "text": "900 g de fubá", "evidence": ["F-000001"]},
        {"id": "C-0002", "base": "inferido", "text": "É uma receita grande", "premises": ["C-0001"]},
    ]
    assert [result.rule for result in check_claims(Answers(tuple(items)), None, evidence).results] == [
        Rule.VALUE_NOT_IN_EVIDENCE,
        Rule.PREMISE_REFUSED,
    ]


def test_the_json_is_in_the_order_given_with_counts() -> None:
    report = check_claims(Answers(({"base": "nao_consta", "text": "Não diz"}, {"base": "x", "text": "y"})), SEVEN).as_json()
    assert report["schema"] == "frame-oracle/check/1"
    assert [row["index"] for row in report["results"]] == [0, 1]
    assert report["results"][1]["rule"] == "unknown_base"
    assert report["counts"]["accepted"] == 1
    assert report["counts"]["refused"] == 1


@pytest.mark.parametrize("content", ["", "{", "5", '{"claims": 5}', "[" * 100_000])
def test_a_file_that_holds_no_claims_is_a_usage_error_that_names_it(content: str, tmp_path: Path) -> None:
    path = tmp_path / "respostas.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=r"respostas\.json"):
        load_answers(path)


@pytest.mark.parametrize("premises", [[], [{}], [[]], 5, True, "C-0001", ["C-0009"]])
def test_premises_of_any_shape_are_judged(premises: Any) -> None:
    assert not judged({"base": "inferido", "text": "É uma receita grande", "premises": premises}).accepted


def test_a_premise_may_stand_below_its_inference(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", "adicione quinhentos gramas de fubá"), ("tela", "Reunião às 14:30"))
    inference = {"base": "inferido", "text": "É uma receita grande", "premises": ["C-0002"]}
    lie = {"id": "C-0002", "base": "fala", "text": "900 g de fubá", "evidence": ["F-000001"]}
    assert [result.rule for result in check_claims(Answers((inference, lie)), None, evidence).results] == [
        Rule.PREMISE_REFUSED,
        Rule.VALUE_NOT_IN_EVIDENCE,
    ]
    meeting = {"id": "C-0001", "base": "tela", "text": "Reunião às 14:30", "evidence": ["T-000001"]}
    about = {"base": "inferido", "text": "A reunião das 14:30 é à tarde", "premises": ["C-0001"]}
    assert check_claims(Answers((meeting, about)), None, evidence).accepted


@pytest.mark.parametrize("key", ["Instant_s", "INSTANT_MS", "instante", "tempo", "minuto", "at"])
def test_a_time_under_another_name_is_a_time(key: str) -> None:
    assert judged({"base": "fora_do_video", "text": "Arroz combina", key: "01:33"}).rule == Rule.INSTANT_FORBIDDEN


def test_a_number_beyond_any_video_is_refused() -> None:
    assert judged({"base": "tela", "text": "Frame", "instant_s": 10**400}).rule == Rule.INSTANT_OUTSIDE_VIDEO


def test_an_inference_of_claims_json_names_its_premises_and_a_plain_answer_need_not(tmp_path: Path) -> None:
    inference = {"id": "C-0001", "base": "inferido", "text": "É uma receita grande"}
    own, plain = tmp_path / "claims.json", tmp_path / "plain.json"
    own.write_text(json.dumps({"schema": "frame-oracle/claims/1", "claims": [inference]}))
    plain.write_text(json.dumps([inference]))
    assert check_claims(load_answers(own), SEVEN).results[0].rule == Rule.PREMISE_REQUIRED
    assert check_claims(load_answers(plain), SEVEN).accepted


@pytest.mark.parametrize("key", ["start", "end", "end_ms", "timestamp", "t", "time"])
def test_every_time_of_a_read_claim_is_held_to_the_second_lock(key: str) -> None:
    late = 40_000 if key.endswith("_ms") else 40
    assert judged({"base": "tela", "text": "Frame", "instant_s": 5, key: late}).rule == Rule.INSTANT_OUTSIDE_VIDEO
    assert judged({"base": "tela", "text": "Frame", "instant_s": 5, key: "01:33"}).rule == Rule.INSTANT_OUTSIDE_VIDEO
    assert judged({"base": "tela", "text": "Frame", "instant_s": 5, key: late // 8}).accepted
    assert judged({"base": "tela", "text": "Frame", key: late // 8}).rule == Rule.INSTANT_REQUIRED


def test_a_repeated_id_is_refused_and_the_first_stands(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("fala", "adicione quinhentos gramas de fubá"))
    first = {"id": "C-0001", "base": "fala", "text": "500 g de fubá", "evidence": ["F-000001"]}
    lie = first | {"text": "900 g de fubá"}
    inference = {"id": "C-0002", "base": "inferido", "text": "É uma receita grande", "premises": ["C-0001"]}
    report = check_claims(Answers((first, lie, inference)), None, evidence)
    assert [result.rule for result in report.results] == ["", Rule.DUPLICATE, ""]


def test_evidence_is_held_against_the_video_it_is_checked_with(evidence_set: Callable[..., EvidenceSet]) -> None:
    evidence = evidence_set(("tela", "Forno a 180 °C"), ("tela", "Sirva quente"), ("tela", "Corte em fatias"), ("tela", "Bom apetite"))
    late = Answers(({"base": "tela", "text": "Bom apetite", "evidence": ["T-000004"]},))
    assert check_claims(late, None, evidence).accepted
    assert check_claims(late, Timeline(3_000), evidence).results[0].rule == Rule.INSTANT_OUTSIDE_VIDEO
    with pytest.raises(UsageError, match="another video"):
        check_claims(late, Timeline(60_000), evidence, video_sha256="cd" * 32)
    assert check_claims(late, Timeline(60_000), evidence, video_sha256=evidence.video_sha256).accepted
