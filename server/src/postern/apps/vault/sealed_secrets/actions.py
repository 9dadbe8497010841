"""Rotation of the key-encryption key, online: secrets stay readable at every moment (promise 19).

`rotate` adds a key to the file, then wraps the data key of every secret anew in short transactions. `retire` removes keys that
nothing is sealed under any more. Between the two the old key stays in the file, so a process or a backup that still holds an old
wrap can read it.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.vault.sealed_secrets import sealing
from postern.apps.vault.sealed_secrets.errors import KeyStillUsed
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.secret_store import keyring, value_of
from postern.foundation.caller.actor import Actor
from postern.kernel.clock import now
from postern.kernel.ids import ROOT_ORG_ID

_BATCH: Final = 250
#: A request that began before the rotation may still store a secret under the old key; none lasts this long.
RETIRE_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class RotationReport:
    """`version` is the current key afterwards; `rewrapped` counts the secrets that were brought to it."""

    version: int
    rewrapped: int


def rotate(*, actor: Actor) -> RotationReport:
    """Make a new key-encryption key and bring every secret to it. May be run again after a crash."""
    key = keyring().add_version()
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.VAULT_KEY_ADDED,
            object_type="KeyEncryptionKey",
            object_id=str(key.version),
        )
    return rewrap_all(actor=actor)


def rewrap_all(*, actor: Actor) -> RotationReport:
    """Bring every secret that is sealed under an older key to the current one, in batches."""
    key = keyring().current()
    count = 0
    while moved := _rewrap_batch(key.version):
        count += moved
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.VAULT_SECRETS_REWRAPPED,
            object_type="KeyEncryptionKey",
            object_id=str(key.version),
            new={"count": count},
        )
    return RotationReport(version=key.version, rewrapped=count)


def retire(*, actor: Actor) -> list[int]:
    """Remove old keys from the file; gives their versions. Raises `KeyStillUsed` when a secret needs one."""
    ring = keyring()
    current = ring.current()
    old = sorted(version for version in ring.versions() if version != current.version)
    if not old:
        return []
    if now() - current.created < RETIRE_AFTER:
        raise KeyStillUsed(_("The current key is too young: old keys can be removed ten minutes after a rotation."))
    if SealedSecret.objects.exclude(kek_version=current.version).exists():
        raise KeyStillUsed(_("Some secrets are still sealed under an old key; run the rotation again."))
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.VAULT_KEYS_RETIRED,
            object_type="KeyEncryptionKey",
            new={"versions": old},
        )
    ring.remove_versions(set(old))
    return old


@transaction.atomic
def _rewrap_batch(version: int) -> int:
    ring = keyring()
    new_key = ring.version(version).raw()
    rows = list(SealedSecret.objects.select_for_update().filter(kek_version__lt=version).order_by("pk")[:_BATCH])
    for row in rows:
        place = SecretPlace(table=row.table, row_id=row.row_id, org_id=row.org_id, column=row.column)
        old_key = ring.version(row.kek_version).raw()
        fresh = sealing.rewrap(value_of(row), place, old_kek=old_key, new_kek=new_key, new_version=version)
        row.kek_version, row.wrapped_key = fresh.kek_version, fresh.wrapped_key
    SealedSecret.objects.bulk_update(rows, ["kek_version", "wrapped_key"])
    return len(rows)
