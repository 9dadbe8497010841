"""Which secret a system user signs in with on an asset. Every release of a credential asks here: sessions and jobs.

An account with a secret of its own uses only that: neither its password nor its key comes from the system user then.
"""

from dataclasses import dataclass
from uuid import UUID

from postern.apps.vault.sealed_secrets import secret_store
from postern.apps.vault.system_users.models import AccountVersion, SystemUser, SystemUserAsset
from postern.apps.vault.system_users.places import place_of, place_of_version
from postern.kernel.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSecrets:
    """The secrets of one account. `is_own`: they are those of the account itself, not of its system user."""

    password: Secret | None = None
    private_key: Secret | None = None
    public_key: str = ""
    is_own: bool = False


def secrets_for(system_user: SystemUser, *, asset_id: UUID | None, username: str) -> AccountSecrets:
    """The secrets for a sign-in as `username` on this asset; None for the asset: those of the system user itself.

    Raises SecretUnreadable.
    """
    account = _own_account(system_user, asset_id, username)
    if account is not None:
        return own_secrets(account)
    return AccountSecrets(
        password=secret_store.get(place_of(system_user, "password")),
        private_key=secret_store.get(place_of(system_user, "private_key")),
        public_key=system_user.public_key,
    )


def own_secrets(account: SystemUserAsset) -> AccountSecrets:
    """The account's own secrets; none when it has none. Raises SecretUnreadable."""
    version = current_version(account)
    if version is None:
        return AccountSecrets(is_own=True)
    return AccountSecrets(
        password=secret_store.get(place_of_version(version, account.org_id, "password")),
        private_key=secret_store.get(place_of_version(version, account.org_id, "private_key")),
        public_key=account.public_key,
        is_own=True,
    )


def current_version(account: SystemUserAsset) -> AccountVersion | None:
    """The version whose secret the account signs in with; None when that is the secret of its system user."""
    if not account.has_own_secret:
        return None
    row: AccountVersion | None = AccountVersion.objects.filter(account_id=account.pk, number=account.version).first()
    return row


def _own_account(system_user: SystemUser, asset_id: UUID | None, username: str) -> SystemUserAsset | None:
    """The account with an own secret for this sign-in: an account of exactly this name before one of any name."""
    if asset_id is None:
        return None
    names = {"", username} if system_user.username_same_with_user else {""}
    rows = SystemUserAsset.objects.filter(
        systemuser=system_user, asset_id=asset_id, has_own_secret=True, username__in=names
    )
    account: SystemUserAsset | None = rows.order_by("-username").first()
    return account
