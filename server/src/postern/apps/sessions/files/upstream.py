"""The connection to a proxy's file manager endpoint."""

import socket
from typing import Final

from aiohttp import AddrInfoType, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, UnixConnector
from yarl import URL

from postern.apps.sessions.files.admission import Admitted
from postern.apps.sessions.files.asked import Asked
from postern.contracts.browser import LANGUAGE_HEADER, REMOTE_ADDR_HEADER, USER_HEADER
from postern.contracts.files import KEY_HEADER
from postern.foundation.network.outbound import check_component
from postern.foundation.sockets.socket_database import in_thread

UNIX: Final = "unix:"
_CONNECT_S: Final = 5.0
#: aiohttp stops reading at twice this amount.
_BUFFER_BYTES: Final = 128 * 1024
#: A proxy whose machine has vanished is noticed after about a minute, though an answer may take its time.
_KEEP_ALIVE: Final = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 20),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
)


async def open_upstream(address: str) -> tuple[ClientSession, URL]:
    """A client for one request, to be closed, and the root of the endpoint. Nothing is connected yet.

    Raises PosternError (an address that must not be dialled), ValueError (no address).
    """
    if address.startswith(UNIX):
        # Each request has its own connection: one that the proxy closes meanwhile could not be told from a failure.
        path = address.removeprefix(UNIX)
        return _client(UnixConnector(path, force_close=True, limit=1)), URL("http://proxy")
    host, _, port = address.rpartition(":")
    # The proxy chooses this address, so it must not point to Redis, the database or the web service.
    target = await in_thread(check_component)(host.removeprefix("[").removesuffix("]"), int(port))
    connector = TCPConnector(force_close=True, limit=1, ssl=False, socket_factory=_watched_socket)
    return _client(connector), URL.build(scheme="http", host=target.address, port=target.port)


def headers_for(asked: Asked, admitted: Admitted) -> dict[str, str]:
    """The headers of the request to the proxy: those of the browser that concern the file, who asks, and our key."""
    visitor = admitted.visitor
    length = {} if asked.length is None else {"Content-Length": str(asked.length)}
    return {
        **asked.headers,
        **length,
        USER_HEADER: str(visitor.user_id),
        REMOTE_ADDR_HEADER: visitor.remote_addr,
        LANGUAGE_HEADER: visitor.language,
        KEY_HEADER: admitted.endpoint.key,
    }


def address_of(root: URL, asked: Asked) -> URL:
    """The address of the request, with the query exactly as the browser wrote it."""
    return URL(f"{root}{asked.path}" + (f"?{asked.query}" if asked.query else ""), encoded=True)


def _client(connector: UnixConnector | TCPConnector) -> ClientSession:
    return ClientSession(
        connector=connector,
        timeout=ClientTimeout(total=None, connect=_CONNECT_S, sock_connect=_CONNECT_S),
        cookie_jar=DummyCookieJar(),
        auto_decompress=False,
        skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        read_bufsize=_BUFFER_BYTES,
    )


def _watched_socket(info: AddrInfoType) -> socket.socket:
    family, kind, protocol, _name, _place = info
    watched = socket.socket(family, kind, protocol)
    for level, option, value in _KEEP_ALIVE:
        watched.setsockopt(level, option, value)
    return watched
