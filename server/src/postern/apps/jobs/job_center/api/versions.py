"""`ops/adhoc/`: versions of tasks."""

import json
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.jobs.host_tasks.models import TaskVersion
from postern.apps.jobs.job_center import queries
from postern.apps.jobs.job_center.api.executions import LatestExecutionSerializer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet

#: Which of the hosts are meant, in the terms of the contract: a version has exactly the hosts that it means.
_PATTERN: Final = "all"


class VersionSerializer(ResourceSerializer):
    """A version. `hosts` names the first hosts only, `hosts_amount` is their number."""

    short_id = serializers.SerializerMethodField(label=gettext_lazy("Version"))
    task = serializers.UUIDField(source="task_id", read_only=True, label=gettext_lazy("Task"))
    task_display = serializers.CharField(source="task.name", read_only=True, label=gettext_lazy("Task"))
    tasks = serializers.JSONField(source="steps", read_only=True, label=gettext_lazy("Steps"))
    pattern = serializers.SerializerMethodField(label=gettext_lazy("Pattern"))
    options = serializers.SerializerMethodField(label=gettext_lazy("Options"))
    become_display = serializers.SerializerMethodField(label=gettext_lazy("Become"))
    hosts = serializers.SerializerMethodField(label=gettext_lazy("Hosts"))

    class Meta:
        model = TaskVersion
        fields_mini = ("id",)
        fields_small: tuple[str, ...] = (
            *fields_mini, "tasks", "pattern", "options", "run_as", "become_display", "short_id", "run_as_admin",
            "hosts_amount", "created_by", "date_created", "org_id", "org_name",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "task", "task_display", "hosts")
        read_only_fields = fields

    def get_short_id(self, row: TaskVersion) -> str:
        return str(row)

    def get_pattern(self, row: TaskVersion) -> str:
        del row
        return _PATTERN

    def get_options(self, row: TaskVersion) -> str:
        """Options of all steps, as JSON."""
        del row
        return json.dumps({})

    def get_become_display(self, row: TaskVersion) -> str:
        """The account that the steps become; "" for none."""
        return str(next((step["become"] for step in row.steps if step.get("become")), ""))

    def get_hosts(self, row: TaskVersion) -> list[str]:
        """Ids of the first assets."""
        hosts: list[str] = getattr(row, "shown_assets", [])
        return hosts


class OneVersionSerializer(VersionSerializer):
    """A version, with its newest execution."""

    latest_execution = LatestExecutionSerializer(
        source="shown_latest", read_only=True, allow_null=True, label=gettext_lazy("Latest execution")
    )

    class Meta(VersionSerializer.Meta):
        fields = (*VersionSerializer.Meta.fields, "latest_execution")
        read_only_fields = fields


class VersionViewSet(ReadOnlyViewSet):
    """What tasks did and on which hosts, the newest first. A version is made when a task runs, and never changed."""

    queryset = TaskVersion.objects.all()
    serializer_class = VersionSerializer
    serializer_classes: ClassVar[dict[str, Any]] = {"retrieve": OneVersionSerializer}
    rights = Right.ORG_ADMIN
    exportable = False
    filter_fields = ("task",)
    search_fields = ("task__name", "run_as")
    ordering_fields = ("date_created", "hosts_amount", "run_as")
    default_order = ("-date_created", "id")

    def visible_rows(self) -> QuerySet[Any]:
        return super().visible_rows().select_related("task")

    def attach_more(self, rows: list[Any]) -> None:
        is_one = self.action == "retrieve"
        number = queries.IN_ONE if is_one else queries.IN_LISTS
        hosts = queries.shown_hosts([row.latest for row in rows if row.latest], number)
        latest_executions = queries.latest([row.latest for row in rows], number) if is_one else {}
        for row in rows:
            row.shown_latest = latest_executions.get(row.latest)
            row.shown_assets = hosts[row.latest].assets if row.latest in hosts else []
