"""Tables of the directory: people of the last reading, their users, and the state of the reading."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.users.models import User
from postern.foundation.models import PosternModel, SavedRow
from postern.kernel import clock


class DirectoryEntry(PosternModel):
    """A person of the directory at the last reading. Each reading replaces the rows. A row alone permits no sign-in.

    `uid`: `entryUUID` or `objectGUID`. `digest`: hash of all values that were read of the person.
    """

    uid = models.CharField(max_length=64, unique=True)
    digest = models.CharField(max_length=64)
    dn = models.CharField(_("DN"), max_length=2048)
    username = models.CharField(_("Username"), max_length=128)
    username_key = models.CharField(max_length=160, db_index=True)
    name = models.CharField(_("Name"), max_length=128)
    email = models.CharField(_("Email"), max_length=254, blank=True)
    groups = models.JSONField(_("User group"), default=list)
    #: Further values that the attribute map of the settings reads: phone, wechat, comment.
    more = models.JSONField(default=dict)
    #: Whether the account is enabled in the directory.
    is_enabled = models.BooleanField(_("Enabled"), default=True)

    class Meta:
        verbose_name = _("Person of the directory")
        ordering = ("username", "pk")
        indexes = [models.Index(fields=("username", "id"), name="directory_entry_order")]

    def __str__(self) -> str:
        return self.username


class DirectoryIdentity(PosternModel):
    """Links a user to a person of the directory. Names and DNs change, `uid` does not.

    `digest`: hash of the entry whose values the user has. `was_disabled`: synchronisation has disabled the user, so it
    may enable them again.
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
    #: The reading succeeded with far fewer people than before, so nobody was disabled.
    HELD_BACK = "held_back", _("Succeeded; nobody was disabled")
    FAILED = "failed", _("Failed")


class DirectoryState(SavedRow):
    """The state of the reading: a single row.

    `date_requested`: time of a pending request. `date_claimed_until`: end of the claim of the worker that reads now;
    after `kill -9` of that worker, the next run may begin then. `source`: hash of the settings of the last reading.
    `people`: number of people in the last reading that was allowed to disable users.
    """

    date_requested = models.DateTimeField(null=True)
    requested_by = models.CharField(max_length=260, blank=True, default="")
    #: The request is to update users, too.
    wants_users = models.BooleanField(default=False)
    #: The request confirms that many people have left.
    accepts_fall = models.BooleanField(default=False)
    date_claimed_until = models.DateTimeField(null=True)
    source = models.CharField(max_length=64, blank=True, default="")
    date_began = models.DateTimeField(null=True)
    date_ended = models.DateTimeField(null=True)
    date_succeeded = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=16, choices=Outcome, blank=True, default="")
    #: The reason of a failure, or of disabling nobody (`foundation.phrases`).
    reason = models.JSONField(null=True)
    counts = models.JSONField(default=dict)
    #: Hash of the settings of the last reading that was allowed to disable users.
    source_of_users = models.CharField(max_length=64, blank=True, default="")
    people = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("State of the directory")

    def __str__(self) -> str:
        return self.outcome
