"""Who reaches what before and after a change, measured on the tables in the transaction of the change.

Assets never move by a plan, and the nodes that it creates or deletes are empty. So only permissions and groups that the
plan touches can give or take access, and only the people named there are compared. The numbers are exact: the same rules
as in `perms.decisions`, at the instant of the change.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pyroaring import BitMap

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol
from postern.apps.perms.models import (
    AssetPermission,
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)
from postern.apps.plans.states.differences import Change
from postern.apps.users.models import Membership, User, UserGroupMember
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions

#: The lists name at most this many pairs of a person and an asset; the numbers count all of them.
MOST_LISTED: Final = 1_000
#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 500

#: System user → the numbers of the assets (`dense_id`) that may be used as it.
Grant = dict[UUID, BitMap]
_NOTHING: Final = BitMap()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What is gained, or lost. `pairs`: of a person and an asset that they reach at all only before or only after.

    `system_users`: name → pairs that are usable as it only before or only after. `listed`: the first of them as
    (username, hostname, system users).
    """

    people: int = 0
    assets: int = 0
    pairs: int = 0
    system_users: Mapping[str, int] = field(default_factory=dict)
    listed: Sequence[tuple[str, str, tuple[str, ...]]] = ()

    def shown(self) -> dict[str, Any]:
        """The side as JSON."""
        return {
            "people": self.people,
            "assets": self.assets,
            "pairs": self.pairs,
            "system_users": dict(self.system_users),
            "listed": [
                {"user": user, "asset": asset, "system_users": list(names)} for user, asset, names in self.listed
            ],
        }


@dataclass(frozen=True, slots=True)
class Access:
    """The access that a change gives and takes."""

    gained: Side = field(default_factory=Side)
    lost: Side = field(default_factory=Side)

    def shown(self) -> dict[str, Any]:
        """As JSON."""
        return {"gained": self.gained.shown(), "lost": self.lost.shown()}


class Measure:
    """Measures before the write (when it is made) and after it (`compared`)."""

    def __init__(self, org_id: UUID, at: datetime, changes: Iterable[Change]) -> None:
        self._org_id, self._at = org_id, at
        some = list(changes)
        permissions = [one for one in some if one.kind.name == "asset_permissions"]
        groups = [one for one in some if one.kind.name == "user_groups"]
        self._touched = {one.id for one in permissions if one.id is not None}
        self._people = self._concerned(permissions, groups)
        self._held = _permissions_of(org_id, at, self._people)
        self._grants = _grants(org_id, self._touched, at)

    def compared(self) -> Access:
        """The difference to now. Call it after the write, in the same transaction."""
        holds = _permissions_of(self._org_id, self._at, self._people)
        needed = {
            one
            for person in self._people
            if self._held[person] != holds[person] or self._touched & (self._held[person] | holds[person])
            for one in self._held[person] | holds[person]
        }
        after = _grants(self._org_id, needed, self._at)
        before = {**{key: grant for key, grant in after.items() if key not in self._touched}, **self._grants}
        gained, lost = _Tally(self._org_id), _Tally(self._org_id)
        alike: dict[tuple[frozenset[UUID], frozenset[UUID]], list[UUID]] = defaultdict(list)
        for person in sorted(self._people):
            alike[self._held[person], holds[person]].append(person)
        for (old, new), people in alike.items():
            had, has = _united(before, old), _united(after, new)
            gained.add(people, has, had)
            lost.add(people, had, has)
        return Access(gained.side(), lost.side())

    def _concerned(self, permissions: Sequence[Change], groups: Sequence[Change]) -> set[UUID]:
        """Everyone whose access can change: named by a touched permission or group, before or after."""
        usernames: set[str] = set()
        group_names: set[str] = set()
        for one in (*permissions, *groups):
            for values in (one.old, one.new):
                usernames |= set(values.get("users", ()))
                group_names |= set(values.get("user_groups", ()))
        group_ids = {one.id for one in groups if one.id is not None}
        people = {pk for names in _sets(usernames) for pk in _ids(User.objects.filter(username__in=names), "pk")}
        direct = [PermissionUser.objects.filter(assetpermission__in=ids) for ids in _sets(self._touched)]
        people |= {pk for rows in direct for pk in _ids(rows, "user_id")}
        named = [PermissionUserGroup.objects.filter(assetpermission__in=ids) for ids in _sets(self._touched)]
        group_ids |= {pk for rows in named for pk in _ids(rows, "usergroup_id")}
        by_name = [
            UserGroupMember.objects.filter(usergroup__org_id=self._org_id, usergroup__name__in=names)
            for names in _sets(group_names)
        ]
        by_id = [UserGroupMember.objects.filter(usergroup__in=ids) for ids in _sets(group_ids)]
        people |= {pk for rows in (*by_name, *by_id) for pk in _ids(rows, "user_id")}
        return people


class _Tally:
    """Counts one side."""

    def __init__(self, org_id: UUID) -> None:
        self._org_id = org_id
        self._people: list[tuple[UUID, Grant, BitMap]] = []
        self._assets = BitMap()
        self._pairs = 0
        self._by_system_user: dict[UUID, int] = defaultdict(int)

    def add(self, people: Sequence[UUID], more: Grant, less: Grant) -> None:
        """These people have `more` on the one side of the change, and `less` on the other."""
        new = {key: assets - less.get(key, _NOTHING) for key, assets in more.items()}
        new = {key: assets for key, assets in new.items() if assets}
        if not new:
            return
        whole = BitMap.union(*more.values()) - BitMap.union(*less.values()) if less else BitMap.union(*more.values())
        self._pairs += len(whole) * len(people)
        touched = BitMap.union(*new.values())
        self._assets |= touched
        for key, assets in new.items():
            self._by_system_user[key] += len(assets) * len(people)
        self._people += [(person, new, touched) for person in people]

    def side(self) -> Side:
        names = dict(SystemUser.objects.filter(pk__in=self._by_system_user).values_list("pk", "name"))
        counts = {names[key]: count for key, count in self._by_system_user.items()}
        return Side(
            people=len(self._people),
            assets=len(self._assets),
            pairs=self._pairs,
            system_users=dict(sorted(counts.items())),
            listed=tuple(self._listed(names)),
        )

    def _listed(self, names: Mapping[UUID, str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        left = MOST_LISTED
        keys = [person for person, _new, _assets in self._people]
        usernames = {
            pk: name
            for ids in _sets(keys)
            for pk, name in User.objects.filter(pk__in=ids).values_list("pk", "username")
        }
        for person, new, assets in sorted(self._people, key=lambda one: usernames[one[0]]):
            if left <= 0:
                return
            rows = [
                pair
                for numbers in _sets(assets)
                for pair in Asset.objects.filter(org_id=self._org_id, dense_id__in=numbers)
                .order_by()
                .values_list("hostname", "dense_id")
            ]
            for hostname, number in sorted(rows)[:left]:
                usable = tuple(sorted(names[key] for key, found in new.items() if number in found))
                yield usernames[person], hostname, usable
                left -= 1


def _permissions_of(org_id: UUID, at: datetime, people: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
    """The permissions of the organization that count for each person: directly or through a group."""
    found: dict[UUID, set[UUID]] = {person: set() for person in people}
    for ids in _sets(people):
        members = set(Membership.objects.filter(org_id=org_id, user_id__in=ids).values_list("user_id", flat=True))
        valid = [user.pk for user in User.objects.filter(pk__in=members) if _may_act(user, at)]
        direct = PermissionUser.objects.filter(user_id__in=valid, assetpermission__org_id=org_id).order_by()
        by_group = PermissionUserGroup.objects.filter(
            usergroup__member_rows__user_id__in=valid, assetpermission__org_id=org_id
        ).order_by()
        for person, permission in (
            *direct.values_list("user_id", "assetpermission_id"),
            *by_group.values_list("usergroup__member_rows__user_id", "assetpermission_id"),
        ):
            if person in found:
                found[person].add(permission)
    return {person: frozenset(ids) for person, ids in found.items()}


def _may_act(user: User, at: datetime) -> bool:
    return user.is_active and (user.date_expired is None or user.date_expired > at)


def _grants(org_id: UUID, permission_ids: Collection[UUID], at: datetime) -> dict[UUID, Grant]:
    """What each of these permissions lets its people reach now."""
    grants: dict[UUID, Grant] = {}
    for ids in _sets(permission_ids):
        rows = AssetPermission.objects.filter(pk__in=ids, is_active=True, date_start__lte=at, date_expired__gt=at)
        valid = [pk for pk, actions in rows.order_by().values_list("pk", "actions") if actions & Actions.CONNECT]
        assets: dict[UUID, BitMap] = defaultdict(BitMap)
        named = PermissionAsset.objects.filter(assetpermission__in=valid, asset__is_active=True).order_by()
        for permission, number in named.values_list("assetpermission_id", "asset__dense_id"):
            assets[permission].add(number)
        nodes = list(
            PermissionNode.objects.filter(assetpermission__in=valid).values_list("assetpermission_id", "node_id")
        )
        below = _below({node for _permission, node in nodes})
        for permission, node in nodes:
            assets[permission] |= below.get(node, _NOTHING)
        accounts = PermissionSystemUser.objects.filter(assetpermission__in=valid).order_by()
        speaking = list(accounts.values_list("assetpermission_id", "systemuser_id", "systemuser__protocol"))
        offers = _offers(org_id, {one for _permission, _account, one in speaking}, assets.values())
        for permission, account, protocol in speaking:
            grants.setdefault(permission, {})[account] = assets[permission] & offers[protocol]
    return grants


def _below(node_ids: Collection[UUID]) -> dict[UUID, BitMap]:
    """Node → the active assets in its subtree."""
    found: dict[UUID, BitMap] = defaultdict(BitMap)
    for ids in _sets(node_ids):
        rows = AssetNode.objects.filter(node__paths_up__ancestor__in=ids, asset__is_active=True).order_by()
        for node, number in rows.values_list("node__paths_up__ancestor_id", "asset__dense_id"):
            found[node].add(number)
    return found


def _offers(org_id: UUID, protocols: Collection[str], assets: Iterable[BitMap]) -> dict[str, BitMap]:
    """Protocol → those of the assets that offer it."""
    every = BitMap.union(*several) if (several := list(assets)) else BitMap()
    found = {protocol: BitMap() for protocol in protocols}
    for protocol in protocols:
        for numbers in _sets(every):
            rows = AssetProtocol.objects.filter(
                asset__org_id=org_id, name=protocol, asset__dense_id__in=numbers
            ).order_by()
            found[protocol] |= BitMap(rows.values_list("asset__dense_id", flat=True))
    return found


def _united(grants: Mapping[UUID, Grant], permission_ids: Iterable[UUID]) -> Grant:
    whole: Grant = {}
    for permission in permission_ids:
        for account, assets in grants.get(permission, {}).items():
            whole[account] = whole.get(account, _NOTHING) | assets
    return whole


def _ids(rows: Any, column: str) -> Iterator[UUID]:
    yield from rows.order_by().values_list(column, flat=True)


def _sets(keys: Iterable[Any]) -> Iterator[list[Any]]:
    """Sorted portions for queries."""
    several = sorted(keys)
    for start in range(0, len(several), _SET):
        yield several[start : start + _SET]
