"""An SSH target that does what a real sshd cannot do without root: passwords, signals, floods, sudden ends."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Self

import asyncssh

Program = Callable[[asyncssh.SSHServerProcess[bytes]], Awaitable[None]]
TunnelAnswer = asyncssh.SSHTCPSession[bytes] | Awaitable[asyncssh.SSHTCPSession[bytes]]


class _Server(asyncssh.SSHServer):
    def __init__(self, target: "OddTarget") -> None:
        self._target = target

    def begin_auth(self, username: str) -> bool:
        self._target.seen_logins.append(username)
        return True

    def password_auth_supported(self) -> bool:
        return self._target.methods in ("password", "both")

    def kbdint_auth_supported(self) -> bool:
        return self._target.methods in ("kbdint", "both")

    def validate_password(self, username: str, password: str) -> bool:
        self._target.tries += 1
        if self._target.expired:
            raise asyncssh.PasswordChangeRequired("Your password has expired. New password: ")
        return password == self._target.password

    def connection_requested(
        self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
    ) -> bool | TunnelAnswer:
        return self._target.forwards if self._target.answers_itself is None else self._target.answers_itself()

    def get_kbdint_challenge(
        self, username: str, lang: str, submethods: str
    ) -> bool | tuple[str, str, str, list[tuple[str, bool]]]:
        self._round = 0
        return "", *self._target.rounds[0]

    def validate_kbdint_response(
        self, username: str, responses: Sequence[str]
    ) -> bool | tuple[str, str, str, list[tuple[str, bool]]]:
        self._target.answers.append(list(responses))
        self._round += 1
        if self._round < len(self._target.rounds):
            return "", *self._target.rounds[self._round]
        self._target.tries += 1
        return [self._target.password] in self._target.answers


class OddTarget:
    """An SSH server that runs `program` for every session.

    `methods` is `password`, `kbdint` or both. `rounds` holds the instructions, language and prompts of each round of
    keyboard-interactive; the client's answers are appended to `answers`.
    """

    def __init__(
        self, program: Program, *, password: str = "hunter2", methods: str = "password", **options: Any
    ) -> None:
        self.program = program
        self.password = password
        self.methods = methods
        self.tries = 0
        self.expired = False
        #: Whether it is a gateway: it connects its clients to other servers.
        self.forwards = False
        #: Makes the gateway answer in place of the servers that it should connect to.
        self.answers_itself: Callable[[], TunnelAnswer] | None = None
        self.rounds: list[tuple[str, str, list[tuple[str, bool]]]] = [("", "", [("Password: ", False)])]
        self.answers: list[list[str]] = []
        self.seen_logins: list[str] = []
        self.host_key = asyncssh.generate_private_key("ssh-ed25519")
        self.port = 0
        self._options = options
        self._acceptor: asyncssh.SSHAcceptor | None = None

    async def __aenter__(self) -> Self:
        self._acceptor = await asyncssh.listen(
            "127.0.0.1",
            self.port,
            server_host_keys=[self.host_key],
            server_factory=lambda: _Server(self),
            process_factory=self.program,
            encoding=None,
            config=None,
            line_editor=False,
            gss_host=None,
            **self._options,
        )
        self.port = self._acceptor.get_port()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._acceptor is not None:
            self._acceptor.close()
            await self._acceptor.wait_closed()


async def echo_signals(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Write the name of each received signal and break, until TERM arrives."""
    process.stdout.write(b"ready\n")
    while True:
        try:
            if not await process.stdin.read(1000):
                break
        except asyncssh.BreakReceived as received:
            process.stdout.write(b"break %d\n" % received.msec)
        except asyncssh.SignalReceived as received:
            process.stdout.write(received.signal.encode() + b"\n")
            if received.signal == "TERM":
                break
        except asyncssh.TerminalSizeChanged:
            continue
    process.exit(9)


async def say_hello(process: asyncssh.SSHServerProcess[bytes]) -> None:
    process.stdout.write(b"hello\n")
    process.exit(0)


async def wait_for_end(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Do nothing until the other side disconnects."""
    await process.stdin.read()
    process.exit(0)


async def flood(process: asyncssh.SSHServerProcess[bytes]) -> None:
    """Write output without end."""
    try:
        while True:
            process.stdout.write(b"y" * 32768)
            await process.stdout.drain()
            await asyncio.sleep(0)
    except (OSError, asyncssh.Error):
        return
