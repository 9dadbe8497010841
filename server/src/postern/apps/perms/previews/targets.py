"""What a permission lets people use, before and after a change: assets as numbers of the index, and applications."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Protocol
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext as _
from pyroaring import BitMap

from postern.apps.applications.facade import DECLARATIONS
from postern.apps.assets.models import Asset
from postern.apps.perms.grants.models import PermissionAsset, PermissionNode, PermissionSystemUser
from postern.apps.perms.index.world import NOTHING, World, moved, numbers_of
from postern.apps.perms.previews import stored
from postern.apps.perms.previews.changes import Changes, Permission
from postern.apps.perms.previews.placing import changed_assets, with_assets
from postern.apps.perms.previews.reading import RowsByKey
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions
from postern.foundation import licensing
from postern.foundation.database.stored_ids import Ids, Stored
from postern.kernel.errors import PosternError

#: So few assets are looked up by their keys; for more, the keys of the index are searched.
_FEW: Final = 500


class MovedBelowItself(PosternError):
    """Moves that would cut a subtree off."""

    code = "node_refused"

    @property
    def fields(self) -> dict[str, str]:
        return {"error": self.message}


class Targets(Protocol):
    """The targets of one kind of permissions in one organization, on both sides of a change."""

    kind: stored.Kind

    def touched(self) -> set[UUID]:
        """Ids of the permissions whose targets may change although the permissions themselves do not."""
        ...

    def prepare(self, permissions: Iterable[Permission]) -> None:
        """Read what `reaches` needs for these permissions."""
        ...

    def reaches(self, permission: Permission, *, after: bool) -> dict[UUID, BitMap]:
        """What the permission lets people use, by system user. No value is empty."""
        ...

    def unchanged(
        self, ids: Collection[Stored], at: datetime, limit: BitMap | None
    ) -> dict[Stored, dict[UUID, BitMap]]:
        """What stored permissions let people use at the instant, within the limit; only those that do."""
        ...


class AssetTargets:
    """Assets: named directly, or through a node above them. Active assets that offer the system user's protocol."""

    kind = stored.ASSETS

    def __init__(self, org_id: UUID, changes: Changes, worlds: Mapping[UUID, World]) -> None:
        self.before: Final = worlds.get(org_id) or World(org_id=org_id, seq=0)
        self._changed: Final = changed_assets(self.before, changes)
        self.after: Final = with_assets(_moved(self.before, changes), self._changed)
        self._numbers: dict[UUID, int] = {}
        self._speaks: dict[UUID, str] = {}

    def touched(self) -> set[UUID]:
        before, after = self.before.places, self.after.places
        nodes = set()
        if before is not after:
            nodes = {
                node for node, place in after.items() if place is not before[node] and place.below != before[node].below
            }
        for node in set().union(*self._changed.standing.values()):
            nodes.update(self.before.chain(node), self.after.chain(node))
        return stored.permissions_naming(self.kind, targets=self._changed.standing.keys(), nodes=nodes)

    def prepare(self, permissions: Iterable[Permission]) -> None:
        several = list(permissions)
        self._speaks |= _protocols(several)
        wanted = {asset for permission in several for asset in permission.targets} - self._numbers.keys()
        if len(wanted) > _FEW:
            self._numbers |= numbers_of(self.before.keys, wanted)
        elif wanted:
            rows = Asset.objects.filter(org_id=self.before.org_id, pk__in=wanted).order_by()
            self._numbers |= dict(rows.values_list("pk", "dense_id"))

    def reaches(self, permission: Permission, *, after: bool) -> dict[UUID, BitMap]:
        world = self.after if after else self.before
        named = BitMap(self._numbers[asset] for asset in permission.targets if asset in self._numbers)
        scope = (named | world.below(permission.nodes)) & world.active
        by_protocol: dict[str, BitMap] = {}
        for protocol in {self._speaks.get(system_user, "") for system_user in permission.system_users}:
            by_protocol[protocol] = world.offering(protocol, scope)
        return {
            system_user: offered
            for system_user in permission.system_users
            if (offered := by_protocol[self._speaks.get(system_user, "")])
        }

    def unchanged(
        self, ids: Collection[Stored], at: datetime, limit: BitMap | None
    ) -> dict[Stored, dict[UUID, BitMap]]:
        world, known = self.after, Ids()
        bound = world.active if limit is None else world.active & limit
        numbers: defaultdict[Stored, list[int]] = defaultdict(list)
        for key, number in _named_assets().rows(ids):
            if number in bound:
                numbers[key].append(number)
        bounded = {key: BitMap(named) for key, named in numbers.items()}
        # Many permissions name the same nodes, and most nodes have nothing within the limit.
        within: dict[Stored, BitMap] = {}
        for key, node in _named_nodes().rows(ids):
            part = within.get(node)
            if part is None:
                place = world.places.get(known.of(node))
                part = within[node] = NOTHING if place is None else place.below & bound
            if part:
                held = bounded.get(key)
                bounded[key] = part if held is None else held | part
        offered_by_permission: defaultdict[Stored, dict[UUID, BitMap]] = defaultdict(dict)
        # Last, because the limit leaves few permissions whose dates have to be looked at.
        for key, system_user, protocol in _named_accounts().rows(bounded.keys(), at=at):
            if offered := world.offering(protocol, bounded[key]):
                offered_by_permission[key][known.of(system_user)] = offered
        return offered_by_permission


class ApplicationTargets:
    """Applications: named directly, used with system users that speak their protocol; some types need a licence."""

    kind = stored.APPLICATIONS

    def __init__(self) -> None:
        self.numbers: Final[dict[UUID, int]] = {}
        self._speaks: dict[UUID, str] = {}
        self._is_licensed: Final = licensing.is_open()

    def touched(self) -> set[UUID]:
        return set()

    def prepare(self, permissions: Iterable[Permission]) -> None:
        several = list(permissions)
        self._speaks |= _protocols(several)
        for permission in several:
            for application in permission.targets:
                self.numbers.setdefault(application, len(self.numbers))

    def reaches(self, permission: Permission, *, after: bool) -> dict[UUID, BitMap]:
        del after
        declaration = DECLARATIONS[permission.type]
        if not permission.targets or (declaration.needs_licence and not self._is_licensed):
            return {}
        named = BitMap(self.numbers[application] for application in permission.targets)
        return {
            system_user: named
            for system_user in permission.system_users
            if self._speaks.get(system_user) == declaration.protocol
        }

    def unchanged(
        self, ids: Collection[Stored], at: datetime, limit: BitMap | None
    ) -> dict[Stored, dict[UUID, BitMap]]:
        parsed = Ids()
        keys = {parsed.of(key): key for key in stored.valid(self.kind, ids, at)}
        rows = stored.permissions(self.kind, keys)
        self.prepare(rows.values())
        reaches_by_permission = {}
        for key, row in rows.items():
            reaches = self.reaches(row, after=True)
            if limit is not None:
                reaches = {system_user: part for system_user, named in reaches.items() if (part := named & limit)}
            if reaches:
                reaches_by_permission[keys[key]] = reaches
        return reaches_by_permission


def _moved(world: World, changes: Changes) -> World:
    """The world with the nodes of the changes below their new parents."""
    parents = {node: parent for node, parent in changes.parents.items() if node in world.places}
    if not parents:
        return world
    places = moved(world.places, parents)
    if places is None:
        raise MovedBelowItself(_("A node cannot be moved into itself or below itself."))
    return replace(world, places=places)


def _protocols(permissions: Iterable[Permission]) -> dict[UUID, str]:
    ids = {system_user for permission in permissions for system_user in permission.system_users}
    return dict(SystemUser.objects.filter(pk__in=ids).order_by().values_list("pk", "protocol"))


_KEY: Final = "assetpermission_id"
#: Placeholder of the instant at which permissions are valid.
_INSTANT: Final = datetime(1999, 1, 1, tzinfo=UTC)


@cache
def _named_assets() -> RowsByKey:
    return RowsByKey(_of(PermissionAsset), _KEY, "asset__dense_id")


@cache
def _named_nodes() -> RowsByKey:
    return RowsByKey(_of(PermissionNode), _KEY, "node_id")


@cache
def _named_accounts() -> RowsByKey:
    """Of the permissions that grant something at the instant."""

    def build(keys: list[Any], at: datetime) -> Any:
        rows = PermissionSystemUser.objects.filter(
            assetpermission_id__in=keys,
            assetpermission__is_active=True,
            assetpermission__date_start__lte=at,
            assetpermission__date_expired__gt=at,
        )
        connect = F("assetpermission__actions").bitand(Actions.CONNECT.value)
        return rows.annotate(connect=connect).filter(connect__gt=0).order_by()

    return RowsByKey(build, _KEY, "systemuser_id", "systemuser__protocol", more={"at": _INSTANT})


def _of(table: Any) -> Callable[[list[Any]], Any]:
    return lambda keys: table.objects.filter(assetpermission_id__in=keys).order_by()
