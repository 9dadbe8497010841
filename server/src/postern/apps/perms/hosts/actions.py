"""Creates a host in one step: the asset, the account on it, and the permission to connect. All or nothing."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node, Platform
from postern.apps.perms.grants.links import SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions import actions, holding
from postern.apps.users.models import User, UserGroup
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks

_MAX_NAME = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class NewHost:
    """The requested host. `asset` and `account` are values for their own actions.

    The account is an existing or a new system user. Without users and groups, no permission is created.
    """

    asset: Mapping[str, Any]
    system_user: SystemUser | None = None
    account: Mapping[str, Any] | None = None
    users: Collection[User] = ()
    user_groups: Collection[UserGroup] = field(default=())


@dataclass(frozen=True, slots=True)
class AddedHost:
    """The created rows. `permission` is None when no users or groups were given."""

    asset: Asset
    system_user: SystemUser
    permission: AssetPermission | None


def hold(org_id: UUID, wish: NewHost) -> None:
    """Lock the rows that the new rows refer to: users, then the account, then the tree and its objects
    (`row_locks`).
    """
    named: dict[Any, Collection[UUID]] = {
        USERS: [user.pk for user in wish.users],
        USER_GROUPS: [group.pk for group in wish.user_groups],
        SYSTEM_USERS: [wish.system_user.pk] if wish.system_user else [],
    }
    holding.hold([], [org_id], named=named)
    assets.hold_trees({org_id})
    row_locks.share(Platform, (), required={wish.asset["platform"].pk})
    row_locks.share(Node, (), required={node.pk for node in wish.asset.get("nodes") or ()})


@transaction.atomic
def add_host(*, actor: Actor, org_id: UUID, wish: NewHost) -> AddedHost:
    """Create the asset, the account unless it exists, and the permission if users or groups are given.

    Each gets its audit record.
    """
    asset = assets.create_asset(actor=actor, org_id=org_id, values=wish.asset)
    system_user = wish.system_user
    if system_user is None:
        system_user = vault.create_system_user(actor=actor, org_id=org_id, values=wish.account or {})
    if not wish.users and not wish.user_groups:
        return AddedHost(asset, system_user, None)
    values = {
        "name": _free_name(org_id, asset.hostname),
        "users": list(wish.users),
        "user_groups": list(wish.user_groups),
        "assets": [asset],
        "system_users": [system_user],
    }
    permission = actions.create_permission(actor=actor, org_id=org_id, values=values)
    return AddedHost(asset, system_user, permission)


def _free_name(org_id: UUID, hostname: str) -> str:
    """A permission name that is free: the host's name, with a number if necessary."""
    taken = set(AssetPermission.objects.filter(org_id=org_id, name__startswith=hostname).values_list("name", flat=True))
    name, number = hostname, 2
    while name in taken:
        end = f" ({number})"
        name, number = hostname[: _MAX_NAME - len(end)] + end, number + 1
    return name
