"""Online rotation of the key-encryption key; secrets stay readable all the time (promise 19).

`rotate` adds a key to the file and rewraps the data key of every secret in short transactions. `retire` removes keys
that no secret uses any more. In between the old key stays in the file, so that a process or a backup with an old
wrapped key can still read it.
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
from postern.apps.vault.sealed_secrets.secret_store import keyring, place_of, value_of
from postern.apps.vault.sealed_secrets.stored import NO_LOCAL_KEY
from postern.foundation.caller.actor import Actor
from postern.kernel.clock import now
from postern.kernel.ids import ROOT_ORG_ID

_BATCH: Final = 250
#: A request that started before the rotation may still store a secret under the old key. No request takes this long.
RETIRE_AFTER: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class RotationReport:
    """`version` is the current key after the rotation; `rewrapped` is the number of rewrapped secrets."""

    version: int
    rewrapped: int


def rotate(*, actor: Actor) -> RotationReport:
    """Create a key-encryption key and rewrap every secret with it. Can be repeated after a crash."""
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
    """Rewrap every secret that uses an older key, in batches."""
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
    """Remove old keys from the file; returns their versions. Raises `KeyStillUsed` when a secret needs an old key."""
    ring = keyring()
    current = ring.current()
    old = sorted(version for version in ring.versions() if version != current.version)
    if not old:
        return []
    if now() - current.created < RETIRE_AFTER:
        raise KeyStillUsed(_("Old keys can be removed only ten minutes after a rotation. Wait, then try again."))
    if SealedSecret.objects.exclude(kek_version__in=(NO_LOCAL_KEY, current.version)).exists():
        raise KeyStillUsed(_("Some secrets are still encrypted with an old key. Run the rotation again."))
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
    # Including local copies of secrets that were moved to another store.
    rows = list(
        SealedSecret.objects.select_for_update()
        .filter(kek_version__gt=NO_LOCAL_KEY, kek_version__lt=version)
        .order_by("pk")[:_BATCH]
    )
    for row in rows:
        place = place_of(row)
        old_key = ring.version(row.kek_version).raw()
        fresh = sealing.rewrap(value_of(row), place, old_kek=old_key, new_kek=new_key, new_version=version)
        row.kek_version, row.wrapped_key = fresh.kek_version, fresh.wrapped_key
    SealedSecret.objects.bulk_update(rows, ["kek_version", "wrapped_key"])
    return len(rows)
