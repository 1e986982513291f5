"""Any OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a gateway), through the `openai` SDK.

There is one retry layer in this program, the provider chain, so the SDK's own is off: two layers multiply, and a scheduled run then
hangs for an hour on a server that is down. Redirects are not followed and the answer is bounded: an endpoint is configured, not trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from stages.engines.completion import Completion, Fault, Message, ProviderError, require_json
from stages.settings import ProviderEntry

__all__ = ["Endpoint"]

_MOST_CHARACTERS: Final = 200_000
"""More than any answer that was asked for; an endpoint that sends more is not answering the question."""


class Endpoint:
    """One configured endpoint. The connection is made at the first call."""

    def __init__(self, entry: ProviderEntry) -> None:
        self._entry = entry

    def complete(self, messages: Sequence[Message], *, schema: Mapping[str, object], max_tokens: int, timeout_s: float) -> Completion:
        """One answer that obeys the JSON `schema`; raises `ProviderError`."""
        import openai

        request: dict[str, Any] = {
            "model": self._entry.model,
            "messages": [dict(message) for message in messages],
            "max_tokens": max_tokens,
            "temperature": 0,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}},
        }
        try:
            with openai.DefaultHttpxClient(follow_redirects=False) as transport:
                client = openai.OpenAI(
                    base_url=self._entry.base_url, api_key=self._key(), timeout=timeout_s, max_retries=0, http_client=transport
                )
                answer = client.chat.completions.create(**request)
        except openai.OpenAIError as error:
            raise ProviderError(f"{self._entry.name}: {_plain(error)}", fault=_fault(error)) from error
        except (ValueError, TypeError, AttributeError) as error:
            raise ProviderError(f"{self._entry.name}: its answer is not of the OpenAI form.", fault=Fault.BAD_ANSWER) from error
        return _completion(answer, self._entry)

    def _key(self) -> str:
        """The key from the environment; servers of one's own need none, but the SDK insists on a value."""
        name = self._entry.api_key_env
        if name and not os.environ.get(name):
            raise ProviderError(f"{self._entry.name}: the variable {name} is not set.", fault=Fault.UNAUTHORISED)
        return os.environ[name] if name else "none"


def _plain(error: Exception) -> str:
    """The fault in one bounded line; never the body of an answer, which may hold anything."""
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}{f' (HTTP {status})' if status else ''}"


def _fault(error: Exception) -> Fault:
    import openai

    status = getattr(error, "status_code", None)
    if isinstance(error, openai.APITimeoutError):
        return Fault.TIMEOUT
    if status in (401, 403):
        return Fault.UNAUTHORISED
    if status in (402, 429):
        return Fault.OVERLOADED
    if isinstance(error, openai.APIResponseValidationError):
        return Fault.BAD_ANSWER
    return Fault.UNAVAILABLE


def _completion(answer: Any, entry: ProviderEntry) -> Completion:
    choices = getattr(answer, "choices", None)
    if not choices:
        raise ProviderError(f"{entry.name}: it sent no answer.", fault=Fault.BAD_ANSWER)
    message, finish = choices[0].message, choices[0].finish_reason
    text = message.content or ""
    if getattr(message, "refusal", None) or finish == "content_filter":
        raise ProviderError(f"{entry.name}: the model declined.", fault=Fault.REFUSED)
    if len(text) > _MOST_CHARACTERS:
        raise ProviderError(f"{entry.name}: its answer has {len(text)} characters.", fault=Fault.BAD_ANSWER)
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
    )
