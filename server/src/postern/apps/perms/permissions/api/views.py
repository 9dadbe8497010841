"""Endpoints of asset permissions: the resource, its links, and queries about access."""

from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset
from postern.apps.perms.decisions.answers import explained, nearest_shown
from postern.apps.perms.decisions.deciding import decide
from postern.apps.perms.decisions.nearest import nearest_permission
from postern.apps.perms.decisions.validating import validated
from postern.apps.perms.granting.api.views import LinkViewSet, PermissionViewSet, amounts_of, link_viewset
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.grants.links import ASSETS, LINKS, NODES, SYSTEM_USERS, USER_GROUPS, USERS, Link
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions.api.serializers import AssetPermissionSerializer, relation_serializer
from postern.apps.perms.permissions.filters import FILTERS, PermissionFilters
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS
from postern.apps.perms.permissions.members import assets_of
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.clock import now

#: Built once, because building these querysets takes longer than running them.
_SHOWN = tuple(Prefetch(link.list_name, link.names) for link in LINKS)


class _Asked(TypedDict):
    """What a decision is asked about."""

    user_id: UUID
    asset_id: UUID
    system_user_id: UUID
    protocol: Protocol


class AssetPermissionViewSet(PermissionViewSet):
    kind = ASSET_PERMISSIONS
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

    amounts = amounts_of(ASSET_PERMISSIONS)

    def visible_rows(self) -> QuerySet[AssetPermission]:
        rows = cast("QuerySet[AssetPermission]", super().visible_rows())
        return rows.prefetch_related(*_SHOWN)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = PermissionFilters(self.request.query_params, now()).apply(self.visible_rows())
        if wanted is not None:
            queryset = queryset.filter(pk__in=wanted.prefetch_related(None).values("pk"))
        return super().filter_queryset(queryset)

    @action(detail=True, methods=["get"], url_path="assets/all", url_name="assets-all")
    def assets_all(self, request: Request, **kwargs: Any) -> Response:
        """Assets that the permission names directly or through a node."""
        permission = self.get_object()
        rows = assets_of(permission, request.query_params.get("search", ""))
        direct = set(permission.asset_rows.values_list("asset_id", flat=True))
        return self.page_of(
            rows, lambda asset: {"asset": str(asset.pk), "asset_display": str(asset), "direct": asset.pk in direct}
        )

    @action(detail=False, methods=["get", "post"], url_path="cache/refresh", url_name="cache-refresh")
    def cache_refresh(self, request: Request, **kwargs: Any) -> Response:
        """Does nothing: there is no cache, every response reads the tables."""
        return Response({"msg": True})

    @action(detail=False, methods=["get"], url_path="explain")
    def explain(self, request: Request, **kwargs: Any) -> Response:
        """May `user` use `system_user` on `asset` with `protocol` (default: the system user's), and why (not)?

        When no permission names both user and asset, `nearest` is the one that lacks least.
        """
        asked = self._asked(request, "user", "asset", "system_user")
        at = now()
        decision, nearest = decide(**asked, at=at), None
        if not decision.allowed and not any(reason.permission for reason in decision.reasons):
            nearest = nearest_permission(**asked, at=at)
        return Response({**explained(decision), "nearest": nearest_shown(nearest)})

    @action(detail=False, methods=["get"], url_path="user/validate", url_name="user-validate")
    def validate(self, request: Request, **kwargs: Any) -> Response:
        """`{"has_permission", "expire_at"}` for one action; 403 without permission."""
        if not all(request.query_params.get(name) for name in ("user_id", "asset_id", "system_user_id")):
            return Response(False)
        decision = decide(**self._asked(request, "user_id", "asset_id", "system_user_id"))
        answer, status = validated(decision, request.query_params.get("action_name", "connect"))
        return Response(answer, status=status)

    @action(detail=False, methods=["get"], url_path="user/actions", url_name="user-actions")
    def user_actions(self, request: Request, **kwargs: Any) -> Response:
        """Names of the actions that the user may take."""
        decision = decide(**self._asked(request, "user_id", "asset_id", "system_user_id"))
        return Response({"actions": to_names(decision.actions)})

    def _asked(self, request: Request, user: str, asset: str, system_user: str) -> _Asked:
        user_id, asset_id, system_user_id = self.asked_about(request, Asset, (user, asset, system_user))
        wanted = request.query_params.get("protocol", "")
        if wanted and wanted not in set(Protocol):
            raise ValidationError({"protocol": [_("Enter a protocol.")]})
        protocol = wanted or SystemUser.objects.values_list("protocol", flat=True).get(pk=system_user_id)
        return {
            "user_id": user_id,
            "asset_id": asset_id,
            "system_user_id": system_user_id,
            "protocol": Protocol(protocol),
        }


class _LinkViewSet(LinkViewSet):
    kind = ASSET_PERMISSIONS


def _relation_viewset(link: Link, search: tuple[str, ...]) -> type[LinkViewSet]:
    return link_viewset(_LinkViewSet, link, relation_serializer(link), search)


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
