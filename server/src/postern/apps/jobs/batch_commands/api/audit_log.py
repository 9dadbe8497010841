"""`audits/command-execution-logs/`: the batch commands of an organization, for its administrators and auditors."""

from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.jobs.batch_commands.api.commands import BatchCommandSerializer, ShownHosts
from postern.apps.jobs.batch_commands.models import BatchCommand
from postern.apps.jobs.executions.models import HostOutcome
from postern.foundation.rest.filters import yes_or_no
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet

_AUDITORS: Final = (Right.ORG_ADMIN, Right.ORG_AUDITOR)


class BatchCommandLogSerializer(BatchCommandSerializer):
    """A batch command as auditors see it."""

    user = serializers.UUIDField(source="user_id", read_only=True, label=gettext_lazy("User"))
    user_display = serializers.CharField(source="user_label", read_only=True, label=gettext_lazy("User"))
    hosts_display = serializers.SerializerMethodField(label=gettext_lazy("Hosts"))

    class Meta(BatchCommandSerializer.Meta):
        fields_small = (*BatchCommandSerializer.Meta.fields_small, "user", "remote_addr", "run_as")
        fields = (*fields_small, "hosts", "hosts_display", "user_display")
        read_only_fields = fields

    def get_hosts_display(self, row: BatchCommand) -> list[str]:
        """The names of the first hosts."""
        return list(getattr(row, "shown_names", ()))


class BatchCommandLogViewSet(ShownHosts):
    """Batch commands, the newest first."""

    serializer_class = BatchCommandLogSerializer
    rights = _AUDITORS
    exportable = True
    filter_fields = {
        "user__name": "user_name", "user__username": "username", "command": "command", "run_as__name": "run_as_name",
        "run_as__username": "run_as_username", "state": "job__state", "user": "user_id", "run_as": "run_as",
    }  # fmt: skip
    own_filters = ("is_finished",)
    search_fields = ("command", "user_name", "username", "run_as_name", "run_as_username")
    ordering_fields = ("date_created", "hosts_amount", "user_name", "run_as_name")
    date_range_field = "date_created"

    def visible_rows(self) -> QuerySet[Any]:
        rows = super().visible_rows().select_related("job")
        is_finished = yes_or_no(self.request, "is_finished")
        return rows if is_finished is None else rows.filter(job__date_finished__isnull=not is_finished)


class CommandHostRelationSerializer(ResourceSerializer):
    """A host of a batch command."""

    asset = serializers.UUIDField(source="asset_id", read_only=True, label=gettext_lazy("Asset"))
    asset_display = serializers.SerializerMethodField(label=gettext_lazy("Asset"))
    commandexecution = serializers.UUIDField(source="execution_id", read_only=True, label=gettext_lazy("Batch command"))

    class Meta:
        model = HostOutcome
        fields = ("id", "asset", "asset_display", "commandexecution")
        read_only_fields = fields

    def get_asset_display(self, row: HostOutcome) -> str:
        """`name(address)`, as it was at the time of the request."""
        return f"{row.hostname}({row.ip})"


class CommandHostRelationViewSet(ReadOnlyViewSet):
    """The hosts of batch commands."""

    queryset = HostOutcome.objects.all()
    serializer_class = CommandHostRelationSerializer
    rights = _AUDITORS
    exportable = False
    filter_fields = {"id": "id", "asset": "asset_id", "commandexecution": "execution"}
    search_fields = ("hostname",)
    ordering_fields = ("hostname",)
    default_order = ("execution_id", "position")

    def visible_rows(self) -> QuerySet[Any]:
        visible = BatchCommand.objects.visible_to(self.actor, self.scope)
        return HostOutcome.objects.filter(Exists(visible.filter(pk=OuterRef("execution_id"))))
