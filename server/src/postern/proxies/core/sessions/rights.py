"""The rights of a live session: each action is permitted until its own end, which the control plane can change."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from postern.contracts.access import ActionsUntil, SessionGrant
from postern.contracts.enums import Actions

#: The user is warned this long before the permission ends.
WARNING_S: Final = 60


@dataclass(frozen=True, slots=True)
class Changed:
    """The actions that are no longer permitted, and those that are newly permitted."""

    lost: Actions
    gained: Actions


class Rights:
    """The permitted actions of one session, each with its end. An action without an end lasts as long as the
    session.
    """

    def __init__(self, grant: SessionGrant) -> None:
        self.version = grant.version
        self._ever = grant.actions
        self._told = grant.actions  # the actions that the user knows about
        self._warned_of: datetime | None = None
        self._ends: tuple[tuple[Actions, datetime | None], ...] = (
            tuple((group.actions, group.until) for group in grant.ends)
            if grant.ends
            else ((grant.actions, grant.expires_at),)
        )

    def at(self, instant: datetime) -> Actions:
        """Return the actions that are permitted at an instant."""
        permitted_actions = Actions.NONE
        for actions, until in self._ends:
            if until is None or instant < until:
                permitted_actions |= actions
        return permitted_actions

    def had(self, actions: Actions) -> bool:
        """Whether any of these actions was ever permitted. Tells an ended right from one that never existed."""
        return bool(self._ever & actions)

    def end_of(self, action: Actions) -> datetime | None:
        """Return when an action ends, or None if it never does."""
        return next((until for actions, until in self._ends if actions & action), None)

    def take(self, version: int, ends: Iterable[ActionsUntil], instant: datetime) -> Changed | None:
        """Replace the grant. Returns None if the version is not newer than the present one."""
        if version <= self.version:
            return None
        before = self.at(instant)
        self.version = version
        self._ends = tuple((group.actions, group.until) for group in ends)
        after = self.at(instant)
        self._ever |= after
        return Changed(lost=before & ~after, gained=after & ~before)

    def news(self, instant: datetime) -> Changed:
        """Return the changes since the last call, so that the user gets one notice of each change."""
        present = self.at(instant)
        changes = Changed(lost=self._told & ~present, gained=present & ~self._told)
        self._told = present
        return changes

    def seconds_left(self, instant: datetime) -> int | None:
        """Return the seconds until the session ends if that is near and the user was not warned yet."""
        until = self.end_of(Actions.CONNECT)
        if until is None or until == self._warned_of or (until - instant).total_seconds() > WARNING_S:
            return None
        self._warned_of = until
        return max(1, round((until - instant).total_seconds()))

    def was_prolonged(self) -> bool:
        """Whether the end that the user was warned of no longer applies. True only once per prolongation."""
        until = self.end_of(Actions.CONNECT)
        prolonged = self._warned_of is not None and (until is None or until > self._warned_of)
        if prolonged:
            self._warned_of = None
        return prolonged
