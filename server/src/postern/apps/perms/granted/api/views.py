"""Reachable assets: of the caller (`perms/users/…`, all organizations), and, for administrators, of a user
(`perms/users/{id}/…`) or a group (`perms/user-groups/{id}/…`) of their organization.

Each list exists in these three forms. A form determines the subject, the required right and the scope.
"""

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, FavoriteAsset, Node
from postern.apps.assets.tree.node_keys import is_key, parent_of, sort_key
from postern.apps.perms.granted.api.leaves import leaves, leaves_of, placed_leaves, special_node
from postern.apps.perms.granted.api.pages import ReachPagination
from postern.apps.perms.granted.api.serializers import GrantedAssetSerializer
from postern.apps.perms.granted.indexed import IndexedReach, Members, Page
from postern.apps.perms.granted.reach import Reach, Usable, Who, load_reach
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.grants.models import PermissionSystemUser
from postern.apps.perms.index.world import SEARCHED
from postern.apps.users.models import Membership, UserGroup
from postern.apps.vault.models import SystemUser
from postern.foundation.rest import pagination
from postern.foundation.rest.filters import TermSearch, narrows, search_terms
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound, RowsViewSet
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

#: Id and key of the special node with the user's favourites.
FAVORITE = "favorite"
UNGROUPED = "ungrouped"
_MAX_TREE_ASSETS = 10_000
_BY_NAME = ("hostname", "pk")
#: Nodes that one query reads by their ids.
_NODES_AT_ONCE = 1_000


class _Form(PosternView):
    """The subject of a URL."""

    def who(self) -> Who:
        raise NotImplementedError

    def reach(self) -> Reach:
        """What may be reached; with `?system_user=` only with this one."""
        return Reach(self.who(), now(), system_user=self._system_user())

    def listed_reach(self) -> Reach:
        """The same with the index, for lists and trees."""
        return load_reach(self.who(), now(), system_user=self._system_user())

    def _system_user(self) -> UUID | None:
        text = self.request.query_params.get("system_user")
        system_user = parse_id(text) if text else None
        if text and system_user is None:
            raise ValidationError({"system_user": [_("Enter a valid value.")]})
        return system_user

    def is_me(self) -> bool:
        return False

    def stars(self) -> QuerySet[FavoriteAsset]:
        """The user's favourites; a group has none."""
        user_id = self.who().user_id
        return FavoriteAsset.objects.filter(user_id=user_id) if user_id else FavoriteAsset.objects.none()


class _Mine(_Form):
    always_root = True
    rights: ClassVar[Rights] = Right.VALID_USER

    def who(self) -> Who:
        return Who(user_id=self.actor.user_id)

    def is_me(self) -> bool:
        return True


class _OfUser(_Form):
    rights: ClassVar[Rights] = Right.ORG_ADMIN

    def who(self) -> Who:
        user_id = parse_id(str(self.kwargs["user_id"]))
        members = Membership.objects.filter(user_id=user_id) if user_id else Membership.objects.none()
        if not self.scope.is_root:
            members = members.filter(org_id=self.scope.org_id)
        if user_id is None or not members.exists():
            raise RowNotFound(_("Not found."))
        return Who(user_id=user_id, org_id=None if self.scope.is_root else self.scope.org_id)


class _OfGroup(_Form):
    rights: ClassVar[Rights] = Right.ORG_ADMIN

    def who(self) -> Who:
        group_id = parse_id(str(self.kwargs["group_id"]))
        visible = UserGroup.objects.visible_to(self.actor, self.scope)
        if group_id is None or not visible.filter(pk=group_id).exists():
            raise RowNotFound(_("Not found."))
        return Who(group_id=group_id)


class _Assets(RowsViewSet, _Form):
    """All reachable assets."""

    queryset = Asset.objects.all()
    serializer_class = GrantedAssetSerializer
    pagination_class = ReachPagination
    filter_fields = ("hostname", "ip", "id", "comment")
    described_filters = ("system_user",)
    search_fields = SEARCHED
    #: Declared here, because deriving the columns from the queryset would compose the reachable assets a second time.
    ordering_fields = ("hostname", "ip", "os", "comment", "is_active", "org_id", "id")

    def visible_rows(self) -> QuerySet[Asset]:
        return _shown(self.own_reach.assets(include_inactive=True).filter(self.candidates))

    def looked_up(self) -> QuerySet[Asset]:
        """The same rows, each checked against the permissions (`Reach.among`)."""
        return _shown(self.own_reach.among(Asset.objects.filter(self.candidates)))

    @cached_property
    def own_reach(self) -> Reach:
        return self.listed_reach()

    @property
    def is_indexed(self) -> bool:
        """Whether the index answers."""
        return self.own_reach.indexed is not None

    def members(self, index: IndexedReach) -> Members:
        """The assets to which the list is limited, from the index."""
        return index.assets(include_inactive=True)

    def indexed_page(self, matching: QuerySet[Asset], offset: int, limit: int) -> Page:
        """A page of those members that `matching` selects and orders."""
        index = self.own_reach.indexed
        if index is None:
            raise LookupError("the index does not answer inside a transaction")
        found = index.with_words(self.members(index), search_terms(self.request))
        if narrows(self.request, self):
            found = index.search(found, matching)
        return index.page(found, tuple(matching.query.order_by), offset, limit)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of `queryset` that the request asks for. The index itself looks for the words of a search."""
        for backend in self.filter_backends:
            if not (self.is_indexed and backend is TermSearch):
                queryset = backend().filter_queryset(self.request, queryset, self)
        return queryset

    @cached_property
    def is_wide(self) -> bool:
        """Whether more assets are reachable than are counted."""
        return self.own_reach.is_wider_than(pagination.COUNTED_ACROSS)

    @cached_property
    def candidates(self) -> Q:
        """The assets to which the list is limited."""
        return Q()

    @property
    def is_whole(self) -> bool:
        """Whether the list contains all reachable assets."""
        return not self.candidates

    #: Whether there are few candidates, so that a page is cheap however many assets are reachable.
    has_few_candidates = False

    def list(self, request: Request, **kwargs: Any) -> Response:
        # The index knows which assets are reachable; `matching` then only says which of them are asked for.
        matching = _shown(Asset.objects.all()) if self.is_indexed else self.get_queryset()
        rows = self.filter_queryset(matching)
        page = self.paginate_queryset(rows)
        asset_rows = self.get_serializer(page if page is not None else rows, many=True).data
        return self.get_paginated_response(asset_rows) if page is not None else Response(asset_rows)


class _NodeAssets(_Assets):
    """Reachable assets below one node; the special nodes `favorite` and `ungrouped` work too."""

    def members(self, index: IndexedReach) -> Members:
        text = str(self.kwargs["node_id"])
        if text == FAVORITE:
            return index.among(Asset.objects.filter(pk__in=self.stars().values("asset_id")))
        if text == UNGROUPED:
            return index.directly_granted()
        node_id = parse_id(text)
        if node_id is None or not index.is_visible(node_id):
            raise RowNotFound(_("Not found."))
        return index.below(node_id)

    @cached_property
    def candidates(self) -> Q:
        text = str(self.kwargs["node_id"])
        if text == FAVORITE:
            self.has_few_candidates = True
            return Q(pk__in=self.stars().values("asset_id"))
        if text == UNGROUPED:
            self.has_few_candidates = True
            return Q(pk__in=self.own_reach.directly_granted().values("pk"))
        node_id = parse_id(text)
        node = self.own_reach.visible_node(node_id) if node_id else None
        if node is None:
            raise RowNotFound(_("Not found."))
        self.has_few_candidates = not assets.has_more_below(node, pagination.COUNTED_ACROSS)
        if self.has_few_candidates:
            return Q(pk__in=assets.assets_in(node, all_below=True).values("pk"))
        return Q(assets.stands_below(node))


class _AssetsTree(_Assets):
    """The same assets as leaves of a tree without nodes."""

    #: Otherwise the API description would assume a list.
    lists_rows = False

    def list(self, request: Request, **kwargs: Any) -> Response:
        if not self.is_indexed:
            rows = self.filter_queryset(self.get_queryset())[:_MAX_TREE_ASSETS]
            return Response(leaves((asset, "") for asset in rows))
        matching = self.filter_queryset(_shown(Asset.objects.all()))
        page = self.indexed_page(matching, 0, _MAX_TREE_ASSETS)
        return Response(leaves_of(page.keys, ""))


class MyUngroupedTree(_Mine):
    """The special node of directly granted assets, with these assets."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        reach = self.listed_reach()
        if reach.indexed is not None:
            page = reach.indexed.page(reach.indexed.directly_granted(), _BY_NAME, 0, _MAX_TREE_ASSETS)
            named = leaves_of(page.keys, UNGROUPED)
        else:
            granted = reach.directly_granted().values("pk")
            rows = _shown(reach.assets(include_inactive=True).filter(pk__in=granted)).order_by(*_BY_NAME)
            named = leaves((asset, UNGROUPED) for asset in rows[:_MAX_TREE_ASSETS])
        return Response([special_node(UNGROUPED, _("Ungrouped"), len(named)), *named])


class _Nodes(_Form):
    """The nodes of the tree.

    `mode`: flat rows or tree shapes; one level (`children`) or all; with or without assets.
    """

    children: ClassVar[bool] = False
    as_tree: ClassVar[bool] = False
    with_assets: ClassVar[bool] = False

    def get(self, request: Request, **kwargs: Any) -> Response:
        reach = self.listed_reach()
        key = self._key(reach)
        if key == FAVORITE:
            return Response(self._favorites(reach) if self.with_assets else [])
        nodes = self._level(reach, key) if self.children else _visible(reach)
        nodes.sort(key=lambda node: sort_key(node.key))
        counts = reach.counts(nodes) if reach.indexed is None else reach.indexed.counts([node.pk for node in nodes])
        shaped_nodes = [self._shape(node, counts.get(node.pk, 0)) for node in nodes]
        if not key and self.is_me():
            shaped_nodes.insert(0, self._favorite_node(reach))
        if self.with_assets and (key or not self.children):
            shaped_nodes.extend(self._assets_in(reach, key, nodes))
        return Response(shaped_nodes)

    def _level(self, reach: Reach, key: str) -> list[Node]:
        """The visible nodes below the node with this key, or the roots."""
        rows = Node.objects.filter(parent__key=key) if key else Node.objects.filter(parent__isnull=True)
        if reach.indexed is None:
            return list(reach.visible_nodes().filter(pk__in=rows.values("pk")))
        return [node for node in rows if reach.indexed.is_visible(node.pk)]

    def _key(self, reach: Reach) -> str:
        params = self.request.query_params
        if params.get("id"):
            node_id = parse_id(params["id"])
            node = reach.visible_node(node_id) if node_id else None
            return node.key if node is not None else params["id"]
        key = params.get("key", "")
        if key and key != FAVORITE and not is_key(key):
            raise RowNotFound(_("Not found."))
        return key

    def _shape(self, node: Node, count: int) -> dict[str, Any]:
        if self.as_tree:
            parent = parent_of(node.key) or ""
            return assets.node_tree_node(node, count, parent_key=parent, is_open=not parent)
        return {
            "id": str(node.pk),
            "name": node.value,
            "key": node.key,
            "value": node.value,
            "org_id": str(node.org_id),
            "assets_amount": count,
        }

    def _favorite_node(self, reach: Reach) -> dict[str, Any]:
        count = self._starred(reach).count()
        value = _("Favorite")
        if not self.as_tree:
            return {
                "id": FAVORITE,
                "name": value,
                "key": FAVORITE,
                "value": value,
                "org_id": "",
                "assets_amount": count,
            }
        return special_node(FAVORITE, value, count)

    def _starred(self, reach: Reach) -> QuerySet[Asset]:
        return reach.among(Asset.objects.filter(pk__in=self.stars().values("asset_id")))

    def _favorites(self, reach: Reach) -> list[dict[str, Any]]:
        rows = self._starred(reach).select_related("platform").prefetch_related("protocol_rows")
        return leaves((asset, FAVORITE) for asset in rows.order_by("hostname", "pk"))

    def _assets_in(self, reach: Reach, key: str, nodes: Sequence[Node]) -> list[dict[str, Any]]:
        """The reachable assets directly in the node with this key; without a key, in the given nodes."""
        if key:
            parent = Node.objects.filter(key=key).first()
            parent = parent and reach.visible_node(parent.pk)
            nodes = [parent] if parent else []
        keys = {node.pk: node.key for node in nodes}
        if reach.indexed is not None:
            members = (
                reach.indexed.directly_in(nodes[0].pk) if key and nodes else reach.indexed.assets(include_inactive=True)
            )
            page = reach.indexed.page(members if nodes else {}, _BY_NAME, 0, _MAX_TREE_ASSETS)
            return placed_leaves(page.keys, keys)
        found = reach.assets(include_inactive=True).filter(node_rows__node_id__in=keys).distinct()
        found = _shown(found).prefetch_related("node_rows").order_by(*_BY_NAME)
        return leaves(
            (asset, keys[place.node_id])
            for asset in found[:_MAX_TREE_ASSETS]
            for place in asset.node_rows.all()
            if place.node_id in keys
        )


def _visible(reach: Reach) -> list[Node]:
    """All nodes of the tree."""
    if reach.indexed is None:
        return list(reach.visible_nodes())
    wanted = list(reach.indexed.visible_nodes())
    return [
        node
        for first in range(0, len(wanted), _NODES_AT_ONCE)
        for node in Node.objects.filter(pk__in=wanted[first : first + _NODES_AT_ONCE]).order_by()
    ]


def _shown(rows: QuerySet[Asset]) -> QuerySet[Asset]:
    return rows.select_related("platform").prefetch_related("protocol_rows")


class _SystemUsers(_Form):
    """The system users that may be used on one asset, the default one first (S5-026)."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        asset_id = parse_id(str(self.kwargs["asset_id"]))
        reach = self.reach()
        if asset_id is None or not reach.among(Asset.objects.filter(pk=asset_id, is_active=True)).exists():
            raise RowNotFound(_("Not found."))
        return Response([_usable(one) for one in reach.usable([asset_id])[asset_id]])


def _usable(one: Usable) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "name": one.name,
        "username": one.username,
        "priority": one.priority,
        "protocol": one.protocol.value,
        "login_mode": one.login_mode,
        "sftp_root": one.sftp_root,
        "username_same_with_user": one.username_same_with_user,
        "actions": to_names(one.actions),
    }


class MySystemUsersView(_Mine):
    """Every system user that the caller may use on some asset (for the batch command screen)."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        granted = PermissionSystemUser.objects.filter(assetpermission_id__in=self.reach().permission_ids)
        rows = SystemUser.objects.filter(pk__in=granted.values("systemuser_id")).order_by("name", "pk")
        return Response([_described(row) for row in rows])


def _described(row: SystemUser) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "username": row.username,
        "protocol": row.protocol,
        "login_mode": row.login_mode,
        "login_mode_display": row.get_login_mode_display(),
        "priority": row.priority,
        "username_same_with_user": row.username_same_with_user,
        "auto_push": row.auto_push,
        "sudo": row.sudo,
        "shell": row.shell,
        "sftp_root": row.sftp_root,
        "comment": row.comment,
    }


# The three forms of each list. Written out, so that the URL map matches the contract.


class MyAssets(_Mine, _Assets):
    pass


class MyAssetsTree(_Mine, _AssetsTree):
    pass


class MyNodeAssets(_Mine, _NodeAssets):
    pass


class MyNodes(_Mine, _Nodes):
    pass


class MySystemUsers(_Mine, _SystemUsers):
    pass


class UserAssets(_OfUser, _Assets):
    pass


class UserAssetsTree(_OfUser, _AssetsTree):
    pass


class UserNodeAssets(_OfUser, _NodeAssets):
    pass


class UserNodes(_OfUser, _Nodes):
    pass


class UserSystemUsers(_OfUser, _SystemUsers):
    pass


class GroupAssets(_OfGroup, _Assets):
    pass


class GroupNodeAssets(_OfGroup, _NodeAssets):
    pass


class GroupNodes(_OfGroup, _Nodes):
    pass


class GroupSystemUsers(_OfGroup, _SystemUsers):
    pass
