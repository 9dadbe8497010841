"""The table of SSO links."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import CreatorField, PosternModel
from postern.kernel import clock

#: Maximum length of the target of a link.
MOST_TARGET_CHARS = 2_000


class SsoLink(PosternModel):
    """A link that signs its user in once. Only the link has the key; this row has its hash.

    `epoch`: value of `User.session_epoch` when the link was made; if it has changed, the link is void. `maker_id`,
    `maker_epoch`, `credential` (an access key or token; "" for a browser): the maker. The link is also void if the
    maker could no longer make it. `target`: the path of the console to which it redirects.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", verbose_name=_("User"))
    key_hash = models.CharField(max_length=64, unique=True)
    epoch = models.PositiveIntegerField(editable=False)
    target = models.CharField(max_length=MOST_TARGET_CHARS)
    maker_id = models.UUIDField(db_index=True, editable=False)
    maker_epoch = models.PositiveIntegerField(editable=False)
    credential = models.CharField(max_length=64, blank=True, default="", editable=False)
    created_by = CreatorField(_("Created by"), max_length=128, editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)
    date_expired = models.DateTimeField(_("Date expired"), db_index=True)
    date_used = models.DateTimeField(_("Date used"), null=True, editable=False)

    class Meta:
        verbose_name = _("SSO link")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"SSO link {self.id}"
