"""Which heartbeats may wait for a turn. Nobody has authenticated a request before its turn, and strangers must not take the turns.

A heartbeat that names no proxy is refused at once. Those that show a credential which held a moment ago have a turn of their own,
where no stranger comes; one waits for each proxy. The others share another turn. Few of them wait for each address, and one for each
proxy at that address: ids of proxies are no secret, and whoever knows one must not take its place from elsewhere.
"""

import hashlib
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from postern.foundation.requests.middleware import client_address
from postern.foundation.requests.request_kinds import RequestKind
from postern.foundation.settings import Network
from postern.kernel.addresses import address_key

#: `Terminal <id>.<secret>`, as `contracts.access` has it.
_FORM: Final = re.compile(rb"terminal +([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[!-~]{16,256} *", re.IGNORECASE)
#: Credentials that are remembered; more than there are proxies.
_MOST_KNOWN: Final = 1_024
#: Heartbeats of unknown credentials that wait, for each address: proxies behind one address are few.
_MOST_OF_ADDRESS: Final = 8


@dataclass(frozen=True, slots=True)
class Shown:
    """What a heartbeat shows before anybody has looked at it. `credential` is a hash."""

    terminal: str
    credential: bytes
    address: str


class HeartbeatGate:
    """Belongs to one event loop; nothing is locked."""

    def __init__(self, trusted_proxies: Sequence[Network] = ()) -> None:
        self._trusted = trusted_proxies
        self._known: OrderedDict[bytes, None] = OrderedDict()
        self._waiting: set[tuple[RequestKind, str, str]] = set()
        self._of_address: Counter[str] = Counter()

    def read(self, scope: Mapping[str, Any]) -> Shown | None:
        """What a heartbeat shows; None when it has not the form of a proxy's credential."""
        found = [value for name, value in scope["headers"] if name == b"authorization"]
        match = _FORM.fullmatch(found[0]) if len(found) == 1 else None
        if match is None:
            return None
        peer = (scope.get("client") or ("", 0))[0] or ""
        forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
        return Shown(
            terminal=match[1].decode("ascii").lower(),
            credential=hashlib.sha256(found[0]).digest(),
            address=address_key(client_address(peer, forwarded.decode("latin-1"), self._trusted)),
        )

    def kind_of(self, shown: Shown) -> RequestKind:
        """Whose turns the heartbeat takes."""
        return RequestKind.HEARTBEAT if shown.credential in self._known else RequestKind.STRANGE_HEARTBEAT

    @contextmanager
    def place(self, shown: Shown, kind: RequestKind) -> Iterator[bool]:
        """A place to wait; False when there is none, because as many as may are waiting already."""
        is_strange = kind is RequestKind.STRANGE_HEARTBEAT
        key = (kind, shown.terminal, shown.address if is_strange else "")
        if key in self._waiting or (is_strange and self._of_address[shown.address] >= _MOST_OF_ADDRESS):
            yield False
            return
        self._waiting.add(key)
        self._of_address[shown.address] += is_strange
        try:
            yield True
        finally:
            self._waiting.discard(key)
            self._of_address[shown.address] -= is_strange
            if not self._of_address[shown.address]:
                del self._of_address[shown.address]

    def note(self, shown: Shown, *, held: bool) -> None:
        """The credential was looked at: `held` says whether it is that of a proxy."""
        self._known.pop(shown.credential, None)
        if held:
            self._known[shown.credential] = None
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
