"""The table of codes for SSH."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.authn.credentials.models import LoginSession
from postern.apps.users.models import User
from postern.foundation.models import PosternModel
from postern.kernel import clock


class SshCode(PosternModel):
    """A code that signs its user in over SSH, once. Only its hash is stored.

    It proves the factors of the browser sign-in that made it, and is void when that sign-in ends.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="ssh_codes", verbose_name=_("User"))
    login_session = models.ForeignKey(LoginSession, on_delete=models.CASCADE, related_name="+")
    code_hash = models.CharField(max_length=64, unique=True)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField(db_index=True)
    date_used = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Code for SSH")

    def __str__(self) -> str:
        return f"code for SSH {self.id}"
