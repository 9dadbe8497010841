"""Tables of authenticator apps, recovery codes, and sign-ins that wait for a code."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class TotpDevice(PosternModel):
    """A user's authenticator app. Its secret is encrypted in the vault, under the id of this row.

    Unconfirmed until the user has entered a code of the app. A user has at most one confirmed and one unconfirmed row.
    `last_step`: the time step of the last accepted code; codes of this step or earlier are refused.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="totp_devices", verbose_name=_("User"))
    last_step = models.BigIntegerField(default=0, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_confirmed = models.DateTimeField(_("Date confirmed"), null=True, editable=False)

    class Meta:
        verbose_name = _("Authenticator app")
        ordering = ("-date_created",)
        constraints = [
            models.UniqueConstraint(
                fields=("user",), condition=models.Q(date_confirmed__isnull=False), name="authn_totp_one_confirmed"
            ),
            models.UniqueConstraint(
                fields=("user",), condition=models.Q(date_confirmed__isnull=True), name="authn_totp_one_pending"
            ),
        ]

    def __str__(self) -> str:
        return f"authenticator app of {self.user_id}"


class RecoveryCode(SavedRow):
    """A code that replaces the authenticator app once; only its hash is stored."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes", verbose_name=_("User"))
    code_hash = models.CharField(max_length=64)
    date_used = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Recovery code")
        constraints = [models.UniqueConstraint(fields=("user", "code_hash"), name="authn_recovery_code_unique")]

    def __str__(self) -> str:
        return f"recovery code of {self.user_id}"


class SignInWay(models.TextChoices):
    """The way in of a pending sign-in."""

    WEB = "web", _("Browser")
    TOKEN = "token", _("API")
    PROXY = "proxy", _("Terminal")


class PendingSignIn(PosternModel):
    """A sign-in with a right first factor that waits for the second factor (K27: an unfinished sign-in belongs to one
    person).

    It is valid for one user with the password of that time (`epoch`), and leads to at most one sign-in (`date_used`).
    Browsers refer to it in their session, proxies by a token whose hash is stored. Through a proxy it can be completed
    only at that proxy (`proxy_id`). `key_hash` identifies the SSH key of the first factor,
    `certificate` its certificate (`ssh_certificates.judging.Mark`), `provider_session` the session at the provider.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="pending_sign_ins", verbose_name=_("User"))
    way = models.CharField(max_length=8, choices=SignInWay.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    epoch = models.PositiveIntegerField(editable=False)
    backend = models.CharField(max_length=32)
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    user_agent = models.CharField(max_length=254, blank=True, default="")
    login_type = models.CharField(max_length=1)
    proxy_id = models.UUIDField(null=True, editable=False)
    key_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    certificate = models.JSONField(null=True, editable=False)
    provider_session = models.CharField(max_length=64, blank=True, default="", editable=False)
    tries = models.PositiveSmallIntegerField(default=0)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_passed = models.DateTimeField(null=True)
    date_used = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Pending sign-in")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"pending sign-in {self.id}"
