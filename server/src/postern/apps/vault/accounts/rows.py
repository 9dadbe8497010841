"""Which accounts a request means: rights to see, filters, search and order, for every view of accounts."""

from typing import Any, ClassVar

from django.db.models import Q, QuerySet

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Node
from postern.apps.vault.accounts.models import Account
from postern.apps.vault.system_users.models import SystemUser
from postern.foundation.rest.viewsets import RowsViewSet
from postern.kernel.ids import parse_id


class AccountRows(RowsViewSet):
    """The accounts that the caller may see and that the query parameters select."""

    queryset: Any = Account.objects.all()
    filter_fields = {
        "id": "id",
        "asset": "asset",
        "systemuser": "systemuser",
        "connectivity": "connectivity",
        "has_own_secret": "has_own_secret",
    }
    #: Applied in `filter_queryset`: a join in a declared filter would make the database look for duplicates.
    own_filters = ("username", "ip", "hostname", "node")
    search_fields: ClassVar[tuple[str, ...]] = ("username", "asset__ip", "asset__hostname", "systemuser__username")
    ordering_fields = {
        "hostname": "asset__hostname",
        "ip": "asset__ip",
        "username": "username",
        "version": "version",
        "connectivity": "connectivity",
        "date_verified": "date_verified",
        "date_created": "date_created",
        "date_updated": "date_updated",
        "systemuser_display": "systemuser__name",
    }

    def visible_rows(self) -> QuerySet[Any]:
        return super().visible_rows().select_related("asset", "systemuser")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return super().filter_queryset(self._filtered(queryset))

    def _filtered(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        params = {name: self.request.query_params.get(name, "").replace("\x00", "") for name in self.own_filters}
        username = params["username"]
        if username:
            named = SystemUser.objects.filter(username=username).order_by().values("pk")
            rows = rows.filter(Q(username=username) | Q(username="", systemuser_id__in=named))
        if params["ip"]:
            rows = rows.filter(asset__ip=params["ip"])
        if params["hostname"]:
            rows = rows.filter(asset__hostname=params["hostname"])
        if params["node"]:
            node = self._node(params["node"])
            below = assets.assets_in(node, all_below=True).order_by().values("pk") if node else None
            rows = rows.filter(asset_id__in=below) if below is not None else rows.none()
        return rows

    def _node(self, text: str) -> Node | None:
        node_id = parse_id(text)
        return Node.objects.visible_to(self.actor, self.scope).filter(pk=node_id).first() if node_id else None
