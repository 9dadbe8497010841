"""Reads of accounts: their versions, and their secrets for a person who may see them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from postern.apps.vault.accounts.models import AccountSecret
from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.models import SealedSecret
from postern.apps.vault.system_users.models import AccountVersion, LoginMode
from postern.apps.vault.system_users.places import SYSTEM_USERS, VERSIONS, place_of, place_of_version

_SECRETS: Final = ("password", "private_key")
#: Where the secret of an account comes from.
Source = Literal["account", "system_user", "none", "unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSecrets:
    """The secrets that an account signs in with. `repr` shows none of them."""

    source: Source
    values: Mapping[str, str]

    def __repr__(self) -> str:
        return f"OpenedSecrets({self.source})"


def open_secrets(rows: Sequence[AccountSecret]) -> dict[UUID, OpenedSecrets]:
    """The secrets of these accounts, by their ids, with three queries for all of them."""
    owned = {row.pk for row in rows if row.has_own_secret}
    numbers = {row.pk: row.version for row in rows}
    versions = {
        version.account_id: version
        for version in AccountVersion.objects.filter(account_id__in=owned)
        if numbers[version.account_id] == version.number
    }
    of_versions = _sealed(VERSIONS, (version.pk for version in versions.values()))
    of_system_users = _sealed(
        SYSTEM_USERS,
        {
            row.systemuser.pk
            for row in rows
            if row.systemuser is not None and not row.has_own_secret and row.systemuser.login_mode == LoginMode.AUTO
        },
    )
    opened: dict[UUID, OpenedSecrets] = {}
    for row in rows:
        version = versions.get(row.pk)
        if version is not None:
            sealed = {
                name: (secret, place_of_version(version, row.org_id, name)) for name, secret in of_versions[version.pk]
            }
            source: Source = "account"
        elif row.systemuser is not None and not row.has_own_secret:
            sealed = {
                name: (secret, place_of(row.systemuser, name)) for name, secret in of_system_users[row.systemuser.pk]
            }
            source = "system_user"
        else:
            sealed, source = {}, "none"
        try:
            values = {name: secret_store.open_row(*secret).reveal() for name, secret in sealed.items()}
        except SecretUnreadable:
            opened[row.pk] = OpenedSecrets(source="unreadable", values={})
            continue
        opened[row.pk] = OpenedSecrets(source=source if values else "none", values=values)
    return opened


def versions_of(account_id: UUID) -> list[AccountVersion]:
    """The stored versions of an account, newest first."""
    return list(AccountVersion.objects.filter(account_id=account_id).order_by("-number"))


def _sealed(table: str, row_ids: Iterable[UUID]) -> "defaultdict[UUID, list[tuple[str, SealedSecret]]]":
    """Stored secrets of these rows by column."""
    secrets_by_row: defaultdict[UUID, list[tuple[str, SealedSecret]]] = defaultdict(list)
    ids = list(row_ids)
    for start in range(0, len(ids), 500):
        for row in SealedSecret.objects.filter(table=table, row_id__in=ids[start : start + 500], column__in=_SECRETS):
            secrets_by_row[row.row_id].append((row.column, row))
    return secrets_by_row
