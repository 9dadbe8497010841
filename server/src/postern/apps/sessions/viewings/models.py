"""Current viewings: who is viewing which evidence, and how much of it was fetched so far.

The audit log has the beginning from the first byte on. A row here only groups the requests of a viewing; it is deleted
when the viewing is over and the log has its end.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import PosternModel
from postern.kernel import clock


class ViewingForm(models.TextChoices):
    PLAY = "play"  # the player's bytes: whole, or range by range
    CAST = "cast"  # exported as asciicast
    TEXT = "text"  # exported as text
    ARCHIVE = "archive"  # downloaded as tar
    COMMANDS = "commands"  # the list of commands


class Viewing(PosternModel):
    """One user with one sign-in or key, at one address, viewing one object.

    `asked` holds the requested byte ranges, written before they are sent; `sent` holds the sent ranges.
    """

    #: Hash of everything that identifies the viewing; random for a download.
    key = models.CharField(max_length=64, unique=True)
    form = models.CharField(max_length=16, choices=ViewingForm.choices)
    org_id = models.UUIDField()
    session_id = models.UUIDField(null=True)
    title = models.CharField(max_length=256)
    user_id = models.UUIDField(null=True)
    username = models.CharField(max_length=128)
    name = models.CharField(max_length=128)
    actor_kind = models.CharField(max_length=16)
    remote_addr = models.CharField(max_length=128, null=True)
    login_session = models.CharField(max_length=64, null=True)
    credential = models.CharField(max_length=64, null=True)
    #: Number of the beginning's record in the audit chain.
    opened_as = models.BigIntegerField()
    size = models.BigIntegerField(default=0)
    asked = models.JSONField(default=list)
    sent = models.JSONField(default=list)
    requests = models.PositiveIntegerField(default=0)
    date_opened = models.DateTimeField(default=clock.now)
    date_last = models.DateTimeField(default=clock.now, db_index=True)

    class Meta:
        verbose_name = _("Viewing")
        ordering = ("date_opened",)

    def __str__(self) -> str:
        return f"{self.form} of {self.title}"
