"""`ops/command-executions/{id}/hosts/` and `groups/`: what a batch command showed."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.batch_commands import queries
from postern.apps.jobs.batch_commands.models import BatchCommand
from postern.apps.jobs.batch_commands.showing import KEPT_BYTES, shown, unpacked
from postern.apps.jobs.executions.models import HostOutcome, HostResult, HostState
from postern.apps.sessions import facade as sessions
from postern.foundation.rest.filters import yes_or_no
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel.ids import parse_id


class _OfCommand(PosternView):
    """The command of the path: the caller's own, or one of an organization whose records they may see. That they look
    at other people's is recorded.
    """

    def command(self) -> BatchCommand:
        return self._found

    @cached_property
    def _found(self) -> BatchCommand:
        key = parse_id(str(self.kwargs.get("execution_pk", "")))
        row = queries.visible(self.actor, self.scope).filter(pk=key).first() if key is not None else None
        if row is None:
            raise Http404
        if row.user_id != self.actor.user_id:
            sessions.look_at_commands(
                actor=self.actor,
                org_id=row.org_id,
                session_id=None,
                title=str(row),
                query={"batch_command": str(row.pk), "user": row.user_label},
            )
        return row


class HostSerializer(ResourceSerializer):
    """A host of a batch command. `size` counts the bytes that it has shown; `group` is the key of its group."""

    asset = serializers.UUIDField(source="asset_id", read_only=True, label=gettext_lazy("Asset"))
    message = serializers.CharField(source="why", read_only=True, label=gettext_lazy("Reason"))
    size = serializers.SerializerMethodField(label=gettext_lazy("Bytes shown"))
    group = serializers.SerializerMethodField(label=gettext_lazy("Group"))

    class Meta:
        model = HostOutcome
        fields_mini = ("id",)
        fields_small = (
            *fields_mini, "asset", "hostname", "ip", "state", "state_display", "result", "result_display", "status",
            "message", "via", "seconds", "size", "group",
        )  # fmt: skip
        fields: tuple[str, ...] = fields_small
        read_only_fields = fields

    def get_group(self, row: HostOutcome) -> str:
        return queries.key_of(row)

    def get_size(self, row: HostOutcome) -> int:
        return row.output.size if hasattr(row, "output") else 0


class HostOutputSerializer(HostSerializer):
    """A host with its output. `is_cut`: only a part of its output is stored; while it runs, only the end is shown."""

    output = serializers.SerializerMethodField(label=gettext_lazy("Output"))
    is_cut = serializers.SerializerMethodField(label=gettext_lazy("Cut"))

    class Meta(HostSerializer.Meta):
        fields = (*HostSerializer.Meta.fields_small, "output", "is_cut")
        read_only_fields = fields

    def get_output(self, row: HostOutcome) -> str:
        return shown(unpacked(row.output.data)) if hasattr(row, "output") else ""

    def get_is_cut(self, row: HostOutcome) -> bool:
        if not hasattr(row, "output"):
            return False
        stored_bytes = KEPT_BYTES if row.state == HostState.ENDED else len(unpacked(row.output.data))
        return bool(row.output.size > stored_bytes)


class CommandHostViewSet(_OfCommand, ReadOnlyViewSet):
    """The hosts of a batch command, in their order. `group` is the key of a group."""

    queryset = HostOutcome.objects.all()
    serializer_class = HostSerializer
    serializer_classes = {"retrieve": HostOutputSerializer}
    rights = Right.VALID_USER
    exportable = False
    filter_fields = ("state", "result")
    own_filters: ClassVar[tuple[str, ...]] = ("group", "is_open", "is_failed")
    search_fields = ("hostname", "ip", "message")
    ordering_fields = ("hostname", "ip", "state", "result", "seconds")
    default_order = ("position",)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """An unknown command is not found, whatever the rest of the request is."""
        super().initial(request, *args, **kwargs)
        if request.method in self.allowed_methods:
            self.command()

    def visible_rows(self) -> QuerySet[Any]:
        rows = queries.hosts_of(self.command().pk)
        if self.action == "retrieve":
            rows = HostOutcome.objects.filter(execution_id=self.command().pk).select_related("output")
        is_open = yes_or_no(self.request, "is_open")
        if is_open is not None:
            rows = rows.exclude(state=HostState.ENDED) if is_open else rows.filter(state=HostState.ENDED)
        is_failed = yes_or_no(self.request, "is_failed")
        if is_failed is not None:
            failed = queries.failed(HostOutcome.objects.filter(execution_id=self.command().pk)).values("pk")
            rows = rows.filter(pk__in=failed) if is_failed else rows.exclude(pk__in=failed)
        group = self.request.query_params.get("group")
        if group:
            try:
                rows = queries.in_group(rows, group)
            except ValueError as error:
                raise ValidationError({"group": [_("Enter a valid value.")]}) from error
        return rows


class GroupSerializer(serializers.Serializer[Any]):
    """Hosts that ended in the same way and showed the same. `output` is its beginning, `sample` the first of the hosts."""

    key = serializers.CharField(read_only=True)
    state = serializers.ChoiceField(HostState.choices, read_only=True)
    result = serializers.ChoiceField(HostResult.choices, read_only=True, allow_blank=True)
    state_display = serializers.SerializerMethodField()
    result_display = serializers.SerializerMethodField()
    status = serializers.IntegerField(read_only=True, allow_null=True)
    hosts_amount = serializers.IntegerField(read_only=True)
    hostnames = serializers.ListField(child=serializers.CharField(), read_only=True)
    sample = serializers.IntegerField(read_only=True)
    message = serializers.CharField(read_only=True)
    output = serializers.CharField(read_only=True)
    is_cut = serializers.BooleanField(read_only=True)

    def get_state_display(self, group: queries.Group) -> str:
        return str(HostState(group.state).label)

    def get_result_display(self, group: queries.Group) -> str:
        return str(HostResult(group.result).label) if group.result else ""


class CommandGroupsView(_OfCommand):
    """Groups of hosts with the same output: failed groups first, then the largest."""

    rights = Right.VALID_USER
    answers = {"get": Answer(serializer=GroupSerializer, many=True)}

    def get(self, request: Request, execution_pk: str) -> Response:
        return Response(GroupSerializer(queries.groups_of(self.command().pk), many=True).data)
