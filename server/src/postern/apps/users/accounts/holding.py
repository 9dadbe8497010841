"""Locking the people whom a write concerns, and a second look at the caller under that lock.

A caller is authenticated when the request begins, and the write comes later: after a body was read, a password was hashed, a
lock was waited for. Meanwhile an administrator may have ended everything of a suspected account, or lowered its role. Such a write is
refused.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db import connection
from django.db.models import Q

from postern.apps.users.accounts import callers
from postern.apps.users.accounts.errors import AboveYou, RightsLost, SignInEnded
from postern.apps.users.accounts.models import Membership, SystemRole, User
from postern.apps.users.accounts.policy import may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def hold(actor: Actor, user: User, *, administrators: bool = False) -> User:
    """The person's present row, locked until the transaction ends. Raises SignInEnded when the caller's sign-in has ended.

    The caller's own row is locked with it, and with `administrators` the rows of all of them; always in the same order, so that
    two writes do not wait for each other. Every write of what signs somebody in begins here.
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
    """The same for the people of a write that concerns many: all rows are locked by one query, before the first is written.

    With people locked one after the other, two such writes would each hold what the other one waits for. People who are gone
    are left out. `deleting`: the rows are to be deleted, so that nothing may refer to them meanwhile. `memberships`: those of
    these people are to be changed, too.
    """
    user_ids = set(user_ids)
    caller_id = actor.user_id if actor.is_user else None
    wanted = Q(pk__in={*user_ids, caller_id} - {None})
    if administrators:
        wanted |= Q(role=SystemRole.ADMIN)
    # Rows that refer to a person (sign-ins, messages) may be inserted meanwhile: nobody's key is changed.
    locked = User.objects.select_for_update(no_key=not deleting).filter(wanted).order_by("pk")
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


def hold_memberships(user_ids: Collection[UUID], org_ids: Collection[UUID] | None = None) -> None:
    """Lock the memberships of these people, in all organizations or in these, until the transaction ends.

    Who leaves an organization is taken out of its permissions and off its system users afterwards: a write of these holds the
    memberships of everybody whom it names. PostgreSQL only (`row_locks`).
    """
    if user_ids and connection.features.has_select_for_update:
        rows = Membership.objects.filter(user_id__in=user_ids)
        rows = rows if org_ids is None else rows.filter(org_id__in=org_ids)
        list(rows.select_for_update().order_by("pk").values_list("pk"))


def hold_changeable(actor: Actor, scope: OrgScope, user: User) -> User:
    """`hold` for a write that only somebody above the person may do. Raises AboveYou.

    The same was asked when the request began. Since then, while a password was hashed, the person may have become an
    administrator, or a member of an organization that the caller does not administer.
    """
    row = hold(actor, user)
    if not may_update(actor, subject_of(row, scope, row.memberships.all(), administered_org_ids(actor))):
        raise AboveYou
    return row


def hold_caller(actor: Actor) -> None:
    """The same second look before a write that concerns nobody else yet, such as making a person. Raises SignInEnded."""
    if actor.is_user and actor.user_id is not None:
        own = User.objects.filter(pk=actor.user_id).first()
        if own is None:
            raise SignInEnded
        hold(actor, own)


def hold_epoch(user_id: UUID) -> int | None:
    """The person's session epoch, their row locked until the transaction ends; None when there is nobody.

    For what is opened under that epoch: whoever ends everything of the person either sees it, or comes first.
    """
    rows = User.objects.select_for_update().filter(pk=user_id)
    return rows.values_list("session_epoch", flat=True).first()
