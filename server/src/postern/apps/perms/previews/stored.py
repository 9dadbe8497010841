"""Reads what decides access in one organization, for the permissions and people that a change may concern."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from postern.apps.perms.application_grants import links as application_links
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.grants import links as asset_links
from postern.apps.perms.grants.links import Link
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.previews.changes import Permission
from postern.apps.perms.previews.reading import RowsByKey
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.contracts.enums import Actions
from postern.foundation.database.stored_ids import Ids, Stored, instant, stored_ids


@dataclass(frozen=True, slots=True)
class Kind:
    """Asset permissions or application permissions: their tables, and the field of a permission that a table fills."""

    model: Any
    links: Mapping[str, Link]
    own: str
    columns: tuple[str, ...]

    @property
    def users(self) -> Link:
        return self.links["users"]

    @property
    def user_groups(self) -> Link:
        return self.links["user_groups"]


_COMMON: Final = ("pk", "org_id", "is_active", "date_start", "date_expired")
ASSETS: Final = Kind(
    AssetPermission,
    {
        "users": asset_links.USERS,
        "user_groups": asset_links.USER_GROUPS,
        "targets": asset_links.ASSETS,
        "nodes": asset_links.NODES,
        "system_users": asset_links.SYSTEM_USERS,
    },
    "assetpermission_id",
    (*_COMMON, "actions"),
)
APPLICATIONS: Final = Kind(
    ApplicationPermission,
    {
        "users": application_links.USERS,
        "user_groups": application_links.USER_GROUPS,
        "targets": application_links.APPLICATIONS,
        "system_users": application_links.SYSTEM_USERS,
    },
    "applicationpermission_id",
    (*_COMMON, "type"),
)


def valid(kind: Kind, ids: Collection[Stored], at: datetime) -> list[Stored]:
    """Those of the permissions that grant something at the instant."""
    valid_keys = []
    for key, is_active, start, end, special in _validity(kind.own).rows(ids):
        connects = kind is not ASSETS or special & Actions.CONNECT
        if is_active and connects and instant(start) <= at < instant(end):
            valid_keys.append(key)
    return valid_keys


@cache
def _validity(own: str) -> RowsByKey:
    kind = ASSETS if own == ASSETS.own else APPLICATIONS
    columns = ("id", *kind.columns[2:])
    return RowsByKey(lambda keys: kind.model.objects.filter(pk__in=keys).order_by(), *columns)


def permissions(kind: Kind, ids: Collection[UUID], *, org_id: UUID | None = None) -> dict[UUID, Permission]:
    """The stored permissions with these ids and all that they name."""
    rows = kind.model.objects.filter(pk__in=ids).order_by()
    if org_id is not None:
        rows = rows.filter(org_id=org_id)
    permissions = {}
    for key, owner, is_active, start, end, special in rows.values_list(*kind.columns):
        of_kind = {"connects": bool(special & Actions.CONNECT)} if kind is ASSETS else {"type": special}
        permissions[key] = Permission(
            id=key, org_id=owner, is_active=is_active, date_start=start, date_expired=end, **of_kind
        )
    named: dict[str, dict[UUID, list[UUID]]] = {name: defaultdict(list) for name in kind.links}
    for name, link in kind.links.items():
        pairs = link.rows.filter(**{f"{kind.own}__in": list(permissions)}).order_by()
        for permission, target in pairs.values_list(kind.own, f"{link.column}_id"):
            named[name][permission].append(target)
    return {
        key: permission.changed({name: frozenset(rows[key]) for name, rows in named.items() if key in rows})
        for key, permission in permissions.items()
    }


@dataclass(frozen=True, slots=True)
class Named:
    """Stored permissions by the people and by the groups that they name."""

    by_user: Mapping[UUID, set[Stored]]
    by_group: Mapping[UUID, set[Stored]]

    @property
    def permission_ids(self) -> set[Stored]:
        """All of these permissions."""
        return set().union(*self.by_user.values(), *self.by_group.values())


def naming_people(kind: Kind, org_id: UUID, people: Collection[UUID], groups: Collection[UUID]) -> Named:
    """The organization's permissions that name one of the people or groups."""
    # Compare the organization in Python: SQLite would use its index and read all permissions of the organization.
    [own_org] = stored_ids([org_id])
    keys_by_kind: list[dict[UUID, set[Stored]]] = []
    for name, keys in (("users", people), ("user_groups", groups)):
        ids, of = Ids(), dict[UUID, set[Stored]]()
        for key, permission, org in _naming(kind.own, kind.links[name]).rows(stored_ids(keys)):
            if org == own_org:
                of.setdefault(ids.of(key), set()).add(permission)
        keys_by_kind.append(of)
    return Named(*keys_by_kind)


@cache
def _naming(own: str, link: Link) -> RowsByKey:
    return RowsByKey(
        lambda keys: link.rows.filter(**{f"{link.column}_id__in": keys}).order_by(),
        f"{link.column}_id",
        own,
        f"{own.removesuffix('_id')}__org_id",
    )


def permissions_naming(kind: Kind, *, targets: Collection[UUID] = (), nodes: Collection[UUID] = ()) -> set[UUID]:
    """Ids of the permissions that name one of the targets or nodes."""
    permission_ids: set[UUID] = set()
    for name, keys in (("targets", targets), ("nodes", nodes)):
        if keys and name in kind.links:
            link = kind.links[name]
            rows = link.rows.filter(**{f"{link.column}_id__in": keys}).order_by()
            permission_ids.update(rows.values_list(kind.own, flat=True))
    return permission_ids


def members_of(org_id: UUID, groups: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
    """The members of each of these groups of the organization."""
    own = set(UserGroup.objects.filter(pk__in=groups, org_id=org_id).order_by().values_list("pk", flat=True))
    people_by_group: defaultdict[UUID, set[UUID]] = defaultdict(set)
    rows = UserGroupMember.objects.filter(usergroup_id__in=own).order_by()
    for group, person in rows.values_list("usergroup_id", "user_id"):
        people_by_group[group].add(person)
    return {group: frozenset(people_by_group[group]) for group in own}


def groups_of(org_id: UUID, people: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """The groups of the organization that each of these people is in."""
    rows = UserGroupMember.objects.filter(user_id__in=people).order_by()
    groups_by_person: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for person, group, org in rows.values_list("user_id", "usergroup_id", "usergroup__org_id"):
        if org == org_id:
            groups_by_person[person].add(group)
    return groups_by_person


def standing(org_id: UUID, people: Collection[UUID], at: datetime, assumed: Mapping[UUID, bool]) -> set[UUID]:
    """Those of the people who are members of the organization, and active and unexpired at the instant.

    `assumed`: whether these people are both, whatever is stored.
    """
    rows = User.objects.filter(pk__in=people).order_by().values_list("pk", "is_active", "date_expired")
    members = Membership.objects.filter(user_id__in=people).order_by().values_list("user_id", "org_id")
    in_org = {key for key, org in members if org == org_id}
    return {
        key
        for key, is_active, end in rows
        if key in in_org and assumed.get(key, is_active and (end is None or end > at))
    }
