"""Commands for auditors and administrators."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions import messages
from postern.apps.sessions.commands.models import Command
from postern.apps.sessions.commands.narrowing import NarrowestFirst
from postern.apps.sessions.commands.report import report
from postern.apps.sessions.sessions.models import Session
from postern.apps.sessions.storages.models import (
    DEFAULT_COMMAND_STORAGE_ID,
    DEFAULT_NAME,
    NULL_COMMAND_STORAGE_ID,
    NULL_NAME,
)
from postern.apps.sessions.viewings import actions as viewings
from postern.foundation.rest.filters import DateRange, DeclaredOrder, Selected, TermSearch
from postern.foundation.rest.openapi.answers import ANY_OBJECTS, Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ReadOnlyViewSet, ResourceRouter

#: Query parameters that do not change which commands a caller reads.
_PAGING: Final = frozenset({"limit", "offset", "order", "fields_size", "session", "session_id"})
#: Filters by session, and the maximum number of sessions per call: each gets its own audit record.
_SESSION_NAMES: Final = ("session_id", "session")
_MAX_NAMED: Final = 50
#: Parameters of the tree of storages that search no commands.
_UNFILTERED: Final = frozenset({"real", "oid", "display", "draw"})
#: Commands that the tree of storages counts at most.
_MAX_COUNT: Final = 100_000


class CommandSerializer(ResourceSerializer):
    """A command. `timestamp` is in unix seconds, `offset_ms` the position in the replay.

    What looks like a secret is hidden in `input` and `output`; `has_secrets` says that something is.
    """

    session = serializers.CharField(source="session_id", read_only=True, label=gettext_lazy("Session ID"))
    timestamp = serializers.SerializerMethodField(label=gettext_lazy("Timestamp"))
    has_secrets = serializers.BooleanField(read_only=True, label=gettext_lazy("Contains secrets"))

    class Meta:
        model = Command
        fields_mini = ("id",)
        fields_small = (
            *fields_mini,
            "user",
            "asset_id",
            "asset",
            "system_user",
            "input",
            "output",
            "session",
            "risk_level",
            "risk_level_display",
            "org_id",
            "timestamp",
            "kind",
            "kind_display",
            "offset_ms",
            "decision",
            "decision_display",
            "decision_rule",
            "decision_filter",
            "decision_reason",
            "has_secrets",
        )
        fields = fields_small
        read_only_fields = fields

    def get_timestamp(self, command: Command) -> int:
        return int(command.at.timestamp())

    def to_representation(self, instance: Command) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        texts = zip(("input", "output"), instance.shown, strict=True)
        return {**shown, **{name: text for name, text in texts if name in shown}}


class WholeCommandSerializer(CommandSerializer):
    """A command with the secrets in it."""

    def to_representation(self, instance: Command) -> dict[str, Any]:
        return {**super().to_representation(instance), "input": instance.input, "output": instance.output}


class CommandViewSet(ReadOnlyViewSet):
    """Commands of one session or of a command storage; the request must name one of the two."""

    queryset = Command.objects.all()
    serializer_class = CommandSerializer
    filter_backends = (DateRange, NarrowestFirst, TermSearch, Selected, DeclaredOrder)
    #: The instant at which a search ends (see `narrowing`).
    border: datetime | None = None
    rights = {
        **dict.fromkeys(("list", "retrieve", "export", "metadata", "tree"), Right.ORG_AUDITOR),
        "whole": Right.ORG_ADMIN,
    }
    needs_fresh_mfa = frozenset({"whole"})
    #: A report cannot say that it searched a part only.
    file_actions = frozenset({"export"})
    filter_fields = {
        "asset": "asset",
        "asset_id": "asset_id",
        "system_user": "system_user",
        "session": "session",
        "session_id": "session",
        "risk_level": "risk_level",
        "user": "user__startswith",
        "input": "input__icontains",
        "kind": "kind",
        "decision": "decision",
    }
    search_fields = ("input", "user", "asset", "system_user")
    ordering_fields = {"timestamp": "at", "offset_ms": "offset_ms"}
    default_order = ("-at",)
    date_range_field = "at"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        answer = super().list(request, *args, **kwargs)
        if not isinstance(answer, StreamingHttpResponse):  # a file: the export has its own audit record
            self._note(self._named_ids())
        return answer

    @action(detail=False, methods=["get"])
    def export(self, request: Request) -> StreamingHttpResponse:
        """The commands that the filters of the list select, as an HTML report. Audited as an export."""
        del request
        return report(self)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        answer = super().retrieve(request, *args, **kwargs)
        self._note({UUID(str(answer.data["session"]))})
        return answer

    @action(detail=True, methods=["get"], serializer_class=WholeCommandSerializer)
    def whole(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One command with the secrets in it, for administrators who entered a code of their second factor recently."""
        answer = super().retrieve(request, *args, **kwargs)
        self._note({UUID(str(answer.data["session"]))}, {"whole": str(answer.data["id"])})
        return answer

    def search_border(self, rows: QuerySet[Any]) -> datetime | None:
        del rows  # the narrowest filter decides, not all of them
        return self.border

    def _named(self) -> Sequence[str]:
        """The effective values of the filters by session, as `DeclaredFilters` reads them."""
        given = (self.request.query_params.getlist(name) for name in _SESSION_NAMES)
        counting = [values[-1] for some in given if (values := [value for value in some if value])]
        return [part for value in counting for part in value.split(",")]

    def _named_ids(self) -> set[UUID] | None:
        """The session ids in the filters, in every accepted spelling; None when the filters name none."""
        texts = self._named()
        column = Session._meta.pk  # noqa: SLF001 - the documented model API
        return {column.to_python(text) for text in texts if text} if texts else None

    def _note(self, session_ids: set[UUID] | None, seen: Mapping[str, str] = MappingProxyType({})) -> None:
        """Audit who reads commands, because they are evidence like recordings. `seen`: what else the record says.

        Records each named session, or else the command storage.
        """
        params = self.request.query_params
        query = {**{name: params[name] for name in params if name not in _PAGING}, **seen}
        look = partial(viewings.look_at_commands, actor=self.actor, query=query)
        if session_ids is None:
            look(org_id=self.scope.org_id, session_id=None, title="")
            return
        for session in Session.objects.visible_to(self.actor, self.scope).filter(pk__in=session_ids).order_by("pk"):
            look(org_id=session.org_id, session_id=session.pk, title=messages.title(session))

    def _filtered_storage(self) -> str:
        """The command storage that the request names."""
        return self.request.query_params.get("command_storage_id", "")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        storage = self._filtered_storage()
        named = self._named()
        if len(named) > _MAX_NAMED:
            raise ValidationError({"session_id": [_("Too many sessions are named in one request. Name fewer.")]})
        if not named and storage in {NULL_NAME, str(NULL_COMMAND_STORAGE_ID)}:
            return queryset.none()
        if not named and storage not in {DEFAULT_NAME, str(DEFAULT_COMMAND_STORAGE_ID)}:
            raise NotFound(_("Specify a session or a command storage."))
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        return rows


class CommandStorageTreeViewSet(CommandViewSet):
    """The command storages with the numbers of their commands, with the filters of commands."""

    exportable = False
    answers = {"tree": Answer(schema=ANY_OBJECTS)}

    def tree(self, request: Request) -> Response:
        """The built-in storages below a root; `real=1` leaves out the one that keeps nothing."""
        real = request.query_params.get("real", "") in {"1", "true"}
        count = super().filter_queryset(self.get_queryset()).order_by()[: _MAX_COUNT + 1].count()
        if not set(request.query_params) <= _UNFILTERED:  # numbers of a search tell what was typed
            self._note(self._named_ids())
        shown = f"{_MAX_COUNT}+" if count > _MAX_COUNT else str(count)
        nodes = [_node(DEFAULT_COMMAND_STORAGE_ID, DEFAULT_NAME, f"{DEFAULT_NAME}(server)({shown})")]
        if not real:
            nodes.append(_node(NULL_COMMAND_STORAGE_ID, NULL_NAME, f"{NULL_NAME}(null)(0)"))
        root = {**_node("root", "", _("Command storages"), above=""), "isParent": True, "open": True}
        return Response([*nodes, root])

    def _filtered_storage(self) -> str:
        return DEFAULT_NAME


def _node(key: UUID | str, name: str, shown: str, above: str = "root") -> dict[str, Any]:
    return {
        "id": str(key),
        "name": shown,
        "title": name,
        "pId": above,
        "isParent": False,
        "open": False,
        "valid": True,
    }


router = ResourceRouter()
router.register("terminal/commands", CommandViewSet, "command")

urlpatterns = [
    path("terminal/command-storages/tree/", CommandStorageTreeViewSet.as_view({"get": "tree"})),
    *router.urls,
]
