"""`perms/reviews/asset-permissions/`: permissions with their last use and what a review finds about them, and the people
of each with their last use.

`?finding=unused|expired|ending` (default: all permissions), `?days=` without use (90), `?within=` days to the end (30).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, cast

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.grants.links import LINKS
from postern.apps.perms.grants.models import AssetPermission, PermissionUser
from postern.apps.perms.last_uses.models import PermissionUse
from postern.apps.perms.permissions.api.serializers import DisplayListField
from postern.apps.perms.permissions.members import users_of
from postern.apps.perms.reviews.findings import Finding, Review, with_last_use
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel.clock import now

_DAYS: Final = 90
_WITHIN: Final = 30
_MOST_DAYS: Final = 3650
#: Built once, because building these querysets takes longer than running them.
_SHOWN: Final = tuple(Prefetch(link.list_name, link.names) for link in LINKS)


class ReviewedPermissionSerializer(ResourceSerializer):
    """A permission with what a review finds about it. `date_last_used` is null when nobody used it since uses are known."""

    findings = serializers.SerializerMethodField(label=gettext_lazy("Findings"))
    date_last_used = serializers.DateTimeField(read_only=True, allow_null=True, label=gettext_lazy("Last used"))
    users_display = DisplayListField("users", read_only=True, label=gettext_lazy("Users"))
    user_groups_display = DisplayListField("user_groups", read_only=True, label=gettext_lazy("User groups"))
    assets_display = DisplayListField("assets", read_only=True, label=gettext_lazy("Assets"))
    nodes_display = DisplayListField("nodes", read_only=True, label=gettext_lazy("Nodes"))
    system_users_display = DisplayListField("system_users", read_only=True, label=gettext_lazy("System users"))

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

    def get_findings(self, row: Any) -> list[str]:
        review: Review = self.context["view"].review
        return [finding.value for finding in review.findings(row, row.date_last_used)]


class PersonOfPermissionSerializer(serializers.Serializer[Any]):
    """A person whom a permission names, directly or through a group."""

    user = serializers.UUIDField(source="pk", read_only=True)
    user_display = serializers.CharField(source="__str__", read_only=True)
    direct = serializers.BooleanField(read_only=True)
    date_last_used = serializers.DateTimeField(read_only=True, allow_null=True)


class ReviewedPermissionViewSet(ReadOnlyViewSet):
    queryset = AssetPermission.objects.all()
    serializer_class = ReviewedPermissionSerializer
    rights = {"list": Right.ORG_AUDITOR, "retrieve": Right.ORG_AUDITOR, "people": Right.ORG_AUDITOR}
    answers: ClassVar[Mapping[str, Answer]] = {"people": Answer(serializer=PersonOfPermissionSerializer, many=True)}
    filter_fields = ("name", "is_active")
    described_filters = ("finding", "days", "within")
    search_fields = ("name", "created_by")
    ordering_fields = ("name", "date_start", "date_expired", "date_created")

    @cached_property
    def review(self) -> Review:
        """What the request asks for. Raises ValidationError."""
        return Review(now(), self._number("days", _DAYS), self._number("within", _WITHIN))

    def visible_rows(self) -> QuerySet[AssetPermission]:
        rows = cast("QuerySet[AssetPermission]", super().visible_rows())
        return with_last_use(rows).prefetch_related(*_SHOWN)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows = super().filter_queryset(queryset)
        wanted = self.request.query_params.get("finding", "")
        if wanted and wanted not in set(Finding):
            raise ValidationError({"finding": [_("Enter one of: unused, expired, ending.")]})
        review = self.review
        return rows.filter(review.condition(Finding(wanted))) if wanted else rows

    def _number(self, name: str, default: int) -> int:
        text = self.request.query_params.get(name, "")
        if not text:
            return default
        if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= _MOST_DAYS):
            raise ValidationError({name: [_("Enter a number of days between 1 and 3650.")]})
        return int(text)

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
