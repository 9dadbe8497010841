"""`applications/accounts/` and `applications/account-secrets/`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.db.models import Q, QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications.accounts import actions, queries
from postern.apps.applications.accounts.api.serializers import (
    ApplicationAccountSecretSerializer,
    ApplicationAccountSerializer,
)
from postern.apps.applications.accounts.models import ApplicationAccount, ApplicationAccountSecret
from postern.apps.applications.kinds.declarations import Category
from postern.apps.applications.managed import licence
from postern.apps.vault import facade as vault
from postern.foundation import licensing
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ReadOnlyViewSet, RowsViewSet, UpdateMixin

_FILTERS: Mapping[str, str] = {
    "username": "systemuser__username",
    "app_name": "application__name",
    "type": "application__type",
    "category": "application__category",
}


class _AccountRows(RowsViewSet):
    """The accounts that the caller may see and that the query parameters select. Those of remote apps need a licence."""

    queryset: Any = ApplicationAccount.objects.all()
    filter_fields = {"app": "application", "systemuser": "systemuser", "has_own_secret": "has_own_secret"}
    #: Applied in `filter_queryset`: a join in a declared filter would make the database look for duplicates.
    own_filters = tuple(_FILTERS)
    search_fields = ("systemuser__username", "application__name")
    ordering_fields = {
        "username": "systemuser__username",
        "systemuser_display": "systemuser__name",
        "app_name": "application__name",
        "type": "application__type",
        "category": "application__category",
        "date_created": "date_created",
    }

    def visible_rows(self) -> QuerySet[Any]:
        rows = super().visible_rows().select_related("application", "systemuser")
        return rows if licensing.is_open() else rows.exclude(application__category=Category.REMOTE_APP)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = {name: self.request.query_params.get(name, "").replace("\x00", "") for name in _FILTERS}
        licence.require_for({params["category"], params["type"]})
        given = [Q((_FILTERS[name], value)) for name, value in params.items() if value]
        return super().filter_queryset(queryset.filter(*given))


class ApplicationAccountViewSet(_AccountRows, UpdateMixin, ReadOnlyViewSet):
    """The pairs of application and system user that permissions grant, without secrets. Only a secret of their own can be
    written.
    """

    serializer_class = ApplicationAccountSerializer
    rights = dict.fromkeys(("list", "retrieve", "update", "remove_own_secret"), Right.ORG_ADMIN)

    def carry_out(self, write: Any) -> Any:
        return vault.write_outside(write)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del values, deleting
        actions.hold(rows)

    def update_object(self, instance: ApplicationAccount, data: dict[str, Any]) -> ApplicationAccount:
        if "password" in data:
            actions.set_own_secret(actor=self.actor, account=instance, password=data["password"])
        return cast("ApplicationAccount", self.get_queryset().get(pk=instance.pk))

    @action(detail=True, methods=["delete"], url_path="own-secret", url_name="own-secret")
    def remove_own_secret(self, request: Request, **kwargs: Any) -> Response:
        """Return to the secret of the system user."""
        with write_transaction():
            self.begin_write([self.get_object()], ())
            actions.clear_own_secret(actor=self.actor, account=self.get_object())
        return Response(status=204)


class ApplicationAccountSecretViewSet(_AccountRows, ReadOnlyViewSet):
    """Accounts with their secrets, for administrators who entered a code of their second factor recently. Each look is
    audited before the answer leaves.
    """

    queryset = ApplicationAccountSecret.objects.all()
    serializer_class = ApplicationAccountSecretSerializer
    rights = dict.fromkeys(("list", "retrieve"), Right.ORG_ADMIN)
    needs_fresh_mfa = frozenset(("list", "retrieve"))
    export_needs_mfa = True

    def attach_more(self, rows: list[Any]) -> None:
        opened = queries.open_secrets(rows)
        for row in rows:
            found = opened[row.pk]
            row.secret_source, row.password = found.source, found.secret.reveal() if found.secret else ""
        is_file = "format" in self.request.query_params
        via: Any = "item" if self.action == "retrieve" else "file" if is_file else "list"
        actions.record_look(actor=self.actor, rows=rows, via=via)
