"""Admission of new connections: limits in total and per source address.

It neither waits nor looks anything up (K53: a client that says nothing keeps nobody else waiting).
"""

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.addresses import address_key
from postern.kernel.clock import monotonic_s
from postern.proxies.ssh.limits import SshLimits

log = logging.getLogger(__name__)

#: Seconds between log lines about refused connections.
_TELL_EVERY_S: Final = 10.0
#: Above this number of sources, idle sources are removed immediately.
_MANY_SOURCES: Final = 8192


@dataclass
class _Source:
    connections: int = 0
    unauthenticated: int = 0
    arrivals_s: deque[float] = field(default_factory=deque)


class Admission:
    """Counts connections. For each admitted connection `leave` is called once, and `known` after its user has signed
    in.
    """

    def __init__(self, limits: SshLimits) -> None:
        self._limits = limits
        self._sources: dict[str, _Source] = {}
        self.connections = 0
        self.unauthenticated = 0
        self.closed = False
        self._refused = 0
        self._tell_from_s = 0.0

    def enter(self, address: str) -> bool:
        """Whether to accept a new connection. A refused connection needs no `leave`."""
        if self.closed:
            return False
        name = address_key(address)
        if len(self._sources) >= _MANY_SOURCES:
            self._forget_idle()
        source = self._sources.setdefault(name, _Source())
        now_s = monotonic_s()
        while source.arrivals_s and source.arrivals_s[0] <= now_s - 1:
            source.arrivals_s.popleft()
        setting = self._limit_reached(source)
        if setting:
            self._forget_if_idle(name, source)
            self._tell_refused(name, setting, now_s)
            return False
        source.arrivals_s.append(now_s)
        source.connections += 1
        source.unauthenticated += 1
        self.connections += 1
        self.unauthenticated += 1
        return True

    def _limit_reached(self, source: _Source) -> str:
        """Return the setting whose limit one more connection would exceed, or ""."""
        limits = self._limits
        reached = (
            (self.connections >= limits.connections_total, "POSTERN_SSH_CONNECTIONS"),
            (self.unauthenticated >= limits.connections_unauthenticated, "POSTERN_SSH_SIGNING_IN"),
            (source.connections >= limits.connections_per_source, "POSTERN_SSH_CONNECTIONS_PER_ADDRESS"),
            (source.unauthenticated >= limits.unauthenticated_per_source, "POSTERN_SSH_SIGNING_IN_PER_ADDRESS"),
            (len(source.arrivals_s) >= limits.new_connections_per_source_per_s, "POSTERN_SSH_NEW_PER_ADDRESS"),
        )
        return next((setting for is_reached, setting in reached if is_reached), "")

    def _tell_refused(self, name: str, setting: str, now_s: float) -> None:
        """Log refusals at intervals, so that a flood does not fill the log."""
        self._refused += 1
        if now_s >= self._tell_from_s:
            log.warning("%d SSH connections refused; the last one from %s exceeds %s", self._refused, name, setting)
            self._refused, self._tell_from_s = 0, now_s + _TELL_EVERY_S

    def known(self, address: str) -> None:
        """Note that the user of a connection has signed in."""
        self.unauthenticated -= 1
        source = self._sources.get(address_key(address))
        if source is not None:
            source.unauthenticated -= 1

    def leave(self, address: str, *, was_known: bool) -> None:
        """Note that a connection is closed."""
        if not was_known:
            self.known(address)
        self.connections -= 1
        name = address_key(address)
        source = self._sources.get(name)
        if source is not None:
            source.connections -= 1
            self._forget_if_idle(name, source)

    def _forget_idle(self) -> None:
        """Remove every source without connections, including its arrivals of the last second."""
        self._sources = {name: source for name, source in self._sources.items() if source.connections > 0}

    def _forget_if_idle(self, name: str, source: _Source) -> None:
        """Remove a source without connections, unless it had arrivals in the last second."""
        if source.connections <= 0 and (not source.arrivals_s or source.arrivals_s[-1] <= monotonic_s() - 1):
            self._sources.pop(name, None)
