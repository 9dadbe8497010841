"""Tables of the audit log. The database itself refuses UPDATE and DELETE on them (see migration 0002)."""

from datetime import UTC
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.audits.kinds_by_code import find
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.models import SavedRow, ScopedManager, ScopedQuerySet
from postern.kernel import clock
from postern.kernel.ids import new_id


class Action(models.TextChoices):
    """What an event did to its object. The contract's operate log has the first three."""

    CREATE = "create", _("Create")
    UPDATE = "update", _("Update")
    DELETE = "delete", _("Delete")
    OTHER = "other", _("Other")


#: Actions of the operate log.
OPERATIONS = (Action.CREATE, Action.UPDATE, Action.DELETE)


class AuditChain(SavedRow):
    """The head of one organization's chain. The row is locked while an event is appended."""

    org_id = models.UUIDField(primary_key=True)
    sequence = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="")

    class Meta:
        db_table = "audits_chain"

    def __str__(self) -> str:
        return f"{self.org_id}: {self.sequence}"


class AuditEvent(SavedRow):
    """One recorded event. `digest` covers all columns and the previous event's digest.

    `old` and `new` hold the changed values. They never contain secrets (K73: secrets go in and never come out).
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
            models.Index(fields=["org_id", "-datetime", "id"], name="audits_event_time"),
            models.Index(fields=["resource_id"], name="audits_event_resource"),
            models.Index(fields=["org_id", "resource_id", "-datetime", "id"], name="audits_event_object"),
            # One index for each filter of the list: the newest rows are read from the index, whatever the size of the
            # table. With the key, so that it has the whole order of the list and the rows before a page are not read.
            models.Index(fields=["org_id", "event", "-datetime", "id"], name="audits_event_kind"),
            models.Index(fields=["org_id", "action", "-datetime", "id"], name="audits_event_action"),
            models.Index(fields=["org_id", "user", "-datetime", "id"], name="audits_event_person"),
            models.Index(fields=["org_id", "remote_addr", "-datetime", "id"], name="audits_event_address"),
            models.Index(fields=["org_id", "resource_type", "-datetime", "id"], name="audits_event_type"),
        ]
        ordering = ("-datetime",)

    def __str__(self) -> str:
        return f"{self.event} {self.resource}"

    @property
    def category(self) -> str:
        """The category of the kind; empty for a kind of a newer version."""
        kind = find(self.event)
        return kind.category.value if kind else ""


class PersonalLogQuerySet(ScopedQuerySet):
    """Sign-ins and password changes belong to users, and users belong to several organizations."""

    def for_usernames(self, usernames: Any) -> "PersonalLogQuerySet":
        """Only the rows of these users (a list or a subquery)."""
        return self.filter(username__in=usernames)

    def visible_to(self, actor: Actor, scope: OrgScope) -> "PersonalLogQuerySet":
        """All rows, for callers who may audit. The API narrows them to the members of the organization."""
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
    """One sign-in attempt.

    The audit chain holds an event with the same values, so that a verification detects edits.
    """

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
            models.Index(fields=["-datetime", "id"], name="audits_login_time"),
            models.Index(fields=["username"], name="audits_login_username"),
        ]
        ordering = ("-datetime",)

    def __str__(self) -> str:
        return f"{self.username}: {self.status}"

    def covered_values(self) -> dict[str, Any]:
        """The values that the event in the chain repeats, so that a verification detects edits of this row."""
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
    """A user's password was changed, by the user or by an administrator."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.CharField(_("User"), max_length=260)
    change_by = models.CharField(_("Change by"), max_length=260)
    remote_addr = models.CharField(_("Remote addr"), max_length=128, null=True, blank=True)
    datetime = models.DateTimeField(_("Datetime"), default=clock.now)

    objects = PersonalLogManager()

    class Meta:
        verbose_name = _("Password change log")
        ordering = ("-datetime",)
        indexes = [models.Index(fields=["-datetime", "id"], name="audits_password_time")]

    def __str__(self) -> str:
        return self.user

    def covered_values(self) -> dict[str, Any]:
        """The values that the event in the chain repeats, so that a verification detects edits of this row."""
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
    """A requested verification of the whole log. It stores its numbers per organization.

    `proof` is a MAC over the result under the log's key: an attacker who can write only to the database cannot forge a
    good result.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    state = models.CharField(max_length=16, choices=VerificationState.choices, default=VerificationState.WAITING)
    #: True while the verification waits or runs, null afterwards. The unique constraint allows one open row.
    is_open = models.BooleanField(null=True, unique=True, default=True)
    date_created = models.DateTimeField(default=clock.now)
    #: When the worker last reported progress.
    date_beat = models.DateTimeField(null=True)
    date_finished = models.DateTimeField(null=True)
    #: Organizations that requested it. Each has an audit record of the request and gets a record of the result.
    asked_in = models.JSONField(default=list)
    #: Organization → records read, number of faults, and the first faults as `[kind, place]`.
    result = models.JSONField(default=dict)
    proof = models.CharField(max_length=64, default="")

    class Meta:
        verbose_name = _("Verification")

    def __str__(self) -> str:
        return self.date_created.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
