"""Nothing said in a video is worded as current, and no model records a gap."""

from __future__ import annotations

import pytest

from stages.rule import Rule, RuleBroken
from stages.vintage import refuse_currency, refuse_record


@pytest.mark.parametrize(
    "text",
    ["Hoje a farinha custa R$ 40.", "Atualmente são 3 sócios.", "Hoy cuesta 40 euros.", "Actualmente hay tres.", "It currently costs $40."],
)
def test_today_must_be_said_by_the_evidence(text: str) -> None:
    with pytest.raises(RuleBroken) as caught:
        refuse_currency(text, ["A farinha custa R$ 40."])
    assert caught.value.rule is Rule.WORDED_AS_CURRENT
    refuse_currency(text, ["Hoje custa R$ 40."])


def test_what_does_not_speak_of_today_passes() -> None:
    refuse_currency("A farinha custa R$ 40 por saco.", [])
    refuse_currency("The current is 3 A.", [])


@pytest.mark.parametrize(
    "text", ["A lacuna foi registrada.", "Registrei um ticket sobre isso.", "The gap has been logged.", "Se registró la laguna."]
)
def test_no_statement_records_a_gap(text: str) -> None:
    with pytest.raises(RuleBroken) as caught:
        refuse_record(text)
    assert caught.value.rule is Rule.RECORD_CLAIMED


def test_a_gap_in_the_thing_itself_passes() -> None:
    refuse_record("A folga é de 3 mm.")
    refuse_record("Mind the gap between the plates.")
