"""The index of grams: which pieces may have a text, in the order of hits.

The marks of the organization and of the other conditions are in the same index. So a search in a small organization reads
nothing of a large one, and a rare text costs the same in every organization.
"""

from collections.abc import Sequence
from typing import Any, Final

from django.db import connection

from postern.apps.sessions.search.keys import Range
from postern.contracts.search.folding import grams_of, number_of, numbers_of

#: Candidates up to which PostgreSQL sorts them. With more of them it reads the pieces in their order.
_FEW: Final = 2_500
_BY_GRAMS: Final = "SELECT id FROM sessions_recordingpiece WHERE grams @> %s::integer[] AND id >= %s AND id < %s"
#: Planned for all rows, so that a rare text is not looked for by reading all pieces in the hope to find it soon.
_SOME: Final = f"WITH chosen AS MATERIALIZED ({_BY_GRAMS}) SELECT id FROM chosen LIMIT %s"  # noqa: S608 - our statement


def next_keys(sought: str, marks: Sequence[str], within: Range, most: int) -> list[int]:
    """The first keys of pieces that have all grams of the folded text and all marks. At most `most`."""
    if not marks and not grams_of(sought):
        statement = "SELECT id FROM sessions_recordingpiece WHERE id >= %s AND id < %s ORDER BY id LIMIT %s"
        return _read(statement, [*within, most])
    if connection.vendor == "postgresql":
        return _from_numbers([*numbers_of(sought), *map(number_of, marks)], within, most)
    # The rarest come first: the others only confirm them.
    phrases = " AND ".join('"' + gram.replace('"', '""') + '"' for gram in (*grams_of(sought), *marks))
    statement = (
        "SELECT rowid FROM sessions_recordinggrams WHERE sessions_recordinggrams MATCH %s "
        "AND rowid >= %s AND rowid < %s ORDER BY rowid LIMIT %s"
    )
    return _read(statement, [phrases, *within, most])


def _from_numbers(numbers: list[int], within: Range, most: int) -> list[int]:
    keys = _read(_SOME, [numbers, *within, _FEW + 1])
    if len(keys) > _FEW:
        return _read(f"{_BY_GRAMS} ORDER BY id LIMIT %s", [numbers, *within, most])
    return sorted(keys)[:most]


def _read(statement: str, values: list[Any]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [int(key) for (key,) in cursor.fetchall()]
