"""Serializers of users."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import EmailField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.fields import SkipField

from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.models import Kind, Membership, MfaLevel, SystemRole, User, username_key
from postern.apps.users.accounts.policy import Subject, may_delete, may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.apps.users.credentials import kinds as credentials
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.credentials.rules import MfaForce, mfa_force, mfa_is_forced
from postern.apps.users.groups.models import UserGroup
from postern.apps.users.people import external_accounts, login_locks
from postern.foundation.rest.naming import by, itself
from postern.foundation.rest.relations import OrgOwnedList
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.uniqueness import Wanted, require_free
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, SshPublicKey, parse_public_keys

#: Values of the filter `system_or_org_role`.
SYSTEM_OR_ORG_ROLES = (
    ("system_admin", gettext_lazy("System administrator")),
    ("system_auditor", gettext_lazy("System auditor")),
    ("org_admin", gettext_lazy("Organization administrator")),
    ("org_auditor", gettext_lazy("Organization auditor")),
    ("user", gettext_lazy("User")),
)


class FilterOnlyChoice(serializers.ChoiceField):
    """A choice field for OPTIONS and filters; rows do not contain it."""

    #: Read by the API description.
    filter_only = True

    def get_attribute(self, instance: Any) -> Any:
        raise SkipField


class RolesOfNewPeople:
    """Default of `org_roles`: shown in forms and used for new users. An update without roles keeps the current roles."""

    requires_context = True
    shown: tuple[str, ...] = (OrgRole.USER.value,)

    def __call__(self, field: serializers.Field[Any, Any, Any, Any]) -> list[str]:
        if getattr(field.parent, "instance", None) is not None:
            raise SkipField
        return list(self.shown)


class OrgRolesField(serializers.ListField):
    """The roles in the request's organization."""

    def get_attribute(self, instance: User) -> list[str]:
        parent = self.parent
        if not isinstance(parent, UserFacts):
            raise TypeError("OrgRolesField must be used in a serializer of users")
        return parent.org_roles_shown(instance)


class MfaStateField(serializers.BooleanField):
    """`mfa_enabled`, `mfa_force_enabled`: the user's own level, or the level that the setting enforces."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(read_only=True, **kwargs)

    def get_attribute(self, instance: User) -> bool:
        parent = self.parent
        if not isinstance(parent, UserFacts):
            raise TypeError("MfaStateField must be used in a serializer of users")
        forced = parent.mfa_forced(instance)
        return forced or (self.field_name == "mfa_enabled" and instance.mfa_level > MfaLevel.DISABLED)


def stored_keys(user: User) -> tuple[SshPublicKey, ...]:
    """The public keys of a user; empty when the stored text cannot be parsed."""
    try:
        return parse_public_keys(user.public_key)
    except PublicKeyProblem:
        return ()


def key_comment(user: User) -> str:
    """Comments of the stored keys."""
    return ", ".join(key.comment for key in stored_keys(user) if key.comment)


def key_md5(user: User) -> str:
    """MD5 fingerprints of the stored keys, as the contract requires."""
    return ", ".join(key.md5 for key in stored_keys(user))


class UserFacts(ResourceSerializer):
    """Fields shared by the user list and the own profile. Needs `actor` and `scope` in the context."""

    source_display = serializers.CharField(
        source="get_source_display", read_only=True, label=gettext_lazy("Source name")
    )
    can_public_key_auth = serializers.SerializerMethodField(label=gettext_lazy("Can public key auth"))
    mfa_enabled = MfaStateField(label=gettext_lazy("MFA enabled"))
    mfa_force_enabled = MfaStateField(label=gettext_lazy("MFA force enabled"))
    mfa_level_display = serializers.CharField(
        source="get_mfa_level_display", read_only=True, label=gettext_lazy("MFA level display")
    )
    is_valid = serializers.BooleanField(read_only=True, label=gettext_lazy("Is valid"))  # type: ignore[assignment]  # DRF takes declared fields off the class
    is_expired = serializers.BooleanField(read_only=True, label=gettext_lazy("Is expired"))
    is_wecom_bound = serializers.SerializerMethodField(label=gettext_lazy("Is wecom bound"))
    is_dingtalk_bound = serializers.SerializerMethodField(label=gettext_lazy("Is dingtalk bound"))
    is_feishu_bound = serializers.SerializerMethodField(label=gettext_lazy("Is feishu bound"))
    total_role_display = serializers.SerializerMethodField(label=gettext_lazy("Total role name"))
    org_role_display = serializers.SerializerMethodField(label=gettext_lazy("Organization role name"))
    role_display = serializers.CharField(
        source="get_role_display", read_only=True, label=gettext_lazy("Super role name")
    )
    groups_display = serializers.SerializerMethodField(label=gettext_lazy("Groups name"))
    avatar_url = serializers.SerializerMethodField(label=gettext_lazy("Avatar url"))

    class Meta:
        model = User
        fields_mini: tuple[str, ...] = ("id", "name", "username")
        fields: tuple[str, ...] = (
            "id",
            "name",
            "username",
            "kind",
            "email",
            "wechat",
            "phone",
            "mfa_level",
            "mfa_level_display",
            "mfa_enabled",
            "mfa_force_enabled",
            "source",
            "source_display",
            "can_public_key_auth",
            "need_update_password",
            "is_valid",
            "is_expired",
            "is_active",
            "is_first_login",
            "date_expired",
            "date_joined",
            "last_login",
            "date_password_last_updated",
            "created_by",
            "comment",
            "is_wecom_bound",
            "is_dingtalk_bound",
            "is_feishu_bound",
            "role",
            "role_display",
            "total_role_display",
            "org_role_display",
            "groups_display",
            "avatar_url",
        )
        read_only_fields: tuple[str, ...] = ()
        extra_kwargs: dict[str, dict[str, Any]] = {}

    #: Cached for all rows of the response.
    _mfa_force: MfaForce | None = None
    _bound: Mapping[UUID, frozenset[str]] | None = None
    #: The last row whose memberships were read.
    _last_memberships: tuple[User | None, Sequence[Membership]] = (None, ())

    def mfa_forced(self, user: User) -> bool:
        """Whether the second factor is mandatory for this user."""
        if self._mfa_force is None:
            self._mfa_force = mfa_force()
        return mfa_is_forced(user, self._mfa_force)

    def org_roles_shown(self, user: User) -> list[str]:
        """Roles in the request's organization; in the root they follow from the system role."""
        scope = self.context["scope"]
        if scope.is_root:
            return [OrgRole.ADMIN.value] if user.role == SystemRole.ADMIN else [OrgRole.USER.value]
        return sorted({row.role for row in self.memberships_of(user) if row.org_id == scope.org_id})

    def memberships_of(self, user: User) -> Sequence[Membership]:
        """All memberships of a row. Several fields need them, and each access through the manager costs a queryset."""
        last_user, memberships = self._last_memberships
        if last_user is not user:
            memberships = list(user.memberships.all())
            self._last_memberships = user, memberships
        return memberships

    def get_can_public_key_auth(self, user: User) -> bool:
        return user.takes_ssh_keys

    def get_is_wecom_bound(self, user: User) -> bool:
        return self._is_bound(user, "wecom")

    def get_is_dingtalk_bound(self, user: User) -> bool:
        return self._is_bound(user, "dingtalk")

    def get_is_feishu_bound(self, user: User) -> bool:
        return self._is_bound(user, "feishu")

    def _is_bound(self, user: User, provider: str) -> bool:
        if self._bound is None:
            self._bound = external_accounts.bound_among([row.pk for row in self._rows(user)])
        return provider in self._bound.get(user.pk, ())

    def _rows(self, user: User) -> Iterable[User]:
        """All users of the response, so that one query loads what belongs to them."""
        many = self.parent
        rows = getattr(many, "instance", None) if isinstance(many, serializers.ListSerializer) else None
        return [user] if rows is None or isinstance(rows, User) else rows

    def get_org_role_display(self, user: User) -> str:
        return " | ".join(str(OrgRole(role).label) for role in self.org_roles_shown(user))

    def get_total_role_display(self, user: User) -> str:
        labels = [str(SystemRole(user.role).label)]
        if not self.context["scope"].is_root:
            labels += [str(OrgRole(role).label) for role in self.org_roles_shown(user)]
        return " | ".join(dict.fromkeys(labels))

    def get_groups_display(self, user: User) -> str:
        scope = self.context["scope"]
        return " ".join(group.name for group in user.groups.all() if scope.covers(group.org_id))

    def get_avatar_url(self, user: User) -> str:
        del user
        return ""


class AddressField(serializers.EmailField):
    """The mail address of a person. A service account has none, so that its input may leave it out."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """As of the base class; for a service account any text, which the rules compare with its own address."""
        if not getattr(self.parent, "is_of_service", False):
            return super().run_validation(data)
        if data is serializers.empty or data in ("", None):
            raise SkipField
        return str(data)[: self.max_length]


class UserSerializer(UserFacts):
    """A user as administrators see and change them."""

    serializer_field_mapping = {**UserFacts.serializer_field_mapping, EmailField: AddressField}

    #: Whether the input is about a service account. Set before its fields are read.
    is_of_service = False

    password = serializers.CharField(
        max_length=MAX_PASSWORD_CHARS,
        write_only=True,
        required=False,
        allow_null=True,
        allow_blank=True,
        trim_whitespace=False,
        label=gettext_lazy("Password"),
    )
    public_key = serializers.CharField(
        max_length=16_384,
        write_only=True,
        required=False,
        allow_null=True,
        allow_blank=True,
        label=gettext_lazy("Public key"),
    )
    password_strategy = serializers.ChoiceField(
        choices=(
            ("email", gettext_lazy("One-time link: sent by e-mail, or shown to you while mail is not set up")),
            ("custom", gettext_lazy("Set password")),
        ),
        default="email",
        write_only=True,
        label=gettext_lazy("Password strategy"),
    )
    groups = OrgOwnedList(UserGroup, named=by(("name", itself)), required=False, label=gettext_lazy("User group"))
    org_roles = OrgRolesField(
        child=serializers.ChoiceField(choices=OrgRole.choices),
        default=RolesOfNewPeople(),  # type: ignore[arg-type]  # DRF calls a default of its context with the field
        allow_null=True,
        label=gettext_lazy("Organization role name"),
    )
    system_or_org_role = FilterOnlyChoice(choices=SYSTEM_OR_ORG_ROLES, read_only=True, label=gettext_lazy("Role"))
    can_update = serializers.SerializerMethodField(label=gettext_lazy("Can update"))
    can_delete = serializers.SerializerMethodField(label=gettext_lazy("Can delete"))
    login_blocked = serializers.SerializerMethodField(label=gettext_lazy("Login blocked"))

    #: Cached for all rows of the response.
    _locked_names: frozenset[str] | None = None
    _administered: frozenset[UUID] | None = None
    #: The last row and its facts, which two fields need.
    _last_subject: tuple[User | None, Subject | None] = (None, None)

    class Meta(UserFacts.Meta):
        fields_small = (
            "id",
            "name",
            "username",
            "kind",
            "password",
            "public_key",
            "email",
            "wechat",
            "phone",
            "mfa_level",
            "source",
            "source_display",
            "can_public_key_auth",
            "need_update_password",
            "mfa_enabled",
            "is_valid",
            "is_expired",
            "is_active",
            "date_expired",
            "date_joined",
            "last_login",
            "created_by",
            "comment",
            "is_wecom_bound",
            "is_dingtalk_bound",
            "is_feishu_bound",
        )
        fields = (
            *UserFacts.Meta.fields,
            "password",
            "public_key",
            "password_strategy",
            "groups",
            "org_roles",
            "system_or_org_role",
            "can_update",
            "can_delete",
            "login_blocked",
        )
        read_only_fields = (
            "id",
            "date_joined",
            "last_login",
            "is_first_login",
            "date_password_last_updated",
            "created_by",
        )
        extra_kwargs = {"is_active": {"default": True}, "wechat": {"required": False}}

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        actor, role = self.context.get("actor"), fields.get("role")
        if actor is not None and isinstance(role, serializers.ChoiceField) and not actor.is_super_user:
            role.choices = {SystemRole.USER.value: SystemRole.USER.label}
        groups, scope = fields.get("groups"), self.context.get("scope")
        if scope is not None and isinstance(groups, serializers.ManyRelatedField):
            groups.child_relation.queryset = UserGroup.objects.in_scope(scope)  # type: ignore[arg-type]  # the stubs take `queryset` for a manager
        return fields

    def to_internal_value(self, data: Any) -> Any:
        """As of the base class; `AddressField` needs to know the kind of the account first."""
        kind = getattr(self.instance, "kind", None) or (data.get("kind") if isinstance(data, Mapping) else None)
        self.is_of_service = kind == Kind.SERVICE
        return super().to_internal_value(data)

    def validate_username(self, value: str) -> str:
        self._require_free("username_key", username_key(value))
        return value

    def validate_email(self, value: str) -> str:
        lowered = value.lower()  # as stored
        self._require_free("email", lowered)
        return lowered

    def _require_free(self, column: str, value: str) -> None:
        wanted = Wanted(User, (column,), {column: value}, getattr(self.instance, "pk", None))
        require_free(self, wanted, _("This field must be unique."))

    def get_can_update(self, user: User) -> bool:
        return may_update(self.context["actor"], self._subject(user))

    def get_can_delete(self, user: User) -> bool:
        return may_delete(self.context["actor"], self._subject(user))

    def get_login_blocked(self, user: User) -> bool:
        if self._locked_names is None:
            self._locked_names = login_locks.locked_names([row.username for row in self._rows(user)])
        return user.username in self._locked_names

    def _subject(self, user: User) -> Subject:
        if self._administered is None:
            self._administered = administered_org_ids(self.context["actor"])
        last_user, subject = self._last_subject
        if subject is None or last_user is not user:
            subject = subject_of(user, self.context["scope"], self._administered, self.memberships_of(user))
            self._last_subject = user, subject
        return subject


def shown_credentials(user: User) -> dict[str, list[dict[str, Any]]]:
    """All credentials by kind, described so that the user recognises them, never with a secret."""
    show = serializers.DateTimeField().to_representation
    return {
        name: [
            {key: show(value) if isinstance(value, datetime) else value for key, value in row.items()} for row in rows
        ]
        for name, rows in credentials.held_by(user).items()
    }
