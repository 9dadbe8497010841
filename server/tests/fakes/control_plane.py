"""A fake control plane for tests of the proxy: real HTTP, a real control channel, and plain objects as its data."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self
from uuid import UUID, uuid4

import asyncssh
import msgspec
from aiohttp import WSMsgType, web
from asyncssh.packet import SSHPacket

from postern.contracts import access, command_control, events, terminals
from postern.contracts.command_control import CommandControl
from postern.contracts.enums import Actions, DenialCode, HostKeyVerdict, LoginFrom, Protocol
from postern.contracts.login_name import readings
from postern.contracts.routes import Gateway, Route

_SIGN_IN_ENDED = access.Denial(code=DenialCode.SIGN_IN_ENDED, message="Your sign-in has ended.")


def _signed_request(signed: bytes, signature: bytes) -> tuple[str, str]:
    """User name and key of a signed sign-in request, after checking the signature."""
    packet = SSHPacket(signed)
    packet.get_string()
    packet.get_byte()
    username = packet.get_string().decode()
    packet.get_string()
    packet.get_string()
    packet.get_boolean()
    packet.get_string()
    key = asyncssh.public_key.decode_ssh_public_key(packet.get_string())
    assert key.verify(signed, signature)
    return username, key.export_public_key("openssh").decode().strip()


@dataclass
class FakeUser:
    username: str
    password: str = "right"
    name: str = ""
    language: str = "en"
    keys: list[str] = field(default_factory=list)
    denial: access.Denial | None = None
    #: The code of the user's second factor; "" when they have none.
    code: str = ""
    id: UUID = field(default_factory=uuid4)

    @property
    def identity(self) -> access.UserIdentity:
        return access.UserIdentity(
            id=self.id, username=self.username, name=self.name or self.username, language=self.language
        )


@dataclass
class FakeSystemUser:
    name: str
    login: str
    password: str = ""
    private_key: str = ""
    manual: bool = False
    #: With `manual`: the user has entered `login` and `password` beforehand.
    entered: bool = False
    sftp_root: str = "/"
    priority: int = 20
    id: UUID = field(default_factory=uuid4)


@dataclass
class FakeGateway:
    name: str
    host: str
    port: int
    login: str
    password: str = ""
    private_key: str = ""
    id: UUID = field(default_factory=uuid4)

    @property
    def sent(self) -> Gateway:
        return Gateway(id=self.id, name=self.name, host=self.host, port=self.port, login_name=self.login)


@dataclass
class FakeAsset:
    hostname: str
    host: str
    port: int
    system_users: list[FakeSystemUser]
    comment: str = ""
    actions: Actions = Actions.ALL
    expires_at: datetime | None = None
    ends: tuple[access.ActionsUntil, ...] = ()
    idle_timeout_s: int = 1800
    control_loss_limit_s: int = 600
    strict: bool = True
    protocol: Protocol = Protocol.SSH
    #: The gateways on the way, in stages.
    way: list[list[FakeGateway]] = field(default_factory=list)
    command_control: CommandControl = field(default_factory=CommandControl)
    id: UUID = field(default_factory=uuid4)

    @property
    def route(self) -> Route:
        return Route(stages=tuple(tuple(gateway.sent for gateway in stage) for stage in self.way))

    def reachable(self) -> access.ReachableAsset:
        return access.ReachableAsset(
            id=self.id,
            hostname=self.hostname,
            ip=self.host,
            platform="Linux",
            comment=self.comment,
            org_name="Default",
            system_users=tuple(
                access.ReachableSystemUser(
                    id=s.id, name=s.name, username=s.login, protocol=self.protocol, priority=s.priority, manual=s.manual
                )
                for s in self.system_users
            ),
        )


@dataclass
class Grant:
    grant: access.SessionGrant
    system_user: FakeSystemUser
    credential_given: bool = False


class FakeControlPlane:
    """Start it with `async with`. `events`, `heartbeats`, `orders_done` and `calls` record what the proxy sent."""

    def __init__(self) -> None:
        self.users: dict[str, FakeUser] = {}
        self.assets: list[FakeAsset] = []
        self.grants: dict[UUID, Grant] = {}
        self.events: list[Any] = []
        self.heartbeats: list[terminals.Heartbeat] = []
        self.calls: list[tuple[str, Any]] = []
        self.orders: dict[UUID, Any] = {}
        self.orders_done: dict[UUID, terminals.OrderDone] = {}
        self.host_keys: dict[tuple[str, int], str] = {}
        self.recordings: dict[UUID, bytearray] = {}
        self.tokens: dict[str, access.AuthorizeAnswer] = {}
        self.pending: dict[str, FakeUser] = {}
        self.settings = terminals.ProxySettings()
        self.terminals: dict[UUID, str] = {}
        #: The state of registrations by terminal; a terminal that is missing here is accepted.
        self.states: dict[UUID, terminals.StateOfRegistration] = {}
        self.new_state = terminals.StateOfRegistration.ACCEPTED
        self.states_asked = 0
        #: The `Authorization` headers of registrations.
        self.shown: list[str] = []
        #: The signed-in users by ticket, and the tickets that the proxy gave back.
        self.tickets: dict[str, FakeUser] = {}
        self.tickets_closed: list[str] = []
        self.renewals: dict[UUID, str] = {}
        self.renewal_due = False
        self.local_secret = ""
        self.bootstrap_token = "bootstrap"
        self.down = False
        self.delay_s = 0.0
        #: Faults of the next calls by path: a status, "reset" (nothing is done) or "lost" (done, but not answered).
        self.faults: dict[str, list[str]] = {}
        #: Answers by attempt: a repeated attempt gets the same answer, and nothing is done again.
        self.answered: dict[tuple[str, bytes], Any] = {}
        #: Seconds between the effect of a call and its answer.
        self.late_s: Callable[[], float] = lambda: 0.0
        #: Confirmations of commands by id. A test decides by changing the state. Without `has_reviewers` nothing is opened.
        self.confirmations: dict[UUID, command_control.CommandConfirmation] = {}
        self.withdrawn: list[UUID] = []
        self.has_reviewers = True
        self.reject_sessions: set[UUID] = set()
        self._channels: list[web.WebSocketResponse] = []
        self._runner: web.AppRunner | None = None
        self._changed = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/api/v1/terminal/terminal-registrations/", self._register)
        app.router.add_get(terminals.CONTROL_CHANNEL, self._channel)
        upload = access.INTERNAL_PREFIX + events.RECORDING_UPLOAD
        app.router.add_get(access.INTERNAL_PREFIX + terminals.REGISTRATION_STATE, self._registration_state)
        app.router.add_post(access.INTERNAL_PREFIX + terminals.RENEW_CREDENTIAL, self._renew)
        app.router.add_get(upload, self._recording_received)
        app.router.add_put(upload, self._recording_part)
        for path, kind, answer in (
            (access.SIGN_IN_PASSWORD, access.SignInPassword, self._password),
            (access.SIGN_IN_CODE, access.SignInCode, self._code),
            (access.TICKETS, access.TicketReport, self._report_tickets),
            (access.PUBLIC_KEY_OFFER, access.PublicKeyOffer, self._offer),
            (access.SIGN_IN_PUBLIC_KEY, access.SignInPublicKey, self._public_key),
            (access.REACHABLE_ASSETS, access.ReachableQuery, self._reachable),
            (access.AUTHORIZE, access.AuthorizeRequest, self._authorize),
            (access.REDEEM_TOKEN, access.RedeemToken, self._redeem),
            (access.CREDENTIAL, access.CredentialRequest, self._credential),
            (access.GATEWAY_CREDENTIAL, access.GatewayCredentialRequest, self._gateway_credential),
            (access.HOST_KEY, access.HostKeySeen, self._host_key),
            (command_control.CONFIRM_COMMAND, command_control.ConfirmCommand, self._confirm),
            (command_control.CONFIRMATION_STATE, command_control.ConfirmationQuery, self._confirmation),
            (command_control.WITHDRAW_CONFIRMATION, command_control.ConfirmationQuery, self._withdraw),
            (events.SESSION_EVENTS, events.EventBatch, self._events),
            (terminals.HEARTBEAT, terminals.Heartbeat, self._heartbeat),
        ):
            app.router.add_post(access.INTERNAL_PREFIX + path, self._handler(path, kind, answer))
        self._runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        for channel in list(self._channels):
            await channel.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    # For tests

    def add_user(self, username: str, password: str = "right", **more: Any) -> FakeUser:
        user = FakeUser(username=username, password=password, **more)
        self.users[username] = user
        return user

    def add_asset(self, asset: FakeAsset) -> FakeAsset:
        self.assets.append(asset)
        return asset

    async def order(self, order: Any) -> None:
        """Send an order on every open channel, and repeat it in heartbeats until it is done."""
        self.orders[order.order_id] = order
        for channel in self._channels:
            await channel.send_str(msgspec.json.encode(order).decode())

    async def change_settings(self, **changes: Any) -> None:
        """Change the settings that proxies share, and send them on every open channel."""
        self.settings = msgspec.structs.replace(self.settings, version=self.settings.version + 1, **changes)
        for channel in self._channels:
            update = terminals.SettingsUpdate(settings=self.settings)
            await channel.send_str(msgspec.json.encode(update).decode())

    def of(self, kind: type, session_id: UUID | None = None) -> list[Any]:
        """The events of this type in the order of their arrival."""
        return [e for e in self.events if isinstance(e, kind) and session_id in (None, getattr(e, "session_id", None))]

    async def until(self, condition: Any, timeout_s: float = 60.0) -> Any:
        """Wait until `condition()` is true. It is evaluated after each message of the proxy and every 50 ms."""
        async with asyncio.timeout(timeout_s):
            while not (result := condition()):
                self._changed.clear()
                try:
                    async with asyncio.timeout(0.05):
                        await self._changed.wait()
                except TimeoutError:
                    continue
            return result

    async def event(self, kind: type, timeout_s: float = 60.0, **fields: Any) -> Any:
        """Wait for an event of this type whose fields have these values."""

        def matching_event() -> Any:
            return next(
                (e for e in self.of(kind) if all(getattr(e, name) == value for name, value in fields.items())), None
            )

        try:
            return await self.until(matching_event, timeout_s)
        except TimeoutError:
            raise AssertionError(f"no {kind.__name__} {fields} in {self.events}") from None

    def grant(self, user: FakeUser, asset: FakeAsset, system_user: FakeSystemUser, **more: Any) -> access.SessionGrant:
        """Make a session for tests that do not call `authorize`."""
        grant = access.SessionGrant(
            session_id=uuid4(),
            user=msgspec.structs.replace(user.identity, language=user.language or more.pop("language", "")),
            org_id=UUID(int=2),
            asset_id=asset.id,
            asset_name=asset.hostname,
            system_user_id=system_user.id,
            system_user_name=system_user.name,
            login_name="" if system_user.manual and not system_user.entered else system_user.login,
            manual=system_user.manual,
            entered=system_user.entered,
            sftp_root=system_user.sftp_root,
            protocol=asset.protocol,
            login_from=more.pop("login_from", LoginFrom.SSH_TERMINAL),
            remote_addr=more.pop("remote_addr", "127.0.0.1"),
            target=access.Target(host=asset.host, port=asset.port),
            actions=asset.actions,
            recording=access.RecordingPolicy(strict=asset.strict),
            expires_at=asset.expires_at,
            ends=asset.ends,
            idle_timeout_s=asset.idle_timeout_s,
            control_loss_limit_s=asset.control_loss_limit_s,
            route=asset.route,
            command_control=asset.command_control,
            opening_key=uuid4().hex,
        )
        self.grants[grant.session_id] = Grant(grant, system_user)
        return grant

    # Calls of the proxy

    def _handler(self, path: str, kind: type, answer: Any) -> Any:
        async def handle(request: web.Request) -> web.Response:
            body = await request.read()
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            if self.down:
                return web.Response(status=503)
            if not self._known(request):
                return web.Response(status=401)
            fault = self.faults[path].pop(0) if self.faults.get(path) else ""
            if fault.isdecimal():
                return web.Response(status=int(fault))
            message: Any = msgspec.json.decode(body, type=kind)
            result = None
            if fault != "reset":
                self.calls.append((path, message))
                result = self.answered[path, body] if (path, body) in self.answered else answer(message)
                if getattr(message, "attempt", ""):
                    self.answered[path, body] = result
                self._changed.set()
            if fault and request.transport is not None:
                request.transport.close()
            await asyncio.sleep(self.late_s())
            return web.Response(body=msgspec.json.encode(result), content_type="application/json")

        return handle

    def _known(self, request: web.Request) -> bool:
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        terminal_id, _, secret = value.partition(".")
        if scheme != "Terminal" or self.states.get(UUID(terminal_id)) not in {None, "accepted"}:
            return False
        if secret == self.renewals.get(UUID(terminal_id)):
            self.terminals[UUID(terminal_id)] = self.renewals.pop(UUID(terminal_id))
            self.renewal_due = False
        return self.terminals.get(UUID(terminal_id)) == secret

    async def _registration_state(self, request: web.Request) -> web.Response:
        if self.down:
            return web.Response(status=503)
        terminal_id, _, secret = request.headers["Authorization"].removeprefix("Terminal ").partition(".")
        if self.terminals.get(UUID(terminal_id)) != secret:
            return web.Response(status=401)
        self.states_asked += 1
        return web.json_response({"state": self.states.get(UUID(terminal_id), "accepted")})

    async def _renew(self, request: web.Request) -> web.Response:
        if not self._known(request):
            return web.Response(status=401)
        terminal_id = UUID(request.headers["Authorization"].removeprefix("Terminal ").partition(".")[0])
        self.renewals[terminal_id] = uuid4().hex
        return web.json_response({"secret": self.renewals[terminal_id]})

    def _is_local(self, authorization: str, name: str) -> bool:
        """Whether this is a proof made with the secret of the data folder."""
        scheme, _, proof = authorization.partition(" ")
        if scheme != "LocalProxy" or not self.local_secret:
            return False
        made_at, nonce, _code = proof.split(".")
        return proof == terminals.local_proof(self.local_secret, name=name, made_at=int(made_at), nonce=nonce)

    async def _register(self, request: web.Request) -> web.Response:
        if self.down:
            return web.Response(status=503)
        authorization = request.headers.get("Authorization", "")
        body = await request.json()
        if authorization != f"BootstrapToken {self.bootstrap_token}" and not self._is_local(
            authorization, body["name"]
        ):
            return web.json_response({"detail": "no"}, status=401)
        terminal_id = uuid4()
        self.terminals[terminal_id] = secret = uuid4().hex
        self.states[terminal_id] = self.new_state
        self.shown.append(authorization)
        account = {"id": str(uuid4()), "name": body["name"], "access_key": {"id": str(uuid4()), "secret": secret}}
        return web.json_response({"id": str(terminal_id), "name": body["name"], "service_account": account}, status=201)

    async def _channel(self, request: web.Request) -> web.StreamResponse:
        if self.down or not self._known(request):
            return web.Response(status=503 if self.down else 401)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._channels.append(socket)
        self._changed.set()
        try:
            async for message in socket:
                if message.type == WSMsgType.TEXT:
                    self._done(msgspec.json.decode(message.data, type=terminals.OrderDone))
        finally:
            self._channels.remove(socket)
        return socket

    def _done(self, done: terminals.OrderDone) -> None:
        self.orders.pop(done.order_id, None)
        self.orders_done[done.order_id] = done
        self._changed.set()

    @property
    def channels(self) -> int:
        return len(self._channels)

    def _user(self, username: str) -> FakeUser | None:
        return self.users.get(username)

    def read_login_name(self, text: str) -> access.LoginNameAnswer:
        """How the control plane reads an SSH user name."""
        possible = readings(text)
        return next((reading for reading in possible if reading.username in self.users), possible[-1])

    def _password(self, request: access.SignInPassword) -> access.SignInAnswer:
        login = self.read_login_name(request.username)
        user = self._user(login.username)
        if user is not None and user.denial is not None:
            return access.SignInAnswer(denial=user.denial)
        if user is None or user.password != request.password:
            denial = access.Denial(code=DenialCode.BAD_CREDENTIALS, message="Wrong user name or password.")
            return access.SignInAnswer(denial=denial)
        return self._after_first_factor(user, login)

    def _signed_in(self, user: FakeUser, login: access.LoginNameAnswer) -> access.SignInAnswer:
        ticket = uuid4().hex
        self.tickets[ticket] = user
        return access.SignInAnswer(user=user.identity, ticket=ticket, login=login)

    def _report_tickets(self, report: access.TicketReport) -> access.TicketReportAnswer:
        for ticket in report.closed:
            self.tickets.pop(ticket, None)
            self.tickets_closed.append(ticket)
        return access.TicketReportAnswer(
            void=tuple(at for at, ticket in enumerate(report.open) if ticket not in self.tickets)
        )

    def _after_first_factor(self, user: FakeUser, login: access.LoginNameAnswer) -> access.SignInAnswer:
        if not user.code:
            return self._signed_in(user, login)
        token = uuid4().hex
        self.pending[token] = user
        return access.SignInAnswer(second_factor=access.SecondFactor(token=token, language=user.language))

    def _code(self, request: access.SignInCode) -> access.SignInAnswer:
        user = self.pending.get(request.token)
        if user is None or user.code != request.code:
            denial = access.Denial(code=DenialCode.MFA_FAILED, message="MFA Error, please check")
            return access.SignInAnswer(denial=denial)
        del self.pending[request.token]
        return self._signed_in(user, self.read_login_name(request.username))

    def _has_key(self, text: str, key: str) -> bool:
        user = self._user(self.read_login_name(text).username)
        return user is not None and key.split()[1] in [known.split()[1] for known in user.keys]

    def _offer(self, request: access.PublicKeyOffer) -> access.PublicKeyAnswer:
        return access.PublicKeyAnswer(acceptable=self._has_key(request.username, request.public_key))

    def _public_key(self, request: access.SignInPublicKey) -> access.SignInAnswer:
        username, key = _signed_request(request.signed, request.signature)
        if not self._has_key(username, key):
            return access.SignInAnswer(denial=access.Denial(code=DenialCode.BAD_CREDENTIALS, message="Unknown key."))
        login = self.read_login_name(username)
        return self._after_first_factor(self.users[login.username], login)

    def _confirm(self, request: command_control.ConfirmCommand) -> command_control.CommandConfirmation:
        if not self.has_reviewers:
            return command_control.CommandConfirmation(message="Nobody can confirm this.")
        made = command_control.CommandConfirmation(id=uuid4(), state=command_control.ConfirmationState.WAITING)
        assert made.id is not None
        self.confirmations[made.id] = made
        return made

    def _confirmation(self, query: command_control.ConfirmationQuery) -> command_control.CommandConfirmation:
        return self.confirmations[query.id]

    def _withdraw(self, query: command_control.ConfirmationQuery) -> command_control.CommandConfirmation:
        self.withdrawn.append(query.id)
        return command_control.CommandConfirmation(id=query.id)

    def _reachable(self, query: access.ReachableQuery) -> access.ReachablePage:
        if query.ticket not in self.tickets:
            return access.ReachablePage(count=0, assets=(), denial=_SIGN_IN_ENDED)
        wanted = query.search.lower()
        assets = [a for a in self.assets if wanted in f"{a.hostname} {a.host} {a.comment}".lower()]
        page = assets[query.offset : query.offset + query.limit]
        return access.ReachablePage(count=len(assets), assets=tuple(a.reachable() for a in page))

    def _authorize(self, request: access.AuthorizeRequest) -> access.AuthorizeAnswer:
        user = self.tickets.get(request.ticket)
        if user is None:
            return access.AuthorizeAnswer(denial=_SIGN_IN_ENDED)
        assets = [a for a in self.assets if request.asset in (str(a.id), a.hostname, a.host)]
        if not assets:
            message = f"There is no asset “{request.asset}” that you may reach."
            return access.AuthorizeAnswer(denial=access.Denial(code=DenialCode.UNKNOWN_ASSET, message=message))
        if len(assets) > 1:
            denial = access.Denial(code=DenialCode.AMBIGUOUS, message="Several assets match.")
            return access.AuthorizeAnswer(denial=denial, candidates=tuple(a.reachable() for a in assets))
        system_users = [
            s
            for s in sorted(assets[0].system_users, key=lambda s: -s.priority)
            if request.system_user in ("", str(s.id), s.name, s.login)
        ]
        if not system_users:
            message = f"There is no system user “{request.system_user}” for you on {assets[0].hostname}."
            return access.AuthorizeAnswer(denial=access.Denial(code=DenialCode.UNKNOWN_SYSTEM_USER, message=message))
        return access.AuthorizeAnswer(
            grant=self.grant(
                user,
                assets[0],
                system_users[0],
                login_from=request.login_from,
                remote_addr=request.remote_addr,
                language=request.language,
            )
        )

    def _redeem(self, request: access.RedeemToken) -> access.AuthorizeAnswer:
        denial = access.Denial(code=DenialCode.TOKEN_UNKNOWN, message="This token is not known.")
        return self.tokens.pop(request.token, access.AuthorizeAnswer(denial=denial))

    def _credential(self, request: access.CredentialRequest) -> access.CredentialAnswer:
        held = self.grants.get(request.session_id)
        if held is None or held.credential_given or held.grant.opening_key != request.opening_key:
            denial = access.Denial(code=DenialCode.SESSION_UNKNOWN, message="This session is not opening.")
            return access.CredentialAnswer(denial=denial)
        held.credential_given = True
        s = held.system_user
        return access.CredentialAnswer(
            credential=access.Credential(login_name=s.login, password=s.password, private_key=s.private_key)
        )

    def _gateway_credential(self, request: access.GatewayCredentialRequest) -> access.CredentialAnswer:
        """Only for a gateway on the session's route, while the session opens. May be asked for again."""
        held = self.grants.get(request.session_id)
        ways = [asset.way for asset in self.assets if held is not None and asset.id == held.grant.asset_id]
        found = [g for way in ways for stage in way for g in stage if g.id == request.gateway_id]
        if held is None or not found or held.grant.opening_key != request.opening_key:
            denial = access.Denial(code=DenialCode.SESSION_UNKNOWN, message="This session is not opening.")
            return access.CredentialAnswer(denial=denial)
        g = found[0]
        return access.CredentialAnswer(
            credential=access.Credential(login_name=g.login, password=g.password, private_key=g.private_key)
        )

    def _host_key(self, seen: access.HostKeySeen) -> access.HostKeyAnswer:
        fingerprint = "SHA256:" + hashlib.sha256(seen.public_key.split()[1].encode()).hexdigest()[:43]
        pinned = self.host_keys.get((seen.host, seen.port))
        if pinned is None:
            self.host_keys[seen.host, seen.port] = seen.public_key
            return access.HostKeyAnswer(verdict=HostKeyVerdict.PINNED, pinned_fingerprint=fingerprint)
        same = pinned.split()[1] == seen.public_key.split()[1]
        return access.HostKeyAnswer(
            verdict=HostKeyVerdict.MATCH if same else HostKeyVerdict.CHANGED,
            pinned_fingerprint=fingerprint if same else "SHA256:pinned",
        )

    def _events(self, batch: events.EventBatch) -> events.EventBatchAnswer:
        rejected = tuple(i for i, e in enumerate(batch.events) if e.session_id in self.reject_sessions)
        self.events += [e for i, e in enumerate(batch.events) if i not in rejected and e not in self.events]
        return events.EventBatchAnswer(accepted=len(batch.events) - len(rejected), rejected=rejected)

    def _heartbeat(self, beat: terminals.Heartbeat) -> terminals.HeartbeatAnswer:
        self.heartbeats.append(beat)
        return terminals.HeartbeatAnswer(
            orders=tuple(self.orders.values()), settings=self.settings, renew_credential=self.renewal_due
        )

    async def _recording_received(self, request: web.Request) -> web.Response:
        if self.down:
            return web.Response(status=503)
        if not self._known(request):
            return web.Response(status=401)
        content = self.recordings.get(UUID(request.match_info["session_id"]), b"")
        return web.json_response({"received": len(content)})

    async def _recording_part(self, request: web.Request) -> web.Response:
        if self.down:
            return web.Response(status=503)
        if not self._known(request):
            return web.Response(status=401)
        content = self.recordings.setdefault(UUID(request.match_info["session_id"]), bytearray())
        span, _, total = request.headers["Content-Range"].removeprefix("bytes ").partition("/")
        first = int(span.partition("-")[0])
        if first <= len(content):
            content[first:] = await request.read()
        self._changed.set()
        return web.json_response({"received": len(content), "stored": len(content) == int(total)})
