"""Sessions for auditors and administrators."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.actions import orders, steering, tokens
from postern.apps.sessions.sessions.api.serializers import MessageSerializer, SessionSerializer
from postern.apps.sessions.sessions.api.tokens import issued, login_session_of
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import ANY_OBJECT, Answer
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.kernel.ids import parse_id

_MAX_KILLS: Final = 1_000
#: Ids in one filter.
_MOST_IDS: Final = 200
_TRUE: Final = frozenset({"1", "true", "True"})
_FALSE: Final = frozenset({"0", "false", "False"})


class SessionViewSet(ReadOnlyViewSet):
    """Sessions, newest first. Proxies write them; users can watch and terminate them."""

    queryset = Session.objects.all()
    serializer_class = SessionSerializer
    answers = {"watch_token": Answer(201, schema=ANY_OBJECT), "message": Answer(201, schema=ANY_OBJECT)}
    rights = {
        "list": Right.ORG_AUDITOR,
        "retrieve": Right.ORG_AUDITOR,
        "watch_token": Right.ORG_AUDITOR,
        "message": Right.ORG_ADMIN,
    }
    acts_in_root = frozenset({"watch_token", "message"})
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
        "actor_kind",
        "terminal",
        "state",
        "end_reason",
        "kind",
        "risk_level",
    )
    #: Several ids, separated by commas: which sessions would a change of these people or assets end?
    own_filters = ("is_finished", "is_on_hold", "user_id__in", "asset_id__in")
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
    amounts = {"command_amount": Amount("sessions.Command", "session_id")}
    default_order = ("-date_start",)
    date_range_field = "date_start"

    def visible_rows(self) -> QuerySet[Any]:
        return queries.session_rows(super().visible_rows())

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().filter_queryset(queryset)
        for name in ("user_id__in", "asset_id__in"):
            given = self.request.query_params.get(name, "")
            if given:
                ids = {key for part in given.split(",")[:_MOST_IDS] if (key := parse_id(part.strip())) is not None}
                rows = rows.filter(Q((name, ids)))
        rows = self._narrowed(rows, "is_finished", Q(state=SessionState.ENDED.value))
        return self._narrowed(rows, "is_on_hold", queries.is_on_hold())

    def _narrowed(self, rows: QuerySet[Any], name: str, condition: Q) -> QuerySet[Any]:
        """The rows that fulfil the condition, or do not, as the query says. Raises ValidationError."""
        text = self.request.query_params.get(name, "")
        if text in _TRUE:
            return rows.filter(condition)
        if text in _FALSE:
            return rows.filter(~condition)
        if text:
            raise ValidationError({name: [_("Enter a valid value.")]})
        return rows

    def attach_more(self, rows: list[Any]) -> None:
        held_ids = queries.held_among(rows)
        for session in rows:
            session.is_on_hold = session.pk in held_ids

    @action(detail=True, methods=["post"], url_path="watch-token")
    def watch_token(self, request: Request, pk: str) -> Response:
        """Create a token with which the caller watches this session live."""
        del request, pk
        answer = tokens.issue_watch_token(
            actor=self.actor, session=self.get_object(), login_session=login_session_of(self.actor)
        )
        return issued(answer)

    @action(detail=True, methods=["post"])
    def message(self, request: Request, pk: str) -> Response:
        """Show the person of this session a line of text. The right is that of ending sessions."""
        del pk
        session = self.get_object()
        text: str = body_of(request, MessageSerializer)["message"]
        order = steering.send_message(actor=self.actor, session_id=session.pk, text=text)
        return Response({"id": str(order.pk)}, status=status.HTTP_201_CREATED)


#: Field names under which forms send ids. The numbers are the keys of an array that was encoded as a form.
_FORM_NAMES: Final = frozenset({"id", "ids", "session", "sessions", "session_id", "session_ids", "data"})


def _named_sessions(body: Any) -> list[Any] | None:
    """The sessions named by a body in any form that the contract allows; None for other bodies."""
    if isinstance(body, list):
        return body
    if isinstance(body, str):
        return [body]
    session_ids: list[Any] = []
    for name in body if isinstance(body, Mapping) else ():
        values = body.getlist(name) if isinstance(body, QueryDict) else body[name]
        if name.removesuffix("[]") in _FORM_NAMES or name.isdecimal():
            session_ids += values if isinstance(values, list) else [values]
        elif values == [""] and parse_id(name):  # a form that consists of an id only
            session_ids.append(name)
    return session_ids or None


def _ids_in(body: Any) -> list[UUID]:
    """The sessions named by a body. Raises ValidationError for any other body."""
    items = _named_sessions(body)
    if items is None or len(items) > _MAX_KILLS:
        raise ValidationError([_("Expected a list of ids.")])
    ids = [key for item in items if isinstance(item, str) and (key := parse_id(item)) is not None]
    if len(ids) < len(items):
        raise ValidationError([_("Expected a list of ids.")])
    return ids


class KillSessionView(PosternView):
    """`POST terminal/tasks/kill-session/`: order the end of sessions. Administrators only (K74: to watch and to
    terminate are separate rights).

    The body is an array of session ids, a single id, or either encoded as a form (contract).
    """

    rights = Right.ORG_ADMIN

    def post(self, request: Request) -> Response:
        ids = _ids_in(request.data)
        rows = Session.objects.visible_to(self.actor, self.scope).filter(pk__in=ids)
        ordered = set(orders.terminate_sessions(actor=self.actor, sessions=rows))
        return Response({"ok": [str(session_id) for session_id in ids if session_id in ordered]})


class LockSessionView(PosternView):
    """`POST terminal/tasks/lock-session/`: nothing of the persons of these sessions reaches their targets any more.

    Body and right are those of ending sessions. `ended` names the sessions that had ended meanwhile.
    """

    rights = Right.ORG_ADMIN
    #: What the view makes of the sessions.
    is_locked: ClassVar[bool] = True

    def post(self, request: Request) -> Response:
        ids = _ids_in(request.data)
        rows = Session.objects.visible_to(self.actor, self.scope).filter(pk__in=ids)
        locking = steering.lock_sessions(actor=self.actor, sessions=rows, is_locked=self.is_locked)
        named = {"ok": set(locking.done), "ended": set(locking.ended)}
        return Response({name: [str(key) for key in ids if key in keys] for name, keys in named.items()})


class UnlockSessionView(LockSessionView):
    """`POST terminal/tasks/unlock-session/`: the persons of these sessions can go on."""

    is_locked = False
