"""Tables of browser sign-ins, bearer tokens and access keys. The rows are not sufficient to sign in."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock, ids


class LoginEnd(models.TextChoices):
    """Why a login session ended."""

    SIGNED_OUT = "signed_out", _("Signed out")
    EXPIRED = "expired", _("Expired")
    ENDED_BY_SELF = "ended_by_self", _("Ended by its owner")
    ENDED_BY_ADMIN = "ended_by_admin", _("Ended by an administrator")
    ACCOUNT_CLOSED = "account_closed", _("Account closed")
    PASSWORD_CHANGED = "password_changed", _("Password changed")
    MFA_CHANGED = "mfa_changed", _("Second factor changed")
    BY_PROVIDER = "by_provider", _("Signed out at the provider")


class LoginSession(PosternModel):
    """One sign-in with a browser. The browser's (signed, random) session refers to this row by id.

    `epoch` is the value of `User.session_epoch` at sign-in: when the two differ, the session is void. `mfa`: the second
    factor was verified. `date_mfa_verified`: the last time it was verified; the most sensitive views require a recent
    time. `date_password_verified`: the last time the user confirmed their identity, with the password or at the
    provider. `provider_session`: hash of the session at the provider of the sign-in or confirmation; "" without one.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_sessions", verbose_name=_("User"))
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(_("Remote address"), max_length=64, blank=True, default="")
    user_agent = models.CharField(_("User agent"), max_length=254, blank=True, default="")
    backend = models.CharField(_("Authentication backend"), max_length=32, default="password")
    provider_session = models.CharField(max_length=64, blank=True, default="", editable=False)
    mfa = models.BooleanField(_("MFA"), default=False)
    date_mfa_verified = models.DateTimeField(null=True, editable=False)
    date_password_verified = models.DateTimeField(null=True, editable=False)
    date_created = models.DateTimeField(_("Date login"), default=clock.now)
    date_last_seen = models.DateTimeField(_("Last seen"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"))
    date_ended = models.DateTimeField(_("Date ended"), null=True)
    end_reason = models.CharField(_("End reason"), max_length=16, choices=LoginEnd.choices, blank=True, default="")

    class Meta:
        verbose_name = _("Login session")
        ordering = ("-date_created",)
        indexes = [
            models.Index(fields=("user", "date_ended"), name="authn_login_user_open"),
            models.Index(fields=("user", "-date_created", "id"), name="authn_login_newest"),
            models.Index(
                fields=("provider_session",),
                condition=~models.Q(provider_session=""),
                name="authn_login_provider_session",
            ),
        ]

    def __str__(self) -> str:
        return f"login session {self.id}"


class BearerToken(PosternModel):
    """A token for API calls; only its hash is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bearer_tokens", verbose_name=_("User"))
    token_hash = models.CharField(max_length=64, unique=True)
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    mfa = models.BooleanField(default=False)
    date_mfa_verified = models.DateTimeField(null=True, editable=False)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_revoked = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Bearer token")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"bearer token {self.id}"


class AccessKey(SavedRow):
    """A key for signed API calls. The secret is not stored: it is derived from `nonce` and a key outside the database.

    A key without `date_expired` does not expire. `maker`: the administrator who made the key of a service account; None
    if the owner made it, or the maker was deleted.
    """

    id = models.UUIDField(_("AccessKeyID"), primary_key=True, default=ids.new_id)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_keys", verbose_name=_("User"))
    nonce = models.BinaryField(max_length=32, editable=False)
    comment = models.CharField(_("Comment"), max_length=128, blank=True, default="")
    is_active = models.BooleanField(_("Active"), default=True)
    date_expired = models.DateTimeField(_("Date expired"), null=True, blank=True)
    maker = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+", editable=False)
    #: Whether `user` is a service account. This never changes.
    is_of_service = models.BooleanField(default=False, editable=False)
    created_by = models.CharField(_("Created by"), max_length=260, blank=True, default="", editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_last_used = models.DateTimeField(_("Last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("Access key")
        ordering = ("-date_created",)
        indexes = [
            models.Index(fields=("user", "-date_created"), name="authn_accesskey_newest"),
            models.Index(fields=("-date_created", "id"), name="authn_accesskey_of_all"),
            models.Index(
                fields=("-date_created", "id", "user"),
                condition=models.Q(is_of_service=True),
                name="authn_accesskey_of_service",
            ),
            models.Index(
                fields=("date_expired",), condition=models.Q(date_expired__isnull=False), name="authn_accesskey_ends"
            ),
        ]

    def __str__(self) -> str:
        return f"access key {self.id}"

    @property
    def has_ended(self) -> bool:
        """Whether the key has expired."""
        return self.date_expired is not None and self.date_expired <= clock.now()
