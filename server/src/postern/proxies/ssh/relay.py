"""Relays one session between a user's channel and a program on a target, without copying or waiting.

Output is recorded before it is forwarded. A side that does not keep up pauses the other. The relay ends once, with an
`Outcome` that tells the front the message and the exit status.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from postern.contracts.enums import EndReason
from postern.contracts.recording.streams import Stream
from postern.proxies.core.sessions.detection import KEYS_AT_ONCE_BYTES
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.live_session import LiveSession
from postern.proxies.core.targets.ports import TargetExit
from postern.proxies.ssh.classification import ExecRequest
from postern.proxies.ssh.rsync.inspector import RsyncInspector
from postern.proxies.ssh.target import TargetProgram
from postern.proxies.ssh.transfer_summary import UNNAMED, report_transfer

#: How long the end of the output is delayed while waiting for the exit status.
_EOF_DELAY_S: Final = 0.1
#: With a larger backlog in the inspector, no more requests are read from the user.
_MAX_BACKLOG: Final = 64 * 1024


class Inspector(Protocol):
    """Reads a file transfer as it passes. Both methods return the bytes to forward, and may hold bytes back."""

    #: Whether it answers requests of the user in place of the target.
    answers_itself: bool

    def from_person(self, data: bytes) -> bytes:
        """Return the bytes to forward to the target."""

    def from_target(self, data: bytes) -> bytes:
        """Return the bytes to forward to the user."""

    def answers(self) -> bytes:
        """Return the inspector's own answers to the user that may be sent now."""

    def released(self) -> bytes:
        """Return bytes of the user that were held back and may now be forwarded to the target."""

    @property
    def backlog(self) -> int:
        """Number of bytes of the user, or of answers to them, that wait."""

    @property
    def holds_back(self) -> bool:
        """Whether bytes of the user wait for the target's answer. The end of the input must be sent after them."""

    def close(self) -> None:
        """Report open transfers at the end of the session."""


class Front(Protocol):
    """The user's channel."""

    def send(self, data: bytes, *, stderr: bool = False) -> None: ...
    def send_eof(self) -> None: ...
    def notice(self, text: str, *, only_terminal: bool) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How the relay ended. `exit` is set if the target's program exited on its own."""

    reason: EndReason
    message: str
    exit: TargetExit | None = None


class Relay:
    """The relay of one session. Created before the target's program runs; `start` connects both sides."""

    def __init__(
        self,
        session: LiveSession,
        front: Front,
        *,
        terminal: bool,
        inspector: Inspector | None = None,
        command: ExecRequest | None = None,
    ) -> None:
        """`command` is the command line, if there is one. It may turn out to be a transfer without an inspector."""
        self.session = session
        self._front = front
        self._terminal = terminal
        self._inspector = inspector
        self._program: TargetProgram | None = None
        self._exit: TargetExit | None = None
        self._late_eof: asyncio.TimerHandle | None = None
        self._target_is_full = False
        self._front_is_full = False
        #: Typed input that has not been forwarded yet.
        self._keys: deque[bytes] = deque()
        self._eof_waits = False
        #: Input of a program that arrived while the session was locked.
        self._stopped: list[bytes] = []
        #: Input of a shell without a terminal that the command filters have not seen, and the task that judges more.
        self._unjudged = bytearray()
        self._judging: asyncio.Task[None] | None = None
        #: Whether reading from the target is paused. Initially it is.
        self._target_waits = True
        #: Whether reading from the user's channel is paused.
        self.person_waits = False
        self.ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._command = command
        if inspector is not None:
            session.before_end(inspector.close)
        if isinstance(inspector, RsyncInspector) or (inspector is None and command is not None and not terminal):
            session.before_end(self._report_transfer)
        session.on_caught_up(self._pace)
        session.on_notice(self._notice)
        session.on_lock(self._lock_changed)
        session.on_end(self._session_ended)

    def start(self, program: TargetProgram) -> None:
        """Let bytes flow. The target's program is running and the session is active."""
        if self.ended.done():
            program.close()
            return
        self._program = program
        if self._terminal:
            self.session.filtering.open_input(program)
        else:
            self.session.filtering.open_lines(is_shell=self._command is None and self._inspector is None)
        self._pace_person()
        self._pace_target()

    # From the person

    def from_person(self, data: bytes) -> None:
        if self._program is None:
            return
        if self._terminal:
            self._take_keys(data)
        elif self.session.lock.is_on:
            self._stopped.append(data)
        else:
            self._pass_data(self._program, data)

    def _take_keys(self, data: bytes) -> None:
        if self.session.lock.refuses_keys():
            return
        if len(data) <= KEYS_AT_ONCE_BYTES:
            self._keys.append(data)
        else:
            pieces = range(0, len(data), KEYS_AT_ONCE_BYTES)
            self._keys.extend(data[start : start + KEYS_AT_ONCE_BYTES] for start in pieces)
        self._pass_keys()

    def _pass_data(self, program: TargetProgram, data: bytes) -> None:
        """Forward input of a program without a terminal."""
        if not self.session.program_data(Stream.INPUT, data):
            return
        if self._inspector is None:
            if self.session.filtering.judges_lines:
                self._unjudged += data
                self._judge_input()
            else:
                program.write(data)
            return
        onward = self._guarded(self._inspector.from_person, data)
        if self.session.end_reason is not None:
            return
        if onward:
            program.write(onward)
        answers = self._inspector.answers()
        if answers:
            self._front.send(answers)
        self._pace()

    def _pass_keys(self) -> None:
        """Forward typed input as far as the target and command detection keep up. Then pause the user's side."""
        filtering = self.session.filtering
        while (
            self._keys
            and self._program is not None
            and not (self._target_is_full or self.session.is_behind or filtering.is_full)
        ):
            keys = self._keys.popleft()
            if filtering.gate is not None:
                filtering.gate.put(keys)
            elif self.session.user_input(keys):
                self._program.write(keys)
        if self._eof_waits and not self._keys:
            self._eof_waits = False
            self.eof_from_person()
        if self._keys or self.session.is_behind:
            self._pace_person()
            self._pace_target()

    def _judge_input(self) -> None:
        """Pass on the lines that a shell without a terminal may run.

        Much input is judged in a thread, and the user's side waits for that: nobody else must.
        """
        filtering = self.session.filtering
        while self._program is not None and self._judging is None and (self._unjudged or self._eof_waits):
            data, is_end = bytes(self._unjudged), self._eof_waits
            self._unjudged.clear()
            if filtering.takes_long(data):
                judging = self._judge_aside(data, is_end=is_end)
                self._judging = asyncio.get_running_loop().create_task(judging, name="command filters")
            else:
                self._judged(*filtering.program_lines(data, is_end=is_end), is_end=is_end)
        self._pace_person()

    async def _judge_aside(self, data: bytes, *, is_end: bool) -> None:
        onward, refusal = await self.session.filtering.program_lines_aside(data, is_end=is_end)
        await self.session.lock.passable()
        self._judging = None
        self._judged(onward, refusal, is_end=is_end)
        self._judge_input()

    def _judged(self, onward: bytes, refusal: str, *, is_end: bool) -> None:
        """Forward what may run. The session ends with the first line that is refused."""
        if self._program is None:
            return
        if onward:
            self._program.write(onward)
        if refusal:
            self.session.tell_user(refusal)
            self.session.end(EndReason.USER_CLOSED, "refused by a command filter", message=refusal)
        elif is_end and self._program is not None:
            self._eof_waits = False
            self._program.write_eof()

    def _pass_released(self, inspector: Inspector) -> None:
        """Forward held-back input of the user, now that the target has answered."""
        released = inspector.released()
        if self._program is not None:
            if released:
                self._program.write(released)
            if self._eof_waits and not inspector.holds_back:
                self._eof_waits = False
                self._program.write_eof()

    def eof_from_person(self) -> None:
        if self._keys or self.session.lock.is_on or (self._inspector is not None and self._inspector.holds_back):
            self._eof_waits = True
        elif self._inspector is None and self.session.filtering.judges_lines:
            self._eof_waits = True
            self._judge_input()
        elif self._program is not None:
            self._program.write_eof()

    def resize(self, columns: int, rows: int, width_px: int, height_px: int) -> None:
        if self._program is not None:
            self.session.resize(columns, rows)
            self._program.resize(columns, rows, width_px, height_px)
            if self.session.is_behind:
                self._pace()

    def signal(self, name: str) -> None:
        if self._program is not None and not self.session.lock.is_on:
            self._program.send_signal(name)

    def send_break(self, msec: int) -> bool:
        if self._program is None or self.session.lock.is_on:
            return False
        self._program.send_break(msec)
        return True

    def front_full(self) -> None:
        """Note that the user does not keep up with the output."""
        self._front_is_full = True
        self._pace()

    def front_ready(self) -> None:
        self._front_is_full = False
        self._pace()

    def front_gone(self) -> None:
        """Handle a closed channel of the user."""
        self.session.end(EndReason.USER_CLOSED)

    # From the target (core.targets.ports.TargetEvents)

    def on_target_data(self, data: bytes, *, stderr: bool) -> None:
        if self._terminal:
            if self.session.target_output(data):
                self._front.send(data, stderr=stderr)
                if self.session.is_behind:
                    self._pace()
            return
        if not self.session.program_data(Stream.ERROR if stderr else Stream.OUTPUT, data):
            return
        if self._inspector is not None and not stderr:
            data = self._guarded(self._inspector.from_target, data)
            if self.session.end_reason is not None:  # the session may have ended because this data could not be logged
                return
            self._pass_released(self._inspector)
            self._pace()
        if data:
            self._front.send(data, stderr=stderr)

    def on_target_eof(self) -> None:
        # A client whose own input has ended closes the channel as soon as it sees the end of output. It would then
        # never receive the exit status that follows. Programs that close their output and go on are rare.
        self._late_eof = asyncio.get_running_loop().call_later(_EOF_DELAY_S, self._front.send_eof)

    def on_target_exit(self, how: TargetExit) -> None:
        self._exit = how
        self.session.end(EndReason.TARGET_CLOSED, exit_status=how.status)

    def on_target_pause(self) -> None:
        self._target_is_full = True
        self._pace_person()

    def on_target_resume(self) -> None:
        self._target_is_full = False
        self._pace()

    def _pace(self) -> None:
        """Pause or resume both sides. Each checks its own condition, because resuming delivers queued data, which can
        fill the other side.
        """
        if self._keys:
            self._pass_keys()
        self._pace_person()
        self._pace_target()

    def _pace_target(self) -> None:
        self.session.is_output_paused = self._front_is_full
        wait = self._front_is_full or self.session.is_behind or self._is_stopped
        if self._program is not None and wait is not self._target_waits:
            self._target_waits = wait
            if wait:
                self._program.pause_reading()
            else:
                self._program.resume_reading()

    def _pace_person(self) -> None:
        """Read from the user only while the resulting data can be passed on.

        It goes to the target or, where requests are answered here, back to the user. Otherwise a client that never
        reads could fill the memory.
        """
        wait = self._target_is_full or bool(self._keys) or self.session.is_behind or self._judging is not None
        wait = wait or self._is_stopped
        if self._inspector is not None:
            wait = wait or self._inspector.backlog > _MAX_BACKLOG
            wait = wait or (self._inspector.answers_itself and self._front_is_full)
        if self._terminal and self.session.lock.is_on:
            wait = False  # what waits on the user's side would be read at the unlocking, and run
        if wait is not self.person_waits:
            self.person_waits = wait
            if wait:
                self._front.pause()
            else:
                self._front.resume()

    # Locking

    @property
    def _is_stopped(self) -> bool:
        """Whether the program stands still in both directions. A locked terminal is read, and its keys are dropped."""
        return self.session.lock.is_on and not self._terminal

    def _lock_changed(self) -> None:
        if self.session.lock.is_on:
            self._keys.clear()
        else:
            stopped, self._stopped = self._stopped, []
            for data in stopped:
                self.from_person(data)
            if self._eof_waits and self._judging is None:
                self._eof_waits = False
                self.eof_from_person()
        self._pace()

    # Notices

    def _notice(self, kind: NoticeKind, message: str) -> None:
        """Pass a notice to the front. Upcoming events are shown on terminals only, all others to users of programs as
        well.
        """
        upcoming = {NoticeKind.EXPIRING, NoticeKind.PROLONGED, NoticeKind.SHUTDOWN}
        self._front.notice(message, only_terminal=kind in upcoming)

    # End

    def _guarded(self, read: Callable[[bytes], bytes], data: bytes) -> bytes:
        """Run an inspector. If it cannot parse the data the session ends, so that nothing passes uninspected."""
        try:
            return read(data)
        except ValueError as error:
            self.session.end(EndReason.LIMIT, f"file transfer protocol: {error}")
            return b""

    def _report_transfer(self) -> None:
        if self._command is not None:
            named = self._inspector.account if isinstance(self._inspector, RsyncInspector) else UNNAMED
            report_transfer(self.session, self._command.kind, self._command.text, self._exit, named)

    def _session_ended(self, reason: EndReason, message: str) -> None:
        if self._late_eof is not None:
            self._late_eof.cancel()
        if self._program is not None and self._exit is None:
            self._program.close()
        self._program = None
        if self._judging is not None:
            self._judging.cancel()
        self._keys.clear()
        if not self.ended.done():
            self.ended.set_result(Outcome(reason=reason, message=message, exit=self._exit))
