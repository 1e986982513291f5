"""A GGUF language model inside this process, through xllamacpp (llama.cpp): no service to install, and evidence never leaves.

xllamacpp's `Server` always opens a listener, by default a port of the loopback without a key that any page in a browser may call. Here
it listens on a socket in a folder that only this user can enter, which also works with the network off, and nothing of ours calls it:
requests go through the object.

The JSON Schema is compiled to a grammar that the sampler obeys. A schema that cannot be compiled does not fail there: the sampler
then runs free. So an answer that is not JSON is refused, whatever the reason.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from stages.engines.completion import Completion, Fault, Message, ProviderError, require_json, weighed

__all__ = ["EmbeddedModel"]

_SILENT: Final = -1
"""Below llama.cpp's lowest level: it logs to stderr, beside our progress and our errors."""
_BATCH: Final = 128
"""Prompt tokens computed at a time: between two batches a call can be stopped, some 7 s for the 1.5B on one busy core."""
_LIKELIEST: Final = 10
"""Tokens that are told of each place; the words between which an answer decides are among them."""
_BUSY_PERCENT: Final = 50.0
_MOST_THREADS: Final = 8
_COMPACT: Final = {"x-guidance": {"whitespace_flexible": False, "coerce_one_of": True}}
"""Indentation is a third of an answer's tokens and says nothing; a tagged union's variants exclude each other."""


class EmbeddedModel:
    """A GGUF file, loaded at the first call. One per process; calls from several threads wait for each other."""

    def __init__(self, path: Path, *, context_tokens: int = 8192, threads: int = 0, seed: int = 0) -> None:
        """`threads` 0: as many as there are idle cores when the model is loaded."""
        self._path = path
        self._context_tokens = context_tokens
        self._threads = threads
        self._seed = seed
        self._turn = threading.Lock()
        self._server: Any = None
        self._private: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        between: Sequence[str] = (),
    ) -> Completion:
        """One answer that obeys `schema`, at temperature 0; a prompt that begins like the last one goes on from there.

        `timeout_s` (seconds) bounds the answer, not the loading. Raises `ProviderError`.
        """
        with self._turn:
            server = self._loaded()
            request = {
                "messages": [dict(message) for message in messages],
                "grammar": _grammar(schema),
                "max_tokens": max_tokens,
                "temperature": 0,
                "seed": self._seed,
                "stream": True,
                "return_progress": True,
                "stream_options": {"include_usage": True},
            }
            if between:
                request |= {"logprobs": True, "top_logprobs": _LIKELIEST}
            return _completion(_run(server, request, timeout_s), self._path.stem, between)

    def close(self) -> None:
        """Give the memory back; a later call loads the model again."""
        with self._turn:
            self._server = None
            if self._private is not None:
                self._private.cleanup()
                self._private = None

    def _loaded(self) -> Any:
        if self._server is None:
            import xllamacpp

            self._private = tempfile.TemporaryDirectory(prefix="frame-oracle-")
            try:
                self._server = xllamacpp.Server(self._parameters(xllamacpp.CommonParams()))
            except RuntimeError as error:
                self._private.cleanup()
                raise ProviderError(f"{self._path}: llama.cpp cannot load this model: {error}", fault=Fault.UNAVAILABLE) from error
        return self._server

    def _parameters(self, parameters: Any) -> Any:
        assert self._private is not None
        parameters.verbosity = _SILENT
        parameters.model.path = os.fspath(self._path)
        parameters.hostnames = [os.fspath(Path(self._private.name, "llama.sock"))]
        parameters.offline = True
        parameters.ui = False
        parameters.endpoint_slots = False
        parameters.n_ctx = self._context_tokens
        parameters.n_parallel = 1
        parameters.n_batch = parameters.n_ubatch = _BATCH
        parameters.n_gpu_layers = 0
        threads = self._threads or _idle_cores()
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
        parameters.warmup = False
        parameters.cache_ram_mib = 0  # the slot keeps the last prompt; older ones would take up to 8 GiB
        return parameters


def _idle_cores() -> int:
    """Cores that nobody uses now, at least 1.

    llama.cpp's threads spin while they wait for each other: on two cores of which another process held one, two threads took 97 s for
    a prompt that one thread read in 40 s.
    """
    import psutil

    idle: int = sum(busy < _BUSY_PERCENT for busy in psutil.cpu_percent(interval=0.3, percpu=True))
    return min(max(idle, 1), _MOST_THREADS)


def _grammar(schema: Mapping[str, object]) -> str:
    import xllamacpp

    grammar: str = xllamacpp.json_schema_to_grammar({**schema, **_COMPACT})
    return grammar


def _run(server: Any, request: Mapping[str, object], timeout_s: float) -> list[dict[str, Any]]:
    """The events of one streamed answer.

    The call runs in a thread of its own: it does not notice a Ctrl-C, and an exception in its callback is lost. The callback can
    only ask it to stop, which it does at the next token or batch; a future is awaited, not the thread, because an interrupted
    `Thread.join` takes the running thread for ended (CPython issue 90882) and the process would then end under llama.cpp's feet.
    """
    events: list[dict[str, Any]] = []
    stopped = threading.Event()

    def receive(event: dict[str, Any]) -> bool:
        events.append(event)
        return stopped.is_set()

    with ThreadPoolExecutor(1, thread_name_prefix="llama") as pool:
        try:
            pool.submit(server.handle_chat_completions, dict(request), receive).result(timeout_s)
        except TimeoutError as error:
            raise ProviderError(f"The embedded model did not finish within {timeout_s:g} s.", fault=Fault.TIMEOUT) from error
        except (RuntimeError, ValueError) as error:
            raise ProviderError(f"The embedded model failed: {error}", fault=Fault.UNAVAILABLE) from error
        finally:
            stopped.set()
    return events


def _completion(events: Sequence[Mapping[str, Any]], model: str, between: Sequence[str]) -> Completion:
    for event in events:
        if error := event.get("error"):
            fault = Fault.TOO_LONG if error.get("type") == "exceed_context_size_error" else Fault.UNAVAILABLE
            raise ProviderError(f"The embedded model failed: {error.get('message')}", fault=fault)
    choices = [choice for event in events for choice in event["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    cut = any(choice["finish_reason"] == "length" for choice in choices)
    if not cut:
        require_json(text, "The embedded model answered something that is not JSON: its grammar did not hold.")
    usage = events[-1]["usage"]
    told = [token for choice in choices for token in (choice.get("logprobs") or {}).get("content") or ()]
    tokens = ((token["token"], {other["token"]: other["logprob"] for other in token["top_logprobs"]}) for token in told)
    return Completion(
        text=text,
        finish="length" if cut else "stop",
        model=model,
        prompt_tokens=usage["prompt_tokens"],
        cached_tokens=usage["prompt_tokens_details"]["cached_tokens"],
        answer_tokens=usage["completion_tokens"],
        weights=weighed(tokens, between),
    )
