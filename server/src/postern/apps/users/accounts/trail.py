"""Audit records of this app's actions: the user and the changed fields, never a secret."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.users.accounts.models import User
from postern.foundation.caller.actor import Actor
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import MASK


class Change(NamedTuple):
    """One changed field."""

    before: object
    after: object


Changes = Mapping[str, Change]

_SHOWN: Final = (
    "username",
    "name",
    "kind",
    "email",
    "phone",
    "wechat",
    "role",
    "source",
    "mfa_level",
    "is_active",
    "date_expired",
    "need_update_password",
    "comment",
)


def names_change(before: Sequence[str], after: Sequence[str]) -> Change:
    """A changed list of names; a long list is shortened."""
    return Change(recorded.shortened(before, besides=after), recorded.shortened(after, besides=before))


def masked(before: object, after: object) -> Change:
    """A changed secret field: the record says whether a secret was set before and after, never its value (K73: secrets
    go in and never come out).
    """
    return Change(MASK if before else None, MASK if after else None)


def record(
    actor: Actor,
    event: audits.Event,
    user: User,
    changes: Changes | None = None,
    *,
    action: Literal["create", "update", "delete", "other"] = "update",
    org_id: UUID | None = None,
) -> None:
    """Append a change of a user; pass `org_id` when it affects one organization only."""
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


def shown(user: User) -> dict[str, object]:
    """The values that the record of a created or deleted user contains."""
    return {name: getattr(user, name) for name in _SHOWN}


def record_created(
    actor: Actor, user: User, *, org_id: UUID | None = None, more: Mapping[str, object] | None = None
) -> None:
    """Append the creation of a user; `more`: initial roles and groups."""
    audits.record(
        actor=actor,
        org_id=org_id or ROOT_ORG_ID,
        event=audits.Event.USER_CREATED,
        action="create",
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        new={**shown(user), **(more or {})},
    )


def record_deleted(actor: Actor, user: User, *, org_id: UUID | None = None) -> None:
    """Append the deletion of an account."""
    audits.record(
        actor=actor,
        org_id=org_id or ROOT_ORG_ID,
        event=audits.Event.USER_DELETED,
        action="delete",
        object_type="User",
        object_id=str(user.pk),
        object_name=str(user),
        old=shown(user),
    )


def record_password_change(actor: Actor, user: User) -> None:
    """Append to the password change log."""
    audits.record_password_change(actor=actor, user_label=str(user))
