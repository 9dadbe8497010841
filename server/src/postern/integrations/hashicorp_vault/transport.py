"""HTTP to Vault with `requests`: checked addresses, verified TLS, no redirects, a time limit for the whole call, and a
limit on the answer.

`requests` limits the time between two bytes only. Here the time that is left bounds every read of the socket, so a
server that sends a byte each second cannot hold a caller longer than the limit.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, Final

import hvac.adapters
import requests
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from postern.foundation.network.outbound import DialTarget
from postern.kernel.clock import monotonic_s

#: Checks the address of Vault. Raises PosternError when Postern must not connect to it.
DialCheck = Callable[[str, int], DialTarget]

_KEPT_CONNECTIONS: Final = 64
_CHUNK_BYTES: Final = 64 * 1024
#: A list of all secrets is the largest answer: about a hundred bytes for each.
_MOST_ANSWER_BYTES: Final = 64 * 1024 * 1024


class BadAnswer(Exception):
    """Vault answered with an error. `errors` are its messages, which are never shown to users."""

    def __init__(self, status: int, errors: tuple[str, ...] = ()) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.errors = errors


class _Deadline(threading.local):
    """The end of the call that this thread makes, on the monotonic clock."""

    at_s: float = 0.0

    def left_s(self) -> float:
        """Raises TimeoutError when no time is left."""
        left = self.at_s - monotonic_s()
        if left <= 0:
            raise TimeoutError("no answer within the time limit")
        return left


_DEADLINE: Final = _Deadline()


def left_s() -> float:
    """Seconds that are left for the call of this thread. Raises TimeoutError."""
    return _DEADLINE.left_s()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """All requests of this thread within the block share this time. A limit around it that ends earlier holds, too."""
    before = _DEADLINE.at_s
    now = monotonic_s()
    _DEADLINE.at_s = min(before, now + seconds) if before > now else now + seconds
    try:
        yield
    finally:
        _DEADLINE.at_s = before


class _TimedSocket(socket.socket):
    def recv_into(self, *arguments: Any, **options: Any) -> int:
        self.settimeout(left_s())
        return super().recv_into(*arguments, **options)


class _TimedTlsSocket(ssl.SSLSocket):
    def recv_into(self, *arguments: Any, **options: Any) -> int:
        self.settimeout(left_s())
        return super().recv_into(*arguments, **options)


def _connected(host: str, port: int, check: DialCheck) -> socket.socket:
    """A connection to an address that was checked now. The name is not looked up a second time."""
    target = check(host, port)
    family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
    connection = _TimedSocket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(left_s())
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.connect((target.address, target.port))
        connection.settimeout(left_s())
    except BaseException:
        connection.close()
        raise
    return connection


def _pools(check: DialCheck) -> dict[str, type[HTTPConnectionPool]]:
    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return _connected(self.host, self.port, check)

    class Tls(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return _connected(self.host, self.port, check)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class TlsPool(HTTPSConnectionPool):
        ConnectionCls = Tls

    return {"http": PlainPool, "https": TlsPool}


class _Transport(HTTPAdapter):
    def __init__(self, check: DialCheck, ca_file: Path | None) -> None:
        self._check = check
        self._tls = ssl.create_default_context(cafile=str(ca_file) if ca_file is not None else None)
        self._tls.sslsocket_class = _TimedTlsSocket
        super().__init__(pool_maxsize=_KEPT_CONNECTIONS, max_retries=0)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **_options: Any) -> None:
        self.poolmanager = PoolManager(num_pools=connections, maxsize=maxsize, block=block, ssl_context=self._tls)
        self.poolmanager.pool_classes_by_scheme = _pools(self._check)

    def get_connection_with_tls_context(self, request: Any, *_arguments: Any, **_options: Any) -> Any:
        # The pools verify with our own context. `requests` would add its list of public authorities to it.
        return self.poolmanager.connection_from_url(request.url)

    def cert_verify(self, *_arguments: Any, **_options: Any) -> None:
        """Nothing to set: the context of the pools verifies certificate and host name."""

    def send(self, request: requests.PreparedRequest, *_arguments: Any, **_options: Any) -> requests.Response:
        response = super().send(request, stream=True, timeout=left_s())
        try:
            # What `requests` itself sets after it has read a body.
            response._content = _body(response)  # noqa: SLF001
            response._content_consumed = True  # noqa: SLF001
        except BaseException:
            response.close()
            raise
        response.raw.release_conn()
        return response


def _body(response: requests.Response) -> bytes:
    parts, count = [], 0
    while part := response.raw.read1(_CHUNK_BYTES, decode_content=True):
        parts.append(part)
        count += len(part)
        if count > _MOST_ANSWER_BYTES:
            raise OSError("the answer is too long")
        left_s()
    return b"".join(parts)


def session(check: DialCheck, ca_file: Path | None) -> requests.Session:
    """A session that ignores proxies, credentials and certificates of the environment, and keeps no cookies."""
    own = requests.Session()
    own.trust_env = False
    own.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    transport = _Transport(check, ca_file)
    own.mount("https://", transport)
    own.mount("http://", transport)
    return own


class Requests(hvac.adapters.RawAdapter):  # type: ignore[misc]  # hvac ships no types
    """The adapter through which `hvac` sends requests. Answers are the decoded JSON, or {} for an empty answer.

    Raises `BadAnswer`, also for redirects, instead of hvac's errors: those contain the text of the answer.
    """

    def request(self, method: str, url: str, headers: Any = None, raise_exception: bool = True, **kwargs: Any) -> Any:
        del raise_exception
        response = super().request(method, url, headers=headers, raise_exception=False, **kwargs)
        if response.status_code == requests.codes.no_content:
            return {}
        document = _document(response)
        if response.status_code != requests.codes.ok:
            errors = document.get("errors") if document is not None else None
            raise BadAnswer(response.status_code, tuple(map(str, errors)) if isinstance(errors, list) else ())
        if document is None:
            raise OSError("the answer is not JSON")
        return document


def _document(response: requests.Response) -> dict[str, Any] | None:
    try:
        document = response.json()
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
