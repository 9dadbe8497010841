"""One order for all writes of an organization's tree and assets: the version row, locked first, and what was touched.

See `docs` of `TreeVersion`. A write calls `begin` before it reads anything that it relies on, and `touch` for what it changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction

from postern.apps.assets.models import TreeChange, TreeChangeKind, TreeVersion


@dataclass(slots=True)
class TreeWrite:
    """A write in progress. It holds the lock of its organization until the transaction ends."""

    _row: TreeVersion

    @property
    def org_id(self) -> UUID:
        return self._row.org_id

    @property
    def seq(self) -> int:
        return self._row.seq

    def take_dense_ids(self, count: int) -> range:
        """Numbers for new assets, never given before."""
        first = self._row.next_dense_id
        self._row.next_dense_id += count
        self._row.save(update_fields=["next_dense_id"])
        return range(first, first + count)

    def touch(self, kind: TreeChangeKind, object_ids: Iterable[UUID]) -> None:
        """Say that these rows changed."""
        TreeChange.objects.bulk_create(
            [
                TreeChange(org_id=self.org_id, seq=self.seq, kind=kind, object_id=object_id)
                for object_id in dict.fromkeys(object_ids)
            ],
            batch_size=500,
        )


def begin(org_id: UUID) -> TreeWrite:
    """Lock the organization's version row and count one up. Must run inside a transaction."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a write of the tree needs a transaction")
    row = TreeVersion.objects.select_for_update().filter(org_id=org_id).first()
    if row is None:
        TreeVersion.objects.get_or_create(org_id=org_id)
        row = TreeVersion.objects.select_for_update().get(org_id=org_id)
    row.seq += 1
    row.save(update_fields=["seq"])
    return TreeWrite(row)


def forget(org_id: UUID) -> None:
    """Drop the record of an organization that ends."""
    TreeChange.objects.filter(org_id=org_id).delete()
    TreeVersion.objects.filter(org_id=org_id).delete()
