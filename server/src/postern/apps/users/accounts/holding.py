"""Locks the users of a write, and checks the caller again under that lock.

A caller is authenticated when the request begins. The write comes later: after reading a body, hashing a password, or
waiting for a lock. In the meantime an administrator may have ended all access of a suspected account, or lowered its
role. Such a write is refused.
"""

from collections.abc import Collection, Iterable
from functools import cache
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from postern.apps.users.accounts import callers
from postern.apps.users.accounts.errors import AboveYou, RightsLost, SignInEnded
from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.accounts.policy import may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared_keys import PreparedByKey


def hold(actor: Actor, user: User, *, administrators: bool = False) -> User:
    """The user's current row, locked until the transaction ends. Raises SignInEnded when the caller's sign-in has
    ended.

    The caller's own row is locked too and, with `administrators`, the rows of all administrators. Locks are always
    taken in the same order, so that two writes cannot deadlock. Every write of credentials begins here.
    """
    rows = hold_all(actor, [user.pk], administrators=administrators)
    if user.pk not in rows:
        raise User.DoesNotExist
    return rows[user.pk]


def hold_all(
    actor: Actor,
    user_ids: Iterable[UUID],
    *,
    administrators: bool = False,
    deleting: bool = False,
    memberships: bool = False,
) -> dict[UUID, User]:
    """The users of a write about many: one query locks all rows before the first write.

    Locking users one after the other could deadlock two such writes. Deleted users are left out. `deleting`: the rows
    will be deleted, so new references to them must be blocked. `memberships`: the memberships of these users will
    change too.
    """
    user_ids = set(user_ids)
    caller_id = actor.user_id if actor.is_user else None
    wanted = sorted(user_ids if caller_id is None else {*user_ids, caller_id})
    if administrators:
        everybody = Q(pk__in=wanted) | Q(role=SystemRole.ADMIN)
        locked = list(_lockable(deleting=deleting).filter(everybody))
    else:
        locked = _locking(deleting).rows(wanted)
    rows = {row.pk: row for row in locked}
    if caller_id is not None:
        caller = rows.get(caller_id)
        if caller is None or caller.session_epoch != actor.epoch or not callers.still_holds(actor):
            raise SignInEnded
        if callers.has_lost_rights(actor, caller):
            raise RightsLost
    if memberships:
        hold_memberships(user_ids)
    return rows


def _lockable(*, deleting: bool) -> QuerySet[User]:
    # Without key changes, rows that refer to a user (sign-ins, messages) can still be inserted.
    return User.objects.select_for_update(no_key=not deleting).order_by("pk")


@cache
def _locking(deleting: bool) -> PreparedByKey[User]:
    """Prepared, because a write locks its caller several times."""
    return PreparedByKey(User, lambda keys: _lockable(deleting=deleting).filter(pk__in=keys))


def hold_memberships(user_ids: Collection[UUID], org_ids: Collection[UUID] | None = None) -> None:
    """Lock the memberships of these users, in all or in these organizations, until the transaction ends.

    A user who leaves an organization is afterwards removed from its permissions and system users. A write of
    permissions or system users therefore locks the memberships of every user in it. PostgreSQL only (`row_locks`).
    """
    if user_ids and connection.features.has_select_for_update:
        rows = Membership.objects.filter(user_id__in=user_ids)
        rows = rows if org_ids is None else rows.filter(org_id__in=org_ids)
        list(rows.select_for_update().order_by("pk").values_list("pk"))


def hold_changeable(actor: Actor, scope: OrgScope, user: User) -> User:
    """`hold` for a write that needs a higher role than the user's. Raises AboveYou.

    The request checked the role when it began. Since then, while a password was hashed, the user may have become an
    administrator, or a member of an organization that the caller does not administer.
    """
    row = hold(actor, user)
    if not may_update(actor, subject_of(row, scope, administered_org_ids(actor))):
        raise AboveYou
    return row


def hold_caller(actor: Actor) -> None:
    """The same check of the caller for a write without another user, such as creating a user. Raises SignInEnded."""
    hold_all(actor, ())


def hold_epoch(user_id: UUID) -> int | None:
    """The user's session epoch, with their row locked until the transaction ends; None when there is no such user.

    For rows created under that epoch: a concurrent write that ends the user's access either sees these rows or commits
    first.
    """
    rows = User.objects.select_for_update().filter(pk=user_id)
    return rows.values_list("session_epoch", flat=True).first()
