"""Which accounts belong on which assets because of what happened in a write."""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Node
from postern.apps.assets.tree.events import AssetsPlaced, NodeMoved
from postern.apps.vault import facade as vault
from postern.apps.vault.system_users.events import AccountChanged, SystemUserBound

Happened = SystemUserBound | AccountChanged | AssetsPlaced | NodeMoved

#: System user and one of its users; None: all its users, or its own username.
_Key = tuple[UUID, UUID | None]


class Affected:
    """The assets on which accounts have to be created or changed. It only reads."""

    def __init__(self, org_id: UUID) -> None:
        self._org_id = org_id
        self._assets: defaultdict[_Key, set[UUID]] = defaultdict(set)
        #: Everything of these: their own assets, and those below their nodes.
        self._whole: set[_Key] = set()
        self._nodes: set[tuple[UUID, UUID]] = set()

    def note(self, happened: Iterable[Happened]) -> None:
        """Note what happened; everything is read as it is now."""
        placed: list[AssetsPlaced] = []
        for event in happened:
            if isinstance(event, SystemUserBound):
                self._note_binding(event)
            elif isinstance(event, AccountChanged):
                self._whole.add((event.system_user_id, None))
            elif isinstance(event, NodeMoved):
                for system_user_ids in vault.bound_to_nodes(self._org_id, event.entered).values():
                    self._nodes.update((system_user_id, event.node_id) for system_user_id in system_user_ids)
            else:
                placed.append(event)
        if placed and vault.has_bound_nodes(self._org_id):
            self._note_placed(placed)

    def pushes(self) -> dict[tuple[frozenset[UUID], str], set[UUID]]:
        """System users by the assets that they have in common and by the username that the job must name."""
        keys = {*self._assets, *self._whole, *((system_user_id, None) for system_user_id, _node in self._nodes)}
        if not keys:
            return {}
        automatic = vault.automatic_accounts(self._org_id, {system_user_id for system_user_id, _user in keys})
        pushes: defaultdict[tuple[frozenset[UUID], str], set[UUID]] = defaultdict(set)
        for system_user_id, user_id in sorted(keys, key=str):
            if system_user_id not in automatic:
                continue
            asset_ids = self._assets_of(automatic[system_user_id], user_id)
            usernames = automatic[system_user_id].usernames
            wanted = {user_id: usernames[user_id]} if user_id in usernames else usernames if user_id is None else {}
            for user, username in wanted.items():
                if asset_ids and username:
                    pushes[asset_ids, "" if user is None else username].add(system_user_id)
        return pushes

    def _note_binding(self, event: SystemUserBound) -> None:
        if event.asset_id is not None:
            self._assets[event.system_user_id, None].add(event.asset_id)
        elif event.node_id is not None:
            self._nodes.add((event.system_user_id, event.node_id))
        else:
            self._whole.add((event.system_user_id, event.user_id))

    def _note_placed(self, placed: Iterable[AssetsPlaced]) -> None:
        """An asset that was below a bound node before has the account already."""
        nodes: defaultdict[UUID, set[UUID]] = defaultdict(set)
        before: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for event in placed:
            for asset_id, node_ids in event.nodes.items():
                if asset_id not in nodes:  # the first event tells where the asset was before the write
                    before[asset_id] |= event.before.get(asset_id, frozenset())
                nodes[asset_id] |= node_ids
        named = {node_id for some in (nodes, before) for node_ids in some.values() for node_id in node_ids}
        above = vault.nodes_above(named)
        bound = vault.bound_to_nodes(
            self._org_id, {ancestor_id for ancestors in above.values() for ancestor_id in ancestors}
        )
        for asset_id, places in nodes.items():
            known = {ancestor_id for node_id in before[asset_id] for ancestor_id in above.get(node_id, ())}
            for node_id in {ancestor_id for place in places for ancestor_id in above.get(place, ())} - known:
                for system_user_id in bound.get(node_id, ()):
                    self._assets[system_user_id, None].add(asset_id)

    def _assets_of(self, accounts: vault.AutomaticAccounts, user_id: UUID | None) -> frozenset[UUID]:
        system_user_id, only_windows = accounts.system_user_id, accounts.is_for_windows
        if (system_user_id, user_id) in self._whole:
            return self._that_can_be_pushed(vault.bound_assets(system_user_id), only_windows=only_windows)
        chosen = Asset.objects.filter(pk__in=self._assets[system_user_id, user_id])
        asset_ids = self._that_can_be_pushed(chosen, only_windows=only_windows)
        for bound_user_id, node_id in self._nodes:
            node = Node.objects.filter(pk=node_id).first() if bound_user_id == system_user_id else None
            if node is not None:
                asset_ids |= self._that_can_be_pushed(assets.assets_in(node, all_below=True), only_windows=only_windows)
        return asset_ids

    def _that_can_be_pushed(self, rows: "QuerySet[Asset]", *, only_windows: bool) -> frozenset[UUID]:
        chosen = vault.assets_to_push(self._org_id, rows, only_windows=only_windows)
        return frozenset(chosen.order_by().values_list("pk", flat=True))
