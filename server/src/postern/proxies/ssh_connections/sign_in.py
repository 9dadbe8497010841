"""Signing in on an SSH server: the host key is judged first, then the credential is requested and used.

Nothing of the proxy's own environment is used: no configuration file, no agent, no GSSAPI.
"""

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

import asyncssh
from asyncssh.connection import SSHClientConnection, SSHClientConnectionOptions
from asyncssh.packet import SSHPacket

from postern.contracts.enums import EndReason
from postern.kernel.sentences import Sentence
from postern.proxies.core.targets.ports import TargetFailed
from postern.proxies.core.targets.wires import Wire
from postern.proxies.ssh_connections import algorithms
from postern.proxies.ssh_connections.fast_transport import FastConnection
from postern.proxies.ssh_connections.group_exchange import use_bounded_group_exchange
from postern.proxies.ssh_connections.sign_in_methods import (
    MAX_ROUNDS,
    MethodWalk,
    Outcome,
    Question,
    question_of,
    shown_question,
)
from postern.proxies.ssh_connections.transport import PacedConnection

_MSG_USERAUTH_FAILURE: Final = 51
_VERSION: Final = "Postern"


class SignIn(ABC):
    """What one sign-in on a server asks for. Each method may raise; the exception ends the connection."""

    def __init__(self) -> None:
        self.walk = MethodWalk()
        #: Why a method of this class has raised. The library does not always pass its exception on.
        self.failure: TargetFailed | None = None

    def fail(self, reason: EndReason, message: str | Sentence, detail: str) -> TargetFailed:
        """Return the exception to raise, and keep it in `failure`."""
        self.failure = TargetFailed(reason, message, detail)
        return self.failure

    @abstractmethod
    async def approve(self, key: asyncssh.SSHKey) -> None:
        """Judge the host key. Called before anything secret is asked for. Raises if it is refused."""

    @abstractmethod
    async def private_key(self) -> asyncssh.SSHKey | None:
        """Return the private key of the credential, or None."""

    @abstractmethod
    async def password(self) -> str | None:
        """Return the password of the credential, or None."""

    def too_many_tries(self, error: BaseException) -> bool:
        """Whether the server disconnected instead of refusing. Servers that allow few tries do so (OpenSSH as a
        protocol error).
        """
        return (
            isinstance(error, asyncssh.DisconnectError)
            and error.code in {asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, asyncssh.DISC_PROTOCOL_ERROR}
            and self.walk.hung_up()
        )


class ServerLink(PacedConnection, SSHClientConnection):
    """A connection to a server whose login waits until the host key is approved."""

    approve: Callable[[asyncssh.SSHKey], "asyncio.Future[None]"] | None = None
    #: Decides which sign-in method is next.
    walk: MethodWalk

    def validate_server_host_key(self, key_data: bytes) -> asyncssh.SSHKey:
        """Accept any well-formed plain key here. Its identity is judged before the login continues."""
        try:
            key = asyncssh.public_key.decode_ssh_public_key(key_data)
        except asyncssh.KeyImportError as error:
            raise asyncssh.HostKeyNotVerifiable(str(error)) from None
        known = self._server_host_key
        if known is not None and known.public_data != key.public_data:
            raise asyncssh.HostKeyNotVerifiable("the host key changed within one connection")
        self._server_host_key = key
        return key

    def send_service_request(self, service: bytes) -> None:
        """Continue after the host key is approved. Called once, after the first key exchange."""
        self.create_task(self._approve_and_go_on(service))

    async def _approve_and_go_on(self, service: bytes) -> None:
        key = self._server_host_key
        if self.approve is None or key is None:
            raise asyncssh.HostKeyNotVerifiable("nobody judges the host key")
        await self.approve(key)
        super().send_service_request(service)

    def _process_userauth_failure(self, pkttype: int, pktid: int, packet: SSHPacket) -> None:
        """Record that the server asks for another method. The library would drop whether the last method succeeded."""
        again = SSHPacket(packet.get_full_payload())
        again.get_byte()
        methods = [name.decode("ascii", "backslashreplace") for name in again.get_namelist()]
        self.walk.answered(methods, partial=again.get_boolean())
        super()._process_userauth_failure(pkttype, pktid, packet)

    def try_next_auth(self, *, next_method: bool = False) -> None:
        """Choose the next method. The library calls this for the first request ("none") and when a method has
        finished.
        """
        if next_method or self._auth is not None:
            method = self.walk.next()
            self._auth_methods = [] if method is None else [method.encode("ascii")]
        super().try_next_auth()

    _packet_handlers = {
        **PacedConnection._packet_handlers,  # noqa: SLF001 - its base
        _MSG_USERAUTH_FAILURE: _process_userauth_failure,
    }


class FastServerLink(FastConnection, ServerLink):
    """A connection to a server with the fast data path."""


class _Answers(asyncssh.SSHClient):
    """Answers the server's requests with the credential of a sign-in, which is fetched at the first request."""

    def __init__(self, sign_in: SignIn) -> None:
        self._sign_in = sign_in
        self._walk = sign_in.walk
        self._key_offered = False
        self._rounds = 0
        self._password_given = False

    async def public_key_auth_requested(self) -> asyncssh.SSHKey | None:
        if self._key_offered:
            # The library asks again if the server accepts none of the key's signature algorithms.
            return None
        self._key_offered = True
        return await self._sign_in.private_key()

    async def password_auth_requested(self) -> str | None:
        password = await self._sign_in.password()
        if password is not None:
            self._walk.password_shown()
        return password

    def password_change_requested(self, prompt: str, lang: str) -> tuple[str, str]:  # noqa: ARG002 - the library calls it so
        self._walk.unable(Outcome.EXPIRED)
        return NotImplemented  # type: ignore[no-any-return]  # how the library wants a "no"

    async def kbdint_auth_requested(self) -> str | None:
        self._rounds = 0
        self._password_given = False
        return "" if await self._sign_in.password() is not None else None

    async def kbdint_challenge_received(
        self,
        name: str,
        instructions: str,
        lang: str,  # noqa: ARG002 - the library calls it so
        prompts: Sequence[tuple[str, bool]],
    ) -> list[str] | None:
        self._rounds += 1
        question = question_of(prompts, f"{name} {instructions}", answered=self._password_given)
        if question is Question.NOTHING and self._rounds <= MAX_ROUNDS:
            return []
        if question is Question.PASSWORD and self._rounds <= MAX_ROUNDS:
            self._password_given = True
            return [await self.password_auth_requested() or ""]
        outcome = Outcome.EXPIRED if question is Question.NEW_PASSWORD else Outcome.NO_ANSWER
        self._walk.unable(outcome, shown_question(prompts))
        return None


class SshClient:
    """Makes SSH connections to servers."""

    def __init__(self, *, fast: bool, login_timeout_s: float, keepalive_s: float, keepalive_count: int) -> None:
        """`fast` enables the fast data path, which `fast_path_works` has tested. A server that leaves `keepalive_count`
        requests unanswered, one each `keepalive_s` seconds, is gone.
        """
        use_bounded_group_exchange()
        self._link = FastServerLink if fast else ServerLink
        # Parsed once, because the library takes milliseconds and a thread for it.
        self._options = SSHClientConnectionOptions(
            config=None,
            username="unset",
            known_hosts=None,  # judged in `ServerLink`
            client_keys=None,
            agent_path=None,
            gss_host=None,
            x509_trusted_certs=None,
            client_version=_VERSION,
            server_host_key_algs=algorithms.TARGET_HOST_KEY,
            kex_algs=algorithms.TARGET_KEY_EXCHANGE,
            encryption_algs=algorithms.TARGET_ENCRYPTION,
            mac_algs=algorithms.TARGET_MAC,
            compression_algs=("none",),
            signature_algs=algorithms.SIGNATURE,
            preferred_auth=(),  # `MethodWalk` decides
            login_timeout=login_timeout_s,
            keepalive_interval=keepalive_s,
            keepalive_count_max=keepalive_count,
        )

    async def connect(self, wire: Wire, sign_in: SignIn, *, host: str, port: int, login_name: str) -> ServerLink:
        """Sign in over `wire`, which belongs to the connection from now on: it is closed with it, and if this fails.

        Raises what `sign_in` raises in a way (see `SignIn`), `asyncssh.Error`, `OSError`.
        """
        loop = asyncio.get_running_loop()
        options = copy.copy(self._options)
        options.waiter = loop.create_future()
        options.host, options.port, options.username = host, port, login_name
        options.protocol_factory = lambda: _Answers(sign_in)

        def make() -> ServerLink:
            fresh = self._link(loop, options, wait="auth")
            fresh.approve = lambda key: asyncio.ensure_future(sign_in.approve(key))
            fresh.walk = sign_in.walk
            return fresh

        link: ServerLink | None = None
        try:
            _, link = await wire.attach(make)
            await options.waiter
        except BaseException:
            if link is not None:
                link.abort()
            wire.close()
            raise
        return link
