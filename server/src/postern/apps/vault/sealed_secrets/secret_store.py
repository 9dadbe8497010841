"""The only access to encrypted secrets: put, get and drop by place. Other apps use it through the facade.

Only the web plane and the command line decrypt secrets. The job runner has no key file and never calls this module.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from postern.apps.vault.sealed_secrets import sealing
from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.sealed_secrets.sealing import SealBroken, SealedValue, SecretPlace
from postern.foundation.database import row_locks
from postern.kernel.secret import MASK, Secret


@lru_cache(maxsize=8)
def _keyring_at(path: Path) -> Keyring:
    return Keyring(path)


def keyring() -> Keyring:
    """The key file of this installation."""
    return _keyring_at(settings.POSTERN.kek_file)


def put(place: SecretPlace, secret: Secret) -> None:
    """Encrypt and store a secret; replaces a stored one."""
    key = keyring().current()
    value = sealing.seal(secret, place, kek=key.raw(), kek_version=key.version)
    SealedSecret.objects.update_or_create(
        table=place.table,
        row_id=place.row_id,
        column=place.column,
        defaults={
            "org_id": place.org_id,
            "kek_version": value.kek_version,
            "wrapped_key": value.wrapped_key,
            "ciphertext": value.ciphertext,
        },
    )


def put_all(place: SecretPlace, secrets: Mapping[str, Secret]) -> None:
    """Store the secrets of a row by column (the `column` of `place` is ignored)."""
    for column, secret in secrets.items():
        put(replace(place, column=column), secret)


def get(place: SecretPlace) -> Secret | None:
    """The secret, or None when there is none. Raises `SecretUnreadable` when it cannot be decrypted."""
    row = SealedSecret.objects.filter(table=place.table, row_id=place.row_id, column=place.column).first()
    return None if row is None else open_row(row, place)


def open_row(row: SealedSecret, place: SecretPlace) -> Secret:
    """Decrypt a stored row as the secret of `place`."""
    key = keyring().version(row.kek_version)
    try:
        return sealing.unseal(value_of(row), place, kek=key.raw())
    except SealBroken as error:
        raise SecretUnreadable(
            _("A stored secret cannot be decrypted: it was altered or moved. Set it again.")
        ) from error


def drop(place: SecretPlace) -> None:
    """Delete one secret."""
    SealedSecret.objects.filter(table=place.table, row_id=place.row_id, column=place.column).delete()


def held_columns(place: SecretPlace) -> set[str]:
    """Columns of the row of `place` that have a secret (the `column` of `place` is ignored)."""
    rows = SealedSecret.objects.filter(table=place.table, row_id=place.row_id)
    return set(rows.values_list("column", flat=True))


def drop_all(place: SecretPlace) -> None:
    """Delete every secret of the row of `place`."""
    SealedSecret.objects.filter(table=place.table, row_id=place.row_id).delete()


def drop_rows(table: str, row_ids: Collection[UUID]) -> None:
    """Delete every secret of these rows."""
    SealedSecret.objects.filter(table=table, row_id__in=row_ids).delete()


def lock_all(table: str, row_ids: Collection[UUID], *, deleting: bool = False) -> None:
    """Lock the stored secrets of these rows until the transaction ends, after the rows themselves (`row_locks`)."""
    rows = SealedSecret.objects.filter(table=table, row_id__in=row_ids).order_by()
    row_locks.lock(SealedSecret, rows.values_list("pk", flat=True), deleting=deleting)


def masked(columns: Iterable[str], held: Collection[str] | None = None) -> dict[str, str | None]:
    """What audit records show of secrets: a mask for each stored one (`held`, by default all), None for the others."""
    return {column: MASK if held is None or column in held else None for column in sorted(columns)}


def value_of(row: SealedSecret) -> SealedValue:
    """The stored columns as a value; databases return memoryviews."""
    return SealedValue(
        kek_version=row.kek_version, wrapped_key=bytes(row.wrapped_key), ciphertext=bytes(row.ciphertext)
    )
