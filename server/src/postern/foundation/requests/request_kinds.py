"""Kinds of requests that have turns of their own, so that no kind waits behind another.

A request that waits for something slow (the comparison of a password, a locked row) keeps its thread and its database connection
meanwhile. Were all requests of one kind, a storm of wrong passwords would make every part look dead.
"""

from collections import Counter
from enum import Enum
from typing import Final

from postern.contracts.access import INTERNAL_PREFIX, SIGN_IN_PASSWORD
from postern.contracts.terminals import HEARTBEAT
from postern.foundation.database.connections import DATABASE_CONNECTIONS, FEWEST_CONNECTIONS
from postern.foundation.provided import Provided


class RequestKind(Enum):
    """What a request is about, as far as its path tells."""

    HEALTH = "health"
    #: Of a proxy whose credential held a moment ago.
    HEARTBEAT = "heartbeat"
    #: Of anybody else (`foundation.requests.heartbeat_gate`).
    STRANGE_HEARTBEAT = "strange_heartbeat"
    #: Passwords that a proxy passes on.
    PROXY_PASSWORD = "proxy_password"  # noqa: S105 - a kind, not a password
    #: Whatever else proxies ask and report.
    PROXY = "proxy"
    #: Requests of people in which a password is hashed.
    PASSWORD = "password"  # noqa: S105 - a kind, not a password
    OTHER = "other"


#: Connections of the pool that are left to the websockets, whose queries are short.
WEBSOCKET_CONNECTIONS: Final = 2
#: Who gets the connections beyond one for each kind, in this order.
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
    """How many requests of each kind run in a process with so many connections; each may hold one of them."""
    extra = Counter(_MORE[: max(connections - FEWEST_CONNECTIONS, 0)])
    return {kind: 1 + extra[kind] for kind in RequestKind}


#: The same where PostgreSQL has room.
MOST_AT_ONCE: Final = most_at_once(DATABASE_CONNECTIONS)

_HEALTH: Final = frozenset({"/api/health/", "/api/v1/health/"})
_HEARTBEAT: Final = INTERNAL_PREFIX + HEARTBEAT
_PROXY_PASSWORD: Final = INTERNAL_PREFIX + SIGN_IN_PASSWORD
#: Requests to these paths hash a password.
PASSWORD_PATHS: Final = Provided[frozenset[str]]("the paths that take passwords")


def kind_of(path: str) -> RequestKind:
    """The kind of a request. Which heartbeats are strange is not told by their path."""
    if path.startswith(INTERNAL_PREFIX):
        if path == _HEARTBEAT:
            return RequestKind.HEARTBEAT
        return RequestKind.PROXY_PASSWORD if path == _PROXY_PASSWORD else RequestKind.PROXY
    if path in _HEALTH:
        return RequestKind.HEALTH
    return RequestKind.PASSWORD if path in PASSWORD_PATHS.value else RequestKind.OTHER
