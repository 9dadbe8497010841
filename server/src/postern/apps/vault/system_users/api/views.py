"""Endpoints of system users, admin users and their bindings."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from django.db.models import Exists, OuterRef, QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset
from postern.apps.vault.system_users import actions
from postern.apps.vault.system_users.api.serializers import (
    AdminUserSerializer,
    SystemUserAssetSerializer,
    SystemUserNodeSerializer,
    SystemUserSerializer,
    SystemUserUserSerializer,
)
from postern.apps.vault.system_users.models import (
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)
from postern.foundation.caller.scope import writable
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.plain import keys_only
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet, RowsViewSet

ADMIN_ONLY = dict.fromkeys(("list", "retrieve", "create", "update", "destroy"), Right.ORG_ADMIN)


class SystemUserViewSet(ResourceViewSet):
    queryset = SystemUser.objects.all()
    serializer_class = SystemUserSerializer
    examples = {"name": "deploy-example", "username": "deploy"}
    rights = {**ADMIN_ONLY, "assets": Right.ORG_ADMIN, "clear_auth_info": Right.ORG_ADMIN}
    filter_fields: ClassVar[tuple[str, ...]] = ("name", "username", "protocol", "type", "login_mode")
    search_fields: ClassVar[tuple[str, ...]] = ("name", "username", "protocol", "type")
    ordering_fields = ("name", "username", "protocol", "priority", "login_mode", "date_created", "date_updated")
    amounts = {"assets_amount": Amount(SystemUserAsset, "systemuser_id")}

    def visible_rows(self) -> QuerySet[SystemUser]:
        rows = cast("QuerySet[SystemUser]", super().visible_rows())
        for name in ("protocol", "type"):
            wanted = self.request.query_params.get(f"{name}__in")
            if wanted:
                rows = rows.filter(**{f"{name}__in": [one.strip() for one in wanted.split(",")]})
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
        """Assets that the system user is bound to directly."""
        rows = SystemUserAsset.objects.filter(systemuser=self.get_object()).select_related("asset")
        rows = rows.prefetch_related("asset__protocol_rows").order_by("asset__hostname", "pk")
        page = self.paginate_queryset(rows)
        asset_rows = [_bound_asset(row) for row in (page if page is not None else rows)]
        return self.get_paginated_response(asset_rows) if page is not None else Response(asset_rows)

    @action(detail=True, methods=["delete"], url_path="auth-info", url_name="auth-info")
    def clear_auth_info(self, request: Request, **kwargs: Any) -> Response:
        """Delete the secrets. The contract's GET is not built: nobody can read a credential."""
        with write_transaction():
            self.begin_write([self.get_object()], ())
            actions.clear_secrets(actor=self.actor, system_user=self.get_object())
        return Response(status=204)


def _bound_asset(row: SystemUserAsset) -> dict[str, Any]:
    asset: Asset = row.asset
    ports = [item.port for item in asset.protocol_rows.all()]
    return {
        "id": str(asset.pk),
        "hostname": asset.hostname,
        "ip": asset.ip,
        "port": ports[0] if ports else None,
        "connectivity": row.connectivity,
        "date_verified": row.date_verified,
    }


class AdminUserViewSet(SystemUserViewSet):
    """The same rows, limited to type admin."""

    serializer_class = AdminUserSerializer
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
