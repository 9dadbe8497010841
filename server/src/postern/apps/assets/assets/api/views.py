"""Endpoints of assets."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.assets import admin_users, gateways
from postern.apps.assets.assets.actions import assets as asset_actions
from postern.apps.assets.assets.api.serializers import AssetSerializer
from postern.apps.assets.platforms.api import PlatformSerializer
from postern.apps.assets.platforms.models import Platform
from postern.apps.assets.tree import actions as tree
from postern.apps.assets.tree import queries
from postern.apps.assets.tree.models import Asset, AssetProtocol, Domain, Label, Node
from postern.foundation.caller.scope import writable
from postern.foundation.database import row_locks
from postern.foundation.rest.counts import Versioned
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import ResourceViewSet
from postern.kernel.ids import parse_id

#: Built once, because building these querysets takes longer than running them.
_SHOWN = (
    Prefetch("protocol_rows", AssetProtocol.objects.only("name", "port")),
    Prefetch("nodes", Node.objects.only("full_value")),
    Prefetch("labels", Label.objects.only("name", "value")),
)


def _root_path(view: Any) -> list[str]:
    roots = Node.objects.visible_to(view.actor, view.scope).filter(parent__isnull=True)
    return [root.full_value for root in roots[:1]]


def _some_label(view: Any) -> list[str]:
    return [str(label) for label in Label.objects.visible_to(view.actor, view.scope).order_by("name", "value")[:1]]


class AssetViewSet(ResourceViewSet):
    queryset = Asset.objects.all()
    serializer_class = AssetSerializer
    examples = {
        "hostname": "web-example",
        "ip": "192.0.2.10",
        "platform": "Linux",
        "protocols": ["ssh/22"],
        "nodes": _root_path,
        "labels": _some_label,
        "comment": gettext_lazy("Enter nodes as paths and labels as name:value, separated by commas."),
    }
    rights = {**ORG_ADMIN_ONLY, "platform": Right.ORG_ADMIN, "gateways": Right.ORG_ADMIN}
    filter_fields = {
        "hostname": "hostname",
        "ip": "ip",
        "platform": "platform__name",
        "platform__base": "platform__base",
        "is_active": "is_active",
        "domain": "domain",
    }
    #: Applied in `_more_filters`. Each of these filters narrows the rows, whatever its value.
    own_filters = ("protocols", "protocols__icontains", "label", "ips", "node", "node_id")
    search_fields = ("hostname", "ip")
    ordering_fields = ("hostname", "ip", "cpu_cores", "date_created", "connectivity", "is_active")
    counted = Versioned(queries.VERSIONED_TABLES, queries.tree_version)

    def visible_rows(self) -> QuerySet[Asset]:
        rows = cast("QuerySet[Asset]", super().visible_rows())
        return rows.select_related("platform", "domain").prefetch_related(*_SHOWN)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return super().filter_queryset(self._more_filters(queryset))

    def _more_filters(self, rows: QuerySet[Asset]) -> QuerySet[Asset]:
        params = self.request.query_params
        node_ref = params.get("node") or params.get("node_id")
        if node_ref:
            node = self._node(node_ref)
            direct = params.get("show_current_asset") == "1" or params.get("all", "1").lower() in {"0", "false"}
            rows = queries.within(rows, node, all_below=not direct) if node else rows.none()
        for text in filter(None, params.getlist("label")):
            rows = queries.labelled(rows, text)
        if params.get("ips"):
            rows = rows.filter(ip__in=[address.strip() for address in params["ips"].split(",")])
        for name in ("protocols__icontains", "protocols"):
            if params.get(name):
                rows = queries.speaking(rows, params[name])
        system_user = parse_id(params.get("system_users__id", ""))
        if params.get("system_users__id"):
            rows = rows.filter(pk__in=admin_users.assets_of(system_user) if system_user is not None else ())
        return rows

    def _node(self, text: str) -> Node | None:
        node_id = parse_id(text)
        return Node.objects.visible_to(self.actor, self.scope).filter(pk=node_id).first() if node_id else None

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.BaseSerializer[Any]:
        if args and kwargs.get("many") and "data" not in kwargs:
            ids = {row.admin_user_id for row in args[0] if row.admin_user_id}
            kwargs["context"] = {**self.get_serializer_context(), "admin_user_names": admin_users.displays(ids)}
            return self.get_serializer_class()(*args, **kwargs)
        return super().get_serializer(*args, **kwargs)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the tree first, as every action does. The asset actions take all other locks themselves."""
        tree.hold({row.org_id for row in rows} or {self.scope.org_id})
        if deleting:
            super().hold_rows(rows, (), deleting=True)
        row_locks.share(Platform, (), required={item["platform"].pk for item in values if item.get("platform")})
        row_locks.share(Domain, (), required={item["domain"].pk for item in values if item.get("domain")})

    def create_object(self, data: dict[str, Any]) -> Asset:
        return self.create_objects([data])[0]

    def create_objects(self, items: Sequence[dict[str, Any]]) -> list[Asset]:
        node_ref = self.request.query_params.get("node_id")
        if node_ref and not all(values.get("nodes") for values in items):
            node = self._node(node_ref)
            if node is None:
                raise ValidationError(
                    {"node_id": [_("The node was not found. It may have been deleted; reload the tree.")]}
                )
            items = [{**values, "nodes": values.get("nodes") or [node]} for values in items]
        return asset_actions.create_assets(actor=self.actor, org_id=writable(self.scope), items=items)

    def update_object(self, instance: Asset, data: dict[str, Any]) -> Asset:
        return asset_actions.update_asset(actor=self.actor, asset=instance, values=data)

    def update_objects(self, pairs: Sequence[tuple[Asset, dict[str, Any]]]) -> list[Asset]:
        return asset_actions.update_assets(actor=self.actor, pairs=pairs)

    def delete_object(self, instance: Asset) -> None:
        asset_actions.delete_asset(actor=self.actor, asset=instance)

    def delete_objects(self, rows: Sequence[Asset]) -> None:
        asset_actions.delete_assets(actor=self.actor, assets=rows)

    @action(detail=True, methods=["get"])
    def platform(self, request: Request, **kwargs: Any) -> Response:
        """The platform of an asset."""
        return Response(PlatformSerializer(self.get_object().platform, context=self.get_serializer_context()).data)

    @action(detail=True, methods=["get"])
    def gateways(self, request: Request, **kwargs: Any) -> Response:
        """The gateways of the asset's domain, in the order in which sessions try them. They come without secrets."""
        domain_id = self.get_object().domain_id
        return Response(gateways.listed([domain_id]).get(domain_id, []) if domain_id else [])
