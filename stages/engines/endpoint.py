"""Any OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a gateway), through the `openai` SDK.

There is one retry layer in this program, the provider chain, so the SDK's own is off: two layers multiply, and a scheduled run then
hangs for an hour on a server that is down.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from stages.engines.completion import Completion, Fault, Message, ProviderError, in_dialect, require_json, weighed
from stages.engines.wire import bounded_client, called_within, provider_error
from stages.settings import ProviderEntry

__all__ = ["Endpoint", "api_key"]

_LIKELIEST: Final = 10
"""Tokens that are asked for of each place; the words between which an answer decides are among them."""
_FENCED: Final = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
"""Models that are not held to a schema often put their JSON into a block of Markdown."""


class Endpoint:
    """One configured endpoint. The connection is made for each call."""

    def __init__(self, entry: ProviderEntry) -> None:
        self._entry = entry
        self._reduced = False
        """It refused a request of the full form, and took one of the reduced."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        between: Sequence[str] = (),
    ) -> Completion:
        """One answer that obeys the JSON `schema`; raises `ProviderError`.

        Services differ in what they take: some refuse a temperature, the older name of the limit, or lengths in a schema. A request
        refused as malformed is made once more without them.
        """
        try:
            return self._completed(messages, schema, max_tokens, timeout_s, between)
        except ProviderError as error:
            if error.fault is not Fault.MALFORMED or self._reduced:
                raise
            self._reduced = True
            return self._completed(messages, schema, max_tokens, timeout_s, between)

    def _completed(
        self, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int, timeout_s: float, between: Sequence[str]
    ) -> Completion:
        import openai  # seconds on a busy machine, which are not the endpoint's

        request: dict[str, Any] = {"model": self._entry.model, "messages": [in_dialect(message, _picture) for message in messages]}
        request |= {"max_completion_tokens": max_tokens} if self._reduced else {"max_tokens": max_tokens, "temperature": 0}
        if between and not self._reduced:
            request |= {"logprobs": True, "top_logprobs": _LIKELIEST}
        if self._entry.structured:
            named = {"name": "answer", "strict": True, "schema": _without_lengths(schema) if self._reduced else dict(schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        key = api_key(self._entry)

        def answer() -> Any:
            try:
                with bounded_client(self._entry, timeout_s) as transport:
                    client = openai.OpenAI(
                        base_url=self._entry.base_url, api_key=key, timeout=timeout_s, max_retries=0, http_client=transport
                    )
                    return client.chat.completions.create(**request)
            except openai.OpenAIError as error:
                raise provider_error(self._entry.name, error, openai) from error
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ProviderError(f"{self._entry.name}: its answer is not of the OpenAI form.", fault=Fault.BAD_ANSWER) from error

        return _completion(called_within(timeout_s, self._entry.name, answer), self._entry, between)


def _without_lengths(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return {key: _without_lengths(value) for key, value in schema.items() if key not in ("minLength", "maxLength", "title")}
    return [_without_lengths(value) for value in schema] if isinstance(schema, list) else schema


def api_key(entry: ProviderEntry) -> str:
    """The key from the environment; servers of one's own need none, but the SDKs insist on a value. Raises `ProviderError`."""
    name = entry.api_key_env
    if name and not os.environ.get(name):
        raise ProviderError(f"{entry.name}: the variable {name} is not set.", fault=Fault.UNAUTHORISED)
    return os.environ[name] if name else "none"


def _picture(jpeg: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{jpeg}"}}


def _completion(answer: Any, entry: ProviderEntry, between: Sequence[str]) -> Completion:
    choices = getattr(answer, "choices", None)
    if not choices:
        raise ProviderError(f"{entry.name}: it sent no answer.", fault=Fault.BAD_ANSWER)
    message, finish = choices[0].message, choices[0].finish_reason
    text = message.content or ""
    if getattr(message, "refusal", None) or finish == "content_filter":
        raise ProviderError(f"{entry.name}: the model declined.", fault=Fault.REFUSED)
    if fenced := _FENCED.match(text):
        text = fenced[1]
    cut = finish == "length"
    if not cut:
        require_json(text, f"{entry.name}: it answered something that is not JSON.")
    usage = answer.usage
    return Completion(
        text=text,
        finish="length" if cut else "stop",
        model=str(answer.model or entry.model)[:200],
        prompt_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        cached_tokens=0,
        answer_tokens=getattr(usage, "completion_tokens", 0) or 0,
        weights=weighed(_tokens(choices[0]), between),
    )


def _tokens(choice: Any) -> list[tuple[str, dict[str, float]]]:
    """Each token that is told of, with the likeliest in its place; none where the endpoint tells nothing, or in another form."""
    try:
        return [
            (str(token.token), {str(other.token): float(other.logprob) for other in token.top_logprobs})
            for token in choice.logprobs.content
        ]
    except (AttributeError, TypeError, ValueError):
        return []
