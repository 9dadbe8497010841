"""`GrantLimits`: ends a live session when its grant does not permit it any more, and tells the user what changes."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from postern.contracts.access import ActionsUntil, SessionGrant
from postern.contracts.enums import Actions, EndReason, SessionState
from postern.kernel.clock import now
from postern.proxies.core.sessions.action_words import say_actions
from postern.proxies.core.sessions.listeners import NoticeKind
from postern.proxies.core.sessions.rights import Changed, Rights
from postern.proxies.core.sessions.session_lock import SessionLock
from postern.proxies.core.sessions.session_log import SessionLog
from postern.proxies.core.texts import Text


class LimitedSession(Protocol):
    """The part of `LiveSession` that the limits of its grant use."""

    grant: SessionGrant
    log: SessionLog
    rights: Rights
    needs: tuple[Actions, ...]
    lock: SessionLock
    state: SessionState
    end_reason: EndReason | None
    opened_s: float
    last_traffic_s: float

    @property
    def language(self) -> str: ...

    def refusal(self, actions: Actions) -> str: ...
    def notify(self, kind: NoticeKind, message: str) -> None: ...
    def end(self, reason: EndReason, detail: str = "", *, message: str | None = None) -> None: ...


class GrantLimits:
    """The limits of one session: its actions with their ends, and its times."""

    def __init__(self, session: LimitedSession) -> None:
        self._session = session

    def change(self, version: int, ends: Iterable[ActionsUntil]) -> None:
        """Apply a change of the grant by the control plane. A stale version changes nothing."""
        session = self._session
        at = now()
        changed = session.rights.take(version, ends, at)
        if changed is None or session.end_reason is not None:
            return
        if self._apply_rights(at, changed) and session.rights.was_prolonged():
            session.notify(NoticeKind.PROLONGED, Text.PROLONGED.say(session.language))

    def check_rights(self, at: datetime) -> bool:
        """Apply the rights at an instant, and warn the user of their end. Returns False if the session has ended."""
        session = self._session
        if not self._apply_rights(at):
            return False
        if session.state is SessionState.ACTIVE and (seconds := session.rights.seconds_left(at)) is not None:
            session.notify(NoticeKind.EXPIRING, Text.EXPIRING.say(session.language, seconds=seconds))
        return True

    def check_times(self, monotonic: float, control_away_s: float, opening_limit_s: float) -> None:
        """End a session that was not opened in time, is idle, or has lost the control plane for too long.

        A locked session is neither idle nor late: its person may not do anything, and its command does not start.
        """
        session, grant, is_free = self._session, self._session.grant, not self._session.lock.is_on
        is_idle = 0 < grant.idle_timeout_s < monotonic - session.last_traffic_s
        if is_free and session.state is SessionState.OPENING and monotonic - session.opened_s > opening_limit_s:
            session.end(EndReason.LIMIT, "the session was not opened in time")
        elif is_free and session.state is SessionState.ACTIVE and is_idle:
            session.end(EndReason.IDLE)
        elif control_away_s > grant.control_loss_limit_s:
            session.end(EndReason.CONTROL_LOST)

    def _apply_rights(self, at: datetime, changed: Changed | None = None) -> bool:
        """Apply the rights at an instant, and tell the user what has changed. Returns False if the session has ended.

        `changed` is set if the grant was changed. Otherwise only time has passed.
        """
        session = self._session
        present = session.rights.at(at)
        missing = next((needed for needed in (Actions.CONNECT, *session.needs) if not present & needed), None)
        if missing is not None:
            is_withdrawn = changed is not None and bool(changed.lost & missing)
            reason = EndReason.GRANT_WITHDRAWN if is_withdrawn else EndReason.GRANT_EXPIRED
            message = None if missing is Actions.CONNECT else session.refusal(missing)
            session.end(reason, f"the action {missing.name} has ended", message=message)
            return False
        news = session.rights.news(at)
        if news.lost and changed is None:
            session.log.actions_ended(at, session.rights.version, news.lost)
            if session.end_reason is not None:
                return False
        for actions, is_given in ((news.lost, False), (news.gained, True)):
            sentence = say_actions(session.language, actions, ended=not is_given, given=is_given)
            if actions and sentence:
                session.notify(NoticeKind.ACTIONS, sentence)
        return True
