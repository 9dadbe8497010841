"""The table of forwarded connections: one row for each connection that a host was asked to make to itself."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.sessions.models import ChainedRow, Session
from postern.foundation.models import ScopedManager

PLACE_CHARS = 300
REASON_CHARS = 256


class ForwardedConnection(ChainedRow):
    """One connection to a port or socket of a host. Its content is not recorded.

    `asked` is the wording of the user's client, `opened` what the host connected to, and `originator` what the client
    says about the program that connected to it. A row without an end has only its first position in the chain
    (`begun_number`), and stays like that when the proxy was killed.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="forwards")
    org_id = models.UUIDField()
    asked = models.CharField(_("Asked for"), max_length=PLACE_CHARS)
    opened = models.CharField(_("Connected to"), max_length=PLACE_CHARS)
    originator = models.CharField(_("Originator"), max_length=PLACE_CHARS, blank=True, default="")
    bytes_in = models.BigIntegerField(_("Bytes to the host"), default=0)
    bytes_out = models.BigIntegerField(_("Bytes from the host"), default=0)
    duration_ms = models.BigIntegerField(_("Duration in ms"), default=0)
    reason = models.CharField(_("End reason"), max_length=REASON_CHARS, blank=True, default="")
    date_start = models.DateTimeField(_("Date start"))
    begun_number = models.PositiveIntegerField(null=True, editable=False)
    begun_proof = models.CharField(max_length=72, blank=True, default="", editable=False)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Forwarded connection")
        ordering = ("-date_start",)
        indexes = [
            models.Index(fields=("org_id", "-date_start", "id"), name="sessions_forward_org"),
            models.Index(fields=("session", "-date_start", "id"), name="sessions_forward_session"),
        ]
        constraints = [
            models.UniqueConstraint(fields=("session", "number"), name="sessions_forward_place"),
            models.UniqueConstraint(fields=("session", "begun_number"), name="sessions_forward_begun_place"),
        ]

    def __str__(self) -> str:
        return f"forward to {self.opened}"

    @property
    def is_finished(self) -> bool:
        """Whether the end was reported."""
        return self.number is not None
