"""Tables of sessions, of the tokens that open or watch them, and of orders."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions import labels
from postern.apps.sessions.terminals.models import Terminal
from postern.contracts.enums import EndReason, LoginFrom, Protocol, RiskLevel, SessionState
from postern.foundation.caller.actor import ActorKind
from postern.foundation.models import CreatorField, PosternModel, ScopedManager
from postern.kernel import clock

NAME_CHARS: Final = 128
#: Room for the names of the gateways of four stages, with separators.
MAX_VIA: Final = 600
#: Characters of the reason of a hold.
MAX_REASON: Final = 512


class Session(PosternModel):
    """One session. Names are stored with the ids, because the history outlasts users and assets.

    `user` is `Name(username)`, `username` the login name. `target_address` is the dialled `host:port`.
    """

    org_id = models.UUIDField(_("Organization"), editable=False)
    user_id = models.UUIDField(_("User ID"), db_index=True)
    user = models.CharField(_("User"), max_length=NAME_CHARS * 2 + 2)
    username = models.CharField(max_length=NAME_CHARS)
    #: A person, or a service account.
    actor_kind = models.CharField(
        _("Kind of user"), max_length=16, choices=labels.ACTOR_KINDS, default=ActorKind.USER.value
    )
    asset_id = models.UUIDField(_("Asset ID"), db_index=True)
    asset = models.CharField(_("Asset"), max_length=NAME_CHARS)
    system_user_id = models.UUIDField(_("System user ID"), db_index=True)
    system_user = models.CharField(_("System user"), max_length=NAME_CHARS)
    login_name = models.CharField(_("Login name"), max_length=NAME_CHARS, blank=True, default="")
    target_address = models.CharField(_("Target address"), max_length=300, blank=True, default="")
    #: The gateways that were passed on the way to the target, from the proxy's side; "" when it was reached directly.
    via = models.CharField(_("Way"), max_length=MAX_VIA, blank=True, default="")
    protocol = models.CharField(_("Protocol"), max_length=16, choices=labels.PROTOCOLS, default=Protocol.SSH.value)
    login_from = models.CharField(
        _("Login from"), max_length=2, choices=labels.LOGIN_FROM, default=LoginFrom.SSH_TERMINAL.value
    )
    remote_addr = models.CharField(_("Remote addr"), max_length=128, blank=True, default="")
    client = models.CharField(_("Client"), max_length=255, blank=True, default="")
    login_session = models.UUIDField(null=True, editable=False, db_index=True)
    proxy_sign_in = models.UUIDField(null=True, editable=False)
    #: The bearer token or access key that opened it, in the form of `Actor.credential`; "" for a browser or proxy
    #: sign-in.
    credential = models.CharField(max_length=64, blank=True, default="", editable=False, db_index=True)
    #: `User.session_epoch` when it was opened: when the two differ, the session receives nothing more.
    epoch = models.PositiveIntegerField(null=True, editable=False)
    terminal = models.ForeignKey(Terminal, on_delete=models.SET_NULL, null=True, related_name="sessions")

    state = models.CharField(
        _("State"), max_length=16, choices=labels.SESSION_STATES, default=SessionState.OPENING.value
    )
    end_reason = models.CharField(_("End reason"), max_length=32, choices=labels.END_REASONS, blank=True, default="")
    end_detail = models.CharField(_("End detail"), max_length=1024, blank=True, default="")
    #: The control plane presumed the end; a later report of the proxy replaces it.
    is_end_presumed = models.BooleanField(default=False, editable=False)
    kind = models.CharField(_("Kind"), max_length=16, blank=True, default="")
    actions = models.PositiveSmallIntegerField(_("Actions"), default=0)
    risk_level = models.PositiveSmallIntegerField(
        _("Risk level"), choices=labels.RISK_LEVELS, default=RiskLevel.ORDINARY.value
    )
    exit_status = models.IntegerField(_("Exit status"), null=True)
    bytes_in = models.BigIntegerField(_("Bytes in"), default=0)
    bytes_out = models.BigIntegerField(_("Bytes out"), default=0)
    ever_active = models.BooleanField(default=False)

    date_start = models.DateTimeField(_("Date start"), default=clock.now)
    date_active = models.DateTimeField(null=True)
    date_end = models.DateTimeField(_("Date end"), null=True)
    date_expired = models.DateTimeField(_("Permission until"), null=True)
    #: The grant that the proxy received: action bit → its end. Each change increments `grant_version`.
    action_ends = models.JSONField(default=dict, editable=False)
    grant_version = models.PositiveIntegerField(default=0, editable=False)
    #: Hash of the command filters that the proxy received. Each change increments `command_version`.
    command_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    command_version = models.PositiveIntegerField(default=0, editable=False)
    #: Whether nothing of the person reaches the target, and who decided so when. Each change increments `lock_version`.
    is_locked = models.BooleanField(_("Locked"), default=False)
    locked_by = models.CharField(_("Locked by"), max_length=256, blank=True, default="")
    date_locked = models.DateTimeField(_("Date locked"), null=True)
    lock_version = models.PositiveIntegerField(default=0, editable=False)
    date_credential_released = models.DateTimeField(null=True, editable=False)
    #: First release of the secret of a gateway on the way.
    date_gateway_released = models.DateTimeField(null=True, editable=False)
    #: Hash of the attempt that received the secret: it may repeat the request for some seconds, in case the response
    #: was lost.
    release_attempt = models.CharField(max_length=64, blank=True, default="", editable=False)

    #: Rows in the session's chain, the last row's proof, and the number of rows that the last anchor covers (see
    #: `evidence.py`).
    evidence_count = models.PositiveIntegerField(default=0, editable=False)
    evidence_head = models.CharField(max_length=72, blank=True, default="", editable=False)
    evidence_anchored = models.PositiveIntegerField(default=0, editable=False)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Session")
        ordering = ("-date_start",)
        indexes = [
            models.Index(fields=("org_id", "-date_start", "id"), name="sessions_org_start"),
            models.Index(fields=("-date_start",), name="sessions_start"),
            models.Index(fields=("date_end",), name="sessions_end"),
            models.Index(
                fields=("terminal", "state"), condition=~models.Q(state=SessionState.ENDED.value), name="sessions_live"
            ),
            models.Index(
                fields=("org_id", "user_id"),
                condition=~models.Q(state=SessionState.ENDED.value),
                name="sessions_live_of_org",
            ),
            models.Index(
                fields=("terminal", "date_credential_released"),
                condition=models.Q(date_credential_released__isnull=False),
                name="sessions_released",
            ),
            models.Index(
                fields=("terminal", "date_gateway_released"),
                condition=models.Q(date_gateway_released__isnull=False),
                name="sessions_gateway_released",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=labels.values(labels.SESSION_STATES)), name="sessions_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(end_reason="") | models.Q(end_reason__in=labels.values(labels.END_REASONS)),
                name="sessions_end_reason_known",
            ),
            # Every ended session has a reason; other sessions have none.
            models.CheckConstraint(
                condition=models.Q(state=SessionState.ENDED.value, date_end__isnull=False) & ~models.Q(end_reason="")
                | ~models.Q(state=SessionState.ENDED.value) & models.Q(date_end__isnull=True, end_reason=""),
                name="sessions_ended_has_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(protocol__in=labels.values(labels.PROTOCOLS)), name="sessions_protocol_known"
            ),
            models.CheckConstraint(
                condition=models.Q(login_from__in=labels.values(labels.LOGIN_FROM)), name="sessions_login_from_known"
            ),
            models.CheckConstraint(
                condition=models.Q(date_end__isnull=True) | models.Q(date_end__gte=models.F("date_start")),
                name="sessions_end_after_start",
            ),
            # A locked session says who locked it and when; another says nothing of the kind.
            models.CheckConstraint(
                condition=models.Q(is_locked=True, date_locked__isnull=False) & ~models.Q(locked_by="")
                | models.Q(is_locked=False, date_locked__isnull=True, locked_by=""),
                name="sessions_locked_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"session {self.id}"

    @property
    def is_finished(self) -> bool:
        return bool(self.state == SessionState.ENDED.value)

    @property
    def is_success(self) -> bool:
        """Whether the target has answered, or still may."""
        return self.ever_active or not self.is_finished

    @property
    def end(self) -> EndReason | None:
        """Why it ended; None while it is live."""
        return EndReason(self.end_reason) if self.end_reason else None


class SessionHold(PosternModel):
    """A legal hold: nothing deletes the session, or the sessions of the person in the organization, past and future.

    `name` is the title of the session or the label of the person. After `date_end` the hold has no effect, and the next
    run of retention deletes its row. The database refuses to delete a session while a row refers to it.
    """

    org_id = models.UUIDField(_("Organization"), editable=False)
    session = models.ForeignKey(
        Session, verbose_name=_("Session"), on_delete=models.PROTECT, null=True, related_name="holds"
    )
    user_id = models.UUIDField(_("User ID"), null=True)
    name = models.CharField(_("Name"), max_length=NAME_CHARS * 2 + 2)
    reason = models.CharField(_("Reason"), max_length=MAX_REASON)
    date_end = models.DateTimeField(_("Date end"), null=True)
    created_by = CreatorField(_("Created by"), max_length=128, blank=True, default="", editable=False)
    date_created = models.DateTimeField(_("Date created"), default=clock.now)

    objects = ScopedManager()

    class Meta:
        verbose_name = _("Hold of sessions")
        ordering = ("-date_created", "id")
        indexes = [
            models.Index(fields=("-date_created", "id"), name="sessions_hold_newest"),
            models.Index(fields=("org_id", "-date_created", "id"), name="sessions_hold_of_org"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(session__isnull=True) ^ models.Q(user_id__isnull=True),
                name="sessions_hold_has_one_object",
            ),
            models.CheckConstraint(condition=~models.Q(reason=""), name="sessions_hold_has_reason"),
            # Two matters may need the same session: each hold has its own reason, and ends by itself.
            models.UniqueConstraint(
                fields=("session", "reason"), condition=models.Q(session__isnull=False), name="sessions_hold_of_session"
            ),
            models.UniqueConstraint(
                fields=("user_id", "org_id", "reason"),
                condition=models.Q(user_id__isnull=False),
                name="sessions_hold_of_person",
            ),
        ]

    def __str__(self) -> str:
        return f"hold of {self.name}"


class ConnectionToken(PosternModel):
    """Permission to open one session: single use, valid for five minutes, bound to everything that was decided on.

    `epoch` is `User.session_epoch` when the token was created: when the two differ, the token is void. It is also void
    once its creator's sign-in (`login_session`), bearer token or access key (`credential`) has ended. `attempt_hash`
    identifies the attempt that used it. For some seconds this attempt gets the same answer again: the session
    (`opened`) or the refusal (`denial`).
    """

    token_hash = models.CharField(max_length=64, unique=True)
    org_id = models.UUIDField()
    user_id = models.UUIDField(db_index=True)
    asset_id = models.UUIDField()
    system_user_id = models.UUIDField()
    protocol = models.CharField(max_length=16, choices=labels.PROTOCOLS)
    terminal = models.ForeignKey(Terminal, on_delete=models.CASCADE)
    login_session = models.UUIDField(null=True)
    credential = models.CharField(max_length=64, blank=True, default="", editable=False)
    epoch = models.PositiveIntegerField(null=True, editable=False)
    remote_addr = models.CharField(max_length=128, blank=True, default="")
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField(db_index=True)
    date_used = models.DateTimeField(null=True)
    attempt_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    opened = models.UUIDField(null=True, editable=False)
    denial = models.JSONField(null=True, editable=False)

    class Meta:
        verbose_name = _("Connection token")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"connection token {self.token_hash[:8]}"


class WatchToken(PosternModel):
    """Permission to watch one live session and, once used, the view itself.

    `epoch`, `credential`, `attempt_hash` and `denial` are those of a connection token.
    """

    token_hash = models.CharField(max_length=64, unique=True)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="watches")
    user_id = models.UUIDField(db_index=True)
    user = models.CharField(max_length=NAME_CHARS * 2 + 2)
    terminal = models.ForeignKey(Terminal, on_delete=models.CASCADE)
    login_session = models.UUIDField(null=True)
    credential = models.CharField(max_length=64, blank=True, default="", editable=False)
    epoch = models.PositiveIntegerField(null=True, editable=False)
    date_created = models.DateTimeField(default=clock.now)
    date_expired = models.DateTimeField(db_index=True)
    date_used = models.DateTimeField(null=True)
    attempt_hash = models.CharField(max_length=64, blank=True, default="", editable=False)
    denial = models.JSONField(null=True, editable=False)
    date_stopped = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Watch token")
        ordering = ("-date_created",)

    def __str__(self) -> str:
        return f"watch token {self.token_hash[:8]}"


class OrderKind(models.TextChoices):
    """The kinds of orders to a proxy."""

    TERMINATE_SESSION = "terminate_session", _("Terminate session")
    STOP_WATCHING = "stop_watching", _("Stop watching")
    CHANGE_GRANT = "change_grant", _("Change grant")
    CHANGE_COMMAND_CONTROL = "change_command_control", _("Change command filters")
    LOCK_SESSION = "lock_session", _("Lock session")
    UNLOCK_SESSION = "unlock_session", _("Unlock session")
    SHOW_MESSAGE = "show_message", _("Show message")


class ProxyOrder(PosternModel):
    """An order that a proxy must execute: pushed at once, repeated with each heartbeat until the proxy reports it as
    done.
    """

    terminal = models.ForeignKey(Terminal, on_delete=models.CASCADE, related_name="orders")
    kind = models.CharField(max_length=32, choices=OrderKind.choices)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="orders")
    #: Copy of the session's value, so that the list of an organization is read from one index.
    org_id = models.UUIDField(editable=False)
    watch = models.ForeignKey(WatchToken, on_delete=models.CASCADE, null=True, related_name="orders")
    by = models.CharField(max_length=256, default="")
    reason = models.CharField(max_length=32, default="")
    message_zh = models.CharField(max_length=512, default="")
    message_en = models.CharField(max_length=512, default="")
    #: The text that a person is shown, as an administrator wrote it.
    text = models.CharField(max_length=512, default="")
    date_created = models.DateTimeField(default=clock.now)
    date_finished = models.DateTimeField(null=True)
    ok = models.BooleanField(null=True)
    detail = models.CharField(max_length=512, default="")

    class Meta:
        verbose_name = _("Order to a proxy")
        ordering = ("date_created", "id")
        indexes = [
            models.Index(fields=("-date_created", "id"), name="sessions_order_newest"),
            models.Index(fields=("org_id", "-date_created", "id"), name="sessions_order_of_org"),
            models.Index(
                fields=("terminal", "date_created"),
                condition=models.Q(date_finished__isnull=True),
                name="sessions_order_open",
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=OrderKind.values), name="sessions_order_kind_known"),
            models.CheckConstraint(
                condition=models.Q(kind=OrderKind.STOP_WATCHING, watch__isnull=False)
                | models.Q(
                    kind__in=[kind for kind in OrderKind.values if kind != OrderKind.STOP_WATCHING],
                    watch__isnull=True,
                ),
                name="sessions_order_watch_matches_kind",
            ),
            # At most one pending termination per session: a second click joins the first.
            models.UniqueConstraint(
                fields=("session",),
                condition=models.Q(kind=OrderKind.TERMINATE_SESSION, date_finished__isnull=True),
                name="sessions_order_one_termination",
            ),
            models.UniqueConstraint(
                fields=("watch",),
                condition=models.Q(kind=OrderKind.STOP_WATCHING, date_finished__isnull=True),
                name="sessions_order_one_stop",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.session_id}"


class ChainedRow(PosternModel):
    """A row of a session's chain: its position, and a proof over its columns and the previous row's proof (see
    `evidence.py`).
    """

    number = models.PositiveIntegerField(null=True, editable=False)
    proof = models.CharField(max_length=72, blank=True, default="", editable=False)

    class Meta:
        abstract = True


class RefusedRequest(ChainedRow):
    """A request inside a session that a rule refused (a port forward, an upload without the right …)."""

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
