"""What is kept of a session: its commands, file transfers, refused requests and its recording."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import Session, values
from postern.contracts.enums import CommandKind, RecordingState, RiskLevel, TransferDirection
from postern.foundation.models import PosternModel, SavedRow, ScopedManager
from postern.kernel import clock


class ChainedRow(PosternModel):
    """A row of a session's chain: its place, and a proof over its columns and the proof before it (see `evidence`)."""

    number = models.PositiveIntegerField(null=True, editable=False)
    proof = models.CharField(max_length=72, blank=True, default="", editable=False)

    class Meta:
        abstract = True


class Command(ChainedRow):
    """One command of a session. Names are copied from the session: commands are searched by them.

    `offset_ms` is the place in the recording; `output` the first kilobytes as plain text.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands")
    org_id = models.UUIDField()
    user = models.CharField(_("User"), max_length=258)
    asset = models.CharField(_("Asset"), max_length=128)
    system_user = models.CharField(_("System user"), max_length=128)
    kind = models.CharField(_("Kind"), max_length=16, choices=labels.COMMAND_KINDS, default=CommandKind.ECHO.value)
    input = models.TextField(_("Command"))
    output = models.TextField(_("Output"), blank=True, default="")
    risk_level = models.PositiveSmallIntegerField(
        _("Risk level"), choices=labels.RISK_LEVELS, default=RiskLevel.ORDINARY.value
    )
    at = models.DateTimeField(_("Time"))
    offset_ms = models.BigIntegerField(_("Offset"), default=0)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Command")
        ordering = ("-at",)
        indexes = [
            models.Index(fields=("session", "at"), name="sessions_command_session"),
            models.Index(fields=("org_id", "-at"), name="sessions_command_org"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=values(labels.COMMAND_KINDS)), name="sessions_command_kind_known"
            ),
            models.UniqueConstraint(fields=("session", "number"), name="sessions_command_place"),
        ]

    def __str__(self) -> str:
        return f"command {self.id}"


class FileTransfer(ChainedRow):
    """One file that was moved or changed in a session.

    A transfer that began and did not end yet has its first place in the chain only (`begun_number`). How it went is not
    known: `size`, `is_success` and `detail` are empty. It stays like that when the proxy was killed meanwhile.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="transfers")
    org_id = models.UUIDField()
    user = models.CharField(_("User"), max_length=258)
    remote_addr = models.CharField(_("Remote addr"), max_length=128, blank=True, default="")
    asset = models.CharField(_("Asset"), max_length=128)
    system_user = models.CharField(_("System user"), max_length=128)
    direction = models.CharField(_("Direction"), max_length=16, choices=labels.TRANSFER_DIRECTIONS)
    operate = models.CharField(_("Operate"), max_length=16, choices=labels.OPERATIONS)
    filename = models.CharField(_("Filename"), max_length=1024)
    size = models.BigIntegerField(_("Size"), default=0)
    is_success = models.BooleanField(_("Success"), default=True)
    detail = models.CharField(max_length=1024, blank=True, default="")
    date_start = models.DateTimeField(_("Date start"), default=clock.now)
    begun_number = models.PositiveIntegerField(null=True, editable=False)
    begun_proof = models.CharField(max_length=72, blank=True, default="", editable=False)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("File transfer")
        ordering = ("-date_start",)
        indexes = [models.Index(fields=("org_id", "-date_start"), name="sessions_transfer_org")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(direction__in=[one.value for one in TransferDirection]),
                name="sessions_transfer_direction_known",
            ),
            models.CheckConstraint(
                condition=models.Q(operate__in=values(labels.OPERATIONS)), name="sessions_transfer_operate_known"
            ),
            models.UniqueConstraint(fields=("session", "number"), name="sessions_transfer_place"),
            models.UniqueConstraint(fields=("session", "begun_number"), name="sessions_transfer_begun_place"),
        ]

    def __str__(self) -> str:
        return f"{self.operate} {self.id}"

    @property
    def is_finished(self) -> bool:
        """Whether it is known how it went."""
        return self.number is not None or self.begun_number is None

    @property
    def known_size(self) -> int | None:
        """Bytes that were carried; None as long as that is not known."""
        return self.size if self.is_finished else None


class RefusedRequest(ChainedRow):
    """A request inside a session that a rule refused (a forward, an upload without the right …)."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="refusals")
    request = models.CharField(max_length=128)
    detail = models.CharField(max_length=1024, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("Refused request")
        ordering = ("at",)
        constraints = [models.UniqueConstraint(fields=("session", "number"), name="sessions_refusal_place")]

    def __str__(self) -> str:
        return f"refused {self.request}"


class Recording(SavedRow):
    """The recording of a session. It counts only when `date_stored` is set: size and SHA-256 were checked then.

    `path` is relative to the replay storage; `date_stored` stays empty while the content is still on the proxy.
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
                condition=models.Q(state__in=values(labels.RECORDING_STATES)), name="sessions_recording_state_known"
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
    """The recording of a session that was forgotten: its file is to be deleted (see `actions/retention.py`)."""

    id = models.BigAutoField(primary_key=True)
    session_id = models.UUIDField()
    path = models.CharField(max_length=255, blank=True, default="")

    class Meta:
        verbose_name = _("Doomed file")
        ordering = ("id",)

    def __str__(self) -> str:
        return self.path


class RecordingCheckpoint(SavedRow):
    """Head of a running recording's hash chain: shows a recording that was cut off or rewritten before its seal."""

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
