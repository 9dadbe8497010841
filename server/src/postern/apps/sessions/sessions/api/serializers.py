"""Serializers of sessions, of their tokens, and of orders (contract: terminal)."""

from typing import Final
from typing import Protocol as Shape

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.sessions.sessions import policy
from postern.apps.sessions.sessions.models import OrderKind, ProxyOrder, Session
from postern.contracts.enums import SESSION_PROTOCOLS, Protocol, RecordingState, SessionState
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField
from postern.kernel import clock

#: The key that names who gave an order. The contract has "terminated_by", whatever the order.
_DONE_BY: Final = {OrderKind.LOCK_SESSION.value: "locked_by", OrderKind.UNLOCK_SESSION.value: "unlocked_by"}


class _Recording(Shape):
    """The fields of a session's recording in a list. Recordings refer to sessions, not the other way round."""

    state: str

    @property
    def is_playable(self) -> bool: ...

    def get_state_display(self) -> str: ...


def _recording(session: Session) -> _Recording | None:
    recording: _Recording | None = getattr(session, "recording", None)
    return recording


class SessionSerializer(ResourceSerializer):
    """A session. Only proxies create and change sessions, so every field is read-only."""

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
    is_on_hold = serializers.BooleanField(read_only=True, label=gettext_lazy("On hold"))
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
            "via",
            "kind",
            "risk_level",
            "risk_level_display",
            "is_locked",
            "locked_by",
            "date_locked",
            "is_on_hold",
        )
        fields = (
            *fields_small,
            "terminal",
            "terminal_display",
            "actor_kind",
            "actor_kind_display",
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
        if order.kind == OrderKind.SHOW_MESSAGE:
            return {"sent_by": order.by, "message": order.text}
        return {_DONE_BY.get(order.kind, "terminated_by"): order.by}

    def get_is_finished(self, order: ProxyOrder) -> bool:
        return order.date_finished is not None


class MessageSerializer(BodySerializer):
    """A line of text for the person of a running session."""

    message = PlainField(max_length=512)


class ConnectionTokenSerializer(BodySerializer):
    """The request for a connection token: ids, or names that match exactly one object."""

    asset = PlainField(max_length=128)
    system_user = PlainField(max_length=128, required=False, allow_blank=True, default="")
    protocol = serializers.ChoiceField(
        choices=[protocol.value for protocol in SESSION_PROTOCOLS], default=Protocol.SSH.value
    )
    user = PlainField(max_length=128, required=False, allow_blank=True, default="")
    #: For the file manager: choose a proxy that has an endpoint for it.
    files = serializers.BooleanField(required=False, default=False)
