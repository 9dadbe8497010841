"""Accounts that jobs sign in with."""

from functools import partial
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.hosts.fleet import HostNotTried
from postern.apps.jobs.hosts.on_assets import NO_ACCOUNT, Account
from postern.apps.vault import facade as vault
from postern.contracts.runner import HostResult
from postern.foundation.phrases import Phrase

_DELETED: Final = Phrase("jobs.system_user_deleted", _("The system user was deleted."))
_NO_USERNAME: Final = Phrase("jobs.no_username", _("%(name)s has no username."))
_NO_ADMIN_USER: Final = Phrase("jobs.no_admin_user", _("The asset has no admin user. Choose one in its form."))


def account_of(system_user_id: UUID, asset_id: UUID, username: str = "") -> Account:
    """The account of a system user on an asset; `username` names it if the system user has none of its own.

    Raises HostNotTried.
    """
    brief = vault.system_user_briefs([system_user_id]).get(system_user_id)
    if brief is None:
        raise HostNotTried(HostResult.REFUSED, _DELETED.say())
    login_name = username if brief.username_same_with_user else brief.username
    if not login_name:
        raise HostNotTried(HostResult.REFUSED, _NO_USERNAME.say(name=brief.name))
    return Account(
        login_name=login_name,
        open_secret=partial(
            vault.open_credential, system_user_id=system_user_id, asset_id=asset_id, username=login_name
        ),
    )


def account_of_asset(asset_id: UUID, username: str) -> Account:
    """An account that belongs to no system user. Raises HostNotTried."""
    if not username:
        raise HostNotTried(HostResult.REFUSED, NO_ACCOUNT.say())
    return Account(
        login_name=username,
        open_secret=partial(vault.open_account_of_asset, asset_id=asset_id, username=username),
    )


def admin_account(admin_user_id: UUID | None, asset_id: UUID) -> Account:
    """The account of an asset's admin user. Raises HostNotTried."""
    if admin_user_id is None:
        raise HostNotTried(HostResult.REFUSED, _NO_ADMIN_USER.say())
    return account_of(admin_user_id, asset_id)
