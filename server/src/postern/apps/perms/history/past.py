"""Reads objects and links as they were at one instant, a few hundred ids at a time.

Small steps, each by an index: one joined query over the whole past takes seconds.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.perms.history.models import HistoryStart, LinkKind, ObjectKind, PastLink, PastObject
from postern.foundation.database.prepared_keys import TuplesByKey
from postern.foundation.database.stored_ids import Ids, Stored, instant, stored_ids

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
#: These columns as the database represents them.
StoredRow = tuple[Any, ...]


def known_since() -> datetime | None:
    """The instant from which the past is known; None while nothing is recorded."""
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
    ids: Ids = field(default_factory=Ids, compare=False, repr=False)

    @classmethod
    def of(cls, at: datetime) -> "Past":
        """As it was at `at`."""
        return cls(at, (at - _EPOCH) // _MICROSECOND)

    def object(self, kind: ObjectKind, object_id: UUID) -> Known | None:
        """The object, if it existed."""
        return self.objects(kind, [object_id]).get(object_id)

    def objects(self, kind: ObjectKind, ids: Collection[UUID]) -> dict[UUID, Known]:
        """Those of the objects that existed."""
        return {row.id: row for row in map(self.known, self.stored_objects(kind, stored_ids(ids)).values())}

    def stored_objects(self, kind: ObjectKind, ids: Collection[Stored]) -> dict[Stored, StoredRow]:
        """The same, as the database represents them: `known` makes an object of a row."""
        return {row[0]: row for row in _objects().stored(list(ids), kind=kind.value, instant=self.instant)}

    def stored_parents(self, org_ids: Collection[UUID]) -> dict[Stored, Stored | None]:
        """All nodes of organizations, with the nodes above them."""
        return dict(_nodes().stored(stored_ids(org_ids), kind=ObjectKind.NODE.value, instant=self.instant))

    def with_above(self, node_ids: Iterable[UUID]) -> dict[UUID, Known]:
        """The nodes and all nodes above them: one query for each level."""
        nodes: dict[UUID, Known] = {}
        wanted = set(node_ids)
        while wanted:
            level = self.objects(ObjectKind.NODE, wanted)
            nodes |= level
            wanted = {node.parent_id for node in level.values() if node.parent_id is not None} - nodes.keys()
        return nodes

    def rights(self, kind: LinkKind, lefts: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """The links of these lefts, as (left, right)."""
        return self._pairs(self.stored_rights(kind, lefts))

    def lefts(self, kind: LinkKind, rights: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """The links of these rights, as (left, right)."""
        return self._pairs(self.stored_lefts(kind, rights))

    def _pairs(self, stored: Iterable[tuple[Stored, Stored]]) -> list[tuple[UUID, UUID]]:
        return [(self.ids.of(left), self.ids.of(right)) for left, right in dict.fromkeys(stored)]

    def stored_rights(self, kind: LinkKind, lefts: Collection[UUID]) -> Iterator[tuple[Stored, Stored]]:
        """The same as `rights`, with ids as the database represents them. A link may come twice."""
        yield from _of_lefts().stored(stored_ids(lefts), kind=kind.value, instant=self.instant)

    def stored_lefts(self, kind: LinkKind, rights: Collection[UUID]) -> Iterator[tuple[Stored, Stored]]:
        """The same as `lefts`, with ids as the database represents them. A link may come twice."""
        return self.lefts_of_stored(kind, stored_ids(rights))

    def lefts_of_stored(self, kind: LinkKind, rights: Collection[Stored]) -> Iterator[tuple[Stored, Stored]]:
        """The same as `stored_lefts`, of ids as the database represents them."""
        yield from _of_rights().stored(list(rights), kind=kind.value, instant=self.instant)

    def stored_words(self, kind: LinkKind, lefts: Collection[Stored]) -> dict[Stored, frozenset[str]]:
        """The words of these lefts. Lefts with the same words share one set."""
        words_by_left: dict[Stored, frozenset[str]] = {}
        joined: dict[tuple[frozenset[str] | None, str], frozenset[str]] = {}
        for left, word in _words().stored(list(lefts), kind=kind.value, instant=self.instant):
            case = (words_by_left.get(left), word)
            words = joined.get(case)
            if words is None:
                words = joined[case] = (case[0] or frozenset()) | {word}
            words_by_left[left] = words
        return words_by_left

    def known(self, row: StoredRow) -> Known:
        """The object of a row."""
        key, org_id, name, word, parent_id, is_active, start, end, actions = row
        parsed = self.ids.of
        return Known(
            parsed(key),
            None if org_id is None else parsed(org_id),
            name,
            word,
            None if parent_id is None else parsed(parent_id),
            is_active,
            None if start is None else instant(start),
            None if end is None else instant(end),
            actions,
        )


#: Placeholders of a kind and of an instant.
_MOMENT: Final = {"kind": 31_007, "instant": 1_999}


def _true(rows: QuerySet[Any], instant: int) -> QuerySet[Any]:
    return rows.filter(since__lte=instant, until__gt=instant).order_by()


@cache
def _objects() -> TuplesByKey:
    def build(keys: list[Any], kind: int, instant: int) -> QuerySet[Any]:
        return _true(PastObject.objects.filter(kind=kind, object_id__in=keys), instant)

    return TuplesByKey(build, _COLUMNS, more=_MOMENT)


@cache
def _nodes() -> TuplesByKey:
    def build(keys: list[Any], kind: int, instant: int) -> QuerySet[Any]:
        return _true(PastObject.objects.filter(kind=kind, org_id__in=keys), instant)

    return TuplesByKey(build, ("object_id", "parent_id"), more=_MOMENT)


@cache
def _of_lefts() -> TuplesByKey:
    def build(keys: list[Any], kind: int, instant: int) -> QuerySet[Any]:
        return _true(PastLink.objects.filter(kind=kind, left_id__in=keys), instant)

    return TuplesByKey(build, ("left_id", "right_id"), more=_MOMENT)


@cache
def _of_rights() -> TuplesByKey:
    def build(keys: list[Any], kind: int, instant: int) -> QuerySet[Any]:
        return _true(PastLink.objects.filter(kind=kind, right_id__in=keys), instant)

    return TuplesByKey(build, ("left_id", "right_id"), more=_MOMENT)


@cache
def _words() -> TuplesByKey:
    def build(keys: list[Any], kind: int, instant: int) -> QuerySet[Any]:
        return _true(PastLink.objects.filter(kind=kind, left_id__in=keys), instant)

    return TuplesByKey(build, ("left_id", "word"), more=_MOMENT)
