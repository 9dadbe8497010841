"""What a live session may do at this second: each action until its own end, as the control plane says and changes it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from postern.contracts.access import ActionsUntil, SessionGrant
from postern.contracts.enums import Actions

#: How long before the end of the permission the person is told of it.
WARNING_S: Final = 60


@dataclass(frozen=True, slots=True)
class Changed:
    """Actions that are permitted no longer, and those that are now."""

    lost: Actions
    gained: Actions


class Rights:
    """The actions of one session with their ends. Without any end an action is permitted for as long as the session lives."""

    def __init__(self, grant: SessionGrant) -> None:
        self.version = grant.version
        self._ever = grant.actions
        self._told = grant.actions  # what the person knows that they may
        self._warned_of: datetime | None = None
        self._ends: tuple[tuple[Actions, datetime | None], ...] = (
            tuple((group.actions, group.until) for group in grant.ends)
            if grant.ends
            else ((grant.actions, grant.expires_at),)
        )

    def at(self, instant: datetime) -> Actions:
        """The actions that are permitted at an instant."""
        found = Actions.NONE
        for actions, until in self._ends:
            if until is None or instant < until:
                found |= actions
        return found

    def had(self, actions: Actions) -> bool:
        """Whether any of these was ever permitted: then it has ended, otherwise there never was a right."""
        return bool(self._ever & actions)

    def end_of(self, action: Actions) -> datetime | None:
        """When an action ends; None when never."""
        return next((until for actions, until in self._ends if actions & action), None)

    def take(self, version: int, ends: Iterable[ActionsUntil], instant: datetime) -> Changed | None:
        """Replace the grant. None when it is not newer than the one that holds."""
        if version <= self.version:
            return None
        before = self.at(instant)
        self.version = version
        self._ends = tuple((group.actions, group.until) for group in ends)
        after = self.at(instant)
        self._ever |= after
        return Changed(lost=before & ~after, gained=after & ~before)

    def news(self, instant: datetime) -> Changed:
        """What the person may not any more, or may now, since they were last told; each is news once."""
        present = self.at(instant)
        found = Changed(lost=self._told & ~present, gained=present & ~self._told)
        self._told = present
        return found

    def seconds_left(self, instant: datetime) -> int | None:
        """Seconds to the end of the session when it is near and the person has not been warned of it yet."""
        until = self.end_of(Actions.CONNECT)
        if until is None or until == self._warned_of or (until - instant).total_seconds() > WARNING_S:
            return None
        self._warned_of = until
        return max(1, round((until - instant).total_seconds()))

    def was_prolonged(self) -> bool:
        """Whether the end that the person was warned of does not stand any more; true once."""
        until = self.end_of(Actions.CONNECT)
        prolonged = self._warned_of is not None and (until is None or until > self._warned_of)
        if prolonged:
            self._warned_of = None
        return prolonged
