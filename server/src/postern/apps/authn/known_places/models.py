"""The table of known places."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel
from postern.kernel import clock


class PlaceKind(models.TextChoices):
    """What identifies a known place."""

    DEVICE = "device", _("Device")
    ADDRESS = "address", _("Address")


class KnownPlace(PosternModel):
    """A browser or an address from which a user recently completed a sign-in.

    While strangers have locked the account, its owner can still sign in from a known place. Failures there during a
    lock (`failures`) cause growing waits (`date_locked_until`), which apply only while the account is locked. `epoch`:
    value of `User.session_epoch`; a password reset voids all known places. A browser is identified by a random token in
    a signed cookie. `key_hash`: hash of that token, or of the address.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="known_places", verbose_name=_("User"))
    kind = models.CharField(max_length=8, choices=PlaceKind.choices)
    key_hash = models.CharField(max_length=64)
    epoch = models.PositiveIntegerField(editable=False)
    failures = models.PositiveIntegerField(default=0)
    date_locked_until = models.DateTimeField(null=True)
    date_created = models.DateTimeField(default=clock.now)
    date_last_used = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()

    class Meta:
        verbose_name = _("Known device or address")
        ordering = ("-date_last_used",)
        constraints = [models.UniqueConstraint(fields=("user", "kind", "key_hash"), name="authn_known_place_unique")]

    def __str__(self) -> str:
        return f"known {self.kind} of {self.user_id}"


class TrustedBrowser(PosternModel):
    """A browser in which the password alone completes a sign-in, for a limited time after a second factor was shown.

    The browser has a random token in a signed cookie; `token_hash` is its hash. `standing`: hash of the user's state at
    that time (`trust.standing_of`). The trust is void when password, role or MFA level have changed.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="trusted_browsers", verbose_name=_("User"))
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    standing = models.CharField(max_length=64, editable=False)
    remote_addr = models.CharField(_("Remote address"), max_length=64, blank=True, default="")
    user_agent = models.CharField(_("User agent"), max_length=254, blank=True, default="")
    date_created = models.DateTimeField(_("Date created"), default=clock.now)
    date_last_used = models.DateTimeField(_("Last used"), null=True)
    date_expired = models.DateTimeField(_("Date expired"))

    class Meta:
        verbose_name = _("Trusted browser")
        ordering = ("-date_created",)
        indexes = [models.Index(fields=("date_expired",), name="authn_trusted_expired")]

    def __str__(self) -> str:
        return f"trusted browser of {self.user_id}"
