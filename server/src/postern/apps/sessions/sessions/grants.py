"""A session's grant as it is stored: action bit → instant of its end. Pure functions."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions

#: What the column `action_ends` holds: `{"1": "2027-01-01T00:00:00+00:00"}`.
Stored = Mapping[str, str]


def stored(ends: Iterable[ActionsUntil]) -> dict[str, str]:
    """The ends as the column keeps them: one entry for each bit."""
    return {
        str(bit): group.until.isoformat()
        for group in ends
        for bit in (1 << position for position in range(Actions.ALL.bit_length()))
        if group.actions & bit
    }


def ends_of(kept: Stored) -> tuple[ActionsUntil, ...]:
    """What `stored` made, as the proxy is told it: actions of one end together, the nearest end first."""
    groups: dict[datetime, int] = {}
    for bit, until in kept.items():
        instant = datetime.fromisoformat(until)
        groups[instant] = groups.get(instant, 0) | int(bit)
    return tuple(ActionsUntil(actions=Actions(bits), until=until) for until, bits in sorted(groups.items()))


def present(kept: Stored, at: datetime) -> tuple[ActionsUntil, ...]:
    """The groups that have not ended at `at`."""
    return tuple(group for group in ends_of(kept) if group.until > at)


def actions_of(ends: Iterable[ActionsUntil]) -> Actions:
    """All actions of the groups."""
    found = Actions.NONE
    for group in ends:
        found |= group.actions
    return found


def shown(ends: Iterable[ActionsUntil]) -> list[dict[str, Any]]:
    """For the audit log."""
    return [{"actions": int(group.actions), "until": group.until} for group in ends]
