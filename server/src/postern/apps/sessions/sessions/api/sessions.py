"""Sessions for auditors and administrators."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.actions import orders, tokens
from postern.apps.sessions.sessions.api.serializers import SessionSerializer
from postern.apps.sessions.sessions.api.tokens import issued, login_session_of
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
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
        "actor_kind",
        "terminal",
        "state",
        "end_reason",
        "kind",
        "risk_level",
    )
    #: Several ids, separated by commas: which sessions would a change of these people or assets end?
    own_filters = ("is_finished", "user_id__in", "asset_id__in")
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
        """Create a token with which the caller watches this session live."""
        del request, pk
        answer = tokens.issue_watch_token(
            actor=self.actor, session=self.get_object(), login_session=login_session_of(self.actor)
        )
        return issued(answer)


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


class KillSessionView(PosternView):
    """`POST terminal/tasks/kill-session/`: order the end of sessions. Administrators only (K74: to watch and to
    terminate are separate rights).

    The body is an array of session ids, a single id, or either encoded as a form (contract).
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
        return Response({"ok": [str(session_id) for session_id in ids if session_id in ordered]})
