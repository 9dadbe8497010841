"""Looks names of hosts up, so that one that does not answer holds up only who asks for it.

The system's resolver blocks for ten seconds and more while its servers are silent. Threads that everybody shares would
soon all wait for it, for the sake of one name. So lookups have threads of their own, few of them; a name is looked up
once at a time, whoever asks; and an address is never looked up at all.
"""

import asyncio
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final

from postern.kernel.clock import monotonic_s

Entry = tuple[
    socket.AddressFamily,
    socket.SocketKind,
    int,
    str,
    tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes],
]

#: Names that are looked up at once. With more, nothing answers at all, and one name more would only wait as well.
MOST_AT_ONCE: Final = 16
#: How long a caller that blocks waits for a lookup, counted from its beginning: who comes later waits the rest.
PATIENCE_S: Final = 2.0


class NameNotFound(OSError):
    """The name has no address, or none could be found out in time."""


class Names:
    """Lookups of one process."""

    def __init__(self, *, most_at_once: int = MOST_AT_ONCE, patience_s: float = PATIENCE_S) -> None:
        self._most_at_once = most_at_once
        self._patience_s = patience_s
        self._lock = threading.Lock()
        #: By name: when the lookup began, and what it will find.
        self._under_way: dict[str, tuple[float, Future[Sequence[Entry]]]] = {}

    def find(self, host: str, port: int) -> Sequence[Entry]:
        """Where TCP connections to `host` go. Blocks for `patience_s` at most. Raises NameNotFound."""
        if entries := _of_address(host, port):
            return entries
        begun_s, found = self._lookup(host)
        try:
            return [_with_port(entry, port) for entry in found.result(begun_s + self._patience_s - monotonic_s())]
        except (OSError, ValueError) as error:
            raise NameNotFound(str(error) or "no answer in time") from error

    async def find_soon(self, host: str, port: int) -> Sequence[Entry]:
        """The same for the event loop; the caller sets the limit. Raises NameNotFound."""
        if entries := _of_address(host, port):
            return entries
        _begun_s, found = self._lookup(host)
        try:
            return [_with_port(entry, port) for entry in await asyncio.wrap_future(found)]
        except (OSError, ValueError) as error:
            raise NameNotFound(str(error)) from error

    def _lookup(self, host: str) -> tuple[float, "Future[Sequence[Entry]]"]:
        """The lookup that is under way, or a new one. Raises NameNotFound when there are too many."""
        with self._lock:
            known = self._under_way.get(host)
            if known is not None:
                return known
            if len(self._under_way) >= self._most_at_once:
                raise NameNotFound("too many names are being looked up")
            found: Future[Sequence[Entry]] = Future()
            found.set_running_or_notify_cancel()  # who stops waiting does not stop the others
            # A daemon: the end of the process does not wait for servers that are silent.
            asking = threading.Thread(target=self._ask, args=(host, found), name="name lookup", daemon=True)
            try:
                asking.start()
            except RuntimeError as error:
                raise NameNotFound(str(error)) from error
            begun = self._under_way[host] = (monotonic_s(), found)
            return begun

    def _ask(self, host: str, found: "Future[Sequence[Entry]]") -> None:
        try:
            entries = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
        except BaseException as error:  # noqa: BLE001 - told to everybody who waits
            self._forget(host)
            found.set_exception(error)
        else:
            self._forget(host)
            found.set_result(entries)

    def _forget(self, host: str) -> None:
        with self._lock:
            del self._under_way[host]


def _of_address(host: str, port: int) -> Sequence[Entry]:
    """What an address means, without asking anybody; empty when it is a name."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return []
    except ValueError as error:  # no name at all
        raise NameNotFound(str(error)) from error


def _with_port(entry: Entry, port: int) -> Entry:
    family, kind, protocol, canonical, address = entry
    if isinstance(address[0], str):
        return family, kind, protocol, canonical, (address[0], port, *address[2:])
    return entry


#: Those of this process.
NAMES: Final = Names()
