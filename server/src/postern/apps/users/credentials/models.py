"""Tables of former passwords, and of links to set a password."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.accounts.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class PasswordHistory(SavedRow):
    """Hashes of former passwords, so that they cannot be reused too soon."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="password_history")
    password = models.CharField(max_length=256)
    date_created = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name = _("Former password")
        ordering = ("-date_created", "-id")

    def __str__(self) -> str:
        return f"former password of {self.user_id}"


class SetPasswordLink(PosternModel):
    """A one-time link with which a user sets their own password; only the hash of its token is stored (K18: a token is
    shown once and stored as a hash).

    The link is valid while the user is unchanged (`standing`) and its creator may still change them, in the
    organization in which the link was created. `maker_id` is empty for links of Postern itself.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="set_password_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.CharField(max_length=128, default="")
    maker_id = models.UUIDField(null=True)
    by_system = models.BooleanField(default=False)
    org_id = models.UUIDField(null=True)
    standing = models.CharField(max_length=64, default="")
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField()
    date_used = models.DateTimeField(null=True)
    date_voided = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Set-password link")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"set-password link of {self.user_id}"
