"""The table of file transfers: one row for each file that was transferred or changed in a session."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.sessions.models import ChainedRow, Session
from postern.contracts.enums import TransferDirection
from postern.foundation.models import ScopedManager
from postern.kernel import clock


class FileTransfer(ChainedRow):
    """One file that was transferred or changed in a session.

    A transfer without an end has only its first position in the chain (`begun_number`). Its result is unknown: `size`,
    `is_success`, `detail` and `sha256` are empty. It stays like that when the proxy was killed.
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
    #: Of the whole file, if it passed once, whole and in order; else "".
    sha256 = models.CharField(_("SHA-256"), max_length=64, blank=True, default="")
    date_start = models.DateTimeField(_("Date start"), default=clock.now)
    begun_number = models.PositiveIntegerField(null=True, editable=False)
    begun_proof = models.CharField(max_length=72, blank=True, default="", editable=False)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("File transfer")
        ordering = ("-date_start",)
        indexes = [models.Index(fields=("org_id", "-date_start", "id"), name="sessions_transfer_org")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(direction__in=[direction.value for direction in TransferDirection]),
                name="sessions_transfer_direction_known",
            ),
            models.CheckConstraint(
                condition=models.Q(operate__in=labels.values(labels.OPERATIONS)), name="sessions_transfer_operate_known"
            ),
            models.UniqueConstraint(fields=("session", "number"), name="sessions_transfer_place"),
            models.UniqueConstraint(fields=("session", "begun_number"), name="sessions_transfer_begun_place"),
        ]

    def __str__(self) -> str:
        return f"{self.operate} {self.id}"

    @property
    def is_finished(self) -> bool:
        """Whether the result is known."""
        return self.number is not None or self.begun_number is None

    @property
    def known_size(self) -> int | None:
        """Number of transferred bytes; None while unknown."""
        return self.size if self.is_finished else None
