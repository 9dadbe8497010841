"""`perms/history/…?at=`: who could reach an asset or application at an instant in the past, what a person could reach,
and through what. With `compared_with=` only what differs from that earlier or later instant.

The answer is about the organization of the request, whose objects it finds also after their deletion.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.history.access import Reach, people_of
from postern.apps.perms.history.comparing import Difference, people_between, targets_between, with_both_ways
from postern.apps.perms.history.granting import APPLICATIONS, ASSETS, Family, Reached, Way
from postern.apps.perms.history.models import ObjectKind
from postern.apps.perms.history.past import Known, Past, known_since, was_ever, was_ever_in
from postern.foundation.rest.filters import search_terms
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.openapi.answers import TEXT, Answer, texts
from postern.foundation.rest.pagination import OptionalLimitPagination
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.clock import now

_YES: Final[dict[str, Any]] = {"type": "boolean"}
_NAMED: Final = texts("id", "name")
_WAY: Final = texts(
    permission=_NAMED,
    actions={"type": "array", "items": TEXT},
    system_users={"type": "array", "items": texts("id", "name", "protocol")},
    names_user=_YES,
    user_groups={"type": "array", "items": _NAMED},
    names_target=_YES,
    nodes={"type": "array", "items": _NAMED},
)
_WAYS: Final[dict[str, Any]] = {"type": "array", "items": _WAY}
_ROW: Final = texts(
    "id", "name", "detail", change={"type": "string", "enum": ["", "gained", "lost", "changed"]}, ways=_WAYS,
    ways_before=_WAYS,
)  # fmt: skip
_ANSWER: Final = texts(
    "at",
    known_since={"type": ["string", "null"]},
    is_known=_YES,
    object={"oneOf": [texts("id", "name", is_active=_YES), {"type": "null"}]},
    count={"type": "integer"},
    results={"type": "array", "items": _ROW},
)


class _HistoryView(PosternView):
    """The instants of the request, the object of the URL, and the page.

    No snapshot is needed: what was true at an instant in the past does not change.
    """

    rights: ClassVar[Rights] = {"GET": Right.ORG_AUDITOR}
    answers: ClassVar = {"get": Answer(schema=_ANSWER)}
    kind: ClassVar[ObjectKind]

    def get(self, request: Request, **ids: UUID) -> Response:
        """The state at `at`, or the differences between `compared_with` and `at`."""
        del request
        [object_id] = ids.values()
        at = self._instant("at") or now()
        other = self._instant("compared_with")
        scope = self.scope
        known = was_ever(self.kind, object_id) if scope.is_root else was_ever_in(self.kind, object_id, scope.org_id)
        if not known:
            raise RowNotFound(_("Not found."))
        since = known_since()
        is_known = since is not None and min(at, other or at) >= since
        past = Past.of(at)
        row = past.object(self.kind, object_id) if is_known else None
        page: dict[str, Any] = {"count": 0, "results": []}
        if is_known:
            page = self.page(past, Past.of(other) if other else None, object_id)
        shown = {"id": str(row.id), "name": row.name, "is_active": row.is_active is not False} if row else None
        return Response({"at": at, "known_since": since, "is_known": is_known, "object": shown, **page})

    def page(self, past: Past, other: Past | None, object_id: UUID) -> dict[str, Any]:
        raise NotImplementedError

    def _instant(self, name: str) -> datetime | None:
        text = self.request.query_params.get(name, "")
        if not text:
            return None
        try:
            instant: datetime = InstantField().run_validation(text)
        except ValidationError as error:
            raise ValidationError({name: error.detail}) from error
        if instant > now():
            raise ValidationError({name: [_("Enter a time in the past.")]})
        return instant

    def cut(self, rows: Sequence[Any], shown: Callable[[Sequence[Any]], list[dict[str, Any]]]) -> dict[str, Any]:
        """`count`, and `results` with the requested rows."""
        pages = OptionalLimitPagination()
        limit = pages.get_limit(self.request) or pages.max_limit
        offset = pages.get_offset(self.request)
        return {"count": len(rows), "results": shown(rows[offset : offset + limit])}


class _PeopleOf(_HistoryView):
    """The people who could reach a target."""

    family: ClassVar[Family]

    def page(self, past: Past, other: Past | None, object_id: UUID) -> dict[str, Any]:
        words = search_terms(self.request)
        if other is None:
            people = [person for person in people_of(past, self.family, object_id) if _matches(person.object, words)]
            return self.cut(people, lambda page: [_reached(person) for person in page])
        changed = people_between(other, past, self.family, object_id)
        matching = [difference for difference in changed if _matches(difference.object, words)]
        return self.cut(matching, lambda page: [_difference(difference) for difference in page])


class PeopleOfAsset(_PeopleOf):
    """`GET perms/history/assets/{id}/`"""

    kind = ObjectKind.ASSET
    family = ASSETS


class PeopleOfApplication(_PeopleOf):
    """`GET perms/history/applications/{id}/`"""

    kind = ObjectKind.APPLICATION
    family = APPLICATIONS


class _TargetsOf(_HistoryView):
    """What a person could reach."""

    kind = ObjectKind.USER
    family: ClassVar[Family]

    def page(self, past: Past, other: Past | None, object_id: UUID) -> dict[str, Any]:
        org_id = None if self.scope.is_root else self.scope.org_id
        after = Reach(past, self.family, object_id, org_id)
        words = search_terms(self.request)
        if other is None:
            every = after.targets()
            rows = [row for row in every if _matches(row, words)] if words else every
            return self.cut(rows, lambda page: [_reached(target) for target in after.with_ways(page)])
        before = Reach(other, self.family, object_id, org_id)
        changed = [change for change in targets_between(before, after) if _matches(change[0], words)]
        return self.cut(
            changed, lambda page: [_difference(difference) for difference in with_both_ways(before, after, page)]
        )


class AssetsOfUser(_TargetsOf):
    """`GET perms/history/users/{id}/assets/`"""

    family = ASSETS


class ApplicationsOfUser(_TargetsOf):
    """`GET perms/history/users/{id}/applications/`"""

    family = APPLICATIONS


def _matches(row: Known, words: Sequence[str]) -> bool:
    name, detail = row.name.casefold(), row.word.casefold()
    return all(word.casefold() in name or word.casefold() in detail for word in words)


def _reached(reached: Reached) -> dict[str, Any]:
    return {**_object(reached.object), "change": "", "ways": [_way(way) for way in reached.ways], "ways_before": []}


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        **_object(difference.object),
        "change": difference.change.value,
        "ways": [_way(way) for way in difference.after.ways],
        "ways_before": [_way(way) for way in difference.before.ways],
    }


def _object(row: Known) -> dict[str, Any]:
    return {"id": str(row.id), "name": row.name, "detail": row.word}


def _way(way: Way) -> dict[str, Any]:
    return {
        "permission": {"id": str(way.permission.id), "name": way.permission.name},
        "actions": to_names(way.actions),
        "system_users": [
            {"id": str(system_user.id), "name": system_user.name, "protocol": system_user.word}
            for system_user in way.system_users
        ],
        "names_user": way.names_user,
        "user_groups": [{"id": str(group.id), "name": group.name} for group in way.user_groups],
        "names_target": way.names_target,
        "nodes": [{"id": str(node.id), "name": node.name} for node in way.nodes],
    }
