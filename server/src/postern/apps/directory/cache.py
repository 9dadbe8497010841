"""The list of the directory's people, as it was read last."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, TypeVar

from postern.apps.directory.models import DirectoryEntry
from postern.apps.directory.people import Person
from postern.foundation.database.write_transaction import write_transaction

_BATCH: Final = 500
_COLUMNS: Final = ("digest", "dn", "username", "username_key", "name", "email", "groups", "more", "is_enabled")
T = TypeVar("T")


def store(people: Mapping[str, Person]) -> dict[str, int]:
    """Make the table hold exactly these people, by uid. Rows that have not changed are not written."""
    known = dict(DirectoryEntry.objects.order_by().values_list("uid", "digest"))
    new = [person for uid, person in people.items() if known.get(uid) != person.digest]
    gone = [uid for uid in known if uid not in people]
    for batch in batches(new):
        with write_transaction():
            DirectoryEntry.objects.bulk_create(
                [_row(person) for person in batch],
                update_conflicts=True,
                unique_fields=["uid"],
                update_fields=_COLUMNS,
            )
    for uids in batches(gone):
        with write_transaction():
            DirectoryEntry.objects.filter(uid__in=uids).delete()
    return {"new_or_changed": len(new), "gone": len(gone)}


def batches(items: Iterable[T], size: int = _BATCH) -> Iterator[list[T]]:
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
