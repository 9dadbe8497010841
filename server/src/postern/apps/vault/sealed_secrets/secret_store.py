"""The only access to encrypted secrets: put, get and drop by place. Other apps use it through the facade.

A secret is in the store that its row names (`stored.py`). New secrets go to the store of the settings. A secret is
written to its store first, before the transaction that writes the row (`outside.py`): a rollback or a crash leaves an
unused value in the store, which `actions.tidying` removes, and never a row that cannot be read.

The web part, the worker and the command line decrypt secrets. The job runner has no key file and never calls this module.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from postern.apps.vault.sealed_secrets import outside, providers
from postern.apps.vault.sealed_secrets.errors import SecretGone, SecretStoreMissing, SecretUnreadable
from postern.apps.vault.sealed_secrets.keyring import Keyring
from postern.apps.vault.sealed_secrets.local_provider import LocalSecrets
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.sealed_secrets.sealing import SealedValue, SecretPlace
from postern.apps.vault.sealed_secrets.stored import StoredSecret
from postern.foundation.configuration.secret_store import SecretStore
from postern.foundation.database import row_locks
from postern.kernel.secret import MASK, Secret

_STORES: Final = frozenset(SecretStore)
#: Keys per query, because SQLite limits the number of parameters.
_SET: Final = 500


@lru_cache(maxsize=8)
def _keyring_at(path: Path) -> Keyring:
    return Keyring(path)


def keyring() -> Keyring:
    """The key file of this installation."""
    return _keyring_at(settings.POSTERN.kek_file)


def put(place: SecretPlace, secret: Secret) -> None:
    """Encrypt and store a secret; replaces a stored secret. Call it in `outside.write_outside`, so that no lock waits for
    an external store.
    """
    ring = keyring()
    provider = providers.provider(providers.for_new(place), ring)
    local = LocalSecrets(ring)
    if isinstance(provider, LocalSecrets):
        stored = local.store(place, secret)
    else:
        # The local value is rolled back.
        stored = outside.written(provider, place, secret) or local.store(place, secret)
    SealedSecret.objects.update_or_create(
        table=place.table,
        row_id=place.row_id,
        column=place.column,
        defaults={"org_id": place.org_id, "date_moved": None, **columns_of(stored)},
    )


def put_all(place: SecretPlace, secrets: Mapping[str, Secret]) -> None:
    """Store the secrets of a row by column (the `column` of `place` is ignored)."""
    for column, secret in secrets.items():
        put(replace(place, column=column), secret)


def get(place: SecretPlace) -> Secret | None:
    """The secret, or None when there is none.

    Raises `SecretUnreadable` when it cannot be decrypted, and `PosternError` with status 503 while its store cannot be
    used.
    """
    row = _row_of(place)
    while row is not None:
        try:
            return open_row(row, place)
        except SecretGone:
            # It may have been moved or replaced, and removed there, since the row was read.
            latest = _row_of(place)
            if latest is not None and stored_of(latest) == stored_of(row):
                raise
            row = latest
    return None


def _row_of(place: SecretPlace) -> SealedSecret | None:
    return SealedSecret.objects.filter(table=place.table, row_id=place.row_id, column=place.column).first()


def open_row(row: SealedSecret, place: SecretPlace) -> Secret:
    """Decrypt a stored row as the secret of `place`."""
    stored, ring = stored_of(row), keyring()
    try:
        provider = providers.provider(stored.provider, ring)
    except SecretStoreMissing:
        # A service that was not restarted with the settings of the new store reads the local copy while it exists.
        if not stored.has_local_key:
            raise
        provider = providers.provider(SecretStore.LOCAL, ring)
    if isinstance(provider, LocalSecrets):
        return provider.open(stored, place)
    return outside.opened(provider, stored, place)


def drop(place: SecretPlace) -> None:
    """Delete one secret."""
    SealedSecret.objects.filter(table=place.table, row_id=place.row_id, column=place.column).delete()


def held_columns(place: SecretPlace) -> set[str]:
    """Columns of the row of `place` that have a secret (the `column` of `place` is ignored)."""
    rows = SealedSecret.objects.filter(table=place.table, row_id=place.row_id)
    return set(rows.values_list("column", flat=True))


def held_by_row(table: str, row_ids: Collection[UUID]) -> dict[UUID, set[str]]:
    """Columns with a secret, for each of these rows of a table that has any."""
    held: dict[UUID, set[str]] = {}
    ids = list(row_ids)
    for start in range(0, len(ids), _SET):
        rows = SealedSecret.objects.filter(table=table, row_id__in=ids[start : start + _SET])
        for row_id, column in rows.values_list("row_id", "column"):
            held.setdefault(row_id, set()).add(column)
    return held


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
    """What audit records show of secrets: a mask for each stored secret (`held`, by default all), None for the
    others.
    """
    return {column: MASK if held is None or column in held else None for column in sorted(columns)}


def place_of(row: SealedSecret) -> SecretPlace:
    """The place that the row says it belongs to."""
    return SecretPlace(table=row.table, row_id=row.row_id, org_id=row.org_id, column=row.column)


def stored_of(row: SealedSecret) -> StoredSecret:
    """What the row keeps; databases return memoryviews. Raises `SecretUnreadable` for an unknown store."""
    if row.provider not in _STORES:
        raise SecretUnreadable.altered()
    return StoredSecret(
        provider=SecretStore(row.provider),
        kek_version=row.kek_version,
        wrapped_key=bytes(row.wrapped_key),
        ciphertext=bytes(row.ciphertext),
        reference=row.reference,
        reference_version=row.reference_version,
    )


def columns_of(stored: StoredSecret) -> dict[str, Any]:
    """The values of the columns that keep it."""
    return {
        "provider": stored.provider.value,
        "kek_version": stored.kek_version,
        "wrapped_key": stored.wrapped_key,
        "ciphertext": stored.ciphertext,
        "reference": stored.reference,
        "reference_version": stored.reference_version,
    }


def value_of(row: SealedSecret) -> SealedValue:
    """The stored columns as a value; databases return memoryviews."""
    return SealedValue(
        kek_version=row.kek_version, wrapped_key=bytes(row.wrapped_key), ciphertext=bytes(row.ciphertext)
    )
