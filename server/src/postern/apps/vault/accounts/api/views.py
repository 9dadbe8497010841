"""`assets/accounts/` and `assets/account-secrets/`."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.urls import path
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.vault.accounts import actions, queries
from postern.apps.vault.accounts.api.serializers import (
    AccountSecretSerializer,
    AccountSerializer,
    AccountVersionSerializer,
    RestoreSerializer,
)
from postern.apps.vault.accounts.models import Account, AccountSecret
from postern.apps.vault.accounts.rows import AccountRows
from postern.apps.vault.sealed_secrets.api import StoresSecrets
from postern.apps.vault.sealed_secrets.outside import write_outside
from postern.apps.vault.system_users.models import AccountVersion
from postern.foundation.caller.scope import writable
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import ReadOnlyViewSet, ResourceViewSet, RowNotFound


class AccountViewSet(StoresSecrets, AccountRows, ResourceViewSet):
    """Accounts, without their secrets."""

    serializer_class = AccountSerializer
    rights = {
        **ORG_ADMIN_ONLY,
        **dict.fromkeys(("versions", "remove_own_secret", "restore"), Right.ORG_ADMIN),
    }
    needs_fresh_mfa = frozenset(("restore",))
    answers = {"restore": Answer(serializer=AccountSerializer)}

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        actions.hold(rows, values, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> Account:
        return actions.create_account(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: Account, data: dict[str, Any]) -> Account:
        actions.update_account(actor=self.actor, account=instance, values=data)
        return cast("Account", self.get_queryset().get(pk=instance.pk))

    def delete_object(self, instance: Account) -> None:
        actions.delete_account(actor=self.actor, account=instance)

    @action(detail=True, methods=["get"])
    def versions(self, request: Request, **kwargs: Any) -> Response:
        """The stored versions of the account's own secret, newest first: who stored them, when and why."""
        account = self.get_object()
        rows = queries.versions_of(account.pk)
        context = {**self.get_serializer_context(), "version": account.version}
        return Response(AccountVersionSerializer(rows, many=True, context=context).data)

    @action(detail=True, methods=["delete"], url_path="own-secret", url_name="own-secret")
    def remove_own_secret(self, request: Request, **kwargs: Any) -> Response:
        """Return to the secret of the system user."""
        with write_transaction():
            self.begin_write([self.get_object()], ())
            actions.clear_own_secret(actor=self.actor, account=self.get_object())
        return Response(status=204)

    def restore(self, request: Request, number: int, **kwargs: Any) -> Response:
        """`POST …/versions/{number}/restore/`: make the secret of an earlier version the current one again, as a new
        version. It needs a recent code of the second factor, like seeing the secret.
        """
        account = self.get_object()
        wanted = body_of(request, RestoreSerializer)

        def write() -> None:
            self.begin_write([account], ())
            try:
                actions.restore_version(
                    actor=self.actor, account=self.get_object(), number=number, current=wanted["current"]
                )
            except AccountVersion.DoesNotExist:
                raise RowNotFound(_("Not found.")) from None

        write_outside(write)
        row = self.get_queryset().get(pk=self.kwargs["pk"])
        return Response(AccountSerializer(row, context=self.get_serializer_context()).data)


class AccountSecretViewSet(AccountRows, ReadOnlyViewSet):
    """Accounts with their secrets, for administrators who entered a code of their second factor recently. Each look is
    audited before the answer leaves.
    """

    queryset = AccountSecret.objects.all()
    serializer_class = AccountSecretSerializer
    rights = dict.fromkeys(("list", "retrieve"), Right.ORG_ADMIN)
    needs_fresh_mfa = frozenset(("list", "retrieve"))
    export_needs_mfa = True

    def attach_more(self, rows: list[Any]) -> None:
        opened = queries.open_secrets(rows)
        for row in rows:
            secrets = opened[row.pk]
            row.password = secrets.values.get("password", "")
            row.private_key = secrets.values.get("private_key", "")
            row.secret_source = secrets.source
            if secrets.source == "system_user" and row.systemuser is not None:
                row.public_key = row.systemuser.public_key
        is_file = "format" in self.request.query_params
        via: Any = "item" if self.action == "retrieve" else "file" if is_file else "list"
        actions.record_look(actor=self.actor, rows=rows, via=via)


urlpatterns = [
    path(
        "assets/accounts/<str:pk>/versions/<int:number>/restore/",
        AccountViewSet.as_view({"post": "restore"}, detail=True, serializer_class=RestoreSerializer),
        name="account-restore",
    )
]
