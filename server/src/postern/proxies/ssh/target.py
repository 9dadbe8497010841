"""The connection to the target: connect, check the host key, log in with the stored credential, open the program.

The control plane judges the host key first. The credential is requested after that, used immediately and dropped.
Nothing of the proxy's own environment is used: no configuration file, no agent, no GSSAPI.
"""

import asyncio
import copy
import logging
from dataclasses import dataclass
from typing import Final

import asyncssh
from asyncssh.connection import SSHClientConnectionOptions

from postern.contracts.enums import EndReason
from postern.kernel.dialing import DialPolicy
from postern.kernel.log import printable
from postern.proxies.core.control.plane import ControlPlane
from postern.proxies.core.limits import Limits
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.dialing import dial
from postern.proxies.core.targets.ports import (
    Progress,
    Prompter,
    Pty,
    ShellLink,
    TargetEvents,
    TargetExit,
    TargetFailed,
)
from postern.proxies.core.texts import ENGLISH, Text
from postern.proxies.ssh import algorithms
from postern.proxies.ssh.fast_transport import FastClientChannel, FastConnection
from postern.proxies.ssh.group_exchange import use_bounded_group_exchange
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.target_login import FastTargetLink, LogInClient, TargetLink, TargetLogin
from postern.proxies.ssh.transport import PacedClientChannel

log = logging.getLogger(__name__)

_WINDOW: Final = 2 * 1024 * 1024
_MAX_PACKET: Final = 32768
_VERSION: Final = "Postern"
_KEEPALIVE_S: Final = 60
_KEEPALIVE_COUNT: Final = 5


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
        limits: Limits,
        ssh_limits: SshLimits,
        policy: DialPolicy,
        *,
        fast: bool = False,
    ) -> None:
        """`fast` enables the fast data path, which `fast_path_works` has tested."""
        use_bounded_group_exchange()
        self._plane = plane
        self._limits = limits
        self._login_s = ssh_limits.target_login_s
        self._policy = policy
        self._link = FastTargetLink if fast else TargetLink
        self._channel = FastClientChannel if fast else PacedClientChannel
        # Parsed once, because the library takes milliseconds and a thread for it.
        self._options = SSHClientConnectionOptions(
            config=None,
            username="unset",
            known_hosts=None,  # judged in `TargetLink`
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
            login_timeout=ssh_limits.target_login_s + limits.prompt_s,
            keepalive_interval=_KEEPALIVE_S,
            keepalive_count_max=_KEEPALIVE_COUNT,
        )

    async def connect(self, session: LiveSession, *, prompter: Prompter, progress: Progress) -> "TargetConnection":
        """Connect and log in. Raises `TargetFailed`, `PromptCancelled`."""
        grant = session.grant
        login = TargetLogin(session, self._plane, prompter=prompter, progress=progress)
        if grant.manual and not login.login_name:
            question = Text.PROMPT_LOGIN_NAME.say(session.language, host=grant.asset_name)
            login.login_name = await prompter(question, True)
        progress("connecting")
        connection = await dial(grant.target, self._policy, timeout_s=self._limits.connect_s, language=session.language)
        link: TargetLink | None = None
        try:
            options = copy.copy(self._options)
            loop = asyncio.get_running_loop()
            options.waiter = loop.create_future()
            options.host, options.port, options.username = grant.target.host, grant.target.port, login.login_name
            options.protocol_factory = lambda: LogInClient(login)

            def make() -> TargetLink:
                fresh = self._link(loop, options, wait="auth")
                fresh.approve = lambda key: asyncio.ensure_future(login.approve(key))
                fresh.walk = login.walk
                return fresh

            _, link = await loop.create_connection(make, sock=connection)
            connection = None  # type: ignore[assignment]  # the link owns it now
            async with asyncio.timeout(self._login_s + (self._limits.prompt_s if grant.manual else 0)):
                await options.waiter
        except BaseException as error:
            if link is not None:
                link.abort()
            if connection is not None:
                connection.close()
            failure = login.failure or self._explain(error, session, login)
            if failure is None or failure is error:
                raise
            raise failure from error
        finally:
            login.forget()
        return TargetConnection(link, login.fingerprint, self._channel)

    def _explain(self, error: BaseException, session: LiveSession, login: TargetLogin) -> TargetFailed | None:
        """Turn a library error into a message for the user. Returns None for other errors."""
        grant, language = session.grant, session.language
        where = {"host": grant.target.host, "port": grant.target.port}
        if isinstance(error, asyncssh.PermissionDenied) or _too_many_tries(error, login):
            login_fields = {"host": grant.target.host, "login": login.login_name, "story": login.walk.story(language)}
            if grant.manual:
                message = Text.LOGIN_REFUSED_MANUAL.say(language, **login_fields)
            else:
                message = Text.LOGIN_REFUSED.say(language, system_user=grant.system_user_name, **login_fields)
            return TargetFailed(EndReason.CREDENTIAL_REFUSED, message, login.walk.story(ENGLISH))
        if isinstance(error, TimeoutError):
            return TargetFailed(EndReason.UNREACHABLE, Text.CONNECT_TIMEOUT.say(language, **where), "log-in timed out")
        if isinstance(error, asyncssh.Error | OSError):
            message = Text.CONNECT_NOT_SSH.say(language, **where, detail=printable(str(error))[:200])
            return TargetFailed(EndReason.UNREACHABLE, message, str(error))
        return None


def _too_many_tries(error: BaseException, login: TargetLogin) -> bool:
    """Whether the target disconnected instead of refusing. Hosts that allow few tries do so (OpenSSH as a protocol
    error).
    """
    return (
        isinstance(error, asyncssh.DisconnectError)
        and error.code in {asyncssh.DISC_NO_MORE_AUTH_METHODS_AVAILABLE, asyncssh.DISC_PROTOCOL_ERROR}
        and login.walk.hung_up()
    )


class TargetConnection(ShellLink):
    """An authenticated connection to a target."""

    def __init__(self, link: TargetLink, fingerprint: str, channel: type[PacedClientChannel]) -> None:
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
            link.batches_floods = pty is not None
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

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


class TargetProgram(asyncssh.SSHClientSession[bytes]):
    """A running program on a target (`core.targets.ports.TargetShell`), and the library's session of its channel."""

    def __init__(self, link: TargetLink, events: TargetEvents, fingerprint: str) -> None:
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
