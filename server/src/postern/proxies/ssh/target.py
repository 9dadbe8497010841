"""The connection to the target: connect, check the host key, log in with the stored credential, open the program.

The control plane judges the host key first. The credential is requested after that, used immediately and dropped.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import asyncssh

from postern.contracts.enums import EndReason
from postern.kernel.log import printable
from postern.proxies.core.control.plane import ControlPlane
from postern.proxies.core.limits import Limits
from postern.proxies.core.opening.outbound import Outbound
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.spoken import ENGLISH
from postern.proxies.core.targets.ports import (
    Progress,
    PromptCancelled,
    Prompter,
    Pty,
    ShellLink,
    TargetEvents,
    TargetExit,
    TargetFailed,
)
from postern.proxies.core.texts import Text
from postern.proxies.ssh.forwards.pipe import Side
from postern.proxies.ssh.forwards.places import LOOPBACK, Place
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.target_login import TargetLogin
from postern.proxies.ssh_connections.fast_transport import (
    FastClientChannel,
    FastConnection,
    FastSocketChannel,
    FastTunnelChannel,
)
from postern.proxies.ssh_connections.sign_in import ServerLink, SshClient
from postern.proxies.ssh_connections.transport import PacedClientChannel, PacedSocketChannel, PacedTunnelChannel

log = logging.getLogger(__name__)

_WINDOW: Final = 2 * 1024 * 1024
_MAX_PACKET: Final = 32768
_KEEPALIVE_S: Final = 60
_KEEPALIVE_COUNT: Final = 5
#: How often a user may enter the password for one session.
_MANUAL_TRIES: Final = 3
_FENCE_AGAIN_S: Final = 0.02


@dataclass(frozen=True, kw_only=True)
class Program:
    """The program to run on the target: a shell, a command (bytes as the user sent them) or a subsystem."""

    command: bytes | None = None
    subsystem: str | None = None
    pty: Pty | None = None
    environment: dict[bytes, bytes] | None = None


class SshTargets:
    """Opens SSH connections to targets. One connection serves one session."""

    def __init__(
        self,
        plane: ControlPlane,
        outbound: Outbound,
        limits: Limits,
        ssh_limits: SshLimits,
        *,
        link_type: "type[TargetConnection] | None" = None,
        fast: bool = False,
    ) -> None:
        """`link_type` is what is made of a connection. `fast` enables the fast data path, which `fast_path_works` has
        tested.
        """
        self._link_type = link_type or TargetConnection
        self._plane = plane
        self._outbound = outbound
        self._limits = limits
        self._login_s = ssh_limits.target_login_s
        self._channel = FastClientChannel if fast else PacedClientChannel
        self._client = SshClient(
            fast=fast,
            login_timeout_s=ssh_limits.target_login_s + limits.prompt_s,
            keepalive_s=_KEEPALIVE_S,
            keepalive_count=_KEEPALIVE_COUNT,
        )

    async def connect(self, session: LiveSession, *, prompter: Prompter, progress: Progress) -> "TargetConnection":
        """Connect and log in. Raises `TargetFailed`, `PromptCancelled`.

        An entered password that the target refuses is asked for again, on a new connection: the target counts the
        failed tries of each.
        """
        last: TargetLogin | None = None
        refusal: TargetFailed | None = None
        tries_left = _MANUAL_TRIES if session.grant.manual else 1
        while True:
            tries_left -= 1
            login = TargetLogin(session, self._plane, prompter=prompter, progress=progress, after=last)
            try:
                return await self._log_in(session, login, prompter=prompter, progress=progress)
            except TargetFailed as failure:
                if not tries_left or not login.walk.is_password_refused:
                    raise
                last, refusal = login, failure
            except PromptCancelled:
                if refusal is None:
                    raise
                raise refusal from None  # nobody answers, so the first refusal is the reason

    async def _log_in(
        self, session: LiveSession, login: TargetLogin, *, prompter: Prompter, progress: Progress
    ) -> "TargetConnection":
        grant = session.grant
        if grant.manual and not login.login_name:
            question = Text.PROMPT_LOGIN_NAME.say(session.language, host=grant.asset_name)
            login.login_name = await prompter(question, True)
        wire = await self._outbound.connect(session, progress=progress)
        try:
            async with asyncio.timeout(self._login_s + (self._limits.prompt_s if grant.manual else 0)):
                link = await self._client.connect(
                    wire, login, host=grant.target.host, port=grant.target.port, login_name=login.login_name
                )
        except BaseException as error:
            failure = login.failure or self._explain(error, session, login)
            if failure is None or failure is error:
                raise
            raise failure from error
        finally:
            login.forget()
        if grant.manual:
            session.entered_login_name = login.login_name
        return self._link_type(link, login.fingerprint, self._channel)

    def _explain(self, error: BaseException, session: LiveSession, login: TargetLogin) -> TargetFailed | None:
        """Turn a library error into a message for the user. Returns None for other errors."""
        grant, language = session.grant, session.language
        where = {"host": grant.target.host, "port": grant.target.port}
        if isinstance(error, asyncssh.PermissionDenied) or login.too_many_tries(error):
            login_fields = {
                "host": grant.target.host,
                "login": login.login_name,
                "story": login.walk.story(language).text,
            }
            if grant.manual:
                message = Text.LOGIN_REFUSED_MANUAL.say(language, **login_fields)
            else:
                message = Text.LOGIN_REFUSED.say(language, system_user=grant.system_user_name, **login_fields)
            return TargetFailed(EndReason.CREDENTIAL_REFUSED, message, login.walk.story(ENGLISH).text)
        if isinstance(error, TimeoutError):
            return TargetFailed(EndReason.UNREACHABLE, Text.CONNECT_TIMEOUT.say(language, **where), "log-in timed out")
        if isinstance(error, asyncssh.Error | OSError):
            message = Text.CONNECT_NOT_SSH.say(language, **where, detail=printable(str(error))[:200])
            return TargetFailed(EndReason.UNREACHABLE, message, str(error))
        return None


class TargetConnection(ShellLink):
    """An authenticated connection to a target."""

    def __init__(self, link: ServerLink, fingerprint: str, channel: type[PacedClientChannel]) -> None:
        self._link = link
        self._channel = channel
        self.host_key_fingerprint = fingerprint

    async def open_shell(self, pty: Pty, events: TargetEvents, *, language: str) -> "TargetProgram":
        """Open a shell for other fronts."""
        return await self.run(Program(pty=pty, environment=pty.environment), events, language=language)

    async def run(self, program: Program, events: TargetEvents, *, language: str) -> "TargetProgram":
        """Start the program. No output is delivered before `resume_reading`. Raises `TargetFailed`."""
        link = self._link
        channel = self._channel(link, asyncio.get_running_loop(), "replace", None, "strict", _WINDOW, _MAX_PACKET)
        running = TargetProgram(link, events, self.host_key_fingerprint)
        pty = program.pty
        if isinstance(link, FastConnection):
            link.batch_floods(pty is not None)
        try:
            await channel.create(
                lambda: running,
                program.command,  # type: ignore[arg-type]  # the library sends bytes as they are
                program.subsystem,
                program.environment or {},
                pty is not None,
                pty.term if pty is not None else None,
                (pty.columns, pty.rows, pty.width_px, pty.height_px) if pty is not None else None,
                pty.modes if pty is not None else {},
                False,
                None,
                None,
                False,
                False,
            )
        except (asyncssh.Error, OSError) as error:
            raise TargetFailed(EndReason.TARGET_CLOSED, Text.SHELL_REFUSED.say(language), str(error)) from error
        return running

    async def forward(self, place: Place, side: Side, *, window: int) -> None:
        """Let the host connect to a port or socket of its own. Raises asyncssh.ChannelOpenError.

        A host that connects after the caller has given up still opens the channel of `side`, which has to close it:
        the library would keep it, with a window of data, as long as the link.
        """
        link, loop = self._link, asyncio.get_running_loop()
        is_fast = isinstance(link, FastConnection)
        connecting: Coroutine[Any, Any, object]
        if place.path:
            socket = FastSocketChannel if is_fast else PacedSocketChannel
            connecting = socket(link, loop, None, "strict", window, _MAX_PACKET).connect(lambda: side, place.path)
        else:
            tunnel = FastTunnelChannel if is_fast else PacedTunnelChannel
            channel = tunnel(link, loop, None, "strict", window, _MAX_PACKET)
            connecting = channel.connect(lambda: side, LOOPBACK, place.port, LOOPBACK, 0)
        opening = asyncio.ensure_future(connecting)  # ends with the link at the latest
        opening.add_done_callback(lambda done: done.cancelled() or done.exception())  # retrieved if nobody waits
        await asyncio.shield(opening)

    async def lost(self) -> None:
        """Wait until the connection is lost or closed."""
        await self._link.wait_closed()

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


class TargetProgram(asyncssh.SSHClientSession[bytes]):
    """A running program on a target (`core.targets.ports.TargetShell`), and the library's session of its channel."""

    def __init__(self, link: ServerLink, events: TargetEvents, fingerprint: str) -> None:
        self._link = link
        self._events = events
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._exit = TargetExit()
        self._closed = False
        self.host_key_fingerprint = fingerprint

    # Callbacks of the library

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self._channel = chan

    def session_started(self) -> None:
        # Paused until the front calls `resume_reading`.
        if self._channel is not None:
            self._channel.pause_reading()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        if not self._closed:
            self._events.on_target_data(data, stderr=datatype is not None)

    def eof_received(self) -> bool:
        if not self._closed:
            self._events.on_target_eof()
        return True  # the other direction stays open

    def exit_status_received(self, status: int) -> None:
        self._exit = TargetExit(status=status)

    def exit_signal_received(self, signal: str, core_dumped: bool, msg: str, lang: str) -> None:  # noqa: ARG002 - as above
        self._exit = TargetExit(signal=signal, core_dumped=core_dumped, message=msg)

    def pause_writing(self) -> None:
        if not self._closed:
            self._events.on_target_pause()

    def resume_writing(self) -> None:
        if not self._closed:
            self._events.on_target_resume()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as above
        self._channel = None
        self._link.close()
        if not self._closed:
            self._closed = True
            self._events.on_target_exit(self._exit)

    # Methods for the front

    def write(self, data: bytes) -> None:
        if self._channel is not None:
            try:
                self._channel.write(data)
            except OSError:
                return  # closing: `connection_lost` follows

    def write_eof(self) -> None:
        if self._channel is not None:
            self._channel.write_eof()

    def resize(self, columns: int, rows: int, width_px: int = 0, height_px: int = 0) -> None:
        if self._channel is not None:
            self._channel.change_terminal_size(columns, rows, width_px, height_px)

    def send_signal(self, signal: str) -> None:
        """Send a signal. `signal` is without "SIG"."""
        if self._channel is not None:
            self._channel.send_signal(signal)

    def send_break(self, msec: int) -> None:
        if self._channel is not None:
            self._channel.send_break(msec)

    def fence(self, reached: Callable[[], None]) -> bool:
        """Call `reached` once the target has handled all input written so far. Returns False if it cannot tell."""
        if self._channel is None:
            return False
        if self._channel.get_write_buffer_size():  # the window is full: a request would overtake the input
            asyncio.get_running_loop().call_later(_FENCE_AGAIN_S, self.fence, reached)
            return True
        return self._link.fence(reached)

    def pause_reading(self) -> None:
        if self._channel is not None:
            self._channel.pause_reading()

    def resume_reading(self) -> None:
        if self._channel is not None:
            self._channel.resume_reading()

    def close(self) -> None:
        self._closed = True
        if self._channel is not None:
            self._channel.abort()
        self._link.close()
