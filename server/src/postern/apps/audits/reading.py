"""Reads a chain whose rows may be damaged: an event that cannot be read does not hide those behind it."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.db import DatabaseError, DataError, InterfaceError, OperationalError

from postern.apps.audits.models import AuditEvent

_AT_ONCE: Final = 1_000
#: What columns with impossible contents raise: text that is no JSON or UTF-8, instants that no clock shows.
UNREADABLE: Final = (ValueError, TypeError, AttributeError, OverflowError, RecursionError, DataError)


def events(org_id: UUID, behind: int, last: int) -> Iterator[tuple[int, AuditEvent | None]]:
    """The events of a chain behind one position up to another, each with its position, in constant memory.

    None stands for an event that cannot be read.
    """
    place = behind
    while place < last:
        rows = AuditEvent.objects.filter(org_id=org_id, sequence__gt=place, sequence__lte=last).order_by("sequence")
        some: list[tuple[int, AuditEvent | None]]
        try:
            some = [(event.sequence, event) for event in rows[:_AT_ONCE]]
        except (*UNREADABLE, OperationalError) as error:
            if not is_of_row(error):
                raise
            numbers = list(rows.values_list("sequence", flat=True)[:_AT_ONCE])
            some = [(number, _event(org_id, number)) for number in numbers]
        if not some:
            return
        yield from some
        place = some[-1][0]


def _event(org_id: UUID, sequence: int) -> AuditEvent | None:
    try:
        return AuditEvent.objects.get(org_id=org_id, sequence=sequence)
    except (*UNREADABLE, OperationalError) as error:
        if not is_of_row(error):
            raise
        return None


def is_of_row(error: Exception) -> bool:
    """Whether the contents of a row provoked the error, and not the state of the database.

    SQLite reports text that is no UTF-8 as an operational error.
    """
    return isinstance(error, UNREADABLE) or (isinstance(error, OperationalError) and "UTF-8" in str(error))


def is_of_database(error: Exception) -> bool:
    """Whether the state of the database provoked the error: it is locked, gone, or in a failed transaction."""
    return isinstance(error, DatabaseError | InterfaceError) and not is_of_row(error)
