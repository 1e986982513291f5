"""What a language model may say, and the one border where its words become typed: untrusted until validated.

The JSON Schema handed to a model is generated from the same bases as the claims: the `tela` variant can cite only this video's
screen ids, the `fala` variant only its speech ids, and no other variant has a place for evidence. No variant has a place for a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from stages.claim import READ, Base
from stages.evidence import Channel

__all__ = ["Draft", "PartlyShown", "ProviderSeal", "Rejection", "answer_model"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One statement of an answer, as said. Nothing in it is believed."""

    base: str
    text: str
    evidence: tuple[str, ...] = ()
    premises: tuple[int, ...] = ()
    """Numbers, from 1, of the statements of the same answer that an inference rests on."""
    quote: str = ""
    source: str = ""
    question: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What else the answer carried, kept for the record of a refusal."""
    off_topic: str = ""
    """Why it cannot be an answer to its question, as code found; empty where it may be."""
    saw_frames: bool = False
    """Whether whoever said it was shown the frames that it cites; without that, a frame carries no statement."""

    def as_json(self) -> dict[str, Any]:
        """The draft for `claims.json`, without its empty parts."""
        said = {"base": self.base, "text": self.text, "evidence": list(self.evidence), "premises": list(self.premises),
                "quote": self.quote, "source": self.source, "question": self.question, **self.extra}  # fmt: skip
        return {key: value for key, value in said.items() if value not in ("", [], None)}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A refused draft with the rule it broke and the values: never shown as a claim, never dropped."""

    draft: Draft
    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class PartlyShown:
    """A question whose evidence did not fit what a model can be shown."""

    question: int
    shown: int
    """Pieces of trusted evidence that were shown whole."""
    of: int


@dataclass(frozen=True, slots=True)
class ProviderSeal:
    """Who really answered, for the report's seal."""

    name: str
    """The entry of the chain, `literal` where no model was used."""
    model: str
    local: bool
    """True when the evidence did not leave this host or others of one's own; false also when it left for an answer that never came."""
    truncated: bool = False
    """An answer was cut, by the model's limit or by the budget; its unfinished tail was dropped."""
    failovers: tuple[str, ...] = ()
    """One line for each provider that was tried and why it did not answer, and for a budget that was used up."""
    unasked: tuple[int, ...] = ()
    """Numbers of the questions that every model of the chain failed to answer: the evidence was only searched for their words."""
    partly_shown: tuple[PartlyShown, ...] = ()


class _Statement(BaseModel):
    model_config = ConfigDict(extra="forbid")


_WORDS: Any = Annotated[str, Field(min_length=1, max_length=400)]


def _literal(*values: str) -> Any:
    return Literal[values]


def _read_variant(base: StrEnum, ids: Sequence[str]) -> type[BaseModel]:
    """Quote, then id, then base: a small model that copies the words first finds their id, and the id decides the channel."""
    cited: Any = Annotated[list[_literal(*ids)], Field(min_length=1, max_length=4)]  # type: ignore[misc]  # the ids are known only at run time
    fields: dict[str, Any] = {"quote": _WORDS, "evidence": cited, "base": _literal(base.value), "text": _WORDS}
    return create_model(f"Read_{base}", __base__=_Statement, **fields)


def _unobserved_variant(base: StrEnum) -> type[BaseModel]:
    fields: dict[str, Any] = {"base": _literal(base.value), "text": _WORDS}
    if base == Base.INFERIDO:
        fields["premises"] = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=8)]
    return create_model(f"Unobserved_{base}", __base__=_Statement, **fields)


def answer_model(ids: Mapping[Channel, Sequence[str]], *, bases: type[StrEnum] = Base, max_statements: int = 8) -> type[BaseModel]:
    """The type of a model's answer over these evidence ids; `.model_json_schema()` is what a provider is handed.

    A read variant exists only where its channel has evidence to cite; every other member of `bases` gets the variant without.
    """
    variants: list[type[BaseModel]] = []
    for base in bases:
        channel = READ.get(base)
        if channel is None:
            variants.append(_unobserved_variant(base))
        elif ids.get(channel):
            variants.append(_read_variant(base, ids[channel]))
    union: Any = variants[0]
    for variant in variants[1:]:
        union = union | variant
    statements: Any = Annotated[list[union], Field(min_length=1, max_length=max_statements)]
    return create_model("Answer", __base__=_Statement, statements=statements)
