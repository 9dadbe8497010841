"""Reachable applications: of the caller (`perms/users/applications/…`, all organizations), and, for administrators, of a
user or a group of their organization.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.applications import facade as applications
from postern.apps.applications.managed.api.attrs import AttrsField
from postern.apps.applications.models import Application
from postern.apps.perms.granted.api.forms import Form, Mine, OfGroup, OfUser
from postern.apps.perms.granted.application_reach import ApplicationReach
from postern.apps.vault.models import SystemUser
from postern.foundation.caller import identity
from postern.foundation.rest import pagination
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import RowNotFound, RowsViewSet
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

#: Id of the root of a tree.
ROOT = "applications"
_MAX_TREE = 10_000


class GrantedApplicationSerializer(ResourceSerializer):
    """An application for a user who may use it. `attrs` as in the list of applications."""

    attrs = AttrsField()

    class Meta:
        model = Application
        fields = (
            "id", "name", "domain", "category", "category_display", "type", "type_display", "attrs", "comment", "org_id",
            "org_name",
        )  # fmt: skip
        read_only_fields = tuple(name for name in fields if name != "attrs")

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        if "attrs" in fields:
            fields["attrs"].read_only = True
        return fields


class _Applications(RowsViewSet, Form):
    """All reachable applications."""

    queryset = Application.objects.all()
    serializer_class = GrantedApplicationSerializer
    filter_fields = ("id", "name", "category", "type", "comment")
    own_filters = ("type__in",)
    search_fields = ("name", "comment")
    ordering_fields = ("name", "category", "type", "comment", "org_id", "id")

    @cached_property
    def own_reach(self) -> ApplicationReach:
        return ApplicationReach(self.who(), now())

    def visible_rows(self) -> QuerySet[Application]:
        # Of very many applications, the first in order usually fill a page.
        is_wide = self.own_reach.is_wider_than(pagination.COUNTED_ACROSS)
        rows = self.own_reach.among(Application.objects.all()) if is_wide else self.own_reach.applications()
        return rows.select_related("domain", "asset")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = self.request.query_params
        types = [word.strip() for word in params.get("type__in", "").split(",") if word.strip()]
        applications.require_licence_for({params.get("category", ""), params.get("type", ""), *types})
        return super().filter_queryset(queryset.filter(type__in=types) if types else queryset)

    def list(self, request: Request, **kwargs: Any) -> Response:
        rows = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(rows)
        shown = self.get_serializer(page if page is not None else rows, many=True).data
        return self.get_paginated_response(shown) if page is not None else Response(shown)


class _ApplicationsTree(_Applications):
    """The same applications as leaves: root, organizations, categories, types, applications."""

    #: Otherwise the API description would assume a list.
    lists_rows = False

    def list(self, request: Request, **kwargs: Any) -> Response:
        rows = self.filter_queryset(self.get_queryset().select_related(None))
        counted = rows.order_by().values("org_id", "type").annotate(n=Count("pk")).values_list("org_id", "type", "n")
        amounts: dict[UUID, dict[str, int]] = {}
        for org_id, kind, amount in counted:
            amounts.setdefault(org_id, {})[kind] = amount
        leaves: dict[UUID, Any] = {}
        columns = ("org_id", "pk", "name", "category", "type")
        for org_id, *leaf in rows.order_by("name", "pk").values_list(*columns)[:_MAX_TREE]:
            leaves.setdefault(org_id, []).append(applications.Leaf(*leaf))
        nodes = [applications.node(ROOT, _("My applications"), "", meta={"type": "applications_root"}, is_open=True)]
        for org_id in sorted(amounts, key=identity.org_name):
            nodes += _of_organization(org_id, leaves.get(org_id, ()), amounts[org_id])
        return Response(nodes)


def _of_organization(org_id: UUID, leaves: Iterable[applications.Leaf], amounts: Mapping[str, int]) -> list[Any]:
    """The node of an organization, with everything below it."""
    key, name = str(org_id), identity.org_name(org_id)
    title = f"{name}({sum(amounts.values())})"
    meta = {"type": "org", "data": {"name": name, "value": key}}
    top = applications.node(key, title, ROOT, meta=meta, is_open=True)
    return [top, *applications.tree(leaves, amounts, show_count=True, above=key)]


class _SystemUsers(Form):
    """The system users that may be used on one application, the default system user first (S5-026)."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        application_id = parse_id(str(self.kwargs["application_id"]))
        reach = ApplicationReach(self.who(), now())
        row = reach.applications().filter(pk=application_id).first() if application_id else None
        if row is None:
            raise RowNotFound(_("Not found."))
        return Response([_usable(system_user) for system_user in reach.usable(row)])


def _usable(system_user: SystemUser) -> dict[str, Any]:
    return {
        "id": str(system_user.pk),
        "name": system_user.name,
        "username": system_user.username,
        "priority": system_user.priority,
        "protocol": system_user.protocol,
        "login_mode": system_user.login_mode,
    }


class MyApplications(Mine, _Applications):
    pass


class MyApplicationsTree(Mine, _ApplicationsTree):
    pass


class MyApplicationSystemUsers(Mine, _SystemUsers):
    pass


class UserApplications(OfUser, _Applications):
    pass


class UserApplicationsTree(OfUser, _ApplicationsTree):
    pass


class UserApplicationSystemUsers(OfUser, _SystemUsers):
    pass


class GroupApplications(OfGroup, _Applications):
    pass
