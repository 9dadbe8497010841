"""`ops/command-executions/`: the caller's batch commands (contract: ops)."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.assets import facade as assets
from postern.apps.jobs.batch_commands import actions, permission
from postern.apps.jobs.batch_commands.errors import BatchCommandsOff, CommandRefused
from postern.apps.jobs.batch_commands.models import MAX_HOSTS, BatchCommand
from postern.apps.jobs.command_snippets.command_field import CommandField
from postern.apps.jobs.engine.models import JobState
from postern.apps.jobs.engine.queries import view_of
from postern.apps.jobs.executions.actions import Host
from postern.apps.jobs.job_center import queries as shown
from postern.apps.users import facade as users
from postern.apps.vault import facade as vault
from postern.contracts.enums import Protocol
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet

#: Protocols of system users whose accounts can run commands; with RDP those of Windows hosts.
_PROTOCOLS: Final = frozenset((Protocol.SSH, Protocol.RDP))
_NOT_USABLE: Final = gettext_lazy("You may not use this system user, or it cannot run commands.")


class BatchCommandSerializer(ResourceSerializer):
    """A batch command. In answers `hosts` names the first assets only; `hosts_amount` is their number."""

    id = serializers.UUIDField(source="job_id", read_only=True)
    command = CommandField(label=gettext_lazy("Command"))
    hosts = serializers.ListField(
        child=serializers.UUIDField(), source="shown_hosts", allow_empty=False, max_length=MAX_HOSTS,
        label=gettext_lazy("Hosts"),
    )  # fmt: skip
    run_as = serializers.UUIDField(label=gettext_lazy("System user"))
    run_as_display = serializers.CharField(source="run_as_name", read_only=True, label=gettext_lazy("System user"))
    state = serializers.ChoiceField(JobState.choices, source="job.state", read_only=True, label=gettext_lazy("State"))
    state_display = serializers.CharField(source="job.get_state_display", read_only=True)
    is_cancelling = serializers.SerializerMethodField(label=gettext_lazy("Being stopped"))
    result = serializers.SerializerMethodField(label=gettext_lazy("Result"))
    log_url = serializers.SerializerMethodField(label=gettext_lazy("Log"))
    is_finished = serializers.SerializerMethodField(label=gettext_lazy("Finished"))
    is_success = serializers.SerializerMethodField(label=gettext_lazy("Succeeded"))
    done = serializers.IntegerField(source="job.done", read_only=True, label=gettext_lazy("Ended"))
    failed = serializers.IntegerField(source="job.failed", read_only=True, label=gettext_lazy("Failed"))
    date_start = InstantField(
        source="job.date_start", read_only=True, allow_null=True, label=gettext_lazy("Start time")
    )
    date_finished = InstantField(
        source="job.date_finished", read_only=True, allow_null=True, label=gettext_lazy("End time")
    )

    class Meta:
        model = BatchCommand
        fields_mini: tuple[str, ...] = ("id",)
        fields_small: tuple[str, ...] = (
            *fields_mini, "command", "result", "log_url", "is_finished", "is_success", "is_cancelling", "state",
            "state_display", "hosts_amount", "done", "failed", "run_as_display", "run_as_username", "date_created",
            "date_start", "date_finished", "evidence", "org_id", "org_name",
        )  # fmt: skip
        fields: tuple[str, ...] = (*fields_small, "run_as", "hosts")
        read_only_fields: tuple[str, ...] = (
            "hosts_amount", "run_as_username", "date_created", "evidence",
        )  # fmt: skip

    def get_is_cancelling(self, row: BatchCommand) -> bool:
        return row.job.is_open and row.job.date_cancel_requested is not None

    def get_result(self, row: BatchCommand) -> str | None:
        """How it ended, in the language of the request."""
        return view_of(row.job).sentence or None

    def get_log_url(self, row: BatchCommand) -> str:
        return f"/ui/ops/celery/task/{row.pk}/log/"

    def get_is_finished(self, row: BatchCommand) -> bool:
        return not row.job.is_open

    def get_is_success(self, row: BatchCommand) -> bool:
        return bool(row.job.state == JobState.SUCCEEDED)


class ShownHosts(ReadOnlyViewSet):
    """The base of lists of batch commands."""

    queryset = BatchCommand.objects.all()
    lookup_field = "job_id"
    exportable = False
    default_order = ("-date_created", "job_id")

    def attach_more(self, rows: list[Any]) -> None:
        number = shown.IN_ONE if self.action == "retrieve" else shown.IN_LISTS
        hosts_by_execution = shown.shown_hosts([row.pk for row in rows], number)
        for row in rows:
            hosts = hosts_by_execution.get(row.pk, shown.ShownHosts())
            row.shown_hosts, row.shown_names = hosts.assets, hosts.names


class BatchCommandViewSet(ShownHosts):
    """The caller's own batch commands, the newest first. They are records, and never changed."""

    serializer_class = BatchCommandSerializer
    rights = Right.VALID_USER
    always_root = True
    made_in_organization = False
    filter_fields = {"state": "job__state", "run_as": "run_as"}
    search_fields = ("command", "run_as_name")
    ordering_fields = ("date_created", "hosts_amount")
    date_range_field = "date_created"

    def visible_rows(self) -> QuerySet[Any]:
        return BatchCommand.objects.owned_by(self.actor).select_related("job")

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Run a command. It has begun when the answer arrives; what it shows is below `hosts/` and `groups/`."""
        administered = users.administered_org_ids(self.actor)
        self._require_on(is_exempt=self.actor.is_super_user or bool(administered))
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data
        run_as = self._run_as(values["run_as"])
        is_admin = self.actor.is_super_user or run_as.org_id in administered
        self._require_on(is_exempt=is_admin)
        hosts = self._hosts(run_as, list(dict.fromkeys(values["shown_hosts"])))
        decision = permission.filter_decision(run_as.id, values["command"])
        why = permission.filter_refusal(decision)
        if why:
            actions.record_refusal(
                actor=self.actor,
                run_as=run_as,
                command=values["command"],
                asset_ids=[host.asset_id for host in hosts],
                decision=decision,
            )
            raise CommandRefused(why)
        row = actions.run_command(
            actor=self.actor, run_as=run_as, command=values["command"], hosts=hosts, may_when_off=is_admin
        )
        row.job.refresh_from_db()
        serializer.instance = row
        return Response(self.present([row], serializer), status=status.HTTP_201_CREATED)

    @staticmethod
    def _require_on(*, is_exempt: bool) -> None:
        if not is_exempt and not permission.is_on():
            raise BatchCommandsOff(_("An administrator has turned batch commands off."))

    def _run_as(self, system_user_id: UUID) -> vault.SystemUserBrief:
        """The system user. Whether the caller may use it is decided with the hosts."""
        brief = vault.system_user_briefs([system_user_id]).get(system_user_id)
        if brief is None or brief.protocol not in _PROTOCOLS or brief.manual:
            raise ValidationError({"run_as": [_NOT_USABLE]})
        return brief

    def _hosts(self, run_as: vault.SystemUserBrief, asset_ids: Sequence[UUID]) -> list[Host]:
        """The chosen assets as they are now. All must be granted with the system user."""
        if self.actor.user_id is None:
            raise ValidationError({"hosts": [_("Choose hosts.")]})
        refusals = permission.refusals(
            user_id=self.actor.user_id, run_as=run_as.id, protocol=run_as.protocol, asset_ids=asset_ids
        )
        briefs = assets.asset_briefs(asset_ids)
        if refusals or len(briefs) < len(asset_ids):
            number = len(set(refusals) | (set(asset_ids) - set(briefs)))
            if number == len(asset_ids):
                raise ValidationError({"hosts": [_("You may not run commands with this system user on these hosts.")]})
            text = _("You may not run commands with this system user on %(number)d of these hosts.")
            raise ValidationError({"hosts": [text % {"number": number}]})
        ordered = sorted((briefs[key] for key in asset_ids), key=lambda brief: (brief.hostname, str(brief.id)))
        return [
            Host(asset_id=brief.id, hostname=brief.hostname, ip=brief.ip, system_user_id=run_as.id) for brief in ordered
        ]
