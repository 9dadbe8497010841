"""Sign-ins through proxies, and answered attempts."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class ProxySignIn(PosternModel):
    """One sign-in through a proxy. The proxy holds the ticket; this row stores only its hash.

    The ticket is valid at one proxy (`proxy_id`), for a client at one address, and only while the user could sign in
    the same way again. The proxy extends it while the connection is open. `epoch`: value of `User.session_epoch` at
    sign-in. `key_hash`: the SSH key of the first factor ("" for a password). `certificate`: its certificate
    (`ssh_certificates.judging.Mark`). `mfa`: the second factor was verified. `provider_session`: for an SSH code, hash
    of the session at the provider of the browser sign-in that made the code.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="proxy_sign_ins", verbose_name=_("User"))
    token_hash = models.CharField(max_length=64, unique=True)
    proxy_id = models.UUIDField(db_index=True)
    epoch = models.PositiveIntegerField(editable=False)
    remote_addr = models.CharField(_("Remote address"), max_length=64, blank=True, default="")
    backend = models.CharField(_("Authentication backend"), max_length=32)
    key_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    certificate = models.JSONField(null=True, editable=False)
    provider_session = models.CharField(max_length=64, blank=True, default="", editable=False)
    mfa = models.BooleanField(_("MFA"), default=False)
    date_created = models.DateTimeField(_("Date login"), default=clock.now)
    date_expired = models.DateTimeField(_("Date expired"), db_index=True)
    date_ended = models.DateTimeField(_("Date ended"), null=True)

    class Meta:
        verbose_name = _("Sign-in through a proxy")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"sign-in through a proxy {self.id}"


class AnsweredSignIn(SavedRow):
    """Outcome of a sign-in request of a proxy. It is stored for some seconds, because a proxy repeats requests whose
    response was lost.

    `name` identifies the request and its attempt without revealing their content (`foundation.requests.attempts`).
    `counted`: the attempt that was counted in advance. When the request is answered (`date_answered`), one of `denial`,
    `pending` and `sign_in` is the outcome.
    """

    id = models.BigAutoField(primary_key=True)
    name = models.CharField(max_length=64, unique=True)
    counted = models.JSONField(null=True)
    denial = models.JSONField(null=True)
    pending = models.ForeignKey(PendingSignIn, on_delete=models.CASCADE, null=True, related_name="+")
    sign_in = models.ForeignKey(ProxySignIn, on_delete=models.CASCADE, null=True, related_name="+")
    date_answered = models.DateTimeField(null=True)
    date_expired = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("Answered sign-in")

    def __str__(self) -> str:
        return f"answered sign-in {self.pk}"
