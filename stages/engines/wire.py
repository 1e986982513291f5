"""One call over the network, bounded in time and size, and its failure in the words of the provider chain.

An endpoint is configured, not trusted. The libraries' time limits are for each read, so a server that sends one byte a minute is never
late, and looking up a name has no limit at all: here one clock runs from the start of the call to its last byte. Answers are not
decompressed and end at a number of bytes, redirects are not followed, and a call to a host of one's own takes no proxy, which would carry
the evidence elsewhere.
"""

from __future__ import annotations

import queue
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, Final, TypeVar, cast

import httpx2

from stages.engines.completion import Fault, ProviderError
from stages.settings import ProviderEntry, host_of

__all__ = ["bounded_client", "called_within", "provider_error"]

_Result = TypeVar("_Result")

_MOST_BYTES: Final = 2_000_000
"""Many times any answer that was asked for; who sends more is not answering the question."""


class _TooLarge(httpx2.ReadError):
    pass


class _BoundedStream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        received = 0
        for chunk in self._stream:
            received += len(chunk)
            if received > _MOST_BYTES:
                raise _TooLarge("the answer is too large")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer did not end in time")
            yield chunk

    def close(self) -> None:
        self._stream.close()


class _BoundedTransport(httpx2.BaseTransport):
    def __init__(self, inner: httpx2.BaseTransport, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._inner.handle_request(request)
        if answer.headers.get("content-encoding", "identity") != "identity":
            answer.close()
            raise _TooLarge("a compressed answer was not asked for")
        stream = _BoundedStream(cast(httpx2.SyncByteStream, answer.stream), self._deadline)
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=stream, extensions=answer.extensions)

    def close(self) -> None:
        self._inner.close()


def bounded_client(entry: ProviderEntry, timeout_s: float) -> httpx2.Client:
    """A client for one call to this provider that ends within `timeout_s` seconds, follows nothing and takes no more than it should."""
    secure = False if entry.base_url.startswith("http:") else _tls()
    transport = httpx2.HTTPTransport(verify=secure, proxy=None if entry.stays else _proxy(entry.base_url))
    bounded = _BoundedTransport(transport, time.monotonic() + timeout_s)
    return httpx2.Client(transport=bounded, timeout=timeout_s, follow_redirects=False, headers={"accept-encoding": "identity"})


@cache
def _tls() -> ssl.SSLContext:
    """The authorities that this machine trusts; reading them takes a third of a second, so it is done once, and only for https."""
    return httpx2.create_ssl_context()


def _proxy(address: str) -> str | None:
    """The proxy that the environment names for this address."""
    if urllib.request.proxy_bypass(host_of(address)):
        return None
    return urllib.request.getproxies().get("http" if address.startswith("http:") else "https")


def called_within(seconds: float, name: str, call: Callable[[], _Result]) -> _Result:
    """What `call` returns or raises; a `ProviderError` for `name` when it takes longer. What is late is left behind, not awaited."""
    outcome: queue.SimpleQueue[tuple[_Result | None, BaseException | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, which raises it
            outcome.put((None, error))

    threading.Thread(target=work, name=f"ask {name}", daemon=True).start()
    try:
        result, error = outcome.get(timeout=seconds)
    except queue.Empty:
        raise ProviderError(f"{name}: it did not answer within {seconds:.3g} s.", fault=Fault.TIMEOUT) from None
    if error is not None:
        raise error
    return cast(_Result, result)


def provider_error(name: str, error: Exception, sdk: ModuleType) -> ProviderError:
    """The fault in one bounded line; never the body of an answer, which may hold anything. `sdk` is the library that raised it."""
    status = getattr(error, "status_code", None)
    said = f"{type(error).__name__}{f' (HTTP {status})' if status else ''}"
    if _caused_by(error, _TooLarge):
        return ProviderError(f"{name}: its answer is larger than an answer is, or compressed.", fault=Fault.BAD_ANSWER)
    return ProviderError(f"{name}: {said}", fault=_fault(error, status, sdk), retry_after_s=_retry_after(error))


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def _fault(error: Exception, status: int | None, sdk: Any) -> Fault:
    if isinstance(error, sdk.APITimeoutError):
        return Fault.TIMEOUT
    if status in (401, 403):
        return Fault.UNAUTHORISED
    if status in (400, 422):
        return Fault.MALFORMED
    if status in (402, 429):
        return Fault.OVERLOADED
    if isinstance(error, sdk.APIResponseValidationError):
        return Fault.BAD_ANSWER
    return Fault.UNAVAILABLE


def _retry_after(error: Exception) -> float | None:
    """Seconds that the endpoint asks to wait; None where it does not say, or says it as a date."""
    answer = getattr(error, "response", None)
    try:
        return float(answer.headers["retry-after"]) if answer is not None else None
    except (KeyError, ValueError):
        return None
