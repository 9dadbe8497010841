"""Carries one session between a person's channel and a program on a target, both ways, without copying or waiting.

Output is recorded before it is forwarded. Whichever side does not keep up pauses the other. The relay ends once, with
an `Outcome` that tells the front what to say and which exit status to give.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from postern.contracts.enums import EndReason
from postern.contracts.recording.streams import Stream
from postern.proxies.core.sessions.detection import KEYS_AT_ONCE_BYTES
from postern.proxies.core.sessions.live_session import LiveSession, NoticeKind
from postern.proxies.core.targets.ports import TargetExit
from postern.proxies.ssh.classification import ExecRequest
from postern.proxies.ssh.rsync.inspector import RsyncInspector
from postern.proxies.ssh.target import TargetProgram
from postern.proxies.ssh.transfer_summary import UNNAMED, report_transfer

#: How long the end of the output is kept back, waiting for the exit status.
_EOF_DELAY_S: Final = 0.1
#: More answers of our own than this, and the person's requests wait until the target has let them pass.
_MAX_BACKLOG: Final = 64 * 1024


class Inspector(Protocol):
    """Reads a file transfer as it passes. Both return what goes on to the other side; they may hold bytes back."""

    #: Whether it answers requests of the person in the target's place.
    answers_itself: bool

    def from_person(self, data: bytes) -> bytes:
        """Bytes for the target."""

    def from_target(self, data: bytes) -> bytes:
        """Bytes for the person."""

    def answers(self) -> bytes:
        """Answers of our own for the person, if they may be sent now."""

    def released(self) -> bytes:
        """Bytes of the person that were held back and may go on to the target now."""

    @property
    def backlog(self) -> int:
        """Bytes of the person, or answers to them, that wait for their turn."""

    @property
    def holds_back(self) -> bool:
        """Whether bytes of the person wait for the target's answer: the end of the input comes behind them."""

    def close(self) -> None:
        """The transfer is over: report what is still open."""


class Front(Protocol):
    """The person's channel."""

    def send(self, data: bytes, *, stderr: bool = False) -> None: ...
    def send_eof(self) -> None: ...
    def notice(self, text: str, *, only_terminal: bool) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How the relay ended. `exit` is set when the target's program ended by itself."""

    reason: EndReason
    message: str
    exit: TargetExit | None = None


class Relay:
    """One session's carriage. Made before the target's program runs; `start` joins the two."""

    def __init__(
        self,
        session: LiveSession,
        front: Front,
        *,
        terminal: bool,
        inspector: Inspector | None = None,
        command: ExecRequest | None = None,
    ) -> None:
        """`command`: what runs, when it is a command line; it may turn out to be a transfer that nobody inspects."""
        self.session = session
        self._front = front
        self._terminal = terminal
        self._inspector = inspector
        self._program: TargetProgram | None = None
        self._exit: TargetExit | None = None
        self._late_eof: asyncio.TimerHandle | None = None
        self._target_is_full = False
        self._front_is_full = False
        #: What was typed and has not been passed on yet.
        self._keys: deque[bytes] = deque()
        self._eof_waits = False
        #: The target is not read at present; so it begins.
        self._target_waits = True
        #: The person's channel is not read at present.
        self.person_waits = False
        self.ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._command = command
        if inspector is not None:
            session.before_end(inspector.close)
        if isinstance(inspector, RsyncInspector) or (inspector is None and command is not None and not terminal):
            session.before_end(self._report_transfer)
        session.on_caught_up(self._pace)
        session.on_notice(self._notice)
        session.on_end(self._session_ended)

    def start(self, program: TargetProgram) -> None:
        """The target's program is running and the session is active: let the bytes flow."""
        if self.ended.done():
            program.close()
            return
        self._program = program
        self._pace_target()

    # From the person

    def from_person(self, data: bytes) -> None:
        program = self._program
        if program is None:
            return
        if self._terminal:
            if len(data) <= KEYS_AT_ONCE_BYTES:
                self._keys.append(data)
            else:
                pieces = range(0, len(data), KEYS_AT_ONCE_BYTES)
                self._keys.extend(data[start : start + KEYS_AT_ONCE_BYTES] for start in pieces)
            self._pass_keys()
            return
        if not self.session.program_data(Stream.INPUT, data):
            return
        if self._inspector is None:
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
        """Pass on what was typed, as far as the target and the search for commands keep up; then let the person wait."""
        while self._keys and self._program is not None and not (self._target_is_full or self.session.is_behind):
            keys = self._keys.popleft()
            if self.session.user_input(keys):
                self._program.write(keys)
        if self._eof_waits and not self._keys:
            self._eof_waits = False
            self.eof_from_person()
        if self._keys or self.session.is_behind:
            self._pace_person()
            self._pace_target()

    def _pass_released(self, inspector: Inspector) -> None:
        """Pass on what the person sent too early, now that the target has answered."""
        released = inspector.released()
        if self._program is not None:
            if released:
                self._program.write(released)
            if self._eof_waits and not inspector.holds_back:
                self._eof_waits = False
                self._program.write_eof()

    def eof_from_person(self) -> None:
        if self._keys or (self._inspector is not None and self._inspector.holds_back):
            self._eof_waits = True
        elif self._program is not None:
            self._program.write_eof()

    def resize(self, columns: int, rows: int, width_px: int, height_px: int) -> None:
        if self._program is not None:
            self.session.resize(columns, rows)
            self._program.resize(columns, rows, width_px, height_px)
            if self.session.is_behind:
                self._pace()

    def signal(self, name: str) -> None:
        if self._program is not None:
            self._program.send_signal(name)

    def send_break(self, msec: int) -> bool:
        if self._program is None:
            return False
        self._program.send_break(msec)
        return True

    def front_full(self) -> None:
        """The person does not read."""
        self._front_is_full = True
        self._pace()

    def front_ready(self) -> None:
        self._front_is_full = False
        self._pace()

    def front_gone(self) -> None:
        """The person's channel is closed."""
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
            if self.session.end_reason is not None:  # what the session ended for may be that this cannot be logged
                return
            self._pass_released(self._inspector)
            self._pace()
        if data:
            self._front.send(data, stderr=stderr)

    def on_target_eof(self) -> None:
        # A client whose own input has ended closes the channel at once when it hears of this, and would never learn
        # the exit status that follows in a moment. A program that closes its output and goes on is rare.
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
        """Let each side wait or go on. Each looks for itself: to go on delivers what waited, which can fill the other."""
        if self._keys:
            self._pass_keys()
        self._pace_person()
        self._pace_target()

    def _pace_target(self) -> None:
        wait = self._front_is_full or self.session.is_behind
        if self._program is not None and wait is not self._target_waits:
            self._target_waits = wait
            if wait:
                self._program.pause_reading()
            else:
                self._program.resume_reading()

    def _pace_person(self) -> None:
        """Read from the person only while what follows from it has a place to go: on to the target, or, where requests
        are answered here, back to the person. Otherwise a client that never reads could fill the memory.
        """
        wait = self._target_is_full or bool(self._keys) or self.session.is_behind
        if self._inspector is not None:
            wait = wait or self._inspector.backlog > _MAX_BACKLOG
            wait = wait or (self._inspector.answers_itself and self._front_is_full)
        if wait is not self.person_waits:
            self.person_waits = wait
            if wait:
                self._front.pause()
            else:
                self._front.resume()

    # Notices

    def _notice(self, kind: NoticeKind, message: str) -> None:
        """Only who sits at a terminal is told what is going to happen; what has ended is told to programs' users as well."""
        self._front.notice(message, only_terminal=kind is not NoticeKind.ACTIONS)

    # End

    def _guarded(self, read: Callable[[bytes], bytes], data: bytes) -> bytes:
        """An inspector that meets nonsense ends the session: nothing passes unread."""
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
        self._keys.clear()
        if not self.ended.done():
            self.ended.set_result(Outcome(reason=reason, message=message, exit=self._exit))
