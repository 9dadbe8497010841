"""The logs, for administrators and auditors of the organization."""

from typing import Any

from django.db import models

from postern.apps.audits import facade
from postern.apps.audits.api.serializers import (
    LoginLogSerializer,
    OperateLogSerializer,
    PasswordChangeLogSerializer,
)
from postern.apps.audits.models import AuditEvent, LoginLog, PasswordChangeLog
from postern.foundation.rest.rights import Right
from postern.foundation.rest.viewsets import ListViewSet


class OperateLogViewSet(ListViewSet):
    """Created, updated and deleted objects."""

    queryset = AuditEvent.objects.all()
    serializer_class = OperateLogSerializer
    rights = {"list": Right.ORG_AUDITOR}
    filter_fields = ("user", "action", "resource_type", "resource", "remote_addr")
    search_fields = ("resource",)
    ordering_fields = ("datetime", "user", "resource_type", "resource", "action")
    default_order = ("-datetime",)
    date_range_field = "datetime"

    def visible_rows(self) -> models.QuerySet[Any]:
        return facade.operate_events(self.actor, self.scope)


class LoginLogViewSet(ListViewSet):
    """Attempts to sign in, of the people of the organization (of everybody in the default one)."""

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
    """Changes of passwords; seen by those who see all organizations, because people belong to several."""

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
