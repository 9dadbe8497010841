"""Holds users' requests for some seconds while the control plane is away, for example during a restart, and retries
them.

Nothing is granted or refused here: only an answer of the control plane decides. The number of held requests is limited
in total and per source address, so strangers cannot make holding expensive.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar
from uuid import UUID

from postern.contracts import access, command_control, events, terminals
from postern.kernel.addresses import address_key
from postern.kernel.clock import monotonic_s
from postern.proxies.core.control.plane import ControlPlane, ControlUnavailable, RecordingProgress
from postern.proxies.core.limits import Limits

Answer = TypeVar("Answer")

_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 1.0


class PatientControlPlane:
    """A `ControlPlane` for requests that users wait for. The proxy's own messages pass through, since they have their
    own retries.
    """

    def __init__(self, plane: ControlPlane, limits: Limits) -> None:
        self._plane = plane
        self._limits = limits
        self._held: Counter[str] = Counter()

    @property
    def held(self) -> int:
        """Number of calls that wait at present."""
        return self._held.total()

    async def _patiently(self, ask: Callable[[], Awaitable[Answer]], source: str) -> Answer:
        """Retry `ask` for some seconds until there is an answer. Raises the last exception of `ask`.

        A call that must count only once carries an attempt id, so the control plane recognizes the repetition
        (`contracts.access.ATTEMPT_BYTES`).
        """
        deadline_s = monotonic_s() + self._limits.control_hold_s
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await ask()
            except ControlUnavailable as error:
                if monotonic_s() + pause_s >= deadline_s:
                    raise
                await self._hold(source, pause_s, error)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)

    async def _hold(self, source: str, pause_s: float, error: ControlUnavailable) -> None:
        limits, source = self._limits, address_key(source)
        if self.held >= limits.control_held or self._held[source] >= limits.control_held_per_source:
            raise error
        self._held[source] += 1
        try:
            # Spread the retries so that they do not all arrive at the same moment.
            await asyncio.sleep(pause_s * (0.75 + secrets.randbelow(500) / 1000))
        finally:
            self._held[source] -= 1
            if not self._held[source]:
                del self._held[source]

    # Signing in

    async def sign_in_password(self, request: access.SignInPassword) -> access.SignInAnswer:
        return await self._patiently(lambda: self._plane.sign_in_password(request), request.remote_addr)

    async def public_key_offer(self, request: access.PublicKeyOffer) -> access.PublicKeyAnswer:
        return await self._patiently(lambda: self._plane.public_key_offer(request), request.remote_addr)

    async def sign_in_public_key(self, request: access.SignInPublicKey) -> access.SignInAnswer:
        return await self._patiently(lambda: self._plane.sign_in_public_key(request), request.remote_addr)

    async def sign_in_code(self, request: access.SignInCode) -> access.SignInAnswer:
        return await self._patiently(lambda: self._plane.sign_in_code(request), request.remote_addr)

    # Opening a session

    async def reachable_assets(self, request: access.ReachableQuery) -> access.ReachablePage:
        return await self._patiently(lambda: self._plane.reachable_assets(request), request.remote_addr)

    async def authorize(self, request: access.AuthorizeRequest) -> access.AuthorizeAnswer:
        """If the answer is lost, the session row remains open on the control plane until a later heartbeat ends it."""
        return await self._patiently(lambda: self._plane.authorize(request), request.remote_addr)

    async def redeem_token(self, request: access.RedeemToken) -> access.AuthorizeAnswer:
        return await self._patiently(lambda: self._plane.redeem_token(request), request.remote_addr)

    async def credential(self, request: access.CredentialRequest) -> access.CredentialAnswer:
        return await self._patiently(lambda: self._plane.credential(request), str(request.session_id))

    async def gateway_credential(self, request: access.GatewayCredentialRequest) -> access.CredentialAnswer:
        return await self._patiently(lambda: self._plane.gateway_credential(request), str(request.session_id))

    async def host_key(self, request: access.HostKeySeen) -> access.HostKeyAnswer:
        return await self._patiently(lambda: self._plane.host_key(request), str(request.session_id))

    # Confirming commands

    async def confirm_command(self, request: command_control.ConfirmCommand) -> command_control.CommandConfirmation:
        return await self._patiently(lambda: self._plane.confirm_command(request), str(request.session_id))

    async def confirmation_state(self, query: command_control.ConfirmationQuery) -> command_control.CommandConfirmation:
        return await self._patiently(lambda: self._plane.confirmation_state(query), str(query.session_id))

    async def withdraw_confirmation(
        self, query: command_control.ConfirmationQuery
    ) -> command_control.CommandConfirmation:
        return await self._plane.withdraw_confirmation(query)

    # The proxy's own messages

    async def send_events(self, batch: events.EventBatch) -> events.EventBatchAnswer:
        return await self._plane.send_events(batch)

    async def report_tickets(self, report: access.TicketReport) -> access.TicketReportAnswer:
        return await self._plane.report_tickets(report)

    async def heartbeat(self, beat: terminals.Heartbeat) -> terminals.HeartbeatAnswer:
        return await self._plane.heartbeat(beat)

    async def recording_received(self, session_id: UUID) -> RecordingProgress:
        return await self._plane.recording_received(session_id)

    async def send_recording(self, session_id: UUID, data: bytes, *, first: int, total: int) -> RecordingProgress:
        return await self._plane.send_recording(session_id, data, first=first, total=total)
