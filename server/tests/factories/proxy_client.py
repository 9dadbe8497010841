"""A registered proxy that speaks the internal API over Django's test client, and a user with a permission."""

import copy
import hashlib
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID, uuid4

import msgspec
from django.test import Client

from postern.apps.assets.models import Asset
from postern.apps.authn.models import ProxySignIn
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.sign_in.actions.sign_in import Attempted, MfaState, Proof
from postern.apps.perms.models import AssetPermission
from postern.apps.sessions.models import Session, Terminal
from postern.apps.sessions.terminals import registration
from postern.apps.sessions.terminals.actions import registrations
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts import PROTOCOL_VERSION, access, events, terminals
from postern.contracts.enums import LoginFrom, Protocol, RecordingState
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import token_hash

Message = TypeVar("Message", bound=msgspec.Struct)
PREFIX = access.INTERNAL_PREFIX
ADDRESS = "192.0.2.7"


class Proxy:
    """The HTTP calls of a proxy. Users sign in through it from 192.0.2.7 when a call needs their ticket."""

    def __init__(self, client: Client, name: str = "proxy-1", *, accepted: bool = True) -> None:
        self.http = client
        self.boot_id = uuid4()
        answer = client.post(
            "/api/v1/terminal/terminal-registrations/",
            {"name": name, "type": "core"},
            content_type="application/json",
            headers={"Authorization": f"BootstrapToken {registration.bootstrap_token().reveal()}"},
        )
        assert answer.status_code == 201, answer.content
        body = answer.json()
        self.id = UUID(body["id"])
        self.secret: str = body["service_account"]["access_key"]["secret"]
        self._tickets: dict[UUID, str] = {}
        self._opening_keys: dict[UUID, str] = {}
        if accepted:
            registrations.accept(actor=SYSTEM, terminal=Terminal.objects.get(pk=self.id))

    def afresh(self, client: Client) -> "Proxy":
        """The same proxy for another test: it remembers no ticket and no session of this one."""
        other = copy.copy(self)
        other.http, other._tickets, other._opening_keys = client, {}, {}
        return other

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Terminal {self.id}.{self.secret}"}

    def post(self, path: str, body: bytes, **headers: str) -> Any:
        return self.http.post(PREFIX + path, body, content_type="application/json", headers={**self.headers, **headers})

    def ask(self, path: str, message: msgspec.Struct, answer: type[Message]) -> Message:
        response = self.post(path, msgspec.json.encode(message))
        assert response.status_code == 200, response.content
        return msgspec.json.decode(response.content, type=answer)

    def sign_in(self, user: User, *, remote_addr: str = ADDRESS, mfa: bool = False, key_hash: str = "") -> str:
        """Sign the user in through this proxy; returns the ticket."""
        attempted = Attempted(
            username=user.username,
            remote_addr=remote_addr,
            login_type="T",
            backend="publickey" if key_hash else "password",
        )
        state = MfaState.SHOWN if mfa else MfaState.OFF
        proof = Proof(user=user, attempted=attempted, key_hash=key_hash)
        return proxy_sign_ins.open_sign_in(proof, mfa=state, proxy_id=self.id).ticket.reveal()

    def ticket(self, user: User) -> str:
        """A ticket of the user. Signs them in at the first call, and again when a test deleted the sign-in."""
        held = self._tickets.get(user.pk, "")
        if not ProxySignIn.objects.filter(token_hash=token_hash(held)).exists():
            self._tickets[user.pk] = self.sign_in(user)
        return self._tickets[user.pk]

    def reachable(self, user: User, **more: Any) -> access.ReachablePage:
        values: dict[str, Any] = {"ticket": self.ticket(user), "remote_addr": ADDRESS, **more}
        return self.ask(access.REACHABLE_ASSETS, access.ReachableQuery(**values), access.ReachablePage)

    def authorize(self, user: User, asset: str, system_user: str = "", **more: Any) -> access.AuthorizeAnswer:
        values: dict[str, Any] = {
            "protocol": Protocol.SSH,
            "login_from": LoginFrom.SSH_TERMINAL,
            "remote_addr": ADDRESS,
            "ticket": more.pop("ticket", None) or self.ticket(user),
            **more,
        }
        request = access.AuthorizeRequest(asset=asset, system_user=system_user, **values)
        return self._opened(self.ask(access.AUTHORIZE, request, access.AuthorizeAnswer))

    def _opened(self, answer: access.AuthorizeAnswer) -> access.AuthorizeAnswer:
        if answer.grant is not None:
            self._opening_keys[answer.grant.session_id] = answer.grant.opening_key
        return answer

    def opening_key(self, session_id: UUID) -> str:
        """The opening key from the grant of the session, or "" when this proxy did not get the grant."""
        return self._opening_keys.get(session_id, "")

    def redeem(
        self, token: str, user: User, *, attempt: str = "", remote_addr: str = ADDRESS
    ) -> access.AuthorizeAnswer:
        request = access.RedeemToken(token=token, user_id=user.pk, remote_addr=remote_addr, attempt=attempt)
        return self._opened(self.ask(access.REDEEM_TOKEN, request, access.AuthorizeAnswer))

    def credential(
        self, session_id: UUID, *, opening_key: str | None = None, attempt: str = ""
    ) -> access.CredentialAnswer:
        key = self.opening_key(session_id) if opening_key is None else opening_key
        request = access.CredentialRequest(session_id=session_id, opening_key=key, attempt=attempt)
        return self.ask(access.CREDENTIAL, request, access.CredentialAnswer)

    def gateway_credential(
        self, session_id: UUID, gateway_id: UUID, *, opening_key: str | None = None
    ) -> access.CredentialAnswer:
        key = self.opening_key(session_id) if opening_key is None else opening_key
        request = access.GatewayCredentialRequest(session_id=session_id, opening_key=key, gateway_id=gateway_id)
        return self.ask(access.GATEWAY_CREDENTIAL, request, access.CredentialAnswer)

    def tell(self, *reported: Any) -> events.EventBatchAnswer:
        return self.ask(events.SESSION_EVENTS, events.EventBatch(events=reported), events.EventBatchAnswer)

    def start(self, session_id: UUID, *, recording: bool = False, kind: str = "shell") -> None:
        self.tell(events.SessionStarted(session_id=session_id, at=clock.now(), kind=kind, recording=recording))

    def beat(self, *sessions: UUID, **more: Any) -> terminals.HeartbeatAnswer:
        values: dict[str, Any] = {
            "version": "test",
            "protocol_version": PROTOCOL_VERSION,
            "cpu_load": 0.1,
            "memory_used": 10.0,
            "disk_used": 10.0,
            "connections": 0,
            "boot_id": self.boot_id,
            "stream_address": "unix:/nowhere",
            "ssh_port": 2222,
            **more,
        }
        return self.ask(
            terminals.HEARTBEAT, terminals.Heartbeat(sessions=sessions, **values), terminals.HeartbeatAnswer
        )

    def renew(self, **more: Any) -> Any:
        """Request a new credential."""
        request = terminals.CredentialRenewalRequest(boot_id=more.pop("boot_id", self.boot_id))
        return self.http.post(
            PREFIX + terminals.RENEW_CREDENTIAL,
            msgspec.json.encode(request),
            content_type="application/json",
            headers=self.headers,
            **more,
        )

    def put(self, session_id: UUID, data: bytes, first: int, total: int) -> Any:
        return self.http.put(
            PREFIX + events.RECORDING_UPLOAD.format(session_id=session_id),
            data,
            content_type="application/octet-stream",
            headers={**self.headers, "Content-Range": f"bytes {first}-{first + len(data) - 1}/{total}"},
        )

    def seal(self, session_id: UUID, content: bytes, **more: Any) -> None:
        values: dict[str, Any] = {
            "state": RecordingState.SEALED,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "chain": "c" * 64,
            "key_id": "0123456789abcdef",
            "duration_ms": 1234,
            **more,
        }
        self.tell(events.RecordingSealed(session_id=session_id, at=clock.now(), **values))


@dataclass
class World:
    """Uma, who may use `root` on `web-1`."""

    user: User
    asset: Asset
    system_user: SystemUser
    permission: AssetPermission


def the_order(proxy: Proxy, session: Session) -> Any:
    """The only order about a live session that waits for the proxy."""
    (order,) = proxy.beat(session.pk).orders
    return order


def reason_of_end(proxy: Proxy, session: Session) -> str:
    """The reason in the only waiting order, which must end the session."""
    order = the_order(proxy, session)
    assert isinstance(order, terminals.TerminateSession)
    return order.reason
