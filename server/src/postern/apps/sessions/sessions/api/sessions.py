"""Sessions, commands and file transfers for auditors and administrators."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.http import QueryDict, StreamingHttpResponse
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions import messages, queries
from postern.apps.sessions.models import Command, FileTransfer, Session
from postern.apps.sessions.sessions.actions import orders, tokens
from postern.apps.sessions.sessions.api.serializers import CommandSerializer, FileTransferSerializer, SessionSerializer
from postern.apps.sessions.sessions.api.tokens import issued, login_session_of
from postern.apps.sessions.viewings import actions as viewing
from postern.contracts.enums import SessionState
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import ListViewSet, ReadOnlyViewSet
from postern.kernel.ids import parse_id

#: The one command storage that every installation has: the database.
DEFAULT_COMMAND_STORAGE_ID: Final = UUID("00000000-0000-0000-0000-000000000003")
_MAX_KILLS: Final = 1_000
#: Query parameters that do not change which commands somebody reads.
_PAGING: Final = frozenset({"limit", "offset", "order", "fields_size", "session", "session_id"})
#: Filters that name sessions, and how many one call may name: each is a record of its own in the log.
_SESSION_NAMES: Final = ("session_id", "session")
_MAX_NAMED: Final = 50
_TRUE: Final = frozenset({"1", "true", "True"})
_FALSE: Final = frozenset({"0", "false", "False"})


class SessionViewSet(ReadOnlyViewSet):
    """Sessions, newest first. They are written by proxies only; people watch and terminate them."""

    queryset = Session.objects.all()
    serializer_class = SessionSerializer
    answers = {"watch_token": Answer(201, schema=ANY_OBJECT)}
    rights = {"list": Right.ORG_AUDITOR, "retrieve": Right.ORG_AUDITOR, "watch_token": Right.ORG_AUDITOR}
    acts_in_root = frozenset({"watch_token"})
    filter_fields = (
        "user",
        "asset",
        "system_user",
        "user_id",
        "asset_id",
        "system_user_id",
        "remote_addr",
        "protocol",
        "login_from",
        "terminal",
        "state",
        "end_reason",
        "kind",
        "risk_level",
    )
    own_filters = ("is_finished",)
    search_fields = ("user", "asset", "system_user", "remote_addr", "protocol", "login_from")
    ordering_fields = (
        "user",
        "asset",
        "system_user",
        "remote_addr",
        "protocol",
        "login_from",
        "date_start",
        "date_end",
        "risk_level",
    )
    amounts = {"command_amount": Amount(Command, "session_id")}
    default_order = ("-date_start",)
    date_range_field = "date_start"

    def visible_rows(self) -> QuerySet[Any]:
        return queries.session_rows(super().visible_rows())

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        text = self.request.query_params.get("is_finished", "")
        over = Q(state=SessionState.ENDED.value)
        if text in _TRUE:
            return rows.filter(over)
        if text in _FALSE:
            return rows.exclude(over)
        if text:
            raise ValidationError({"is_finished": [_("Enter a valid value.")]})
        return rows

    @action(detail=True, methods=["post"], url_path="watch-token")
    def watch_token(self, request: Request, pk: str) -> Response:
        """A token with which the caller watches this session live."""
        del request, pk
        answer = tokens.issue_watch_token(
            actor=self.actor, session=self.get_object(), login_session=login_session_of(self.actor)
        )
        return issued(answer)


#: Names under which forms send ids; the numbers are those of an array that was made a form.
_FORM_NAMES: Final = frozenset({"id", "ids", "session", "sessions", "session_id", "session_ids", "data"})


def _named_sessions(body: Any) -> list[Any] | None:
    """What a body of any of the contract's shapes names; None when it is of none."""
    if isinstance(body, list):
        return body
    if isinstance(body, str):
        return [body]
    found: list[Any] = []
    for name in body if isinstance(body, Mapping) else ():
        values = body.getlist(name) if isinstance(body, QueryDict) else body[name]
        if name.removesuffix("[]") in _FORM_NAMES or name.isdecimal():
            found += values if isinstance(values, list) else [values]
        elif values == [""] and parse_id(name):  # the id alone as the whole of a form
            found.append(name)
    return found or None


class KillSessionView(PosternView):
    """`POST terminal/tasks/kill-session/`: order the end of sessions (K74: administrators).

    The body is an array of session ids, a single id, or the same as a form (contract).
    """

    rights = Right.ORG_ADMIN

    def post(self, request: Request) -> Response:
        items = _named_sessions(request.data)
        if items is None or len(items) > _MAX_KILLS:
            raise ValidationError([_("Expected a list of ids.")])
        ids = [parse_id(item) if isinstance(item, str) else None for item in items]
        if None in ids:
            raise ValidationError([_("Expected a list of ids.")])
        rows = Session.objects.visible_to(self.actor, self.scope).filter(pk__in=ids)
        ordered = set(orders.terminate_sessions(actor=self.actor, sessions=rows))
        return Response({"ok": [str(one) for one in ids if one in ordered]})


class CommandViewSet(ReadOnlyViewSet):
    """Commands of one session, or of a command storage; one of the two must be named."""

    queryset = Command.objects.all()
    serializer_class = CommandSerializer
    rights = Right.ORG_AUDITOR
    filter_fields = {
        "asset": "asset",
        "system_user": "system_user",
        "session": "session",
        "session_id": "session",
        "risk_level": "risk_level",
        "user": "user__startswith",
        "input": "input__icontains",
        "kind": "kind",
    }
    search_fields = ("input", "user", "asset", "system_user")
    ordering_fields = {"timestamp": "at", "offset_ms": "offset_ms"}
    default_order = ("-at",)
    date_range_field = "at"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        answer = super().list(request, *args, **kwargs)
        if not isinstance(answer, StreamingHttpResponse):  # a file: the export is in the log by itself
            self._note(self._named_ids())
        return answer

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        answer = super().retrieve(request, *args, **kwargs)
        self._note({UUID(str(answer.data["session"]))})
        return answer

    def _named(self) -> Sequence[str]:
        """What the filters that name sessions were given: the values that count, as `DeclaredFilters` reads them."""
        given = (self.request.query_params.getlist(name) for name in _SESSION_NAMES)
        counting = [values[-1] for some in given if (values := [value for value in some if value])]
        return [part for value in counting for part in value.split(",")]

    def _named_ids(self) -> set[UUID] | None:
        """The sessions that the filters name, in every spelling that these take; None when they name none."""
        texts = self._named()
        column = Session._meta.pk  # noqa: SLF001 - the documented model API
        return {column.to_python(text) for text in texts if text} if texts else None

    def _note(self, session_ids: set[UUID] | None) -> None:
        """Who reads commands is on record: what people typed is evidence as much as their recordings are.

        Each session that was named is looked at; without any it is the command storage.
        """
        params = self.request.query_params
        query = {name: params[name] for name in params if name not in _PAGING}
        look = partial(viewing.look_at_commands, actor=self.actor, query=query)
        if session_ids is None:
            look(org_id=self.scope.org_id, session_id=None, title="")
            return
        for session in Session.objects.visible_to(self.actor, self.scope).filter(pk__in=session_ids).order_by("pk"):
            look(org_id=session.org_id, session_id=session.pk, title=messages.title(session))

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        params = self.request.query_params
        storage = params.get("command_storage_id", "")
        named = self._named()
        if len(named) > _MAX_NAMED:
            raise ValidationError({"session_id": [_("Too many items.")]})
        if not named and storage not in {"default", str(DEFAULT_COMMAND_STORAGE_ID)}:
            raise NotFound(_("Name a session or a command storage."))
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        return rows


class FileTransferViewSet(ListViewSet):
    """The file transfer log (contract: audits, FTP logs)."""

    queryset = FileTransfer.objects.annotate(session_state=F("session__state"))
    serializer_class = FileTransferSerializer
    rights = Right.ORG_AUDITOR
    filter_fields = ("user", "asset", "system_user", "filename", "operate", "session", "is_success", "remote_addr")
    search_fields = ("user", "asset", "system_user", "filename")
    ordering_fields = ("user", "asset", "system_user", "filename", "date_start", "size")
    default_order = ("-date_start",)
    date_range_field = "date_start"
