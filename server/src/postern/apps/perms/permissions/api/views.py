"""Endpoints of asset permissions: the resource, its links, and queries about access."""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset
from postern.apps.perms.decisions.answers import explained, nearest_shown
from postern.apps.perms.decisions.deciding import decide
from postern.apps.perms.decisions.decision import Decision
from postern.apps.perms.decisions.nearest import nearest_permission
from postern.apps.perms.grants.action_names import ACTION_NAMES, to_names
from postern.apps.perms.grants.links import ASSETS, LINKS, NODES, SYSTEM_USERS, USER_GROUPS, USERS, Link
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions import actions, holding
from postern.apps.perms.permissions.api.serializers import AssetPermissionSerializer, relation_serializer
from postern.apps.perms.permissions.filters import FILTERS, PermissionFilters
from postern.apps.perms.permissions.members import assets_of, users_of
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation.caller.scope import writable
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet, RowNotFound
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

#: Built once, because building these querysets takes longer than running them.
_SHOWN = tuple(Prefetch(link.list_name, link.names) for link in LINKS)


class AssetPermissionViewSet(ResourceViewSet):
    queryset = AssetPermission.objects.all()
    serializer_class = AssetPermissionSerializer
    examples = {"name": "example", "actions": ["connect"]}
    answers = {
        "cache_refresh": Answer(schema={"type": "object", "properties": {"msg": {"type": "boolean"}}}),
        "validate": Answer(schema={"type": ["object", "boolean"]}),
    }
    rights = {
        **dict.fromkeys(("list", "retrieve", "create", "update", "destroy"), Right.ORG_ADMIN),
        "users_all": Right.ORG_ADMIN,
        "assets_all": Right.ORG_ADMIN,
        "cache_refresh": Right.ORG_ADMIN,
        "explain": Right.ORG_ADMIN,
        "validate": Right.ORG_ADMIN,
        "user_actions": Right.ORG_ADMIN,
    }
    acts_on_get = frozenset({"cache_refresh"})
    filter_fields = ("name", "is_active")
    described_filters = FILTERS
    search_fields = ("name",)
    ordering_fields = (
        "name",
        "is_active",
        "date_start",
        "date_expired",
        "date_created",
        *(f"{link.list_name}_amount" for link in LINKS),
    )

    amounts = {
        f"{link.list_name}_amount": Amount(link.table, "assetpermission_id", of=link.list_name) for link in LINKS
    }

    def visible_rows(self) -> QuerySet[AssetPermission]:
        rows = cast("QuerySet[AssetPermission]", super().visible_rows())
        return rows.prefetch_related(*_SHOWN)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = PermissionFilters(self.request.query_params, now()).apply(self.visible_rows())
        if wanted is not None:
            queryset = queryset.filter(pk__in=wanted.prefetch_related(None).values("pk"))
        return super().filter_queryset(queryset)

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        named = {link: {one.pk for item in values for one in item.get(link.list_name) or ()} for link in LINKS}
        spoken_of = [link for link in LINKS if deleting or any(link.list_name in item for item in values)]
        org_ids = {row.org_id for row in rows} or {self.scope.org_id}
        holding.hold([row.pk for row in rows], org_ids, named=named, links=spoken_of, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> AssetPermission:
        return self.create_objects([data])[0]

    def create_objects(self, items: Sequence[dict[str, Any]]) -> list[AssetPermission]:
        return actions.create_permissions(actor=self.actor, org_id=writable(self.scope), items=items)

    def update_object(self, instance: AssetPermission, data: dict[str, Any]) -> AssetPermission:
        return actions.update_permission(actor=self.actor, permission=instance, values=data)

    def delete_object(self, instance: AssetPermission) -> None:
        actions.delete_permission(actor=self.actor, permission=instance)

    @action(detail=True, methods=["get"], url_path="users/all", url_name="users-all")
    def users_all(self, request: Request, **kwargs: Any) -> Response:
        """Users whom the permission names directly or through a group."""
        permission = self.get_object()
        rows = users_of(permission, request.query_params.get("search", ""))
        direct = set(permission.user_rows.values_list("user_id", flat=True))
        return self._rows(
            rows, lambda user: {"user": str(user.pk), "user_display": str(user), "direct": user.pk in direct}
        )

    @action(detail=True, methods=["get"], url_path="assets/all", url_name="assets-all")
    def assets_all(self, request: Request, **kwargs: Any) -> Response:
        """Assets that the permission names directly or through a node."""
        permission = self.get_object()
        rows = assets_of(permission, request.query_params.get("search", ""))
        direct = set(permission.asset_rows.values_list("asset_id", flat=True))
        return self._rows(
            rows, lambda asset: {"asset": str(asset.pk), "asset_display": str(asset), "direct": asset.pk in direct}
        )

    def _rows(self, rows: QuerySet[Any], shape: Any) -> Response:
        page = self.paginate_queryset(rows)
        if page is not None:
            return self.get_paginated_response([shape(row) for row in page])
        return Response([shape(row) for row in rows])

    @action(detail=False, methods=["get", "post"], url_path="cache/refresh", url_name="cache-refresh")
    def cache_refresh(self, request: Request, **kwargs: Any) -> Response:
        """Does nothing: there is no cache, every response reads the tables."""
        return Response({"msg": True})

    @action(detail=False, methods=["get"], url_path="explain")
    def explain(self, request: Request, **kwargs: Any) -> Response:
        """May `user` use `system_user` on `asset` with `protocol` (default: the system user's), and why (not)?

        When no permission names both user and asset, `nearest` is the one that lacks least.
        """
        decision = self._decide(request, "user", "asset", "system_user")
        nearest = None
        if not decision.allowed and not any(reason.permission for reason in decision.reasons):
            asked = {name: UUID(str(parse_id(request.query_params[name]))) for name in ("user", "asset", "system_user")}
            nearest = nearest_permission(**{f"{name}_id": key for name, key in asked.items()}, at=now())
        return Response({**explained(decision), "nearest": nearest_shown(nearest)})

    @action(detail=False, methods=["get"], url_path="user/validate", url_name="user-validate")
    def validate(self, request: Request, **kwargs: Any) -> Response:
        """`{"has_permission", "expire_at"}` for one action; 403 without permission."""
        if not all(request.query_params.get(name) for name in ("user_id", "asset_id", "system_user_id")):
            return Response(False)
        decision = self._decide(request, "user_id", "asset_id", "system_user_id")
        wanted = ACTION_NAMES.get(request.query_params.get("action_name", "connect"))
        allowed = decision.allowed and wanted is not None and wanted in decision.actions
        expire_at = int(decision.expires_at.timestamp()) if decision.expires_at else 0
        return Response({"has_permission": allowed, "expire_at": expire_at}, status=200 if allowed else 403)

    @action(detail=False, methods=["get"], url_path="user/actions", url_name="user-actions")
    def user_actions(self, request: Request, **kwargs: Any) -> Response:
        """Names of the actions that the user may take."""
        return Response({"actions": to_names(self._decide(request, "user_id", "asset_id", "system_user_id").actions)})

    def _decide(self, request: Request, user: str, asset: str, system_user: str) -> Decision:
        ids: dict[str, UUID] = {}
        errors: dict[str, list[str]] = {}
        for name in (user, asset, system_user):
            object_id = parse_id(request.query_params.get(name, ""))
            if object_id is None:
                errors[name] = [_("Enter the id of an object.")]
            else:
                ids[name] = object_id
        if errors:
            raise ValidationError(errors)
        self._require_own(ids[user], ids[asset], ids[system_user])
        wanted = request.query_params.get("protocol", "")
        if wanted and wanted not in set(Protocol):
            raise ValidationError({"protocol": [_("Enter a protocol.")]})
        protocol = wanted or SystemUser.objects.values_list("protocol", flat=True).get(pk=ids[system_user])
        return decide(
            user_id=ids[user], asset_id=ids[asset], system_user_id=ids[system_user], protocol=Protocol(protocol)
        )

    def _require_own(self, user_id: UUID, asset_id: UUID, system_user_id: UUID) -> None:
        """Administrators may query their own organization only (K16: ids of other organizations are not found)."""
        assets, system_users = Asset.objects.all(), SystemUser.objects.all()
        people = User.objects.filter(pk=user_id)
        if not self.scope.is_root:
            people = people.filter(pk__in=Membership.objects.filter(org_id=self.scope.org_id).values("user_id"))
        visible = (
            assets.visible_to(self.actor, self.scope).filter(pk=asset_id).exists()
            and system_users.visible_to(self.actor, self.scope).filter(pk=system_user_id).exists()
            and people.exists()
        )
        if not visible:
            raise RowNotFound(_("Not found."))


class _RelationViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """Rows of one link table. They are created and deleted, never changed."""

    rights = dict.fromkeys(("list", "retrieve", "create", "destroy"), Right.ORG_ADMIN)
    link: Link

    def visible_rows(self) -> QuerySet[Any]:
        visible = AssetPermission.objects.visible_to(self.actor, self.scope).filter(pk=OuterRef("assetpermission_id"))
        rows: QuerySet[Any] = self.link.rows.filter(Exists(visible))
        return rows.select_related("assetpermission", self.link.column).order_by("pk")

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting  # the link is deleted, its permission is kept
        permissions = {row.assetpermission for row in rows} | {item["assetpermission"] for item in values}
        named = {getattr(row, f"{self.link.column}_id") for row in rows} | {
            item[self.link.column].pk for item in values
        }
        holding.hold(
            {permission.pk for permission in permissions},
            {permission.org_id for permission in permissions},
            named={self.link: named},
        )

    def create_object(self, data: dict[str, Any]) -> Any:
        return actions.add_link(
            actor=self.actor, permission=data["assetpermission"], link=self.link, target=data[self.link.column]
        )

    def delete_object(self, instance: Any) -> None:
        actions.remove_link(actor=self.actor, link=self.link, row=instance)


def _relation_viewset(link: Link, search: tuple[str, ...]) -> type[_RelationViewSet]:
    return type(
        f"{link.table.__name__}ViewSet",
        (_RelationViewSet,),
        {
            "link": link,
            "queryset": link.rows.all(),
            "serializer_class": relation_serializer(link),
            "filter_fields": ("id", link.column, "assetpermission"),
            "search_fields": (*search, "assetpermission__name"),
            "__module__": __name__,
        },
    )


PermissionUserViewSet = _relation_viewset(USERS, ("user__name", "user__username"))
PermissionUserGroupViewSet = _relation_viewset(USER_GROUPS, ("usergroup__name",))
PermissionAssetViewSet = _relation_viewset(ASSETS, ("asset__hostname", "asset__ip"))
PermissionNodeViewSet = _relation_viewset(NODES, ("node__value",))
PermissionSystemUserViewSet = _relation_viewset(SYSTEM_USERS, ("systemuser__name", "systemuser__username"))


class NothingCachedView(PosternView):
    """`DELETE …/asset-permissions/cache/`: does nothing, because there is no cache."""

    rights = {"DELETE": Right.ORG_ADMIN}

    def delete(self, request: Request, **kwargs: Any) -> Response:
        return Response(status=204)
