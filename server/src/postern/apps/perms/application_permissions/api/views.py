"""Endpoints of application permissions: the resource, its links, and queries about access."""

from typing import Any, TypedDict, cast
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.links import APPLICATIONS, LINKS, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions.api import examples
from postern.apps.perms.application_permissions.api.serializers import (
    ApplicationPermissionSerializer,
    relation_serializer,
)
from postern.apps.perms.application_permissions.filters import FILTERS, narrowed, open_permissions
from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.application_permissions.members import applications_of
from postern.apps.perms.decisions.answers import explained, nearest_shown
from postern.apps.perms.decisions.deciding import decide_application
from postern.apps.perms.decisions.nearest import nearest_application_permission
from postern.apps.perms.decisions.validating import validated
from postern.apps.perms.granting.api.views import LinkViewSet, PermissionViewSet, amounts_of, link_viewset
from postern.apps.perms.granting.links import Link
from postern.foundation import licensing
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

#: Built once, because building these querysets takes longer than running them.
_SHOWN = tuple(Prefetch(link.list_name, link.names) for link in LINKS)


class _Asked(TypedDict):
    user_id: UUID
    application_id: UUID
    system_user_id: UUID


class ApplicationPermissionViewSet(PermissionViewSet):
    """Application permissions. Those for remote apps need a licence, as remote apps do."""

    kind = APPLICATION_PERMISSIONS
    queryset = ApplicationPermission.objects.all()
    serializer_class = ApplicationPermissionSerializer
    examples = {
        "name": "example",
        "category": "db",
        "type": "mysql",
        "system_users": examples.system_users_for_mysql,
    }
    rights = {
        **ORG_ADMIN_ONLY,
        **dict.fromkeys(("users_all", "applications_all", "explain", "validate"), Right.ORG_ADMIN),
    }
    answers = {"explain": Answer(schema=ANY_OBJECT), "validate": Answer(schema={"type": ["object", "boolean"]})}
    filter_fields = ("name", "category", "type", "is_active")
    own_filters = ("type__in",)
    described_filters = FILTERS
    search_fields = ("name", "category", "type")
    ordering_fields = (
        "name",
        "category",
        "type",
        "is_active",
        "date_start",
        "date_expired",
        "date_created",
        *(f"{link.list_name}_amount" for link in LINKS),
    )
    amounts = amounts_of(APPLICATION_PERMISSIONS)

    def visible_rows(self) -> QuerySet[ApplicationPermission]:
        rows = cast("QuerySet[ApplicationPermission]", super().visible_rows())
        return open_permissions(rows).prefetch_related(*_SHOWN)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = self.request.query_params
        types = [word.strip() for word in params.get("type__in", "").split(",") if word.strip()]
        applications.require_licence_for({params.get("category", ""), params.get("type", ""), *types})
        if types:
            queryset = queryset.filter(type__in=types)
        return super().filter_queryset(narrowed(queryset, params, now()))

    def get_object(self) -> Any:
        self._require_licence_of_row()
        return super().get_object()

    def _require_licence_of_row(self) -> None:
        """Say that a licence is missing, rather than that the object does not exist."""
        key = None if licensing.is_open() else parse_id(str(self.kwargs.get("pk", "")))
        if key is not None:
            rows = ApplicationPermission.objects.visible_to(self.actor, self.scope).filter(pk=key)
            applications.require_licence_for(set(rows.values_list("category", flat=True)))

    @action(detail=True, methods=["get"], url_path="applications/all", url_name="applications-all")
    def applications_all(self, request: Request, **kwargs: Any) -> Response:
        """Applications that the permission names."""
        rows = applications_of(self.get_object(), request.query_params.get("search", ""))
        return self.page_of(
            rows, lambda application: {"application": str(application.pk), "application_display": application.described}
        )

    @action(detail=False, methods=["get"], url_path="explain")
    def explain(self, request: Request, **kwargs: Any) -> Response:
        """May `user` use `system_user` on `application`, and why (not)?

        When no permission names both user and application, `nearest` is the permission that lacks least.
        """
        asked = self._asked(request, "user", "application", "system_user")
        decision, nearest = decide_application(**asked), None
        if not decision.allowed and not any(reason.permission for reason in decision.reasons):
            nearest = nearest_application_permission(**asked, at=now())
        return Response({**explained(decision), "nearest": nearest_shown(nearest)})

    @action(detail=False, methods=["get"], url_path="user/validate", url_name="user-validate")
    def validate(self, request: Request, **kwargs: Any) -> Response:
        """`{"has_permission", "expire_at"}`; 403 without permission."""
        names = ("user_id", "application_id", "system_user_id")
        if not all(request.query_params.get(name) for name in names):
            return Response(False)
        answer, status = validated(
            decide_application(**self._asked(request, *names)), request.query_params.get("action_name", "connect")
        )
        return Response(answer, status=status)

    def _asked(self, request: Request, user: str, application: str, system_user: str) -> _Asked:
        """Whom and what the parameters with these names ask about."""
        ids = self.asked_about(request, Application, (user, application, system_user))
        return _Asked(user_id=ids[0], application_id=ids[1], system_user_id=ids[2])


class _LinkViewSet(LinkViewSet):
    kind = APPLICATION_PERMISSIONS

    def visible_permissions(self) -> QuerySet[Any]:
        return open_permissions(super().visible_permissions())


def _relation_viewset(link: Link, search: tuple[str, ...], **attributes: Any) -> type[LinkViewSet]:
    return link_viewset(_LinkViewSet, link, relation_serializer(link), search, **attributes)


UserRelationViewSet = _relation_viewset(USERS, ("user__name", "user__username"))
UserGroupRelationViewSet = _relation_viewset(USER_GROUPS, ("usergroup__name",))
ApplicationRelationViewSet = _relation_viewset(APPLICATIONS, ("application__name",))
SystemUserRelationViewSet = _relation_viewset(
    SYSTEM_USERS,
    ("systemuser__name", "systemuser__username"),
    examples={"systemuser": examples.system_user_of_first_permission},
)
