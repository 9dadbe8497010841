"""Send one letter over SMTP.

One deadline covers the whole conversation, so a server that sends a byte each second cannot hold a caller longer. TLS
certificates and host names are always verified; nothing falls back to an unencrypted connection. The connection goes to
the address that was checked, and the name is not looked up a second time.

A letter is accepted when the server answers 250 after the data. If the connection is lost after the last byte and before
that answer, nobody knows whether the server has it: it is sent again, with the same Message-ID.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from enum import Enum
from typing import Final

from aiosmtplib import SMTP
from aiosmtplib.errors import (
    SMTPAuthenticationError,
    SMTPConnectResponseError,
    SMTPDataError,
    SMTPException,
    SMTPHeloError,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
    SMTPServerDisconnected,
)

from postern.foundation.network.outbound import DialTarget, TargetRefused, TargetUnknown
from postern.integrations.mail_server import failures
from postern.integrations.mail_server.letter import Envelope, Letter, sealed
from postern.integrations.mail_server.server import Encryption, MailServer, is_loopback
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret

#: Checks the address of the mail server. Raises TargetRefused or TargetUnknown.
DialCheck = Callable[[str, int], DialTarget]

#: How Postern names itself to the server. Its own host name is nobody's business, and a lookup of it may take long.
_OWN_NAME: Final = "postern.invalid"
_WAY_OUT_S: Final = 2.0


class _Stage(Enum):
    """What a conversation waits for when its time is over."""

    CONNECTION = "connection"
    TLS = "tls"
    GREETING = "greeting"
    ANSWER = "answer"
    LETTER = "letter"


_TIMEOUTS: Final = {
    _Stage.CONNECTION: failures.connect_timeout,
    _Stage.TLS: failures.tls_timeout,
    _Stage.GREETING: failures.greeting_timeout,
    _Stage.ANSWER: failures.answer_timeout,
    _Stage.LETTER: failures.answer_timeout,
}


def send(server: MailServer, letter: Letter, *, check: DialCheck, limit_s: float) -> None:
    """Send a letter; returns when the server has accepted it. Blocks for `limit_s` seconds at most. Raises MailFailed."""
    envelope = sealed(letter)
    started_s = monotonic_s()
    try:
        target = check(server.host, server.port)
    except TargetUnknown:
        raise failures.name_unknown(server) from None
    except TargetRefused as error:
        raise failures.not_dialled(error) from None
    if server.password and server.encryption is Encryption.NONE and not is_loopback(target.address):
        raise failures.unencrypted(server)
    conversation = _Conversation(server, limit_s)
    # A loop of its own: callers are threads of the web part and of the worker.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        runner.run(conversation.hold(target, envelope, left_s=limit_s - (monotonic_s() - started_s)))


class _Client(SMTP):
    def close(self) -> None:
        """Without the goodbye of TLS, which a silent server would let us wait for."""
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()
        super().close()


class _Conversation:
    """One connection, for one letter."""

    def __init__(self, server: MailServer, limit_s: float) -> None:
        self._server = server
        self._limit_s = limit_s
        self._stage = _Stage.CONNECTION

    async def hold(self, target: DialTarget, envelope: Envelope, *, left_s: float) -> None:
        """From the connection to the goodbye."""
        family = socket.AF_INET6 if ":" in target.address else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.setblocking(False)
        client = self._client(connection)
        try:
            async with asyncio.timeout(left_s):
                await asyncio.get_running_loop().sock_connect(connection, (target.address, target.port))
                await self._talk(client, envelope)
            await _part(client)
        except TimeoutError:
            raise _TIMEOUTS[self._stage](self._server, self._limit_s) from None
        except (OSError, SMTPException, ValueError) as error:
            raise self._failure(error, envelope) from None
        finally:
            client.close()
            connection.close()

    def _client(self, connection: socket.socket) -> SMTP:
        encrypted = self._server.encryption is not Encryption.NONE
        return _Client(
            hostname=self._server.host.rstrip("."),
            sock=connection,
            local_hostname=_OWN_NAME,
            timeout=None,  # the deadline of the conversation counts
            use_tls=self._server.encryption is Encryption.TLS,
            start_tls=False,
            tls_context=ssl.create_default_context() if encrypted else None,
        )

    async def _talk(self, client: SMTP, envelope: Envelope) -> None:
        self._stage = _Stage.TLS if self._server.encryption is Encryption.TLS else _Stage.GREETING
        await client.connect()
        self._stage = _Stage.ANSWER
        await _introduce(client)
        if self._server.encryption is Encryption.STARTTLS:
            if not client.supports_extension("starttls"):
                raise failures.no_starttls(self._server)
            self._stage = _Stage.TLS
            await client.starttls()
            self._stage = _Stage.ANSWER
            await _introduce(client)
        self._stage = _Stage.LETTER
        if self._server.password:
            await self._sign_in(client, self._server.password)
        await client.mail(envelope.sender)
        await client.rcpt(envelope.recipient)
        await client.data(envelope.content)

    async def _sign_in(self, client: SMTP, password: Secret) -> None:
        """Once, with the first method that the server offers: servers lock accounts after a few failures."""
        methods = {"plain": client.auth_plain, "login": client.auth_login, "cram-md5": client.auth_crammd5}
        for name, sign_in in methods.items():
            if name in client.server_auth_methods:
                await sign_in(self._server.username, password.reveal())
                return
        raise failures.no_sign_in(self._server)

    def _failure(self, error: Exception, envelope: Envelope) -> Exception:
        server = self._server
        cause = error.__cause__ if isinstance(error.__cause__, OSError) else error
        if isinstance(cause, ssl.SSLError):
            return failures.tls(server, cause)
        if isinstance(error, SMTPConnectResponseError | SMTPHeloError):
            return failures.server_refused(server, error.code, error.message)
        if isinstance(error, SMTPAuthenticationError):
            return failures.sign_in(server, error.code, error.message)
        if isinstance(error, SMTPSenderRefused):
            return failures.sender_refused(server, error.code, error.message, envelope.sender)
        if isinstance(error, SMTPRecipientRefused):
            return failures.recipient_refused(server, error.code, error.message, envelope.recipient)
        if isinstance(error, SMTPDataError):
            return failures.content_refused(server, error.code, error.message)
        if isinstance(error, SMTPResponseException):
            return failures.server_refused(server, error.code, error.message)
        if isinstance(error, SMTPServerDisconnected) or self._stage is not _Stage.CONNECTION:
            return failures.lost_later(server) if self._stage is _Stage.LETTER else failures.lost(server)
        return failures.unreachable(server, error) if isinstance(error, OSError) else failures.lost(server)


async def _introduce(client: SMTP) -> None:
    """EHLO; HELO for a server that does not know it."""
    try:
        await client.ehlo()
    except SMTPHeloError:
        await client.helo()


async def _part(client: SMTP) -> None:
    """Say goodbye. The letter is accepted, so a failure does not matter any more."""
    try:
        async with asyncio.timeout(_WAY_OUT_S):
            await client.quit()
    except (OSError, SMTPException):
        return
