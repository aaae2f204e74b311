"""A real HTTP server that plays an embeddings endpoint, with the faults it is told to have."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIM = 6


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server sends."""

    status: int
    body: object
    headers: dict[str, str] = field(default_factory=dict)


Fault = Callable[[int, list[str]], Answer | None]
"""Told the number of the request, from 0, and its texts; None for no fault."""


@dataclass(slots=True)
class Served:
    """A running server and what it was sent."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_open: int = 0


def vector_of(text: str) -> list[float]:
    """A text's vector: what its hash says."""
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:DIM]]


def good(texts: list[str]) -> dict[str, object]:
    """The answer of a server without fault, its rows in no order."""
    rows = [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(texts)]
    return {"object": "list", "data": rows[::-1], "model": "m"}


@contextlib.contextmanager
def embeddings_server(
    fault: Fault = lambda _number, _texts: None, *, gate: threading.Barrier | None = None
) -> Iterator[Served]:
    """Serve on loopback.

    Args:
        fault: What to answer in place of vectors.
        gate: Requests but the first wait here for each other.
    """
    served = Served(url="")
    lock = threading.Lock()
    open_now = 0

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal open_now
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            with lock:
                number = len(served.bodies)
                served.bodies.append({"path": self.path, **body})
                served.headers.append(dict(self.headers))
                open_now += 1
                served.most_open = max(served.most_open, open_now)
            if gate is not None and number:
                gate.wait(timeout=20)
            answer = fault(number, body["input"]) or Answer(200, good(body["input"]))
            with lock:
                open_now -= 1
            self.reply(answer)

        def reply(self, answer: Answer) -> None:
            raw = answer.body
            content = raw.encode() if isinstance(raw, str) else json.dumps(raw).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
