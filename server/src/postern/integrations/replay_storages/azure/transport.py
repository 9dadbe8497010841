"""How the SDK sends: over a session of `requests` that has nothing but our connections."""

from collections.abc import Mapping
from typing import Any, Final

import requests
from azure.core.pipeline.transport import RequestsTransport
from requests.adapters import HTTPAdapter

from postern.integrations.replay_storages.connections import MOST_BYTES, Connections, host_of
from postern.integrations.web_apis import failures

_LENGTH: Final = "Content-Length"


class _Adapter(HTTPAdapter):
    """Sends over the connections of one client, whose own context decides about certificates."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        super().__init__(max_retries=0)

    def init_poolmanager(self, *_: Any, **__: Any) -> None:
        self.poolmanager = self._connections.pools

    def get_connection_with_tls_context(self, request: Any, *_: Any, **__: Any) -> Any:
        return self._connections.pools.connection_from_url(request.url)

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Change nothing of the connection."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        url = str(request.url)
        self._connections.require_time(url)
        try:
            response = super().send(request, *args, **kwargs)
        except requests.ConnectionError:
            self._connections.require_time(url)
            raise
        if request.method != "HEAD" and not _is_bounded(response.headers):
            response.close()
            raise failures.too_long(host_of(url))
        return response


def _is_bounded(headers: Mapping[str, str]) -> bool:
    """Whether an answer has no more bytes than one range. Only lists come without a length, and in pieces."""
    length = headers.get(_LENGTH)
    return length is None or (length.isdecimal() and int(length) <= MOST_BYTES)


def transport_of(connections: Connections) -> RequestsTransport:
    """The transport of one client."""
    session = requests.Session()
    session.trust_env = False
    session.mount("https://", _Adapter(connections))
    session.mount("http://", _Adapter(connections))
    return RequestsTransport(session=session, session_owner=False)
