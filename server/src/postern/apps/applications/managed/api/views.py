"""`applications/applications/`."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

from django.db.models import Count, QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications.managed import actions, licence
from postern.apps.applications.managed import tree as shapes
from postern.apps.applications.managed.api.serializers import ApplicationDetailSerializer, ApplicationSerializer
from postern.apps.applications.managed.models import Application
from postern.apps.applications.managed.places import APPLICATIONS
from postern.apps.vault import facade as vault
from postern.foundation import licensing
from postern.foundation.caller.scope import writable
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import ResourceViewSet
from postern.kernel.ids import parse_id

#: Applications that a tree shows at most.
MAX_TREE = 10_000


class ApplicationViewSet(vault.NamesStoredSecrets, ResourceViewSet):
    """Applications. Remote apps need a licence: without it they are not shown, and asking for them is refused."""

    queryset = Application.objects.all()
    serializer_class = ApplicationSerializer
    serializer_classes = vault.with_stored_secrets(ApplicationDetailSerializer)
    secrets_table = APPLICATIONS
    examples = {
        "name": "orders-example",
        "category": "db",
        "type": "mysql",
        "attrs": {"host": "192.0.2.20", "port": 3306, "database": "orders"},
    }
    rights = {**ORG_ADMIN_ONLY, "tree": Right.ORG_ADMIN}
    answers = {"tree": Answer(schema={"type": "array", "items": {"type": "object"}})}
    filter_fields = ("name", "category", "type")
    own_filters = ("type__in",)
    search_fields = ("name", "type", "category")
    ordering_fields = ("name", "category", "type", "created_by", "date_created", "date_updated")

    def carry_out(self, write: Any) -> Any:
        return vault.write_outside(write)

    def visible_rows(self) -> QuerySet[Application]:
        rows = licence.open_rows(cast("QuerySet[Application]", super().visible_rows()))
        return rows.select_related("domain", "asset")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = self.request.query_params
        types = [kind.strip() for kind in params.get("type__in", "").split(",") if kind.strip()]
        licence.require_for({params.get("category", ""), params.get("type", ""), *types})
        return super().filter_queryset(queryset.filter(type__in=types) if types else queryset)

    def get_object(self) -> Any:
        self._require_licence_of_row()
        return super().get_object()

    def _require_licence_of_row(self) -> None:
        """Say that a licence is missing, rather than that the object does not exist."""
        if licensing.is_open():
            return
        key = parse_id(str(self.kwargs.get("pk", "")))
        rows = Application.objects.visible_to(self.actor, self.scope).filter(pk=key) if key else None
        if rows is not None:
            licence.require_for(set(rows.values_list("category", flat=True)))

    def metadata_version(self) -> Hashable:
        return self._kind_of_row()

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "kind_of_row": self._kind_of_row}

    def _kind_of_row(self) -> str:
        """The stored type of the application in the URL; "" when the URL names none."""
        key = parse_id(str(self.kwargs.get("pk", "")))
        rows = self.get_queryset().filter(pk=key).values_list("type", flat=True) if key else None
        return (rows.first() or "") if rows is not None else ""

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        actions.hold(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Application:
        return actions.create_application(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Application, data: dict[str, Any]) -> Application:
        return actions.update_application(actor=self.actor, application=instance, values=data)

    def delete_object(self, instance: Application) -> None:
        actions.delete_application(actor=self.actor, application=instance)

    @action(detail=False, methods=["get"])
    def tree(self, request: Request, **kwargs: Any) -> Response:
        """Root, categories, types and applications; `show_count=1` adds numbers to the names."""
        rows = self.filter_queryset(self.get_queryset().select_related(None)).order_by("name", "pk")
        counted = rows.order_by().values("type").annotate(n=Count("pk")).values_list("type", "n")
        amounts = {**dict.fromkeys(shapes.every_type(with_licensed=licensing.is_open()), 0), **dict(counted)}
        leaves = [shapes.Leaf(*row) for row in rows.values_list("pk", "name", "category", "type")[:MAX_TREE]]
        show_count = request.query_params.get("show_count", "") in {"1", "true"}
        return Response(shapes.tree(leaves, amounts, show_count=show_count, root=shapes.root_name()))
