"""`ops/tasks/`: tasks, their schedules, and running them."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets.models import Asset, Node
from postern.apps.jobs.account_tests.job import TEST_ACCOUNTS, AccountsArgument
from postern.apps.jobs.connectivity.job import TEST_ASSETS, AssetsArgument
from postern.apps.jobs.engine.kinds import KINDS, JobKind
from postern.apps.jobs.engine.starting import STARTED
from postern.apps.jobs.facts.job import REFRESH_ASSETS
from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.jobs.job_center import actions, queries
from postern.apps.jobs.job_center.api.executions import LatestExecutionSerializer
from postern.apps.jobs.job_center.starting import run_task
from postern.apps.jobs.push.job import PUSH_ACCOUNTS
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.scope import writable
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.plain import PlainResourceViewSet
from postern.foundation.rest.relations import OrgOwnedField, OrgOwnedList
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import RowNotFound

_KINDS: Final[Mapping[str, JobKind[Any]]] = {
    kind.name: kind for kind in (TEST_ASSETS, REFRESH_ASSETS, TEST_ACCOUNTS, PUSH_ACCOUNTS)
}
#: Fields that say what a new task does; they are not columns.
_WORK: Final = ("kind", "node", "assets", "system_users")


class TotalsSerializer(serializers.Serializer[Any]):
    """Executions of a task since it was created, and those that have ended by how they ended."""

    total = serializers.IntegerField(source="runs_total", read_only=True, label=gettext_lazy("Total"))
    success = serializers.IntegerField(source="runs_success", read_only=True, label=gettext_lazy("Succeeded"))
    failed = serializers.IntegerField(source="runs_failed", read_only=True, label=gettext_lazy("Failed"))


class TaskSerializer(ResourceSerializer):
    """A task. `kind` with `node`, `assets` or `system_users` says what a new task does; it cannot be changed later."""

    kind = serializers.ChoiceField(
        choices=tuple((name, kind.label) for name, kind in _KINDS.items()),
        required=False,
        label=gettext_lazy("Work"),
    )
    kind_display = serializers.SerializerMethodField(label=gettext_lazy("Work"))
    node = OrgOwnedField(
        Node, required=False, allow_null=True, write_only=True, label=gettext_lazy("Node"),
        help_text=gettext_lazy("All active assets below it, as they are when the task runs."),
    )  # fmt: skip
    assets = OrgOwnedList(Asset, required=False, write_only=True, label=gettext_lazy("Assets"))
    system_users = OrgOwnedList(SystemUser, required=False, write_only=True, label=gettext_lazy("System users"))
    is_deleted = serializers.SerializerMethodField(label=gettext_lazy("Deleted"))
    summary = TotalsSerializer(source="*", read_only=True, label=gettext_lazy("Executions"))
    latest_execution = LatestExecutionSerializer(
        source="shown_latest", read_only=True, allow_null=True, label=gettext_lazy("Latest execution")
    )
    immutable_fields = _WORK

    class Meta:
        model = HostTask
        fields_mini = ("id", "name")
        fields_small: tuple[str, ...] = (
            *fields_mini, "kind", "kind_display", "subject", "interval", "crontab", "is_periodic", "is_deleted",
            "date_due", "created_by", "date_created", "date_updated", "comment",
        )  # fmt: skip
        fields: tuple[str, ...] = (
            *fields_small, "node", "assets", "system_users", "latest_execution", "summary", "org_id", "org_name",
        )  # fmt: skip
        read_only_fields = ("subject", "date_due", "created_by", "date_created", "date_updated")

    def get_kind_display(self, row: HostTask) -> str:
        kind = KINDS.value.get(row.kind)
        return str(kind.label) if kind is not None else row.kind

    def get_is_deleted(self, row: HostTask) -> bool:
        """Deleted tasks are gone; the contract has the field."""
        del row
        return False

    def validate_crontab(self, text: str | None) -> str | None:
        return " ".join(text.split()) if text else text

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A periodic task has a schedule; a new task has work, or none."""
        attrs = super().validate(attrs)
        values = {name: attrs.get(name, getattr(self.instance, name, None)) for name in ("interval", "crontab")}
        if self.instance is None and "interval" not in attrs:
            values["interval"] = HostTask._meta.get_field("interval").default  # noqa: SLF001 - the documented model API
        if attrs.get("is_periodic", getattr(self.instance, "is_periodic", False)) and not any(values.values()):
            raise serializers.ValidationError({"interval": [_("Enter a crontab or a number of hours.")]})
        return self._with_work(attrs) if self.instance is None else attrs

    def _with_work(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The values with the columns of the work in place of the fields that name it."""
        name, node = attrs.pop("kind", None), attrs.pop("node", None)
        assets, system_users = attrs.pop("assets", []), attrs.pop("system_users", [])
        if name is None:
            if node is not None or assets or system_users:
                raise serializers.ValidationError({"kind": [_("Choose what the task does.")]})
            return attrs
        argument: AssetsArgument | AccountsArgument
        if _KINDS[name].argument is AssetsArgument:
            if system_users:
                raise serializers.ValidationError({"system_users": [_("This work is not about system users.")]})
            if (node is None) == (not assets):
                raise serializers.ValidationError({"assets": [_("Choose either a node or assets.")]})
            argument = AssetsArgument(assets=_keys(assets), node=None if node is None else node.pk)
            subject = node.full_value if node is not None else _named(assets)
        else:
            if node is not None:
                raise serializers.ValidationError({"node": [_("Choose assets for this work.")]})
            if not system_users:
                raise serializers.ValidationError({"system_users": [_("Choose at least one system user.")]})
            argument = AccountsArgument(assets=_keys(assets), system_users=_keys(system_users))
            subject = _named(system_users) + (f" @ {_named(assets)}" if assets else "")
        return {**attrs, **actions.work(_KINDS[name], argument, subject)}


class StepSerializer(serializers.Serializer[Any]):
    """A step of a task: its name, and `action` with the kind of work."""

    name = serializers.CharField(read_only=True, label=gettext_lazy("Name"))
    action = serializers.DictField(child=serializers.CharField(), read_only=True, label=gettext_lazy("Action"))


class OneTaskSerializer(TaskSerializer):
    """A task, with the steps of its latest version and its next runs."""

    contents = StepSerializer(source="shown_steps", many=True, read_only=True, label=gettext_lazy("Steps"))
    next_runs = serializers.ListField(child=InstantField(), read_only=True, label=gettext_lazy("Next runs"))

    class Meta(TaskSerializer.Meta):
        fields = (*TaskSerializer.Meta.fields, "contents", "next_runs")


class TaskViewSet(PlainResourceViewSet):
    """Tasks, those that ran last at the beginning."""

    queryset = HostTask.objects.all()
    serializer_class = OneTaskSerializer
    serializer_classes: ClassVar[dict[str, Any]] = {"list": TaskSerializer}
    examples: ClassVar[dict[str, Any]] = {"name": "nightly test", "crontab": "30 3 * * *"}
    writes = actions.TASKS
    rights = Right.ORG_ADMIN
    answers: ClassVar[dict[str, Any]] = {"run": Answer(schema=STARTED)}
    acts_on_get = frozenset({"run"})
    filter_fields = ("name", "kind", "is_periodic")
    search_fields = ("name", "subject")
    ordering_fields = ("name", "date_created", "date_updated", "date_due", "kind", "is_periodic", "created_by")
    default_order = ("-date_updated", "id")

    def attach_more(self, rows: list[Any]) -> None:
        number = queries.IN_ONE if self.action == "retrieve" else queries.IN_LISTS
        latest_executions = queries.latest([row.latest for row in rows], number)
        for row in rows:
            latest = row.shown_latest = latest_executions.get(row.latest)
            row.shown_steps = latest.version.steps if latest is not None and latest.version is not None else []

    @action(detail=True, methods=["get", "post"])
    def run(self, request: Request, **kwargs: Any) -> Response:
        """Run the task on its hosts as they are now. The id is that of the job. The contract has GET for it."""
        row = self.get_object()
        writable(self.scope)
        try:
            job = run_task(actor=self.actor, task_id=row.pk)
        except HostTask.DoesNotExist:
            raise RowNotFound(_("Not found.")) from None
        return Response({"task": str(job.pk)})


def _keys(rows: list[Any]) -> tuple[Any, ...]:
    return tuple(sorted({row.pk for row in rows}))


def _named(rows: list[Any]) -> str:
    """What people call these objects."""
    names = sorted(str(row) for row in rows)
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
