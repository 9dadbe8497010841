"""Serializers of application accounts (contract: applications).

`ApplicationAccountSerializer` shows no secret. `ApplicationAccountSecretSerializer` is the only one that does.
"""

from typing import Any

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.applications.accounts.models import ApplicationAccount, ApplicationAccountSecret
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.serializers import ResourceSerializer

_MAX_SECRET = 16_384
_FIELDS = (
    "id", "username", "password", "systemuser", "systemuser_display", "app", "app_name", "category", "category_display",
    "type", "type_display", "uid", "has_own_secret", "is_granted", "date_created", "org_id", "org_name",
)  # fmt: skip


class ApplicationAccountSerializer(ResourceSerializer):
    username = serializers.CharField(source="systemuser.username", read_only=True, label=gettext_lazy("Username"))
    password = SecretField(max_length=_MAX_SECRET, label=gettext_lazy("Password"))
    systemuser = serializers.UUIDField(source="systemuser_id", read_only=True, label=gettext_lazy("System user"))
    systemuser_display = serializers.CharField(
        source="systemuser.name", read_only=True, label=gettext_lazy("System user display")
    )
    app = serializers.UUIDField(source="application_id", read_only=True, label=gettext_lazy("Application"))
    app_name = serializers.CharField(source="application.name", read_only=True, label=gettext_lazy("Application name"))
    category = serializers.CharField(source="application.category", read_only=True, label=gettext_lazy("Category"))
    category_display = serializers.CharField(source="application.get_category_display", read_only=True)
    type = serializers.CharField(source="application.type", read_only=True, label=gettext_lazy("Type"))
    type_display = serializers.CharField(source="application.get_type_display", read_only=True)
    uid = serializers.CharField(source="id", read_only=True, label=gettext_lazy("Union ID"))

    class Meta:
        model = ApplicationAccount
        fields: tuple[str, ...] = _FIELDS
        read_only_fields: tuple[str, ...] = ("id", "has_own_secret", "is_granted", "date_created")

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        password: Any = fields.get("password")
        if password is not None:  # there is nothing else to write
            password.required, password.allow_blank, password.allow_null = True, False, False
        return fields


class ApplicationAccountSecretSerializer(ApplicationAccountSerializer):
    """The same with the secret. The view puts it on the rows (`attach_more`)."""

    secret_source = serializers.ChoiceField(
        choices=(
            ("account", gettext_lazy("Own secret")),
            ("system_user", gettext_lazy("System user")),
            ("none", gettext_lazy("None")),
            ("unreadable", gettext_lazy("Cannot be decrypted")),
        ),
        read_only=True,
        label=gettext_lazy("Source of the secret"),
    )

    class Meta:
        model = ApplicationAccountSecret
        fields = (*_FIELDS, "secret_source")
        read_only_fields = fields

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        if "password" in fields:
            fields["password"] = serializers.CharField(read_only=True, label=fields["password"].label)
        return fields
