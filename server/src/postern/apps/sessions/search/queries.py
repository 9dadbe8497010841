"""The search: the index names candidates among the sessions that the caller may see, and their text decides.

Sessions come first in the query, so what a caller may not see is neither counted nor skipped. Work is bounded: a page
looks at `_MOST_EXAMINED` pieces at most, and continues from there with the next request.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL

from postern.apps.sessions.search.hits import Hit, hits_in
from postern.apps.sessions.search.models import MOST_TRIES, RecordingIndex, RecordingPiece
from postern.apps.sessions.search.places import Place
from postern.contracts.search.folding import grams_of, numbers_of
from postern.contracts.search.lines import LineKind
from postern.contracts.search.pieces import PieceDamaged, may_have, unpack

Rows = QuerySet[Any]

#: Pieces of which a page reads the text.
_MOST_EXAMINED: Final = 200
_FETCHED_AT_ONCE: Final = 50
#: Candidates up to which sorting them is cheaper than walking through the sessions in their order.
_FEW: Final = 1_000
_NUMBER: Final = "search_index__pieces__number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for. `sought` is folded."""

    sought: str
    limit: int
    kind: LineKind | None = None
    begin: Place | None = None


class Found(NamedTuple):
    """A hit with the id of its session and its place."""

    place: Place
    hit: Hit


class Page(NamedTuple):
    """Hits, and the place at which the next page begins; None after the last one."""

    found: list[Found]
    next: Place | None


class _Candidate(NamedTuple):
    place: Place
    key: int


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
    return Page(found, rest[0].place if rest else None)


def _hits(candidates: list[_Candidate], search: Search) -> Iterator[Found]:
    rows = RecordingPiece.objects.filter(pk__in=[candidate.key for candidate in candidates])
    packed = dict(rows.values_list("pk", "lines"))
    for place, key in candidates:
        lines = bytes(packed.get(key, b""))
        try:
            if not may_have(lines, search.sought):
                continue
            begin = search.begin
            is_begun = begin is not None and (place.session_id, place.piece) == (begin.session_id, begin.piece)
            first = begin.line if begin is not None and is_begun else 0
            for hit in hits_in(unpack(lines), search.sought, search.kind, first):
                yield Found(place._replace(line=hit.number), hit)
        except PieceDamaged:
            continue


def _candidates(visible: Rows, search: Search) -> list[_Candidate]:
    """The pieces that may have the text, in the order of hits; one more than a page examines."""
    rows = visible.filter(search_index__date_indexed__isnull=False)
    condition = Q(search_index__pieces__isnull=False)
    if search.kind is not None:
        condition &= Q(search_index__pieces__kinds__contains=search.kind[0])
    if search.begin is not None:
        condition &= _not_before(search.begin)
    keys = _few_keys(search.sought)
    if keys is not None:
        condition &= Q(search_index__pieces__id__in=keys)
    rows = rows.filter(condition).order_by()
    if keys is None and (grams := _with_grams(search.sought)) is not None:
        # With many candidates the sessions lead: the primary key in an expression has no index.
        rows = rows.alias(piece_key=F("search_index__pieces__id") + 0).filter(piece_key__in=grams)
    if keys is None:
        rows = rows.order_by("-date_start", "id", _NUMBER)[: _MOST_EXAMINED + 1]
    places = rows.values_list("date_start", "id", _NUMBER, "search_index__pieces__id")
    candidates = [
        _Candidate(Place(date_start, session_id, number, 0), key) for date_start, session_id, number, key in places
    ]
    if keys is not None:  # sorted here: a database that sorts may begin with all sessions, for their order
        candidates.sort(key=lambda each: each.place[1:3])
        candidates.sort(key=lambda each: each.place.date_start, reverse=True)
    return candidates[: _MOST_EXAMINED + 1]


def _not_before(place: Place) -> Q:
    """From this piece on: the rest of its lines may have hits."""
    later = Q(id__gt=place.session_id) | Q(id=place.session_id, search_index__pieces__number__gte=place.piece)
    return Q(date_start__lt=place.date_start) | (Q(date_start=place.date_start) & later)


def _with_grams(sought: str) -> RawSQL | None:
    """The keys of the pieces that have all grams of a text; None if it is too short for grams."""
    query = _gram_query(sought)
    return None if query is None else RawSQL(*query)  # noqa: S611 - statements of this module


def _gram_query(sought: str) -> tuple[str, list[Any]] | None:
    grams = grams_of(sought)
    if not grams:
        return None
    if connection.vendor == "postgresql":
        return "SELECT id FROM sessions_recordingpiece WHERE grams @> %s::integer[]", [numbers_of(sought)]
    phrases = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in grams)
    return "SELECT rowid FROM sessions_recordinggrams WHERE sessions_recordinggrams MATCH %s", [phrases]


def _few_keys(sought: str) -> list[int] | None:
    """The keys of the candidates of all organizations if there are few, so that they can lead the query."""
    query = _gram_query(sought)
    if query is None:
        return None
    statement, values = query
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} LIMIT {_FEW + 1}", values)
        keys = [int(key) for (key,) in cursor.fetchall()]
    return keys if len(keys) <= _FEW else None


def states(visible: Rows) -> tuple[int, int]:
    """How many recordings of the sessions `visible` wait for the index, and how many could not be indexed."""
    rows = RecordingIndex.objects.filter(date_indexed__isnull=True, session__in=visible.order_by())
    waiting = rows.filter(tries__lt=MOST_TRIES).count()
    return waiting, rows.filter(tries__gte=MOST_TRIES).count()
