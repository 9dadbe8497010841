"""Log rows on the wire. Login-session ids and digests stay inside (K45)."""

from functools import cache

from django.apps import apps
from rest_framework import serializers

from postern.apps.audits.models import AuditEvent, LoginLog, PasswordChangeLog
from postern.foundation.rest.serializers import ResourceSerializer


@cache
def _models_by_name() -> dict[str, object]:
    return {model.__name__: model._meta for model in apps.get_models()}  # noqa: SLF001 - the documented model API


class OperateLogSerializer(ResourceSerializer):
    """What was created, changed or deleted, by whom, with the old and the new values."""

    resource_type_display = serializers.SerializerMethodField()

    class Meta:
        model = AuditEvent
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "user",
            "action",
            "action_display",
            "event",
            "resource_type",
            "resource_type_display",
            "resource_id",
            "resource",
            "remote_addr",
            "datetime",
            "org_id",
            "org_name",
            "old",
            "new",
        )
        fields = fields_small
        read_only_fields = fields

    def get_resource_type_display(self, event: AuditEvent) -> str:
        """The kind of object in the person's language."""
        meta = _models_by_name().get(event.resource_type)
        return str(getattr(meta, "verbose_name", event.resource_type))


class LoginLogSerializer(ResourceSerializer):
    """One attempt to sign in."""

    class Meta:
        model = LoginLog
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "username",
            "type",
            "type_display",
            "ip",
            "city",
            "user_agent",
            "mfa",
            "mfa_display",
            "reason",
            "backend",
            "status",
            "status_display",
            "datetime",
        )
        fields = fields_small
        read_only_fields = fields


class PasswordChangeLogSerializer(ResourceSerializer):
    """One change of a password."""

    class Meta:
        model = PasswordChangeLog
        fields_mini = ("id",)
        fields_small = (*fields_mini, "user", "change_by", "remote_addr", "datetime")
        fields = fields_small
        read_only_fields = fields
