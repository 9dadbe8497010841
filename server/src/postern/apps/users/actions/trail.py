"""What the actions of this app leave in the audit log: the person and the fields that changed, never a secret."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.users.models import User, UserGroup
from postern.foundation.actor import Actor
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import MASK


class Change(NamedTuple):
    """One changed field."""

    before: object
    after: object


#: A secret field changed: that it did is told, its values never are (K73).
MASKED: Final = Change(MASK, MASK)
Changes = Mapping[str, Change]


def record(
    actor: Actor,
    event: str,
    user: User,
    changes: Changes | None = None,
    *,
    action: Literal["create", "update", "delete", "other"] = "update",
    org_id: UUID | None = None,
) -> None:
    """Append what happened to a person; `org_id` when it concerns one organization only."""
    audits.record(
        actor=actor,
        org_id=org_id or ROOT_ORG_ID,
        event=event,
        action=action,
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        old={name: change.before for name, change in changes.items()} if changes else None,
        new={name: change.after for name, change in changes.items()} if changes else None,
    )


def record_created(actor: Actor, user: User, *, org_id: UUID | None = None) -> None:
    """Append the creation of a person."""
    shown = ("username", "name", "email", "role", "source", "is_active", "date_expired", "need_update_password")
    audits.record(
        actor=actor,
        org_id=org_id or ROOT_ORG_ID,
        event="user.created",
        action="create",
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        new={name: getattr(user, name) for name in shown},
    )


def record_group(
    actor: Actor, action: Literal["create", "update", "delete"], group: UserGroup, changes: Changes | None = None
) -> None:
    """Append what happened to a group."""
    audits.record_change(
        actor=actor,
        action=action,
        target=group,
        old={name: change.before for name, change in changes.items()} if changes else None,
        new={name: change.after for name, change in changes.items()} if changes else None,
    )


def record_password_change(actor: Actor, user: User) -> None:
    """Append to the password change log."""
    audits.record_password_change(actor=actor, user_label=str(user))
