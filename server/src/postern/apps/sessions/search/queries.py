"""The search: the index names candidates, the rights of the caller choose among them, and their text decides.

What a caller may not see is neither counted nor skipped. Work is bounded: a page looks at `_MOST_EXAMINED` pieces at most,
and continues from there with the next request.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.sessions.search import keys
from postern.apps.sessions.search.candidates import next_keys
from postern.apps.sessions.search.hits import Hit, hits_in
from postern.apps.sessions.search.keys import Range
from postern.apps.sessions.search.models import RecordingIndex, RecordingPiece
from postern.apps.sessions.search.places import Place
from postern.contracts.search import marks
from postern.contracts.search.lines import LineKind
from postern.contracts.search.pieces import PieceDamaged, may_have, unpack

Rows = QuerySet[Any]

#: Pieces of which a page reads the text.
_MOST_EXAMINED: Final = 200
_FETCHED_AT_ONCE: Final = 50
#: Recordings are counted up to this number.
MOST_COUNTED: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for. `sought` is folded. `org_id`: None for all organizations."""

    sought: str
    limit: int
    kind: LineKind | None = None
    begin: Place | None = None
    org_id: UUID | None = None
    user_id: UUID | None = None
    asset_id: UUID | None = None
    session_id: UUID | None = None
    date_from: datetime | None = None
    date_to: datetime | None = None

    @property
    def condition(self) -> Q:
        """The condition on sessions."""
        condition = Q()
        if self.user_id is not None:
            condition &= Q(user_id=self.user_id)
        if self.asset_id is not None:
            condition &= Q(asset_id=self.asset_id)
        if self.session_id is not None:
            condition &= Q(id=self.session_id)
        if self.date_from is not None:
            condition &= Q(date_start__gte=self.date_from)
        if self.date_to is not None:
            condition &= Q(date_start__lte=self.date_to)
        return condition

    @property
    def marks(self) -> list[str]:
        """The marks that the pieces have."""
        given = (
            self.kind and marks.kind(self.kind[0]),
            self.asset_id and marks.asset(self.asset_id),
            self.user_id and marks.user(self.user_id),
            self.org_id and marks.organization(self.org_id),
        )
        return [mark for mark in given if mark]

    def keys(self) -> Range | None:
        """Where the pieces are; None when there are none."""
        within = keys.of_dates(self.date_from, self.date_to)
        if self.begin is not None:
            within = within.within(Range(self.begin.key, keys.EVERYTHING.end))
        if self.session_id is None:
            return within
        place = RecordingIndex.objects.filter(pk=self.session_id).values_list("place", flat=True).first()
        return None if place is None else within.within(keys.of_recording(place))


class Found(NamedTuple):
    """A hit with its place and the id of its session."""

    place: Place
    session_id: UUID
    hit: Hit


class Page(NamedTuple):
    """Hits, and the place at which the next page begins; None after the last one."""

    found: list[Found]
    next: Place | None


class States(NamedTuple):
    """How many recordings are not indexed yet, could not be indexed, and are indexed in part. `MOST_COUNTED` at most."""

    waiting: int
    failed: int
    incomplete: int


class _Candidate(NamedTuple):
    key: int
    session_id: UUID


def find(visible: Rows, search: Search) -> Page:
    """The next hits in the sessions `visible`."""
    candidates = _candidates(visible, search)
    examined = candidates[:_MOST_EXAMINED]
    found: list[Found] = []
    for start in range(0, len(examined), _FETCHED_AT_ONCE):
        for each in _hits(examined[start : start + _FETCHED_AT_ONCE], search):
            if len(found) == search.limit:
                return Page(found, each.place)
            found.append(each)
    rest = candidates[_MOST_EXAMINED:]
    return Page(found, Place(rest[0].key, 0) if rest else None)


def _hits(candidates: list[_Candidate], search: Search) -> Iterator[Found]:
    rows = RecordingPiece.objects.filter(pk__in=[candidate.key for candidate in candidates])
    packed = dict(rows.values_list("pk", "lines"))
    for key, session_id in candidates:
        lines = bytes(packed.get(key, b""))
        try:
            if not may_have(lines, search.sought):
                continue
            begin = search.begin
            first = begin.line if begin is not None and begin.key == key else 0
            for hit in hits_in(unpack(lines), search.sought, search.kind, first):
                yield Found(Place(key, hit.number), session_id, hit)
        except PieceDamaged:
            continue


def _candidates(visible: Rows, search: Search) -> list[_Candidate]:
    """The pieces that may have the text, in the order of hits; one more than a page examines."""
    within, most = search.keys(), _MOST_EXAMINED + 1
    found: list[_Candidate] = []
    while within is not None and within.start < within.end and len(found) < most:
        chosen = next_keys(search.sought, search.marks, within, most)
        sessions_of = dict(usable(visible, search, chosen).values_list("pk", "index_id"))
        found += [_Candidate(key, sessions_of[key]) for key in chosen if key in sessions_of]
        if len(chosen) < most:
            break
        # The other pieces of a recording that cannot be used are not even looked at.
        last = chosen[-1]
        start = last + 1 if last in sessions_of else keys.recording_of(last).end
        within = within.within(Range(start, within.end))
    return found[:most]


def usable(visible: Rows, search: Search, chosen: list[int]) -> Rows:
    """The pieces with these keys that are in the index of a session of `visible` that is searched."""
    # Asked for each session by its id: otherwise SQLite reads all sessions of the organization.
    sessions = visible.filter(search.condition, pk=OuterRef("index"), search_index__date_indexed__isnull=False)
    return RecordingPiece.objects.filter(Exists(sessions), pk__in=chosen).order_by()


def states(visible: Rows, search: Search) -> States:
    """How far the recordings of the sessions `visible` are indexed; only of the session that is searched, if it is one."""
    rows = RecordingIndex.objects.filter(Exists(visible.filter(pk=OuterRef("pk")))).order_by()
    if search.org_id is not None:
        rows = rows.filter(org_id=search.org_id)
    if search.session_id is not None:
        rows = rows.filter(pk=search.session_id)

    def count(condition: Q) -> int:
        return int(rows.filter(condition)[:MOST_COUNTED].count())

    return States(
        waiting=count(Q(date_indexed__isnull=True, reason__isnull=True)),
        failed=count(Q(date_indexed__isnull=True, reason__isnull=False)),
        incomplete=count(Q(date_indexed__isnull=False, is_whole=False)),
    )
