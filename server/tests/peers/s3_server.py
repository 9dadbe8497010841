"""A moto server with buckets, and a stand-in that answers as services do when something is wrong."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import botocore.session
from botocore.config import Config
from moto.server import ThreadedMotoServer


class S3Server:
    """A moto server on a loopback port. It does not check signatures."""

    def __init__(self) -> None:
        self._server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self._server.start()
        host, self.port = self._server.get_host_and_port()
        self.endpoint = f"http://{host}:{self.port}"
        self.client: Any = botocore.session.Session().create_client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=Config(s3={"addressing_style": "path"}),
        )

    def make_bucket(self, name: str) -> str:
        self.client.create_bucket(Bucket=name)
        return name

    def keys(self, bucket: str) -> list[str]:
        return [row["Key"] for row in self.client.list_objects_v2(Bucket=bucket).get("Contents", ())]

    def uploads(self, bucket: str) -> list[str]:
        return [row["UploadId"] for row in self.client.list_multipart_uploads(Bucket=bucket).get("Uploads", ())]

    def stop(self) -> None:
        self._server.stop()


@dataclass
class OddService:
    """How the next requests are answered. `manner`: "error", "silent", "drip", "close", "other" (bytes of a stranger),
    "sized" (a HEAD of 1000 bytes), "huge" (8 MiB),
    "bare" (200 without headers and content), "unlisted" (no right to list).
    """

    manner: str = "error"
    status: int = 403
    code: str = "AccessDenied"
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    port: int = 0
    content: bytes = b""
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: OddService
    _sent = b""

    def _handle(self) -> None:
        self._sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.service.requests.append(f"{self.command} {self.path}")
        with suppress(OSError):
            getattr(self, f"_{self.service.manner}")()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _handle  # noqa: N815 - the names of the base class

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _error(self) -> None:
        text = f"<Error><Code>{self.service.code}</Code><Message>no</Message></Error>"
        self._answer(self.service.status, text.encode(), **self.service.headers)

    def _other(self) -> None:
        self._answer(200 if self.command != "DELETE" else 204, b"x" * 64 if self.command == "GET" else b"")

    def _sized(self) -> None:
        self._answer(200, bytes(1000))

    def _huge(self) -> None:
        self._answer(self.service.status, b"<" + b" " * (8 << 20))

    def _bare(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def _unlisted(self) -> None:
        """The answers to a key that may read, write and delete objects, but list nothing."""
        if self.command == "PUT":
            self.service.content = self._sent
        lists = "uploads" in self.path and self.command == "GET"
        if self.command == "HEAD" or lists:
            self._answer(403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
        elif self.command == "GET":
            first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
            self._answer(206, self.service.content[int(first) : int(last) + 1])
        else:
            self._answer(204 if self.command == "DELETE" else 200, b"")

    def _silent(self) -> None:
        self.service.released.wait(30)
        self.close_connection = True

    def _close(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _drip(self) -> None:
        self.close_connection = True
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 600:
            if self.service.released.wait(0.1):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Nothing: tests read `requests`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def odd_service(service: OddService) -> Iterator[OddService]:
    """Listen on a loopback port until the block ends."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"service": service}))
    service.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
