"""Places of the secrets of system users."""

from typing import Final

from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.system_users.models import SystemUser

#: Table name of system users in the places of their secrets.
SYSTEM_USERS: Final = "vault_systemuser"


def place_of(system_user: SystemUser, column: str) -> SecretPlace:
    """Place of a secret of a system user."""
    return SecretPlace(table=SYSTEM_USERS, row_id=system_user.pk, org_id=system_user.org_id, column=column)
