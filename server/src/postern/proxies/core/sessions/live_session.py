"""`LiveSession`: one permitted session from opening to its end, the same for every protocol.

Order in the hot path: `target_output` writes to the recording before its caller forwards the bytes to the person; live
view and command detection come after (`detection`). A session ends exactly once, with one `EndReason`.
All methods are called on the event loop and never block on a peer.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from postern.contracts.access import ActionsUntil, SessionGrant
from postern.contracts.enums import Actions, CommandKind, EndReason, RiskLevel, SessionState, TransferDirection
from postern.contracts.events import (
    ActionsEnded,
    CommandSeen,
    FileTransferred,
    RequestRefused,
    SessionEnded,
    SessionStarted,
    TransferBegun,
)
from postern.contracts.recording.events import ToldEvent, encode
from postern.contracts.recording.format import Content
from postern.contracts.recording.rendering import render
from postern.contracts.recording.streams import Stream
from postern.kernel.clock import monotonic_ms, monotonic_s, now
from postern.kernel.errors import PosternError
from postern.kernel.ids import new_id
from postern.proxies.core.recording.program_recording import ProgramRecording, write_command, write_environment
from postern.proxies.core.recording.streams import StreamAccount
from postern.proxies.core.recording.whole_input import InputTooLong, TerminalInput
from postern.proxies.core.sessions.detection import Detection, Direction, ReadsBehind
from postern.proxies.core.sessions.event_ledger import END_BYTES, START_BYTES, EventLedger, NoRoomForEvents, event_bytes
from postern.proxies.core.sessions.rights import Changed, Rights
from postern.proxies.core.sessions.services import Recorder, SessionServices
from postern.proxies.core.sessions.watching import Watcher
from postern.proxies.core.terminal_modes import hide_input
from postern.proxies.core.texts import Text, end_message, say_actions

log = logging.getLogger(__name__)

_MAX_TEXT: Final = 4096
#: What a recorder raises when it cannot go on (disk full, failed sync …).
_RECORDING_FAULTS: Final = (PosternError, OSError)


class SessionOver(PosternError):
    """The session ended while it was being opened; `message` tells the person why."""

    code = "session_over"

    def __init__(self, reason: EndReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Begun:
    """A transfer or change that the log knows of, and whose end it waits for. `held`: room for that event."""

    id: UUID
    direction: TransferDirection
    operation: str
    path: str
    held: int


#: Called once with the reason and the sentence for the person.
OnEnd = Callable[[EndReason, str], None]


class NoticeKind(StrEnum):
    """What a notice is about; the session goes on."""

    ACTIONS = "actions"  # an action has ended, or was given
    EXPIRING = "expiring"  # the session ends soon
    PROLONGED = "prolonged"  # … and now it does not
    SHUTDOWN = "shutdown"  # the proxy is being stopped


#: Called with each notice for the person.
OnNotice = Callable[[NoticeKind, str], None]


class LiveSession:
    """A permitted session. Made by `SessionRegistry.open`; the protocol that opened it owns it until `end`."""

    def __init__(
        self, grant: SessionGrant, services: SessionServices, *, on_gone: "Callable[[LiveSession], None]"
    ) -> None:
        self.grant = grant
        self.state = SessionState.OPENING
        self.kind = ""
        self.columns = 0
        self.rows = 0
        self.opened_s = monotonic_s()
        self.last_traffic_s = self.opened_s
        self.bytes_in = 0
        self.bytes_out = 0
        #: Bytes of text that watchers were sent: the output of a terminal, or what a program's streams look like.
        self.shown_bytes = 0
        self.end_reason: EndReason | None = None
        self.end_message = ""
        self.recorder: Recorder | None = None
        self.watchers: list[Watcher] = []
        self._services = services
        self._on_gone = on_gone
        self._ledger = EventLedger(services.events, grant.user.id, services.held_by_person, self._cannot_log)
        self.rights = Rights(grant)
        #: Any action of each element keeps the session; what the protocol needs beside connect, which every session needs.
        self.needs: tuple[Actions, ...] = ()
        self._on_notice: list[OnNotice] = []
        self._on_end: list[OnEnd] = []
        self._on_caught_up: list[Callable[[], None]] = []
        self._before_end: list[Callable[[], None]] = []
        self._program: ProgramRecording | None = None
        self._protocol = ""
        self._detection: Detection | None = None
        self._reader: ReadsBehind | None = None
        self._start_ms = 0
        self._terminal_input: TerminalInput | None = None

    @property
    def language(self) -> str:
        return self.grant.user.language

    @property
    def recorded(self) -> bool:
        return self.recorder is not None

    # Rights

    def may(self, actions: Actions) -> bool:
        """Whether any of these actions is permitted at this second. Ask at each request, keep no answer."""
        return bool(self.rights.at(now()) & actions)

    def refusal(self, actions: Actions) -> str:
        """What the person is told whose request needed one of these actions."""
        return say_actions(self.language, actions, ended=self.rights.had(actions))

    def on_notice(self, callback: OnNotice) -> None:
        """Have `callback` called with each notice for the person."""
        self._on_notice.append(callback)

    def change_grant(self, version: int, ends: Iterable[ActionsUntil]) -> None:
        """The control plane says what is permitted from now on. A stale version changes nothing."""
        at = now()
        changed = self.rights.take(version, ends, at)
        if changed is None or self.end_reason is not None:
            return
        if self._apply_rights(at, changed) and self.rights.was_prolonged():
            self._notify(NoticeKind.PROLONGED, Text.PROLONGED.say(self.language))

    def _apply_rights(self, at: datetime, changed: Changed | None = None) -> bool:
        """End what is not permitted any more, and tell the person what has changed. False: the session is over.

        `changed`: somebody has changed the grant; otherwise only time has passed.
        """
        present = self.rights.at(at)
        missing = next((one for one in (Actions.CONNECT, *self.needs) if not present & one), None)
        if missing is not None:
            is_withdrawn = changed is not None and bool(changed.lost & missing)
            reason = EndReason.GRANT_WITHDRAWN if is_withdrawn else EndReason.GRANT_EXPIRED
            message = None if missing is Actions.CONNECT else self.refusal(missing)
            self.end(reason, f"the action {missing.name} has ended", message=message)
            return False
        news = self.rights.news(at)
        if news.lost and changed is None:
            self._ledger.tell(
                ActionsEnded(session_id=self.grant.session_id, at=at, version=self.rights.version, actions=news.lost)
            )
            if self.end_reason is not None:
                return False
        for actions, is_given in ((news.lost, False), (news.gained, True)):
            sentence = say_actions(self.language, actions, ended=not is_given, given=is_given)
            if actions and sentence:
                self._notify(NoticeKind.ACTIONS, sentence)
        return True

    def warn_of_shutdown(self, seconds: int) -> None:
        """Tell the person that the proxy ends all sessions so soon."""
        self._notify(NoticeKind.SHUTDOWN, Text.SHUTDOWN_SOON.say(self.language, seconds=seconds))

    def _notify(self, kind: NoticeKind, message: str) -> None:
        for callback in self._on_notice:
            self._call(partial(callback, kind, message))

    # Opening

    def reserve_room(self) -> None:
        """Set aside what the events of beginning and end need. Without room, or on a full disk, a strict session is over."""
        if self._services.is_disk_full():
            self._cannot_log(NoRoomForEvents("the disk has reached its reserve"))
        else:
            self._ledger.hold(START_BYTES + END_BYTES)

    def _raise_if_over(self) -> None:
        if self.end_reason is not None:
            raise SessionOver(self.end_reason, self.end_message)

    def activate(self, kind: str, columns: int = 0, rows: int = 0, *, record: bool = False) -> None:
        """The target's program is open: tell the control plane. `record` starts the recording of a terminal as well.

        `kind` is shell, exec, sftp, scp, forward or another word of the protocol, of 16 characters at most.
        Raises `SessionOver` when the session has ended meanwhile, or may not run because it cannot be recorded.
        """
        self._raise_if_over()
        self.kind = kind
        if record:
            self.record(columns or 80, rows or 24)
        self.columns, self.rows = columns, rows
        self._start_ms = monotonic_ms()
        self.last_traffic_s = monotonic_s()
        self.state = SessionState.ACTIVE
        self._ledger.tell(
            SessionStarted(
                session_id=self.grant.session_id,
                at=now(),
                kind=kind,
                terminal_columns=columns,
                terminal_rows=rows,
                recording=self.recorder is not None,
            ),
            held=START_BYTES,
        )

    def record(
        self,
        columns: int = 0,
        rows: int = 0,
        *,
        command: bytes = b"",
        environment: dict[bytes, bytes] | None = None,
        modes: dict[int, int] | None = None,
    ) -> None:
        """Start the recording, before the target is asked to run anything: of a terminal of this size, or (0) of the
        input, output and error of a program without one. `command` is the command line, `environment` and `modes`
        what the person's client set for it and for its terminal: a command may take its text from there.

        The input of a terminal is recorded, whatever the policy says, when the client chose what reads it or how it is
        shown: a command can read unseen, and so can every program where the client asked for no echo.
        Raises `SessionOver` when the session may not run because it cannot be recorded, or has ended meanwhile.
        """
        self._raise_if_over()
        self.columns, self.rows = columns, rows
        policy = self.grant.recording
        keeps_keys = bool(columns) and (policy.record_input or bool(command) or hide_input(modes or {}))
        stated = replace(self.grant, recording=replace(policy, record_input=policy.record_input or keeps_keys))
        try:
            recorder = self.recorder = self._services.open_recorder(stated, columns, rows)
            write_environment(recorder, environment or {}, modes)
            if keeps_keys:
                self._terminal_input = TerminalInput(recorder, self._services.max_input_bytes)
            if columns:
                write_command(recorder, command)
            else:
                self._program = ProgramRecording(
                    recorder, self._show, command, max_input_bytes=self._services.max_input_bytes
                )
        except _RECORDING_FAULTS as error:
            if not self._go_on_without_recording(error):
                raise SessionOver(EndReason.CANNOT_RECORD, self.end_message) from error
        if columns:
            self._start_detection()

    def record_events(self, content: Content) -> None:
        """Start a recording of what the protocol tells by `tell`: queries, a desktop. Raises `SessionOver` as `record` does."""
        self._raise_if_over()
        try:
            self.recorder = self._services.open_recorder(self.grant, 0, 0, content)
        except _RECORDING_FAULTS as error:
            if not self._go_on_without_recording(error):
                raise SessionOver(EndReason.CANNOT_RECORD, self.end_message) from error

    def on_end(self, callback: OnEnd) -> None:
        """Have `callback` called when the session ends; at once if it has ended already."""
        if self.end_reason is not None:
            callback(self.end_reason, self.end_message)
        else:
            self._on_end.append(callback)

    def before_end(self, callback: Callable[[], None]) -> None:
        """Have `callback` called just before the end is told, so that it can still report what belongs to it."""
        self._before_end.append(callback)

    # Traffic

    def target_output(self, data: bytes) -> bool:
        """Record what the target sent. False: the session is over, do not forward it."""
        if self.end_reason is not None:
            return False
        if self.recorder is not None and not self._keep(partial(self.recorder.output, data)):
            return False
        offset = self.shown_bytes
        self.shown_bytes = offset + len(data)
        self.bytes_out += len(data)
        self.last_traffic_s = monotonic_s()
        for watcher in self.watchers:
            watcher.put_output(offset, data)
        if self._detection is not None:
            self._detection.put(Direction.TARGET, data, self._elapsed_ms())
        return True

    def user_input(self, data: bytes) -> bool:
        """Take note of what the person sent. False: the session is over, do not forward it."""
        if self.end_reason is not None:
            return False
        if self._terminal_input is not None and not self._keep(partial(self._terminal_input.take, data)):
            return False
        self.bytes_in += len(data)
        self.last_traffic_s = monotonic_s()
        if self._detection is not None:
            self._detection.put(Direction.PERSON, data, self._elapsed_ms())
        return True

    def program_data(self, stream: Stream, data: bytes) -> bool:
        """Record or account for data of a program without a terminal. False: the session is over, do not forward it."""
        if self.end_reason is not None:
            return False
        if self._program is not None and not self._keep(partial(self._program.take, stream, data)):
            return False
        if stream is Stream.INPUT:
            self.bytes_in += len(data)
        else:
            self.bytes_out += len(data)
        self.last_traffic_s = monotonic_s()
        return True

    def tell(self, event: ToldEvent) -> bool:
        """Record an event of the protocol, before what it tells of goes on. False: the session is over, nothing may go on."""
        if self.end_reason is not None:
            return False
        kind, data = encode(event)
        if self.recorder is not None:
            if not self._keep(partial(self.recorder.event, kind, data)):
                return False
            self._show(kind, data)
        self.last_traffic_s = monotonic_s()
        return True

    def passed(self, *, from_person: int = 0, from_target: int = 0) -> None:
        """Count bytes of a protocol that records events instead of bytes."""
        self.bytes_in += from_person
        self.bytes_out += from_target
        self.last_traffic_s = monotonic_s()

    def _keep(self, write: Callable[[], None]) -> bool:
        """Write to the recording. False: the session is over, do not forward what could not be written."""
        try:
            write()
        except InputTooLong as error:
            size = f"{error.max_bytes >> 20:,} MiB"
            self.end(EndReason.LIMIT, str(error), message=Text.INPUT_TOO_LONG.say(self.language, size=size))
            return False
        except _RECORDING_FAULTS as error:
            return self._go_on_without_recording(error)
        return True

    def account(self, stream: Stream) -> StreamAccount:
        """How much of a program's stream has passed, and its SHA-256."""
        if self._program is not None:
            return self._program.account(stream)
        return StreamAccount(self.bytes_in if stream is Stream.INPUT else self.bytes_out, "")

    @property
    def recognised_protocol(self) -> str:
        """What a program without a terminal speaks, by its bytes; empty when it is nothing known."""
        return self._program.protocol if self._program is not None else self._protocol

    def read_behind(self, reader: ReadsBehind) -> None:
        """Have `reader` read what waits for it, when it has been forwarded: in turns with all other sessions."""
        self._reader = reader
        self._services.behind.add(reader, asyncio.get_running_loop(), soon=True)

    def _show(self, kind: int, data: bytes) -> None:
        """An event of a program, as text for those who watch."""
        text = render(kind, data)
        offset = self.shown_bytes
        self.shown_bytes = offset + len(text)
        for watcher in self.watchers:
            watcher.put_output(offset, text)

    def resize(self, columns: int, rows: int) -> None:
        """The person's terminal has a new size in cells."""
        if self.end_reason is not None or (columns, rows) == (self.columns, self.rows):
            return
        self.columns, self.rows = columns, rows
        if self.recorder is not None:
            self._keep(partial(self.recorder.resize, columns, rows))
        if self._detection is not None:
            self._detection.resize(columns, rows)
        for watcher in self.watchers:
            watcher.put_size(columns, rows)

    # Audit

    def hold(self, text: str, events: int = 1) -> int:
        """Set room aside for events that name `text`, before what they tell of may happen. Returns the bytes held.

        0: there is no room, and the session is over; nothing may happen. A session of lenient policy goes on: 1.
        """
        size = events * event_bytes(text[:_MAX_TEXT])
        if not self._ledger.may_hold(size):
            self.end(EndReason.LIMIT, "too many operations without an answer at once")
        if self.end_reason is None and self._ledger.hold(size):
            return size
        return 0 if self.end_reason is not None else 1

    def release(self, held: int) -> None:
        """Give back room that was held for events that will not come."""
        self._ledger.release(held)

    def _cannot_log(self, error: NoRoomForEvents) -> None:
        """Strict: what cannot be told of must not happen, so the session ends."""
        if self.end_reason is None:
            log.error("session %s cannot be logged: %s", self.grant.session_id, error.message)
            if self.grant.recording.strict:
                self.end(EndReason.CANNOT_RECORD, error.message, message=Text.CANNOT_LOG.say(self.language))

    def hold_command(self, text: str) -> int:
        """Room for a command that is to be run, and for the transfer that it may turn out to be.

        Raises `SessionOver` when there is none: the command must not run.
        """
        self.hold(text)
        held = self.hold(text)
        self._raise_if_over()
        return held

    def command(
        self,
        text: str,
        kind: CommandKind = CommandKind.EXEC,
        output: str = "",
        offset_ms: int = 0,
        *,
        held: int = 0,
    ) -> None:
        """A command was given to the target."""
        self._ledger.tell(
            CommandSeen(
                id=new_id(),
                session_id=self.grant.session_id,
                at=now(),
                offset_ms=max(0, offset_ms),
                kind=kind,
                input=text[:_MAX_TEXT],
                output=output[: 4 * _MAX_TEXT],
                risk_level=RiskLevel.ORDINARY,
            ),
            held=held,
        )

    def begin_transfer(self, direction: TransferDirection, operation: str, path: str) -> Begun | None:
        """Tell that a file is about to be moved or changed, and hold room to tell how it went. None: it must not happen.

        The log keeps the beginning when this process is killed before the end.
        """
        held = self.hold(path, 2)
        if not held:
            return None
        begun = Begun(new_id(), direction, operation, path[:_MAX_TEXT], held // 2)
        event = TransferBegun(
            id=begun.id,
            session_id=self.grant.session_id,
            at=now(),
            direction=direction,
            operation=operation,
            path=begun.path,
        )
        self._ledger.tell(event, held=held - begun.held)
        return begun if self.end_reason is None else None

    def end_transfer(self, begun: Begun, *, size: int = 0, success: bool = True, detail: str = "") -> None:
        """Tell how it went."""
        self._ledger.tell(
            FileTransferred(
                id=begun.id,
                session_id=self.grant.session_id,
                at=now(),
                direction=begun.direction,
                operation=begun.operation,
                path=begun.path,
                size=size,
                success=success,
                detail=detail[:_MAX_TEXT],
            ),
            held=begun.held,
        )

    def file_transferred(
        self,
        direction: TransferDirection,
        operation: str,
        path: str,
        *,
        size: int = 0,
        success: bool = True,
        detail: str = "",
        held: int = 0,
    ) -> None:
        """A file was moved or changed, and nobody could tell before. `held`: what `hold` gave for it."""
        begun = Begun(new_id(), direction, operation, path[:_MAX_TEXT], held)
        self.end_transfer(begun, size=size, success=success, detail=detail)

    def request_refused(self, request: str, detail: str = "") -> None:
        """Something that the person's client asked for was refused by rule."""
        self._ledger.tell(
            RequestRefused(
                id=new_id(),
                session_id=self.grant.session_id,
                at=now(),
                request=request[:64],
                detail=detail[:_MAX_TEXT],
            )
        )

    # End

    def end(
        self, reason: EndReason, detail: str = "", *, exit_status: int | None = None, message: str | None = None
    ) -> None:
        """End the session; only the first call counts. `message` replaces the usual sentence for the person."""
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
            callbacks, self._on_end = self._on_end, []
            for callback in callbacks:
                self._call(partial(callback, reason, self.end_message))

    def _tell_end(self, detail: str, exit_status: int | None, *, ever_active: bool) -> None:
        """Report what is still open, end the recording, and tell the control plane."""
        reason = self.end_reason or EndReason.ERROR
        for report in self._before_end:
            self._call(report)
        if self._detection is not None:
            self._detection.close()
            self._detection = None
        if self.recorder is not None:
            try:
                self._close_program()
                self.recorder.end(reason.value)
            except _RECORDING_FAULTS as error:
                log.warning("session %s: the recording's end is missing: %s", self.grant.session_id, error)
        self._ledger.close(
            SessionEnded(
                session_id=self.grant.session_id,
                at=now(),
                reason=reason,
                detail=detail[:_MAX_TEXT],
                exit_status=exit_status,
                bytes_in=self.bytes_in,
                bytes_out=self.bytes_out,
                ever_active=ever_active,
                protocol=self._protocol,
            )
        )

    def _close_program(self) -> None:
        if self._program is not None:
            self._protocol = self._program.protocol
            self._program.close()

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            callback()
        except Exception:  # one front's fault must not keep the session from ending
            log.exception("session %s: a front failed at the end", self.grant.session_id)

    def check(self, at: datetime, monotonic: float, control_away_s: float, opening_limit_s: float) -> None:
        """Apply the limits of the grant; called about each second."""
        if self.end_reason is not None:
            return
        if self._detection is not None:
            # Time passes for the detector too: a command that goes on and on is handed over before it ends.
            self._detection.put(Direction.TARGET, b"", self._elapsed_ms())
        grant = self.grant
        if not self._apply_rights(at):
            return
        if self.state is SessionState.ACTIVE and (seconds := self.rights.seconds_left(at)) is not None:
            self._notify(NoticeKind.EXPIRING, Text.EXPIRING.say(self.language, seconds=seconds))
        if self.recorder is not None and self.recorder.failed:
            self._go_on_without_recording(OSError("the journal was not written to disk, or has no room left"))
        elif self.state is SessionState.OPENING and monotonic - self.opened_s > opening_limit_s:
            self.end(EndReason.LIMIT, "the session was not opened in time")
        elif self.state is SessionState.ACTIVE and 0 < grant.idle_timeout_s < monotonic - self.last_traffic_s:
            self.end(EndReason.IDLE)
        elif control_away_s > grant.control_loss_limit_s:
            self.end(EndReason.CONTROL_LOST)

    def _go_on_without_recording(self, error: Exception) -> bool:
        """Strict: the session ends (False). Otherwise it goes on, and the audit says from when on nothing is recorded."""
        log.error("session %s cannot be recorded: %s", self.grant.session_id, error)
        if self.recorder is not None:
            # One that only had no room any more is sealed now, and not when the proxy stops.
            with contextlib.suppress(*_RECORDING_FAULTS):
                self.recorder.end(EndReason.CANNOT_RECORD.value)
        self.recorder = self._terminal_input = None
        if self._program is not None:
            self._protocol, self._program = self._program.protocol, None
        if self.grant.recording.strict:
            self.end(EndReason.CANNOT_RECORD, str(error))
            return False
        self.request_refused("recording", f"not recorded from here on: {error}")
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
                on_command=lambda found: self.command(found.input, found.kind, found.output, found.offset_ms),
                on_failure=lambda at_ms: self.command("", CommandKind.UNKNOWN, offset_ms=at_ms),
                on_caught_up=self._caught_up,
            )

    @property
    def is_behind(self) -> bool:
        """Too much of what has passed is still being read: let both sides wait until `on_caught_up`."""
        return any(one is not None and one.is_full for one in (self._detection, self._reader))

    def on_caught_up(self, callback: Callable[[], None]) -> None:
        """Have `callback` called each time `is_behind` has ended."""
        self._on_caught_up.append(callback)

    def caught_up(self) -> None:
        """A reader is not full any more. In a turn of its own: what waited on both sides comes at once."""
        asyncio.get_running_loop().call_soon(self._caught_up)

    def _caught_up(self) -> None:
        for callback in self._on_caught_up:
            self._call(callback)

    def _elapsed_ms(self) -> int:
        return self.recorder.elapsed_ms() if self.recorder is not None else monotonic_ms() - self._start_ms
