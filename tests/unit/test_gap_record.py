"""Gap tickets: numbered in the batch, worded only in a private log, and never made of a provider that was down."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from stages.claims_json import ClaimsFile
from stages.errors import UsageError
from stages.gap_record import GapTicket, log_gaps, require_private, tickets, write_gaps

_QUESTION = "Quanto custa a chave do cliente?"
_TICKET = GapTicket("aula.mp4", "ab" * 32, 2, _QUESTION, True, {"tela": {"state": "complete"}}, "aula")


def _stated(name: str, failovers: list[str]) -> ClaimsFile:
    video = {"sha256": "ab" * 32, "media_sha256": "", "duration_ms": 1, "slug": "aula", "media": ""}
    gap = {"question": 2, "text": _QUESTION, "proven": True, "coverage": {"tela": {"state": "complete"}}}
    provider = {"name": name, "failovers": failovers}
    said = {"schema": "frame-oracle/claims/1", "video": video, "provider": provider, "claims": [], "gaps": [gap]}
    return ClaimsFile.model_validate_json(json.dumps(said))


def test_a_ticket_has_everything_but_the_words_of_the_question(tmp_path: Path) -> None:
    write_gaps(tmp_path, tickets("aula.mp4", _stated("embedded", []), "aula"))
    text = (tmp_path / "gaps.json").read_text(encoding="utf-8")
    assert _QUESTION not in text
    assert json.loads(text)["gaps"] == [
        {
            "video": "aula.mp4",
            "sha256": "ab" * 32,
            "question": 2,
            "proven": True,
            "coverage": {"tela": {"state": "complete"}},
            "profile": "aula",
        }
    ]


def test_a_provider_that_was_down_is_no_gap() -> None:
    assert tickets("aula.mp4", _stated("literal", ["gateway: timed out"]), "aula") == ()
    assert len(tickets("aula.mp4", _stated("literal", []), "aula")) == 1
    assert len(tickets("aula.mp4", _stated("second", ["gateway: timed out"]), "aula")) == 1


def test_the_private_log_is_private_and_grows(tmp_path: Path) -> None:
    log = tmp_path / "gaps.log"
    log_gaps(log, [_TICKET])
    log_gaps(log, [_TICKET])
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert [json.loads(line)["text"] for line in log.read_text(encoding="utf-8").splitlines()] == [_QUESTION] * 2


def test_a_log_that_others_can_read_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "gaps.log"
    log.touch(mode=0o644)
    log.chmod(0o644)
    with pytest.raises(UsageError, match="other users may read it"):
        require_private(log, tmp_path / "out")
    log.chmod(0o600)
    require_private(log, tmp_path / "out")


def test_a_log_in_the_delivered_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="delivered folder"):
        require_private(tmp_path / "out" / "gaps.log", tmp_path / "out")
