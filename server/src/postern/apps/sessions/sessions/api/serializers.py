"""Shapes of sessions, commands, file transfers and terminals on the wire (contract: terminal, audits)."""

from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.sessions.models import Command, FileTransfer, ProxyOrder, Recording, Session, Terminal
from postern.apps.sessions.sessions import policy
from postern.contracts.enums import Protocol, RecordingState, SessionState
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField, PlainTextField
from postern.kernel import clock


def _recording(session: Session) -> Recording | None:
    found: Recording | None = getattr(session, "recording", None)
    return found


class SessionSerializer(ResourceSerializer):
    """A session. Sessions are made and changed by proxies only, so every field is read-only."""

    is_success = serializers.BooleanField(read_only=True)
    is_finished = serializers.BooleanField(read_only=True)
    has_replay = serializers.SerializerMethodField(label=gettext_lazy("Replay"))
    can_replay = serializers.SerializerMethodField(label=gettext_lazy("Can replay"))
    can_join = serializers.SerializerMethodField(label=gettext_lazy("Can join"))
    can_terminate = serializers.SerializerMethodField(label=gettext_lazy("Can terminate"))
    command_amount = serializers.IntegerField(read_only=True, label=gettext_lazy("Command amount"))
    duration_s = serializers.SerializerMethodField(label=gettext_lazy("Duration"))
    recording_state = serializers.SerializerMethodField(label=gettext_lazy("Recording"))
    recording_state_display = serializers.SerializerMethodField()
    terminal_display = serializers.CharField(source="terminal.name", default="", read_only=True)

    class Meta:
        model = Session
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "user",
            "asset",
            "system_user",
            "user_id",
            "asset_id",
            "system_user_id",
            "login_from",
            "login_from_display",
            "remote_addr",
            "protocol",
            "is_success",
            "is_finished",
            "has_replay",
            "date_start",
            "date_end",
            "state",
            "state_display",
            "end_reason",
            "end_reason_display",
            "end_detail",
            "recording_state",
            "recording_state_display",
            "duration_s",
            "login_name",
            "target_address",
            "kind",
            "risk_level",
            "risk_level_display",
        )
        fields = (
            *fields_small,
            "terminal",
            "terminal_display",
            "can_replay",
            "can_join",
            "can_terminate",
            "command_amount",
            "client",
            "exit_status",
            "bytes_in",
            "bytes_out",
            "date_expired",
            "org_id",
            "org_name",
        )
        read_only_fields = fields

    def get_has_replay(self, session: Session) -> bool:
        recording = _recording(session)
        return recording is not None and recording.is_playable

    def get_can_replay(self, session: Session) -> bool:
        return self.get_has_replay(session)

    def get_can_join(self, session: Session) -> bool:
        return policy.can_join(
            state=SessionState(session.state), login_from=session.login_from, protocol=session.protocol
        )

    def get_can_terminate(self, session: Session) -> bool:
        return policy.can_terminate(SessionState(session.state))

    def get_duration_s(self, session: Session) -> float:
        end = session.date_end or clock.now()
        return round(max(0.0, (end - session.date_start).total_seconds()), 1)

    def get_recording_state(self, session: Session) -> str:
        recording = _recording(session)
        return recording.state if recording is not None else RecordingState.NONE.value

    def get_recording_state_display(self, session: Session) -> str:
        recording = _recording(session)
        return str(recording.get_state_display() if recording is not None else _("No recording"))


class CommandSerializer(ResourceSerializer):
    """A command; `timestamp` is in unix seconds, `offset_ms` the place in the replay."""

    session = serializers.CharField(source="session_id", read_only=True, label=gettext_lazy("Session ID"))
    timestamp = serializers.SerializerMethodField(label=gettext_lazy("Timestamp"))

    class Meta:
        model = Command
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "user",
            "asset",
            "system_user",
            "input",
            "output",
            "session",
            "risk_level",
            "risk_level_display",
            "org_id",
            "timestamp",
            "kind",
            "kind_display",
            "offset_ms",
        )
        fields = fields_small
        read_only_fields = fields

    def get_timestamp(self, command: Command) -> int:
        return int(command.at.timestamp())


class FileTransferSerializer(ResourceSerializer):
    """A row of the file transfer log."""

    session = serializers.CharField(source="session_id", read_only=True, label=gettext_lazy("Session ID"))
    size = serializers.IntegerField(source="known_size", read_only=True, allow_null=True, label=gettext_lazy("Size"))
    detail = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField(label=gettext_lazy("State"))

    class Meta:
        model = FileTransfer
        fields_mini = ("id",)
        fields = (
            "id",
            "user",
            "remote_addr",
            "asset",
            "system_user",
            "org_id",
            "operate",
            "operate_display",
            "filename",
            "is_success",
            "date_start",
            "direction",
            "direction_display",
            "size",
            "detail",
            "state",
            "session",
        )
        read_only_fields = fields

    def get_state(self, transfer: FileTransfer) -> Literal["finished", "under_way", "interrupted"]:
        """A transfer of which nobody told the end was interrupted when its session is over."""
        if transfer.is_finished:
            return "finished"
        state: str = transfer.session_state  # type: ignore[attr-defined]  # annotated by the view
        return "interrupted" if state == SessionState.ENDED.value else "under_way"

    def get_detail(self, transfer: FileTransfer) -> str:
        texts = {"under_way": _("under way"), "interrupted": _("interrupted, how much was carried is unknown")}
        return str(texts.get(self.get_state(transfer), transfer.detail))


class StatSerializer(serializers.Serializer[Any]):
    """The last heartbeat of a terminal."""

    id = serializers.UUIDField(source="boot_id", read_only=True)
    cpu_load = serializers.FloatField(read_only=True, label=gettext_lazy("CPU Load"))
    memory_used = serializers.FloatField(read_only=True, label=gettext_lazy("Memory Used"))
    disk_used = serializers.FloatField(read_only=True, label=gettext_lazy("Disk Used"))
    session_online = serializers.IntegerField(read_only=True, label=gettext_lazy("Session Online"))
    connections = serializers.IntegerField(read_only=True)
    date_created = serializers.DateTimeField(source="date_last_heartbeat", read_only=True)
    terminal = serializers.UUIDField(source="pk", read_only=True)


class TerminalSerializer(ResourceSerializer):
    """A registered component. Its secret is never here: it was told once, when it registered."""

    session_online = serializers.IntegerField(read_only=True, label=gettext_lazy("Session Online"))
    is_active = serializers.SerializerMethodField(label=gettext_lazy("Is Active"))
    is_alive = serializers.SerializerMethodField(label=gettext_lazy("Is Alive"))
    status = serializers.SerializerMethodField(label=gettext_lazy("Status"))
    status_display = serializers.SerializerMethodField(label=gettext_lazy("Status"))
    stat = serializers.SerializerMethodField()
    is_revoked = serializers.BooleanField(read_only=True, label=gettext_lazy("Credential revoked"))
    is_renewal_due = serializers.BooleanField(read_only=True, label=gettext_lazy("Credential is being renewed"))
    fingerprint = serializers.CharField(read_only=True, label=gettext_lazy("Fingerprint"))
    version = serializers.CharField(read_only=True, label=gettext_lazy("Version"))
    command_storage = serializers.ChoiceField(choices=(("default", "default"), ("null", "null")), default="default")
    replay_storage = serializers.ChoiceField(choices=(("default", "default"), ("null", "null")), default="default")

    class Meta:
        model = Terminal
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini,
            "type",
            "type_display",
            "remote_addr",
            "http_port",
            "ssh_port",
            "session_online",
            "command_storage",
            "replay_storage",
            "is_accepted",
            "is_active",
            "is_alive",
            "is_local",
            "is_revoked",
            "is_renewal_due",
            "fingerprint",
            "version",
            "date_created",
            "comment",
        )
        fields = (*fields_small, "status", "status_display", "stat")
        read_only_fields = ("type", "remote_addr", "http_port", "ssh_port", "is_local", "version", "date_created")

    def validate_name(self, name: str) -> str:
        others = Terminal.objects.existing().filter(name=name)
        if self.instance is not None:
            others = others.exclude(pk=self.instance.pk)
        if others.exists():
            raise serializers.ValidationError(_("This field must be unique."))
        return name

    def get_is_active(self, terminal: Terminal) -> bool:
        return terminal.is_accepted and not terminal.is_deleted

    def get_is_alive(self, terminal: Terminal) -> bool:
        return policy.is_alive(terminal.date_last_heartbeat, clock.now())

    def get_status(self, terminal: Terminal) -> str:
        return policy.terminal_status(
            alive=self.get_is_alive(terminal),
            cpu_load=terminal.cpu_load,
            memory_used=terminal.memory_used,
            disk_used=terminal.disk_used,
        ).value

    def get_status_display(self, terminal: Terminal) -> str:
        texts = {
            policy.TerminalStatus.NORMAL: _("Normal"),
            policy.TerminalStatus.HIGH: _("High load"),
            policy.TerminalStatus.CRITICAL: _("Critical"),
            policy.TerminalStatus.OFFLINE: _("Offline"),
        }
        return texts[policy.TerminalStatus(self.get_status(terminal))]

    def get_stat(self, terminal: Terminal) -> dict[str, Any] | None:
        if terminal.date_last_heartbeat is None:
            return None
        return dict(StatSerializer(terminal, context=self.context).data)


class OrderSerializer(ResourceSerializer):
    """A task of a terminal (contract: terminal tasks)."""

    name = serializers.SerializerMethodField()
    args = serializers.CharField(source="session_id", read_only=True)
    kwargs = serializers.SerializerMethodField()
    is_finished = serializers.SerializerMethodField()

    class Meta:
        model = ProxyOrder
        fields = (
            "id",
            "name",
            "args",
            "kwargs",
            "is_finished",
            "ok",
            "detail",
            "date_created",
            "date_finished",
            "terminal",
        )
        read_only_fields = fields

    def get_name(self, order: ProxyOrder) -> str:
        return "kill_session" if order.kind == "terminate_session" else order.kind

    def get_kwargs(self, order: ProxyOrder) -> dict[str, str]:
        return {"terminated_by": order.by}

    def get_is_finished(self, order: ProxyOrder) -> bool:
        return order.date_finished is not None


class RegistrationSerializer(BodySerializer):
    """What a component says when it registers."""

    name = PlainField(max_length=128)
    type = PlainField(max_length=16, default="proxy")
    comment = PlainTextField(max_length=4096, required=False, allow_blank=True, default="")


class ConnectionTokenSerializer(BodySerializer):
    """What a person wants to open: ids, or names that fit one thing only."""

    asset = PlainField(max_length=128)
    system_user = PlainField(max_length=128, required=False, allow_blank=True, default="")
    protocol = serializers.ChoiceField(choices=[one.value for one in Protocol], default=Protocol.SSH.value)
    user = PlainField(max_length=128, required=False, allow_blank=True, default="")
