"""Tables of terminals: registered proxies, and their last reported state."""

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.contracts.terminals import fingerprint_of
from postern.foundation.models import PosternModel
from postern.kernel import clock


class TerminalType(models.TextChoices):
    """The kinds of components that register."""

    PROXY = "proxy", _("Proxy")
    CORE = "core", _("Control plane")
    CELERY = "celery", _("Worker")


class TerminalQuerySet(models.QuerySet["Terminal"]):
    def existing(self) -> "TerminalQuerySet":
        """Terminals that are not deleted."""
        return self.filter(is_deleted=False)

    def waiting(self) -> "TerminalQuerySet":
        """Terminals that registered, are not accepted (any more), and whose credential is not revoked."""
        return self.existing().filter(is_accepted=False).exclude(secret_hash="")

    def alive(self, since: datetime) -> "TerminalQuerySet":
        """Accepted terminals with a heartbeat after `since`."""
        return self.existing().filter(is_accepted=True, date_last_heartbeat__gt=since)


class Terminal(PosternModel):
    """A registered proxy. Only the hash of its credential is stored; an empty hash matches nothing: the credential was
    revoked.

    It has no access before it is accepted. `is_local`: the proxy of the control plane's own data folder, accepted at
    once. A renewed credential (`next_secret_hash`) replaces the current one when it is first used. The row of a deleted
    terminal stays, so that the history of its sessions keeps its name.
    """

    name = models.CharField(_("Name"), max_length=128)
    type = models.CharField(_("Type"), max_length=16, choices=TerminalType.choices, default=TerminalType.PROXY)
    comment = models.TextField(_("Comment"), blank=True, default="", max_length=4096)
    remote_addr = models.CharField(_("Remote Address"), max_length=128, blank=True, default="")
    secret_hash = models.CharField(max_length=64, editable=False, blank=True)
    next_secret_hash = models.CharField(max_length=64, editable=False, blank=True, default="")
    is_renewal_due = models.BooleanField(default=False, editable=False)
    #: The process that was running when the renewal was ordered: only it receives the new credential.
    renewal_boot_id = models.UUIDField(null=True, editable=False)
    is_accepted = models.BooleanField(_("Is Accepted"), default=False)
    is_local = models.BooleanField(_("Local"), default=False, editable=False)
    is_deleted = models.BooleanField(default=False, editable=False)
    #: An administrator revoked, refused or deleted it, and nobody has accepted it since. A shut-out local proxy needs
    #: acceptance too.
    is_shut_out = models.BooleanField(default=False, editable=False)
    command_storage = models.CharField(max_length=128, default="default")
    replay_storage = models.CharField(max_length=128, default="default")
    ssh_port = models.PositiveIntegerField(_("SSH Port"), default=0)
    http_port = models.PositiveIntegerField(_("HTTP Port"), default=0)
    date_created = models.DateTimeField(_("Date created"), default=clock.now, editable=False)

    # Last heartbeat.
    date_last_heartbeat = models.DateTimeField(null=True, editable=False)
    boot_id = models.UUIDField(null=True, editable=False)
    #: The process before the current one. A heartbeat from it means that two processes use one credential.
    former_boot_id = models.UUIDField(null=True, editable=False)
    #: There are sightings for the next heartbeat to judge.
    has_sightings = models.BooleanField(default=False, editable=False)
    version = models.CharField(max_length=64, blank=True, default="", editable=False)
    stream_address = models.CharField(max_length=255, blank=True, default="", editable=False)
    files_address = models.CharField(max_length=255, blank=True, default="", editable=False)
    is_draining = models.BooleanField(default=False, editable=False)
    #: Its lease has expired, which was reported; the next heartbeat resets this.
    is_lost = models.BooleanField(default=False, editable=False)
    unsent_events = models.PositiveIntegerField(default=0, editable=False)
    cpu_load = models.FloatField(default=0, editable=False)
    memory_used = models.FloatField(default=0, editable=False)
    disk_used = models.FloatField(default=0, editable=False)
    connections = models.PositiveIntegerField(default=0, editable=False)

    objects = TerminalQuerySet.as_manager()

    class Meta:
        verbose_name = _("Terminal")
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=("name",), condition=models.Q(is_deleted=False), name="sessions_terminal_name_unique"
            ),
            models.CheckConstraint(
                condition=models.Q(type__in=TerminalType.values), name="sessions_terminal_type_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_revoked(self) -> bool:
        """Whether its credential was revoked, so that it has to register again."""
        return not self.secret_hash

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the credential, as in the proxy's log, for comparison; "" once revoked."""
        return fingerprint_of(self.secret_hash) if self.secret_hash else ""


class TerminalSighting(PosternModel):
    """A use of a terminal's credential from an address where its process is not running; reported once."""

    terminal = models.ForeignKey(Terminal, on_delete=models.CASCADE, related_name="sightings")
    network = models.CharField(max_length=64)
    remote_addr = models.CharField(max_length=64)
    date_first_seen = models.DateTimeField(default=clock.now)
    date_told = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Sighting of a terminal")
        ordering = ("date_first_seen", "id")
        constraints = [
            models.UniqueConstraint(fields=("terminal", "network"), name="sessions_sighting_once"),
        ]
        indexes = [
            models.Index(
                fields=("date_first_seen",),
                condition=models.Q(date_told__isnull=True),
                name="sessions_sighting_untold",
            )
        ]

    def __str__(self) -> str:
        return f"{self.terminal_id} {self.remote_addr}"
