"""Viewings that go on: who is looking at which evidence, and how much of it was fetched so far.

The audit log holds the beginning from the first byte on. A row here only says what belongs to the same viewing, and is
deleted when the viewing is over and the log holds its end.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.models import PosternModel
from postern.kernel import clock


class ViewingForm(models.TextChoices):
    PLAY = "play"  # the player's bytes: whole, or range by range
    CAST = "cast"  # exported as asciicast
    ARCHIVE = "archive"  # downloaded as tar
    COMMANDS = "commands"  # the list of commands


class Viewing(PosternModel):
    """One person with one sign-in or key, at one address, looking at one thing.

    `asked` are the byte ranges that were asked for, written before they leave; `sent` those that left.
    """

    #: Hash over everything that makes two requests one viewing; of a download a random one.
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
    #: Number in the audit chain of the record that tells of the beginning.
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
