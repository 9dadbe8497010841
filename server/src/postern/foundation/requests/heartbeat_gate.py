"""Which heartbeats may wait for a turn. Requests wait before they are authenticated, so strangers must not take the
turns.

A heartbeat without a proxy's credential is refused at once. Heartbeats whose credential was valid recently have their
own turns, and one of them may wait for each proxy. All others share another turn: a few may wait for each address, and
one for each proxy id at that address. Proxy ids are not secret, so a stranger who knows one must not take its place
from another address.
"""

import hashlib
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from postern.foundation.configuration.environ import Network
from postern.foundation.requests.middleware import client_address
from postern.foundation.requests.request_kinds import RequestKind
from postern.kernel.addresses import address_key

#: The header `Terminal <id>.<secret>`, as in `contracts.access`.
_FORM: Final = re.compile(rb"terminal +([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[!-~]{16,256} *", re.IGNORECASE)
#: Credentials remembered as valid; more than there are proxies.
_MOST_KNOWN: Final = 1_024
#: Waiting heartbeats with unknown credentials per address. Few proxies share an address.
_MOST_OF_ADDRESS: Final = 8


@dataclass(frozen=True, slots=True)
class HeartbeatClaims:
    """What a heartbeat claims, before it is authenticated. `credential` is a hash."""

    terminal: str
    credential: bytes
    address: str


class HeartbeatGate:
    """Used from a single event loop, so it needs no lock."""

    def __init__(self, trusted_proxies: Sequence[Network] = ()) -> None:
        self._trusted = trusted_proxies
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._waiting: set[tuple[RequestKind, str, str]] = set()
        self._of_address: Counter[str] = Counter()

    def read(self, scope: Mapping[str, Any]) -> HeartbeatClaims | None:
        """The claims of a heartbeat; None when its header does not have the form of a proxy's credential."""
        authorization = [value for name, value in scope["headers"] if name == b"authorization"]
        match = _FORM.fullmatch(authorization[0]) if len(authorization) == 1 else None
        if match is None:
            return None
        peer = (scope.get("client") or ("", 0))[0] or ""
        forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        return HeartbeatClaims(
            terminal=match[1].decode("ascii").lower(),
            credential=hashlib.sha256(authorization[0]).digest(),
            address=address_key(client_address(peer, forwarded.decode("latin-1"), self._trusted)),
        )

    def kind_of(self, claims: HeartbeatClaims) -> RequestKind:
        """The kind of turn that the heartbeat waits for."""
        return RequestKind.HEARTBEAT if claims.credential in self._known else RequestKind.STRANGE_HEARTBEAT

    @contextmanager
    def place(self, claims: HeartbeatClaims, kind: RequestKind) -> Iterator[bool]:
        """Reserve a place to wait; yields False when too many are waiting."""
        is_strange = kind is RequestKind.STRANGE_HEARTBEAT
        key = (kind, claims.terminal, claims.address if is_strange else "")
        if key in self._waiting or (is_strange and self._of_address[claims.address] >= _MOST_OF_ADDRESS):
            yield False
            return
        self._waiting.add(key)
        self._of_address[claims.address] += is_strange
        try:
            yield True
        finally:
            self._waiting.discard(key)
            self._of_address[claims.address] -= is_strange
            if not self._of_address[claims.address]:
                del self._of_address[claims.address]

    def note(self, claims: HeartbeatClaims, *, held: bool) -> None:
        """Remember the result of authenticating the credential: `held` says whether it belongs to a proxy."""
        self._known.pop(claims.credential, None)
        if held:
            self._known[claims.credential] = None
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
