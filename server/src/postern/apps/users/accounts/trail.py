"""What the actions of this app leave in the audit log: the person and the fields that changed, never a secret."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from postern.apps.audits import facade as audits
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


#: So many names of a list stand in a record; of a longer one those that came or went, and how many there are.
_NAMED: Final = 50


def told(before: Sequence[str], after: Sequence[str]) -> Change:
    """A changed list of names: all of a short one."""
    return Change(_clipped(before, after), _clipped(after, before))


def _clipped(names: Sequence[str], besides: Sequence[str]) -> list[str]:
    if len(names) <= _NAMED:
        return sorted(names)
    return [*sorted(set(names) - set(besides))[:_NAMED], f"… ({len(names)})"]


def masked(before: object, after: object) -> Change:
    """A secret field changed: that it did, and whether there was and is one, is told; its values never are (K73)."""
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


def shown(user: User) -> dict[str, object]:
    """What the log tells of a person who comes or goes."""
    return {name: getattr(user, name) for name in _SHOWN}


def record_created(
    actor: Actor, user: User, *, org_id: UUID | None = None, more: Mapping[str, object] | None = None
) -> None:
    """Append the creation of a person; `more`: roles and groups that came with it."""
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
    """Append that an account is gone."""
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
