"""Endpoints of the node tree."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.assets.nodes import actions as placement
from postern.apps.assets.nodes.api.serializers import (
    AssetIdsSerializer,
    ChildNodeSerializer,
    NodeIdsSerializer,
    NodeSerializer,
)
from postern.apps.assets.nodes.tree_shapes import AssetLeaf, asset_tree_node, node_tree_node
from postern.apps.assets.tree import actions as tree
from postern.apps.assets.tree import kept_counts, node_keys, queries
from postern.apps.assets.tree.models import PATH_START, Asset, Node
from postern.foundation.caller import identity
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.large_answers import large_answer
from postern.foundation.rest.openapi.answers import ANY_OBJECTS, TEXT, Answer, texts
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import ResourceViewSet
from postern.kernel.ids import parse_id

#: Audited: which assets were added to, or removed from, the node.
_PLACED: Final = Answer(schema=texts("org_id", "org_name", assets={"type": "array", "items": TEXT}))


def _free_value(view: Any) -> str:
    """A node name that the organization does not use yet."""
    taken = set(
        Node.objects.visible_to(view.actor, view.scope)
        .filter(value__startswith="example")
        .values_list("value", flat=True)
    )
    names = ("example", *(f"example-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


class NodeViewSet(ResourceViewSet):
    queryset = Node.objects.all()
    serializer_class = NodeSerializer
    examples = {"value": _free_value}
    serializer_classes = {"create": ChildNodeSerializer, "children": ChildNodeSerializer}
    answers = {
        "tree": Answer(schema=ANY_OBJECTS),
        "children:get": Answer(serializer=NodeSerializer, many=True),
        "children:post": Answer(201, serializer=NodeSerializer),
        "children_of:get": Answer(serializer=NodeSerializer, many=True),
        "children_of:post": Answer(201, serializer=NodeSerializer),
        "children_tree:get": Answer(schema=ANY_OBJECTS),
        "children_tree:post": Answer(201, serializer=NodeSerializer),
        "children_add": Answer(schema=TEXT),
        **dict.fromkeys(("assets_add", "assets_remove", "assets_replace"), _PLACED),
    }
    rights = {
        **ORG_ADMIN_ONLY,
        "tree": Right.ORG_ADMIN,
        "children": Right.ORG_ADMIN,
        "children_of": Right.ORG_ADMIN,
        "children_tree": Right.ORG_ADMIN,
        "children_add": Right.ORG_ADMIN,
        "assets": Right.ORG_ADMIN,
        "assets_add": Right.ORG_ADMIN,
        "assets_remove": Right.ORG_ADMIN,
        "assets_replace": Right.ORG_ADMIN,
    }
    filter_fields = ("id", "value", "key")
    search_fields = ("value",)
    ordering_fields = ("value", "key", "full_value")
    default_order = (PATH_START, "full_value")

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the tree, which locks all its nodes."""
        tree.hold({row.org_id for row in rows} or {self.scope.org_id})

    def create_object(self, data: dict[str, Any]) -> Node:
        return self._create_child(placement.root_of(writable(self.scope)), data)

    def update_object(self, instance: Node, data: dict[str, Any]) -> Node:
        if data.get("value"):
            return tree.rename_node(actor=self.actor, node=instance, value=data["value"])
        return instance

    def delete_object(self, instance: Node) -> None:
        tree.delete_node(actor=self.actor, node=instance)

    def _create_child(self, parent: Node, data: dict[str, Any]) -> Node:
        return tree.create_node(
            actor=self.actor, parent=parent, value=data.get("value") or None, node_id=data.get("id")
        )

    @action(detail=False, methods=["get"], url_path="tree")
    def tree(self, request: Request, **kwargs: Any) -> HttpResponse:
        """The whole tree."""
        return large_answer(self._shapes(list(self.get_queryset()), full=True))

    @action(detail=False, methods=["get", "post"], url_path="children")
    def children(self, request: Request, **kwargs: Any) -> Response:
        """List or create children of the node given by `key` or `id`; the root's children when neither is given."""
        return self._children(request, self._named_node() or self._roots()[0])

    @action(detail=True, methods=["get", "post"], url_path="children")
    def children_of(self, request: Request, **kwargs: Any) -> Response:
        """List or create children of this node."""
        return self._children(request, self.get_object())

    def _children(self, request: Request, parent: Node) -> Response:
        if request.method == "POST":
            writable(self.scope)
            node = self._create_child(parent, body_of(request, ChildNodeSerializer, scope=self.scope))
            return Response(NodeSerializer(node, context=self.get_serializer_context()).data, status=201)
        rows = self.get_queryset().filter(parent=parent).order_by("value")
        return Response(NodeSerializer(rows, many=True, context=self.get_serializer_context()).data)

    @action(detail=False, methods=["get", "post"], url_path="children/tree", url_name="children-tree")
    def children_tree(self, request: Request, **kwargs: Any) -> HttpResponse:
        """One level of the tree, so that a client can expand it step by step.

        `assets=1` adds the node's own assets, `all=all` all assets of the subtree.
        """
        node = self._named_node()
        if request.method == "POST":
            return self._children(request, node or self._roots()[0])
        if node is None:
            return large_answer(self._shapes(self._roots(), is_open=True))
        rows = self.get_queryset().filter(parent=node)
        if request.query_params.get("all") == "all":
            rows = self.get_queryset().filter(pk__in=queries.below(node.pk)).exclude(pk=node.pk)
        shapes: list[Any] = self._shapes(list(rows))
        if request.query_params.get("assets") == "1":
            shapes.extend(self._asset_shapes(node))
        return large_answer(shapes)

    @action(detail=True, methods=["put", "patch"], url_path="children/add", url_name="children-add")
    def children_add(self, request: Request, **kwargs: Any) -> Response:
        """Move nodes under this node."""
        target = self.get_object()
        nodes = body_of(request, NodeIdsSerializer, scope=self.scope)["nodes"]
        self._same_org(target, nodes, "nodes")
        tree.move_nodes(actor=self.actor, target=target, nodes=nodes)
        return Response("OK")

    @action(detail=True, methods=["get"], url_path="assets")
    def assets(self, request: Request, **kwargs: Any) -> Response:
        """Assets of the node; with `all=1`, of the whole subtree."""
        below = request.query_params.get("all", "0").lower() in {"1", "true"}
        rows = queries.assets_in(self.get_object(), all_below=below).order_by("hostname", "pk")
        rows = rows.select_related("platform").prefetch_related("protocol_rows", "nodes", "labels")
        page = self.paginate_queryset(rows)
        serializer = AssetSerializer(
            page if page is not None else rows, many=True, context=self.get_serializer_context()
        ).data
        return self.get_paginated_response(serializer) if page is not None else Response(serializer)

    @action(detail=True, methods=["put", "patch"], url_path="assets/add", url_name="assets-add")
    def assets_add(self, request: Request, **kwargs: Any) -> Response:
        return self._place(request, placement.add_assets)

    @action(detail=True, methods=["put", "patch"], url_path="assets/remove", url_name="assets-remove")
    def assets_remove(self, request: Request, **kwargs: Any) -> Response:
        return self._place(request, placement.remove_assets)

    @action(detail=True, methods=["put", "patch"], url_path="assets/replace", url_name="assets-replace")
    def assets_replace(self, request: Request, **kwargs: Any) -> Response:
        return self._place(request, placement.replace_assets)

    def _place(self, request: Request, write: Any) -> Response:
        node = self.get_object()
        assets: list[Asset] = body_of(request, AssetIdsSerializer, scope=self.scope)["assets"]
        self._same_org(node, assets, "assets")
        write(actor=self.actor, node=node, assets=assets)
        ids = [str(asset.pk) for asset in assets]
        return Response({"assets": ids, "org_id": str(node.org_id), "org_name": identity.org_name(node.org_id)})

    def _same_org(self, node: Node, rows: list[Any], field: str) -> None:
        """Keep the ids of the node's organization.

        In the root organization, ids of several organizations are visible.
        """
        if any(row.org_id != node.org_id for row in rows):
            raise ValidationError(
                {
                    field: [
                        _(
                            "Some of the selected objects belong to another organization. Select objects of this organization "
                            "only."
                        )
                    ]
                }
            )

    def _named_node(self) -> Node | None:
        params = self.request.query_params
        rows = cast("QuerySet[Node]", self.get_queryset())
        if params.get("key"):
            node = rows.filter(key=params["key"]).first() if node_keys.is_key(params["key"]) else None
        elif params.get("id"):
            node_id = parse_id(params["id"])
            node = rows.filter(pk=node_id).first() if node_id else None
        else:
            return None
        if node is None:
            raise Http404
        return node

    def _roots(self) -> list[Node]:
        roots = list(self.get_queryset().filter(parent__isnull=True))
        if not roots:
            raise Http404
        return roots

    def _shapes(self, nodes: list[Node], *, is_open: bool = False, full: bool = False) -> list[dict[str, Any]]:
        nodes.sort(key=lambda node: node_keys.sort_key(node.key))
        counts = kept_counts.asset_counts(nodes)
        return [
            node_tree_node(
                node,
                counts.get(node.pk, 0),
                parent_key=node_keys.parent_of(node.key) or "",
                is_open=is_open or (full and node.is_root),
                full=full,
            )
            for node in nodes
        ]

    def _asset_shapes(self, node: Node) -> list[AssetLeaf]:
        rows = queries.assets_in(node, all_below=False).select_related("platform").prefetch_related("protocol_rows")
        name = identity.org_name(node.org_id)
        return [asset_tree_node(asset, parent_key=node.key, org_name=name) for asset in rows.order_by("hostname", "pk")]
