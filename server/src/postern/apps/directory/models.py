"""Tables of the directory: what was read last, who of it is a user, and the state of reading."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class DirectoryEntry(PosternModel):
    """A person of the directory, as it was read last. Replaced with each reading; nobody of it can sign in by this.

    `uid`: `entryUUID` or `objectGUID`. `digest`: hash of everything that was read about the person.
    """

    uid = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64)
    dn = models.CharField(_("DN"), max_length=2048)
    username = models.CharField(_("Username"), max_length=128)
    username_key = models.CharField(max_length=160, db_index=True)
    name = models.CharField(_("Name"), max_length=128)
    email = models.CharField(_("Email"), max_length=254, blank=True)
    groups = models.JSONField(_("User group"), default=list)
    #: Further values that the map of the settings takes: phone, wechat, comment.
    more = models.JSONField(default=dict)
    #: Whether the directory lets the person sign in.
    is_enabled = models.BooleanField(_("Enabled"), default=True)

    class Meta:
        verbose_name = _("Person of the directory")
        ordering = ("username", "pk")
        indexes = [models.Index(fields=("username", "id"), name="directory_entry_order")]

    def __str__(self) -> str:
        return self.username


class DirectoryIdentity(PosternModel):
    """Which user is which person of the directory. Names and DNs change, `uid` does not.

    `digest`: of the entry whose values the user has. `was_disabled`: synchronisation has disabled the user, so it may
    enable them again.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="directory_identity")
    uid = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64, blank=True, default="")
    was_disabled = models.BooleanField(default=False)
    date_created = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("User of the directory")
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.uid


class Outcome(models.TextChoices):
    """How a reading of the directory ended."""

    SUCCEEDED = "succeeded", _("Succeeded")
    #: Read, but fewer people than before, so nobody was disabled.
    HELD_BACK = "held_back", _("Succeeded; nobody was disabled")
    FAILED = "failed", _("Failed")


class DirectoryState(SavedRow):
    """The state of reading: a single row.

    `date_requested`: somebody waits for a reading. `date_claimed_until`: a worker reads until then; after `kill -9` the
    next run may begin. `source`: hash of the settings that were read with. `people`: the number of people of the last
    reading after which people might be disabled.
    """

    date_requested = models.DateTimeField(null=True)
    requested_by = models.CharField(max_length=260, blank=True, default="")
    #: The person who asked wants users to be changed, too.
    wants_users = models.BooleanField(default=False)
    #: The person who asked has accepted that many people have left.
    accepts_fall = models.BooleanField(default=False)
    date_claimed_until = models.DateTimeField(null=True)
    source = models.CharField(max_length=64, blank=True, default="")
    date_began = models.DateTimeField(null=True)
    date_ended = models.DateTimeField(null=True)
    date_succeeded = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True, default="")
    #: Why it failed, or why nobody was disabled (`foundation.phrases`).
    reason = models.JSONField(null=True)
    counts = models.JSONField(default=dict)
    #: Hash of the settings of the last reading after which people might be disabled.
    source_of_users = models.CharField(max_length=64, blank=True, default="")
    people = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("State of the directory")

    def __str__(self) -> str:
        return self.outcome
