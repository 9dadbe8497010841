"""One session channel of a user: its request, the connection to the target, the menu, and its end."""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import asyncssh

from postern.contracts.access import ReachableAsset, ReachablePage, UserIdentity
from postern.contracts.enums import DenialCode, EndReason
from postern.kernel.errors import PosternError
from postern.proxies.core.language import choose_language
from postern.proxies.core.opening.opening import Opening
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import PromptCancelled, Pty, TargetFailed
from postern.proxies.core.texts import Text
from postern.proxies.ssh.classification import classify
from postern.proxies.ssh.front import FrontChannel
from postern.proxies.ssh.judging import SFTP_SERVER, pass_filters
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.line_editor import LineEditor, LineEnd
from postern.proxies.ssh.menu import Menu
from postern.proxies.ssh.person_channel import FAILED, PersonChannel
from postern.proxies.ssh.relay import Outcome, Relay
from postern.proxies.ssh.target import Program, TargetConnection, TargetProgram
from postern.proxies.ssh.wish import Wish, below_root, judge, sane_size

if TYPE_CHECKING:
    from asyncssh import DataType

log = logging.getLogger(__name__)

_TEMPORARY: Final = 75  # EX_TEMPFAIL of sysexits.h: a retry may succeed
_MAX_TERM: Final = 64
_SFTP: Final = "sftp"
_CTRL_C: Final = b"\x03"
#: Input that is read ahead while a session is being opened.
_MAX_EARLY: Final = 4096

SshOpening: TypeAlias = Opening[TargetConnection]


class Home(Protocol):
    """The owner that opens sessions: `person.Person`."""

    @property
    def direct(self) -> bool: ...
    @property
    def own_address(self) -> tuple[str, int]: ...
    def open(self, asset: str, system_user: str, language: str) -> SshOpening: ...
    def take_direct(self, language: str) -> SshOpening: ...
    async def reachable(self, search: str, offset: int, limit: int) -> ReachablePage: ...
    def request_refused(self, request: str, detail: str = "") -> None: ...
    def disconnect(self) -> None: ...


def _describe(asset: ReachableAsset) -> str:
    """Describe one of several matching assets. The id tells them apart."""
    return f"{asset.hostname} ({asset.ip}) {asset.org_name}: {asset.id}"


class PersonSession(asyncssh.SSHServerSession[bytes]):
    """The library's session for one channel. It is also the terminal of the menu."""

    def __init__(
        self,
        services: CoreServices,
        limits: SshLimits,
        home: Home,
        user: UserIdentity,
        *,
        on_gone: "Callable[[PersonSession], None]",
    ) -> None:
        self._services = services
        self._home = home
        self._user = user
        self._on_gone = on_gone
        self._front = PersonChannel(limits.goodbye_s, home.disconnect, is_direct=home.direct)
        self._task: asyncio.Task[None] | None = None
        self._relay: Relay | None = None
        self._opening: SshOpening | None = None
        self._editor: LineEditor | None = None
        self._line: asyncio.Future[LineEditor] | None = None
        self._early = b""
        self._interrupted = False
        self._eof = False
        self._writable = True
        self.live: LiveSession | None = None
        self.columns, self.rows = 80, 24

    @property
    def language(self) -> str:
        return choose_language(self._user.language, self._front.environment(), self._services.settings.current.language)

    @property
    def user(self) -> UserIdentity:
        return self._user

    # Callbacks of the library: requests of the client

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        if not isinstance(chan, FrontChannel):
            raise TypeError("a person's session runs on a FrontChannel")
        self._front.open(chan)

    def pty_requested(self, term_type: str, term_size: tuple[int, int, int, int], term_modes: dict[int, int]) -> bool:  # type: ignore[override]  # the library's type is a read-only mapping
        if len(term_type) > _MAX_TERM:
            return False
        self.columns, self.rows = sane_size(term_size[0], term_size[1])
        self._front.pty = Pty(
            term=term_type,
            columns=self.columns,
            rows=self.rows,
            width_px=term_size[2],
            height_px=term_size[3],
            modes=dict(term_modes),
        )
        return True

    def shell_requested(self) -> bool:
        return self._begin(Wish())

    def exec_requested(self, command: str) -> bool:
        # An empty command would start a shell, so it is treated and recorded as one.
        return self._begin(Wish(command=command.encode("utf-8", "surrogateescape") or None))

    def subsystem_requested(self, subsystem: str) -> bool:
        if subsystem != _SFTP:
            self._home.request_refused("subsystem", subsystem[:64])
            return False
        return self._begin(Wish(subsystem=subsystem))

    def _begin(self, wish: Wish) -> bool:
        """Accept the request immediately. Connecting continues in a task, which reports failures on the channel."""
        self._task = asyncio.create_task(self._serve(wish), name="ssh session")
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        self.columns, self.rows = sane_size(width, height)
        if self._front.pty is not None:
            self._front.pty = Pty(
                term=self._front.pty.term,
                columns=self.columns,
                rows=self.rows,
                width_px=pixwidth,
                height_px=pixheight,
                modes=self._front.pty.modes,
            )
        if self._relay is not None:
            self._relay.resize(self.columns, self.rows, pixwidth, pixheight)
        elif self._editor is not None:
            self._editor.columns = self.columns
            self._front.send(self._editor.redraw())

    def signal_received(self, signal: str) -> None:
        if self._relay is not None:
            self._relay.signal(signal)

    def break_received(self, msec: int) -> bool:
        return self._relay is not None and self._relay.send_break(msec)

    # Callbacks of the library: data

    def data_received(self, data: bytes, datatype: "DataType") -> None:  # noqa: ARG002 - the library calls it so
        if self._relay is not None:
            self._relay.from_person(data)
        elif self._editor is not None:
            self._edit(data)
        elif self._opening is not None and self._front.pty is not None and _CTRL_C in data:
            self._early = b""
            self._interrupted = True
            self._opening.abandon()
        else:
            # Nothing reads the input yet. Keep this piece; further input waits in the channel's window. A terminal is
            # read a little further, because Ctrl-C may follow.
            self._early += data
            if self._opening is None or self._front.pty is None or len(self._early) > _MAX_EARLY:
                self._front.pause()

    def eof_received(self) -> bool:
        self._eof = True
        if self._relay is not None:
            self._relay.eof_from_person()
        elif self._editor is not None:
            self._editor.end = LineEnd.EOF
            self._line_done()
        return True  # half-close: the other direction stays open

    def pause_writing(self) -> None:
        self._writable = False
        if self._relay is not None:
            self._relay.front_full()

    def resume_writing(self) -> None:
        self._writable = True
        if self._relay is not None:
            self._relay.front_ready()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as above
        self._front.gone()
        self._on_gone(self)
        if self._relay is not None:
            self._relay.front_gone()
        if self._opening is not None:
            self._opening.abandon()
        if self._task is not None:
            self._task.cancel()

    def say(self, text: str) -> None:
        """Show a sentence to the user."""
        self._front.say(text)

    # Lines, for the menu and for prompts

    async def read_line(self, prompt: str, *, echo: bool = True, history: list[str] | None = None) -> LineEditor:
        """Read a line. The result is in `.end` and `.text`."""
        self._editor = LineEditor(prompt, columns=self.columns, echo=echo, history=[] if history is None else history)
        self._line = asyncio.get_running_loop().create_future()
        self._front.send(self._editor.start())
        early, self._early = self._early, b""
        if early:
            self._edit(early)
        if self._eof and self._editor is not None:
            self._editor.end = LineEnd.EOF
            self._line_done()
        else:
            self._front.resume()
        return await self._line

    def _edit(self, data: bytes) -> None:
        if self._editor is not None:
            self._front.send(self._editor.feed(data))
            if self._editor.end is not None:
                self._line_done()

    def _line_done(self) -> None:
        editor, self._editor = self._editor, None
        if editor is None or self._line is None:
            return
        self._early = editor.rest + self._early
        self._front.pause()
        if not self._line.done():
            self._line.set_result(editor)

    async def _prompt(self, text: str, echo: bool) -> str:
        """Ask a question of the login. Implements `core.targets.ports.Prompter`."""
        if self._front.pty is None:
            raise PromptCancelled(Text.PROMPT_NEEDS_TERMINAL.say(self.language))
        try:
            async with asyncio.timeout(self._services.limits.prompt_s):
                line = await self.read_line(text, echo=echo)
        except TimeoutError:
            self._editor = None
            raise PromptCancelled(Text.PROMPT_CANCELLED.say(self.language)) from None
        if line.end is not LineEnd.ENTER:
            raise PromptCancelled(Text.PROMPT_CANCELLED.say(self.language))
        self._front.resume()  # Ctrl-C ends the rest of the opening
        session = self._opening.session if self._opening is not None else None
        if session is not None and session.lock.is_on:
            self._front.say(session.lock.sentence)
        return line.text

    # Session

    async def _serve(self, wish: Wish) -> None:
        """Serve the request until the channel is done. Every way out sets an exit status."""
        try:
            if self._home.direct:
                self._front.finish(await self.carry(self._home.take_direct(self.language), wish))
            elif wish.command is None and wish.subsystem is None and self._front.pty is not None:
                self._front.exit(await Menu(self._services, self, self._home).run())
            else:
                self._front.say(Text.NO_DIRECT_TARGET.say(self.language, user=self._user.username))
                self._front.exit(FAILED)
        except Refused as refusal:
            self._front.say("\n  ".join((*refusal.sentences, *(_describe(asset) for asset in refusal.candidates))))
            self._front.exit(_TEMPORARY if refusal.denial is DenialCode.CONTROL_UNAVAILABLE else FAILED)
        except PosternError as error:
            self._front.say(error.message)
            self._front.exit(FAILED)
        except asyncio.CancelledError:
            raise
        except Exception:  # the last resort of this channel; others on the connection continue
            log.exception("a session of %s failed", self._user.username)
            if self.live is not None:
                self.live.end(EndReason.ERROR)
            self._front.say(Text.END_ERROR.say(self.language))
            self._front.exit(FAILED)

    async def carry(self, opening: SshOpening, wish: Wish) -> Outcome:
        """Connect the opening to its target and relay until the end. Raises `Refused` and other `PosternError`s."""
        self._opening = opening
        self._interrupted = False
        if self._front.pty is not None:
            self._front.resume()
        progress = self._show_way if self._front.pty is not None and wish == Wish() else None
        try:
            session, connection = await opening.result(self._prompt, progress)
        except (asyncio.CancelledError, Refused):
            opening.abandon()
            if self._interrupted:
                raise Refused(Text.CONNECT_CANCELLED.say(self.language), ended=EndReason.USER_CLOSED) from None
            raise
        finally:
            self._opening = None
        self.live = session
        relay: Relay | None = None
        try:
            terminal = self._front.pty is not None
            wish = below_root(session, wish)
            kind, inspector = judge(session, wish, terminal=terminal)
            request = classify(wish.command) if wish.command is not None else None
            relay = Relay(session, self._front, terminal=terminal, inspector=inspector, command=request)
            environment = self._front.environment()
            self._record(session, wish, environment)
            text = request.text if request is not None else SFTP_SERVER if wish.subsystem is not None else None
            await pass_filters(session, text)
            if request is not None:  # reported before it runs, so that the log names it whatever happens
                decision = session.filtering.decision_of(request.text)
                session.log.command(request.text, held=session.hold_command(request.text), decision=decision)
            program = Program(
                command=wish.command, subsystem=wish.subsystem, pty=self._front.pty, environment=environment
            )
            running = await connection.run(program, relay, language=self.language)
            session.activate(kind, self.columns if terminal else 0, self.rows if terminal else 0)
        except TargetFailed as failure:
            # The session may already be over, and the target failed for that reason. Then the session's own end is
            # reported.
            session.end(failure.reason, failure.detail, message=failure.message)
            connection.close()
            raise Refused(session.end_message, ended=session.end_reason) from failure
        except BaseException:
            session.end(EndReason.USER_CLOSED if self._front.is_gone else EndReason.ERROR)
            connection.close()
            raise
        self._join(relay, running)
        try:
            return await relay.ended
        finally:
            self._relay = None
            self.live = None

    def _show_way(self, state: str, via: str = "", /) -> None:
        """Name the gateways that a shell is being opened through. Programs' output stays as it is."""
        if state == "connecting" and via:
            self._front.say(Text.CONNECTING_THROUGH.say(self.language, via=via))

    async def carry_shell(self, opening: SshOpening) -> EndReason:
        """Run a shell for the menu until its end. An unusual end is shown to the user."""
        outcome = await self.carry(opening, Wish())
        if outcome.exit is None and outcome.reason is not EndReason.USER_CLOSED:
            self._front.say("\r\n" + outcome.message)
        return outcome.reason

    def _join(self, relay: Relay, running: TargetProgram) -> None:
        relay.start(running)
        self._relay = relay
        if not self._writable:
            relay.front_full()
        if self._front.pty is not None:
            relay.resize(self.columns, self.rows, self._front.pty.width_px, self._front.pty.height_px)
        early, self._early = self._early, b""
        if early:
            relay.from_person(early)
        if not relay.person_waits:
            self._front.resume()
        if self._eof:
            relay.eof_from_person()

    def _record(self, session: LiveSession, wish: Wish, environment: dict[bytes, bytes]) -> None:
        """Start the recording before the target is asked to run anything. Raises `SessionOver` if that fails.

        Every shell and command is recorded. The SFTP subsystem has the file log instead.
        """
        command = wish.command or b""
        if self._front.pty is not None:
            # The client chooses the terminal's name freely, and for the command it is a variable like the others.
            environment = {**environment, b"TERM": self._front.pty.term.encode("utf-8", "surrogateescape")}
            session.record(
                self.columns, self.rows, command=command, environment=environment, modes=self._front.pty.modes
            )
        elif wish.subsystem is None:
            session.record(command=command, environment=environment)
