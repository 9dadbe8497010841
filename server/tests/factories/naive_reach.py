"""Who reaches what, written down straight from the rules of permissions over a copy of all rows."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, Node
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import Membership, User, UserGroupMember
from postern.apps.vault.models import SystemUser

_CONNECT = 1


class NaiveReach:
    """The rows as they are now. Assets and nodes are named by their ids."""

    def __init__(self) -> None:
        self.parents = dict(Node.objects.values_list("pk", "parent_id"))
        self.assets = Asset.objects.in_bulk()
        self.users = User.objects.in_bulk()
        self.standing: dict[UUID, set[UUID]] = {key: set() for key in self.assets}
        for asset_id, node_id in AssetNode.objects.values_list("asset_id", "node_id"):
            self.standing[asset_id].add(node_id)
        self.offers = set(AssetProtocol.objects.values_list("asset_id", "name"))
        self.members = set(Membership.objects.values_list("user_id", "org_id"))
        self.groups = set(UserGroupMember.objects.values_list("user_id", "usergroup_id"))
        self.speaks = dict(SystemUser.objects.values_list("pk", "protocol"))
        lists = ("users", "user_groups", "assets", "nodes", "system_users")
        self._above = {
            asset: {step for node in nodes for step in self.chain(node)} for asset, nodes in self.standing.items()
        }
        self.permissions = [
            (row, *({one.pk for one in getattr(row, name).all()} for name in lists))
            for row in AssetPermission.objects.prefetch_related(*lists)
        ]

    def chain(self, node: UUID | None) -> Iterable[UUID]:
        """The node and the nodes above it."""
        while node is not None:
            yield node
            node = self.parents[node]

    def above(self, asset: UUID) -> set[UUID]:
        """The nodes of the asset and the nodes above them."""
        return self._above[asset]

    def granting(
        self, at: datetime, *, user: UUID | None = None, group: UUID | None = None
    ) -> list[tuple[set[UUID], set[UUID], set[UUID]]]:
        """Assets, nodes and system users of the permissions that count for the user or the group."""
        if user is not None:
            person = self.users[user]
            if not person.is_active or (person.date_expired is not None and person.date_expired <= at):
                return []
        found = []
        for row, users, groups, assets, nodes, system_users in self.permissions:
            if user is None:
                is_meant = group in groups
            else:
                is_meant = user in users or any((user, one) in self.groups for one in groups)
                is_meant = is_meant and (user, row.org_id) in self.members
            holds = row.is_active and row.date_start <= at < row.date_expired and row.actions & _CONNECT
            if is_meant and holds and system_users:
                found.append((assets, nodes, system_users))
        return found

    def reach(
        self, at: datetime, *, user: UUID | None = None, group: UUID | None = None, by_name_only: bool = False
    ) -> set[UUID]:
        """The reachable assets, active or not; `by_name_only`: those that a permission names directly."""
        found = set()
        for assets, nodes, system_users in self.granting(at, user=user, group=group):
            protocols = {self.speaks[one] for one in system_users}
            for asset in self.assets:
                named = asset in assets or (not by_name_only and self.above(asset) & nodes)
                if named and any((asset, protocol) in self.offers for protocol in protocols):
                    found.add(asset)
        return found

    def uses(self, at: datetime, user: UUID) -> set[tuple[UUID, UUID]]:
        """The pairs of an active asset and a system user that the user may use on it."""
        found: set[tuple[UUID, UUID]] = set()
        for assets, nodes, system_users in self.granting(at, user=user):
            for asset, row in self.assets.items():
                if row.is_active and (asset in assets or self.above(asset) & nodes):
                    found.update((asset, one) for one in system_users if (asset, self.speaks[one]) in self.offers)
        return found

    def in_order(self, assets: Iterable[UUID]) -> list[UUID]:
        """By hostname, then by id."""
        return sorted(assets, key=lambda one: (self.assets[one].hostname, one))

    def counts(self, assets: Iterable[UUID]) -> dict[UUID, int]:
        """How many of the assets are in each subtree that has any."""
        found: dict[UUID, int] = {}
        for asset in assets:
            for node in self.above(asset):
                found[node] = found.get(node, 0) + 1
        return found

    def visible_nodes(self, at: datetime, *, user: UUID | None = None, group: UUID | None = None) -> set[UUID]:
        """Granted nodes with all below and above them, and the nodes above reachable assets."""
        granted = {node for _assets, nodes, _users in self.granting(at, user=user, group=group) for node in nodes}
        visible = {step for node in granted for step in self.chain(node)}
        visible |= {node for node in self.parents if granted & set(self.chain(node))}
        return visible | set(self.counts(self.reach(at, user=user, group=group)))
