"""Serializes all writes of an organization's tree and assets, and records the changed rows.

See `TreeVersion`. A write calls `begin`, which locks the version row, before it reads anything that it relies on. It
calls `touch` for the rows that it changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.db import connection, transaction

from postern.apps.assets.tree.models import TreeChange, TreeChangeKind, TreeVersion
from postern.foundation.database.prepared import PreparedObjects
from postern.foundation.database.row_writes import change, insert


@dataclass(slots=True)
class TreeWrite:
    """A write in progress. It holds the lock of its organization until the transaction ends."""

    _row: TreeVersion
    _numbers: int = 0

    @property
    def org_id(self) -> UUID:
        return self._row.org_id

    @property
    def seq(self) -> int:
        return self._row.seq

    @property
    def dense_ids(self) -> range:
        """The numbers that `begin` reserved. No number is ever reused."""
        return range(self._row.next_dense_id - self._numbers, self._row.next_dense_id)

    def touch(self, kind: TreeChangeKind, object_ids: Iterable[UUID]) -> None:
        """Record that these rows changed."""
        insert(
            [
                TreeChange(org_id=self.org_id, seq=self.seq, kind=kind, object_id=object_id)
                for object_id in dict.fromkeys(object_ids)
            ]
        )


def begin(org_id: UUID, *, new_assets: int = 0) -> TreeWrite:
    """Lock the organization's version row, increment its version, and reserve numbers for new assets.

    Must run inside a transaction.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a write of the tree needs a transaction")
    row = _versions().first(org_id=org_id)
    if row is None:
        TreeVersion.objects.get_or_create(org_id=org_id)
        row = TreeVersion.objects.select_for_update().get(org_id=org_id)
    row.seq += 1
    row.next_dense_id += new_assets
    change([row], ("seq", "next_dense_id"))
    return TreeWrite(row, new_assets)


@cache
def _versions() -> PreparedObjects[TreeVersion]:
    return PreparedObjects(
        TreeVersion,
        lambda org_id: TreeVersion.objects.select_for_update().filter(org_id=org_id),
        stand_ins={"org_id": UUID(int=1)},
    )


def forget(org_id: UUID) -> None:
    """Delete the version row and the changes of an organization that is being deleted."""
    TreeChange.objects.filter(org_id=org_id).delete()
    TreeVersion.objects.filter(org_id=org_id).delete()
