"""The SSH connection and channels towards the user.

They accept only requests that a rule names (K39: a request of SSH that no rule names is refused).
"""

import logging
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

import asyncssh
from asyncssh.connection import SSHServerConnection
from asyncssh.packet import SSHPacket, String
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from postern.kernel.ssh_keys.certificates import CertificateProblem, is_certificate, read_certificate
from postern.kernel.ssh_keys.public_keys import RSA_MAX_BITS, RSA_MIN_BITS
from postern.proxies.core.texts import Text
from postern.proxies.ssh.admission import Admission
from postern.proxies.ssh.forwards.places import Asked, address_text
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh_connections import algorithms
from postern.proxies.ssh_connections.transport import PacedConnection, PacedServerChannel, PacedTunnelChannel

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from postern.proxies.ssh.forwards.pipe import Side

    #: The channel of a forwarded connection, and what becomes its session.
    Forwarded = tuple[PacedTunnelChannel, Awaitable[Side]]

log = logging.getLogger(__name__)

#: Maximum characters of a reason in the log. Both sides' algorithm lists fit.
_MAX_REASON: Final = 1000
#: Channel requests that a rule names. Every other request is refused and audited.
_KNOWN_REQUESTS: Final = frozenset({"pty-req", "env", "shell", "exec", "subsystem", "window-change", "signal", "break"})
#: Harmless requests of clients that are refused without an entry in the audit log.
_QUIETLY_REFUSED: Final = frozenset(
    {
        "keepalive@openssh.com",
        "eow@openssh.com",
        "winadj@putty.projects.tartarus.org",
        "simple@putty.projects.tartarus.org",
    }
)
_ENVIRONMENT: Final = frozenset({b"LANG", b"LANGUAGE"})
_ENVIRONMENT_PREFIX: Final = b"LC_"
_MAX_ENVIRONMENT: Final = 32
_MAX_ENVIRONMENT_BYTES: Final = 256
_TOO_MANY_FAILURES: Final = 24
_MSG_KEXINIT: Final = 20
#: How long an OpenSSH client may take to send its first packet. Scanners that pose as OpenSSH wait for the server.
_LISTEN_S: Final = 0.3
_PREFERRED_CIPHERS: Final = tuple(name.encode("ascii") for name in algorithms.ENCRYPTION_FOR_OPENSSH)


class FrontOwner(Protocol):
    """The owner of a connection: `person.Person`."""

    #: The first factor was right, and the second is still due.
    second_factor_due: bool

    def request_refused(self, request: str, detail: str = "") -> None: ...
    def forward_requested(self, asked: Asked) -> "Forwarded": ...
    @property
    def language(self) -> str: ...
    async def key_offered(self, key: bytes) -> bool: ...
    async def key_proven(self, key: bytes, signed: bytes, signature: bytes) -> bool: ...


class FrontLink(PacedConnection, SSHServerConnection):
    """A user's connection."""

    channel_type: "type[FrontChannel]"
    forward_type: type[PacedTunnelChannel] = PacedTunnelChannel
    admission: Admission
    limits: SshLimits
    on_gone: "Callable[[FrontLink], None]"
    _admitted = False
    _person_known = False
    _failures = 0
    _heard_first = False
    _listening: "asyncio.TimerHandle | None" = None

    def connection_made(self, transport: "asyncio.BaseTransport") -> None:
        peer = transport.get_extra_info("peername")
        self._peer_addr = str(peer[0]) if peer else ""
        self._admitted = self.admission.enter(self._peer_addr)
        if not self._admitted:
            self._cancel_login_timer()
            self.on_gone(self)
            transport.abort()  # type: ignore[attr-defined]  # always a Transport here
            return
        super().connection_made(transport)

    def _cleanup(self, exc: Exception | None) -> None:
        # A peer that never announces its version is a port scan or a health check, and needs no log line.
        if self._admitted and self._client_version and self._recv_encryption is None:
            reason = str(exc or "") or "it closed the connection"
            version = self._client_version.decode("ascii", "backslashreplace")
            log.info("the key exchange with %s (%s) failed: %s", self._peer_addr, version, reason[:_MAX_REASON])
        self._left()
        super()._cleanup(exc)

    def _left(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None
        self.on_gone(self)
        if self._admitted:
            self._admitted = False
            self.admission.leave(self._peer_addr, was_known=self._person_known)

    async def send_userauth_success(self) -> None:
        """Handle a correct factor. If another factor is due, the answer tells the client to continue (RFC 4252, partial
        success).
        """
        owner: FrontOwner | None = self.get_owner()  # type: ignore[assignment]  # made by our own factory
        if owner is not None and owner.second_factor_due:
            super().send_userauth_failure(partial_success=True)
            return
        self._person_known = True
        self.admission.known(self._peer_addr)
        await super().send_userauth_success()

    def send_userauth_failure(self, partial_success: bool) -> None:
        self._failures += 1
        if self._failures > _TOO_MANY_FAILURES:
            raise asyncssh.DisconnectError(
                asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, "Too many authentication failures"
            )
        super().send_userauth_failure(partial_success)

    async def reload_config(self) -> None:
        """Do nothing, because there is no configuration file."""

    def _send_kexinit(self) -> None:
        """Delay our offer until an OpenSSH client has sent its own.

        OpenSSH sends first and immediately. Knowing its ciphers, only the cheap ciphers are offered to it. Its own order
        would choose chacha20 before AES-GCM, which costs both sides more.
        """
        if not self._heard_first and self._client_version.startswith(b"SSH-2.0-OpenSSH_"):
            self._listening = self._loop.call_later(_LISTEN_S, self._offer, frozenset[bytes]())
        else:
            super()._send_kexinit()

    def _offer(self, ciphers: frozenset[bytes]) -> None:
        """Start the first key exchange with a client that supports these ciphers (empty: unknown)."""
        if self._listening is not None:
            self._listening.cancel()
            self._listening = None
        self._heard_first = True
        preferred = [name for name in _PREFERRED_CIPHERS if name in ciphers]
        if preferred:
            self._enc_algs = preferred
        if self._transport is not None:
            super()._send_kexinit()

    async def _process_kexinit(self, pkttype: int, pktid: int, packet: SSHPacket) -> None:
        if self._listening is not None:
            self._offer(_ciphers_both_ways(packet))
        await super()._process_kexinit(pkttype, pktid, packet)

    _packet_handlers = {
        **PacedConnection._packet_handlers,  # noqa: SLF001 - its base
        _MSG_KEXINIT: _process_kexinit,
    }

    async def validate_public_key(self, username: str, key_data: bytes, msg: bytes, signature: bytes) -> bool:  # noqa: ARG002 - the library calls it so
        """Check a public key. A key that is merely offered never signs anybody in.

        Without `msg` the answer only invites the client to sign (K8: a public key alone signs nobody in).
        """
        owner = self.get_owner()
        try:
            key = _signing_key(key_data)
        except (asyncssh.KeyImportError, CertificateProblem):
            return False
        if owner is None or not is_usable(key):
            return False
        owner_: FrontOwner = owner  # type: ignore[assignment]  # made by our own factory
        if not msg:
            return await owner_.key_offered(key_data)
        if _signature_algorithm(signature) not in self._sig_algs:
            return False
        key.set_touch_required(True)
        signed = String(self._session_id) + msg
        if not key.verify(signed, signature):
            return False
        return await owner_.key_proven(key_data, signed, signature)

    # Requests that would make the proxy listen or dial. They are refused by rule and audited.

    def _refuse_open(self, request: str, detail: str = "") -> NoReturn:
        self._tell_refused(request, detail)
        owner: FrontOwner | None = self.get_owner()  # type: ignore[assignment]  # made by our own factory
        text = Text.REQUEST_NOT_PERMITTED.say(owner.language if owner is not None else "", request=request)
        raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, text)

    def _tell_refused(self, request: str, detail: str = "") -> None:
        owner = self.get_owner()
        if owner is not None:
            owner_: FrontOwner = owner  # type: ignore[assignment]  # made by our own factory
            owner_.request_refused(request, detail)

    # Connections to the host itself are judged by the owner, and opened by the host. The library would dial them here.

    def _process_direct_tcpip_open(self, packet: SSHPacket) -> "Forwarded":  # type: ignore[override]  # a session that follows
        host, port = _text(packet.get_string()), packet.get_uint32()
        originator, its_port = _text(packet.get_string()), packet.get_uint32()
        packet.check_end()
        return self._forward(Asked(host=host, port=port, originator=address_text(originator, its_port)))

    def _process_direct_streamlocal_at_openssh_dot_com_open(self, packet: SSHPacket) -> "Forwarded":  # type: ignore[override]  # as above
        return self._forward(Asked(path=_text(packet.get_string())))

    def _forward(self, asked: Asked) -> "Forwarded":
        owner: FrontOwner | None = self.get_owner()  # type: ignore[assignment]  # made by our own factory
        if owner is None:
            self._refuse_open(asked.request, str(asked))
        return owner.forward_requested(asked)

    def _process_tun_at_openssh_dot_com_open(self, packet: SSHPacket) -> NoReturn:  # noqa: ARG002 - as above
        self._refuse_open("tun")

    def _process_tcpip_forward_global_request(self, packet: SSHPacket) -> None:
        host, port = packet.get_string(), packet.get_uint32()
        self._tell_refused("tcpip-forward", f"{host.decode('utf-8', 'replace')}:{port}")
        self._report_global_response(False)

    def _process_cancel_tcpip_forward_global_request(self, packet: SSHPacket) -> None:  # noqa: ARG002 - as above
        self._report_global_response(False)

    def _process_streamlocal_forward_at_openssh_dot_com_global_request(self, packet: SSHPacket) -> None:
        self._tell_refused("streamlocal-forward", packet.get_string().decode("utf-8", "replace"))
        self._report_global_response(False)

    def _process_cancel_streamlocal_forward_at_openssh_dot_com_global_request(self, packet: SSHPacket) -> None:  # noqa: ARG002 - as above
        self._report_global_response(False)

    async def create_agent_listener(self) -> bool:
        """Refuse, because it would open a socket on this machine."""
        return False

    def open_channels(self) -> int:
        """Return the number of open channels for sessions. Forwarded connections have their own limit."""
        return sum(isinstance(channel, FrontChannel) for channel in self._channels.values())

    def new_forward(self, window: int, max_packet: int) -> PacedTunnelChannel:
        """Create a channel for a connection that the client asks to be forwarded."""
        self._update_recv_pktlen(max_packet)
        return self.forward_type(self, self._loop, None, "strict", window, max_packet)

    def new_channel(self, window: int, max_packet: int) -> "FrontChannel":
        """Create a server channel for a session that the client requests."""
        self._update_recv_pktlen(max_packet)
        return self.channel_type(self, self._loop, True, False, False, 0, 0, None, "strict", window, max_packet)


def _ciphers_both_ways(packet: SSHPacket) -> frozenset[bytes]:
    """Return the ciphers that a KEXINIT packet offers in both directions. The packet is not consumed."""
    again = SSHPacket(packet.get_full_payload())
    again.get_bytes(1 + 16)  # type and cookie
    again.get_namelist()  # key exchange
    again.get_namelist()  # host keys
    return frozenset(again.get_namelist()) & frozenset(again.get_namelist())


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _signing_key(key_data: bytes) -> asyncssh.SSHKey:
    """The key that signs: of a certificate, the key in it. The control plane judges the certificate itself.

    Raises asyncssh.KeyImportError, CertificateProblem.
    """
    blob = read_certificate(key_data).key.blob if is_certificate(key_data) else key_data
    return asyncssh.public_key.decode_ssh_public_key(blob)


def is_usable(key: asyncssh.SSHKey) -> bool:
    """Whether a key may be used. RSA keys of unusual sizes are refused before any computation with them."""
    if key.get_algorithm() != "ssh-rsa":
        return True
    parsed = key.pyca_key
    return isinstance(parsed, RSAPublicKey) and RSA_MIN_BITS <= parsed.key_size <= RSA_MAX_BITS


def _signature_algorithm(signature: bytes) -> bytes:
    try:
        return SSHPacket(signature).get_string()
    except asyncssh.packet.PacketDecodeError:
        return b""


class FrontChannel(PacedServerChannel):
    """A user's session channel. Its requests pass an allow-list; commands stay bytes."""

    _conn: FrontLink

    def _service_next_request(self) -> None:
        request = self._request_queue[0][0]
        if request in _KNOWN_REQUESTS:
            super()._service_next_request()
            return
        if request not in _QUIETLY_REFUSED:
            self._conn._tell_refused(request.partition("@")[0])  # noqa: SLF001 - its own connection
        self._report_response(False)

    def _process_env_request(self, packet: SSHPacket) -> bool:
        """Accept language settings only (K38: only language and terminal reach the target)."""
        key, value = packet.get_string(), packet.get_string()
        packet.check_end()
        if not (key in _ENVIRONMENT or key.startswith(_ENVIRONMENT_PREFIX)):
            return False
        if len(key) + len(value) > _MAX_ENVIRONMENT_BYTES or len(self._env) >= _MAX_ENVIRONMENT:
            return False
        self._env[key] = value
        return True

    def _process_exec_request(self, packet: SSHPacket) -> bool:
        """Accept a command as bytes in any encoding."""
        command = packet.get_string()
        packet.check_end()
        return self._start_session(command=command.decode("utf-8", "surrogateescape"))

    def environment(self) -> dict[bytes, bytes]:
        """Return the variables that the client set and may set."""
        return dict(self._env)


FrontLink.channel_type = FrontChannel
