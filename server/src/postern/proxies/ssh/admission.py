"""Which new connections are taken: limits in total and for each source address. No waiting, no look-ups (K53)."""

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.addresses import address_key
from postern.kernel.clock import monotonic_s
from postern.proxies.ssh.limits import SshLimits

log = logging.getLogger(__name__)

#: Seconds between lines about refused connections.
_TELL_EVERY_S: Final = 10.0
#: Above this many remembered sources the idle ones are forgotten at once.
_MANY_SOURCES: Final = 8192


@dataclass
class _Source:
    connections: int = 0
    unauthenticated: int = 0
    arrivals_s: deque[float] = field(default_factory=deque)


class Admission:
    """Counts connections. Each admitted one is `leave`d exactly once, and `known` when its person is known."""

    def __init__(self, limits: SshLimits) -> None:
        self._limits = limits
        self._sources: dict[str, _Source] = {}
        self.connections = 0
        self.unauthenticated = 0
        self.closed = False
        self._refused = 0
        self._tell_from_s = 0.0

    def enter(self, address: str) -> bool:
        """Take a new connection? Refused ones need no `leave`."""
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
        """The setting whose limit one more connection would exceed."""
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
        """One line now and then: a flood must not fill the log."""
        self._refused += 1
        if now_s >= self._tell_from_s:
            log.warning("%d SSH connections refused; the last one from %s exceeds %s", self._refused, name, setting)
            self._refused, self._tell_from_s = 0, now_s + _TELL_EVERY_S

    def known(self, address: str) -> None:
        """The person at the other end has signed in."""
        self.unauthenticated -= 1
        source = self._sources.get(address_key(address))
        if source is not None:
            source.unauthenticated -= 1

    def leave(self, address: str, *, was_known: bool) -> None:
        """The connection is gone."""
        if not was_known:
            self.known(address)
        self.connections -= 1
        name = address_key(address)
        source = self._sources.get(name)
        if source is not None:
            source.connections -= 1
            self._forget_if_idle(name, source)

    def _forget_idle(self) -> None:
        """Now and then: every source that has no connection. Bursts of the last second are forgiven."""
        self._sources = {name: source for name, source in self._sources.items() if source.connections > 0}

    def _forget_if_idle(self, name: str, source: _Source) -> None:
        """Sources that are gone cost nothing, but a burst is remembered for its second."""
        if source.connections <= 0 and (not source.arrivals_s or source.arrivals_s[-1] <= monotonic_s() - 1):
            self._sources.pop(name, None)
