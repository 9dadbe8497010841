"""Stands in for HashiCorp Vault, which cannot be had here: key-value 2, transit, AppRole and tokens over HTTP(S).

Written from Vault's documented answers. It refuses what Vault would refuse, and notes what a client must not send. Keys
and ciphertexts are real (AES-256-GCM). Faults are switched on by the tests.
"""

import base64
import binascii
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from peers.certificates import Certificate

MAX_VERSIONS: Final = 10
ROOT_TOKEN: Final = "hvs.root-token-5f2a"
ROLE_ID: Final = "role-71c0"
SECRET_ID: Final = "secret-id-9b4e"


@dataclass
class Version:
    number: int
    data: dict[str, Any] | None
    created: str
    deletion_time: str = ""
    destroyed: bool = False

    def metadata(self) -> dict[str, Any]:
        return {
            "version": self.number,
            "created_time": self.created,
            "deletion_time": self.deletion_time,
            "destroyed": self.destroyed,
            "custom_metadata": None,
        }


@dataclass
class Token:
    ends_at: float | None = None
    renewable: bool = False
    lease_s: float = 0
    max_ends_at: float | None = None

    def lives(self) -> bool:
        return self.ends_at is None or time.monotonic() < self.ends_at


@dataclass
class Asked:
    method: str
    path: str
    token: str


class Answer(Exception):
    def __init__(self, status: int, body: dict[str, Any] | None = None, headers: dict[str, str] | None = None) -> None:
        self.status, self.body, self.headers = status, body, headers or {}

    @classmethod
    def errors(cls, status: int, *texts: str) -> "Answer":
        return cls(status, {"errors": list(texts)})


@dataclass
class Vault:
    """The state of one Vault. `asked` has each request; `faults` what was wrong with requests."""

    namespace: str = ""
    lease_s: float = 3600
    max_lease_s: float | None = None
    asked: list[Asked] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    sealed: bool = False
    hanging: threading.Event | None = None
    #: Requests that have arrived while it hangs.
    hung: int = 0
    dripping_s: float = 0
    redirect_to: str = ""
    #: Status codes of the next answers, before anything is done.
    refusals: list[int] = field(default_factory=list)
    #: The next writes are done, but their answers are lost.
    lost_answers: int = 0
    forbidden: set[str] = field(default_factory=set)
    documents: dict[str, list[Version]] = field(default_factory=dict)
    keys: list[bytes] = field(default_factory=lambda: [AESGCM.generate_key(256)])
    tokens: dict[str, Token] = field(default_factory=lambda: {ROOT_TOKEN: Token()})
    sign_ins: int = 0
    renewals: int = 0
    #: Seconds that each answer takes.
    slow_s: float = 0
    lock: threading.RLock = field(default_factory=threading.RLock)

    def values(self) -> list[str]:
        """All values that can be read."""
        with self.lock:
            return [v.data["value"] for versions in self.documents.values() for v in versions if v.data]

    def paths(self) -> list[str]:
        with self.lock:
            return sorted(self.documents)

    def end_tokens(self) -> None:
        """All tokens of AppRoles end at once."""
        with self.lock:
            for name in [name for name in self.tokens if name != ROOT_TOKEN]:
                del self.tokens[name]

    def rotate(self) -> None:
        self.keys.append(AESGCM.generate_key(256))

    def delete_version(self, path: str, number: int = 1) -> None:
        """As `vault kv delete` does: the data can be restored, but not read."""
        for version in self.documents[path]:
            if version.number == number:
                version.deletion_time, version.data = _stamp(), None

    def answer(self, method: str, target: str, headers: Any, body: Any) -> dict[str, Any]:
        """Raises Answer for everything but 200."""
        path, _, query = target.partition("?")
        token = headers.get("X-Vault-Token", "")
        with self.lock:
            self.asked.append(Asked(method, path, token))
            self._check_headers(f"{method} {path}", headers)
            if self.refusals:
                raise Answer.errors(self.refusals.pop(0), "internal error")
            if self.redirect_to:
                raise Answer(307, None, {"Location": f"{self.redirect_to}{path}"})
            if path == "/v1/sys/health":
                return self._health()
            if self.sealed:
                raise Answer.errors(503, "Vault is sealed")
            if path == "/v1/auth/approle/login" and method == "POST":
                return self._login(body, token)
            known = self.tokens.get(token)
            if known is None or not known.lives() or any(part in path for part in self.forbidden):
                raise Answer.errors(403, "permission denied")
            if path.startswith("/v1/auth/token/"):
                return self._own_token(method, path, token, known)
            return self._route(method, path, query, body)

    def _check_headers(self, request: str, headers: Any) -> None:
        if headers.get("X-Vault-Request") != "true":
            self.faults.append(f"{request}: no X-Vault-Request")
        if headers.get("Cookie") or headers.get("Authorization"):
            self.faults.append(f"{request}: a cookie or password")
        if headers.get("X-Vault-Namespace", "") != self.namespace:
            raise Answer.errors(404, "no handler for route")

    def _health(self) -> dict[str, Any]:
        if self.sealed:
            raise Answer(503, {"initialized": True, "sealed": True, "standby": True})
        return {"initialized": True, "sealed": False, "standby": False, "version": "1.18.3"}

    def _login(self, body: Any, token: str) -> dict[str, Any]:
        if token:
            self.faults.append("a token was sent with a sign-in")
        if body != {"role_id": ROLE_ID, "secret_id": SECRET_ID}:
            raise Answer.errors(400, "invalid role or secret ID")
        self.sign_ins += 1
        name = f"hvs.{os.urandom(12).hex()}"
        now = time.monotonic()
        most = now + self.max_lease_s if self.max_lease_s is not None else None
        self.tokens[name] = Token(ends_at=now + self.lease_s, renewable=True, lease_s=self.lease_s, max_ends_at=most)
        return _auth(name, self.lease_s)

    def _own_token(self, method: str, path: str, name: str, token: Token) -> dict[str, Any]:
        if path == "/v1/auth/token/lookup-self" and method == "GET":
            left = 0 if token.ends_at is None else max(1, int(token.ends_at - time.monotonic()))
            return _envelope({"ttl": left, "renewable": token.renewable, "id": name})
        if path == "/v1/auth/token/renew-self" and method == "POST":
            return self._renew(name, token)
        raise Answer.errors(405, "unsupported operation")

    def _route(self, method: str, path: str, query: str, body: Any) -> dict[str, Any]:
        *_, kind, key = path.split("/")
        if path.startswith("/v1/transit/") and method == "POST" and key == "postern":
            works = {"encrypt": self._encrypt, "decrypt": self._decrypt, "rewrap": self._rewrap}
            if kind in works:
                return _envelope(_each(works[kind], body))
        if path.startswith("/v1/secret/data/"):
            return self._data(method, path.removeprefix("/v1/secret/data/"), query, body)
        if path.startswith("/v1/secret/metadata/"):
            return self._metadata(method, path.removeprefix("/v1/secret/metadata/"))
        raise Answer.errors(404, f"no handler for route {path!r}")

    def _renew(self, name: str, token: Token) -> dict[str, Any]:
        if not token.renewable:
            raise Answer.errors(400, "lease is not renewable")
        now = time.monotonic()
        self.renewals += 1
        token.ends_at = min(now + token.lease_s, token.max_ends_at or now + token.lease_s)
        return _auth(name, token.ends_at - now)

    def _data(self, method: str, path: str, query: str, body: Any) -> dict[str, Any]:
        versions = self.documents.get(path, [])
        if method == "POST":
            if not isinstance(body, dict) or set(body) != {"options", "data"} or not isinstance(body["data"], dict):
                raise Answer.errors(400, "no data provided")
            newest = versions[-1].number if versions else 0
            if "cas" in body["options"] and body["options"]["cas"] != newest:
                raise Answer.errors(400, "check-and-set parameter did not match the current version")
            made = Version(newest + 1, body["data"], _stamp())
            self.documents[path] = [*versions, made][-MAX_VERSIONS:]
            if self.lost_answers:
                self.lost_answers -= 1
                raise ConnectionError
            return _envelope(made.metadata())
        if method != "GET":
            raise Answer.errors(405, "unsupported operation")
        wanted = int(parse_qs(query).get("version", ["0"])[0])
        found = next((v for v in versions if v.number == (wanted or versions[-1].number)), None)
        if found is None:
            raise Answer(404, {"errors": []})
        answer = {"data": found.data, "metadata": found.metadata()}
        if found.data is None:
            raise Answer(404, _envelope(answer))
        return _envelope(answer)

    def _metadata(self, method: str, path: str) -> dict[str, Any]:
        if method == "DELETE":
            self.documents.pop(path, None)
            raise Answer(204)
        if method != "LIST":
            raise Answer.errors(405, "unsupported operation")
        folder = f"{path.strip('/')}/"
        below = [name.removeprefix(folder) for name in self.documents if name.startswith(folder)]
        if not below:
            raise Answer(404, {"errors": []})
        return _envelope({"keys": sorted({f"{n.split('/')[0]}/" if "/" in n else n for n in below})})

    def _encrypt(self, item: dict[str, Any]) -> dict[str, Any]:
        try:
            plain = base64.b64decode(item["plaintext"], validate=True)
        except (KeyError, TypeError, binascii.Error):
            raise Answer.errors(400, "failed to base64-decode plaintext") from None
        return self._wrapped(plain)

    def _decrypt(self, item: dict[str, Any]) -> dict[str, Any]:
        return {"plaintext": base64.b64encode(self._plain(item)).decode()}

    def _rewrap(self, item: dict[str, Any]) -> dict[str, Any]:
        return self._wrapped(self._plain(item))

    def _wrapped(self, plain: bytes) -> dict[str, Any]:
        nonce = os.urandom(12)
        sealed = base64.b64encode(nonce + AESGCM(self.keys[-1]).encrypt(nonce, plain, None)).decode()
        return {"ciphertext": f"vault:v{len(self.keys)}:{sealed}", "key_version": len(self.keys)}

    def _plain(self, item: dict[str, Any]) -> bytes:
        try:
            version, text = item["ciphertext"].removeprefix("vault:v").split(":")
            sealed = base64.b64decode(text, validate=True)
            return AESGCM(self.keys[int(version) - 1]).decrypt(sealed[:12], sealed[12:], None)
        except (ValueError, KeyError, IndexError, InvalidTag, AttributeError):
            raise Answer.errors(400, "invalid ciphertext: unable to decrypt") from None


def _each(work: Any, body: Any) -> dict[str, Any]:
    """One item, or the items of a batch, each of which may fail."""
    if not isinstance(body, dict):
        raise Answer.errors(400, "no body")
    if "batch_input" not in body:
        single: dict[str, Any] = work(body)
        return single
    results = []
    for item in body["batch_input"]:
        try:
            results.append(work(item))
        except Answer as failure:
            results.append({"error": (failure.body or {})["errors"][0]})
    return {"batch_results": results}


def _envelope(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "request_id": "c0ffee", "lease_id": "", "renewable": False, "lease_duration": 0, "data": data,
        "wrap_info": None, "warnings": None, "auth": None,
    }  # fmt: skip


def _auth(token: str, lease_s: float) -> dict[str, Any]:
    auth = {"client_token": token, "lease_duration": lease_s, "renewable": True, "policies": ["postern"]}
    return {**_envelope({}), "data": None, "auth": auth}


def _stamp() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Server"
    _headers_buffer: list[bytes]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # any method, also LIST
            return self.handle_any
        raise AttributeError(name)

    def handle_any(self) -> None:
        vault = self.server.vault
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        hanging = vault.hanging
        if hanging is not None:
            vault.hung += 1
            hanging.wait(60)
        if vault.slow_s:
            time.sleep(vault.slow_s)
        status, body, headers = 200, None, dict[str, str]()
        try:
            body = vault.answer(self.command, self.path, self.headers, json.loads(raw) if raw else None)
        except Answer as answer:
            status, body, headers = answer.status, answer.body, answer.headers
        except ConnectionError:  # done, but the answer is lost
            self.close_connection = True
            return
        self._send(status, json.dumps(body).encode() if body is not None else b"", headers)

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if content:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self._drip(content)

    def flush_headers(self) -> None:
        self._drip(b"".join(self._headers_buffer))
        self._headers_buffer.clear()

    def _drip(self, content: bytes) -> None:
        """Send a byte at a time, if the test wants it."""
        pause_s = self.server.vault.dripping_s
        for byte in content if pause_s else b"":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(pause_s)
        if not pause_s:
            self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.connections: list[socket.socket] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def hang_up(self) -> None:
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_arguments: Any) -> None:
        """Clients that end early are part of the tests."""


@contextmanager
def serving(vault: Vault, *, tls: Certificate | None = None) -> Iterator[str]:
    """Serve it on a free port of 127.0.0.1; returns the address."""
    server = _Server(vault)
    if tls is not None:
        server.socket = tls.context().wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        if vault.hanging is not None:
            vault.hanging.set()
        server.shutdown()
        server.server_close()
        server.hang_up()
        thread.join(10)
