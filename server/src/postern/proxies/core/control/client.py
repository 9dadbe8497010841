"""HTTP client for the control plane: the internal API below `INTERNAL_PREFIX`, with the proxy's own credential."""

import asyncio
from types import TracebackType
from typing import Final, Self, TypeVar
from uuid import UUID

import aiohttp
import msgspec

from postern.contracts import access, command_control, events, terminals
from postern.proxies.core.control.plane import ControlRefused, ControlUnavailable, RecordingProgress
from postern.proxies.core.control.received_orders import read_answer
from postern.proxies.core.limits import Limits

Message = TypeVar("Message", bound=msgspec.Struct)

_JSON: Final = {"Content-Type": "application/json"}
_OK: Final = 200
_UNKNOWN: Final = 401
_DOES_NOT_FOLLOW: Final = 409  # part of an upload at the wrong offset: the body names the expected one
_MAX_REGISTRATION_BYTES: Final = 64 * 1024


class _AccessKey(msgspec.Struct):
    secret: str


class _ServiceAccount(msgspec.Struct):
    access_key: _AccessKey


class _Registration(msgspec.Struct):
    """The fields used from the answer to a registration."""

    id: UUID
    name: str
    service_account: _ServiceAccount


def authorization(credential: terminals.Registered) -> dict[str, str]:
    """Return the header that identifies this proxy to the internal API and the control channel."""
    return {"Authorization": f"Terminal {credential.terminal_id}.{credential.secret}"}


def http_session(limits: Limits) -> aiohttp.ClientSession:
    """Create the proxy's HTTP client. Time and connections are limited, and proxy environment variables are ignored."""
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=limits.control_request_s, connect=5),
        connector=aiohttp.TCPConnector(limit=64, keepalive_timeout=access.PROXY_USES_IDLE_S),
        trust_env=False,
    )


async def register(http: aiohttp.ClientSession, url: str, *, name: str, auth_header: str) -> terminals.Registered:
    """Register this proxy as a terminal.

    `auth_header` is the `Authorization` header: the bootstrap token, or the proof of a local proxy. Raises
    `ControlUnavailable`, `ControlRefused`.
    """
    body = {"name": name, "type": "proxy"}
    address = f"{url.rstrip('/')}/api/v1/terminal/terminal-registrations/"
    headers = {"Authorization": auth_header}
    try:
        async with http.post(address, json=body, headers=headers, allow_redirects=False) as response:
            content = await response.content.read(_MAX_REGISTRATION_BYTES)
            status = response.status
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise ControlUnavailable(f"no answer from {url}: {type(error).__name__} {error}") from error
    if status != 201:
        if status >= 500 or status == 429:
            raise ControlUnavailable(f"the control plane is not ready (status {status})")
        raise ControlRefused(f"the registration was refused (status {status}): {content[:300]!r}", status)
    try:
        answer = msgspec.json.decode(content, type=_Registration)
    except msgspec.MsgspecError as error:
        raise ControlRefused(f"the answer to the registration is malformed: {error}", status) from error
    return terminals.Registered(
        terminal_id=answer.id, name=answer.name, secret=answer.service_account.access_key.secret
    )


async def registration_state(
    http: aiohttp.ClientSession, url: str, credential: terminals.Registered
) -> terminals.StateOfRegistration | None:
    """Return the state of the registration, or None if the control plane does not know the credential (any more).

    Raises `ControlUnavailable`.
    """
    address = url.rstrip("/") + access.INTERNAL_PREFIX + terminals.REGISTRATION_STATE
    try:
        async with http.get(address, headers=authorization(credential), allow_redirects=False) as response:
            content = await response.content.read(_MAX_REGISTRATION_BYTES)
            status = response.status
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise ControlUnavailable(f"no answer from {url}: {type(error).__name__} {error}") from error
    if status == _UNKNOWN:
        return None
    try:
        if status == _OK:
            return msgspec.json.decode(content, type=terminals.RegistrationAnswer).state
    except msgspec.MsgspecError as error:
        raise ControlUnavailable(f"the answer about the registration is malformed: {error}") from error
    raise ControlUnavailable(f"the control plane is not ready (status {status})")


class HttpControlPlane:
    """`ControlPlane` over HTTP. Use it as an asynchronous context manager, or call `close`."""

    def __init__(self, url: str, credential: terminals.Registered, limits: Limits) -> None:
        self._base = url.rstrip("/") + access.INTERNAL_PREFIX
        self._limits = limits
        self.registered = credential
        self._headers = authorization(credential)
        self._http = http_session(limits)
        self._encoder = msgspec.json.Encoder()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.close()

    async def sign_in_password(self, request: access.SignInPassword) -> access.SignInAnswer:
        return await self._ask(access.SIGN_IN_PASSWORD, request, access.SignInAnswer)

    async def public_key_offer(self, request: access.PublicKeyOffer) -> access.PublicKeyAnswer:
        return await self._ask(access.PUBLIC_KEY_OFFER, request, access.PublicKeyAnswer)

    async def sign_in_public_key(self, request: access.SignInPublicKey) -> access.SignInAnswer:
        return await self._ask(access.SIGN_IN_PUBLIC_KEY, request, access.SignInAnswer)

    async def sign_in_code(self, request: access.SignInCode) -> access.SignInAnswer:
        return await self._ask(access.SIGN_IN_CODE, request, access.SignInAnswer)

    async def report_tickets(self, report: access.TicketReport) -> access.TicketReportAnswer:
        return await self._ask(access.TICKETS, report, access.TicketReportAnswer)

    async def reachable_assets(self, request: access.ReachableQuery) -> access.ReachablePage:
        return await self._ask(access.REACHABLE_ASSETS, request, access.ReachablePage)

    async def authorize(self, request: access.AuthorizeRequest) -> access.AuthorizeAnswer:
        return await self._ask(access.AUTHORIZE, request, access.AuthorizeAnswer)

    async def redeem_token(self, request: access.RedeemToken) -> access.AuthorizeAnswer:
        return await self._ask(access.REDEEM_TOKEN, request, access.AuthorizeAnswer)

    async def credential(self, request: access.CredentialRequest) -> access.CredentialAnswer:
        return await self._ask(access.CREDENTIAL, request, access.CredentialAnswer)

    async def gateway_credential(self, request: access.GatewayCredentialRequest) -> access.CredentialAnswer:
        return await self._ask(access.GATEWAY_CREDENTIAL, request, access.CredentialAnswer)

    async def host_key(self, request: access.HostKeySeen) -> access.HostKeyAnswer:
        return await self._ask(access.HOST_KEY, request, access.HostKeyAnswer)

    async def confirm_command(self, request: command_control.ConfirmCommand) -> command_control.CommandConfirmation:
        return await self._ask(command_control.CONFIRM_COMMAND, request, command_control.CommandConfirmation)

    async def confirmation_state(self, query: command_control.ConfirmationQuery) -> command_control.CommandConfirmation:
        return await self._ask(command_control.CONFIRMATION_STATE, query, command_control.CommandConfirmation)

    async def withdraw_confirmation(
        self, query: command_control.ConfirmationQuery
    ) -> command_control.CommandConfirmation:
        return await self._ask(command_control.WITHDRAW_CONFIRMATION, query, command_control.CommandConfirmation)

    async def send_events(self, batch: events.EventBatch) -> events.EventBatchAnswer:
        return await self._ask(events.SESSION_EVENTS, batch, events.EventBatchAnswer)

    async def heartbeat(self, beat: terminals.Heartbeat) -> terminals.HeartbeatAnswer:
        return read_answer(await self._ask(terminals.HEARTBEAT, beat, terminals.ReceivedHeartbeatAnswer))

    async def renew_credential(self, boot_id: UUID) -> terminals.RenewedCredential:
        """Return a new secret for this proxy. Raises `ControlRefused` if none was ordered or `boot_id` is not current."""
        request = terminals.CredentialRenewalRequest(boot_id=boot_id)
        return await self._ask(terminals.RENEW_CREDENTIAL, request, terminals.RenewedCredential)

    def use(self, credential: terminals.Registered) -> None:
        """Use this credential from now on."""
        self.registered = credential
        self._headers = authorization(credential)

    async def recording_received(self, session_id: UUID) -> RecordingProgress:
        path = events.RECORDING_UPLOAD.format(session_id=session_id)
        return await self._exchange("GET", path, None, {}, RecordingProgress)

    async def send_recording(self, session_id: UUID, data: bytes, *, first: int, total: int) -> RecordingProgress:
        path = events.RECORDING_UPLOAD.format(session_id=session_id)
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Range": f"bytes {first}-{first + len(data) - 1}/{total}",
        }
        return await self._exchange("PUT", path, data, headers, RecordingProgress)

    async def _ask(self, path: str, message: msgspec.Struct, answer: type[Message]) -> Message:
        return await self._exchange("POST", path, self._encoder.encode(message), _JSON, answer)

    async def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], answer: type[Message]
    ) -> Message:
        try:
            async with self._http.request(
                method, self._base + path, data=body, headers={**self._headers, **headers}, allow_redirects=False
            ) as response:
                content = await self._read(response)
                status = response.status
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise ControlUnavailable(f"no answer from the control plane: {type(error).__name__} {error}") from error
        if status in (200, 201) or (status == _DOES_NOT_FOLLOW and method == "PUT"):
            try:
                return msgspec.json.decode(content, type=answer)
            except msgspec.MsgspecError as error:
                raise ControlUnavailable(f"malformed answer to {path}: {error}") from error
        if status >= 500 or status == 429:
            raise ControlUnavailable(f"the control plane answered {path} with status {status}")
        raise ControlRefused(f"the control plane refused {path} with status {status}", status)

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_chunked(64 * 1024):
            size += len(part)
            if size > self._limits.control_answer_bytes:
                raise aiohttp.ClientPayloadError("the answer is too large")
            parts.append(part)
        return b"".join(parts)


async def pause(seconds: float, wake: asyncio.Event) -> None:
    """Wait for `seconds`, or until `wake` is set."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return
