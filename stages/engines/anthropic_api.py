"""Anthropic's Messages API, through its SDK (the extra `anthropic`).

The answer is asked for as the input of a tool that has to be called: its schema is the same one that other providers are handed. The
library parses what arrives, so an input that was cut at the limit of tokens looks whole; its last statement is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from stages.engines.completion import Completion, Fault, Message, ProviderError, in_dialect
from stages.engines.endpoint import api_key
from stages.engines.wire import bounded_client, called_within, provider_error
from stages.settings import ProviderEntry

__all__ = ["AnthropicModel"]

_TOOL: Final = "answer"


class AnthropicModel:
    """One model behind Anthropic's API, or behind an address that speaks like it."""

    def __init__(self, entry: ProviderEntry) -> None:
        self._entry = entry

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        between: Sequence[str] = (),
    ) -> Completion:
        """One answer that obeys the JSON `schema`; raises `ProviderError`. The service weighs no words."""
        try:
            import anthropic
        except ImportError as error:
            hint = "Install the extra: pip install 'frame-oracle[anthropic]'."
            raise ProviderError(f"{self._entry.name}: anthropic is not installed.", fault=Fault.UNAVAILABLE, hint=hint) from error
        request: dict[str, Any] = {
            "model": self._entry.model,
            "max_tokens": max_tokens,
            "system": "\n\n".join(str(message["content"]) for message in messages if message["role"] == "system"),
            "messages": [in_dialect(message, _picture) for message in messages if message["role"] != "system"],
            "tools": [{"name": _TOOL, "description": "Gives the answer.", "input_schema": dict(schema)}],
            "tool_choice": {"type": "tool", "name": _TOOL},
        }
        key = api_key(self._entry)

        def answer() -> Any:
            try:
                with bounded_client(self._entry, timeout_s) as transport:
                    client = anthropic.Anthropic(
                        base_url=self._entry.base_url or None, api_key=key, timeout=timeout_s, max_retries=0, http_client=transport
                    )
                    return client.messages.create(**request)
            except anthropic.AnthropicError as error:
                raise provider_error(self._entry.name, error, anthropic) from error
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ProviderError(f"{self._entry.name}: its answer is not of Anthropic's form.", fault=Fault.BAD_ANSWER) from error

        return _completion(called_within(timeout_s, self._entry.name, answer), self._entry)


def _picture(jpeg: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": jpeg}}


def _completion(answer: Any, entry: ProviderEntry) -> Completion:
    content, reason = getattr(answer, "content", None), getattr(answer, "stop_reason", None)
    if reason == "refusal":
        raise ProviderError(f"{entry.name}: the model declined.", fault=Fault.REFUSED)
    said = next((block.input for block in content or () if getattr(block, "type", "") == "tool_use" and block.name == _TOOL), None)
    if not isinstance(said, dict) or not said:
        raise ProviderError(f"{entry.name}: it sent no answer.", fault=Fault.BAD_ANSWER)
    cut = reason == "max_tokens"
    if cut:
        said = {key: value[:-1] for key, value in said.items() if isinstance(value, list)}
    usage = getattr(answer, "usage", None)
    return Completion(
        text=json.dumps(said, ensure_ascii=False),
        finish="length" if cut else "stop",
        model=str(answer.model or entry.model)[:200],
        prompt_tokens=getattr(usage, "input_tokens", 0) or 0,
        cached_tokens=getattr(usage, "cache_read_input_tokens", 0) or 0,
        answer_tokens=getattr(usage, "output_tokens", 0) or 0,
    )
