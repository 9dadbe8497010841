"""Endpoints of system users, admin users and their bindings."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset, Connectivity
from postern.apps.vault.sealed_secrets.api import NamesStoredSecrets, StoresSecrets, with_stored_secrets
from postern.apps.vault.sealed_secrets.outside import write_outside
from postern.apps.vault.system_users import actions, revealing
from postern.apps.vault.system_users.api.serializers import (
    AdminUserDetailSerializer,
    AdminUserSerializer,
    SecretsSerializer,
    SystemUserAssetSerializer,
    SystemUserDetailSerializer,
    SystemUserNodeSerializer,
    SystemUserSerializer,
    SystemUserUserSerializer,
)
from postern.apps.vault.system_users.automatic import bound_assets
from postern.apps.vault.system_users.models import (
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)
from postern.apps.vault.system_users.places import SYSTEM_USERS
from postern.apps.vault.system_users.rules import SECRET_COLUMNS
from postern.foundation.caller.scope import writable
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.plain import keys_only
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet, RowsViewSet

_FURTHER = (
    "assets", "auth_info", "replace_auth_info", "change_auth_info", "clear_auth_info", "asset_auth_info",
)  # fmt: skip
_INFO = ("id", "name", "username", "protocol", "login_mode", "ad_domain", "public_key")
_WITHOUT_SECRETS = Answer(schema=texts(*_INFO))
_WITH_SECRETS = Answer(schema=texts(*_INFO, *SECRET_COLUMNS))
ADMIN_ONLY = dict.fromkeys(("list", "retrieve", "create", "update", "destroy"), Right.ORG_ADMIN)


class SystemUserViewSet(StoresSecrets, NamesStoredSecrets, ResourceViewSet):
    queryset = SystemUser.objects.all()
    serializer_class = SystemUserSerializer
    serializer_classes: ClassVar[dict[str, Any]] = with_stored_secrets(SystemUserDetailSerializer)
    secrets_table = SYSTEM_USERS
    examples = {"name": "deploy-example", "username": "deploy"}
    rights = {**ADMIN_ONLY, **dict.fromkeys(_FURTHER, Right.ORG_ADMIN)}
    needs_fresh_mfa = frozenset(("auth_info", "asset_auth_info"))
    answers: ClassVar[dict[str, Answer]] = {
        "auth_info": _WITH_SECRETS,
        "asset_auth_info": _WITH_SECRETS,
        "replace_auth_info": _WITHOUT_SECRETS,
        "change_auth_info": _WITHOUT_SECRETS,
    }
    filter_fields: ClassVar[tuple[str, ...]] = ("name", "username", "protocol", "type", "login_mode")
    search_fields: ClassVar[tuple[str, ...]] = ("name", "username", "protocol", "type")
    ordering_fields = ("name", "username", "protocol", "priority", "login_mode", "date_created", "date_updated")
    amounts = {"assets_amount": Amount(SystemUserAsset, "systemuser_id")}

    def visible_rows(self) -> QuerySet[SystemUser]:
        rows = cast("QuerySet[SystemUser]", super().visible_rows())
        for name in ("protocol", "type"):
            wanted = self.request.query_params.get(f"{name}__in")
            if wanted:
                rows = rows.filter(**{f"{name}__in": [name_part.strip() for name_part in wanted.split(",")]})
        return rows.prefetch_related(keys_only(SystemUser, "cmd_filters"))

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        actions.hold([row.pk for row in rows], deleting=deleting)
        actions.hold_filters(values)

    def create_object(self, data: dict[str, Any]) -> SystemUser:
        return actions.create_system_user(actor=self.actor, org_id=writable(self.scope), values=data)

    def update_object(self, instance: SystemUser, data: dict[str, Any]) -> SystemUser:
        actions.update_system_user(actor=self.actor, system_user=instance, values=data)
        return cast("SystemUser", self.get_queryset().get(pk=instance.pk))

    def delete_object(self, instance: SystemUser) -> None:
        actions.delete_system_user(actor=self.actor, system_user=instance)

    @action(detail=True, methods=["get"], url_path="assets")
    def assets(self, request: Request, **kwargs: Any) -> Response:
        """Assets that the system user is bound to, directly or through a node."""
        system_user = self.get_object()
        rows = bound_assets(system_user.pk)
        if request.query_params.get("hostname"):
            rows = rows.filter(hostname=request.query_params["hostname"])
        if request.query_params.get("ip"):
            rows = rows.filter(ip=request.query_params["ip"])
        words = request.query_params.get("search", "").strip()
        if words:
            rows = rows.filter(Q(hostname__icontains=words) | Q(ip__icontains=words))
        rows = rows.prefetch_related("protocol_rows").order_by("hostname", "pk")
        page = self.paginate_queryset(rows)
        asset_rows = _bound_assets(system_user, page if page is not None else list(rows))
        return self.get_paginated_response(asset_rows) if page is not None else Response(asset_rows)

    @action(detail=True, methods=["get"], url_path="auth-info", url_name="auth-info")
    def auth_info(self, request: Request, **kwargs: Any) -> Response:
        """The secrets. Needs a recent second factor; each look is audited."""
        system_user = self.get_object()
        secrets = revealing.reveal(actor=self.actor, system_user=system_user)
        return Response(_with_secrets(system_user, system_user.username, secrets))

    @auth_info.mapping.put
    def replace_auth_info(self, request: Request, **kwargs: Any) -> Response:
        """Change secrets. A blank value leaves a secret as it is; `DELETE` clears them."""
        return self._write_auth_info(request)

    @auth_info.mapping.patch
    def change_auth_info(self, request: Request, **kwargs: Any) -> Response:
        """As `PUT`."""
        return self._write_auth_info(request)

    @auth_info.mapping.delete
    def clear_auth_info(self, request: Request, **kwargs: Any) -> Response:
        """Delete the secrets."""
        with write_transaction():
            self.begin_write([self.get_object()], ())
            actions.clear_secrets(actor=self.actor, system_user=self.get_object())
        return Response(status=204)

    @action(
        detail=True,
        methods=["get"],
        url_path="assets/(?P<asset_id>[0-9a-f-]{36})/auth-info",
        url_name="asset-auth-info",
    )
    def asset_auth_info(self, request: Request, asset_id: str, **kwargs: Any) -> Response:
        """The secrets for a sign-in on an asset, as `?username=` or the user `?user_id=` if the username is dynamic."""
        system_user = self.get_object()
        try:
            key = UUID(asset_id)
        except ValueError:
            raise Http404 from None
        username = system_user.username
        if system_user.username_same_with_user:
            username = request.query_params.get("username", "")[:128] or self._username_of_user(system_user)
        secrets = revealing.reveal_on_asset(actor=self.actor, system_user=system_user, asset_id=key, username=username)
        return Response(_with_secrets(system_user, username, secrets))

    def _write_auth_info(self, request: Request) -> Response:
        values = body_of(request, SecretsSerializer)

        def write() -> SystemUser:
            self.begin_write([self.get_object()], ())
            return actions.update_system_user(actor=self.actor, system_user=self.get_object(), values=values)

        row = write_outside(write)
        return Response(_without_secrets(row, row.username))

    def _username_of_user(self, system_user: SystemUser) -> str:
        """The username of a user that the system user is bound to."""
        try:
            user_id = UUID(self.request.query_params.get("user_id", ""))
        except ValueError:
            return ""
        rows = SystemUserUser.objects.filter(systemuser=system_user, user_id=user_id)
        return rows.values_list("user__username", flat=True).first() or ""


def _without_secrets(row: SystemUser, username: str) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "username": username,
        "protocol": row.protocol,
        "login_mode": row.login_mode,
        "ad_domain": row.ad_domain,
        "public_key": row.public_key,
    }


def _with_secrets(row: SystemUser, username: str, secrets: Mapping[str, str]) -> dict[str, Any]:
    return {**_without_secrets(row, username), **secrets}


def _bound_assets(system_user: SystemUser, assets: Sequence[Asset]) -> list[dict[str, Any]]:
    accounts = SystemUserAsset.objects.filter(systemuser=system_user, asset_id__in=[asset.pk for asset in assets])
    by_asset = {account.asset_id: account for account in accounts.order_by("pk")}
    return [_bound_asset(asset, by_asset.get(asset.pk)) for asset in assets]


def _bound_asset(asset: Asset, account: SystemUserAsset | None) -> dict[str, Any]:
    ports = [item.port for item in asset.protocol_rows.all()]
    return {
        "id": str(asset.pk),
        "hostname": asset.hostname,
        "ip": asset.ip,
        "port": ports[0] if ports else None,
        "connectivity": account.connectivity if account is not None else Connectivity.UNKNOWN.value,
        "date_verified": account.date_verified if account is not None else None,
    }


class AdminUserViewSet(SystemUserViewSet):
    """The same rows, limited to type admin."""

    serializer_class = AdminUserSerializer
    serializer_classes: ClassVar[dict[str, Any]] = with_stored_secrets(AdminUserDetailSerializer)
    filter_fields = ("name", "username")
    search_fields = ("name", "username")

    def visible_rows(self) -> QuerySet[SystemUser]:
        return super().visible_rows().filter(type=SystemUserType.ADMIN)

    def create_object(self, data: dict[str, Any]) -> SystemUser:
        return super().create_object({**data, "type": SystemUserType.ADMIN.value})


class _BindingViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """Binding rows of system users. They are created and deleted, never changed."""

    rights = dict.fromkeys(("list", "retrieve", "create", "destroy"), Right.ORG_ADMIN)
    joined: tuple[str, ...] = ()
    #: The column of the bound object.
    column: ClassVar[str]

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        system_users = {row.systemuser for row in rows} | {item["systemuser"] for item in values}
        target: Any = self.get_queryset().model._meta.get_field(self.column).related_model  # noqa: SLF001 - the documented model API
        actions.hold_bound(
            system_users,
            target,
            bound={getattr(row, f"{self.column}_id") for row in rows},
            binding={item[self.column].pk for item in values},
        )
        self.hold_bindings(rows, deleting=deleting)

    def hold_bindings(self, rows: Sequence[Any], *, deleting: bool) -> None:
        """Lock the binding rows themselves, where other rows refer to them."""

    def visible_rows(self) -> QuerySet[Any]:
        visible = SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=OuterRef("systemuser_id"))
        rows: Any = super(RowsViewSet, self).get_queryset()
        return (
            cast("QuerySet[Any]", rows)
            .filter(Exists(visible))
            .select_related("systemuser", *self.joined)
            .order_by("pk")
        )

    def create_object(self, data: dict[str, Any]) -> Any:
        return actions.bind(actor=self.actor, row=self.get_queryset().model(**data))

    def delete_object(self, instance: Any) -> None:
        actions.unbind(actor=self.actor, row=instance)


class SystemUserAssetViewSet(_BindingViewSet):
    queryset = SystemUserAsset.objects.all()
    serializer_class = SystemUserAssetSerializer
    filter_fields = ("id", "asset", "systemuser")
    search_fields = ("asset__hostname", "asset__ip", "systemuser__name", "systemuser__username")
    joined = ("asset",)
    column = "asset"

    def visible_rows(self) -> QuerySet[Any]:
        # Accounts are rows of an organization themselves, and listed in the order of their index.
        rows = SystemUserAsset.objects.visible_to(self.actor, self.scope).filter(systemuser__isnull=False)
        return rows.select_related("systemuser", *self.joined)

    def hold_bindings(self, rows: Sequence[Any], *, deleting: bool) -> None:
        if deleting:  # a version that is stored at this moment would be left behind
            row_locks.lock(SystemUserAsset, [row.pk for row in rows], deleting=True)


class SystemUserNodeViewSet(_BindingViewSet):
    queryset = SystemUserNode.objects.all()
    serializer_class = SystemUserNodeSerializer
    filter_fields = ("id", "node", "systemuser")
    search_fields = ("node__value", "systemuser__name", "systemuser__username")
    joined = ("node",)
    column = "node"


class SystemUserUserViewSet(_BindingViewSet):
    queryset = SystemUserUser.objects.all()
    serializer_class = SystemUserUserSerializer
    filter_fields = ("id", "user", "systemuser")
    search_fields = ("user__username", "user__name", "systemuser__name", "systemuser__username")
    joined = ("user",)
    column = "user"

    def create_object(self, data: dict[str, Any]) -> Any:
        return actions.bind_user(actor=self.actor, row=SystemUserUser(**data))
