"""Serializers of the own profile."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.orgs import facade as orgs
from postern.apps.orgs.roles import OrgRole
from postern.apps.preferences import facade as preferences
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS, days_until_expiry
from postern.apps.users.credentials.rules import password_rules
from postern.apps.users.models import Language, MfaLevel, SystemRole, User
from postern.apps.users.people import login_locks
from postern.apps.users.people.api.serializers import UserFacts, key_comment, key_md5, shown_credentials
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.bodies import BodySerializer
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


def _org_row(org_id: Any, name: str) -> dict[str, Any]:
    scope = OrgScope(org_id)
    return {"id": str(org_id), "name": name, "is_default": scope.is_default, "is_root": scope.is_root}


class ProfileSerializer(UserFacts):
    """The calling user, with their roles and permissions in each organization."""

    groups = serializers.SerializerMethodField(label=gettext_lazy("User group"))
    org_roles = serializers.SerializerMethodField(label=gettext_lazy("Organization role name"))
    can_update = serializers.SerializerMethodField(label=gettext_lazy("Can update"))
    can_delete = serializers.SerializerMethodField(label=gettext_lazy("Can delete"))
    login_blocked = serializers.SerializerMethodField(label=gettext_lazy("Login blocked"))
    public_key_comment = serializers.SerializerMethodField()
    public_key_hash_md5 = serializers.SerializerMethodField()
    admin_or_audit_orgs = serializers.SerializerMethodField()
    user_all_orgs = serializers.SerializerMethodField()
    current_org_roles = serializers.SerializerMethodField()
    is_org_admin = serializers.SerializerMethodField()
    is_superuser = serializers.SerializerMethodField()
    guide_url = serializers.SerializerMethodField()
    roles = serializers.SerializerMethodField()
    permissions = serializers.SerializerMethodField()
    password_days_left = serializers.SerializerMethodField()
    language = serializers.ChoiceField(choices=Language.choices, required=False, allow_blank=True)
    mfa_level = serializers.ChoiceField(choices=MfaLevel.choices[:2], required=False, label=gettext_lazy("MFA"))
    is_first_login = serializers.BooleanField(required=False)

    class Meta(UserFacts.Meta):
        fields = (
            *UserFacts.Meta.fields,
            "groups",
            "org_roles",
            "can_update",
            "can_delete",
            "login_blocked",
            "public_key",
            "language",
            "public_key_comment",
            "public_key_hash_md5",
            "admin_or_audit_orgs",
            "user_all_orgs",
            "current_org_roles",
            "is_org_admin",
            "is_superuser",
            "guide_url",
            "roles",
            "permissions",
            "password_days_left",
        )
        read_only_fields = (
            "name",
            "username",
            "kind",
            "email",
            "source",
            "is_active",
            "date_expired",
            "date_joined",
            "last_login",
            "role",
            "created_by",
            "need_update_password",
            "date_password_last_updated",
        )
        extra_kwargs = {"public_key": {"write_only": True, "required": False}}

    #: Cached, because several fields of the response need it.
    _cached_facts: "tuple[rbac.Rights, tuple[users.OrgRoles, ...], Mapping[UUID, str]] | None" = None

    def _facts(self, user: User) -> "tuple[rbac.Rights, tuple[users.OrgRoles, ...], Mapping[UUID, str]]":
        """Rights in the current organization, memberships, names of organizations."""
        if self._cached_facts is None:
            self._cached_facts = (
                rbac.rights_of(user, self.context["scope"]),
                users.org_roles_of(user.pk),
                orgs.names(),
            )
        return self._cached_facts

    def get_groups(self, user: User) -> list[str]:
        return [str(group.pk) for group in user.groups.all() if self.context["scope"].covers(group.org_id)]

    def get_org_roles(self, user: User) -> list[str]:
        return self.org_roles_shown(user)

    def get_can_update(self, user: User) -> bool:
        """Always true: every user may change their own account, within limits."""
        del user
        return True

    def get_can_delete(self, user: User) -> bool:
        """Always false: users cannot delete their own account."""
        del user
        return False

    def get_login_blocked(self, user: User) -> bool:
        return user.username in login_locks.locked_names([user.username])

    def get_public_key_comment(self, user: User) -> str:
        return key_comment(user)

    def get_public_key_hash_md5(self, user: User) -> str:
        return key_md5(user)

    def get_admin_or_audit_orgs(self, user: User) -> list[dict[str, Any]]:
        _rights, memberships, names = self._facts(user)
        if user.role in (SystemRole.ADMIN, SystemRole.AUDITOR):
            return [_org_row(pk, name) for pk, name in names.items()]
        org_ids = {row.org_id for row in memberships if row.roles & {OrgRole.ADMIN, OrgRole.AUDITOR}}
        return [_org_row(pk, name) for pk, name in names.items() if pk in org_ids]

    def get_user_all_orgs(self, user: User) -> list[dict[str, Any]]:
        _rights, memberships, names = self._facts(user)
        org_ids = {row.org_id for row in memberships}
        return [_org_row(pk, name) for pk, name in names.items() if pk in org_ids]

    def get_current_org_roles(self, user: User) -> list[str]:
        if self.context["scope"].org_id == ROOT_ORG_ID:
            return ["Admin"] if user.role == SystemRole.ADMIN else ["User"]
        rights, _memberships, _names = self._facts(user)
        return sorted(rights.org_roles)

    def get_is_org_admin(self, user: User) -> bool:
        _rights, memberships, _names = self._facts(user)
        return user.role == SystemRole.ADMIN or any(OrgRole.ADMIN in row.roles for row in memberships)

    def get_is_superuser(self, user: User) -> bool:
        return user.role == SystemRole.ADMIN

    def get_guide_url(self, user: User) -> str | None:
        del user
        return preferences.get_str("USER_GUIDE_URL") or None

    def get_roles(self, user: User) -> list[dict[str, Any]]:
        """Roles and permission bits in each organization."""
        _rights, memberships, names = self._facts(user)
        return [
            {
                "org_id": str(standing.org_id),
                "org_name": standing.org_name,
                "roles": [str(role) for role in standing.roles],
                "permissions": int(standing.permissions),
            }
            for standing in rbac.standings_of(user, memberships, names)
        ]

    def get_permissions(self, user: User) -> int:
        """Permission bits of the roles in the request's organization."""
        rights, _memberships, _names = self._facts(user)
        return rbac.shown_bits(rights)

    def get_password_days_left(self, user: User) -> int | None:
        if not user.is_local:
            return None
        return days_until_expiry(user.date_password_last_updated, password_rules(), now=clock.now())


class OwnPasswordSerializer(BodySerializer):
    old_password = serializers.CharField(
        max_length=MAX_PASSWORD_CHARS, write_only=True, trim_whitespace=False, label=gettext_lazy("Old password")
    )
    new_password = serializers.CharField(
        max_length=MAX_PASSWORD_CHARS, write_only=True, trim_whitespace=False, label=gettext_lazy("New password")
    )
    new_password_again = serializers.CharField(
        max_length=MAX_PASSWORD_CHARS, write_only=True, trim_whitespace=False, label=gettext_lazy("Confirm password")
    )

    end = serializers.ListField(
        child=serializers.ChoiceField(choices=users.CREDENTIAL_CHOICES), required=False, default=list, write_only=True
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["new_password"] != attrs["new_password_again"]:
            raise serializers.ValidationError(
                {"new_password_again": [_("The new passwords do not match. Enter the same password twice.")]}
            )
        return attrs


class OwnPublicKeySerializer(BodySerializer):
    public_key = serializers.CharField(
        max_length=16_384,
        write_only=True,
        allow_blank=True,
        label=gettext_lazy("Public key"),
        style={"base_template": "textarea.html"},
    )
    public_key_comment = serializers.SerializerMethodField()
    public_key_hash_md5 = serializers.SerializerMethodField()

    def get_public_key_comment(self, user: User) -> str:
        return key_comment(user)

    def get_public_key_hash_md5(self, user: User) -> str:
        return key_md5(user)


def own_credentials(user: User) -> dict[str, list[dict[str, Any]]]:
    """The user's credentials and open sessions, by kind."""
    return shown_credentials(user)
