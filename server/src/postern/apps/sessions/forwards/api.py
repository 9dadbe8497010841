"""The log of forwarded connections, for auditors and administrators."""

from typing import Literal

from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.sessions.forwards.models import ForwardedConnection
from postern.contracts.enums import SessionState
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ListViewSet, ResourceRouter


class ForwardedConnectionSerializer(ResourceSerializer):
    """A row of the log of forwarded connections."""

    session = serializers.CharField(source="session_id", read_only=True, label=gettext_lazy("Session ID"))
    user = serializers.CharField(source="session.user", read_only=True, label=gettext_lazy("User"))
    asset = serializers.CharField(source="session.asset", read_only=True, label=gettext_lazy("Asset"))
    system_user = serializers.CharField(source="session.system_user", read_only=True, label=gettext_lazy("System user"))
    remote_addr = serializers.CharField(source="session.remote_addr", read_only=True, label=gettext_lazy("Remote addr"))
    state = serializers.SerializerMethodField(label=gettext_lazy("State"))

    class Meta:
        model = ForwardedConnection
        fields_mini = ("id",)
        fields = (
            "id",
            "user",
            "remote_addr",
            "asset",
            "system_user",
            "org_id",
            "asked",
            "opened",
            "originator",
            "bytes_in",
            "bytes_out",
            "duration_ms",
            "reason",
            "date_start",
            "state",
            "session",
        )
        read_only_fields = fields

    def get_state(self, row: ForwardedConnection) -> Literal["finished", "under_way", "interrupted"]:
        """The state of a connection. Without a reported end it was interrupted if its session has ended."""
        if row.is_finished:
            return "finished"
        return "interrupted" if row.session.state == SessionState.ENDED else "under_way"


class ForwardedConnectionViewSet(ListViewSet):
    """The log of forwarded connections."""

    queryset = ForwardedConnection.objects.select_related("session")
    serializer_class = ForwardedConnectionSerializer
    rights = Right.ORG_AUDITOR
    filter_fields = ("session", "asked", "opened")
    search_fields = ("asked", "opened")
    ordering_fields = ("asked", "opened", "bytes_in", "bytes_out", "duration_ms", "date_start")
    default_order = ("-date_start",)
    date_range_field = "date_start"


router = ResourceRouter()
router.register("audits/forwarded-connections", ForwardedConnectionViewSet, "forwarded-connection")

urlpatterns = router.urls
