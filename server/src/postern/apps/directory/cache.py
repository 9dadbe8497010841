"""The list of the directory's people, as it was read last."""

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
    """Make the table hold exactly these people, batch by batch. Rows that have not changed are not written.

    `still_ours`: False when another worker has taken over; then the rest is left to it.
    """
    return {
        "new_or_changed": sum(_store_batch(batch) for batch in people.batches() if still_ours()),
        "gone": sum(_drop_gone(batch, people) for batch in row_batches(DirectoryEntry.objects.all()) if still_ours()),
    }


def _store_batch(people: list[Person]) -> int:
    uids = [person.uid for person in people]
    known = dict(DirectoryEntry.objects.filter(uid__in=uids).order_by().values_list("uid", "digest"))
    new = [person for person in people if known.get(person.uid) != person.digest]
    if new:
        with write_transaction():
            DirectoryEntry.objects.bulk_create(
                [_row(person) for person in new],
                update_conflicts=True,
                unique_fields=["uid"],
                update_fields=_COLUMNS,
            )
    return len(new)


def _drop_gone(rows: list[DirectoryEntry], people: Staged) -> int:
    there = people.with_ids(row.uid for row in rows)
    gone = [row.pk for row in rows if row.uid not in there]
    if gone:
        with write_transaction():
            DirectoryEntry.objects.filter(pk__in=gone).delete()
    return len(gone)


def row_batches(rows: "QuerySet[M]") -> Iterator[list[M]]:
    """The rows in lists of at most a batch, each read when it is wanted, so that rows may be written meanwhile."""
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
