"""Writes of user groups."""

from collections.abc import Iterable
from functools import cache
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import recorded
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.errors import FieldProblem, RootOrganization
from postern.apps.users.accounts.holding import hold_all
from postern.apps.users.accounts.models import Membership, User
from postern.apps.users.groups.events import GroupsChanged
from postern.apps.users.groups.models import UserGroup, UserGroupMember
from postern.apps.users.groups.trail import record_group
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database import row_locks, row_writes
from postern.foundation.database.prepared import PreparedQuery
from postern.foundation.rest.relations import rows_by_key


def hold_groups(
    *,
    actor: Actor,
    group_ids: Iterable[UUID],
    user_ids: Iterable[UUID],
    replacing: bool = False,
    deleting: bool = False,
) -> None:
    """Lock groups and their future members until the transaction ends. Call it first in a write.

    `replacing`: the current members are locked too. A user who leaves the organization at the same time also leaves its
    groups.
    """
    groups, people = set(group_ids), set(user_ids)
    if (replacing or deleting) and connection.features.has_select_for_update:
        members = UserGroupMember.objects.filter(usergroup__in=groups).order_by()
        people |= set(members.values_list("user_id", flat=True))
    hold_all(actor, people)
    row_locks.lock(UserGroup, groups, deleting=deleting)


@transaction.atomic
def create_group(
    *,
    actor: Actor,
    scope: OrgScope,
    name: str,
    comment: str = "",
    user_ids: Iterable[UUID] = (),
    group_id: UUID | None = None,
) -> UserGroup:
    """Create a group with members of the organization."""
    if scope.is_root:
        raise RootOrganization
    group = UserGroup(org_id=scope.org_id, name=name, comment=comment, created_by=actor.label[:128])
    if group_id is not None:
        group.pk = group_id
    group.save(force_insert=True)
    members = _set_members(group, user_ids) or trail.Change([], [])
    made = {"name": trail.Change(None, name), "comment": trail.Change(None, comment), "users": members}
    record_group(actor, "create", group, made)
    return group


@transaction.atomic
def update_group(
    *,
    actor: Actor,
    group: UserGroup,
    name: str | None = None,
    comment: str | None = None,
    user_ids: Iterable[UUID] | None = None,
) -> UserGroup:
    """Change a group; None keeps a value. `user_ids` replaces all members."""
    group = UserGroup.objects.select_for_update(no_key=True).get(pk=group.pk)
    changes: dict[str, trail.Change] = {}
    for field, value in (("name", name), ("comment", comment)):
        if value is not None and value != getattr(group, field):
            changes[field] = trail.Change(getattr(group, field), value)
            setattr(group, field, value)
    if changes:
        group.save()
    members = None if user_ids is None else _set_members(group, user_ids)
    if members is not None:
        changes["users"] = members
    if changes:
        record_group(actor, "update", group, changes)
    return group


@transaction.atomic
def delete_group(*, actor: Actor, group: UserGroup) -> None:
    """Delete a group; its members lose the permissions of the group."""
    org_id, group_id = group.org_id, group.pk
    members = _names(group.users.values_list("pk", flat=True))
    gone = {"name": group.name, "comment": group.comment, "users": members}
    recorded.delete_row(actor=actor, row=group, old=gone)
    events.publish(GroupsChanged(org_id=org_id, group_ids=(group_id,)))


def _set_members(group: UserGroup, user_ids: Iterable[UUID]) -> trail.Change | None:
    """Replace the members of the group by `user_ids`; returns their names before and after, or None without a
    change.
    """
    wanted = set(user_ids)
    held = set(UserGroupMember.objects.filter(usergroup=group).values_list("user_id", flat=True))
    require_members(group.org_id, wanted - held)
    if wanted == held:
        return None
    UserGroupMember.objects.filter(usergroup=group, user_id__in=held - wanted).delete()
    UserGroupMember.objects.bulk_create(UserGroupMember(usergroup=group, user_id=pk) for pk in sorted(wanted - held))
    events.publish(GroupsChanged(org_id=group.org_id, group_ids=(group.pk,)))
    return trail.names_change(_names(held), _names(wanted))


def _names(user_ids: Iterable[UUID]) -> list[str]:
    return sorted(str(user) for user in User.objects.filter(pk__in=list(user_ids)))


@transaction.atomic
def add_to_group(*, actor: Actor, group: UserGroup, user: User) -> UserGroupMember:
    """Add one user to a group. Does nothing when they are a member."""
    require_members(group.org_id, [user.pk])
    row, created = UserGroupMember.objects.get_or_create(usergroup=group, user=user)
    if created:
        record_group(actor, "update", group, {"users": trail.Change([], [str(user)])})
        events.publish(GroupsChanged(org_id=group.org_id, group_ids=(group.pk,)))
    return row


@transaction.atomic
def take_from_group(*, actor: Actor, row: UserGroupMember) -> None:
    """Remove one user from a group."""
    group = row.usergroup
    row.delete()
    record_group(actor, "update", group, {"users": trail.Change([str(row.user)], [])})
    events.publish(GroupsChanged(org_id=group.org_id, group_ids=(group.pk,)))


def leave_groups(user: User, scope: OrgScope) -> None:
    """Remove the user from all groups of the organization. Must run inside the caller's transaction."""
    rows = UserGroupMember.objects.filter(user=user, usergroup__org_id=scope.org_id)
    group_ids = tuple(rows.values_list("usergroup_id", flat=True))
    if group_ids:
        rows.delete()
        events.publish(GroupsChanged(org_id=scope.org_id, group_ids=group_ids))


def change_groups(*, scope: OrgScope, user: User, group_ids: frozenset[UUID]) -> trail.Change | None:
    """Set the user's groups within this organization to `group_ids`; groups of other organizations are not changed.

    Must run inside the caller's transaction; the caller audits the returned names before and after.
    """
    known = {pk: group.name for pk, group in rows_by_key(UserGroup, group_ids, scope).items()}
    if set(known) != set(group_ids):
        raise FieldProblem("groups", _("A chosen group does not belong to this organization."))
    held = {pk: str(name) for pk, name in _groups_of().tuples(user_id=user.pk, org_id=scope.org_id)}
    if held.keys() == known.keys():
        return None
    leaving, joining = held.keys() - known.keys(), known.keys() - held.keys()
    if leaving:
        UserGroupMember.objects.filter(user=user, usergroup_id__in=leaving).delete()
    row_writes.insert([UserGroupMember(user=user, usergroup_id=pk) for pk in sorted(joining)])
    events.publish(GroupsChanged(org_id=scope.org_id, group_ids=tuple(leaving | joining)))
    return trail.names_change(list(held.values()), list(known.values()))


@cache
def _groups_of() -> PreparedQuery:
    """Key and name of the user's groups in an organization."""
    return PreparedQuery(
        lambda user_id, org_id: UserGroupMember.objects.filter(user_id=user_id, usergroup__org_id=org_id).order_by(),
        stand_ins={"user_id": UUID(int=1), "org_id": UUID(int=2)},
        columns=("usergroup_id", "usergroup__name"),
    )


def require_members(org_id: UUID, user_ids: Iterable[UUID]) -> None:
    """Require that the users are members of the group's organization."""
    wanted = set(user_ids)
    members = set(
        Membership.objects.filter(org_id=org_id, user_id__in=wanted).values_list("user_id", flat=True).distinct()
    )
    if members != wanted:
        raise FieldProblem("users", _("A chosen user does not belong to this organization."))
