"""Serializers of application permissions (contract/perms.md)."""

from typing import Any, Final

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.applications import facade as applications
from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.links import APPLICATIONS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.application_permissions.kind import APPLICATION_PERMISSIONS
from postern.apps.perms.granting.api.serializers import PermissionSerializer, link_serializer
from postern.apps.perms.grants.displays import DisplayField, DisplayListField
from postern.apps.perms.grants.links import Link
from postern.apps.users.models import User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.foundation.rest.naming import Naming, by, itself, key_in, name_in
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer

_LOOKUPS: Final[dict[str, tuple[type[models.Model], Naming]]] = {
    "users": (User, by(("username", itself), ("username", key_in), ("name", itself))),
    "user_groups": (UserGroup, by(("name", itself))),
    "applications": (Application, by(("name", itself))),
    "system_users": (SystemUser, by(("name", itself), ("name", name_in))),
}


def _named_list(list_name: str, **kwargs: Any) -> OrgOwnedList:
    model, naming = _LOOKUPS[list_name]
    return OrgOwnedList(model, named=naming, **kwargs)


class ApplicationPermissionSerializer(PermissionSerializer):
    users = _named_list("users", required=False, label=gettext_lazy("User"))
    user_groups = _named_list("user_groups", required=False, label=gettext_lazy("User group"))
    applications = _named_list("applications", required=False, label=gettext_lazy("Application"))
    system_users = _named_list("system_users", allow_empty=False, label=gettext_lazy("System user"))
    users_display = DisplayListField("users", read_only=True, label=gettext_lazy("Users display"))
    user_groups_display = DisplayListField("user_groups", read_only=True, label=gettext_lazy("User groups display"))
    applications_display = DisplayListField("applications", read_only=True, label=gettext_lazy("Applications display"))
    system_users_display = DisplayListField("system_users", read_only=True, label=gettext_lazy("System users display"))
    users_amount = serializers.IntegerField(read_only=True)
    user_groups_amount = serializers.IntegerField(read_only=True)
    applications_amount = serializers.IntegerField(read_only=True)
    system_users_amount = serializers.IntegerField(read_only=True)
    is_expired = serializers.BooleanField(read_only=True, label=gettext_lazy("Is expired"))
    # A declared field leaves the class namespace, so the serializer's own method `is_valid` is not replaced.
    is_valid = serializers.BooleanField(read_only=True, label=gettext_lazy("Is valid"))  # type: ignore[assignment]  # see above

    class Meta:
        model = ApplicationPermission
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "category", "category_display", "type", "type_display", "is_active", "is_expired", "is_valid",
            "created_by", "date_created", "date_expired", "date_start", "comment",
        )  # fmt: skip
        fields = (
            *fields_small, "users", "users_display", "user_groups", "user_groups_display", "applications",
            "applications_display", "system_users", "system_users_display", "users_amount", "user_groups_amount",
            "applications_amount", "system_users_amount", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = ("created_by", "date_created")

    immutable_fields = ("category", "type")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if self.instance is None:
            declaration = applications.DECLARATIONS[attrs["type"]]
            if declaration.category != attrs["category"]:
                message = _("%(type)s belongs to the category %(category)s.")
                values = {"type": declaration.type.label, "category": declaration.category.label}
                raise serializers.ValidationError({"type": [message % values]})
        return attrs


class _DescribedField(serializers.CharField):
    """`name(Type)[Category]` of the application at the other end of a link."""

    def get_attribute(self, instance: Any) -> str:
        text: str = instance.application.described
        return text


def relation_serializer(link: Link) -> type[ResourceSerializer]:
    """The serializer of one link table: id, the object, the permission, and the display names of both."""
    return link_serializer(
        APPLICATION_PERMISSIONS,
        link,
        naming=_LOOKUPS[link.list_name][1],
        display=_DescribedField(read_only=True) if link is APPLICATIONS else DisplayField(link.column),
        label=gettext_lazy("Application permission"),
    )
