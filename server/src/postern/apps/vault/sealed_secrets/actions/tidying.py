"""Removal of what moved, replaced and rolled back secrets leave behind: local copies, and unused paths in Vault.

A path of the key-value engine is noted when a listing shows it and no row names it. It is removed when it is still
unused after the grace time. So a secret whose transaction is still running is never removed, and a database that is
restored from a backup of these days still finds its secrets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.vault.sealed_secrets import providers
from postern.apps.vault.sealed_secrets.models import SealedSecret, UnusedPath
from postern.apps.vault.sealed_secrets.stored import NO_LOCAL_KEY
from postern.foundation.caller.actor import Actor
from postern.foundation.configuration.secret_store import SecretStore
from postern.kernel.clock import now
from postern.kernel.ids import ROOT_ORG_ID

GRACE: Final = timedelta(days=7)
#: No transaction takes this long.
LEAST_GRACE: Final = timedelta(minutes=10)
_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class TidyReport:
    """Removed local copies, removed paths, and paths that are noted for later."""

    copies: int
    removed: int
    waiting: int


def tidy(*, actor: Actor, grace: timedelta = GRACE) -> TidyReport:
    """Remove what has been unused for the grace time (at least `LEAST_GRACE`). Can be repeated after a crash.

    Raises PosternError with status 503 while Vault cannot be used; local copies are removed even then.
    """
    before = now() - max(grace, LEAST_GRACE)
    copies = 0
    while count := _forget_copies(before, actor=actor):
        copies += count
    removed = waiting = 0
    if providers.is_configured():
        _note_unused(_paths_in_vault())
        removed = _remove_unused(before, actor=actor)
        waiting = UnusedPath.objects.count()
    return TidyReport(copies=copies, removed=removed, waiting=waiting)


@transaction.atomic
def _forget_copies(before: datetime, *, actor: Actor) -> int:
    """Clear the local copies of one batch of secrets that lie in Vault."""
    rows = list(
        SealedSecret.objects.select_for_update()
        .exclude(provider=SecretStore.LOCAL)
        .filter(kek_version__gt=NO_LOCAL_KEY, date_moved__lt=before)
        .order_by("pk")[:_BATCH]
    )
    if not rows:
        return 0
    for row in rows:
        row.kek_version, row.wrapped_key = NO_LOCAL_KEY, b""
        if row.provider == SecretStore.VAULT_KV2:
            row.ciphertext = b""
    SealedSecret.objects.bulk_update(rows, ["kek_version", "wrapped_key", "ciphertext"])
    _record(actor, {"local_copies": len(rows)})
    return len(rows)


def _paths_in_vault() -> set[str]:
    vault, root = providers.client(), providers.folder()
    tables = [name for name in vault.names(root) if name.endswith("/")]
    return {f"{root}/{table}{name}" for table in tables for name in vault.names(f"{root}/{table.rstrip('/')}")}


def _named() -> set[str]:
    """The paths that rows name."""
    rows = SealedSecret.objects.filter(provider=SecretStore.VAULT_KV2)
    return set(rows.values_list("reference", flat=True).iterator())


def _note_unused(present: set[str]) -> None:
    """`present` was listed before: what is written from now on is not in it."""
    unused = present - _named()
    noted = set(UnusedPath.objects.values_list("path", flat=True))
    for paths in _batches(noted - unused):  # named again by a restored database, or gone
        UnusedPath.objects.filter(path__in=paths).delete()
    for paths in _batches(unused - noted):
        UnusedPath.objects.bulk_create(
            [UnusedPath(path=path, date_noticed=now()) for path in paths], ignore_conflicts=True
        )


def _remove_unused(before: datetime, *, actor: Actor) -> int:
    removed = 0
    due = UnusedPath.objects.filter(date_noticed__lt=before)
    while paths := set(due.order_by("pk").values_list("path", flat=True)[:_BATCH]):
        gone = paths - _named()
        for path in sorted(gone):
            providers.client().remove(path)
        with transaction.atomic():
            UnusedPath.objects.filter(path__in=paths).delete()
            if gone:
                _record(actor, {"paths": len(gone)})
        removed += len(gone)
    return removed


def _batches(paths: Iterable[str]) -> Iterable[list[str]]:
    ordered = sorted(paths)
    return (ordered[start : start + _BATCH] for start in range(0, len(ordered), _BATCH))


def _record(actor: Actor, counts: dict[str, int]) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.VAULT_LEFTOVERS_REMOVED,
        object_type="SecretStore",
        new=dict(counts),
    )
