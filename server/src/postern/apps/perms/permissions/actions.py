"""Writes of asset permissions and of their links. All objects of a permission belong to its organization."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.grants.links import LINKS, SYSTEM_USERS, USERS, Link
from postern.apps.perms.grants.models import AssetPermission, PermissionUser
from postern.apps.perms.permissions.errors import FieldRefused
from postern.apps.perms.permissions.events import AccessChanged
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database import row_writes
from postern.foundation.rest.relations import rows_by_key

_COLUMNS = ("name", "is_active", "actions", "date_start", "date_expired", "comment")


def create_permission(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> AssetPermission:
    """Create a permission. `values`: columns, and a list of objects for each of the five links."""
    return create_permissions(actor=actor, org_id=org_id, items=[values])[0]


@transaction.atomic
def create_permissions(*, actor: Actor, org_id: UUID, items: Sequence[Mapping[str, Any]]) -> list[AssetPermission]:
    """Create permissions with one statement for each table; `items` as for `create_permission`."""
    permissions = [AssetPermission(org_id=org_id, created_by=actor.label, **_columns(values)) for values in items]
    lists = [{link: _ids(values[link.list_name]) for link in LINKS if link.list_name in values} for values in items]
    for permission, own_lists in zip(permissions, lists, strict=True):
        _check_dates(permission)
        if not own_lists.get(SYSTEM_USERS):
            raise FieldRefused("system_users", _("A permission needs at least one system user."))
    row_writes.insert(permissions)
    new = [_snapshot(permission) for permission in permissions]
    for link in LINKS:
        pairs = [
            (permission, own_lists[link])
            for permission, own_lists in zip(permissions, lists, strict=True)
            if link in own_lists
        ]
        names = {key: str(target) for key, target in _link(org_id, link, pairs).items()}
        for values, own_lists in zip(new, lists, strict=True):
            if link in own_lists:
                values[link.list_name] = sorted(names[key] for key in own_lists[link])
    changes = [audits.Change(permission, new=values) for permission, values in zip(permissions, new, strict=True)]
    audits.record_changes(actor=actor, action="create", changes=changes)
    events.publish(AccessChanged(org_id=org_id))
    return permissions


@transaction.atomic
def update_permission(*, actor: Actor, permission: AssetPermission, values: Mapping[str, Any]) -> AssetPermission:
    """Change the given values and no others."""
    row: AssetPermission = AssetPermission.objects.select_for_update(no_key=True).get(pk=permission.pk)
    lists = {link: _ids(values[link.list_name]) for link in LINKS if link.list_name in values}
    if SYSTEM_USERS in lists and not lists[SYSTEM_USERS]:
        raise FieldRefused("system_users", _("A permission needs at least one system user."))
    old = {**_snapshot(row), **_names(row, lists)}
    for name, value in _columns(values).items():
        setattr(row, name, value)
    _check_dates(row)
    columns = _snapshot(row)
    if any(columns[name] != old[name] for name in columns):
        row.save()
    for link, ids in lists.items():
        _set(row, link, ids)
    new = {**columns, **_names(row, lists)}
    changed = [name for name in new if new[name] != old[name]]
    if not changed:  # no change, so nothing to audit
        return row
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={name: old[name] for name in changed},
        new={name: new[name] for name in changed},
    )
    events.publish(AccessChanged(org_id=row.org_id))
    return row


@transaction.atomic
def delete_permission(*, actor: Actor, permission: AssetPermission) -> None:
    """Delete a permission. Users who had access only through it lose access at once."""
    org_id = permission.org_id
    names = _names(permission, {link: set() for link in LINKS})
    recorded.delete_row(actor=actor, row=permission, old={**_snapshot(permission), **names})
    events.publish(AccessChanged(org_id=org_id))


@transaction.atomic
def add_link(*, actor: Actor, permission: AssetPermission, link: Link, target: Any) -> models.Model:
    """Add one object to a permission. Does nothing when the link exists."""
    # A concurrent deletion of the permission waits for this lock, or has finished before it.
    AssetPermission.objects.select_for_update(no_key=True).get(pk=permission.pk)
    _own(permission.org_id, link, {target.pk})
    row, created = link.rows.get_or_create(assetpermission=permission, **{f"{link.column}_id": target.pk})
    if created:
        audits.record_change(
            actor=actor,
            action="update",
            event=audits.Event.ASSETPERMISSION_LINK_ADDED,
            target=permission,
            new={link.list_name: str(target)},
        )
        events.publish(AccessChanged(org_id=permission.org_id))
    linked_row: models.Model = row
    return linked_row


@transaction.atomic
def remove_link(*, actor: Actor, link: Link, row: Any) -> None:
    """Remove one object from a permission. The last system user cannot be removed (S5-038)."""
    permission = AssetPermission.objects.select_for_update(no_key=True).get(pk=row.assetpermission_id)
    if link is SYSTEM_USERS and not link.rows.filter(assetpermission=permission).exclude(pk=row.pk).exists():
        raise FieldRefused(
            "system_users",
            _(
                "The last system user of a permission cannot be removed. Add another one first, or delete the permission."
            ),
        )
    name = str(getattr(row, link.column))
    row.delete()
    audits.record_change(
        actor=actor,
        action="update",
        event=audits.Event.ASSETPERMISSION_LINK_REMOVED,
        target=permission,
        old={link.list_name: name},
    )
    events.publish(AccessChanged(org_id=permission.org_id))


@transaction.atomic
def forget_user(*, actor: Actor, user_id: UUID, org_id: UUID) -> None:
    """Remove a user who leaves an organization from its permissions, in the same transaction."""
    rows = PermissionUser.objects.filter(user_id=user_id, assetpermission__org_id=org_id)
    permissions = list(AssetPermission.objects.filter(pk__in=set(rows.values_list("assetpermission_id", flat=True))))
    if not permissions:
        return
    rows.delete()
    name = str(User.objects.get(pk=user_id))
    audits.record_changes(
        actor=actor,
        action="update",
        event=audits.Event.ASSETPERMISSION_LINK_REMOVED,
        changes=[audits.Change(permission, old={USERS.list_name: name}) for permission in permissions],
    )
    events.publish(AccessChanged(org_id=org_id))


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in _COLUMNS if name in values}


def _check_dates(permission: AssetPermission) -> None:
    if permission.date_expired <= permission.date_start:
        raise FieldRefused("date_expired", _("The end date must be later than the start date."))


def _ids(objects: Collection[Any]) -> set[UUID]:
    return {one.pk for one in objects}


def _set(permission: AssetPermission, link: Link, wanted: Collection[UUID]) -> None:
    rows = link.rows.filter(assetpermission=permission)
    held = set(rows.values_list(f"{link.column}_id", flat=True))
    _link(permission.org_id, link, [(permission, set(wanted) - held)])
    rows.filter(**{f"{link.column}_id__in": held - set(wanted)}).delete()


def _link(org_id: UUID, link: Link, pairs: Sequence[tuple[AssetPermission, Collection[UUID]]]) -> dict[UUID, Any]:
    """Link new objects to permissions of the organization; returns these objects by id."""
    targets = _own(org_id, link, {target_id for _permission, ids in pairs for target_id in ids})
    row_writes.insert(
        [
            link.table(assetpermission=permission, **{f"{link.column}_id": target_id})
            for permission, ids in pairs
            for target_id in sorted(ids)
        ]
    )
    return targets


def _own(org_id: UUID, link: Link, ids: Collection[UUID]) -> dict[UUID, Any]:
    """The objects with these ids. Users must be members of the organization; all other objects must belong to it (K68:
    rows refer to their own organization only).
    """
    if link is USERS:
        # Lock the memberships until the links are written: a user who leaves at the same time is refused here, or loses
        # this link with the others.
        users.hold_memberships(ids, [org_id])
    targets = rows_by_key(link.target, ids, OrgScope(org_id))
    if len(targets) != len(ids):
        raise FieldRefused(
            link.list_name,
            _("Some of the selected objects belong to another organization. Select objects of this organization only."),
        )
    return targets


def _snapshot(permission: AssetPermission) -> dict[str, Any]:
    values = {name: getattr(permission, name) for name in _COLUMNS}
    values["actions"] = to_names(permission.actions)
    return values


def _names(permission: AssetPermission, lists: Mapping[Link, Collection[UUID]]) -> dict[str, list[str]]:
    """Names of the linked objects for the audit record, only for the links in the call."""
    return {link.list_name: sorted(str(one) for one in getattr(permission, link.list_name).all()) for link in lists}
