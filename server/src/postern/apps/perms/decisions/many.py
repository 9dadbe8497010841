"""The facts about many requests at once, for re-deciding all live sessions: a dozen queries per batch.

`queries.load_facts` loads the same facts for one request with one query. A test compares the two.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.assets.models import Asset, AssetProtocol
from postern.apps.perms.decisions.decision import AssetFacts, Facts, GrantFacts, Named, SystemUserFacts, UserFacts, Via
from postern.apps.perms.grants.models import (
    AssetPermission,
    PermissionAsset,
    PermissionNode,
    PermissionSystemUser,
    PermissionUser,
    PermissionUserGroup,
)
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol

#: Requests per batch; SQLite limits the number of parameters in a query.
_SET: Final = 200

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """May this user use this system user on this asset with this protocol?"""

    user_id: UUID
    asset_id: UUID
    system_user_id: UUID
    protocol: Protocol


def load_facts_of_many(requests: Mapping[_Key, Request]) -> Iterator[tuple[_Key, Facts]]:
    """The facts for `decision.evaluate`, under the keys of `requests`.

    For access through a group or node, only the permission is named.
    """
    for some in _in_sets(list(requests.items())):
        facts = _Facts([request for _key, request in some])
        for key, request in some:
            yield key, facts.of(request)


class _Facts:
    """Everything that a batch of requests needs, by id."""

    def __init__(self, requests: Sequence[Request]) -> None:
        user_ids = {request.user_id for request in requests}
        asset_ids = {request.asset_id for request in requests}
        system_user_ids = {request.system_user_id for request in requests}
        self._users = User.objects.in_bulk(user_ids)
        self._assets = Asset.objects.in_bulk(asset_ids)
        self._system_users = SystemUser.objects.in_bulk(system_user_ids)
        self._offers = _pairs(AssetProtocol.objects.filter(asset_id__in=asset_ids), "asset_id", "name")
        self._members = _pairs(Membership.objects.filter(user_id__in=user_ids), "user_id", "org_id")
        self._by_user = _sets(
            _pairs(PermissionUser.objects.filter(user_id__in=user_ids), "user_id", "assetpermission_id")
            | _pairs(
                PermissionUserGroup.objects.filter(usergroup__member_rows__user_id__in=user_ids),
                "usergroup__member_rows__user_id",
                "assetpermission_id",
            )
        )
        self._by_asset = _sets(
            _pairs(PermissionAsset.objects.filter(asset_id__in=asset_ids), "asset_id", "assetpermission_id")
            | _pairs(
                PermissionNode.objects.filter(node__paths_down__descendant__asset_rows__asset_id__in=asset_ids),
                "node__paths_down__descendant__asset_rows__asset_id",
                "assetpermission_id",
            )
        )
        wanted = {
            pk for request in requests for pk in self._by_user[request.user_id] & self._by_asset[request.asset_id]
        }
        self._permissions: dict[UUID, AssetPermission] = {}
        self._names: set[tuple[Any, ...]] = set()
        for ids in _in_sets(sorted(wanted)):
            self._permissions |= AssetPermission.objects.in_bulk(ids)
            rows = PermissionSystemUser.objects.filter(assetpermission_id__in=ids, systemuser_id__in=system_user_ids)
            self._names |= _pairs(rows, "assetpermission_id", "systemuser_id")

    def of(self, request: Request) -> Facts:
        """The facts about one request of the batch."""
        user = self._users.get(request.user_id)
        asset = self._assets.get(request.asset_id)
        system_user = self._system_users.get(request.system_user_id)
        naming_user, naming_asset = self._by_user[request.user_id], self._by_asset[request.asset_id]
        permissions = [self._permissions[pk] for pk in naming_user & naming_asset if pk in self._permissions]
        return Facts(
            protocol=request.protocol,
            user=UserFacts(id=user.pk, name=user.name, is_active=user.is_active, date_expired=user.date_expired)
            if user is not None
            else None,
            asset=AssetFacts(
                id=asset.pk,
                name=asset.hostname,
                is_active=asset.is_active,
                offers_protocol=(asset.pk, request.protocol.value) in self._offers,
            )
            if asset is not None
            else None,
            system_user=SystemUserFacts(id=system_user.pk, name=system_user.name, protocol=system_user.protocol)
            if system_user is not None
            else None,
            grants=tuple(self._grant(row, request) for row in sorted(permissions, key=lambda row: row.name)),
            user_is_named=bool(naming_user),
            asset_is_named=bool(naming_asset),
        )

    def _grant(self, row: AssetPermission, request: Request) -> GrantFacts:
        return GrantFacts(
            permission=Named(row.pk, row.name),
            is_active=row.is_active,
            date_start=row.date_start,
            date_expired=row.date_expired,
            actions=row.actions,
            names_system_user=(row.pk, request.system_user_id) in self._names,
            user_is_member=(request.user_id, row.org_id) in self._members,
            via=Via(),
        )


def _in_sets(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for first in range(0, len(items), _SET):
        yield items[first : first + _SET]


def _pairs(rows: QuerySet[Any, Any], first: str, second: str) -> set[tuple[Any, ...]]:
    return set(rows.order_by().values_list(first, second))


def _sets(pairs: Collection[tuple[Any, ...]]) -> defaultdict[UUID, set[UUID]]:
    ids_by_key: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for key, value in pairs:
        ids_by_key[key].add(value)
    return ids_by_key
