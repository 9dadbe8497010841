"""Tables of recordings, of their way to other storages, and of files that are to be deleted."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.storages.models import ReplayStorage
from postern.contracts.enums import RecordingState
from postern.foundation.models import PosternModel, SavedRow, ScopedManager
from postern.kernel import clock


class Recording(SavedRow):
    """The recording of a session. It is valid only when `date_stored` is set: then size and SHA-256 have been verified.

    `path` is relative to the storage in which it lies; without `storage`, that is the folder of this server.
    `date_stored` stays empty while the content is still on the proxy.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="recording")
    state = models.CharField(max_length=16, choices=labels.RECORDING_STATES, default=RecordingState.RECORDING.value)
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    chain = models.CharField(max_length=64, blank=True, default="")
    key_id = models.CharField(max_length=64, blank=True, default="")
    duration_ms = models.BigIntegerField(default=0)
    path = models.CharField(max_length=255, blank=True, default="")
    storage = models.ForeignKey(ReplayStorage, models.PROTECT, null=True, related_name="+")
    date_sealed = models.DateTimeField(null=True)
    date_stored = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Recording")
        ordering = ("session",)
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=labels.values(labels.RECORDING_STATES)),
                name="sessions_recording_state_known",
            ),
            models.CheckConstraint(
                condition=models.Q(storage__isnull=True) | models.Q(date_stored__isnull=False),
                name="sessions_recording_elsewhere_is_stored",
            ),
            models.CheckConstraint(
                condition=models.Q(date_stored__isnull=True) | ~models.Q(path=""),
                name="sessions_recording_stored_has_path",
            ),
        ]

    def __str__(self) -> str:
        return f"recording of {self.session_id}"

    @property
    def is_playable(self) -> bool:
        return self.date_stored is not None


class RecordingMove(PosternModel):
    """All recordings of a storage are moved to another. The row is deleted when none is left; the log keeps what was done.

    Recordings that were stored before `date_created` are moved. Without a storage: the folder of this server.
    """

    source = models.ForeignKey(ReplayStorage, models.PROTECT, null=True, related_name="+")
    target = models.ForeignKey(ReplayStorage, models.PROTECT, null=True, related_name="+")
    #: The key of the source, or its absence: one move at a time.
    source_key = models.CharField(max_length=36, unique=True)
    total = models.PositiveIntegerField(default=0)
    created_by = models.CharField(max_length=128, blank=True, default="")
    date_created = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name = _("Move of recordings")
        ordering = ("date_created", "id")

    def __str__(self) -> str:
        return f"move to {self.target_id}"


class RecordingCopy(SavedRow):
    """A recording that is to be copied to another storage, where it lies afterwards (see `actions/copying.py`).

    A worker claims a due row by moving `date_due` ahead, and moves it further ahead as long as it works.
    """

    recording = models.OneToOneField(Recording, on_delete=models.CASCADE, primary_key=True, related_name="copy")
    target = models.ForeignKey(ReplayStorage, models.PROTECT, null=True, related_name="+")
    upload_id = models.CharField(max_length=1024, blank=True, default="")
    copied = models.BigIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)
    #: Why the last try failed.
    reason = models.JSONField(null=True)
    date_due = models.DateTimeField(default=clock.now)
    date_created = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name = _("Recording to copy")
        ordering = ("date_due", "recording")
        indexes = [
            models.Index(fields=("date_due", "recording"), name="sessions_copy_due"),
            # For those that failed often, among the many of a move.
            models.Index(fields=("tries",), name="sessions_copy_tries"),
        ]

    def __str__(self) -> str:
        return f"copy of {self.recording_id}"


class DoomedFile(SavedRow):
    """A file to delete: of a deleted session (see `actions/retention.py`), or one that was copied to another storage.

    `upload_id`: an unfinished copy that has to go, too. It is not deleted before `date_due`, until which a worker may
    still write it, or a player read it.
    """

    id = models.BigAutoField(primary_key=True)
    session_id = models.UUIDField()
    path = models.CharField(max_length=255, blank=True, default="")
    storage = models.ForeignKey(ReplayStorage, models.PROTECT, null=True, related_name="+")
    upload_id = models.CharField(max_length=1024, blank=True, default="")
    date_due = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name = _("File to delete")
        ordering = ("id",)
        indexes = [
            models.Index(fields=("date_due", "id"), name="sessions_doomed_due"),
            models.Index(fields=("session_id",), name="sessions_doomed_session"),
        ]

    def __str__(self) -> str:
        return self.path


class OrganizationRetention(PosternModel):
    """How long an organization keeps its sessions, within the limits of the settings (see `keeping.py`)."""

    org_id = models.UUIDField(_("Organization"), unique=True, editable=False)
    days = models.PositiveIntegerField(_("Days"))

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Retention of an organization")

    def __str__(self) -> str:
        return f"{self.days} days in {self.org_id}"


class RecordingCheckpoint(SavedRow):
    """Head of a running recording's hash chain.

    It reveals a recording that was cut off or rewritten before its seal.
    """

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="checkpoints")
    block = models.PositiveIntegerField()
    chain = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("Recording checkpoint")
        ordering = ("block",)
        constraints = [
            models.UniqueConstraint(fields=("session", "block"), name="sessions_checkpoint_unique"),
        ]

    def __str__(self) -> str:
        return f"checkpoint {self.block} of {self.session_id}"
