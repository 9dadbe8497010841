"""Connections to remote storages: only to checked addresses, with the certificates of this machine, within a time limit.

Nothing of the environment is used: no proxies, no certificates of a library.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final
from weakref import WeakKeyDictionary, finalize

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.connection import create_connection

from postern.foundation.network.outbound import TargetRefused, TargetUnknown
from postern.integrations.web_apis import failures
from postern.integrations.web_apis.calls import DialCheck, tls_context
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.clock import monotonic_s
from postern.kernel.dialing import plain

CONNECT_S: Final = 5.0
#: Between two bytes of an answer.
READ_S: Final = 30.0
#: Of an answer that is not the content of an object: a thousand parts of an upload have 300 KB.
MOST_BYTES: Final = 4 * 1024 * 1024
_PIECE_BYTES: Final = 64 * 1024


class Connections:
    """The connections of one client, which one thread uses at a time."""

    def __init__(self, check: DialCheck) -> None:
        self._check = check
        #: Each connection has a second handle, because TLS takes the first away. Closing it here does not end the other.
        self._handles: WeakKeyDictionary[HTTPConnection, socket.socket] = WeakKeyDictionary()
        self._handles_lock = threading.Lock()
        self._is_ended = False
        self._until_s = float("inf")
        self._limit_s = 0.0
        self.pools = urllib3.PoolManager(num_pools=2, maxsize=1, ssl_context=tls_context(), retries=False)
        self.pools.pool_classes_by_scheme = _pools_that_dial(self._dial)

    @contextmanager
    def limited(self, limit_s: float) -> Iterator[None]:
        """A limit for everything inside. When it has passed, the connections are cut, so that a peer that sends a byte
        each second holds nobody longer. A limit inside another one never extends it.
        """
        outer = self._limit_s, self._until_s
        if monotonic_s() + limit_s < self._until_s:
            self._limit_s, self._until_s = limit_s, monotonic_s() + limit_s
        watchdog = threading.Timer(limit_s, self._cut)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield
        finally:
            watchdog.cancel()
            self._limit_s, self._until_s = outer

    def whole(self, answer: urllib3.BaseHTTPResponse, url: str) -> bytes:
        """The body of an answer. Raises WebApiFailed when it is too long."""
        pieces, count = [], 0
        while piece := answer.read(_PIECE_BYTES):
            pieces.append(piece)
            count += len(piece)
            if count > MOST_BYTES:
                answer.close()
                raise failures.too_long(host_of(url))
        answer.release_conn()
        return b"".join(pieces)

    def require_time(self, url: str) -> None:
        """Raise WebApiFailed when the limit has passed, or between `end` and `close`."""
        if self._is_ended:
            raise failures.unreachable(host_of(url))
        if monotonic_s() >= self._until_s:
            raise failures.timeout(host_of(url), self._limit_s)

    def close(self) -> None:
        """Close the connections. A later request opens another, also after `end`."""
        self._is_ended = False
        self.pools.clear()
        with self._handles_lock:
            for handle in self._handles.values():
                handle.close()
            self._handles.clear()

    def end(self) -> None:
        """Cut the connections, from any thread: a thread that waits for an answer fails at once, and cannot ask again
        before `close`.
        """
        self._is_ended = True
        self._cut()

    def _cut(self) -> None:
        with self._handles_lock:
            for handle in self._handles.values():
                with suppress(OSError):
                    handle.shutdown(socket.SHUT_RDWR)

    def _dial(self, connection: HTTPConnection) -> socket.socket:
        """Connect to an address of the host that was checked a moment ago."""
        host = connection.host
        try:
            target = self._check(host, connection.port)
        except TargetUnknown:
            raise failures.name_unknown(host) from None
        except TargetRefused as error:
            raise failures.not_dialled(error) from None
        here = plain(target.address)
        if not isinstance(connection, HTTPSConnection) and not (here is not None and here.is_loopback):
            raise failures.unencrypted(host)
        try:
            limit_s = max(min(CONNECT_S, self._until_s - monotonic_s()), 0.1)
            made = create_connection((target.address, target.port), limit_s, socket_options=connection.socket_options)
        except TimeoutError as error:
            raise urllib3.exceptions.ConnectTimeoutError(connection, str(error)) from error
        except OSError as error:
            raise urllib3.exceptions.NewConnectionError(connection, str(error)) from error
        with self._handles_lock:
            handle, former = made.dup(), self._handles.get(connection)
            if former is not None:
                former.close()
            self._handles[connection] = handle
        finalize(connection, handle.close)
        if self._is_ended:  # while it was connecting
            self._cut()
        return made


def unwrapped(error: BaseException) -> WebApiFailed | None:
    """The refusal inside an error of urllib3 or botocore."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, WebApiFailed):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def _pools_that_dial(dial: Any) -> dict[str, Any]:
    class CheckedHttp(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            made: socket.socket = dial(self)
            return made

    class CheckedHttps(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            made: socket.socket = dial(self)
            return made

    class HttpPool(urllib3.HTTPConnectionPool):
        ConnectionCls = CheckedHttp

    class HttpsPool(urllib3.HTTPSConnectionPool):
        ConnectionCls = CheckedHttps

    return {"http": HttpPool, "https": HttpsPool}


def host_of(url: str) -> str:
    return urllib3.util.parse_url(url).host or ""
