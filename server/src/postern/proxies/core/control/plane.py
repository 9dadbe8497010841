"""The control plane as the rest of the proxy sees it: typed requests and answers."""

from typing import Protocol
from uuid import UUID

import msgspec

from postern.contracts.access import (
    AuthorizeAnswer,
    AuthorizeRequest,
    CredentialAnswer,
    CredentialRequest,
    GatewayCredentialRequest,
    HostKeyAnswer,
    HostKeySeen,
    PublicKeyAnswer,
    PublicKeyOffer,
    ReachablePage,
    ReachableQuery,
    RedeemToken,
    SignInAnswer,
    SignInCode,
    SignInPassword,
    SignInPublicKey,
    TicketReport,
    TicketReportAnswer,
)
from postern.contracts.command_control import CommandConfirmation, ConfirmationQuery, ConfirmCommand
from postern.contracts.events import EventBatch, EventBatchAnswer
from postern.contracts.terminals import Heartbeat, HeartbeatAnswer
from postern.kernel.errors import PosternError, Unavailable


class ControlUnavailable(Unavailable):
    """The control plane cannot be reached or is not ready. A retry may succeed."""

    code = "control_unavailable"


class ControlRefused(PosternError):
    """The control plane rejects the message or the credential. A retry does not help."""

    code = "control_refused"

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.http_status = status


class RecordingProgress(msgspec.Struct, frozen=True, kw_only=True):
    """State of an upload. `received` counts bytes. `stored` is set after size and hash were verified."""

    received: int
    stored: bool = False


class ControlPlane(Protocol):
    """Every method raises `ControlUnavailable` or `ControlRefused`. A denial is an ordinary answer."""

    async def sign_in_password(self, request: SignInPassword) -> SignInAnswer: ...
    async def public_key_offer(self, request: PublicKeyOffer) -> PublicKeyAnswer: ...
    async def sign_in_public_key(self, request: SignInPublicKey) -> SignInAnswer: ...
    async def sign_in_code(self, request: SignInCode) -> SignInAnswer: ...
    async def report_tickets(self, report: TicketReport) -> TicketReportAnswer: ...
    async def reachable_assets(self, request: ReachableQuery) -> ReachablePage: ...
    async def authorize(self, request: AuthorizeRequest) -> AuthorizeAnswer: ...
    async def redeem_token(self, request: RedeemToken) -> AuthorizeAnswer: ...
    async def credential(self, request: CredentialRequest) -> CredentialAnswer: ...
    async def gateway_credential(self, request: GatewayCredentialRequest) -> CredentialAnswer: ...
    async def host_key(self, request: HostKeySeen) -> HostKeyAnswer: ...
    async def confirm_command(self, request: ConfirmCommand) -> CommandConfirmation: ...
    async def confirmation_state(self, query: ConfirmationQuery) -> CommandConfirmation: ...
    async def withdraw_confirmation(self, query: ConfirmationQuery) -> CommandConfirmation: ...
    async def send_events(self, batch: EventBatch) -> EventBatchAnswer: ...
    async def heartbeat(self, beat: Heartbeat) -> HeartbeatAnswer: ...

    async def recording_received(self, session_id: UUID) -> RecordingProgress:
        """How much of the sealed recording the control plane has received."""

    async def send_recording(self, session_id: UUID, data: bytes, *, first: int, total: int) -> RecordingProgress:
        """Send a part that starts at byte `first`. Returns how much was received so far, also if the part does not
        follow on it.
        """
