"""The provider chain: who is asked, in which order, and what happens when one does not answer.

A report is never blank because a model was down: after the last provider comes `literal`, which quotes. A provider that was named on
the command line is the whole chain, and its failure is an error, because the person asked for that one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from stages.engines.anthropic_api import AnthropicModel
from stages.engines.completion import Completion, Fault, Message, ProviderError, TextModel
from stages.engines.embedded import EmbeddedModel
from stages.engines.endpoint import Endpoint
from stages.errors import MissingModel, UsageError
from stages.models import get_model, is_present, list_models, model_hash
from stages.settings import Budget, ProviderEntry, Settings

__all__ = ["DEFAULT_EMBEDDED", "LITERAL", "NO_MODEL", "Chain", "Link", "named_entry", "provider_chain"]

LITERAL: Final = "literal"
"""Name of the floor of the chain: no model, the evidence quoted."""
NONE: Final = "none"
NO_MODEL: Final = (NONE, LITERAL)
"""Names by which somebody asks for no model at all."""
DEFAULT_EMBEDDED: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m"
_LATE: Final[dict[str, float]] = {}
"""When each endpoint was last too slow in this process: a folder of a hundred videos does not wait a hundred times for one that hangs."""
_REST_S: Final = 300.0
_DEFAULT_BUDGET: Final = Budget()
_LONGEST_WAIT_S: Final = 20.0
"""A provider that wants to be left alone for longer is as good as down."""
_SHORTEST_CALL_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Link:
    """One provider of the chain, ready to be asked."""

    entry: ProviderEntry
    model: TextModel
    fingerprint: str
    """What its answers depend on: the weights' hash, or the endpoint's address and model name."""


class Chain:
    """Asks the first provider that works and stays with it; keeps the reasons of those that did not answer.

    This is the one layer that tries again: once for each provider, where it says when and that is soon.
    """

    def __init__(
        self, links: Sequence[Link], failovers: Sequence[str] = (), *, budget: Budget = _DEFAULT_BUDGET, only: bool = False
    ) -> None:
        """`only`: the chain is one provider that was asked for by name, so that its failure is an error."""
        self._links = list(links)
        self._only = only
        self._budget = budget
        self._started = time.monotonic()
        self._waited: set[str] = set()
        self.failovers: list[str] = list(failovers)
        self.calls = 0
        self.tokens = 0
        self.stayed = True
        """False once evidence was sent to a host that is not one's own, whether or not an answer came back."""

    @property
    def fingerprint(self) -> str:
        return "\n".join(link.fingerprint for link in self._links)

    @property
    def current(self) -> Link | None:
        """The provider that is asked next; None when only `literal` is left."""
        return self._links[0] if self._links else None

    @property
    def spent(self) -> str:
        """What of the budget is used up, for people; empty while there is some left."""
        used = (
            (time.monotonic() - self._started >= self._budget.seconds, f"{self._budget.seconds:g} seconds"),
            (self.calls >= self._budget.calls, f"{self._budget.calls} calls"),
            (self.tokens >= self._budget.tokens, f"{self._budget.tokens} tokens"),
        )
        return next((what for over, what in used if over), "")

    def complete(
        self, link: Link, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int, between: Sequence[str] = ()
    ) -> Completion:
        """An answer of this provider, within what is left of the budget, as `TextModel.complete` has it. Raises `ProviderError`."""
        try:
            return self._call(link, messages, schema, max_tokens, between)
        except ProviderError as error:
            wait = error.retry_after_s
            if wait is None or not 0 <= wait <= min(_LONGEST_WAIT_S, self._left_s) or link.entry.name in self._waited:
                raise
            self._waited.add(link.entry.name)
            time.sleep(wait)
            return self._call(link, messages, schema, max_tokens, between)

    def failed(self, link: Link, error: ProviderError) -> None:
        """`link` is not asked again. Raises `error` where it was the one asked for by name."""
        if self._only:
            raise error
        if error.fault is Fault.TIMEOUT and link.entry.kind != "embedded":
            _LATE[link.fingerprint] = time.monotonic()
        said = error.message
        self.failovers.append(said if said.startswith(f"{link.entry.name}: ") else f"{link.entry.name}: {said}")
        self._links.remove(link)

    @property
    def _left_s(self) -> float:
        return max(self._budget.seconds - (time.monotonic() - self._started), 0.0)

    def _call(
        self, link: Link, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int, between: Sequence[str]
    ) -> Completion:
        self.calls += 1
        self.stayed &= link.entry.stays
        timeout_s = max(min(link.entry.timeout_s, self._left_s), _SHORTEST_CALL_S)
        said = link.model.complete(messages, schema=schema, max_tokens=max_tokens, timeout_s=timeout_s, between=between)
        self.tokens += said.prompt_tokens + said.answer_tokens
        return said


def provider_chain(settings: Settings) -> Chain:
    """The chain that `settings` describe: configured endpoints, else the embedded model, else `literal`."""
    if settings.model in NO_MODEL:
        return Chain([])
    budget = settings.budget
    if settings.model:
        return Chain([_link(named_entry(settings.model, settings.providers))], budget=budget, only=True)
    if settings.providers:
        return _configured(settings.providers, budget)
    if is_present(DEFAULT_EMBEDDED):
        return Chain([_link(_embedded_entry(DEFAULT_EMBEDDED))], budget=budget)
    return Chain([], [f"{DEFAULT_EMBEDDED}: not on this machine (frame-oracle models get {DEFAULT_EMBEDDED})"])


def _configured(providers: Sequence[ProviderEntry], budget: Budget) -> Chain:
    """The chain of the configuration; weights that are not on this machine are a provider that does not answer."""
    links: list[Link] = []
    absent: list[str] = []
    for entry in providers:
        try:
            link = _link(entry)
        except MissingModel as error:
            absent.append(f"{entry.name}: {error.message}")
            continue
        if time.monotonic() - _LATE.get(link.fingerprint, -math.inf) < _REST_S:
            absent.append(f"{entry.name}: it did not answer in time for another video, less than {_REST_S:g} s ago")
        else:
            links.append(link)
    return Chain(links, absent, budget=budget)


def named_entry(name: str, providers: Sequence[ProviderEntry]) -> ProviderEntry:
    """The provider that goes by this name, configured or embedded. Raises `UsageError` where there is none."""
    for entry in providers:
        if entry.name == name:
            return entry
    embedded = [spec.name for spec in list_models() if spec.kind == "language"]
    if name in embedded:
        return _embedded_entry(name)
    known = [*(entry.name for entry in providers), *embedded, NONE]
    raise UsageError(f"model: {name!r} is not a provider of the chain.", hint=f"Choose one of {', '.join(known)}.")


def _embedded_entry(name: str) -> ProviderEntry:
    return ProviderEntry(name=name, kind="embedded", model=name, timeout_s=600, context_tokens=4096)


def _link(entry: ProviderEntry) -> Link:
    asked = f"{entry.base_url} {entry.model} {entry.form} {entry.context_tokens} {entry.vision}"
    if entry.kind == "embedded":
        model = _embedded(get_model(entry.model), entry.context_tokens)
        return Link(entry, model, f"embedded {model_hash(entry.model)} {asked}")
    kind = AnthropicModel if entry.kind == "anthropic" else Endpoint
    return Link(entry, kind(entry), f"{entry.kind} {asked}")


@cache
def _embedded(path: Path, context_tokens: int) -> EmbeddedModel:
    """One loaded copy in a process, whatever the number of videos."""
    return EmbeddedModel(path, context_tokens=context_tokens)
