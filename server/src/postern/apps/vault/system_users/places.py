"""Where the secrets of system users lie."""

from typing import Final

from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.system_users.models import SystemUser

#: How the table of system users is named in the places of their secrets.
SYSTEM_USERS: Final = "vault_systemuser"


def place_of(system_user: SystemUser, column: str) -> SecretPlace:
    """Where a secret of a system user lies."""
    return SecretPlace(table=SYSTEM_USERS, row_id=system_user.pk, org_id=system_user.org_id, column=column)
