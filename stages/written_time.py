"""Law 4, second half: finds an instant of the video written into the text of a claim.

The format gives a model no field for a time, so a model that wants to date its answer writes the date into the words:
"[01:33] Sirva", "no segundo 40", "40 seconds in". Models point at the right moment 3 to 4 % of the time; such words are
refused. A length of time that is content ("35 minutos de forno") is not an instant, and a clock time or duration that the
cited evidence itself contains ("Reunião às 14:30") is a value to confirm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from stages._values.instant_words import CLOCK_RULES, POINTERS
from stages._values.instants import Scan, WrittenInstant

__all__ = ["WrittenTime", "written_times"]


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """An instant written in a text."""

    text: str
    """Verbatim."""
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    rule: str
    """As in "clock" (01:33), "hms" (1h02m), "address" (t=93s), "unit-first" (no segundo 40), "position" (aos 40 segundos),
    "mark" (the 40 second mark), "ordinal" (no segundo minuto), "stamp" ([93s])."""


def written_times(text: str, content: Iterable[str] = ()) -> tuple[WrittenTime, ...]:
    """The instants written in `text`, in order, except those that a text of `content` (the cited evidence) contains.

    Never raises; linear in the length of the texts.
    """
    scan = Scan.of(text)
    instants = list(scan.instants())
    if not instants:
        return ()
    known = _Content.of(content)
    return tuple(
        WrittenTime(text[start:end], start, end, instant.rule)
        for instant in instants
        if not instant.seconds & known.allowed(instant, scan)
        for start, end in [(scan.tokens[instant.first].start, scan.tokens[instant.last - 1].end)]
    )


@dataclass(frozen=True, slots=True)
class _Content:
    """The times that the cited evidence itself contains, in seconds: "40 segundos" of waiting is no leave to write "[00:40]"."""

    clocks: frozenset[Fraction]
    """Written with colons, h or primes."""
    pointed: frozenset[Fraction]
    """Said of a place in a video ("no segundo 40", "frame 12")."""
    lengths: frozenset[Fraction]
    """Every clock time and length of time, however written."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> _Content:
        scans = [Scan.of(text) for text in texts]
        instants = [instant for scan in scans for instant in scan.instants()]
        clocks = {second for one in instants if one.rule in CLOCK_RULES for second in one.seconds}
        pointed = {second for one in instants if one.rule not in CLOCK_RULES for second in one.seconds}
        lengths = {second for scan in scans for span in scan.spans.values() for second in span.seconds}
        return cls(frozenset(clocks), frozenset(pointed), frozenset(lengths | clocks | pointed))

    def allowed(self, instant: WrittenInstant, scan: Scan) -> frozenset[Fraction]:
        """The times that make an instant of this form content."""
        if instant.rule in POINTERS:
            return self.pointed
        return self.clocks if instant.rule in CLOCK_RULES and scan.is_stamp(instant) else self.lengths
