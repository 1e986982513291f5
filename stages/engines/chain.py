"""The provider chain: who is asked, in which order, and what happens when one does not answer.

A report is never blank because a model was down: after the last provider comes `literal`, which quotes. A provider that was named on
the command line is the whole chain, and its failure is an error, because the person asked for that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from stages.engines.completion import Completion, Message, ProviderError, TextModel
from stages.engines.embedded import EmbeddedModel
from stages.engines.endpoint import Endpoint
from stages.errors import UsageError
from stages.models import get_model, is_present, list_models, model_hash
from stages.settings import ProviderEntry, Settings

__all__ = ["DEFAULT_EMBEDDED", "LITERAL", "Chain", "Link", "provider_chain"]

LITERAL: Final = "literal"
"""Name of the floor of the chain: no model, the evidence quoted."""
NONE: Final = "none"
DEFAULT_EMBEDDED: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Link:
    """One provider of the chain, ready to be asked."""

    entry: ProviderEntry
    model: TextModel
    fingerprint: str
    """What its answers depend on: the weights' hash, or the endpoint's address and model name."""
    local: bool


class Chain:
    """Asks the first provider that works and stays with it; keeps the reasons of those that did not answer."""

    def __init__(self, links: Sequence[Link], failovers: Sequence[str] = ()) -> None:
        self._links = list(links)
        self.failovers: list[str] = list(failovers)
        self.only = False
        """Whether the chain is one provider that was asked for by name."""

    @property
    def fingerprint(self) -> str:
        return "\n".join(link.fingerprint for link in self._links)

    @property
    def current(self) -> Link | None:
        """The provider that is asked next; None when only `literal` is left."""
        return self._links[0] if self._links else None

    def complete(self, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int) -> tuple[Completion, Link] | None:
        """An answer and who gave it; None when no provider of the chain answers. Raises `ProviderError` for a chain of one by name."""
        while self._links:
            link = self._links[0]
            try:
                return link.model.complete(messages, schema=schema, max_tokens=max_tokens, timeout_s=link.entry.timeout_s), link
            except ProviderError as error:
                if self.only:
                    raise
                self.failovers.append(f"{link.entry.name}: {error.message}")
                self._links.pop(0)
        return None


def provider_chain(settings: Settings) -> Chain:
    """The chain that `settings` describe: configured endpoints, else the embedded model, else `literal`."""
    if settings.model in (NONE, LITERAL):
        return Chain([])
    if settings.model:
        chain = Chain([_named(settings.model, settings.providers)])
        chain.only = True
        return chain
    if settings.providers:
        return Chain([_link(entry) for entry in settings.providers])
    if is_present(DEFAULT_EMBEDDED):
        return Chain([_link(_embedded_entry(DEFAULT_EMBEDDED))])
    return Chain([], [f"{DEFAULT_EMBEDDED}: not on this machine (frame-oracle models get {DEFAULT_EMBEDDED})"])


def _named(name: str, providers: Sequence[ProviderEntry]) -> Link:
    for entry in providers:
        if entry.name == name:
            return _link(entry)
    embedded = [spec.name for spec in list_models() if spec.kind == "language"]
    if name in embedded:
        return _link(_embedded_entry(name))
    known = [*(entry.name for entry in providers), *embedded, NONE]
    raise UsageError(f"model: {name!r} is not a provider of the chain.", hint=f"Choose one of {', '.join(known)}.")


def _embedded_entry(name: str) -> ProviderEntry:
    return ProviderEntry(name=name, kind="embedded", model=name, local=True, timeout_s=600)


def _link(entry: ProviderEntry) -> Link:
    if entry.kind == "embedded":
        model = _embedded(get_model(entry.model), entry.context_tokens)
        return Link(entry, model, f"embedded {model_hash(entry.model)}", local=True)
    host = urlsplit(entry.base_url).hostname or ""
    return Link(entry, Endpoint(entry), f"openai {entry.base_url} {entry.model}", local=entry.local or host in _LOOPBACK)


@cache
def _embedded(path: Path, context_tokens: int) -> EmbeddedModel:
    """One loaded copy in a process, whatever the number of videos."""
    return EmbeddedModel(path, context_tokens=context_tokens)
