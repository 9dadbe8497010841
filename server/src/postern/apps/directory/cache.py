"""The table of the directory's people at the last reading."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

from django.db.models import Model, QuerySet

from postern.apps.directory.models import DirectoryEntry
from postern.apps.directory.people import Person
from postern.apps.directory.staging import BATCH, Staged
from postern.foundation.database.write_transaction import write_transaction

_COLUMNS: Final = ("digest", "dn", "username", "username_key", "name", "email", "groups", "more", "is_enabled")
T = TypeVar("T")
M = TypeVar("M", bound=Model)


def store(people: Staged, *, still_ours: Callable[[], bool]) -> dict[str, int]:
    """Replace the content of the table with these people, batch by batch. Unchanged rows are not written.

    `still_ours`: returns False when another worker has taken over; that worker then does the rest.
    """
    return {
        "new_or_changed": sum(_store_batch(batch) for batch in people.batches() if still_ours()),
        "gone": sum(
            _delete_missing(batch, people) for batch in row_batches(DirectoryEntry.objects.all()) if still_ours()
        ),
    }


def _store_batch(people: list[Person]) -> int:
    uids = [person.uid for person in people]
    stored_digests = dict(DirectoryEntry.objects.filter(uid__in=uids).order_by().values_list("uid", "digest"))
    changed_people = [person for person in people if stored_digests.get(person.uid) != person.digest]
    if changed_people:
        with write_transaction():
            DirectoryEntry.objects.bulk_create(
                [_row(person) for person in changed_people],
                update_conflicts=True,
                unique_fields=["uid"],
                update_fields=_COLUMNS,
            )
    return len(changed_people)


def _delete_missing(rows: list[DirectoryEntry], people: Staged) -> int:
    present = people.with_ids(row.uid for row in rows)
    row_ids = [row.pk for row in rows if row.uid not in present]
    if row_ids:
        with write_transaction():
            DirectoryEntry.objects.filter(pk__in=row_ids).delete()
    return len(row_ids)


def row_batches(rows: "QuerySet[M]") -> Iterator[list[M]]:
    """The rows in batches. Each batch is read on demand, so the caller can write rows between batches."""
    batch = list(rows.order_by("pk")[:BATCH])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1].pk).order_by("pk")[:BATCH])


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _row(person: Person) -> DirectoryEntry:
    return DirectoryEntry(
        uid=person.uid,
        digest=person.digest,
        dn=person.dn,
        username=person.username,
        username_key=person.username_key[:160],
        name=person.name,
        email=person.email,
        groups=list(person.groups),
        more=dict(person.more),
        is_enabled=person.is_enabled,
    )
