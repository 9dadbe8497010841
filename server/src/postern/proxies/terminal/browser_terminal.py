"""A session whose user works in a browser. It survives the loss of the websocket for a while.

Life cycle: `open` redeems the token, opens the shell and sends `opened`. A sender task carries output to the attached
link. After the loss of a link the session waits for `resume`. The end is sent after the last byte of output.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from postern.contracts.access import SessionGrant
from postern.contracts.browser import (
    RESUME_GRACE_S,
    UNACKED_LIMIT,
    Ack,
    Answer,
    ClientMessage,
    Close,
    Ended,
    Opened,
    Ping,
    Pong,
    Resize,
    Resume,
    Resumed,
    Screen,
    State,
)
from postern.contracts.enums import EndReason
from postern.kernel.clock import now
from postern.proxies.core.charset import Charset
from postern.proxies.core.opening.reaching import ending, reach
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Pty, ShellLink, TargetExit, TargetShell
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.link import BrowserLink, LinkGone
from postern.proxies.terminal.notices import Notices
from postern.proxies.terminal.output_buffer import OutputBuffer
from postern.proxies.terminal.questions import Questions
from postern.proxies.terminal.resume_secrets import ResumeSecrets
from postern.proxies.terminal.texts import Text
from postern.proxies.terminal.typed_input import TypedInput

log = logging.getLogger(__name__)

_FRAME_BYTES: Final = 64 * 1024
_MAX_CELLS: Final = 1000
#: The page shows UTF-8 regardless of the host's default. A host that does not accept the variable ignores it. Hosts
#: with another charset keep their own default.
_ENVIRONMENT: Final = {b"LANG": b"C.UTF-8"}


def sane(cells: int, usual: int) -> int:
    """Return a usable terminal size."""
    return min(cells, _MAX_CELLS) if cells > 0 else usual


class BrowserTerminal:
    """One session of a browser. It is also the `TargetEvents` of its shell."""

    def __init__(
        self,
        session: LiveSession,
        link: BrowserLink,
        *,
        columns: int,
        rows: int,
        services: CoreServices,
        limits: TerminalLimits,
        on_gone: Callable[["BrowserTerminal"], None],
    ) -> None:
        self.session = session
        self._link: BrowserLink | None = link
        self._columns, self._rows = sane(columns, 80), sane(rows, 24)
        self._services = services
        self._on_gone = on_gone
        self._shell: TargetShell | None = None
        self._buffer = OutputBuffer()
        self._charset = Charset(session.grant.charset)
        self._sent = 0
        self._picture_due = False
        self._secrets = ResumeSecrets()
        self._paused = False
        self._undrawn = False
        self._input = TypedInput(session, self._charset, limits, self._input_moved)
        #: Cleared while reading is paused for a page that does not count its input.
        self._room = asyncio.Event()
        self._room.set()
        self._wake = asyncio.Event()
        self._questions = Questions(lambda: self._link, session.language, services.limits.prompt_s)
        self._notices = Notices(session, lambda: self._link, self._spawn)
        self._ended: Ended | None = None
        self._exit_status: int | None = None
        self._opening: asyncio.Task[None] | None = None
        self._sender: asyncio.Task[None] | None = None
        self._grace: asyncio.TimerHandle | None = None
        self._messages: set[asyncio.Task[None]] = set()

    @property
    def grant(self) -> SessionGrant:
        return self.session.grant

    # Opening

    def start(self) -> None:
        """Open the shell in the background. Meanwhile `serve` reads the link."""
        self.session.on_end(self._session_ended)
        self.session.on_notice(self._notices.send)
        self.session.on_caught_up(self._caught_up)
        self.session.on_lock(self._input.drop_waiting)
        self._opening = asyncio.create_task(self._open(), name="browser terminal opening")
        self._sender = asyncio.create_task(self._send_output(), name="browser terminal output")

    async def _open(self) -> None:
        session = self.session
        with contextlib.suppress(Refused), ending(session):  # `_session_ended` informs the page
            shell = self._shell = await self._open_shell()
            self._input.begin(shell)
            session.activate("shell", self._columns, self._rows, record=True)
            session.filtering.open_input(shell)
            await self._opened(shell)

    async def _open_shell(self) -> TargetShell:
        session = self.session
        link = await reach(
            self._services.connectors,
            session,
            ShellLink,  # type: ignore[type-abstract]  # asked for, not made
            prompter=self._questions.ask,
            progress=self._progress,
        )
        try:
            self._progress("opening_shell")
            environment = _ENVIRONMENT if self._charset.is_utf8 else {}
            pty = Pty(columns=self._columns, rows=self._rows, environment=environment)
            return await link.open_shell(pty, self, language=session.language)
        except BaseException:
            link.close()
            raise

    async def _opened(self, shell: TargetShell) -> None:
        grant = self.grant
        if self._messages:
            await asyncio.gather(*self._messages, return_exceptions=True)  # progress messages must arrive first
        link = self._link
        if link is not None:
            try:
                await link.say(
                    Opened(
                        session_id=grant.session_id,
                        resume_secret=self._secrets.renew(),
                        asset=grant.asset_name,
                        system_user=grant.system_user_name,
                        login_name=grant.login_name,
                        actions=int(self.session.rights.at(now())),
                        recorded=self.session.recorded,
                        host_key=shell.host_key_fingerprint,
                        idle_timeout_s=grant.idle_timeout_s,
                        input_until=self._input.credit_anew(),
                    )
                )
            except LinkGone:
                self._detach(link)
                link = None
        if link is None:
            # Nobody has the secret with which the session could be resumed.
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")
            return
        shell.resize(self._columns, self._rows)
        self.session.resize(self._columns, self._rows)
        shell.resume_reading()

    def _progress(self, state: str, via: str = "", /) -> None:
        if self._link is not None:
            self._spawn(self._link.say(State(state=state, via=via)))

    # The user's side

    async def serve(self, link: BrowserLink) -> None:
        """Read a link until it is closed. Raises NotUnderstood if it sends something that the protocol does not
        define.
        """
        try:
            while True:
                message = await link.receive()
                if link is not self._link:
                    return
                self._secrets.spent_hash = ""
                if not isinstance(message, bytes):
                    self._take(link, message)
                elif not self._input.put(message):
                    self.session.end(
                        EndReason.LIMIT,
                        "the page sent more input than it may",
                        message=Text.TOO_MUCH_INPUT.say(link.language),
                    )
                elif not link.counts_input and not self._room.is_set():
                    await self._until_room(link)
        except LinkGone:
            pass
        finally:
            self._detach(link)

    async def _until_room(self, link: BrowserLink) -> None:
        """Wait for space while a page sends input without counting it. Stops waiting when the page leaves."""
        waits = {asyncio.ensure_future(self._room.wait()), asyncio.ensure_future(link.wait_closed())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _input_moved(self) -> None:
        """React to forwarded or waiting input: update flow control towards the target and the page."""
        self._balance()
        if self._link is not None and self._link.counts_input and (credit := self._input.new_credit()):
            self._link.tell(credit)

    def _take(self, link: BrowserLink, message: ClientMessage) -> None:
        """Handle a message. Never waits, because acknowledgements and the end come after it."""
        if isinstance(message, Ack):
            self._buffer.acknowledge(message.received)
            self._balance()
        elif isinstance(message, Ping):
            link.tell(Pong(t=message.t))
        elif isinstance(message, Resize):
            self._resize(message.columns, message.rows)
        elif isinstance(message, Answer):
            self._questions.answer(message)
        elif isinstance(message, Close):
            self.session.end(EndReason.USER_CLOSED)

    def _resize(self, columns: int, rows: int) -> None:
        self._columns, self._rows = sane(columns, 80), sane(rows, 24)
        if self._shell is not None:
            self.session.resize(self._columns, self._rows)
            self._shell.resize(self._columns, self._rows)

    # Losing and resuming a link

    def _detach(self, link: BrowserLink) -> None:
        if link is not self._link:
            return
        self._link = None
        if self._shell is None and self.session.end_reason is None:
            # Nothing is open yet that could be resumed.
            self.session.end(EndReason.USER_CLOSED, "left before the session was open")
        self._wait_for_return()
        self._wake.set()

    def _wait_for_return(self) -> None:
        """End the session if no link resumes it in time. A wait in progress continues."""
        if self._grace is None:
            self._grace = asyncio.get_running_loop().call_later(RESUME_GRACE_S, self._given_up)

    def _stop_waiting(self) -> None:
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None

    def _given_up(self) -> None:
        self.session.end(EndReason.USER_CLOSED, "the browser did not come back")
        self._finish()

    def accepts(self, resume: Resume, link: BrowserLink) -> bool:
        """Whether this link may resume the session: same user, and the secret of the last link (K63: to know an id is
        no authority).
        """
        return link.user_id == self.grant.user.id and self._secrets.accepts(resume.resume_secret)

    async def resume(self, resume: Resume, link: BrowserLink) -> None:
        """Continue with another link, after `accepts` was checked. Raises LinkGone; another link may then resume."""
        try:
            await self._resume(resume, link)
        except BaseException:
            if self._link is None:
                self._wait_for_return()
            raise

    async def _resume(self, resume: Resume, link: BrowserLink) -> None:
        self._secrets.spend(resume.resume_secret)
        secret = self._secrets.renew()
        old, self._link = self._link, None
        if old is not None:
            self._spawn(old.cut(Ended(reason="taken_over", message=Text.TAKEN_OVER.say(old.language))))
        self._stop_waiting()
        is_kept = self._buffer.start <= resume.received <= self._buffer.end
        offset = resume.received if is_kept else self._buffer.end
        await link.say(
            Resumed(
                session_id=self.grant.session_id,
                resume_secret=secret,
                offset=offset,
                input_received=self._input.received,
                input_until=self._input.credit_anew(),
            )
        )
        if not self._secrets.is_newest(secret):
            raise LinkGone  # another link resumed meanwhile, and the later link has the session
        if is_kept:
            self._buffer.acknowledge(resume.received)
        self._sent = offset
        self._picture_due = not is_kept
        self._resize(resume.columns, resume.rows)
        self._stop_waiting()
        self._link = link
        self._notices.resumed()
        self._input_moved()
        self._wake.set()

    # Output

    async def _send_output(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            link = self._link
            if link is None:
                continue
            try:
                if self._picture_due:
                    await self._send_picture(link)
                while link is self._link and (data := self._buffer.since(self._sent, _FRAME_BYTES)):
                    self._sent += len(data)
                    await link.output(data)
                if self._ended is not None and self._sent >= self._buffer.end and link is self._link:
                    await link.end(self._ended)
                    self._link = None
                    self._finish()
                    return
            except LinkGone:
                self._detach(link)

    async def _send_picture(self, link: BrowserLink) -> None:
        self._picture_due = False
        try:
            async with asyncio.timeout(self._services.limits.snapshot_s):
                picture = await self._services.pictures.picture(self.grant.session_id, self.session.bytes_out)
        except (TimeoutError, OSError):
            # Without a snapshot the page keeps its content and continues from here.
            return
        offset = self._shown_at(picture.offset)
        await link.say(Screen(columns=picture.columns, rows=picture.rows, offset=offset))
        await link.output(picture.data)
        self._buffer.restart(offset)
        self._sent = max(self._buffer.start, min(offset, self._buffer.end))
        self._balance()

    def _shown_at(self, host_offset: int) -> int:
        """Return the page's byte count that corresponds to a byte count of the host."""
        return host_offset if self._charset.is_utf8 else self._buffer.shown_at(host_offset)

    def _balance(self) -> None:
        """Pause or resume reading from the target, by undrawn output of the browser and undetected commands."""
        if self._shell is None:
            return
        # The conditions end separately. Undrawn output must fall to half of the limit.
        self._undrawn = self._buffer.unacknowledged > (UNACKED_LIMIT // 2 if self._undrawn else UNACKED_LIMIT)
        self.session.is_output_paused = self._undrawn
        pause = self.session.is_behind or self._undrawn
        if pause is not self._paused:
            self._paused = pause
            if pause:
                self._shell.pause_reading()
            else:
                self._shell.resume_reading()
        # With a page that does not count its input, acknowledgements may follow behind input. Then reading continues up
        # to the limit.
        if self._input.has_room or self._undrawn:
            self._room.set()
        else:
            self._room.clear()

    def _caught_up(self) -> None:
        """Resume both directions after command detection has caught up."""
        self._balance()
        self._input.pass_on(one_more=True)

    # Callbacks of the target

    def on_target_data(self, data: bytes, *, stderr: bool) -> None:
        del stderr  # a terminal has one stream
        if self.session.target_output(data):
            self._buffer.append(self._charset.to_utf8(data))
            if not self._charset.is_utf8:
                self._buffer.mark(self.session.bytes_out)
            self._balance()
            self._wake.set()

    def on_target_eof(self) -> None:
        """Do nothing, because the exit follows."""

    def on_target_exit(self, how: TargetExit) -> None:
        self._exit_status = how.status
        is_lost = how.status is None and how.signal is None
        detail = "the connection to the target was lost" if is_lost else (f"signal {how.signal}" if how.signal else "")
        self.session.end(EndReason.TARGET_CLOSED, detail or how.message, exit_status=how.status)

    def on_target_pause(self) -> None:
        self._input.hold()

    def on_target_resume(self) -> None:
        self._input.release()

    # End

    def _session_ended(self, reason: EndReason, message: str) -> None:
        self._input.close()
        self._room.set()
        if self._opening is not None and not self._opening.done() and asyncio.current_task() is not self._opening:
            self._opening.cancel()
        if self._shell is not None:
            self._shell.close()
        self._questions.cancel()
        self._ended = Ended(reason=reason.value, message=message, exit_status=self._exit_status)
        self._wake.set()
        if self._link is None and self._grace is None:
            self._grace = asyncio.get_running_loop().call_later(RESUME_GRACE_S, self._finish)

    def _finish(self) -> None:
        self._stop_waiting()
        if self._sender is not None and asyncio.current_task() is not self._sender:
            self._sender.cancel()
        self._on_gone(self)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)
        task.add_done_callback(_retrieve)


def _retrieve(task: "asyncio.Task[None]") -> None:
    """Log a failed message. A closed link is not an error, because the reader notices it."""
    if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, LinkGone):
        log.error("sending a message to the browser failed: %r", error)
