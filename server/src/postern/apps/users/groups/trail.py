"""Audit records of group writes."""

from typing import Literal

from postern.apps.audits import facade as audits
from postern.apps.users.accounts.trail import Changes
from postern.apps.users.groups.models import UserGroup
from postern.foundation.caller.actor import Actor


def record_group(
    actor: Actor, action: Literal["create", "update"], group: UserGroup, changes: Changes | None = None
) -> None:
    """Append that a group was created or changed."""
    audits.record_change(
        actor=actor,
        action=action,
        target=group,
        old={name: change.before for name, change in (changes or {}).items()} if action != "create" else None,
        new={name: change.after for name, change in (changes or {}).items()},
    )
