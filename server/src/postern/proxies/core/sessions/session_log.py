"""`SessionLog`: what one session reports to the audit log. Space for each event is reserved before the action happens."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from postern.contracts.access import SessionGrant
from postern.contracts.command_control import CommandDecision
from postern.contracts.enums import Actions, CommandKind, EndReason, RiskLevel, TransferDirection
from postern.contracts.events import (
    ActionsEnded,
    CommandSeen,
    FileTransferred,
    ForwardClosed,
    ForwardOpened,
    RequestRefused,
    SessionEnded,
    SessionStarted,
    TransferBegun,
)
from postern.kernel.clock import now
from postern.kernel.ids import new_id
from postern.proxies.core.sessions.event_ledger import END_BYTES, START_BYTES, EventLedger, NoRoomForEvents, event_bytes
from postern.proxies.core.sessions.services import SessionServices
from postern.proxies.core.texts import Text

log = logging.getLogger(__name__)

_MAX_TEXT: Final = 4096
_MAX_LOGIN_NAME: Final = 128
_MAX_PLACE: Final = 300
_MAX_REASON: Final = 256


@dataclass(frozen=True, slots=True)
class Begun:
    """A transfer or change whose beginning was logged and whose end is pending. `held` is the space reserved for the
    end event.
    """

    id: UUID
    direction: TransferDirection
    operation: str
    path: str
    held: int


@dataclass(frozen=True, slots=True)
class BegunForward:
    """A forwarded connection that was logged and whose end is pending. `held` is the space reserved for the end event."""

    id: UUID
    held: int


class LoggedSession(Protocol):
    """The part of `LiveSession` that its log uses."""

    grant: SessionGrant
    end_reason: EndReason | None

    @property
    def language(self) -> str: ...

    def end(self, reason: EndReason, detail: str = "", *, message: str | None = None) -> None: ...


class SessionLog:
    """The events of one session. A session with strict policy ends if an event cannot be stored."""

    def __init__(self, session: LoggedSession, services: SessionServices) -> None:
        self._session = session
        self._ledger = EventLedger(services.events, session.grant.user.id, services.held_by_person, self._cannot_log)

    def _cannot_log(self, error: NoRoomForEvents) -> None:
        """End a session with strict policy: actions that cannot be logged must not happen."""
        if self._session.end_reason is None:
            log.error("session %s cannot be logged: %s", self._session.grant.session_id, error.message)
            if self._session.grant.recording.strict:
                self._session.end(
                    EndReason.CANNOT_RECORD, error.message, message=Text.CANNOT_LOG.say(self._session.language)
                )

    # Start and end

    def reserve(self, *, is_disk_full: bool) -> None:
        """Reserve space for the start and end events."""
        if is_disk_full:
            self._cannot_log(NoRoomForEvents("the disk has reached its reserve"))
        else:
            self._ledger.hold(START_BYTES + END_BYTES)

    def started(self, kind: str, columns: int, rows: int, *, recording: bool, via: str, login_name: str) -> None:
        """Report that the session is active. Sizes are in cells, 0 without a terminal."""
        event = SessionStarted(
            session_id=self._session.grant.session_id,
            at=now(),
            kind=kind,
            terminal_columns=columns,
            terminal_rows=rows,
            recording=recording,
            via=via,
            login_name=login_name[:_MAX_LOGIN_NAME],
        )
        self._ledger.tell(event, held=START_BYTES)

    def actions_ended(self, at: datetime, version: int, actions: Actions) -> None:
        """Report actions whose permission ended by time."""
        self._ledger.tell(
            ActionsEnded(session_id=self._session.grant.session_id, at=at, version=version, actions=actions)
        )

    def ended(
        self,
        reason: EndReason,
        detail: str,
        *,
        exit_status: int | None,
        bytes_in: int,
        bytes_out: int,
        ever_active: bool,
        protocol: str,
    ) -> None:
        """Report the end of the session, and release the rest of its space."""
        self._ledger.close(
            SessionEnded(
                session_id=self._session.grant.session_id,
                at=now(),
                reason=reason,
                detail=detail[:_MAX_TEXT],
                exit_status=exit_status,
                bytes_in=bytes_in,
                bytes_out=bytes_out,
                ever_active=ever_active,
                protocol=protocol,
            )
        )

    # Space

    def hold(self, text: str, events: int = 1) -> int:
        """Reserve space for events that contain `text`, before the actions that they report may happen.

        Returns the reserved bytes. 0: there is no space, and the session has ended, so nothing may happen. A session
        with lenient policy continues and gets 1.
        """
        size = events * event_bytes(text[:_MAX_TEXT])
        if not self._ledger.may_hold(size):
            self._session.end(EndReason.LIMIT, "too many operations without an answer at once")
        if self._session.end_reason is None and self._ledger.hold(size):
            return size
        return 0 if self._session.end_reason is not None else 1

    def release(self, held: int) -> None:
        """Release space reserved for events that will not come."""
        self._ledger.release(held)

    # Commands, transfers and refusals

    def command(
        self,
        text: str,
        kind: CommandKind = CommandKind.EXEC,
        output: str = "",
        offset_ms: int = 0,
        *,
        held: int = 0,
        decision: CommandDecision | None = None,
        risk_level: RiskLevel = RiskLevel.ORDINARY,
    ) -> None:
        """Report a command that was given to the target, or refused by a command filter (`decision`)."""
        self._ledger.tell(
            CommandSeen(
                id=new_id(),
                session_id=self._session.grant.session_id,
                at=now(),
                offset_ms=max(0, offset_ms),
                kind=kind,
                input=text[:_MAX_TEXT],
                output=output[: 4 * _MAX_TEXT],
                risk_level=risk_level,
                decision=decision,
            ),
            held=held,
        )

    def begin_transfer(self, direction: TransferDirection, operation: str, path: str) -> Begun | None:
        """Log that a file is about to be transferred or changed, and reserve space for the result.

        Returns None if it must not happen. The log keeps the beginning even if this process is killed before the end.
        """
        held = self.hold(path, 2)
        if not held:
            return None
        begun = Begun(new_id(), direction, operation, path[:_MAX_TEXT], held // 2)
        event = TransferBegun(
            id=begun.id,
            session_id=self._session.grant.session_id,
            at=now(),
            direction=direction,
            operation=operation,
            path=begun.path,
        )
        self._ledger.tell(event, held=held - begun.held)
        return begun if self._session.end_reason is None else None

    def end_transfer(
        self, begun: Begun, *, size: int = 0, success: bool = True, detail: str = "", sha256: str = ""
    ) -> None:
        """Log the result of a transfer or change."""
        self._ledger.tell(
            FileTransferred(
                id=begun.id,
                session_id=self._session.grant.session_id,
                at=now(),
                direction=begun.direction,
                operation=begun.operation,
                path=begun.path,
                size=size,
                success=success,
                detail=detail[:_MAX_TEXT],
                sha256=sha256,
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
        """Log a transfer or change whose beginning could not be logged. `held` is the space that `hold` returned for
        it.
        """
        begun = Begun(new_id(), direction, operation, path[:_MAX_TEXT], held)
        self.end_transfer(begun, size=size, success=success, detail=detail)

    def begin_forward(self, asked: str, opened: str, originator: str) -> BegunForward | None:
        """Log that the target is about to connect to `opened`, and reserve space for the end.

        Returns None if it must not happen.
        """
        held = self.hold(asked + opened + originator, 2)
        if not held:
            return None
        begun = BegunForward(new_id(), held // 2)
        event = ForwardOpened(
            id=begun.id,
            session_id=self._session.grant.session_id,
            at=now(),
            asked=asked[:_MAX_PLACE],
            opened=opened[:_MAX_PLACE],
            originator=originator[:_MAX_PLACE],
        )
        self._ledger.tell(event, held=held - begun.held)
        return begun if self._session.end_reason is None else None

    def end_forward(self, begun: BegunForward, *, bytes_in: int, bytes_out: int, duration_ms: int, reason: str) -> None:
        """Log the end of a forwarded connection. `bytes_in` is what the user sent."""
        self._ledger.tell(
            ForwardClosed(
                id=begun.id,
                session_id=self._session.grant.session_id,
                at=now(),
                bytes_in=bytes_in,
                bytes_out=bytes_out,
                duration_ms=duration_ms,
                reason=reason[:_MAX_REASON],
            ),
            held=begun.held,
        )

    def request_refused(self, request: str, detail: str = "") -> None:
        """Log a request of the user's client that a rule refused."""
        self._ledger.tell(
            RequestRefused(
                id=new_id(),
                session_id=self._session.grant.session_id,
                at=now(),
                request=request[:64],
                detail=detail[:_MAX_TEXT],
            )
        )
