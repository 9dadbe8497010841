"""A registered proxy that speaks the internal API over Django's test client, and a person with a grant."""

import hashlib
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID, uuid4

import msgspec
from django.test import Client

from postern.apps.assets.models import Asset
from postern.apps.perms.models import AssetPermission
from postern.apps.sessions import registration
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts import access, events, terminals
from postern.contracts.enums import LoginFrom, Protocol, RecordingState
from postern.kernel import clock

Message = TypeVar("Message", bound=msgspec.Struct)
PREFIX = access.INTERNAL_PREFIX


class Proxy:
    """What a proxy does over HTTP, without a proxy."""

    def __init__(self, client: Client, name: str = "proxy-1") -> None:
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

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Terminal {self.id}.{self.secret}"}

    def post(self, path: str, body: bytes, **headers: str) -> Any:
        return self.http.post(PREFIX + path, body, content_type="application/json", headers={**self.headers, **headers})

    def ask(self, path: str, message: msgspec.Struct, answer: type[Message]) -> Message:
        response = self.post(path, msgspec.json.encode(message))
        assert response.status_code == 200, response.content
        return msgspec.json.decode(response.content, type=answer)

    def authorize(self, user: User, asset: str, system_user: str = "", **more: Any) -> access.AuthorizeAnswer:
        values: dict[str, Any] = {
            "protocol": Protocol.SSH,
            "login_from": LoginFrom.SSH_TERMINAL,
            "remote_addr": "192.0.2.7",
            **more,
        }
        request = access.AuthorizeRequest(user_id=user.pk, asset=asset, system_user=system_user, **values)
        return self.ask(access.AUTHORIZE, request, access.AuthorizeAnswer)

    def redeem(self, token: str, user: User) -> access.AuthorizeAnswer:
        request = access.RedeemToken(token=token, user_id=user.pk, remote_addr="192.0.2.7")
        return self.ask(access.REDEEM_TOKEN, request, access.AuthorizeAnswer)

    def credential(self, session_id: UUID) -> access.CredentialAnswer:
        return self.ask(access.CREDENTIAL, access.CredentialRequest(session_id=session_id), access.CredentialAnswer)

    def tell(self, *told: Any) -> events.EventBatchAnswer:
        return self.ask(events.SESSION_EVENTS, events.EventBatch(events=told), events.EventBatchAnswer)

    def start(self, session_id: UUID, *, recording: bool = False, kind: str = "shell") -> None:
        self.tell(events.SessionStarted(session_id=session_id, at=clock.now(), kind=kind, recording=recording))

    def beat(self, *sessions: UUID, **more: Any) -> terminals.HeartbeatAnswer:
        values: dict[str, Any] = {
            "version": "test",
            "protocol_version": 1,
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
    """Uma may use `root` on `web-1`."""

    user: User
    asset: Asset
    system_user: SystemUser
    permission: AssetPermission
