"""The rules of the format by name: what a statement can break, in words that reports, logs and other programs can rely on."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Rule", "RuleBroken"]


class Rule(StrEnum):
    """Why a statement was refused. The names are part of `claims.json` and of `check --json`."""

    MALFORMED = "malformed"
    """Not of the shape of any statement."""
    UNKNOWN_BASE = "unknown_base"
    EMPTY_TEXT = "empty_text"
    INSTANT_REQUIRED = "instant_required"
    """A read base without an instant (rule 1)."""
    INSTANT_FORBIDDEN = "instant_forbidden"
    """An unobserved base with an instant (rule 2)."""
    INSTANT_OUTSIDE_VIDEO = "instant_outside_video"
    """A time that the video cannot contain (the second lock)."""
    TIME_IN_TEXT = "time_in_text"
    """A time of the video written into the text, where the format forbids one."""
    EVIDENCE_REQUIRED = "evidence_required"
    EVIDENCE_FORBIDDEN = "evidence_forbidden"
    EVIDENCE_UNKNOWN = "evidence_unknown"
    """An id that this video's evidence does not have."""
    QUOTE_NOT_IN_EVIDENCE = "quote_not_in_evidence"
    """The words it quotes stand nowhere in the evidence."""
    EVIDENCE_WRONG_CHANNEL = "evidence_wrong_channel"
    EVIDENCE_UNTRUSTED = "evidence_untrusted"
    """The extractor itself distrusts this reading."""
    EVIDENCE_TO_MACHINE = "evidence_to_machine"
    """It does as a text planted in the video tells a language model to; such a text may be quoted, not obeyed."""
    FRAME_NOT_SEEN = "frame_not_seen"
    """It says what a frame shows, and was said by a model that was shown no pictures."""
    PREMISE_REQUIRED = "premise_required"
    PREMISE_REFUSED = "premise_refused"
    """It rests on a statement that was refused or does not exist."""
    VALUE_NOT_IN_EVIDENCE = "value_not_in_evidence"
    NAME_NOT_IN_EVIDENCE = "name_not_in_evidence"
    NEGATION_FLIPPED = "negation_flipped"
    ORDER_SWAPPED = "order_swapped"
    """The second step told first, where the evidence says an order too."""
    NO_SUPPORT = "no_support"
    """The cited evidence shares none of the statement's content words."""
    INSTANT_NOT_IN_EVIDENCE = "instant_not_in_evidence"
    """A given instant at which the cited evidence is not there."""
    LINK_NOT_VERIFIED = "link_not_verified"
    """Opened at its instant, the delivered video does not show or hold its words."""
    WORDED_AS_CURRENT = "worded_as_current"
    """It speaks of today, and the words it rests on do not."""
    RECORD_CLAIMED = "record_claimed"
    """It says that a gap was recorded, which nothing a model writes can do."""
    NOT_AN_ANSWER = "not_an_answer"
    """True or not, it cannot answer the question that it was given for."""
    DUPLICATE = "duplicate"
    ANSWERED = "answered"
    """An absence stated of a question that a read claim answers."""


class RuleBroken(ValueError):
    """A statement that cannot be written: `rule` names the rule, `detail` carries the values."""

    def __init__(self, rule: Rule, detail: str) -> None:
        super().__init__(f"{rule}: {detail}")
        self.rule = rule
        self.detail = detail
