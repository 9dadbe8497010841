"""A terminal whose user works in a browser.

A sender task carries output to the attached link. The end is sent after the last byte of output.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from postern.contracts.browser import UNACKED_LIMIT, Ack, ClientMessage, Opened, Resize, Resume, Resumed, Screen
from postern.contracts.enums import EndReason
from postern.kernel.clock import now
from postern.proxies.core.charset import Charset
from postern.proxies.core.opening.reaching import ending, reach
from postern.proxies.core.opening.refused import Refused
from postern.proxies.core.opening.services import CoreServices
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import Pty, ShellLink, TargetExit, TargetShell
from postern.proxies.terminal.browser_session import BrowserSession
from postern.proxies.terminal.limits import TerminalLimits
from postern.proxies.terminal.link import BrowserLink, LinkGone
from postern.proxies.terminal.output_buffer import OutputBuffer
from postern.proxies.terminal.texts import Text
from postern.proxies.terminal.typed_input import TypedInput

_FRAME_BYTES: Final = 64 * 1024
_MAX_CELLS: Final = 1000
#: The page shows UTF-8 regardless of the host's default. A host that does not accept the variable ignores it. Hosts
#: with another charset keep their own default.
_ENVIRONMENT: Final = {b"LANG": b"C.UTF-8"}


def sane(cells: int, usual: int) -> int:
    """Return a usable terminal size."""
    return min(cells, _MAX_CELLS) if cells > 0 else usual


class BrowserTerminal(BrowserSession):
    """One terminal of a browser. It is also the `TargetEvents` of its shell."""

    def __init__(
        self,
        session: LiveSession,
        link: BrowserLink,
        *,
        columns: int,
        rows: int,
        services: CoreServices,
        limits: TerminalLimits,
        on_gone: Callable[[BrowserSession], None],
    ) -> None:
        super().__init__(session, link, services, on_gone)
        self._columns, self._rows = sane(columns, 80), sane(rows, 24)
        self._shell: TargetShell | None = None
        self._buffer = OutputBuffer()
        self._charset = Charset(session.grant.charset)
        self._sent = 0
        self._picture_due = False
        self._paused = False
        self._undrawn = False
        self._input = TypedInput(session, self._charset, limits, self._input_moved)
        #: Cleared while reading is paused for a page that does not count its input.
        self._room = asyncio.Event()
        self._room.set()
        self._wake = asyncio.Event()
        self._sender: asyncio.Task[None] | None = None

    @property
    def _is_open(self) -> bool:
        return self._shell is not None

    # Opening

    def start(self) -> None:
        """Open the shell in the background. Meanwhile `serve` reads the link."""
        self.session.on_caught_up(self._caught_up)
        self.session.on_lock(self._input.drop_waiting)
        super().start()
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
        opened = Opened(
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
        if await self._tell_opened(opened):
            shell.resize(self._columns, self._rows)
            self.session.resize(self._columns, self._rows)
            shell.resume_reading()

    # The user's side

    async def _received(self, link: BrowserLink, message: ClientMessage | bytes) -> None:
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
        if isinstance(message, Ack):
            self._buffer.acknowledge(message.received)
            self._balance()
        elif isinstance(message, Resize):
            self._resize(message.columns, message.rows)
        else:
            super()._take(link, message)

    def _resize(self, columns: int, rows: int) -> None:
        self._columns, self._rows = sane(columns, 80), sane(rows, 24)
        if self._shell is not None:
            self.session.resize(self._columns, self._rows)
            self._shell.resize(self._columns, self._rows)

    # Losing and resuming a link

    def _detached(self) -> None:
        self._wake.set()

    def _resumed(self, resume: Resume, secret: str) -> Resumed:
        is_kept = self._buffer.start <= resume.received <= self._buffer.end
        return Resumed(
            session_id=self.grant.session_id,
            resume_secret=secret,
            offset=resume.received if is_kept else self._buffer.end,
            input_received=self._input.received,
            input_until=self._input.credit_anew(),
        )

    def _continue(self, resume: Resume, resumed: Resumed) -> None:
        is_kept = resumed.offset == resume.received
        if is_kept:
            self._buffer.acknowledge(resume.received)
        self._sent = resumed.offset
        self._picture_due = not is_kept
        self._resize(resume.columns, resume.rows)

    def _attached(self) -> None:
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

    def _closed(self) -> None:
        self._input.close()
        self._room.set()
        if self._shell is not None:
            self._shell.close()

    def _end_known(self) -> None:
        self._wake.set()

    def _finish(self) -> None:
        if self._sender is not None and asyncio.current_task() is not self._sender:
            self._sender.cancel()
        super()._finish()
