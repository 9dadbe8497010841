"""`GET terminal/recording-hits/`: what was on screens, entered and transferred, for auditors and administrators."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.urls import path
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.audits import facade as audits
from postern.apps.orgs import facade as orgs
from postern.apps.preferences import facade as preferences
from postern.apps.sessions.search import keys, queries
from postern.apps.sessions.search.errors import SearchOff
from postern.apps.sessions.search.models import RecordingIndex
from postern.apps.sessions.search.places import Place
from postern.apps.sessions.search.queries import Found, Page, Search
from postern.apps.sessions.sessions.models import Session
from postern.contracts.search.folding import LONGEST, SHORTEST, fold
from postern.contracts.search.lines import LineKind
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.filters import parse_instant
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import TEXT, Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

SETTING: Final = "TERMINAL_SEARCH_RECORDINGS"
_LIMIT: Final = 25
_MOST: Final = 100
_NUMBER: Final = {"type": "integer"}
_COUNT: Final = {
    "type": "integer",
    "description": f"Recordings; {queries.MOST_COUNTED} stands for so many or more. With session_id only that one.",
}
_TEXTS: Final = {"type": "array", "items": TEXT}
_SESSION: Final = texts(
    *("id", "user", "user_id", "asset", "asset_id", "system_user", "protocol", "date_start", "org_id", "org_name"),
    is_whole={"type": "boolean", "description": "False when a part of the recording is not in the index."},
)
_HIT: Final = texts(
    *("id", "datetime", "line"),
    kind={"type": "string", "enum": [kind.value for kind in LineKind]},
    session=_SESSION,
    offset_ms=_NUMBER,
    matches={"type": "array", "items": {"type": "array", "items": _NUMBER}},
    before=_TEXTS,
    after=_TEXTS,
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_Value = TypeVar("_Value")


class RecordingHitsView(PosternView):
    """Lines of recordings that contain a text, newest session first. Every search is audited before its answer.

    A page may have fewer hits than `limit`, or none, and yet a `next`: it looks at a bounded number of candidates.
    """

    rights = {"GET": Right.ORG_AUDITOR}
    answers = {
        "get": Answer(
            schema=texts(
                results={"type": "array", "items": _HIT},
                next={"type": "string", "nullable": True},
                waiting=_COUNT,
                failed=_COUNT,
                incomplete=_COUNT,
            )
        )
    }

    def get(self, request: Request) -> Response:
        if not preferences.get_bool(SETTING):
            raise SearchOff(_("The search inside recordings is switched off. An administrator can switch it on."))
        params = {name: values[-1] for name, values in request.query_params.lists()}
        search = _read(params, self.scope)
        visible = Session.objects.visible_to(self.actor, self.scope)
        page = queries.find(visible, search)
        states = queries.states(visible, search)
        self._record(params, len(page.found))
        return Response(
            {
                "results": _shown(page),
                "next": None if page.next is None else page.next.text(),
                **states._asdict(),
            }
        )

    @write_transaction()
    def _record(self, params: Mapping[str, str], count: int) -> None:
        audits.record(
            actor=self.actor,
            org_id=self.scope.org_id,
            event=audits.Event.RECORDINGS_SEARCHED,
            object_type="Session",
            new={
                "text": params["text"],
                "filters": {name: params[name] for name in _FILTERS if params.get(name)},
                "hits": count,
            },
        )


_FILTERS: Final = ("kind", "user_id", "asset_id", "session_id", "date_from", "date_to", "limit", "cursor")


def _read(params: Mapping[str, str], scope: OrgScope) -> Search:
    """The search. Raises ValidationError with all that is wrong."""
    problems: dict[str, list[str]] = {}

    def given(name: str, read: Callable[[str], _Value | None], problem: str) -> _Value | None:
        text = params.get(name, "")
        try:
            value = read(text) if text else None
        except (ValueError, OverflowError):
            value = None
        if text and value is None:
            problems[name] = [problem]
        return value

    text = params.get("text", "").strip()
    sought = fold(text[: LONGEST + 1]).strip()
    if _CONTROLS.search(text):
        problems["text"] = [_("The text contains control characters. Remove them.")]
    elif len(text) > LONGEST or len(sought) < SHORTEST:
        problems["text"] = [_("Enter a text of 2 to 200 characters.")]
    user_id, asset_id, session_id = (
        given(name, UUID, _("Enter a valid id.")) for name in ("user_id", "asset_id", "session_id")
    )
    date_from, date_to = (
        given(name, parse_instant, _("Enter a valid date/time.")) for name in ("date_from", "date_to")
    )
    kind = given("kind", LineKind, _("Choose screen, command or file."))
    limit = given("limit", _limit, _("Enter a number from 1 to 100."))
    begin = given("cursor", Place.of, _("Use the value of “next” of the previous answer."))
    if problems:
        raise ValidationError(problems)
    return Search(
        sought=sought,
        limit=limit or _LIMIT,
        kind=kind,
        begin=begin,
        org_id=None if scope.is_root else scope.org_id,
        user_id=user_id,
        asset_id=asset_id,
        session_id=session_id,
        date_from=date_from,
        date_to=date_to,
    )


def _limit(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= _MOST else None


def _shown(page: Page) -> list[dict[str, Any]]:
    # Once more only those that are indexed: one may have been withdrawn while its lines were read.
    rows: QuerySet[RecordingIndex] = RecordingIndex.objects.filter(date_indexed__isnull=False)
    indexes = rows.filter(pk__in={found.session_id for found in page.found}).select_related("session")
    of_session = {index.pk: index for index in indexes}
    names = {index.session.org_id: orgs.name_of(index.session.org_id) for index in of_session.values()}
    return [
        _hit(found, index, names[index.session.org_id])
        for found in page.found
        if (index := of_session.get(found.session_id)) is not None  # None: deleted a moment ago
    ]


def _hit(found: Found, index: RecordingIndex, org_name: str) -> dict[str, Any]:
    instant = InstantField().to_representation
    session, hit = index.session, found.hit
    began = index.date_recorded or session.date_start
    return {
        "id": f"{session.pk.hex}-{keys.number_of(found.place.key)}-{hit.number}",
        "kind": hit.kind.value,
        "session": {
            "id": str(session.pk),
            "user": session.user,
            "user_id": str(session.user_id),
            "asset": session.asset,
            "asset_id": str(session.asset_id),
            "system_user": session.system_user,
            "protocol": session.protocol,
            "date_start": instant(session.date_start),
            "org_id": str(session.org_id),
            "org_name": org_name,
            "is_whole": index.is_whole,
        },
        "offset_ms": hit.ms,
        "datetime": instant(_moment(began, hit.ms)),
        "line": hit.line,
        "matches": hit.matches,
        "before": hit.before,
        "after": hit.after,
    }


def _moment(began: datetime, ms: int) -> datetime:
    """The moment of a line. Its recording may say that it began in the year 9999."""
    try:
        return began + timedelta(milliseconds=ms)
    except OverflowError:
        return began


urlpatterns = [path("terminal/recording-hits/", RecordingHitsView.as_view())]
