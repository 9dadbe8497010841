"""Endpoints of application permissions: the resource, its links, and queries about access."""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.links import APPLICATIONS, LINKS, SYSTEM_USERS, USER_GROUPS, USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions import actions, holding
from postern.apps.perms.application_permissions.api import examples
from postern.apps.perms.application_permissions.api.serializers import (
    ApplicationPermissionSerializer,
    relation_serializer,
)
from postern.apps.perms.application_permissions.filters import FILTERS, narrowed
from postern.apps.perms.application_permissions.members import applications_of, users_of
from postern.apps.perms.decisions.answers import explained
from postern.apps.perms.decisions.deciding import decide_application
from postern.apps.perms.decisions.decision import Decision
from postern.apps.perms.grants.action_names import ACTION_NAMES
from postern.apps.perms.grants.links import Link
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.foundation import licensing
from postern.foundation.caller.scope import writable
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.plain import keys_only
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import ORG_ADMIN_ONLY, Right
from postern.foundation.rest.viewsets import CreateMixin, DeleteMixin, ReadOnlyViewSet, ResourceViewSet, RowNotFound
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

_PARENT = "applicationpermission"


class ApplicationPermissionViewSet(ResourceViewSet):
    """Application permissions. Those for remote apps need a licence, as remote apps do."""

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
    amounts = {f"{link.list_name}_amount": Amount(link.table, f"{_PARENT}_id", of=link.list_name) for link in LINKS}

    def visible_rows(self) -> QuerySet[ApplicationPermission]:
        rows = cast("QuerySet[ApplicationPermission]", super().visible_rows())
        return _open(rows).prefetch_related(*(keys_only(ApplicationPermission, link.list_name) for link in LINKS))

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = self.request.query_params
        types = [one.strip() for one in params.get("type__in", "").split(",") if one.strip()]
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

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        named = {link: {one.pk for item in values for one in item.get(link.list_name) or ()} for link in LINKS}
        spoken_of = [link for link in LINKS if deleting or any(link.list_name in item for item in values)]
        org_ids = {row.org_id for row in rows} or {self.scope.org_id}
        holding.hold([row.pk for row in rows], org_ids, named=named, links=spoken_of, deleting=deleting)

    def create_object(self, data: dict[str, Any]) -> ApplicationPermission:
        return self.create_objects([data])[0]

    def create_objects(self, items: Sequence[dict[str, Any]]) -> list[ApplicationPermission]:
        return actions.create_permissions(actor=self.actor, org_id=writable(self.scope), items=items)

    def update_object(self, instance: ApplicationPermission, data: dict[str, Any]) -> ApplicationPermission:
        return actions.update_permission(actor=self.actor, permission=instance, values=data)

    def delete_object(self, instance: ApplicationPermission) -> None:
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

    @action(detail=True, methods=["get"], url_path="applications/all", url_name="applications-all")
    def applications_all(self, request: Request, **kwargs: Any) -> Response:
        """Applications that the permission names."""
        rows = applications_of(self.get_object(), request.query_params.get("search", ""))
        return self._rows(rows, lambda one: {"application": str(one.pk), "application_display": one.described})

    def _rows(self, rows: QuerySet[Any], shape: Any) -> Response:
        page = self.paginate_queryset(rows)
        if page is not None:
            return self.get_paginated_response([shape(row) for row in page])
        return Response([shape(row) for row in rows])

    @action(detail=False, methods=["get"], url_path="explain")
    def explain(self, request: Request, **kwargs: Any) -> Response:
        """May `user` use `system_user` on `application`, and why (not)?"""
        return Response(explained(self._decide(request, "user", "application", "system_user")))

    @action(detail=False, methods=["get"], url_path="user/validate", url_name="user-validate")
    def validate(self, request: Request, **kwargs: Any) -> Response:
        """`{"has_permission", "expire_at"}`; 403 without permission."""
        names = ("user_id", "application_id", "system_user_id")
        if not all(request.query_params.get(name) for name in names):
            return Response(False)
        decision = self._decide(request, *names)
        wanted = ACTION_NAMES.get(request.query_params.get("action_name", "connect"))
        allowed = decision.allowed and wanted is not None and wanted in decision.actions
        expire_at = int(decision.expires_at.timestamp()) if decision.expires_at else 0
        return Response({"has_permission": allowed, "expire_at": expire_at}, status=200 if allowed else 403)

    def _decide(self, request: Request, user: str, application: str, system_user: str) -> Decision:
        ids: dict[str, UUID] = {}
        errors: dict[str, list[str]] = {}
        for name in (user, application, system_user):
            object_id = parse_id(request.query_params.get(name, ""))
            if object_id is None:
                errors[name] = [_("Enter the id of an object.")]
            else:
                ids[name] = object_id
        if errors:
            raise ValidationError(errors)
        self._require_own(ids[user], ids[application], ids[system_user])
        return decide_application(user_id=ids[user], application_id=ids[application], system_user_id=ids[system_user])

    def _require_own(self, user_id: UUID, application_id: UUID, system_user_id: UUID) -> None:
        """Administrators may query their own organization only (K16: ids of other organizations are not found)."""
        people = User.objects.filter(pk=user_id)
        if not self.scope.is_root:
            people = people.filter(pk__in=Membership.objects.filter(org_id=self.scope.org_id).values("user_id"))
        visible = (
            Application.objects.visible_to(self.actor, self.scope).filter(pk=application_id).exists()
            and SystemUser.objects.visible_to(self.actor, self.scope).filter(pk=system_user_id).exists()
            and people.exists()
        )
        if not visible:
            raise RowNotFound(_("Not found."))


def _open(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The permissions that may be shown now."""
    return rows if licensing.is_open() else rows.exclude(category=applications.Category.REMOTE_APP)


class _RelationViewSet(CreateMixin, DeleteMixin, ReadOnlyViewSet):
    """Rows of one link table. They are created and deleted, never changed."""

    rights = dict.fromkeys(("list", "retrieve", "create", "destroy"), Right.ORG_ADMIN)
    link: Link

    def visible_rows(self) -> QuerySet[Any]:
        visible = _open(ApplicationPermission.objects.visible_to(self.actor, self.scope))
        rows: QuerySet[Any] = self.link.rows.filter(Exists(visible.filter(pk=OuterRef(f"{_PARENT}_id"))))
        return rows.select_related(_PARENT, self.link.column).order_by("pk")

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        del deleting  # the link is deleted, its permission is kept
        permissions = {row.applicationpermission for row in rows} | {item[_PARENT] for item in values}
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
            actor=self.actor, permission=data[_PARENT], link=self.link, target=data[self.link.column]
        )

    def delete_object(self, instance: Any) -> None:
        actions.remove_link(actor=self.actor, link=self.link, row=instance)


def _relation_viewset(link: Link, search: tuple[str, ...]) -> type[_RelationViewSet]:
    return type(
        f"{link.table.__name__}ViewSet",
        (_RelationViewSet,),
        {
            "link": link,
            "examples": {"systemuser": examples.system_user_of_first_permission} if link is SYSTEM_USERS else {},
            "queryset": link.rows.all(),
            "serializer_class": relation_serializer(link),
            "filter_fields": ("id", link.column, _PARENT),
            "search_fields": (*search, f"{_PARENT}__name"),
            "__module__": __name__,
        },
    )


UserRelationViewSet = _relation_viewset(USERS, ("user__name", "user__username"))
UserGroupRelationViewSet = _relation_viewset(USER_GROUPS, ("usergroup__name",))
ApplicationRelationViewSet = _relation_viewset(APPLICATIONS, ("application__name",))
SystemUserRelationViewSet = _relation_viewset(SYSTEM_USERS, ("systemuser__name", "systemuser__username"))
