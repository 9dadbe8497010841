"""Serializers of permissions (contract/perms.md)."""

from typing import Any, Final

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.models import Asset, Node
from postern.apps.perms.granting.api.serializers import PermissionSerializer, link_serializer
from postern.apps.perms.grants.action_names import ACTION_NAMES, ACTION_WORDS, from_names, to_names
from postern.apps.perms.grants.displays import DisplayField, DisplayListField
from postern.apps.perms.grants.links import LINKS, Link
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.perms.permissions.kind import ASSET_PERMISSIONS
from postern.apps.users.models import User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions
from postern.foundation.rest.naming import Naming, by, itself, key_in, name_in
from postern.foundation.rest.relations import OrgOwnedList, rows_in_scope
from postern.foundation.rest.serializers import ResourceSerializer


class ActionsField(serializers.MultipleChoiceField):
    """Action bits as a list of names."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[(name, ACTION_WORDS[name]) for name in ACTION_NAMES], **kwargs)

    def to_representation(self, value: Any) -> Any:
        return to_names(value)

    def to_internal_value(self, data: Any) -> Any:
        return from_names(super().to_internal_value(data)).value


_LOOKUPS: Final[dict[str, tuple[type[models.Model], Naming]]] = {
    "users": (User, by(("username", itself), ("username", key_in), ("name", itself))),
    "user_groups": (UserGroup, by(("name", itself))),
    "assets": (Asset, by(("hostname", itself), ("hostname", name_in), ("ip", itself))),
    "nodes": (Node, by(("full_value", itself))),
    "system_users": (SystemUser, by(("name", itself), ("name", name_in))),
}


def _found(list_name: str, texts: list[str], scope: Any) -> list[Any]:
    """Objects with these display texts (contract: "users by name/username, groups by name, assets by ip/hostname …").

    Raises ValidationError for a text that matches several objects, because all of them would get access.
    """
    model, naming = _LOOKUPS[list_name]
    named = naming.find(rows_in_scope(model._default_manager.all(), scope), texts)  # noqa: SLF001 - the documented model API
    objects_by_id: dict[Any, Any] = {}
    for text, rows in named.items():
        if len(rows) > 1:
            message = _("%(text)s matches several objects. Enter a text that matches only one.") % {"text": text}
            raise serializers.ValidationError({f"{list_name}_display": [message]})
        objects_by_id |= {row.pk: row for row in rows}
    return list(objects_by_id.values())


def _named_list(list_name: str, **kwargs: Any) -> OrgOwnedList:
    model, naming = _LOOKUPS[list_name]
    return OrgOwnedList(model, named=naming, **kwargs)


class AssetPermissionSerializer(PermissionSerializer):
    actions = ActionsField(required=False, allow_null=True, default=Actions.ALL.value)
    users = _named_list("users", required=False, label=gettext_lazy("User"))
    user_groups = _named_list("user_groups", required=False, label=gettext_lazy("User group"))
    assets = _named_list("assets", required=False, label=gettext_lazy("Asset"))
    nodes = _named_list("nodes", required=False, label=gettext_lazy("Nodes"))
    system_users = _named_list("system_users", allow_empty=False, label=gettext_lazy("System user"))
    users_display = DisplayListField("users", label=gettext_lazy("Users display"))
    user_groups_display = DisplayListField("user_groups", label=gettext_lazy("User groups display"))
    assets_display = DisplayListField("assets", label=gettext_lazy("Assets display"))
    nodes_display = DisplayListField("nodes", label=gettext_lazy("Nodes display"))
    system_users_display = DisplayListField("system_users", label=gettext_lazy("System users display"))
    users_amount = serializers.IntegerField(read_only=True)
    user_groups_amount = serializers.IntegerField(read_only=True)
    assets_amount = serializers.IntegerField(read_only=True)
    nodes_amount = serializers.IntegerField(read_only=True)
    system_users_amount = serializers.IntegerField(read_only=True)
    is_expired = serializers.BooleanField(read_only=True, label=gettext_lazy("Is expired"))
    # A declared field leaves the class namespace, so the serializer's own method `is_valid` is not replaced.
    is_valid = serializers.BooleanField(read_only=True, label=gettext_lazy("Is valid"))  # type: ignore[assignment]  # see above

    class Meta:
        model = AssetPermission
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "is_active", "is_expired", "is_valid", "actions", "created_by", "date_created", "date_expired",
            "date_start", "comment",
        )  # fmt: skip
        fields = (
            *fields_small, "users", "users_display", "user_groups", "user_groups_display", "assets", "assets_display",
            "nodes", "nodes_display", "system_users", "system_users_display", "users_amount", "user_groups_amount",
            "assets_amount", "nodes_amount", "system_users_amount", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = ("created_by", "date_created")

    def to_internal_value(self, data: Any) -> Any:
        # Imports may name the system users instead of giving their ids.
        self.fields["system_users"].required = not (isinstance(data, dict) and data.get("system_users_display"))
        return super().to_internal_value(data)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if attrs.get("actions", 0) is None:
            attrs["actions"] = Actions.ALL.value
        for link in LINKS:
            texts = attrs.pop(f"{link.list_name}_display", None)
            if texts and link.list_name not in attrs:
                attrs[link.list_name] = _found(link.list_name, texts, self.context.get("scope"))
        return attrs


def relation_serializer(link: Link) -> type[ResourceSerializer]:
    """The serializer of one link table: id, the object, the permission, and the display names of both."""
    return link_serializer(
        ASSET_PERMISSIONS,
        link,
        naming=_LOOKUPS[link.list_name][1],
        display=DisplayField(link.column),
        label=gettext_lazy("Asset permission"),
    )
