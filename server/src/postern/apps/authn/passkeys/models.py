"""Tables of passkeys and of open WebAuthn requests."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel
from postern.kernel import clock

MAX_NAME_CHARS: Final = 64


class Passkey(PosternModel):
    """A public key whose private part stays on a security key, a phone or a computer of the user.

    `credential_hash`: hash of the (public) id that the authenticator chose. `sign_count` increases with each use;
    passkeys that are copied between devices always send 0. `rp_id`: the host name for which it was made; browsers offer
    it only there.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys", verbose_name=_("User"))
    name = models.CharField(_("Name"), max_length=MAX_NAME_CHARS)
    credential_id = models.BinaryField(editable=False)
    credential_hash = models.CharField(max_length=64, unique=True, editable=False)
    public_key = models.BinaryField(editable=False)
    sign_count = models.BigIntegerField(default=0, editable=False)
    rp_id = models.CharField(_("Host name"), max_length=253, editable=False)
    transports = models.JSONField(default=list, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_last_used = models.DateTimeField(_("Last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("Passkey")
        ordering = ("date_created",)

    def __str__(self) -> str:
        return f"passkey {self.name}"


class PasskeyPurpose(models.TextChoices):
    """The purpose of a request. Its answer is refused for every other purpose."""

    ENROL = "enrol", _("New passkey")
    SIGN_IN = "sign_in", _("Sign-in without a password")
    SECOND_FACTOR = "second", _("Second factor")
    VERIFY = "verify", _("Confirmation")


class PasskeyRequest(PosternModel):
    """A WebAuthn request to a browser. Its random challenge can be answered once, within minutes, for one purpose.

    The browser's session refers to the row, so only this browser can answer it. Without `user`, the answer names the
    user.
    """

    purpose = models.CharField(max_length=8, choices=PasskeyPurpose.choices)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    challenge = models.BinaryField(editable=False)
    remote_addr = models.CharField(max_length=64, blank=True, default="")
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()

    class Meta:
        verbose_name = _("Passkey request")
        ordering = ("-date_created",)
        indexes = [
            models.Index(fields=("date_expired",), name="authn_passkey_req_expired"),
            models.Index(fields=("remote_addr", "-date_created"), name="authn_passkey_req_address"),
        ]

    def __str__(self) -> str:
        return f"passkey request {self.id}"
