"""Orders to proxies, for administrators (contract: terminal tasks)."""

from typing import Any

from django.db.models import QuerySet

from postern.apps.sessions.sessions.api.serializers import OrderSerializer
from postern.apps.sessions.sessions.models import ProxyOrder
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ReadOnlyViewSet


class OrderViewSet(ReadOnlyViewSet):
    """Orders to terminals, and whether they are done."""

    queryset = ProxyOrder.objects.all()
    serializer_class = OrderSerializer
    rights = Right.ORG_ADMIN
    ordering_fields = ("date_created", "date_finished")
    default_order = ("-date_created",)

    def visible_rows(self) -> QuerySet[Any]:
        rows = ProxyOrder.objects.all()
        return rows if self.scope.is_root else rows.filter(org_id=self.scope.org_id)
