"""`ops/celery/period-tasks/`: what Postern does by itself, for system administrators."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from postern.apps.jobs.periodic_tasks import actions, purposes
from postern.apps.jobs.periodic_tasks.models import PeriodicTask
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet, RowNotFound, UpdateMixin


class PeriodicTaskSerializer(ResourceSerializer):
    """A periodic task. `why_required`: why it cannot be switched off, or nothing."""

    description = serializers.SerializerMethodField(label=gettext_lazy("Description"))
    why_required = serializers.SerializerMethodField(label=gettext_lazy("Why it is required"))

    next_run_at = InstantField(read_only=True, allow_null=True, label=gettext_lazy("Next run"))

    class Meta:
        model = PeriodicTask
        fields_mini = ("id", "name")
        fields_small = (
            *fields_mini, "task", "interval_s", "enabled", "description", "why_required", "last_run_at",
            "last_outcome", "last_outcome_display", "last_error", "next_run_at", "total_run_count",
        )  # fmt: skip
        fields = fields_small
        read_only_fields = (
            "name", "task", "interval_s", "last_run_at", "last_outcome", "last_error", "total_run_count",
        )  # fmt: skip

    def get_description(self, row: PeriodicTask) -> str:
        return purposes.purpose(row.task)

    def get_why_required(self, row: PeriodicTask) -> str:
        return purposes.why_required(row.task)


class PeriodicTaskViewSet(UpdateMixin, ReadOnlyViewSet):
    """Periodic tasks by name. Only `enabled` can be changed."""

    queryset = PeriodicTask.objects.all()
    serializer_class = PeriodicTaskSerializer
    rights = Right.SUPER_USER
    always_root = True
    changed_in_organization = False
    importable = exportable = False
    filter_fields = ("name", "task", "enabled", "last_outcome")
    search_fields = ("name", "task")
    default_order = ("name",)
    examples: ClassVar[dict[str, Any]] = {"enabled": True}

    def visible_rows(self) -> "QuerySet[Any]":
        rows: QuerySet[Any] = PeriodicTask.objects.all()
        return rows

    def update_object(self, instance: PeriodicTask, data: dict[str, Any]) -> PeriodicTask:
        if "enabled" not in data:
            return instance
        try:
            return actions.switch(actor=self.actor, task_id=instance.pk, enabled=data["enabled"])
        except PeriodicTask.DoesNotExist:
            raise RowNotFound(_("Not found.")) from None
