"""What every language-model engine gives back, and the one way in which it fails.

The provider chain decides by the kind of fault whether to go to the next provider, so an engine translates its library's many
exceptions into `ProviderError` and lets none of them through. A text that was cut says so: an answer that stops in the middle and is
shown as whole is a lie by omission.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from stages.errors import NoProvider

__all__ = ["Completion", "Fault", "Message", "Part", "ProviderError", "TextModel", "in_dialect", "require_json", "weighed"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: words, or a picture."""

    text: str = ""
    jpeg: str = ""
    """A JPEG file in Base64."""


Message = Mapping[str, str | Sequence[Part]]
"""`role` (`system`, `user` or `assistant`) and `content`: words, or words and pictures for a model with eyes."""


def in_dialect(message: Message, picture: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """`message` as both chat interfaces take it; `picture` makes their own form of a JPEG in Base64."""
    content = message["content"]
    if isinstance(content, str):
        return dict(message)
    parts = [picture(part.jpeg) if part.jpeg else {"type": "text", "text": part.text} for part in content]
    return {"role": message["role"], "content": parts}


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a language model, as said."""

    text: str
    """The JSON text; incomplete where `finish` is `length`."""
    finish: Literal["stop", "length"]
    """Whether the model ended by itself or was cut at the limit of tokens."""
    model: str
    """The model that answered, in the provider's own name."""
    prompt_tokens: int
    cached_tokens: int
    """Of the prompt's tokens, those that were not computed again."""
    answer_tokens: int
    weights: Mapping[str, float] = field(default_factory=dict)
    """How likely each of the words was between which the model was to decide; empty where it was not asked to, or does not tell."""


class Fault(StrEnum):
    """Why a provider gave no answer."""

    UNAVAILABLE = "unavailable"
    """Could not be loaded, reached, or broke off."""
    TIMEOUT = "timeout"
    UNAUTHORISED = "unauthorised"
    OVERLOADED = "overloaded"
    """Too many requests, or no credit left."""
    TOO_LONG = "too_long"
    """The prompt and the answer do not fit the model's context."""
    MALFORMED = "malformed"
    """The provider does not take a request of this form."""
    REFUSED = "refused"
    """The model or its filter declined."""
    BAD_ANSWER = "bad_answer"
    """It answered something that is not what was asked for: not JSON, or empty."""


class ProviderError(NoProvider):
    """One provider gave no answer; the next of the chain may."""

    def __init__(self, message: str, *, fault: Fault, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint, code=fault.value)
        self.fault = fault
        self.retry_after_s = retry_after_s
        """Seconds after which it wants to be asked again; None where it did not say."""

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.message, self.fault, self.hint, self.retry_after_s))


def _rebuild(message: str, fault: Fault, hint: str, retry_after_s: float | None) -> ProviderError:
    """Pickling support: an error crosses process borders whole."""
    return ProviderError(message, fault=fault, hint=hint, retry_after_s=retry_after_s)


class TextModel(Protocol):
    """A language model that answers in JSON of a given schema."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        between: Sequence[str] = (),
    ) -> Completion:
        """One answer that obeys the JSON `schema`; raises `ProviderError`. `between`: words of which the answer is one, to be weighed."""
        ...


def weighed(tokens: Iterable[tuple[str, Mapping[str, float]]], between: Sequence[str]) -> dict[str, float]:
    """The share of each of these words at the token that decided between them.

    `tokens`: each token of the answer with the logarithms of the likeliest ones in its place, as the chat interfaces give them. A word has
    several tokens, with a quote or a space before it.
    """
    for chosen, likeliest in tokens:
        if _bare(chosen) in between:
            share = {word: sum(math.exp(min(log, 0.0)) for token, log in likeliest.items() if _bare(token) == word) for word in between}
            total = sum(share.values())
            return {word: part / total for word, part in share.items()} if total > 0 else {}
    return {}


def _bare(token: str) -> str:
    return token.strip(' "')


def require_json(text: str, complaint: str) -> None:
    """Raise `ProviderError` with `complaint` where an answer that was not cut is no JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProviderError(complaint, fault=Fault.BAD_ANSWER) from error
