"""Accounts that follow from nodes: a system user that is bound to a node has an account on every asset below it.

The rows are stored, because an account has an id, a result and possibly a secret (docs/decisions/0043). The worker
compares them with the tree after each change, in batches that hold their locks for a short time only. A batch reads
what is true when it runs, so a run that is repeated, interrupted or overtaken does no harm.
"""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from postern.apps.assets.models import Asset, AssetNode, NodePath, TreeVersion
from postern.apps.audits import facade as audits
from postern.apps.vault.system_users.models import (
    AccountVersion,
    NodeUpkeep,
    SystemUser,
    SystemUserAsset,
    SystemUserNode,
)
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction

#: Accounts that one transaction adds or removes.
BATCH: Final = 500


def due() -> list[UUID]:
    """Organizations whose bindings or tree changed since their accounts were compared with them."""
    tree = Subquery(TreeVersion.objects.filter(org_id=OuterRef("org_id")).values("seq")[:1])
    rows = NodeUpkeep.objects.annotate(tree=Coalesce(tree, 0))
    changed = ~Q(done_bindings=F("bindings")) | ~Q(done_tree=F("tree"))
    return list(rows.filter(changed).order_by("org_id").values_list("org_id", flat=True))


def keep_up() -> int:
    """Add and remove the accounts of every organization that is due. Returns the number of rows."""
    return sum(compare(org_id) for org_id in due())


def compare(org_id: UUID) -> int:
    """Add and remove the accounts of one organization that follow from nodes. Returns the number of rows."""
    # Read before the comparison: a change that comes in between is compared in the next run.
    upkeep = NodeUpkeep.objects.filter(org_id=org_id).first()
    if upkeep is None:
        return 0
    tree = TreeVersion.objects.filter(org_id=org_id).values_list("seq", flat=True).first() or 0
    count = 0
    for system_user in SystemUser.objects.filter(org_id=org_id, pk__in=_bound()).order_by("pk"):
        count += sum(_add(system_user, assets) for assets in _missing(system_user))
    while removed := _remove(org_id):
        count += removed
    NodeUpkeep.objects.filter(org_id=org_id).update(done_bindings=upkeep.bindings, done_tree=tree)
    return count


def _bound() -> "QuerySet[SystemUserNode, UUID]":
    return SystemUserNode.objects.values_list("systemuser_id", flat=True)


def _wanted(system_user: SystemUser) -> "QuerySet[Asset]":
    """Assets below the nodes of the system user, on which it has no account yet."""
    nodes = NodePath.objects.filter(ancestor_id__in=system_user.node_rows.values("node_id")).values("descendant_id")
    there = SystemUserAsset.objects.filter(systemuser=system_user, asset_id=OuterRef("pk"), username="")
    places = AssetNode.objects.filter(asset_id=OuterRef("pk"), node_id__in=nodes)
    rows: QuerySet[Asset] = Asset.objects.filter(~Exists(there), Exists(places), org_id=system_user.org_id)
    return rows


def _missing(system_user: SystemUser) -> Iterator[Sequence[UUID]]:
    """Ids of the assets on which accounts are missing, in batches in the order of hostnames."""
    after = ""
    while True:
        rows = _wanted(system_user).filter(hostname__gt=after).order_by("hostname")
        batch = list(rows.values_list("pk", "hostname")[:BATCH])
        if not batch:
            return
        yield [asset_id for asset_id, _hostname in batch]
        after = batch[-1][1]


def _add(system_user: SystemUser, asset_ids: Sequence[UUID]) -> int:
    with write_transaction():
        row_locks.share(SystemUser, [system_user.pk])
        row_locks.share(Asset, asset_ids)
        if not row_locks.still_there(SystemUser, [system_user.pk]):
            return 0
        # Asked again: while the locks were waited for, an asset may have moved, or its account been added.
        rows = _wanted(system_user).filter(pk__in=asset_ids).order_by("hostname")
        accounts = [
            SystemUserAsset(
                org_id=system_user.org_id,
                asset_id=asset_id,
                systemuser=system_user,
                is_direct=False,
                created_by=SYSTEM.label,
            )
            for asset_id in rows.values_list("pk", flat=True)
        ]
        # An account that is added at this moment wins.
        SystemUserAsset.objects.bulk_create(accounts, ignore_conflicts=True)
        if accounts:
            audits.record_change(
                actor=SYSTEM,
                action="update",
                event=audits.Event.SYSTEMUSER_ACCOUNTS_ADDED,
                target=system_user,
                new={"accounts": len(accounts)},
            )
    return len(accounts)


def _remove(org_id: UUID) -> int:
    """Remove accounts that no node asks for any more. An account that somebody added, or that has or had a secret of its own,
    stays.
    """
    with write_transaction():
        rows = _left_over(org_id)
        keys = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
        if not keys:
            return 0
        row_locks.lock(SystemUserAsset, keys, deleting=True)
        gone = list(rows.filter(pk__in=keys).values_list("pk", "systemuser_id"))
        SystemUserAsset.objects.filter(pk__in=[key for key, _system_user in gone]).delete()
        counts: dict[UUID, int] = {}
        for _key, system_user_id in gone:
            counts[system_user_id] = counts.get(system_user_id, 0) + 1
        system_users = SystemUser.objects.filter(pk__in=counts).order_by("pk")
        audits.record_changes(
            actor=SYSTEM,
            action="update",
            event=audits.Event.SYSTEMUSER_ACCOUNTS_REMOVED,
            changes=[
                audits.Change(system_user, old={"accounts": counts[system_user.pk]}) for system_user in system_users
            ],
        )
    return len(gone)


def _left_over(org_id: UUID) -> "QuerySet[SystemUserAsset]":
    bound = SystemUserNode.objects.filter(
        systemuser_id=OuterRef("systemuser_id"), node__paths_down__descendant__asset_rows__asset_id=OuterRef("asset_id")
    )
    versions = AccountVersion.objects.filter(account_id=OuterRef("pk"))
    rows: QuerySet[SystemUserAsset] = SystemUserAsset.objects.filter(
        ~Exists(bound), ~Exists(versions), org_id=org_id, is_direct=False
    )
    return rows
