"""Serializers of terminals (contract: terminal)."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from postern.apps.sessions.storages.models import NULL_NAME
from postern.apps.sessions.terminals import policy, storages
from postern.apps.sessions.terminals.models import Terminal
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField, PlainTextField
from postern.kernel import clock


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


@extend_schema_field({"type": "string"})
class StorageNameField(serializers.ChoiceField):
    """The name of a storage. The choices are those of now; a stored name is shown whatever it is."""

    def __init__(self, column: str, **kwargs: Any) -> None:
        kwargs.setdefault("choices", ())
        super().__init__(required=False, **kwargs)
        self._column = column

    @property
    def choices(self) -> dict[Any, Any]:
        return {name: name for name in storages.names(self._column)}

    @choices.setter
    def choices(self, choices: Any) -> None:
        """They are read from the table."""

    def to_internal_value(self, data: Any) -> str:
        name = str(data)
        if name == NULL_NAME:
            raise serializers.ValidationError(
                _("A terminal records what people do. Choose a storage that keeps what it gets.")
            )
        known = storages.names(self._column)
        if name not in known:
            raise serializers.ValidationError(
                _('There is no storage "%(name)s". Enter one of: %(names)s.')
                % {"name": name[:64], "names": ", ".join(known)}
            )
        return name

    def to_representation(self, value: Any) -> str:
        return str(value)


class TerminalSerializer(ResourceSerializer):
    """A registered component. Its secret is never included: it was returned once, at registration."""

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
    command_storage = StorageNameField("command_storage", label=gettext_lazy("Command storage"))
    replay_storage = StorageNameField("replay_storage", label=gettext_lazy("Replay storage"))

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


class RegistrationSerializer(BodySerializer):
    """The data that a component sends when it registers."""

    name = PlainField(max_length=128)
    type = PlainField(max_length=16, default="proxy")
    comment = PlainTextField(max_length=4096, required=False, allow_blank=True, default="")
