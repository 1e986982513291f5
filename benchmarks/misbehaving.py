"""A language-model provider on loopback that misbehaves in one way at a time: real sockets, real HTTP, in two dialects."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

__all__ = ["FAULTS", "MODEL", "Reply", "Service", "cut", "good", "reply", "send", "serving"]

Reply = Callable[["Handler"], None]

MODEL: Final = "modelo-7b"
"""What the server calls its model, whatever it is asked for."""


@dataclass
class Service:
    """What the server does, and what it was asked."""

    reply: Reply
    requests: list[dict[str, Any]] = field(default_factory=list)
    address: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    """Ends what hangs."""
    answers: int | None = None
    """How many requests it answers before it closes its port; None: all."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    service: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.service.requests.append(json.loads(body))
        try:
            self.service.reply(self)
        except OSError:
            self.close_connection = True  # the other side has left
        if len(self.service.requests) == self.service.answers:
            self.server.shutdown()
            self.server.server_close()

    @property
    def anthropic(self) -> bool:
        """Whether it was asked in Anthropic's dialect."""
        return self.path.endswith("/messages")

    def log_message(self, *args: object) -> None:
        """Silence."""


@contextmanager
def serving(reply: Reply, port: int = 0, answers: int | None = None) -> Iterator[Service]:
    """A server that answers every request by `reply`, on a free port or on `port`; after `answers` of them nothing listens there."""
    service = Service(reply, answers=answers)
    kind = type("Bound", (Handler,), {"service": service})
    server = ThreadingHTTPServer(("127.0.0.1", port), kind)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    service.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield service
    finally:
        service.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def send(handler: Handler, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
    """One whole answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def good(statements: list[Mapping[str, Any]]) -> Reply:
    """A provider that answers, with these statements."""
    return lambda handler: send(handler, 200, reply(handler, {"statements": statements}))


def cut(text: str, statements: list[Mapping[str, Any]]) -> Reply:
    """A provider whose answer ends at its limit of tokens: `text` in one dialect; in the other `statements`, the last one unfinished."""

    def cut_off(handler: Handler) -> None:
        said: Any = {"statements": statements} if handler.anthropic else text
        send(handler, 200, reply(handler, said, "max_tokens" if handler.anthropic else "length"))

    return cut_off


def reply(handler: Handler, said: Any, finish: str = "") -> bytes:
    """An answer in the dialect of the question: an object is what was asked for, a text is something else, None is nothing."""
    if handler.anthropic:
        blocks: list[dict[str, Any]] = []
        if isinstance(said, str):
            blocks = [{"type": "text", "text": said}]
        elif said is not None:
            blocks = [{"type": "tool_use", "id": "t", "name": "answer", "input": said}]
        message = {"id": "m", "type": "message", "role": "assistant", "model": MODEL, "content": blocks, "stop_sequence": None}
        return json.dumps(message | {"stop_reason": finish or "tool_use", "usage": {"input_tokens": 9, "output_tokens": 9}}).encode()
    content = said if said is None or isinstance(said, str) else json.dumps(said)
    choice = {"index": 0, "finish_reason": finish or "stop", "message": {"role": "assistant", "content": content}}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    return json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": usage}).encode()


def _status(status: int, body: bytes = b"{}", **headers: str) -> Reply:
    return lambda handler: send(handler, status, body, **headers)


def _says(said: Any, finish: str = "") -> Reply:
    return lambda handler: send(handler, 200, reply(handler, said, finish))


def _refuses(handler: Handler) -> None:
    send(handler, 200, reply(handler, None, "refusal" if handler.anthropic else "content_filter"))


def _resets(handler: Handler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _hangs(handler: Handler) -> None:
    handler.service.released.wait(120)


def _drips(head: bytes, drop: bytes) -> Reply:
    def drip(handler: Handler) -> None:
        handler.wfile.write(head)
        while not handler.service.released.wait(0.1):
            handler.wfile.write(drop)

    return drip


def _breaks_off(handler: Handler) -> None:
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"choices": [')
    handler.connection.close()


def _floods(handler: Handler) -> None:
    send(handler, 200, reply(handler, {"statements": [{"base": "fala", "text": "x" * 10_000_000}]}))


def _floods_packed(handler: Handler) -> None:
    send(handler, 200, gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")


_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

FAULTS: Final[Mapping[str, Reply]] = {
    "400": _status(400),
    "401": _status(401),
    "402 no credit left": _status(402),
    "403": _status(403),
    "404": _status(404),
    "429, Retry-After an hour": _status(429, b'{"error": {"message": "slow down"}}', Retry_After="3600"),
    "429, Retry-After a date": _status(429, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT"),
    "500": lambda handler: send(handler, 500, b"oops", "text/plain"),
    "503": _status(503),
    "529 overloaded": _status(529),
    "a redirect": _status(302, b"", Location="http://127.0.0.1:9/"),
    "it hangs": _hangs,
    "headers, a byte at a time": _drips(_HEAD + b"X-Slow: ", b"a"),
    "a body, a byte at a time": _drips(_HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "a reset connection": _resets,
    "a closed connection": lambda handler: handler.connection.close(),
    "a body that breaks off": _breaks_off,
    "an HTML page": lambda handler: send(handler, 200, b"<html><script>alert(1)</script></html>", "text/html"),
    "invalid JSON": _status(200, b"{{{"),
    "cut JSON": _says('{"statements": [{"base": "fala", "te'),
    "JSON of another form": _status(200, b'{"answer": 42}'),
    "JSON nested without end": _status(200, b"[" * 200_000),
    "no choices": _status(200, b'{"choices": [], "content": []}'),
    "an empty answer": _says(""),
    "no content": _says(None),
    "prose": _says("Claro! São 500 g."),
    "a refusal": _refuses,
    "ten megabytes": _floods,
    "fifty megabytes, compressed": _floods_packed,
}
"""Each way to misbehave after which the next provider, and at last `literal`, has to answer."""
