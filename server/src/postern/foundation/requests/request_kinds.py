"""Kinds of requests with separate turns, so that no kind waits behind another.

A request that waits for something slow (a password hash, a locked row) keeps its thread and database connection. With a
single kind, a flood of wrong passwords would make every service look dead.
"""

from collections import Counter
from enum import Enum
from typing import Final

from postern.contracts.access import INTERNAL_PREFIX, SIGN_IN_PASSWORD
from postern.contracts.terminals import HEARTBEAT
from postern.foundation.database.connections import DATABASE_CONNECTIONS, FEWEST_CONNECTIONS
from postern.foundation.provided import Provided


class RequestKind(Enum):
    """The kind of a request, as far as its path determines it."""

    HEALTH = "health"
    #: From a proxy whose credential was valid recently.
    HEARTBEAT = "heartbeat"
    #: From anybody else (`foundation.requests.heartbeat_gate`).
    STRANGE_HEARTBEAT = "strange_heartbeat"
    #: Passwords that a proxy forwards for verification.
    PROXY_PASSWORD = "proxy_password"  # noqa: S105 - a kind, not a password
    #: All other requests of proxies.
    PROXY = "proxy"
    #: Requests of users that hash a password.
    PASSWORD = "password"  # noqa: S105 - a kind, not a password
    OTHER = "other"


#: Pooled connections reserved for websockets, whose queries are short.
WEBSOCKET_CONNECTIONS: Final = 2
#: The kinds that get the connections beyond one for each kind, in this order.
_MORE: Final = (
    RequestKind.OTHER,
    RequestKind.PROXY,
    RequestKind.OTHER,
    RequestKind.PASSWORD,
    RequestKind.PROXY_PASSWORD,
    RequestKind.OTHER,
    RequestKind.PROXY,
    RequestKind.OTHER,
    RequestKind.OTHER,
)


def most_at_once(connections: int) -> dict[RequestKind, int]:
    """Concurrent requests of each kind in a process with this many connections. Each request may hold a connection."""
    extra = Counter(_MORE[: max(connections - FEWEST_CONNECTIONS, 0)])
    return {kind: 1 + extra[kind] for kind in RequestKind}


#: The limits when PostgreSQL allows the full pool.
MOST_AT_ONCE: Final = most_at_once(DATABASE_CONNECTIONS)

_HEALTH: Final = frozenset({"/api/health/", "/api/v1/health/"})
_HEARTBEAT: Final = INTERNAL_PREFIX + HEARTBEAT
_PROXY_PASSWORD: Final = INTERNAL_PREFIX + SIGN_IN_PASSWORD
#: Paths whose requests hash a password.
PASSWORD_PATHS: Final = Provided[frozenset[str]]("the paths that take passwords")


def kind_of(path: str) -> RequestKind:
    """The kind of a request by its path. All heartbeats count as known here; the gate tells them apart."""
    if path.startswith(INTERNAL_PREFIX):
        if path == _HEARTBEAT:
            return RequestKind.HEARTBEAT
        return RequestKind.PROXY_PASSWORD if path == _PROXY_PASSWORD else RequestKind.PROXY
    if path in _HEALTH:
        return RequestKind.HEALTH
    return RequestKind.PASSWORD if path in PASSWORD_PATHS.value else RequestKind.OTHER
