"""Reads objects and links as they were at one instant, a few hundred ids at a time.

Small steps, each by an index: one joined query over the whole past takes seconds.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.perms.history.models import HistoryStart, LinkKind, ObjectKind, PastLink, PastObject

#: Ids of a query.
_AT_ONCE: Final = 1_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Known(NamedTuple):
    """An object as it was: the columns of `PastObject` in their order."""

    id: UUID
    org_id: UUID | None
    name: str
    word: str
    parent_id: UUID | None
    is_active: bool | None
    date_start: datetime | None
    date_expired: datetime | None
    actions: int | None


_COLUMNS: Final = ("object_id", *Known._fields[1:])


def known_since() -> datetime | None:
    """The instant from which the past is known; None before the first one is."""
    began = HistoryStart.objects.values_list("began", flat=True).first()
    return None if began is None else _EPOCH + began * _MICROSECOND


def was_ever_in(kind: ObjectKind, object_id: UUID, org_id: UUID) -> bool:
    """Whether the organization ever had the object; for a user, whether they ever were a member."""
    if kind is ObjectKind.USER:
        member = PastLink.objects.filter(kind=LinkKind.USER_IN_ORGANIZATION, left_id=object_id, right_id=org_id)
        return member.exists()
    return PastObject.objects.filter(kind=kind, object_id=object_id, org_id=org_id).exists()


def was_ever(kind: ObjectKind, object_id: UUID) -> bool:
    """Whether any organization ever had the object."""
    return PastObject.objects.filter(kind=kind, object_id=object_id).exists()


@dataclass(frozen=True, slots=True)
class Past:
    """Everything as it was at `instant` (microseconds since 1970). Dates of permissions and accounts are judged at `at`."""

    at: datetime
    instant: int

    @classmethod
    def of(cls, at: datetime) -> "Past":
        """As it was at `at`."""
        return cls(at, (at - _EPOCH) // _MICROSECOND)

    def object(self, kind: ObjectKind, object_id: UUID) -> Known | None:
        """The object, if it existed."""
        return self.objects(kind, [object_id]).get(object_id)

    def objects(self, kind: ObjectKind, ids: Collection[UUID]) -> dict[UUID, Known]:
        """Those of the objects that existed."""
        rows = self._true(PastObject.objects.filter(kind=kind))
        found: dict[UUID, Known] = {}
        for some in _in_sets(ids):
            for values in rows.filter(object_id__in=some).values_list(*_COLUMNS):
                found[values[0]] = Known(*values)
        return found

    def nodes(self, org_ids: Collection[UUID]) -> dict[UUID, Known]:
        """All nodes of organizations."""
        rows = self._true(PastObject.objects.filter(kind=ObjectKind.NODE, org_id__in=org_ids))
        return {values[0]: Known(*values) for values in rows.values_list(*_COLUMNS)}

    def with_above(self, node_ids: Iterable[UUID]) -> dict[UUID, Known]:
        """The nodes and all nodes above them: one query for each level."""
        found: dict[UUID, Known] = {}
        wanted = set(node_ids)
        while wanted:
            level = self.objects(ObjectKind.NODE, wanted)
            found |= level
            wanted = {node.parent_id for node in level.values() if node.parent_id is not None} - found.keys()
        return found

    def rights(self, kind: LinkKind, lefts: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """The links of these lefts, as (left, right)."""
        rows = self._true(PastLink.objects.filter(kind=kind))
        return [
            pair
            for some in _in_sets(lefts)
            for pair in rows.filter(left_id__in=some).values_list("left_id", "right_id").distinct()
        ]

    def lefts(self, kind: LinkKind, rights: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """The links of these rights, as (left, right)."""
        rows = self._true(PastLink.objects.filter(kind=kind))
        return [
            pair
            for some in _in_sets(rights)
            for pair in rows.filter(right_id__in=some).values_list("left_id", "right_id").distinct()
        ]

    def words(self, kind: LinkKind, lefts: Collection[UUID]) -> dict[UUID, set[str]]:
        """The words of these lefts."""
        rows = self._true(PastLink.objects.filter(kind=kind))
        found: dict[UUID, set[str]] = {}
        for some in _in_sets(lefts):
            for left, word in rows.filter(left_id__in=some).values_list("left_id", "word"):
                found.setdefault(left, set()).add(word)
        return found

    def _true(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.filter(since__lte=self.instant, until__gt=self.instant).order_by()


def _in_sets(ids: Collection[UUID]) -> Iterator[list[UUID]]:
    listed = list(ids)
    for first in range(0, len(listed), _AT_ONCE):
        yield listed[first : first + _AT_ONCE]
