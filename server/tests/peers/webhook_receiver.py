"""A receiver of webhooks that verifies every request with the reference library, and misbehaves on request."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError


@dataclass
class Received:
    """A request that carried a valid signature of each secret that the receiver knows."""

    message_id: str
    timestamp: str
    signature: str
    document: dict[str, Any]


@dataclass
class Receiver:
    """What came, and how the next requests are answered.

    `answers`: statuses, first in first out; then `status`. `manner`: "silent", "drip", "huge", "close", "redirect".
    """

    secrets: list[str] = field(default_factory=list)
    status: int = 204
    answers: deque[int] = field(default_factory=deque)
    manner: str = ""
    location: str = ""
    received: list[Received] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    port: int = 0
    before_answer: Callable[[], None] = lambda: None
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=a%2Fb"

    @property
    def kinds(self) -> list[str]:
        return [one.document["type"] for one in self.received]

    def take(self, headers: dict[str, str], body: bytes) -> None:
        for secret in self.secrets:
            try:
                Verifier(secret).verify(body, headers)
            except WebhookVerificationError as error:
                self.invalid.append(str(error))
                return
        self.received.append(
            Received(
                headers["webhook-id"], headers["webhook-timestamp"], headers["webhook-signature"], json.loads(body)
            )
        )


class _Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        receiver = self.receiver
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver.paths.append(self.path)
        receiver.take({name.lower(): value for name, value in self.headers.items()}, body)
        receiver.before_answer()
        with suppress(OSError):
            getattr(self, f"_{receiver.manner}" if receiver.manner else "_answer")()

    def do_GET(self) -> None:
        self.receiver.paths.append(self.path)
        self._answer()

    def _answer(self, **headers: str) -> None:
        receiver = self.receiver
        self.send_response(receiver.answers.popleft() if receiver.answers else receiver.status)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _redirect(self) -> None:
        self.receiver.answers.append(302)
        self._answer(Location=self.receiver.location)

    def _silent(self) -> None:
        self.receiver.released.wait(30)

    def _close(self) -> None:
        self.connection.close()

    def _drip(self) -> None:
        """The head of an answer, a byte each tenth of a second."""
        for byte in b"HTTP/1.1 204 No Content\r\nX-Slow: " + b"x" * 600:
            if self.receiver.released.wait(0.1):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def _huge(self) -> None:
        """An answer without end."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not self.receiver.released.is_set():
            self.wfile.write(b"x" * 65536)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Nothing: tests read `received`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def receiving(receiver: Receiver, port: int = 0) -> Iterator[Receiver]:
    """Listen on a loopback port until the block ends. Fails when a request had no valid signature."""
    server = _Server(("127.0.0.1", port), type("Handler", (_Handler,), {"receiver": receiver}))
    receiver.port = server.server_address[1]
    receiver.released.clear()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
    assert receiver.invalid == []
