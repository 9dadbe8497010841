"""Writes of application permissions and of their links. All objects of a permission belong to its organization, its
applications have its type, and its system users speak the protocol of the type.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import models, transaction
from django.utils.translation import gettext as _

from postern.apps.applications import facade as applications
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.perms.application_grants.links import APPLICATIONS, LINKS, SYSTEM_USERS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission, ApplicationPermissionUser
from postern.apps.perms.application_permissions import accounts
from postern.apps.perms.grants.links import Link
from postern.apps.perms.permissions.errors import FieldRefused
from postern.apps.perms.permissions.events import AccessChanged
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation import licensing
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database import row_writes
from postern.foundation.rest.relations import rows_by_key

_COLUMNS: Final = ("name", "category", "type", "is_active", "date_start", "date_expired", "comment")
_Lists = dict[Link, set[UUID]]


@transaction.atomic
def create_permissions(
    *, actor: Actor, org_id: UUID, items: Sequence[Mapping[str, Any]]
) -> list[ApplicationPermission]:
    """Create permissions with one statement for each table. `items`: columns, and a list of objects for each of the
    four links. Raises FieldRefused, LicenceRequired.
    """
    permissions = [ApplicationPermission(org_id=org_id, created_by=actor.label, **_columns(values)) for values in items]
    lists = [_lists(values) for values in items]
    for permission, own_lists in zip(permissions, lists, strict=True):
        _require_licence(permission)
        _check_dates(permission)
        if not own_lists.get(SYSTEM_USERS):
            raise FieldRefused("system_users", _("A permission needs at least one system user."))
    row_writes.insert(permissions)
    new = [_snapshot(permission) for permission in permissions]
    with accounts.kept(org_id, [permission.pk for permission in permissions]):
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
def update_permission(
    *, actor: Actor, permission: ApplicationPermission, values: Mapping[str, Any]
) -> ApplicationPermission:
    """Change the given values and no others. Raises FieldRefused, LicenceRequired."""
    row: ApplicationPermission = ApplicationPermission.objects.select_for_update(no_key=True).get(pk=permission.pk)
    _require_licence(row)
    lists = _lists(values)
    if SYSTEM_USERS in lists and not lists[SYSTEM_USERS]:
        raise FieldRefused("system_users", _("A permission needs at least one system user."))
    old = {**_snapshot(row), **_names(row, lists)}
    for name, value in _columns(values).items():
        setattr(row, name, value)
    _check_dates(row)
    columns = _snapshot(row)
    if any(columns[name] != old[name] for name in columns):
        row.save()
    with accounts.kept(row.org_id, [row.pk]):
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
def delete_permission(*, actor: Actor, permission: ApplicationPermission) -> None:
    """Delete a permission. Users who had access only through it lose access at once. Raises LicenceRequired."""
    _require_licence(permission)
    org_id = permission.org_id
    old = {**_snapshot(permission), **_names(permission, LINKS)}
    with accounts.kept(org_id, [permission.pk]):
        recorded.delete_row(actor=actor, row=permission, old=old)
    events.publish(AccessChanged(org_id=org_id))


@transaction.atomic
def add_link(*, actor: Actor, permission: ApplicationPermission, link: Link, target: Any) -> models.Model:
    """Add one object to a permission. Does nothing when the link exists. Raises FieldRefused, LicenceRequired."""
    # A concurrent deletion of the permission waits for this lock, or has finished before it.
    held = ApplicationPermission.objects.select_for_update(no_key=True).get(pk=permission.pk)
    _require_licence(held)
    _own(held.org_id, link, [(held, {target.pk})])
    with accounts.kept(held.org_id, [held.pk], only=(link, target.pk)):
        row, created = link.rows.get_or_create(applicationpermission=held, **{f"{link.column}_id": target.pk})
    if created:
        audits.record_change(
            actor=actor,
            action="update",
            event=audits.Event.APP_LINK_ADDED,
            target=held,
            new={link.list_name: str(target)},
        )
        events.publish(AccessChanged(org_id=held.org_id))
    linked_row: models.Model = row
    return linked_row


@transaction.atomic
def remove_link(*, actor: Actor, link: Link, row: Any) -> None:
    """Remove one object from a permission. The last system user cannot be removed (S5-038)."""
    permission = ApplicationPermission.objects.select_for_update(no_key=True).get(pk=row.applicationpermission_id)
    _require_licence(permission)
    if link is SYSTEM_USERS and not link.rows.filter(applicationpermission=permission).exclude(pk=row.pk).exists():
        raise FieldRefused(
            "system_users",
            _(
                "The last system user of a permission cannot be removed. Add another one first, or delete the permission."
            ),
        )
    name = str(getattr(row, link.column))
    with accounts.kept(permission.org_id, [permission.pk], only=(link, getattr(row, f"{link.column}_id"))):
        row.delete()
    audits.record_change(
        actor=actor,
        action="update",
        event=audits.Event.APP_LINK_REMOVED,
        target=permission,
        old={link.list_name: name},
    )
    events.publish(AccessChanged(org_id=permission.org_id))


@transaction.atomic
def forget_user(*, actor: Actor, user_id: UUID, org_id: UUID) -> None:
    """Remove a user who leaves an organization from its permissions, in the same transaction."""
    rows = ApplicationPermissionUser.objects.filter(user_id=user_id, applicationpermission__org_id=org_id)
    ids = set(rows.values_list("applicationpermission_id", flat=True))
    permissions = list(ApplicationPermission.objects.filter(pk__in=ids))
    if not permissions:
        return
    rows.delete()
    name = str(User.objects.get(pk=user_id))
    audits.record_changes(
        actor=actor,
        action="update",
        event=audits.Event.APP_LINK_REMOVED,
        changes=[audits.Change(permission, old={USERS.list_name: name}) for permission in permissions],
    )
    events.publish(AccessChanged(org_id=org_id))


def _require_licence(permission: ApplicationPermission) -> None:
    if applications.DECLARATIONS[permission.type].needs_licence:
        licensing.require()


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in _COLUMNS if name in values}


def _lists(values: Mapping[str, Any]) -> _Lists:
    return {link: {one.pk for one in values[link.list_name]} for link in LINKS if link.list_name in values}


def _check_dates(permission: ApplicationPermission) -> None:
    if permission.date_expired <= permission.date_start:
        raise FieldRefused("date_expired", _("The end date must be later than the start date."))


def _set(permission: ApplicationPermission, link: Link, wanted: Collection[UUID]) -> None:
    rows = link.rows.filter(applicationpermission=permission)
    held = set(rows.values_list(f"{link.column}_id", flat=True))
    _link(permission.org_id, link, [(permission, set(wanted) - held)])
    rows.filter(**{f"{link.column}_id__in": held - set(wanted)}).delete()


def _link(org_id: UUID, link: Link, pairs: Sequence[tuple[ApplicationPermission, Collection[UUID]]]) -> dict[UUID, Any]:
    """Link new objects to permissions of the organization; returns these objects by id."""
    targets = _own(org_id, link, pairs)
    row_writes.insert(
        [
            link.table(applicationpermission=permission, **{f"{link.column}_id": target_id})
            for permission, ids in pairs
            for target_id in sorted(ids)
        ]
    )
    return targets


def _own(org_id: UUID, link: Link, pairs: Sequence[tuple[ApplicationPermission, Collection[UUID]]]) -> dict[UUID, Any]:
    """The objects with these ids. Users must be members of the organization; all other objects must belong to it (K68:
    rows refer to their own organization only), and fit the type of their permission.
    """
    ids = {target_id for _permission, own_ids in pairs for target_id in own_ids}
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
    for permission, own_ids in pairs:
        _require_fitting(permission, link, [targets[one] for one in own_ids])
    return targets


def _require_fitting(permission: ApplicationPermission, link: Link, targets: Collection[Any]) -> None:
    declaration = applications.DECLARATIONS[permission.type]
    if link is APPLICATIONS:
        wrong = sorted(one.name for one in targets if one.type != permission.type)
        message = _("This permission is for %(type)s. %(name)s has another type.")
        values = {"type": declaration.type.label}
    elif link is SYSTEM_USERS:
        wrong = sorted(one.name for one in targets if one.protocol != declaration.protocol.value)
        message = _("System users of this permission must use %(protocol)s. %(name)s uses another protocol.")
        values = {"protocol": declaration.protocol.value}
    else:
        return
    if wrong:
        raise FieldRefused(link.list_name, message % {**values, "name": wrong[0]})


def _snapshot(permission: ApplicationPermission) -> dict[str, Any]:
    return {name: getattr(permission, name) for name in _COLUMNS}


def _names(permission: ApplicationPermission, links: Collection[Link]) -> dict[str, list[str]]:
    """Names of the linked objects for the audit record, only for the links in the call."""
    return {link.list_name: sorted(str(one) for one in getattr(permission, link.list_name).all()) for link in links}
