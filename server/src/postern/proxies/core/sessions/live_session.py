"""`LiveSession`: one permitted session from opening to its end, the same for every protocol.

Order in the hot path: `target_output` writes to the recording before its caller forwards the bytes to the user.
Watchers and command detection come afterwards (`detection`). A session ends exactly once, with one `EndReason`.

All methods are called on the event loop and never block on a peer.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from postern.contracts.access import ActionsUntil, SessionGrant
from postern.contracts.command_control import CommandControl
from postern.contracts.enums import Actions, CommandKind, EndReason, SessionState
from postern.contracts.recording.events import Note, ToldEvent, encode
from postern.contracts.recording.format import Content
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import Stream
from postern.kernel.clock import monotonic_ms, monotonic_s, now
from postern.kernel.errors import PosternError
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.recording.streams import StreamAccount
from postern.proxies.core.recording.whole_input import InputTooLong
from postern.proxies.core.sessions.action_words import say_actions
from postern.proxies.core.sessions.command_filtering import CommandFiltering
from postern.proxies.core.sessions.detection import DetectedCommand, Detection, Direction, ReadsBehind
from postern.proxies.core.sessions.grant_limits import GrantLimits
from postern.proxies.core.sessions.listeners import Listeners, NoticeKind
from postern.proxies.core.sessions.rights import Rights
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.sessions.session_lock import SessionLock
from postern.proxies.core.sessions.session_log import SessionLog
from postern.proxies.core.sessions.session_recording import RECORDING_FAULTS, SessionRecording
from postern.proxies.core.sessions.watching import Watcher
from postern.proxies.core.texts import Text, end_message

log = logging.getLogger(__name__)


class SessionOver(PosternError):
    """The session ended while it was being opened. `message` tells the user why."""

    code = "session_over"

    def __init__(self, reason: EndReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class LiveSession:
    """A permitted session. Created by `SessionRegistry.open`, and owned until `end` by the protocol that opened it."""

    def __init__(
        self, grant: SessionGrant, services: SessionServices, *, on_gone: "Callable[[LiveSession], None]"
    ) -> None:
        self.grant = grant
        self.state = SessionState.OPENING
        self.kind = ""
        #: The gateways on the way to the target ("edge → inner"); "" if it is dialled directly.
        self.via = ""
        #: The account on the target, if the user entered it.
        self.entered_login_name = ""
        self.columns = 0
        self.rows = 0
        self.opened_s = monotonic_s()
        self.last_traffic_s = self.opened_s
        self.bytes_in = 0
        self.bytes_out = 0
        #: Bytes of text sent to watchers: a terminal's output, or a program's streams rendered as text.
        self.shown_bytes = 0
        self.end_reason: EndReason | None = None
        self.end_message = ""
        self.watchers: list[Watcher] = []
        self._services = services
        self._on_gone = on_gone
        self.log = SessionLog(self, services)
        self.rights = Rights(grant)
        self._limits = GrantLimits(self)
        #: Actions that the protocol needs besides connect. Of each element at least one action must be permitted.
        self.needs: tuple[Actions, ...] = ()
        self._listeners = listeners = Listeners(grant.session_id)
        self.on_notice, self.on_caught_up = listeners.on_notice, listeners.on_caught_up
        self.before_end, self.on_end = listeners.before_end, listeners.on_end
        self.notify, self.caught_up, self.on_lock = listeners.notify, listeners.caught_up, listeners.on_lock
        self._recording = SessionRecording(grant, services, self._show)
        self.filtering = CommandFiltering(self, services)
        self.lock = SessionLock(self, listeners)
        #: Whether output of the target waits for the user's side. Set by the front.
        self.is_output_paused = False
        self._detection: Detection | None = None
        self._reader: ReadsBehind | None = None
        self._start_ms = 0

    @property
    def language(self) -> str:
        return self.grant.user.language

    @property
    def recorded(self) -> bool:
        return self._recording.is_on

    # Rights

    def may(self, actions: Actions) -> bool:
        """Whether any of these actions is permitted now. Ask for each request and do not cache the answer."""
        return bool(self.rights.at(now()) & actions)

    def refusal(self, actions: Actions) -> str:
        """Return the message for a user whose request needed one of these actions."""
        return say_actions(self.language, actions, ended=self.rights.had(actions))

    def change_grant(self, version: int, ends: Iterable[ActionsUntil]) -> None:
        """Apply a change of the grant by the control plane. A stale version changes nothing."""
        self._limits.change(version, ends)

    def change_command_control(self, control: CommandControl) -> None:
        """Apply changed command filters from the next key on. A stale version changes nothing."""
        if self.end_reason is None:
            self.filtering.change(control)

    def warn_of_shutdown(self, seconds: int) -> None:
        """Tell the user in how many seconds the proxy ends all sessions."""
        self.notify(NoticeKind.SHUTDOWN, Text.SHUTDOWN_SOON.say(self.language, seconds=seconds))

    def tell_user(self, sentence: str) -> None:
        """Show a sentence about command filters to the user, outside the output of the target."""
        self.notify(NoticeKind.COMMAND, sentence)

    # Opening

    def reserve_room(self) -> None:
        """Reserve space for the start and end events. Without space, or on a full disk, a session with strict policy
        ends.
        """
        self.log.reserve(is_disk_full=self._services.is_disk_full())

    def _raise_if_over(self) -> None:
        if self.end_reason is not None:
            raise SessionOver(self.end_reason, self.end_message)

    def activate(self, kind: str, columns: int = 0, rows: int = 0, *, record: bool = False) -> None:
        """Report to the control plane that the target's program is open. With `record`, also start the recording of a
        terminal.

        `kind` is shell, exec, sftp, scp, forward or another word of the protocol, with at most 16 characters. Raises
        `SessionOver` when the session has ended meanwhile, or may not run because it cannot be recorded.
        """
        self._raise_if_over()
        self.kind = kind
        if record:
            self.record(columns or 80, rows or 24)
        self.columns, self.rows = columns, rows
        if not self._recording.is_on:
            self._start_ms = monotonic_ms()
        self.last_traffic_s = monotonic_s()
        self.state = SessionState.ACTIVE
        self.log.started(
            kind,
            columns,
            rows,
            recording=self._recording.is_on,
            via=self.via,
            login_name=self.entered_login_name,
        )
        self.lock.activated()

    def record(
        self,
        columns: int = 0,
        rows: int = 0,
        *,
        command: bytes = b"",
        environment: dict[bytes, bytes] | None = None,
        modes: dict[int, int] | None = None,
    ) -> None:
        """Start the recording before the target is asked to run anything.

        With a size, the recording is of a terminal of that size. With size 0 it is of the input, output and error
        streams of a program without a terminal. `command` is the command line. `environment` and `modes` are what the
        user's client set for the command and its terminal, because a command may take its text from there.

        Terminal input is recorded regardless of the policy when the client chose the program that reads it or how it is
        echoed. A command can read input without showing it, and so can any program if the client disabled the echo.

        Raises `SessionOver` when the session may not run because it cannot be recorded, or has ended meanwhile.
        """
        self._raise_if_over()
        self.columns, self.rows = columns, rows
        try:
            self._recording.start(columns, rows, command=command, environment=environment or {}, modes=modes or {})
        except RECORDING_FAULTS as error:
            self._cannot_start_recording(error)
        self._start_ms = monotonic_ms() - (self._recording.elapsed_ms() or 0)
        if columns:
            self._start_detection()

    def record_events(self, content: Content) -> None:
        """Start a recording of the events that the protocol passes to `tell`: queries, a desktop. Raises `SessionOver`
        as `record` does.
        """
        self._raise_if_over()
        try:
            self._recording.start_events(content)
        except RECORDING_FAULTS as error:
            self._cannot_start_recording(error)
        self._start_ms = monotonic_ms() - (self._recording.elapsed_ms() or 0)

    def _cannot_start_recording(self, error: Exception) -> None:
        if not self._go_on_without_recording(error):
            raise SessionOver(EndReason.CANNOT_RECORD, self.end_message) from error

    # Traffic

    def target_output(self, data: bytes) -> bool:
        """Record the target's output. Returns False if the session has ended: do not forward the output."""
        if self.end_reason is not None:
            return False
        if not self._keep(partial(self._recording.output, data)):
            return False
        offset = self.shown_bytes
        self.shown_bytes = offset + len(data)
        self.bytes_out += len(data)
        self.last_traffic_s = monotonic_s()
        for watcher in self.watchers:
            watcher.put_output(offset, data)
        if self._detection is not None:
            self._detection.put(Direction.TARGET, data, self.elapsed_ms())
        if self.filtering.gate is not None:
            self.filtering.gate.output(data)
        return True

    def user_input(self, data: bytes, *, is_own: bool = False) -> bool:
        """Record and count the user's input. Returns False if the session has ended or is locked: do not forward the
        input. A lock does not stop keys of the proxy itself (`is_own`).
        """
        if self.end_reason is not None or (self.lock.is_on and not is_own):
            return False
        if not self._keep(partial(self._recording.input, data)):
            return False
        self.bytes_in += len(data)
        self.last_traffic_s = monotonic_s()
        if self._detection is not None:
            self._detection.put(Direction.PERSON, data, self.elapsed_ms())
        return True

    def program_data(self, stream: Stream, data: bytes) -> bool:
        """Record or count data of a program without a terminal. Returns False if the session has ended, or for input
        while it is locked: do not forward the data.
        """
        if self.end_reason is not None or (stream is Stream.INPUT and self.lock.is_on):
            return False
        if not self._keep(partial(self._recording.program_data, stream, data)):
            return False
        if stream is Stream.INPUT:
            self.bytes_in += len(data)
        else:
            self.bytes_out += len(data)
        self.last_traffic_s = monotonic_s()
        return True

    def tell(self, event: ToldEvent) -> bool:
        """Record a protocol event before its effect is forwarded. Returns False if the session has ended: forward
        nothing.
        """
        if self.end_reason is not None:
            return False
        kind, data = encode(event)
        if self._recording.is_on:
            if not self._keep(partial(self._recording.event, kind, data)):
                return False
            self._show(kind, data)
        self.last_traffic_s = monotonic_s()
        return True

    def note(self, text: str) -> None:
        """Record a note of the proxy at this instant. Unlike an event, it is no part of what a terminal shows."""
        if not self.columns:
            self.tell(Note(text))
        elif self.end_reason is None and self._recording.is_on:
            kind, data = encode(Note(text))
            self._keep(partial(self._recording.event, kind, data))

    def passed(self, *, from_person: int = 0, from_target: int = 0) -> None:
        """Count bytes of a protocol that records events instead of bytes."""
        self.bytes_in += from_person
        self.bytes_out += from_target
        self.last_traffic_s = monotonic_s()

    def _keep(self, write: Callable[[], None]) -> bool:
        """Write to the recording. Returns False if the session has ended: do not forward what could not be written."""
        try:
            write()
        except InputTooLong as error:
            size = f"{error.max_bytes >> 20:,} MiB"
            self.end(EndReason.LIMIT, str(error), message=Text.INPUT_TOO_LONG.say(self.language, size=size))
            return False
        except RECORDING_FAULTS as error:
            return self._go_on_without_recording(error)
        return True

    def account(self, stream: Stream) -> StreamAccount:
        """Return the byte count and the SHA-256 of one stream of a program."""
        recorded = self._recording.account(stream)
        return recorded or StreamAccount(self.bytes_in if stream is Stream.INPUT else self.bytes_out, "")

    @property
    def recognised_protocol(self) -> str:
        """The protocol of a program without a terminal, recognised by its bytes. Empty if unknown."""
        return self._recording.protocol

    def read_behind(self, reader: ReadsBehind) -> None:
        """Schedule `reader` to process forwarded data, in turns with all other sessions."""
        self._reader = reader
        self._services.behind.add(reader, asyncio.get_running_loop(), soon=True)

    def _show(self, kind: int, data: bytes) -> None:
        """Send an event of a program to the watchers, rendered as text."""
        text = render(kind, data)
        offset = self.shown_bytes
        self.shown_bytes = offset + len(text)
        for watcher in self.watchers:
            watcher.put_output(offset, text)

    def resize(self, columns: int, rows: int) -> None:
        """Apply the new size of the user's terminal, in cells."""
        if self.end_reason is not None or (columns, rows) == (self.columns, self.rows):
            return
        self.columns, self.rows = columns, rows
        self._keep(partial(self._recording.resize, columns, rows))
        if self._detection is not None:
            self._detection.resize(columns, rows)
        for watcher in self.watchers:
            watcher.put_size(columns, rows)

    # Audit

    def hold_command(self, text: str) -> int:
        """Reserve space for a command to be run, and for the transfer that it may turn out to be.

        Raises `SessionOver` if there is no space: the command must not run.
        """
        self.log.hold(text)
        held = self.log.hold(text)
        self._raise_if_over()
        return held

    # End

    def end(
        self, reason: EndReason, detail: str = "", *, exit_status: int | None = None, message: str | None = None
    ) -> None:
        """End the session. Only the first call counts. `message` replaces the default sentence for the user."""
        if self.end_reason is not None:
            return
        ever_active = self.state is SessionState.ACTIVE
        self.end_reason = reason
        self.end_message = message or end_message(reason, self.language)
        self.state = SessionState.ENDED
        try:
            self._tell_end(detail, exit_status, ever_active=ever_active)
        finally:
            self._on_gone(self)
            for watcher in list(self.watchers):
                watcher.end(reason, self.end_message)
            self.watchers.clear()
            self._listeners.ended(reason, self.end_message)

    def _tell_end(self, detail: str, exit_status: int | None, *, ever_active: bool) -> None:
        """Report pending events, end the recording, and report the end to the control plane."""
        reason = self.end_reason or EndReason.ERROR
        self.filtering.close()
        self._listeners.ending(reason, self.end_message)
        if self._detection is not None:
            self._detection.close()
            self._detection = None
        self._recording.end(reason)
        self.log.ended(
            reason,
            detail,
            exit_status=exit_status,
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            ever_active=ever_active,
            protocol=self._recording.protocol,
        )

    def check(self, at: datetime, monotonic: float, control_away_s: float, opening_limit_s: float) -> None:
        """Apply the limits of the grant. Called about once a second."""
        if self.end_reason is not None:
            return
        if self._detection is not None:
            # Let time pass for the detector too, so that a long-running command is reported before it ends.
            self._detection.put(Direction.TARGET, b"", self.elapsed_ms())
        if not self._limits.check_rights(at):
            return
        if self._recording.failed:
            self._go_on_without_recording(OSError("the journal was not written to disk, or has no room left"))
        else:
            self._limits.check_times(monotonic, control_away_s, opening_limit_s)

    def _go_on_without_recording(self, error: Exception) -> bool:
        """Handle a failed recording. With strict policy the session ends, and False is returned.

        Otherwise the session continues, and the audit log shows from when on nothing is recorded.
        """
        log.error("session %s cannot be recorded: %s", self.grant.session_id, error)
        self._recording.abandon()
        if self.grant.recording.strict:
            self.end(EndReason.CANNOT_RECORD, str(error))
            return False
        self.log.request_refused("recording", f"not recorded from here on: {error}")
        return True

    # Command detection

    def _start_detection(self) -> None:
        if self._services.new_detector is not None:
            self._detection = Detection(
                self.grant.session_id,
                self._services.behind,
                self._services.new_detector,
                self.grant.charset,
                (self.columns, self.rows),
                on_command=self._command_detected,
                on_failure=lambda at_ms: self.log.command("", CommandKind.UNKNOWN, offset_ms=at_ms),
                on_caught_up=self._listeners.caught_up_now,
            )

    def _command_detected(self, command: DetectedCommand) -> None:
        decision = self.filtering.decision_of(command.input)
        self.log.command(command.input, command.kind, command.output, command.offset_ms, decision=decision)

    def standing_line(self) -> StandingLine | None:
        """Return the line at the cursor, before its Enter. None if it cannot be read."""
        return self._detection.standing_line() if self._detection is not None else None

    @property
    def is_behind(self) -> bool:
        """Whether too much forwarded traffic is still being read: both sides must pause until `on_caught_up`."""
        detection, reader = self._detection, self._reader
        return (detection is not None and detection.is_full) or (reader is not None and reader.is_full)

    def elapsed_ms(self) -> int:
        """Return the time since the start of the recording, or of the session if nothing was recorded."""
        return monotonic_ms() - self._start_ms
