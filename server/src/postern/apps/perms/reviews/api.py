"""`perms/reviews/asset-permissions/`: permissions with their last use and what a review finds about them, and the people
of each with their last use. `perms/reviews/application-permissions/`: the same without uses, which are not known yet.

`?finding=unused|expired|ending` (default: all permissions), `?days=` without use (90), `?within=` days to the end (30).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Final

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions.filters import open_permissions
from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting.kind import Kind
from postern.apps.perms.grants.displays import DisplayListField
from postern.apps.perms.grants.models import AssetPermission, PermissionUser
from postern.apps.perms.last_uses.models import PermissionUse
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS
from postern.apps.perms.permissions.members import users_of
from postern.apps.perms.reviews.findings import DAYS, WITHIN, Finding, Review, with_last_use
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right, RightsOf
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel.clock import now

_MOST_DAYS: Final = 3650
#: Built once, because building these querysets takes longer than running them.
_SHOWN: Final = {
    kind.model: tuple(Prefetch(link.list_name, link.names) for link in kind.links)
    for kind in (ASSET_PERMISSIONS, APPLICATION_PERMISSIONS)
}


class _ReviewedSerializer(ResourceSerializer):
    """What is shown of every reviewed permission."""

    findings = serializers.SerializerMethodField(label=gettext_lazy("Findings"))
    users_display = DisplayListField("users", read_only=True, label=gettext_lazy("Users"))
    user_groups_display = DisplayListField("user_groups", read_only=True, label=gettext_lazy("User groups"))
    system_users_display = DisplayListField("system_users", read_only=True, label=gettext_lazy("System users"))

    def get_findings(self, row: Any) -> list[str]:
        review: Review = self.context["view"].review
        return [finding.value for finding in review.findings(row, getattr(row, "date_last_used", None))]


class ReviewedPermissionSerializer(_ReviewedSerializer):
    """A permission with what a review finds about it. `date_last_used` is null when nobody used it since uses are known."""

    date_last_used = serializers.DateTimeField(read_only=True, allow_null=True, label=gettext_lazy("Last used"))
    assets_display = DisplayListField("assets", read_only=True, label=gettext_lazy("Assets"))
    nodes_display = DisplayListField("nodes", read_only=True, label=gettext_lazy("Nodes"))

    class Meta:
        model = AssetPermission
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "findings", "date_last_used", "is_active", "date_start", "date_expired", "created_by",
            "date_created", "comment",
        )  # fmt: skip
        fields = (
            *fields_small, "users_display", "user_groups_display", "assets_display", "nodes_display",
            "system_users_display", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = fields


class ReviewedApplicationPermissionSerializer(_ReviewedSerializer):
    """An application permission with what a review finds about it."""

    applications_display = DisplayListField("applications", read_only=True, label=gettext_lazy("Applications"))

    class Meta:
        model = ApplicationPermission
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "findings", "category", "category_display", "type", "type_display", "is_active", "date_start",
            "date_expired", "created_by", "date_created", "comment",
        )  # fmt: skip
        fields = (
            *fields_small, "users_display", "user_groups_display", "applications_display", "system_users_display",
            "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = fields


class PersonOfPermissionSerializer(serializers.Serializer[Any]):
    """A person whom a permission names, directly or through a group."""

    user = serializers.UUIDField(source="pk", read_only=True)
    user_display = serializers.CharField(source="__str__", read_only=True)
    direct = serializers.BooleanField(read_only=True)
    date_last_used = serializers.DateTimeField(read_only=True, allow_null=True)


class _ReviewViewSet(ReadOnlyViewSet):
    """The permissions of one kind. `has_uses`: whether their uses are noted."""

    has_uses: ClassVar[bool]
    kind: ClassVar[Kind[Any]]
    rights: ClassVar[Mapping[str, RightsOf]] = {"list": Right.ORG_AUDITOR, "retrieve": Right.ORG_AUDITOR}
    filter_fields = ("name", "is_active")
    described_filters = ("finding", "days", "within")
    search_fields = ("name", "created_by")
    ordering_fields = ("name", "date_start", "date_expired", "date_created")

    @cached_property
    def review(self) -> Review:
        """What the request asks for. Raises ValidationError."""
        return Review(now(), self._number("days", DAYS), self._number("within", WITHIN), self.has_uses)

    def visible_rows(self) -> QuerySet[Any]:
        return super().visible_rows().prefetch_related(*_SHOWN[self.kind.model])

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows = super().filter_queryset(queryset)
        wanted = self.request.query_params.get("finding", "")
        if wanted and wanted not in set(Finding):
            raise ValidationError({"finding": [_("Enter one of: unused, expired, ending.")]})
        if wanted == Finding.UNUSED and not self.has_uses:
            # An empty list would say that all of them are used.
            raise ValidationError({"finding": [_("The use of these permissions is not known.")]})
        review = self.review
        return rows.filter(review.condition(Finding(wanted))) if wanted else rows

    def _number(self, name: str, default: int) -> int:
        text = self.request.query_params.get(name, "")
        if not text:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= _MOST_DAYS):
            raise ValidationError({name: [_("Enter a number of days between 1 and 3650.")]})
        return int(text)


class ReviewedApplicationPermissionViewSet(_ReviewViewSet):
    kind = APPLICATION_PERMISSIONS
    has_uses = False  # there are no sessions to applications yet
    queryset = ApplicationPermission.objects.all()
    serializer_class = ReviewedApplicationPermissionSerializer

    def visible_rows(self) -> QuerySet[Any]:
        return open_permissions(super().visible_rows())


class ReviewedPermissionViewSet(_ReviewViewSet):
    kind = ASSET_PERMISSIONS
    has_uses = True
    queryset = AssetPermission.objects.all()
    serializer_class = ReviewedPermissionSerializer
    rights: ClassVar[Mapping[str, RightsOf]] = {**_ReviewViewSet.rights, "people": Right.ORG_AUDITOR}
    answers: ClassVar[Mapping[str, Answer]] = {"people": Answer(serializer=PersonOfPermissionSerializer, many=True)}

    def visible_rows(self) -> QuerySet[Any]:
        return with_last_use(super().visible_rows())

    @action(detail=True, methods=["get"], url_path="people")
    def people(self, request: Request, **kwargs: Any) -> Response:
        """The people of the permission with their last use of it; `?unused=1`: only those without one for `days`, nobody
        where that cannot be known.
        """
        permission = self.get_object()
        uses = PermissionUse.objects.filter(assetpermission=permission, user_id=OuterRef("pk"))
        named = PermissionUser.objects.filter(assetpermission=permission, user_id=OuterRef("pk"))
        rows = users_of(permission, request.query_params.get("search", "")).annotate(
            direct=Exists(named), date_last_used=Subquery(uses.values("date_last_used")[:1])
        )
        if request.query_params.get("unused") == "1":
            recent = uses.filter(date_last_used__gte=self.review.border)
            rows = rows.filter(~Exists(recent)) if self.review.judges_uses_of(permission) else rows.none()
        page = self.paginate_queryset(rows)
        if page is None:
            return Response(PersonOfPermissionSerializer(rows, many=True).data)
        return self.get_paginated_response(PersonOfPermissionSerializer(page, many=True).data)
