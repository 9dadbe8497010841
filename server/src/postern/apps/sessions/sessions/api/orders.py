"""Orders to proxies, for administrators (contract: terminal tasks)."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from postern.apps.sessions.sessions.api.serializers import OrderSerializer
from postern.apps.sessions.sessions.models import ProxyOrder, Session
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
        sessions = Session.objects.filter(pk=OuterRef("session_id"), org_id=self.scope.org_id)
        return rows if self.scope.is_root else rows.filter(Exists(sessions))
