"""Places of the secrets of application accounts."""

from typing import Final

from postern.apps.applications.accounts.models import ApplicationAccount
from postern.apps.vault import facade as vault

#: Table name of application accounts in the places of their secrets.
ACCOUNTS: Final = "applications_applicationaccount"


def place_of(account: ApplicationAccount) -> vault.SecretPlace:
    """Place of the own secret of an account."""
    return vault.SecretPlace(table=ACCOUNTS, row_id=account.secret_id, org_id=account.org_id, column="password")
