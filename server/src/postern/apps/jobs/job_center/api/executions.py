"""`ops/adhoc-executions/`: executions, and what happened on each of their hosts."""

import json
from typing import Any, ClassVar, Final, cast

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.request import Request

from postern.apps.jobs.engine.models import JobState
from postern.apps.jobs.engine.queries import view_of
from postern.apps.jobs.executions.models import Execution, HostOutcome
from postern.apps.jobs.job_center import queries
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ListViewSet, ReadOnlyViewSet, RowNotFound
from postern.kernel.ids import parse_id

_SHORT: Final = 8


class CountsSerializer(serializers.Serializer[Any]):
    """Hosts by how they ended. Those of an ended execution that were not reached any more count as failed."""

    total = serializers.IntegerField(read_only=True, label=gettext_lazy("Total"))
    success = serializers.IntegerField(read_only=True, label=gettext_lazy("Succeeded"))
    failed = serializers.IntegerField(read_only=True, label=gettext_lazy("Failed"))
    pending = serializers.IntegerField(read_only=True, label=gettext_lazy("Waiting"))


class ExecutionSerializer(ResourceSerializer):
    """An execution. `last_success` and `last_failure` name the first hosts only; all are in `…/hosts/`."""

    id = serializers.UUIDField(source="job_id", read_only=True)
    short_id = serializers.SerializerMethodField(label=gettext_lazy("Execution"))
    adhoc = serializers.UUIDField(source="version_id", read_only=True, allow_null=True, label=gettext_lazy("Version"))
    adhoc_short_id = serializers.SerializerMethodField(label=gettext_lazy("Version"))
    task = serializers.UUIDField(source="task_id", read_only=True, allow_null=True, label=gettext_lazy("Task"))
    subject = serializers.CharField(source="job.subject", read_only=True, label=gettext_lazy("Object"))
    state = serializers.ChoiceField(JobState.choices, source="job.state", read_only=True, label=gettext_lazy("State"))
    state_display = serializers.CharField(source="job.get_state_display", read_only=True)
    is_finished = serializers.SerializerMethodField(label=gettext_lazy("Finished"))
    is_success = serializers.SerializerMethodField(label=gettext_lazy("Succeeded"))
    date_start = InstantField(
        source="job.date_start", read_only=True, allow_null=True, label=gettext_lazy("Start time")
    )
    date_finished = InstantField(
        source="job.date_finished", read_only=True, allow_null=True, label=gettext_lazy("End time")
    )
    timedelta = serializers.SerializerMethodField(label=gettext_lazy("Time"))
    created_by = serializers.CharField(source="job.created_by", read_only=True, label=gettext_lazy("Created by"))
    result = serializers.SerializerMethodField(label=gettext_lazy("Outcome as JSON"))
    summary = serializers.SerializerMethodField(label=gettext_lazy("Result"))
    stat = serializers.SerializerMethodField(label=gettext_lazy("Hosts"))
    last_success = serializers.SerializerMethodField(label=gettext_lazy("Last success"))
    last_failure = serializers.SerializerMethodField(label=gettext_lazy("Last failure"))

    class Meta:
        model = Execution
        fields_mini = ("id",)
        fields_small: tuple[str, ...] = (
            *fields_mini, "hosts_amount", "timedelta", "result", "summary", "short_id", "is_finished", "is_success",
            "date_created", "date_start", "date_finished", "state", "state_display", "created_by", "subject",
            "org_id", "org_name",
        )  # fmt: skip
        fields: tuple[str, ...] = (
            *fields_small, "task", "task_display", "adhoc", "adhoc_short_id", "stat", "last_success", "last_failure",
        )  # fmt: skip
        read_only_fields = fields

    def get_short_id(self, row: Execution) -> str:
        return str(row.pk)[:_SHORT]

    def get_adhoc_short_id(self, row: Execution) -> str | None:
        return str(row.version_id)[:_SHORT] if row.version_id else None

    def get_is_finished(self, row: Execution) -> bool:
        return not row.job.is_open

    def get_is_success(self, row: Execution) -> bool:
        return bool(row.job.state == JobState.SUCCEEDED)

    def get_timedelta(self, row: Execution) -> float | None:
        """Seconds."""
        start, end = row.job.date_start, row.job.date_finished
        return round((end - start).total_seconds(), 3) if start and end else None

    def get_result(self, row: Execution) -> str | None:
        """Code and numbers of the end, as JSON."""
        job = row.job
        return json.dumps({"outcome": job.outcome, **job.outcome_values}) if job.outcome else None

    def get_summary(self, row: Execution) -> str | None:
        """How it ended, in the language of the request."""
        return view_of(row.job).sentence or None

    def get_stat(self, row: Execution) -> CountsSerializer:
        return cast("CountsSerializer", queries.counts(row))

    def get_last_success(self, row: Execution) -> list[str]:
        return _shown(row).succeeded

    def get_last_failure(self, row: Execution) -> dict[str, dict[str, dict[str, str]]]:
        """Host → task → `{"msg": why it failed}`."""
        name = row.task_display or str(row.pk)
        return {host: {name: {"msg": why}} for host, why in _shown(row).failed.items()}


def _shown(row: Execution) -> queries.ShownHosts:
    shown: queries.ShownHosts = getattr(row, "shown", None) or queries.ShownHosts()
    return shown


class LatestExecutionSerializer(ExecutionSerializer):
    """The newest execution, inside the answer of its task."""

    class Meta(ExecutionSerializer.Meta):
        fields = (
            "id", "task", "task_display", "hosts_amount", "adhoc", "date_start", "stat", "date_finished", "timedelta",
            "is_finished", "is_success", "state", "state_display", "summary", "short_id", "adhoc_short_id",
            "last_success", "last_failure",
        )  # fmt: skip
        read_only_fields = fields


class ExecutionViewSet(ReadOnlyViewSet):
    """Executions of tasks, the newest first. They are records: started by running a task, and never changed."""

    queryset = Execution.objects.all()
    serializer_class = ExecutionSerializer
    rights = Right.ORG_ADMIN
    lookup_field = "job_id"
    filter_fields: ClassVar[dict[str, str]] = {"task": "task", "adhoc": "version", "state": "job__state"}
    search_fields = ("task_display",)
    ordering_fields = ("date_created", "hosts_amount", "task_display")
    date_range_field = "date_created"
    default_order = ("-date_created", "job_id")

    def visible_rows(self) -> QuerySet[Any]:
        return super().visible_rows().filter(is_listed=True).select_related("job")

    def attach_more(self, rows: list[Any]) -> None:
        queries.with_hosts(rows, queries.IN_ONE if self.action == "retrieve" else queries.IN_LISTS)


class HostOutcomeSerializer(ResourceSerializer):
    """One host of an execution. Names and addresses are those of the time of the request."""

    asset = serializers.UUIDField(source="asset_id", read_only=True, label=gettext_lazy("Asset"))
    system_user = serializers.UUIDField(
        source="system_user_id", read_only=True, allow_null=True, label=gettext_lazy("System user")
    )
    message = serializers.CharField(source="why", read_only=True, label=gettext_lazy("Reason"))

    class Meta:
        model = HostOutcome
        fields_mini = ("id",)
        fields_small = (
            *fields_mini, "asset", "hostname", "ip", "system_user", "username", "state", "state_display", "result",
            "result_display", "status", "message", "via", "seconds",
        )  # fmt: skip
        fields = fields_small
        read_only_fields = fields


class HostOutcomeViewSet(ListViewSet):
    """The hosts of the execution in the path, in their order."""

    queryset = HostOutcome.objects.all()
    serializer_class = HostOutcomeSerializer
    rights = Right.ORG_ADMIN
    filter_fields = ("state", "result")
    search_fields = ("hostname", "ip", "message")
    ordering_fields = ("hostname", "ip", "state", "result", "seconds")
    default_order = ("position",)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """An unknown execution is not found, whatever the rest of the request is."""
        super().initial(request, *args, **kwargs)
        if request.method in self.allowed_methods:
            key = parse_id(self.kwargs.get("execution_pk", ""))
            visible = Execution.objects.visible_to(self.actor, self.scope).filter(is_listed=True)
            if key is None or not visible.filter(pk=key).exists():
                raise RowNotFound(_("Not found."))

    def visible_rows(self) -> QuerySet[Any]:
        return HostOutcome.objects.filter(execution_id=parse_id(self.kwargs.get("execution_pk", "")))
