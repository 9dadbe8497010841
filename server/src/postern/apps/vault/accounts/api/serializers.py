"""Serializers of accounts.

`AccountSerializer` shows no secret. `AccountSecretSerializer` is the only one that does (K73: its exception).
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.assets.models import Asset
from postern.apps.vault.accounts.models import Account, AccountSecret
from postern.apps.vault.system_users.models import AccountVersion, LoginMode, SystemUser, SystemUserAsset
from postern.apps.vault.system_users.ssh_keys import MAX_KEY_TEXT
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.naming import by, itself, name_in
from postern.foundation.rest.relations import OrgOwnedField
from postern.foundation.rest.secret_field import SecretField
from postern.foundation.rest.serializers import ChoiceDisplayField, ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.uniqueness import Wanted, require_free

_SECRETS = ("password", "private_key", "public_key")
_MINI = ("id", "username", "ip", "hostname", "version")
_SMALL = (
    *_MINI, "password", "private_key", "public_key", "has_own_secret", "ssh_key_fingerprint", "date_created",
    "date_updated", "connectivity", "date_verified", "created_by", "comment",
)  # fmt: skip
_FIELDS = (*_SMALL, "asset", "systemuser", "systemuser_display", "org_id", "org_name")
_READ_ONLY = (
    "version", "has_own_secret", "ssh_key_fingerprint", "date_created", "date_updated", "connectivity", "date_verified",
    "created_by",
)  # fmt: skip


class LoginNameField(PlainField):
    """The name on the host, which may be that of the system user."""

    def get_attribute(self, instance: Account) -> str:
        return instance.login_name


class SystemUserNameField(serializers.CharField):
    """The name of the system user; "" without a system user."""

    def get_attribute(self, instance: Account) -> str:
        return instance.systemuser.name if instance.systemuser is not None else ""


class AccountSerializer(ResourceSerializer):
    username = LoginNameField(
        max_length=128,
        allow_blank=True,
        label=gettext_lazy("Username"),
        help_text=gettext_lazy("Leave it empty for the username of the system user."),
    )
    ip = serializers.CharField(source="asset.ip", read_only=True, label=gettext_lazy("IP"))
    hostname = serializers.CharField(source="asset.hostname", read_only=True, label=gettext_lazy("Hostname"))
    password = SecretField(max_length=512, label=gettext_lazy("Password"))
    private_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH private key"))
    public_key = SecretField(max_length=MAX_KEY_TEXT, label=gettext_lazy("SSH public key"))
    asset = OrgOwnedField(
        Asset, named=by(("hostname", itself), ("hostname", name_in), ("ip", itself)), label=gettext_lazy("Asset")
    )
    systemuser = OrgOwnedField(
        SystemUser,
        named=by(("name", itself), ("name", name_in)),
        allow_null=True,
        # An empty cell of a file is left out.
        default=None,
        label=gettext_lazy("System user"),
    )
    systemuser_display = SystemUserNameField(read_only=True, label=gettext_lazy("System user display"))

    class Meta:
        model = Account
        fields_mini = _MINI
        fields_small = _SMALL
        fields = _FIELDS
        read_only_fields = _READ_ONLY

    immutable_fields = ("asset", "systemuser")

    def validate_username(self, value: str) -> str:
        if any(not character.isprintable() or character in "@/ " for character in value.strip()):
            raise serializers.ValidationError(_("A username cannot contain blanks, slashes or at signs."))
        return value.strip()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        account = self.instance if isinstance(self.instance, Account) else None
        system_user: SystemUser | None = attrs.get("systemuser", account.systemuser if account else None)
        asset = attrs.get("asset", account.asset if account else None)
        if asset is not None and system_user is not None and asset.org_id != system_user.org_id:
            raise serializers.ValidationError({"systemuser": [_("This object belongs to another organization.")]})
        if "username" in attrs:
            attrs["username"] = self._own_name(attrs["username"], system_user)
        if account is not None:
            if attrs.get("username", account.username) != account.username:
                raise serializers.ValidationError({"username": [_("This field cannot be changed.")]})
            return attrs
        self._require_free_place(asset, system_user, attrs.get("username", ""))
        return attrs

    def _own_name(self, username: str, system_user: SystemUser | None) -> str:
        """The name that is stored: "" if it is that of the system user."""
        if system_user is None:
            if not username:
                raise serializers.ValidationError(
                    {"username": [_("An account without a system user needs a username.")]}
                )
            return username
        if system_user.username_same_with_user or username in {"", system_user.username}:
            return username if system_user.username_same_with_user else ""
        raise serializers.ValidationError(
            {
                "username": [
                    _("Accounts of %(name)s have the username %(username)s. Leave this empty.")
                    % {"name": system_user.name, "username": system_user.username or "-"}
                ]
            }
        )

    def _require_free_place(self, asset: Asset | None, system_user: SystemUser | None, username: str) -> None:
        message = {"username": [_("This account exists already on this asset.")]}
        if asset is None:
            return
        if system_user is None:
            rows = SystemUserAsset.objects.filter(asset=asset, username=username, systemuser__isnull=True)
            if rows.exists():
                raise serializers.ValidationError(message, code="unique")
            return
        names = ("systemuser", "asset", "username")
        lookup = {"systemuser": system_user, "asset": asset, "username": username}
        require_free(self, Wanted(SystemUserAsset, names, lookup, None), message)


class AccountSecretSerializer(AccountSerializer):
    """The same with the secrets. The view puts them on the rows (`attach_more`)."""

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
    systemuser_is_manual = serializers.SerializerMethodField(label=gettext_lazy("Manually input"))

    class Meta:
        model = AccountSecret
        fields_mini = _MINI
        fields_small = (*_SMALL, "secret_source", "systemuser_is_manual")
        fields = (*_FIELDS, "secret_source", "systemuser_is_manual")
        read_only_fields = fields

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        readable = {
            name: serializers.CharField(read_only=True, label=fields[name].label) for name in _SECRETS if name in fields
        }
        return {name: readable.get(name, field) for name, field in fields.items()}

    def get_systemuser_is_manual(self, row: AccountSecret) -> bool:
        """Whether each user enters the credential, so that none is stored."""
        return row.systemuser is not None and row.systemuser.login_mode == LoginMode.MANUAL


class AccountVersionSerializer(serializers.ModelSerializer[AccountVersion]):
    """A version of an account: who stored it, when and why. No secret."""

    reason_display = ChoiceDisplayField("reason")
    is_current = serializers.SerializerMethodField()

    class Meta:
        model = AccountVersion
        fields = (
            "number", "reason", "reason_display", "has_password", "has_private_key", "ssh_key_fingerprint", "is_current",
            "created_by", "date_created",
        )  # fmt: skip
        read_only_fields = fields

    def get_is_current(self, row: AccountVersion) -> bool:
        return bool(row.number == self.context["version"])


class RestoreSerializer(BodySerializer):
    """`current`: the number of the version that the person saw as the current version."""

    current = serializers.IntegerField(min_value=1, label=gettext_lazy("Current version"))
