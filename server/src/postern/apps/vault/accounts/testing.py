"""What jobs need in order to test accounts, and what they note afterwards."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Connectivity
from postern.apps.vault.accounts.models import Account
from postern.apps.vault.system_users.credentials import own_secrets
from postern.apps.vault.system_users.errors import CredentialMissing
from postern.apps.vault.system_users.models import SystemUserAsset
from postern.contracts.access import Credential
from postern.foundation.phrases import Phrase
from postern.kernel import clock

_NOTHING_STORED: Final = Phrase(
    "vault.account_without_secret", _("The account %(name)s has neither a password nor a private key.")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountBrief:
    """An account for a job. Without a system user its name on the host is `username`."""

    id: UUID
    asset_id: UUID
    system_user_id: UUID | None
    username: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountResult:
    """The result of a sign-in with an account. `started`: when the sign-in began."""

    asset_id: UUID
    system_user_id: UUID | None
    username: str
    works: bool
    started: datetime


def account_briefs(ids: Collection[UUID]) -> list[AccountBrief]:
    """The existing accounts, in the order of hosts."""
    rows = Account.objects.filter(pk__in=ids).select_related("systemuser").order_by("asset__hostname", "asset_id", "pk")
    return [
        AccountBrief(id=row.pk, asset_id=row.asset_id, system_user_id=row.systemuser_id, username=row.login_name)
        for row in rows
    ]


def open_account_of_asset(*, asset_id: UUID, username: str) -> Credential:
    """The secrets of an account that belongs to no system user. Raises CredentialMissing, SecretUnreadable."""
    row = Account.objects.filter(asset_id=asset_id, systemuser__isnull=True, username=username).first()
    secrets = own_secrets(row) if row is not None else None
    if secrets is None or (secrets.password is None and secrets.private_key is None):
        raise CredentialMissing(_NOTHING_STORED.say(name=username))
    return Credential(
        login_name=username,
        password=secrets.password.reveal() if secrets.password else "",
        private_key=secrets.private_key.reveal() if secrets.private_key else "",
    )


def note_accounts(results: Sequence[AccountResult]) -> None:
    """Store whether sign-ins have just worked. An account that is gone is no error.

    A secret that changed after a sign-in began is unverified: the sign-in was with the secret before.
    """
    rows = SystemUserAsset.objects.filter(asset_id__in={result.asset_id for result in results})
    accounts = {
        (row.asset_id, row.systemuser_id, row.username): row
        for row in rows.select_for_update(of=("self",), no_key=True).order_by("pk")
    }
    now = clock.now()
    for result in results:
        place = (result.asset_id, result.system_user_id)
        row = accounts.get((*place, result.username)) or accounts.get((*place, ""))
        if row is None or (row.date_secret_changed is not None and row.date_secret_changed > result.started):
            continue
        SystemUserAsset.objects.filter(pk=row.pk).update(
            connectivity=Connectivity.OK if result.works else Connectivity.FAILED, date_verified=now
        )
