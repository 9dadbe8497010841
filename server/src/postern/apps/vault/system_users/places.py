"""Places of the secrets of system users."""

from typing import Final
from uuid import UUID

from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.system_users.models import AccountVersion, SystemUser

#: Table name of system users in the places of their secrets.
SYSTEM_USERS: Final = "vault_systemuser"
#: Table name of versions of accounts.
VERSIONS: Final = "vault_accountversion"


def place_of(system_user: SystemUser, column: str) -> SecretPlace:
    """Place of a secret of a system user."""
    return SecretPlace(table=SYSTEM_USERS, row_id=system_user.pk, org_id=system_user.org_id, column=column)


def place_of_version(version: AccountVersion, org_id: UUID, column: str) -> SecretPlace:
    """Place of a secret of one version of an account."""
    return SecretPlace(table=VERSIONS, row_id=version.pk, org_id=org_id, column=column)
