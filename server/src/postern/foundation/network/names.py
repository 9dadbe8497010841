"""Host name lookups in their own threads, so that an unresponsive name server delays only the callers of that name.

The system's resolver blocks for ten seconds and more while its servers do not answer. Shared threads would soon all
wait for one name. So lookups run in a small number of dedicated threads, concurrent callers share one lookup of a name,
and addresses are never looked up.
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

#: Concurrent lookups. If this many are running, no server answers, and one more would only wait, too.
MOST_AT_ONCE: Final = 16
#: How long a blocking caller waits, measured from the start of the lookup, which another caller may have started.
PATIENCE_S: Final = 2.0


class NameNotFound(OSError):
    """The name has no address, or the lookup took too long."""


class Names:
    """The name lookups of one process."""

    def __init__(self, *, most_at_once: int = MOST_AT_ONCE, patience_s: float = PATIENCE_S) -> None:
        self._most_at_once = most_at_once
        self._patience_s = patience_s
        self._lock = threading.Lock()
        #: Running lookups by name: start time and future result.
        self._under_way: dict[str, tuple[float, Future[Sequence[Entry]]]] = {}

    def find(self, host: str, port: int) -> Sequence[Entry]:
        """The addresses of `host` for TCP connections. Blocks for `patience_s` at most. Raises NameNotFound."""
        if entries := _of_address(host, port):
            return entries
        started_s, future = self._lookup(host)
        try:
            return [_with_port(entry, port) for entry in future.result(started_s + self._patience_s - monotonic_s())]
        except (OSError, ValueError) as error:
            raise NameNotFound(str(error) or "no answer in time") from error

    async def find_soon(self, host: str, port: int) -> Sequence[Entry]:
        """The addresses of `host`, for use in the event loop; the caller sets the time limit. Raises NameNotFound."""
        if entries := _of_address(host, port):
            return entries
        _started_s, future = self._lookup(host)
        try:
            return [_with_port(entry, port) for entry in await asyncio.wrap_future(future)]
        except (OSError, ValueError) as error:
            raise NameNotFound(str(error)) from error

    def _lookup(self, host: str) -> tuple[float, "Future[Sequence[Entry]]"]:
        """The running lookup of the name, or a new lookup. Raises NameNotFound when too many are running."""
        with self._lock:
            running_lookup = self._under_way.get(host)
            if running_lookup is not None:
                return running_lookup
            if len(self._under_way) >= self._most_at_once:
                raise NameNotFound("too many names are being looked up")
            future: Future[Sequence[Entry]] = Future()
            # a caller that stops waiting must not cancel the lookup for the others
            future.set_running_or_notify_cancel()
            # A daemon thread, so that the process can exit while name servers do not answer.
            thread = threading.Thread(target=self._ask, args=(host, future), name="name lookup", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                raise NameNotFound(str(error)) from error
            new_lookup = self._under_way[host] = (monotonic_s(), future)
            return new_lookup

    def _ask(self, host: str, future: "Future[Sequence[Entry]]") -> None:
        try:
            entries = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
        except BaseException as error:  # noqa: BLE001 - passed on to all waiting callers
            self._forget(host)
            future.set_exception(error)
        else:
            self._forget(host)
            future.set_result(entries)

    def _forget(self, host: str) -> None:
        with self._lock:
            del self._under_way[host]


def _of_address(host: str, port: int) -> Sequence[Entry]:
    """The entries of a numeric address, without a lookup; empty when `host` is a name."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return []
    except ValueError as error:  # neither an address nor a valid name
        raise NameNotFound(str(error)) from error


def _with_port(entry: Entry, port: int) -> Entry:
    family, kind, protocol, canonical, address = entry
    if isinstance(address[0], str):
        return family, kind, protocol, canonical, (address[0], port, *address[2:])
    return entry


#: The lookups of this process.
NAMES: Final = Names()
