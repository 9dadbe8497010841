"""Accounts that jobs sign in with."""

from functools import partial
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.on_assets import Account
from postern.apps.vault import facade as vault
from postern.contracts.runner import HostResult


def account_of(system_user_id: UUID, asset_id: UUID, username: str = "") -> Account:
    """The account of a system user on an asset; `username` names it if the system user has none of its own.

    Raises HostNotTried.
    """
    brief = vault.system_user_briefs([system_user_id]).get(system_user_id)
    if brief is None:
        raise HostNotTried(HostResult.REFUSED, _("The system user was deleted."))
    login_name = username if brief.username_same_with_user else brief.username
    if not login_name:
        raise HostNotTried(HostResult.REFUSED, _("%(name)s has no username.") % {"name": brief.name})
    return Account(
        login_name=login_name,
        open_secret=partial(
            vault.open_credential, system_user_id=system_user_id, asset_id=asset_id, username=login_name
        ),
    )


def account_of_asset(asset_id: UUID, username: str) -> Account:
    """An account that belongs to no system user. Raises HostNotTried."""
    if not username:
        raise HostNotTried(HostResult.REFUSED, _("No account was chosen for this asset."))
    return Account(
        login_name=username,
        open_secret=partial(vault.open_account_of_asset, asset_id=asset_id, username=username),
    )


def admin_account(admin_user_id: UUID | None, asset_id: UUID) -> Account:
    """The account of an asset's admin user. Raises HostNotTried."""
    if admin_user_id is None:
        raise HostNotTried(HostResult.REFUSED, _("The asset has no admin user. Choose one in its form."))
    return account_of(admin_user_id, asset_id)
