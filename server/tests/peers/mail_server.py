"""A real SMTP server (aiosmtpd) for tests, and servers that misbehave below SMTP."""

import asyncio
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from peers.certificates import Certificate
from peers.ports import free_port

USER: Final = "postern@example.com"
PASSWORD: Final = " correct horse é "


@dataclass
class Received:
    """One message that the server accepted: envelope and parsed content."""

    sender: str
    recipient: str
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        found = BytesParser(policy=default).parsebytes(self.raw)
        assert isinstance(found, EmailMessage)
        return found

    def body(self, kind: str) -> str:
        part = self.message.get_body((kind,))
        assert part is not None
        text: str = part.get_content()
        return text


@dataclass
class Mailbox:
    """The handler of aiosmtpd: accepts messages, and answers by the name of the recipient or as a test says."""

    received: list[Received] = field(default_factory=list)
    #: Pairs of name and password of every sign-in that was tried.
    sign_ins: list[tuple[str, str]] = field(default_factory=list)
    sender_answer: str = ""
    content_answer: str = ""
    #: Called after a message was stored and before its 250 leaves.
    before_answer: Callable[[], None] = lambda: None

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.sender_answer:
            return self.sender_answer
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address.startswith("unknown"):
            return "550 No such user here"
        if address.startswith("full"):
            return "452 Mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        if self.content_answer:
            return self.content_answer
        content = envelope.content
        assert isinstance(content, bytes)
        assert len(envelope.rcpt_tos) == 1
        self.received.append(Received(envelope.mail_from or "", envelope.rcpt_tos[0], content))
        await asyncio.to_thread(self.before_answer)
        return "250 Accepted"

    def authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _method: str, data: Any
    ) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.sign_ins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=self.sign_ins[-1] == (USER, PASSWORD), handled=False)


class _Controller(Controller):
    def factory(self) -> SMTP:
        """aiosmtpd warns of sign-ins without TLS, which the tests want to have."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            made: SMTP = super().factory()  # type: ignore[no-untyped-call]  # aiosmtpd annotates it in part
            return made


@contextmanager
def serving(
    mailbox: Mailbox,
    *,
    tls: Certificate | None = None,
    starttls: Certificate | None = None,
    has_sign_in: bool = True,
    port: int = 0,
) -> Iterator[int]:
    """Serve on a port of 127.0.0.1, and give that port."""
    options: dict[str, Any] = {"server_hostname": "mail.example.com", "data_size_limit": 1_000_000}
    if has_sign_in:
        options |= {
            "authenticator": mailbox.authenticate,
            "auth_require_tls": False,
            "auth_required": True,
        }
    if starttls is not None:
        options |= {"tls_context": starttls.context(), "require_starttls": True}
    at = port or free_port()
    controller = _Controller(
        mailbox, hostname="127.0.0.1", port=at, ssl_context=tls.context() if tls is not None else None, **options
    )
    controller.start()
    try:
        yield at
    finally:
        controller.stop()


@contextmanager
def misbehaving(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server below SMTP: each connection is passed to `behave` in a thread. Gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError):
            behave(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                open_connections.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)
        for connection in open_connections:
            connection.close()


def silent(connection: socket.socket) -> None:
    """Reads everything and never answers."""
    while connection.recv(4096):
        pass


def dripping(connection: socket.socket) -> None:
    """A byte of an endless greeting every tenth of a second."""
    for byte in b"220-" + b"x" * 10_000:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def dripping_answers(connection: socket.socket) -> None:
    """Greets at once, then drips."""
    connection.sendall(b"220 mail.example.com\r\n")
    dripping(connection)


def hanging_up(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example.com\r\n")
    connection.recv(100)
    connection.close()


def hanging_up_at(command: bytes) -> Callable[[socket.socket], None]:
    """Answers every command with 250 until this one comes."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(b"220 mail.example.com\r\n")
        while (line := connection.recv(1_000)) and not line.startswith(command):
            connection.sendall(b"250 mail.example.com\r\n")
        connection.close()

    return behave


def saying(greeting: bytes) -> Callable[[socket.socket], None]:
    """Sends this instead of a greeting, then waits."""

    def behave(connection: socket.socket) -> None:
        connection.sendall(greeting)
        silent(connection)

    return behave
