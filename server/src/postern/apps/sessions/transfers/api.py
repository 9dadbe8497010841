"""The file transfer log for auditors and administrators."""

from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.sessions.transfers.models import FileTransfer
from postern.contracts.enums import SessionState
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ListViewSet, ResourceRouter


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
            "sha256",
            "state",
            "session",
        )
        read_only_fields = fields

    def get_state(self, transfer: FileTransfer) -> Literal["finished", "under_way", "interrupted"]:
        """The state of a transfer. A transfer without a reported end was interrupted if its session has ended."""
        if transfer.is_finished:
            return "finished"
        return "interrupted" if transfer.session.state == SessionState.ENDED else "under_way"

    def get_detail(self, transfer: FileTransfer) -> str:
        texts = {"under_way": _("under way"), "interrupted": _("interrupted, transferred size unknown")}
        return str(texts.get(self.get_state(transfer), transfer.detail))


class FileTransferViewSet(ListViewSet):
    """The file transfer log (contract: audits, FTP logs)."""

    queryset = FileTransfer.objects.select_related("session")
    serializer_class = FileTransferSerializer
    rights = Right.ORG_AUDITOR
    filter_fields = ("user", "asset", "system_user", "filename", "operate", "session", "is_success", "remote_addr")
    search_fields = ("user", "asset", "system_user", "filename")
    ordering_fields = ("user", "asset", "system_user", "filename", "date_start", "size")
    default_order = ("-date_start",)
    date_range_field = "date_start"


router = ResourceRouter()
router.register("audits/ftp-logs", FileTransferViewSet, "ftp-log")

urlpatterns = router.urls
