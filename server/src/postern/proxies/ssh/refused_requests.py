"""`RefusedRequests`: audits the refused requests of one connection with a session of it."""

import asyncio
import logging
from typing import Final, Protocol

from postern.kernel.clock import monotonic_s
from postern.proxies.ssh.person_session import SshOpening

log = logging.getLogger(__name__)

#: A connection of days may have many, such as from a SOCKS client. Those that come slowly are all audited.
_MAX_AUDITED: Final = 50
_ANOTHER_AFTER_S: Final = 2.0
#: How long a refused request waits for a channel, so that it can be reported with that channel's session.
_CHANNEL_AWAITED_S: Final = 1.0


class Refusing(Protocol):
    """The part of `person.Person` that refused requests use."""

    remote_addr: str

    def report_refused(self, request: str, detail: str) -> bool:
        """Report a request with a session, live or opening. Returns False if there is none."""

    @property
    def may_open(self) -> bool:
        """Whether a session could be opened, and none was."""

    def open_for_report(self) -> None:
        """Open a session for the audit log."""


class RefusedRequests:
    """The refused requests of one connection. A flood is audited and logged only up to a limit."""

    def __init__(self, owner: Refusing) -> None:
        self._owner = owner
        self._may_audit = float(_MAX_AUDITED)
        self._counted_s = monotonic_s()
        self._early: list[tuple[str, str]] = []

    def add(self, request: str, detail: str) -> None:
        """Audit a refused request."""
        if not self._takes_turn():
            return
        log.info("refused %s (%s) from %s", request, detail, self._owner.remote_addr)
        if self._owner.report_refused(request, detail):
            return
        if self._owner.may_open:
            # The audit log records a request with its session. A channel that asks for a session usually follows at
            # once.
            self._early.append((request, detail))
            asyncio.get_running_loop().call_later(_CHANNEL_AWAITED_S, self.tell_early)

    def _takes_turn(self) -> bool:
        now_s = monotonic_s()
        self._may_audit = min(_MAX_AUDITED, self._may_audit + (now_s - self._counted_s) / _ANOTHER_AFTER_S)
        self._counted_s = now_s
        if self._may_audit < 1:
            return False
        self._may_audit -= 1
        return True

    def hand_over(self, opening: SshOpening) -> None:
        """Report what waits with a session that is being opened."""
        early, self._early = self._early, []
        for request, detail in early:
            opening.tell_refused(request, detail)

    def tell_early(self) -> None:
        """Report refused requests although no channel has come, by opening the session for the audit log."""
        if self._early:
            self._owner.open_for_report()
