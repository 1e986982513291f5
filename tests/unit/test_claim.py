"""The laws of the format hold by construction: the wrong combination cannot be written."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import StrEnum

import pytest

from stages.claim import READ, UNOBSERVED, Base, ReadClaim, UnobservedClaim
from stages.draft import answer_model
from stages.evidence import Channel, EvidenceSet
from stages.rule import Rule, RuleBroken

Made = Callable[..., EvidenceSet]


def read_claim(evidence_set: EvidenceSet, base: StrEnum = Base.TELA, text: str = "forno a 180 °C", **changes: object) -> ReadClaim:
    item = evidence_set.items[0]
    fields: dict[str, object] = {"instant": item.instant, "evidence": (item,), "quote": item.text} | changes
    return ReadClaim("C-0001", base, text, **fields)  # type: ignore[arg-type]


def broken(make: Callable[[], object]) -> Rule:
    with pytest.raises(RuleBroken) as caught:
        make()
    return caught.value.rule


def test_the_unobserved_bases_are_all_minus_the_read_ones() -> None:
    assert {Base.INFERIDO, Base.FORA_DO_VIDEO, Base.NAO_CONSTA} == UNOBSERVED
    assert set(READ) | UNOBSERVED == set(Base)


def test_an_unobserved_claim_has_no_field_for_an_instant_or_evidence() -> None:
    names = {field.name for field in dataclasses.fields(UnobservedClaim)}
    assert not names & {"instant", "instant_ms", "evidence", "span", "start", "end", "quote"}


def test_a_read_claim_cannot_be_built_without_an_instant(evidence_set: Made) -> None:
    evidence = evidence_set(("tela", "forno a 180 °C"))
    with pytest.raises(TypeError):
        ReadClaim("C-0001", Base.TELA, "forno a 180 °C", evidence=evidence.items, quote="")  # type: ignore[call-arg]
    assert broken(lambda: read_claim(evidence, instant=None)) is Rule.INSTANT_REQUIRED
    assert broken(lambda: read_claim(evidence, instant=1500)) is Rule.INSTANT_REQUIRED


def test_a_read_claim_carries_trusted_evidence_of_its_channel(evidence_set: Made) -> None:
    evidence = evidence_set(("tela", "forno a 180 °C"), ("tela", "x"), distrusted=("T-000002",))
    assert read_claim(evidence).base is Base.TELA
    assert broken(lambda: read_claim(evidence, evidence=())) is Rule.EVIDENCE_REQUIRED
    assert broken(lambda: read_claim(evidence, base=Base.FALA)) is Rule.EVIDENCE_WRONG_CHANNEL
    assert broken(lambda: read_claim(evidence, evidence=(evidence.items[1],))) is Rule.EVIDENCE_UNTRUSTED
    later = evidence.timeline.instant(50_000)
    assert broken(lambda: read_claim(evidence, instant=later)) is Rule.INSTANT_NOT_IN_EVIDENCE


@pytest.mark.parametrize("base", sorted(UNOBSERVED))
def test_an_unobserved_base_cannot_be_a_read_claim(base: Base, evidence_set: Made) -> None:
    assert broken(lambda: read_claim(evidence_set(("tela", "a b")), base=base)) is Rule.INSTANT_FORBIDDEN


@pytest.mark.parametrize("base", sorted(READ))
def test_a_read_base_cannot_be_an_unobserved_claim(base: Base) -> None:
    assert broken(lambda: UnobservedClaim("C-0001", base, "texto")) is Rule.INSTANT_REQUIRED


def test_an_inference_names_its_premises_and_an_absence_what_was_searched() -> None:
    assert broken(lambda: UnobservedClaim("C-0001", Base.INFERIDO, "texto")) is Rule.PREMISE_REQUIRED
    assert broken(lambda: UnobservedClaim("C-0001", Base.NAO_CONSTA, "texto")) is Rule.EVIDENCE_REQUIRED


def test_a_sixth_base_falls_under_rule_two_by_itself(evidence_set: Made) -> None:
    class Tomorrow(StrEnum):
        TELA = "tela"
        FALA = "fala"
        INFERIDO = "inferido"
        FORA_DO_VIDEO = "fora_do_video"
        NAO_CONSTA = "nao_consta"
        OUVI_DIZER = "ouvi_dizer"

    assert broken(lambda: read_claim(evidence_set(("tela", "a b")), base=Tomorrow.OUVI_DIZER)) is Rule.INSTANT_FORBIDDEN
    assert UnobservedClaim("C-0001", Tomorrow.OUVI_DIZER, "texto").base is Tomorrow.OUVI_DIZER
    variants = answer_model({Channel.TELA: ["T-000001"]}, bases=Tomorrow).model_json_schema()["$defs"]
    sixth = next(v for v in variants.values() if v["properties"]["base"].get("const") == "ouvi_dizer")
    assert set(sixth["properties"]) == {"base", "text"}
    assert sixth["additionalProperties"] is False


@pytest.mark.parametrize("text", ["Sirva aos 01:33", "no segundo 40 ele serve", "at minute two she stirs", "a los 2 minutos y 5", "t=93s"])
def test_no_claim_may_say_a_time_of_the_video(text: str, evidence_set: Made) -> None:
    evidence = evidence_set(("tela", "Sirva"))
    premise = read_claim(evidence, text="Sirva")
    assert broken(lambda: read_claim(evidence, text=text)) is Rule.TIME_IN_TEXT
    assert broken(lambda: UnobservedClaim("C-0002", Base.FORA_DO_VIDEO, text)) is Rule.TIME_IN_TEXT
    assert broken(lambda: UnobservedClaim("C-0002", Base.INFERIDO, text, premises=(premise,))) is Rule.TIME_IN_TEXT


def test_a_time_that_the_evidence_contains_is_content(evidence_set: Made) -> None:
    evidence = evidence_set(("tela", "Reunião às 14:30"))
    premise = read_claim(evidence, text="A reunião é às 14:30")
    assert UnobservedClaim("C-0002", Base.INFERIDO, "Começa às 14:30 da tarde", premises=(premise,)).premises == (premise,)
    assert broken(lambda: read_claim(evidence, text="A reunião é às 14:31")) is Rule.TIME_IN_TEXT


def test_the_schema_offers_a_channel_only_its_own_ids_and_nobody_a_time() -> None:
    schema = answer_model({Channel.TELA: ["T-000001", "T-000002"], Channel.FALA: ["F-000001"]}).model_json_schema()
    by_base = {variant["properties"]["base"].get("const"): variant["properties"] for variant in schema["$defs"].values()}
    assert set(by_base) == {base.value for base in Base}
    assert by_base["tela"]["evidence"]["items"]["enum"] == ["T-000001", "T-000002"]
    assert by_base["fala"]["evidence"]["items"] in ({"const": "F-000001", "type": "string"}, {"enum": ["F-000001"], "type": "string"})
    for base in UNOBSERVED:
        assert set(by_base[base.value]) <= {"base", "text", "premises"}
    assert not any(word in str(sorted(properties)) for properties in by_base.values() for word in ("instant", "time", "start", "end_"))


def test_a_channel_without_evidence_has_no_variant() -> None:
    schema = answer_model({Channel.FALA: ["F-000001"]}).model_json_schema()
    assert "tela" not in {variant["properties"]["base"].get("const") for variant in schema["$defs"].values()}
