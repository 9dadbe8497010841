"""Former passwords, and links to set one."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.accounts.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class PasswordHistory(SavedRow):
    """Hashes of former passwords, so that they do not come back at once."""

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
    """A one-time link with which a person sets their own password; only the hash of its token is kept (K6, K18).

    It holds for the person as they were (`standing`) and as long as its maker may still change them, in the organization in
    which the link was made. `maker_id` is empty when Postern itself made it.
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
