"""Storage format of a session's grant: action bit → instant of its end. Pure functions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions

#: The content of the column `action_ends`: `{"1": "2027-01-01T00:00:00+00:00"}`.
Stored = Mapping[str, str]


def stored(ends: Iterable[ActionsUntil]) -> dict[str, str]:
    """The ends in the storage format: one entry for each bit."""
    return {
        str(bit): group.until.isoformat()
        for group in ends
        for bit in (1 << position for position in range(Actions.EVERY.bit_length()))
        if group.actions & bit
    }


def ends_of(stored: Stored) -> tuple[ActionsUntil, ...]:
    """The ends of a stored grant, in the form that the proxy receives: actions with the same end are grouped, nearest
    end first.
    """
    groups: dict[datetime, int] = {}
    for bit, until in stored.items():
        instant = datetime.fromisoformat(until)
        groups[instant] = groups.get(instant, 0) | int(bit)
    return tuple(ActionsUntil(actions=Actions(bits), until=until) for until, bits in sorted(groups.items()))


def present(stored: Stored, at: datetime) -> tuple[ActionsUntil, ...]:
    """The groups that have not ended at `at`."""
    return tuple(group for group in ends_of(stored) if group.until > at)


def actions_of(ends: Iterable[ActionsUntil]) -> Actions:
    """All actions of the groups."""
    actions = Actions.NONE
    for group in ends:
        actions |= group.actions
    return actions


def shown(ends: Iterable[ActionsUntil]) -> list[dict[str, Any]]:
    """The grant as the audit record stores it."""
    return [{"actions": int(group.actions), "until": group.until} for group in ends]
