"""Serializers of the vault.

Responses never contain a secret, not even as a default (K73: secrets go in and never come out).
"""

from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.models import Asset, Node
from postern.apps.users.models import User
from postern.apps.vault.sealed_secrets.api import StoredSecretsField
from postern.apps.vault.system_users import command_filters
from postern.apps.vault.system_users.models import (
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
    SystemUserType,
    SystemUserUser,
)
from postern.apps.vault.system_users.ssh_keys import MAX_KEY_TEXT
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.naming import by, itself, key_in, name_in
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.serializers import OrgNameField, ResourceSerializer
from postern.foundation.rest.text import PlainField

_SECRETS: Final = ("password", "private_key", "public_key", "token")


class SecretsSerializer(BodySerializer):
    """The secrets alone."""

    password = SecretField(max_length=512, label=gettext_lazy("Password"))
    private_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH private key"))
    public_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH public key"))
    token = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("Token"))


class SystemUserSerializer(ResourceSerializer):
    password = SecretField(max_length=512, label=gettext_lazy("Password"))
    private_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH private key"))
    public_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH public key"))
    token = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("Token"))
    auto_generate_key = serializers.BooleanField(
        write_only=True, required=False, label=gettext_lazy("Auto generate key")
    )
    username = PlainField(max_length=128, required=False, allow_blank=True, label=gettext_lazy("Username"))
    assets_amount = serializers.IntegerField(read_only=True)

    class Meta:
        model = SystemUser
        fields_mini: tuple[str, ...] = ("id", "name", "username")
        fields_small: tuple[str, ...] = (
            *fields_mini, *_SECRETS, "auto_generate_key", "type", "type_display", "protocol", "login_mode",
            "login_mode_display", "priority", "sudo", "shell", "sftp_root", "ssh_key_fingerprint", "home", "system_groups",
            "ad_domain", "username_same_with_user", "auto_push", "date_created", "date_updated", "comment", "created_by",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "cmd_filters", "assets_amount", "org_id", "org_name")
        read_only_fields = ("ssh_key_fingerprint", "date_created", "date_updated", "created_by")

    immutable_fields = ("protocol", "type")

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        if "cmd_filters" in fields:  # not in `?fields_size=small`
            fields["cmd_filters"] = command_filters.FILTERS.value.field()
        return fields

    def validate_username(self, value: str) -> str:
        if any(not character.isprintable() or character in "@/ " for character in value.strip()):
            raise serializers.ValidationError(_("A username cannot contain blanks, slashes or at signs."))
        return value.strip()

    def validate_name(self, value: str) -> str:
        name = value.strip()
        if not name or not name.isprintable() or "@" in name:
            raise serializers.ValidationError(_("Use printable characters only, and no at sign (@)."))
        return name

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        same = attrs.get("username_same_with_user", getattr(self.instance, "username_same_with_user", False))
        if same:
            self._only_one_dynamic(attrs)
        return attrs

    def _only_one_dynamic(self, attrs: dict[str, Any]) -> None:
        protocol = attrs.get("protocol", getattr(self.instance, "protocol", "ssh"))
        org_id = getattr(self.instance, "org_id", None) or self.context["scope"].org_id
        others = SystemUser.objects.filter(org_id=org_id, protocol=protocol, username_same_with_user=True)
        if isinstance(self.instance, SystemUser):
            others = others.exclude(pk=self.instance.pk)
        if others.exists():
            message = _("A system user with a dynamic username already exists for this protocol.")
            raise serializers.ValidationError({"username_same_with_user": [message]})


class AdminUserSerializer(SystemUserSerializer):
    """System users of type admin: fewer fields, and the type is fixed."""

    class Meta(SystemUserSerializer.Meta):
        fields_small = (
            "id", "name", "username", "password", "private_key", "public_key", "type", "protocol", "priority",
            "sftp_root", "ssh_key_fingerprint", "date_created", "date_updated", "comment", "created_by",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "cmd_filters", "assets_amount", "org_id", "org_name")

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for name in ("token", "auto_generate_key"):
            fields.pop(name, None)
        return fields

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return super().validate({**attrs, "type": SystemUserType.ADMIN.value})


class SystemUserDetailSerializer(SystemUserSerializer):
    """One system user, with the names of its stored secrets."""

    stored_secrets = StoredSecretsField()

    class Meta(SystemUserSerializer.Meta):
        fields = (*SystemUserSerializer.Meta.fields, "stored_secrets")


class AdminUserDetailSerializer(AdminUserSerializer):
    """One admin user, with the names of its stored secrets."""

    stored_secrets = StoredSecretsField()

    class Meta(AdminUserSerializer.Meta):
        fields = (*AdminUserSerializer.Meta.fields, "stored_secrets")


class _BindingSerializer(ResourceSerializer):
    """A row that binds a system user to an object of its organization."""

    systemuser = OrgOwnedField(
        SystemUser, named=by(("name", itself), ("name", name_in)), label=gettext_lazy("System user")
    )
    systemuser_display = serializers.CharField(source="systemuser.name", read_only=True)
    org_name = OrgNameField(source="systemuser.org_id")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        system_user = attrs.get("systemuser") or getattr(self.instance, "systemuser", None)
        for name in ("asset", "node"):
            target = attrs.get(name)
            if target is not None and system_user is not None and target.org_id != system_user.org_id:
                raise serializers.ValidationError({name: [_("This object belongs to another organization.")]})
        return attrs


class SystemUserAssetSerializer(_BindingSerializer):
    asset = OrgOwnedField(
        Asset, named=by(("hostname", itself), ("hostname", name_in), ("ip", itself)), label=gettext_lazy("Asset")
    )
    asset_display = serializers.CharField(source="asset.hostname", read_only=True, label=gettext_lazy("Asset hostname"))
    org_id = serializers.CharField(source="systemuser.org_id", read_only=True, label=gettext_lazy("Organization"))

    class Meta:
        model = SystemUserAsset
        fields = (
            "id", "asset", "asset_display", "systemuser", "systemuser_display", "connectivity", "date_verified", "org_id",
            "org_name",
        )  # fmt: skip
        read_only_fields = ("connectivity", "date_verified")


class SystemUserNodeSerializer(_BindingSerializer):
    node = OrgOwnedField(Node, named=by(("full_value", itself)), label=gettext_lazy("Node"))
    node_display = serializers.CharField(source="node.full_value", read_only=True)

    class Meta:
        model = SystemUserNode
        fields = ("id", "node", "node_display", "systemuser", "systemuser_display", "org_name")


class SystemUserUserSerializer(_BindingSerializer):
    user = OrgOwnedField(
        User, named=by(("username", itself), ("username", key_in), ("name", itself)), label=gettext_lazy("User")
    )
    user_display = serializers.CharField(source="user", read_only=True)

    class Meta:
        model = SystemUserUser
        fields = ("id", "user", "user_display", "systemuser", "systemuser_display", "org_name")
