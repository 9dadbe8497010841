"""Every connection from a session to its target starts here, for every protocol."""

from typing import Final

from postern.contracts.access import Credential, Denial, GatewayCredentialRequest, HostKeyAnswer, HostKeySeen
from postern.contracts.enums import DenialCode, EndReason
from postern.contracts.routes import Gateway
from postern.proxies.core.control.plane import ControlPlane, ControlRefused, ControlUnavailable
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Progress, TargetFailed
from postern.proxies.core.targets.routing import RouteDialer
from postern.proxies.core.targets.wires import Wire
from postern.proxies.core.texts import Text

#: Denials that concern one gateway. All others concern the session, so no other gateway helps.
_OF_ONE_GATEWAY: Final = frozenset((DenialCode.CREDENTIAL_MISSING, DenialCode.NO_PERMISSION))


class Outbound:
    """Connects sessions to their targets, on the way that their grant names."""

    def __init__(self, plane: ControlPlane, dialer: RouteDialer) -> None:
        self._plane = plane
        self._dialer = dialer

    async def connect(self, session: LiveSession, *, progress: Progress) -> Wire:
        """Return a connection to the session's target. Raises `TargetFailed`.

        If a gateway is lost later, the session ends with a message that names it.
        """
        grant = session.grant
        approver = _SessionApprover(session, self._plane)
        wire = await self._dialer.dial(
            grant.target, grant.route, approver, language=session.language, progress=progress
        )
        session.via = wire.via
        wire.on_lost(lambda message, detail: session.end(EndReason.UNREACHABLE, detail, message=message))
        return wire


class _SessionApprover:
    """Asks the control plane about the gateways of an opening session (`routing.Approver`)."""

    def __init__(self, session: LiveSession, plane: ControlPlane) -> None:
        self._grant = session.grant
        self._language = session.language
        self._plane = plane

    async def judge(self, gateway: Gateway, public_key: str, via: str) -> HostKeyAnswer:
        request = HostKeySeen(
            session_id=self._grant.session_id,
            opening_key=self._grant.opening_key,
            host=gateway.host,
            port=gateway.port,
            public_key=public_key,
            gateway_id=gateway.id,
            via=via,
            language=self._language,
        )
        try:
            return await self._plane.host_key(request)
        except (ControlUnavailable, ControlRefused) as error:
            raise self._away(error) from error

    async def credential(self, gateway: Gateway) -> Credential:
        request = GatewayCredentialRequest(
            session_id=self._grant.session_id,
            opening_key=self._grant.opening_key,
            gateway_id=gateway.id,
            language=self._language,
        )
        try:
            answer = await self._plane.gateway_credential(request)
        except (ControlUnavailable, ControlRefused) as error:
            raise self._away(error) from error
        if answer.credential is None:
            raise self._denied(answer.denial)
        return answer.credential

    def _denied(self, denial: Denial | None) -> TargetFailed:
        code = DenialCode.CREDENTIAL_MISSING if denial is None else denial.code
        message = Text.GATEWAY_NO_SECRET.say(self._language) if denial is None else denial.message
        reason = EndReason.UNREACHABLE if code in _OF_ONE_GATEWAY else EndReason.CREDENTIAL_REFUSED
        return TargetFailed(reason, message, f"the control plane gave no credential of a gateway: {code.value}")

    def _away(self, error: ControlUnavailable | ControlRefused) -> TargetFailed:
        return TargetFailed(EndReason.CONTROL_LOST, Text.CONTROL_UNAVAILABLE.say(self._language), error.message)
