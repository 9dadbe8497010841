"""Tables of recordings, and of files that are to be deleted."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import RecordingState
from postern.foundation.models import SavedRow


class Recording(SavedRow):
    """The recording of a session. It is valid only when `date_stored` is set: then size and SHA-256 have been verified.

    `path` is relative to the replay storage. `date_stored` stays empty while the content is still on the proxy.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="recording")
    state = models.CharField(max_length=16, choices=labels.RECORDING_STATES, default=RecordingState.RECORDING.value)
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    chain = models.CharField(max_length=64, blank=True, default="")
    key_id = models.CharField(max_length=64, blank=True, default="")
    duration_ms = models.BigIntegerField(default=0)
    path = models.CharField(max_length=255, blank=True, default="")
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
                condition=models.Q(date_stored__isnull=True) | ~models.Q(path=""),
                name="sessions_recording_stored_has_path",
            ),
        ]

    def __str__(self) -> str:
        return f"recording of {self.session_id}"

    @property
    def is_playable(self) -> bool:
        return self.date_stored is not None


class DoomedFile(SavedRow):
    """The recording file of a deleted session, to be deleted (see `actions/retention.py`)."""

    id = models.BigAutoField(primary_key=True)
    session_id = models.UUIDField()
    path = models.CharField(max_length=255, blank=True, default="")

    class Meta:
        verbose_name = _("File to delete")
        ordering = ("id",)

    def __str__(self) -> str:
        return self.path


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
