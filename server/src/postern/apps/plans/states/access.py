"""Who reaches what before and after a change, measured on the tables in the transaction of the change.

Assets never move by a plan, and the nodes that it creates or deletes are empty. So only permissions and groups that the
plan touches can give or take access, and only the people named there are compared (`perms.previews.trial`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from pyroaring import BitMap

from postern.apps.perms.facade import AccessTrial, Case, Measured
from postern.apps.perms.models import PermissionUser, PermissionUserGroup
from postern.apps.plans.states.differences import Change
from postern.apps.users.models import User, UserGroupMember
from postern.apps.vault.models import SystemUser

#: The lists name at most this many pairs of a person and an asset; the numbers count all of them.
MOST_LISTED: Final = 1_000
#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 500


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
        self._org_id = org_id
        some = list(changes)
        permissions = [change for change in some if change.kind.name == "asset_permissions"]
        groups = [change for change in some if change.kind.name == "user_groups"]
        self._touched = {change.id for change in permissions if change.id is not None}
        self._trial = AccessTrial(org_id, at, people=self._concerned(permissions, groups), permissions=self._touched)

    def compared(self) -> Access:
        """The difference to now. Call it after the write, in the same transaction."""
        measured = self._trial.measured()
        return Access(_Side(measured, "gained").shown(), _Side(measured, "lost").shown())

    def _concerned(self, permissions: Sequence[Change], groups: Sequence[Change]) -> set[UUID]:
        """Everyone whose access can change: named by a touched permission or group, before or after."""
        usernames: set[str] = set()
        group_names: set[str] = set()
        for change in (*permissions, *groups):
            for values in (change.old, change.new):
                usernames |= set(values.get("users", ()))
                group_names |= set(values.get("user_groups", ()))
        group_ids = {change.id for change in groups if change.id is not None}
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


class _Side:
    """One side of the difference, with the names that a plan shows."""

    def __init__(self, measured: Measured, name: str) -> None:
        self._measured, self._name = measured, name
        cases = [(case.people, self._changed(case)) for case in measured.found.cases]
        self._cases = [(people, changed) for people, changed in cases if changed]

    def _changed(self, case: Case) -> dict[UUID, BitMap]:
        """System user → assets that are gained, or lost."""
        changed = {key: getattr(delta, self._name) for key, delta in case.system_users.items()}
        return {key: assets for key, assets in changed.items() if assets}

    def shown(self) -> Side:
        pairs: dict[UUID, int] = {}
        for people, changed in self._cases:
            for key, assets in changed.items():
                pairs[key] = pairs.get(key, 0) + len(people) * len(assets)
        names = dict(SystemUser.objects.filter(pk__in=pairs).values_list("pk", "name"))
        every = [assets for _people, changed in self._cases for assets in changed.values()]
        return Side(
            people=sum(len(people) for people, _changed in self._cases),
            assets=len(BitMap.union(*every)) if every else 0,
            pairs=getattr(self._measured.found, self._name).pairs,
            system_users=dict(sorted((names[key], count) for key, count in pairs.items())),
            listed=tuple(self._listed(names)),
        )

    def _listed(self, names: Mapping[UUID, str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        changed_of = {person: changed for people, changed in self._cases for person in people}
        usernames = {
            pk: name
            for ids in _sets(changed_of)
            for pk, name in User.objects.filter(pk__in=ids).values_list("pk", "username")
        }
        left = MOST_LISTED
        for person in sorted(changed_of, key=usernames.__getitem__):
            if left <= 0:
                return
            changed = changed_of[person]
            for number, hostname in self._measured.names(BitMap.union(*changed.values()), left):
                usable = tuple(sorted(names[key] for key, assets in changed.items() if number in assets))
                yield usernames[person], hostname, usable
                left -= 1


def _ids(rows: Any, column: str) -> Iterator[UUID]:
    yield from rows.order_by().values_list(column, flat=True)


def _sets(keys: Iterable[Any]) -> Iterator[list[Any]]:
    """Sorted portions for queries."""
    several = sorted(keys)
    for start in range(0, len(several), _SET):
        yield several[start : start + _SET]
