"""The logs, for administrators and auditors of the organization."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import models
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.audits import facade
from postern.apps.audits.api import newest
from postern.apps.audits.api.newest import NewestPagination, search_border
from postern.apps.audits.api.serializers import (
    CategoryCountSerializer,
    EventSerializer,
    LoginLogSerializer,
    OperateLogSerializer,
    PasswordChangeLogSerializer,
)
from postern.apps.audits.catalogue import Event
from postern.apps.audits.categories import Category, category_with
from postern.apps.audits.kinds_by_code import find, in_category
from postern.apps.audits.models import OPERATIONS, AuditEvent, LoginLog, PasswordChangeLog
from postern.foundation.rest import filters
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ListViewSet, ReadOnlyViewSet

#: Counting stops here for each category; the console then shows "999+".
_COUNTED_EACH: Final = 999
#: Filters that match few rows and have an index of their own.
_NARROW: Final = ("event", "user", "remote_addr", "resource_id", "resource_type")


class EventViewSet(ReadOnlyViewSet):
    """Every event of the audit log. Events without an organization need the right to see all organizations."""

    queryset = AuditEvent.objects.all()
    serializer_class = EventSerializer
    pagination_class = NewestPagination
    rights = Right.ORG_AUDITOR
    filter_fields = ("event", "user", "remote_addr", "resource_type", "resource_id")
    own_filters = ("category",)
    answers = {"categories": Answer(serializer=CategoryCountSerializer, many=True)}
    search_fields = ("user", "resource", "remote_addr")
    ordering_fields = ()
    default_order = ("-datetime",)
    date_range_field = "datetime"

    def visible_rows(self) -> models.QuerySet[Any]:
        return AuditEvent.objects.filter(org_id__in=self.organizations)

    def filter_queryset(self, queryset: models.QuerySet[Any]) -> models.QuerySet[Any]:
        kinds = self.kinds()
        rows = queryset if kinds is None else queryset.filter(event__in=[kind.value for kind in kinds])
        filtered_rows: models.QuerySet[Any] = super().filter_queryset(rows)
        return filtered_rows

    @cached_property
    def organizations(self) -> list[UUID]:
        """Organizations whose events the caller may read in this request."""
        return facade.audit_organizations(self.actor, self.scope)

    def kinds(self) -> tuple[Event, ...] | None:
        """Event kinds of the requested category, or None without a category. Raises ValidationError."""
        wanted = self.request.query_params.get("category", "")
        if not wanted or self.action == "categories":
            return None
        category = category_with(wanted)
        if category is None:
            raise ValidationError({"category": [_("Enter a valid value.")]})
        return in_category(category)

    @action(detail=False, methods=["get"], pagination_class=None)
    def categories(self, request: Request, **kwargs: Any) -> Response:
        """Number of events of each category that match all other filters of the list."""
        counts, all_are_minimum = self.counts_of_categories(self.filter_queryset(self.get_queryset()))
        answer = [
            {
                "value": category.value,
                "display_name": category.words,
                "count": min(count, _COUNTED_EACH),
                "count_is_minimum": all_are_minimum or count > _COUNTED_EACH,
            }
            for category, count in counts.items()
        ]
        return Response(CategoryCountSerializer(answer, many=True).data)

    def counts_of_categories(self, rows: models.QuerySet[Any]) -> tuple[dict[Category, int], bool]:
        """Number of rows of each category, and whether every count is a minimum. One statement reads each row at most
        once.

        Without a narrow filter, the rows of a category are read from the index of kinds, up to `_COUNTED_EACH`. Under a
        narrow filter that index does not help: the matching rows are read once, up to `filters.SEARCHED`, and sorted
        into categories.
        """
        is_narrow = any(self.request.query_params.get(name) for name in (*_NARROW, "search"))
        if is_narrow:
            by_event = newest.count_by_event([rows], filters.SEARCHED + 1)
        else:
            kinds_of = [[kind.value for kind in in_category(category)] for category in Category]
            by_event = newest.count_by_event([rows.filter(event__in=kinds) for kinds in kinds_of], _COUNTED_EACH + 1)
        counts = dict.fromkeys(Category, 0)
        for event, count in by_event.items():
            kind = find(event)
            if kind is not None:  # None: a kind of a newer version, which has no category
                counts[kind.category] += count
        return counts, is_narrow and sum(by_event.values()) > filters.SEARCHED

    def search_border(self, rows: models.QuerySet[Any]) -> datetime | None:
        return search_border(self.partitions_of(rows))

    def partitions_of(self, rows: models.QuerySet[Any]) -> list[models.QuerySet[Any]]:
        """Partitions by organization and kind; an index returns the newest rows of each partition."""
        parts = [rows.filter(org_id=org_id) for org_id in self.organizations]
        kinds = self.kinds()
        if kinds is None or any(self.request.query_params.get(name) for name in _NARROW):
            return parts
        return [part.filter(event=kind.value) for part in parts for kind in kinds]


class OperateLogViewSet(ListViewSet):
    """Created, updated and deleted objects."""

    queryset = AuditEvent.objects.all()
    serializer_class = OperateLogSerializer
    pagination_class = NewestPagination
    rights = {"list": Right.ORG_AUDITOR}
    filter_fields = ("user", "action", "resource_type", "resource", "remote_addr")
    search_fields = ("resource",)
    ordering_fields = ("datetime", "user", "resource_type", "resource", "action")
    default_order = ("-datetime",)
    date_range_field = "datetime"

    def visible_rows(self) -> models.QuerySet[Any]:
        return facade.operate_events(self.actor, self.scope)

    def search_border(self, rows: models.QuerySet[Any]) -> datetime | None:
        return search_border(self.partitions_of(rows))

    def partitions_of(self, rows: models.QuerySet[Any]) -> list[models.QuerySet[Any]]:
        """As for events; by action where no filter has an index of its own."""
        parts = [rows.filter(org_id=org_id) for org_id in facade.audit_organizations(self.actor, self.scope)]
        if any(self.request.query_params.get(name) for name in _NARROW):
            return parts
        return [part.filter(action=action.value) for part in parts for action in OPERATIONS]


class LoginLogViewSet(ListViewSet):
    """Sign-in attempts of the users of the organization; of all users in the default organization."""

    queryset = LoginLog.objects.all()
    serializer_class = LoginLogSerializer
    rights = {"list": Right.ORG_AUDITOR}
    filter_fields = ("username", "ip", "city", "type", "status", "mfa")
    search_fields = ("username", "ip", "city")
    ordering_fields = ("datetime", "username", "ip", "type", "status")
    default_order = ("-datetime",)
    date_range_field = "datetime"

    def visible_rows(self) -> models.QuerySet[Any]:
        rows = LoginLog.objects.visible_to(self.actor, self.scope)
        usernames = facade.usernames_in(self.scope)
        return rows if usernames is None else rows.for_usernames(usernames)


class PasswordChangeLogViewSet(ListViewSet):
    """Password changes. Needs the right to see all organizations, because users belong to several organizations."""

    queryset = PasswordChangeLog.objects.all()
    serializer_class = PasswordChangeLogSerializer
    rights = {"list": Right.ORG_AUDITOR}
    filter_fields = ("user", "change_by", "remote_addr")
    search_fields = ("user", "change_by", "remote_addr")
    ordering_fields = ("datetime", "user", "change_by")
    default_order = ("-datetime",)
    date_range_field = "datetime"

    def visible_rows(self) -> models.QuerySet[Any]:
        rows = PasswordChangeLog.objects.visible_to(self.actor, self.scope)
        labels = facade.user_labels_in(self.scope)
        return rows if labels is None else rows.filter(user__in=labels)
