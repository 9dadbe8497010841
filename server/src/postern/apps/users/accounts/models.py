"""Tables of accounts and of their roles in organizations."""

import unicodedata
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.accounts.lookalikes import skeleton_of
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock, ids

#: Contract: an account without an explicit end expires after 70 years.
DEFAULT_LIFETIME: Final = timedelta(days=365 * 70)

#: The first administrator: always active, always administrator, cannot be deleted.
BUILT_IN_ADMIN: Final = "admin"

#: Letters and digits of any script, and the marks that directory services use. No character may split a shell word or
#: an SSH address.
_username_is_plain = RegexValidator(
    r"^[\w.+-][\w.@+-]*\Z",
    _("Only letters, digits and the characters . _ @ + - are allowed."),
)


def username_key(username: str) -> str:
    """The form in which login names are compared and unique: Unicode NFKC, case-folded."""
    return unicodedata.normalize("NFKC", username).casefold().strip()


def default_date_expired() -> datetime:
    return clock.now() + DEFAULT_LIFETIME


class SystemRole(models.TextChoices):
    """Role in the whole installation."""

    ADMIN = "Admin", _("System administrator")
    AUDITOR = "Auditor", _("System auditor")
    USER = "User", _("User")


class Source(models.TextChoices):
    """The origin of the account; only local accounts have a password in Postern."""

    LOCAL = "local", _("Local")
    LDAP = "ldap", "LDAP/AD"
    OPENID = "openid", "OpenID"
    RADIUS = "radius", "Radius"
    CAS = "cas", "CAS"
    SAML = "saml", "SAML"


class Kind(models.TextChoices):
    """Who uses the account. It is chosen when the account is created, and stays."""

    PERSON = "person", _("Person")
    SERVICE = "service", _("Service account")


class MfaLevel(models.IntegerChoices):
    DISABLED = 0, _("Disabled")
    ENABLED = 1, _("Enabled")
    FORCED = 2, _("Required")


class Language(models.TextChoices):
    """Language of messages to the user where no browser names one (SSH, mail).

    "" means no choice: then the client's environment decides (SSH), else the setting POSTERN_LANGUAGE.
    """

    CHINESE = "zh-hans", "中文(简体)"
    ENGLISH = "en", "English"


class UserQuerySet(models.QuerySet["User"]):
    def members_of(self, org_id: UUID) -> "UserQuerySet":
        """Users with any membership in the organization."""
        # EXISTS instead of a set of members: a page of users in order then reads only the memberships of that page.
        return self.filter(models.Exists(Membership.objects.filter(org_id=org_id, user_id=models.OuterRef("pk"))))

    def valid(self) -> "UserQuerySet":
        """Active and not expired."""
        return self.filter(is_active=True).filter(
            models.Q(date_expired__isnull=True) | models.Q(date_expired__gt=clock.now())
        )

    def people(self) -> "UserQuerySet":
        """Without service accounts: those who can read a message and sign in to the console."""
        return self.filter(kind=Kind.PERSON)

    def named(self, username: str) -> "User | None":
        """The user with this login name, ignoring case and Unicode form; None when there is none."""
        return self.filter(username_key=username_key(username)).first()


class User(SavedRow, AbstractBaseUser):
    """A person who can sign in, or a service account: a program that signs requests with access keys.

    `session_epoch` increases whenever everything that this user opened has to end (password change, disabling). Login
    sessions and bearer tokens store the epoch of their creation, so one write in the same transaction voids them.
    """

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name", "email"]

    id = models.UUIDField(primary_key=True, default=ids.new_id)
    username = models.CharField(_("Username"), max_length=128, unique=True, validators=[_username_is_plain])
    username_key = models.CharField(max_length=160, unique=True, editable=False)
    #: What the name looks like. None for accounts that looked like another account before this was checked.
    username_skeleton = models.CharField(max_length=320, unique=True, null=True, editable=False)
    name = models.CharField(_("Name"), max_length=128)
    email = models.EmailField(_("Email"), max_length=128, unique=True)
    kind = models.CharField(_("Kind"), max_length=16, choices=Kind.choices, default=Kind.PERSON)
    role = models.CharField(_("Role"), max_length=16, choices=SystemRole.choices, default=SystemRole.USER)
    wechat = models.CharField(_("WeChat"), max_length=128, blank=True, default="")
    phone = models.CharField(_("Phone"), max_length=20, blank=True, null=True)
    mfa_level = models.PositiveSmallIntegerField(_("MFA"), choices=MfaLevel.choices, default=MfaLevel.DISABLED)
    source = models.CharField(_("Source"), max_length=30, choices=Source.choices, default=Source.LOCAL)
    public_key = models.TextField(_("Public key"), blank=True, default="", max_length=16_384)
    is_active = models.BooleanField(_("Active"), default=True)
    is_first_login = models.BooleanField(_("First login"), default=True)
    need_update_password = models.BooleanField(_("Must change password"), default=False)
    date_expired = models.DateTimeField(_("Date expired"), null=True, blank=True, default=default_date_expired)
    date_joined = models.DateTimeField(_("Date joined"), default=clock.now, editable=False)
    date_password_last_updated = models.DateTimeField(_("Date password last updated"), null=True, editable=False)
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="", editable=False)
    comment = models.TextField(_("Comment"), blank=True, null=True, max_length=4096)
    language = models.CharField(_("Language"), max_length=16, choices=Language.choices, blank=True, default="")
    session_epoch = models.PositiveIntegerField(default=0, editable=False)

    objects = UserQuerySet.as_manager()

    class Meta:
        verbose_name = _("User")
        ordering = ("username",)
        # Rows before a page are skipped, and words are looked for, without reading the table, whose rows are wide.
        indexes = [
            models.Index(fields=("username", "id", "email", "name"), name="users_user_in_order"),
            models.Index(fields=("kind", "username", "id"), name="users_user_of_kind"),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="users_user_kind_known"),
            models.CheckConstraint(
                condition=models.Q(kind=Kind.PERSON)
                | models.Q(
                    source=Source.LOCAL, mfa_level=MfaLevel.DISABLED, need_update_password=False, is_first_login=False
                ),
                name="users_user_service_has_no_sign_in",
            ),
            models.CheckConstraint(condition=models.Q(role__in=SystemRole.values), name="users_user_role_known"),
            models.CheckConstraint(condition=models.Q(source__in=Source.values), name="users_user_source_known"),
            models.CheckConstraint(
                condition=~models.Q(username_key=BUILT_IN_ADMIN)
                | models.Q(role=SystemRole.ADMIN, is_active=True, kind=Kind.PERSON),
                name="users_user_built_in_admin_stays",
            ),
        ]

    def save(self, **kwargs: Any) -> None:
        key = username_key(self.username)
        if self._state.adding or key != self.username_key:
            self.username_skeleton = skeleton_of(key)
        self.username_key = key
        self.email = self.email.lower()  # so that its unique constraint ignores case
        super().save(**kwargs)

    def __str__(self) -> str:
        return f"{self.name}({self.username})"

    @property
    def is_expired(self) -> bool:
        return self.date_expired is not None and self.date_expired <= clock.now()

    @property
    def is_valid(self) -> bool:
        """Whether the account may be used: active and not expired."""
        return self.is_active and not self.is_expired

    @property
    def is_service_account(self) -> bool:
        return self.kind == Kind.SERVICE

    @property
    def is_local(self) -> bool:
        """Whether the account has a password in Postern: people of no other source, and no service accounts."""
        return self.source == Source.LOCAL and not self.is_service_account

    @property
    def takes_ssh_keys(self) -> bool:
        """Whether Postern itself knows whether the account is in use, so that SSH keys may sign it in."""
        return self.is_local or self.is_service_account

    @property
    def is_built_in_admin(self) -> bool:
        return username_key(self.username) == BUILT_IN_ADMIN


class Membership(PosternModel):
    """One role of a user in an organization. A user with several roles has several rows."""

    org = models.ForeignKey(
        Organization, on_delete=models.PROTECT, related_name="memberships", verbose_name=_("Organization")
    )
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="memberships", db_index=False, verbose_name=_("User")
    )
    role = models.CharField(_("Role"), max_length=16, choices=OrgRole.choices, default=OrgRole.USER)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="", editable=False)

    class Meta:
        verbose_name = _("Membership")
        ordering = ("org_id", "user_id", "role")
        indexes = [
            models.Index(fields=("org", "role", "user"), name="users_membership_of_role"),
            # For each user of a list: whether they are a member. The user first, since that column tells rows apart.
            models.Index(fields=("user", "org"), name="users_membership_of_user"),
        ]
        constraints = [
            models.UniqueConstraint(fields=("org", "user", "role"), name="users_membership_unique"),
            models.CheckConstraint(condition=models.Q(role__in=OrgRole.values), name="users_membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} {self.org_id}"
