"""Writes of permissions of any kind and of their links. All objects of a permission belong to its organization, and
fit it by the rules of the kind.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import models, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.perms.granting.errors import FieldRefused
from postern.apps.perms.granting.events import AccessChanged
from postern.apps.perms.granting.kind import Kind, P
from postern.apps.perms.granting.links import Link
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database import row_writes
from postern.foundation.rest.relations import rows_by_key

_Lists = dict[Link, set[UUID]]
#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 500


@transaction.atomic
def create_permissions(kind: Kind[P], *, actor: Actor, org_id: UUID, items: Sequence[Mapping[str, Any]]) -> list[P]:
    """Create permissions with one statement for each table. `items`: columns, and a list of objects for each of the
    links. Raises FieldRefused, and what `require_writable` of the kind raises.
    """
    permissions = [kind.model(org_id=org_id, created_by=actor.label, **_columns(kind, values)) for values in items]
    lists = [_lists(kind, values) for values in items]
    for permission, own_lists in zip(permissions, lists, strict=True):
        kind.require_writable(permission)
        _check_dates(permission)
        if not own_lists.get(kind.system_users):
            raise FieldRefused("system_users", _("A permission needs at least one system user."))
    row_writes.insert(permissions)
    new = [_snapshot(kind, permission) for permission in permissions]
    with kind.around(org_id, [permission.pk for permission in permissions]):
        for link in kind.links:
            pairs = [
                (permission, own_lists[link])
                for permission, own_lists in zip(permissions, lists, strict=True)
                if link in own_lists
            ]
            names = {key: str(target) for key, target in _link(kind, org_id, link, pairs).items()}
            for values, own_lists in zip(new, lists, strict=True):
                if link in own_lists:
                    values[link.list_name] = sorted(names[key] for key in own_lists[link])
    changes = [audits.Change(permission, new=values) for permission, values in zip(permissions, new, strict=True)]
    audits.record_changes(actor=actor, action="create", changes=changes)
    events.publish(AccessChanged(org_id=org_id))
    return permissions


def update_permission(kind: Kind[P], *, actor: Actor, permission: P, values: Mapping[str, Any]) -> P:
    """Change the given values and no others. Raises FieldRefused, and what `require_writable` of the kind raises."""
    return update_permissions(kind, actor=actor, pairs=[(permission, values)])[0]


@transaction.atomic
def update_permissions(kind: Kind[P], *, actor: Actor, pairs: Sequence[tuple[P, Mapping[str, Any]]]) -> list[P]:
    """Change many permissions, each by its own values, with the same few statements for all; returns them in the given
    order. Raises as `update_permission` does.
    """
    rows = _locked(kind, [permission.pk for permission, _values in pairs])
    wanted = {permission.pk: values for permission, values in pairs}
    lists = {key: _lists(kind, values) for key, values in wanted.items()}
    old = {key: _snapshot(kind, row) for key, row in rows.items()}
    for key, values in wanted.items():
        kind.require_writable(rows[key])
        if kind.system_users in lists[key] and not lists[key][kind.system_users]:
            raise FieldRefused("system_users", _("A permission needs at least one system user."))
        for name, value in _columns(kind, values).items():
            setattr(rows[key], name, value)
        _check_dates(rows[key])
    new = {key: _snapshot(kind, row) for key, row in rows.items()}
    changed = {key: [name for name in new[key] if new[key][name] != old[key][name]] for key in wanted}
    columns = sorted({name for names in changed.values() for name in names})
    row_writes.change([rows[key] for key in wanted if changed[key]], (*columns, "date_updated"))
    for org_id in sorted({row.org_id for row in rows.values()}):
        own = [row for row in rows.values() if row.org_id == org_id]
        with kind.around(org_id, [row.pk for row in own]):
            for link in kind.links:
                named = [(row, lists[row.pk][link]) for row in own if link in lists[row.pk]]
                for key, (before, after) in _replace(kind, org_id, link, named).items():
                    changed[key].append(link.list_name)
                    old[key][link.list_name], new[key][link.list_name] = before, after
    changes = [
        audits.Change(rows[key], {name: old[key][name] for name in names}, {name: new[key][name] for name in names})
        for key, names in changed.items()
        if names  # without a change there is nothing to audit
    ]
    audits.record_changes(actor=actor, action="update", changes=changes)
    # The targets are permissions of the kind, which belong to organizations; the type of a change does not say so.
    for org_id in dict.fromkeys(change.target.org_id for change in changes):  # type: ignore[attr-defined]
        events.publish(AccessChanged(org_id=org_id))
    return [rows[permission.pk] for permission, _values in pairs]


@transaction.atomic
def delete_permission(kind: Kind[P], *, actor: Actor, permission: P) -> None:
    """Delete a permission. Users who had access only through it lose access at once."""
    kind.require_writable(permission)
    org_id = permission.org_id
    old = {**_snapshot(kind, permission), **_names(permission, kind.links)}
    with kind.around(org_id, [permission.pk]):
        recorded.delete_row(actor=actor, row=permission, old=old)
    events.publish(AccessChanged(org_id=org_id))


@transaction.atomic
def add_link(kind: Kind[P], *, actor: Actor, permission: P, link: Link, target: Any) -> models.Model:
    """Add one object to a permission. Does nothing when the link exists.

    Raises FieldRefused, and what `require_writable` of the kind raises.
    """
    # A concurrent deletion of the permission waits for this lock, or has finished before it.
    held = kind.model.objects.select_for_update(no_key=True).get(pk=permission.pk)
    kind.require_writable(held)
    _own(kind, held.org_id, link, [(held, {target.pk})])
    with kind.around(held.org_id, [held.pk], only=(link, target.pk)):
        row, created = link.rows.get_or_create(**{f"{kind.parent}_id": held.pk, f"{link.column}_id": target.pk})
    if created:
        audits.record_change(
            actor=actor,
            action="update",
            event=kind.link_added,
            target=held,
            new={link.list_name: str(target)},
        )
        events.publish(AccessChanged(org_id=held.org_id))
    linked_row: models.Model = row
    return linked_row


@transaction.atomic
def remove_link(kind: Kind[P], *, actor: Actor, link: Link, row: Any) -> None:
    """Remove one object from a permission. The last system user cannot be removed (S5-038)."""
    permission = kind.model.objects.select_for_update(no_key=True).get(pk=getattr(row, f"{kind.parent}_id"))
    kind.require_writable(permission)
    if link is kind.system_users and not link.rows_of(permission.pk).exclude(pk=row.pk).exists():
        raise FieldRefused(
            "system_users",
            _(
                "The last system user of a permission cannot be removed. Add another one first, or delete the permission."
            ),
        )
    name = str(getattr(row, link.column))
    with kind.around(permission.org_id, [permission.pk], only=(link, getattr(row, f"{link.column}_id"))):
        row.delete()
    audits.record_change(
        actor=actor,
        action="update",
        event=kind.link_removed,
        target=permission,
        old={link.list_name: name},
    )
    events.publish(AccessChanged(org_id=permission.org_id))


@transaction.atomic
def forget_user(kind: Kind[P], *, actor: Actor, user_id: UUID, org_id: UUID) -> None:
    """Remove a user who leaves an organization from its permissions, in the same transaction."""
    rows = kind.users.rows.filter(user_id=user_id, **{f"{kind.parent}__org_id": org_id})
    ids = set(rows.values_list(f"{kind.parent}_id", flat=True))
    permissions = list(kind.model.objects.filter(pk__in=ids))
    if not permissions:
        return
    rows.delete()
    name = str(User.objects.get(pk=user_id))
    audits.record_changes(
        actor=actor,
        action="update",
        event=kind.link_removed,
        changes=[audits.Change(permission, old={kind.users.list_name: name}) for permission in permissions],
    )
    events.publish(AccessChanged(org_id=org_id))


def _columns(kind: Kind[P], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in kind.columns if name in values}


def _lists(kind: Kind[P], values: Mapping[str, Any]) -> _Lists:
    return {
        link: {instance.pk for instance in values[link.list_name]} for link in kind.links if link.list_name in values
    }


def _check_dates(permission: P) -> None:
    if permission.date_expired <= permission.date_start:
        raise FieldRefused("date_expired", _("The end date must be later than the start date."))


def _locked(kind: Kind[P], keys: Collection[UUID]) -> dict[UUID, P]:
    """The present rows by id, locked in the order of their ids. Raises DoesNotExist when one is gone."""
    rows: dict[UUID, P] = {}
    for part in _parts(sorted(keys)):
        for row in kind.model.objects.select_for_update(no_key=True).filter(pk__in=part).order_by("pk"):
            rows[row.pk] = row
    if len(rows) < len(set(keys)):
        raise kind.model.DoesNotExist
    return rows


def _parts(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (keys[start : start + _SET] for start in range(0, len(keys), _SET))


def _replace(
    kind: Kind[P], org_id: UUID, link: Link, named: Sequence[tuple[P, Collection[UUID]]]
) -> dict[UUID, tuple[list[str], list[str]]]:
    """Make these the linked objects of the permissions. Returns the names before and after of the lists that differed,
    by permission.
    """
    held: dict[UUID, dict[UUID, int]] = {permission.pk: {} for permission, _ids in named}
    for part in _parts(list(held)):
        rows = link.rows.filter(**{f"{kind.parent}__in": part}).order_by()
        for key, permission_id, target_id in rows.values_list("pk", f"{kind.parent}_id", f"{link.column}_id"):
            held[permission_id][target_id] = key
    differing = [(permission, set(ids)) for permission, ids in named if set(ids) != held[permission.pk].keys()]
    targets = _link(
        kind, org_id, link, [(permission, ids - held[permission.pk].keys()) for permission, ids in differing]
    )
    gone = [
        key for permission, ids in differing for target_id, key in held[permission.pk].items() if target_id not in ids
    ]
    for part in _parts(gone):
        link.rows.filter(pk__in=part).delete()
    targets |= rows_by_key(link.target, {key for permission, _ids in differing for key in held[permission.pk]}, None)
    names = {key: str(target) for key, target in targets.items()}
    return {
        permission.pk: (sorted(names[key] for key in held[permission.pk]), sorted(names[key] for key in ids))
        for permission, ids in differing
    }


def _link(kind: Kind[P], org_id: UUID, link: Link, pairs: Sequence[tuple[P, Collection[UUID]]]) -> dict[UUID, Any]:
    """Link new objects to permissions of the organization; returns these objects by id."""
    targets = _own(kind, org_id, link, pairs)
    row_writes.insert(
        [
            link.table(**{kind.parent: permission, f"{link.column}_id": target_id})
            for permission, ids in pairs
            for target_id in sorted(ids)
        ]
    )
    return targets


def _own(kind: Kind[P], org_id: UUID, link: Link, pairs: Sequence[tuple[P, Collection[UUID]]]) -> dict[UUID, Any]:
    """The objects with these ids. Users must be members of the organization; all other objects must belong to it (K68:
    rows refer to their own organization only), and fit their permission.
    """
    ids = {target_id for _permission, own_ids in pairs for target_id in own_ids}
    if link is kind.users:
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
        kind.require_fitting(permission, link, [targets[target_id] for target_id in own_ids])
    return targets


def _snapshot(kind: Kind[P], permission: P) -> dict[str, Any]:
    values = {name: getattr(permission, name) for name in kind.columns}
    return {name: kind.recorded[name](value) if name in kind.recorded else value for name, value in values.items()}


def _names(permission: P, links: Collection[Link]) -> dict[str, list[str]]:
    """Names of the linked objects for the audit record, only for the links in the call."""
    return {
        link.list_name: sorted(str(target) for target in getattr(permission, link.list_name).all()) for link in links
    }
