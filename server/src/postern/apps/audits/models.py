"""Tables of the audit log. All of them refuse UPDATE and DELETE in the database itself (see migration 0002)."""

from datetime import UTC
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.audits.catalogue import find
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.models import SavedRow, ScopedManager, ScopedQuerySet
from postern.kernel import clock
from postern.kernel.ids import new_id


class Action(models.TextChoices):
    """What an event did to its object; the first three are the operate log of the contract."""

    CREATE = "create", _("Create")
    UPDATE = "update", _("Update")
    DELETE = "delete", _("Delete")
    OTHER = "other", _("Other")


#: What the operate log shows.
OPERATIONS = (Action.CREATE, Action.UPDATE, Action.DELETE)


class AuditChain(SavedRow):
    """The head of one organization's chain. Its row is locked while an event is appended."""

    org_id = models.UUIDField(primary_key=True)
    sequence = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="")

    class Meta:
        db_table = "audits_chain"

    def __str__(self) -> str:
        return f"{self.org_id}: {self.sequence}"


class AuditEvent(SavedRow):
    """One thing that was done. `digest` covers all columns and the digest before it.

    `old` and `new` hold the changed values; secrets never get here (K73).
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    org_id = models.UUIDField(_("Organization"))
    sequence = models.BigIntegerField()
    datetime = models.DateTimeField(_("Datetime"), default=clock.now)
    event = models.CharField(_("Event"), max_length=64)
    action = models.CharField(_("Action"), max_length=16, choices=Action.choices)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    user = models.CharField(_("User"), max_length=260)
    remote_addr = models.CharField(_("Remote addr"), max_length=128, null=True, blank=True)
    login_session = models.CharField(max_length=64, null=True, blank=True)
    resource_type = models.CharField(_("Resource Type"), max_length=64)
    resource_id = models.CharField(_("Resource ID"), max_length=64, blank=True, default="")
    resource = models.CharField(_("Resource"), max_length=256)
    old = models.JSONField(null=True)
    new = models.JSONField(null=True)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Operate log")
        constraints = [models.UniqueConstraint(fields=["org_id", "sequence"], name="audits_event_sequence")]
        indexes = [
            models.Index(fields=["org_id", "-datetime"], name="audits_event_time"),
            models.Index(fields=["resource_id"], name="audits_event_resource"),
            models.Index(fields=["org_id", "resource_id", "-datetime"], name="audits_event_object"),
            # One for each filter of the list: the newest rows are read from the index, however many there are.
            models.Index(fields=["org_id", "event", "-datetime"], name="audits_event_kind"),
            models.Index(fields=["org_id", "action", "-datetime"], name="audits_event_action"),
            models.Index(fields=["org_id", "user", "-datetime"], name="audits_event_person"),
            models.Index(fields=["org_id", "remote_addr", "-datetime"], name="audits_event_address"),
            models.Index(fields=["org_id", "resource_type", "-datetime"], name="audits_event_type"),
        ]
        ordering = ("-datetime",)

    def __str__(self) -> str:
        return f"{self.event} {self.resource}"

    @property
    def category(self) -> str:
        """The category of the kind; empty for a kind of a later version."""
        kind = find(self.event)
        return kind.category.value if kind else ""


class PersonalLogQuerySet(ScopedQuerySet):
    """Sign-ins and password changes belong to people, and people to several organizations."""

    def for_usernames(self, usernames: Any) -> "PersonalLogQuerySet":
        """Only the sign-ins of these people (a list or a subquery)."""
        return self.filter(username__in=usernames)

    def visible_to(self, actor: Actor, scope: OrgScope) -> "PersonalLogQuerySet":
        """All rows for who may audit; the API narrows them to the members of the organization."""
        del scope
        return self.all() if actor.is_org_auditor else self.none()


PersonalLogManager = models.Manager.from_queryset(PersonalLogQuerySet)


class LoginType(models.TextChoices):
    WEB = "W", _("Web")
    TERMINAL = "T", _("Terminal")
    UNKNOWN = "U", _("Unknown")


class MfaState(models.IntegerChoices):
    DISABLED = 0, _("Disabled")
    ENABLED = 1, _("Enabled")
    UNKNOWN = 2, _("-")


class LoginLog(SavedRow):
    """One attempt to sign in. The audit chain holds an event with the same values, so that edits show."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    username = models.CharField(_("Username"), max_length=128)
    type = models.CharField(_("Login type"), max_length=2, choices=LoginType.choices)
    ip = models.GenericIPAddressField(_("Login ip"), null=True)
    city = models.CharField(_("Login city"), max_length=254, null=True, blank=True)
    user_agent = models.CharField(_("User agent"), max_length=254, null=True, blank=True)
    mfa = models.SmallIntegerField(_("MFA"), choices=MfaState.choices, default=MfaState.UNKNOWN)
    reason = models.CharField(_("Reason"), max_length=128, blank=True, default="")
    backend = models.CharField(_("Authentication backend"), max_length=32, blank=True, default="")
    status = models.BooleanField(_("Status"), choices=((True, _("Success")), (False, _("Failed"))))
    datetime = models.DateTimeField(_("Date login"), default=clock.now)

    objects = PersonalLogManager()

    class Meta:
        verbose_name = _("Login log")
        indexes = [
            models.Index(fields=["-datetime"], name="audits_login_time"),
            models.Index(fields=["username"], name="audits_login_username"),
        ]
        ordering = ("-datetime",)

    def __str__(self) -> str:
        return f"{self.username}: {self.status}"

    def covered_values(self) -> dict[str, Any]:
        """The values that the event in the chain repeats, so that an edit of this row shows."""
        return {
            "username": self.username,
            "type": str(self.type),
            "ip": self.ip,
            "status": self.status,
            "reason": self.reason,
            "backend": self.backend,
            "mfa": int(self.mfa),
            "user_agent": self.user_agent,
            "city": self.city,
            "datetime": self.datetime.astimezone(UTC).isoformat(timespec="microseconds"),
        }


class PasswordChangeLog(SavedRow):
    """Somebody's password was changed, by himself or by an administrator."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.CharField(_("User"), max_length=260)
    change_by = models.CharField(_("Change by"), max_length=260)
    remote_addr = models.CharField(_("Remote addr"), max_length=128, null=True, blank=True)
    datetime = models.DateTimeField(_("Datetime"), default=clock.now)

    objects = PersonalLogManager()

    class Meta:
        verbose_name = _("Password change log")
        ordering = ("-datetime",)
        indexes = [models.Index(fields=["-datetime"], name="audits_password_time")]

    def __str__(self) -> str:
        return self.user

    def covered_values(self) -> dict[str, Any]:
        """The values that the event in the chain repeats, so that an edit of this row shows."""
        return {
            "user": self.user,
            "change_by": self.change_by,
            "remote_addr": self.remote_addr,
            "datetime": self.datetime.astimezone(UTC).isoformat(timespec="microseconds"),
        }


class VerificationState(models.TextChoices):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    INTERRUPTED = "interrupted"


class Verification(SavedRow):
    """A verification of the whole log that somebody asked for. Its numbers are kept for each organization.

    `proof` covers the result under the key of the log: whoever can write to the database alone cannot make up a good one.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    state = models.CharField(max_length=16, choices=VerificationState.choices, default=VerificationState.WAITING)
    #: True while it waits or runs, null afterwards: there is at most one.
    is_open = models.BooleanField(null=True, unique=True, default=True)
    date_created = models.DateTimeField(default=clock.now)
    #: When the worker last showed that it is at work on it.
    date_beat = models.DateTimeField(null=True)
    date_finished = models.DateTimeField(null=True)
    #: Organizations in which it was asked for; each of them has a record, and gets one of its result.
    asked_in = models.JSONField(default=list)
    #: Organization → records read, faults, and the first faults as `[kind, place]`.
    result = models.JSONField(default=dict)
    proof = models.CharField(max_length=64, default="")

    class Meta:
        verbose_name = _("Verification")

    def __str__(self) -> str:
        return self.date_created.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
