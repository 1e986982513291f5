"""What was said when the video was made is not news: a statement may not be worded as current where its evidence is not.

"O preço é hoje de R$ 40" over a video of 2019 that says "custa R$ 40" reads as of the day of the report. Only the words of the evidence
may say today; whoever reads them has the date of the recording in the head of the report. The same goes for a model that tells the reader
it has recorded a gap: nothing it writes records anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from stages.rule import Rule, RuleBroken
from stages.words import fold

__all__ = ["refuse_currency", "refuse_record"]

_CURRENT: Final = re.compile(
    r"\b(?:hoje(?: em dia)?|atualmente|no momento atual|nos dias de hoje|"
    r"hoy(?: en dia)?|actualmente|en la actualidad|"
    r"today|currently|nowadays|at present|as of (?:now|today))\b"
)
_RECORD: Final = re.compile(
    r"\b(?:lacunas?|lagunas?|gaps?|tickets?)\b[^.!?]*"
    r"\b(?:registr\w+|anotad\w+|abert\w+|abiert\w+|cread\w+|criad\w+|record\w+|logg\w+|filed|opened|created|raised)\b"
    r"|\b(?:registr\w+|anot\w+|abri\w*|cre[ao]\w*|cri[ae]\w*|record\w*|logg\w+|filed|opened|created|raised)\b[^.!?]*"
    r"\b(?:lacunas?|lagunas?|gaps?|tickets?)\b"
)


def refuse_currency(text: str, evidence: Iterable[str]) -> None:
    """Raise `RuleBroken` where `text` speaks of today and none of `evidence`, the words it rests on, does."""
    said = _CURRENT.search(fold(text))
    if said and not any(_CURRENT.search(fold(words)) for words in evidence):
        raise RuleBroken(Rule.WORDED_AS_CURRENT, f"{said.group()!r} is not in its evidence")


def refuse_record(text: str) -> None:
    """Raise `RuleBroken` where `text` says that a gap was recorded."""
    if said := _RECORD.search(fold(text)):
        raise RuleBroken(Rule.RECORD_CLAIMED, f"{said.group()!r}: nothing that a model writes records anything")
