"""Writes of system users and of their bindings.

Secrets go into the encrypted store; audit records only say that they changed.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import models, transaction
from django.utils.translation import gettext as _

from postern.apps.assets.models import Connectivity
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.users import facade as users
from postern.apps.users.models import Membership, User
from postern.apps.vault.sealed_secrets import outside, secret_store
from postern.apps.vault.system_users import bindings, command_filters
from postern.apps.vault.system_users.errors import AccountHasSecret, BoundByNode, NotAMember
from postern.apps.vault.system_users.events import AccountChanged, SystemUserBound, SystemUsersChanged
from postern.apps.vault.system_users.models import SystemUser, SystemUserAsset, SystemUserNode, SystemUserUser
from postern.apps.vault.system_users.places import SYSTEM_USERS, place_of
from postern.apps.vault.system_users.rules import Plan, plan
from postern.apps.vault.system_users.uses import uses_of
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.uses import require_unused
from postern.kernel import clock
from postern.kernel.ids import new_id

_COLUMNS: Final = (
    "name",
    "username",
    "type",
    "protocol",
    "login_mode",
    "priority",
    "sudo",
    "shell",
    "sftp_root",
    "home",
    "system_groups",
    "ad_domain",
    "username_same_with_user",
    "auto_push",
    "comment",
)


#: Properties of the account on hosts. Switching auto push on counts too: from then on the account has to exist.
_OF_THE_ACCOUNT: Final = frozenset(("username", "sudo", "shell", "home", "system_groups", "login_mode", "auto_push"))


def hold(system_user_ids: Collection[UUID], *, deleting: bool = False) -> None:
    """Lock system users and their secrets until the transaction ends. Call it first in a write (`row_locks`)."""
    row_locks.lock(SystemUser, system_user_ids, deleting=deleting)
    secret_store.lock_all(SYSTEM_USERS, system_user_ids, deleting=deleting)


def hold_filters(values: Iterable[Mapping[str, Any]]) -> None:
    """Protect the command filters in the values of a write from deletion. Call it after `hold`."""
    named = {row.pk for item in values for row in item.get("cmd_filters") or ()}
    if named:
        command_filters.FILTERS.value.hold(named)


def hold_bound(
    system_users: Collection[SystemUser],
    target: type[models.Model],
    *,
    bound: Collection[UUID] = (),
    binding: Collection[UUID] = (),
) -> None:
    """Lock the objects that system users are or will be bound to: assets, nodes or users. Call it first in a write."""
    row_locks.lock(SystemUser, [row.pk for row in system_users])
    row_locks.share(target, bound, required=binding)
    if target is User:
        users.hold_memberships({*bound, *binding}, {row.org_id for row in system_users})


@transaction.atomic
def create_system_user(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> SystemUser:
    """Create a system user. `values`: columns, `password`, `private_key`, `token`, `auto_generate_key`,
    `cmd_filters`.
    """
    blank = SystemUser(id=outside.repeatable("id", new_id), org_id=org_id, created_by=actor.label)
    made = plan(_own(values), _columns_of(blank), creating=True, held=set())
    for name, value in made.columns.items():
        setattr(blank, name, value)
    _take_public_key(blank, made)
    blank.save(force_insert=True)
    secret_store.put_all(place_of(blank, ""), made.secrets)
    filters = _replace_filters(blank, values)[1]
    audits.record_change(
        actor=actor,
        action="create",
        target=blank,
        new={**_columns_of(blank), **secret_store.masked(made.secrets), **filters},
    )
    events.publish(SystemUsersChanged(org_id=org_id))
    return blank


@transaction.atomic
def update_system_user(*, actor: Actor, system_user: SystemUser, values: Mapping[str, Any]) -> SystemUser:
    """Change the given values. An empty secret keeps the stored secret, and null removes it."""
    row: SystemUser = SystemUser.objects.select_for_update(no_key=True).get(pk=system_user.pk)
    old = _columns_of(row)
    held = secret_store.held_columns(place_of(row, ""))
    made = plan(_own(values), old, creating=False, held=held)
    for name, value in made.columns.items():
        setattr(row, name, value)
    new = _columns_of(row)
    changed = [name for name in _COLUMNS if old[name] != new[name]]
    filters_before, filters_after = _replace_filters(row, values)
    if not changed and not made.secrets and not made.cleared and not filters_after:  # no change, so nothing to audit
        return row
    _take_public_key(row, made)
    row.save()
    secret_store.put_all(place_of(row, ""), made.secrets)
    for name in made.cleared:
        secret_store.drop(place_of(row, name))
    secrets = {*made.secrets, *made.cleared}
    if secrets:
        _forget_tests(row)
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={**{name: old[name] for name in changed}, **secret_store.masked(secrets, held), **filters_before},
        new={
            **{name: new[name] for name in changed},
            **secret_store.masked(secrets, set(made.secrets)),
            **filters_after,
        },
    )
    events.publish(SystemUsersChanged(org_id=row.org_id))
    if secrets or _OF_THE_ACCOUNT.intersection(changed):
        events.publish(AccountChanged(by=actor, org_id=row.org_id, system_user_id=row.pk))
    return row


@transaction.atomic
def delete_system_user(*, actor: Actor, system_user: SystemUser) -> None:
    """Delete a system user with its secrets. Raises StillUsed while permissions, assets, nodes or tasks use it."""
    # Under the lock: a secret stored at this moment would be left behind, and a use made at this moment not be seen.
    hold([system_user.pk], deleting=True)
    require_unused(str(system_user), uses_of(system_user))
    org_id = system_user.org_id
    old = _columns_of(system_user)
    secret_store.drop_all(place_of(system_user, ""))
    recorded.delete_row(actor=actor, row=system_user, old=old)
    events.publish(SystemUsersChanged(org_id=org_id))


@transaction.atomic
def clear_secrets(*, actor: Actor, system_user: SystemUser) -> None:
    """Delete the secrets of a system user; does nothing when there are none."""
    hold([system_user.pk])
    place = place_of(system_user, "")
    held = secret_store.held_columns(place)
    if not held and not system_user.ssh_key_fingerprint:
        return
    secret_store.drop_all(place)
    SystemUser.objects.filter(pk=system_user.pk).update(public_key="", ssh_key_fingerprint="")
    audits.record_change(
        actor=actor,
        action="update",
        event=audits.Event.SYSTEMUSER_SECRETS_CLEARED,
        target=system_user,
        old=secret_store.masked(held),
        new=dict.fromkeys(sorted(held)),
    )


@transaction.atomic
def bind_user(*, actor: Actor, row: SystemUserUser) -> models.Model:
    """Bind a system user to a user. Raises NotAMember.

    The membership is locked until the binding is written, so a user who leaves at the same time is not bound
    afterwards.
    """
    memberships = Membership.objects.select_for_update(no_key=True).filter(
        user=row.user_id, org_id=row.systemuser.org_id
    )
    if not list(memberships.order_by("pk").values_list("pk", flat=True)):
        raise NotAMember
    return bind(actor=actor, row=row)


@transaction.atomic
def forget_user(*, actor: Actor, user_id: UUID, org_id: UUID) -> None:
    """Remove a user who leaves an organization from its system users, in the same transaction."""
    rows = list(
        SystemUserUser.objects.filter(user_id=user_id, systemuser__org_id=org_id)
        .select_related("systemuser", "user")
        .order_by("pk")
    )
    if not rows:
        return
    SystemUserUser.objects.filter(pk__in=[row.pk for row in rows]).delete()
    audits.record_changes(
        actor=actor,
        action="update",
        event=audits.Event.SYSTEMUSER_UNBOUND,
        changes=[audits.Change(row.systemuser, old={"user": str(row.user)}) for row in rows],
    )


@transaction.atomic
def bind(*, actor: Actor, row: models.Model) -> models.Model:
    """Save a new binding row (asset, node or user of a system user); an existing row is returned."""
    lookup = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields  # noqa: SLF001 - the documented model API
        if field.is_relation
    }
    if isinstance(row, SystemUserAsset):
        return _bind_asset(actor, row, lookup)
    binding, created = type(row)._default_manager.get_or_create(**lookup)  # noqa: SLF001 - the documented model API
    if created:
        if isinstance(binding, SystemUserNode):
            bindings.note_change(binding)
        _record_binding(actor, binding, audits.Event.SYSTEMUSER_BOUND)
    return binding


def _bind_asset(actor: Actor, row: SystemUserAsset, lookup: Mapping[str, Any]) -> SystemUserAsset:
    """Add the account, or note that it stays when no node asks for it any more."""
    values = {"org_id": row.asset.org_id, "created_by": actor.label[:128]}
    binding, created = SystemUserAsset.objects.get_or_create(**lookup, username="", defaults=values)
    if not created and not binding.is_direct:
        created = bool(SystemUserAsset.objects.filter(pk=binding.pk, is_direct=False).update(is_direct=True))
        binding.is_direct = True
    if created:
        _record_binding(actor, binding, audits.Event.SYSTEMUSER_BOUND)
    account: SystemUserAsset = binding
    return account


@transaction.atomic
def unbind(*, actor: Actor, row: models.Model) -> None:
    """Delete a binding row. Raises BoundByNode, AccountHasSecret.

    The account on an asset stays as long as a node asks for it.
    """
    row_id = row.pk
    if isinstance(row, SystemUserAsset) and _stays(row):
        _record_binding(actor, row, audits.Event.SYSTEMUSER_UNBOUND)
        return
    if isinstance(row, SystemUserNode):
        bindings.note_change(row)
    row.delete()
    row.pk = row_id  # the lock of the audit chain is taken last, as in every write
    _record_binding(actor, row, audits.Event.SYSTEMUSER_UNBOUND)


def _stays(row: SystemUserAsset) -> bool:
    """Whether the account stays because of a node; in that case it no longer counts as added by hand."""
    row.refresh_from_db(fields=["is_direct", "has_own_secret"])
    nodes = bindings.nodes_that_bind(row)
    names = {"system_user": str(row.systemuser), "asset": str(row.asset)}
    if nodes and not row.is_direct:
        raise BoundByNode(
            _(
                "%(system_user)s is on %(asset)s because it is bound to the node %(node)s. Remove it from the node, or "
                "take the asset out of the node."
            )
            % {**names, "node": nodes[0]}
        )
    if nodes:
        SystemUserAsset.objects.filter(pk=row.pk).update(is_direct=False)
        return True
    if row.has_own_secret:
        raise AccountHasSecret(
            _("%(system_user)s has a secret of its own on %(asset)s. Delete the account on the tab Accounts.") % names
        )
    return False


def _forget_tests(row: SystemUser) -> None:
    """The accounts that sign in with the secret that was just changed are unverified again."""
    accounts = SystemUserAsset.objects.filter(systemuser=row, has_own_secret=False)
    list(accounts.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # in the order of `note_accounts`
    accounts.order_by().update(connectivity=Connectivity.UNKNOWN, date_verified=None, date_secret_changed=clock.now())


def _record_binding(actor: Actor, row: Any, event: audits.Event) -> None:
    other = next(name for name in ("asset", "node", "user") if hasattr(row, name))
    if event is audits.Event.SYSTEMUSER_BOUND:
        bound: dict[str, UUID] = {f"{other}_id": getattr(row, f"{other}_id")}
        events.publish(
            SystemUserBound(by=actor, org_id=row.systemuser.org_id, system_user_id=row.systemuser_id, **bound)
        )
    shown, gone = {other: str(getattr(row, other))}, event is audits.Event.SYSTEMUSER_UNBOUND
    audits.record_change(
        actor=actor,
        action="update",
        event=event,
        target=row.systemuser,
        old=shown if gone else None,
        new=None if gone else shown,
    )


def _own(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values without those that an app above stores."""
    return {name: value for name, value in values.items() if name != "cmd_filters"}


def _replace_filters(row: SystemUser, values: Mapping[str, Any]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Set the command filters if `values` has them; returns what the record says of them, nothing without a change."""
    wanted = values.get("cmd_filters")
    if wanted is None:
        return {}, {}
    before, after = command_filters.FILTERS.value.replace(row, wanted)
    return ({}, {}) if before == after else ({"cmd_filters": before}, {"cmd_filters": after})


def _columns_of(row: SystemUser) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _COLUMNS}


def _take_public_key(row: SystemUser, made: Plan) -> None:
    if made.key is not None:
        row.public_key, row.ssh_key_fingerprint = made.key.public_key, made.key.fingerprint
    elif "private_key" in made.cleared:
        row.public_key, row.ssh_key_fingerprint = "", ""
