"""Reads of the vault: briefs for other apps, and the credential for a session (internal API only)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from postern.apps.vault.system_users.credentials import secrets_for
from postern.apps.vault.system_users.errors import ENTERED, NOTHING_STORED, UNKNOWN, CredentialMissing
from postern.apps.vault.system_users.models import LoginMode, SystemUser, SystemUserAsset, SystemUserType
from postern.contracts.access import Credential
from postern.contracts.enums import Protocol
from postern.foundation.database import row_locks
from postern.kernel.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemUserBrief:
    """The fields of a system user that other apps need. `manual`: the user must enter the credential."""

    id: UUID
    name: str
    username: str
    org_id: UUID
    protocol: Protocol
    manual: bool
    priority: int
    sftp_root: str
    username_same_with_user: bool


def briefs(ids: Iterable[UUID]) -> dict[UUID, SystemUserBrief]:
    """Briefs of the existing system users, by id."""
    return {
        row.pk: SystemUserBrief(
            id=row.pk,
            name=row.name,
            username=row.username,
            org_id=row.org_id,
            protocol=Protocol(row.protocol),
            manual=row.login_mode == LoginMode.MANUAL,
            priority=row.priority,
            sftp_root=row.sftp_root,
            username_same_with_user=row.username_same_with_user,
        )
        for row in SystemUser.objects.filter(pk__in=set(ids))
    }


def open_credential(*, system_user_id: UUID, asset_id: UUID | None, username: str) -> Credential:
    """The secrets for one sign-in on an asset; `username` is the user's own, for dynamic usernames.

    They are those of the account on the asset if it has its own, else those of the system user. Without an asset they
    are those of the system user.

    Raises `NotFound`, `CredentialMissing` (nothing stored, or the user must enter the credential), `SecretUnreadable`.
    """
    row = SystemUser.objects.filter(pk=system_user_id).first()
    if row is None:
        raise NotFound(UNKNOWN.say())
    login_name = username if row.username_same_with_user else row.username
    if row.login_mode == LoginMode.MANUAL:
        raise CredentialMissing(ENTERED.say(name=row.name))
    secrets = secrets_for(row, asset_id=asset_id, username=login_name)
    if secrets.password is None and secrets.private_key is None:
        raise CredentialMissing(NOTHING_STORED.say(name=row.name))
    return Credential(
        login_name=login_name,
        password=secrets.password.reveal() if secrets.password else "",
        private_key=secrets.private_key.reveal() if secrets.private_key else "",
    )


def asset_counts(ids: Iterable[UUID]) -> dict[UUID, int]:
    """Number of assets that each system user has an account on."""
    rows = SystemUserAsset.objects.filter(systemuser_id__in=set(ids)).order_by().values("systemuser_id")
    rows = rows.annotate(n=Count("asset_id", distinct=True))
    return dict(rows.values_list("systemuser_id", "n"))


class AdminUsers:
    """The lookups that the assets app requires (`assets.admin_users.AdminUserDirectory`)."""

    def displays(self, ids: Iterable[UUID]) -> Mapping[UUID, str]:
        return {row.pk: str(row) for row in SystemUser.objects.filter(pk__in=set(ids))}

    def is_admin_user(self, admin_user_id: UUID, org_id: UUID) -> bool:
        return SystemUser.objects.filter(pk=admin_user_id, org_id=org_id, type=SystemUserType.ADMIN).exists()

    def named(self, name: str, org_id: UUID) -> UUID | None:
        rows = SystemUser.objects.filter(org_id=org_id, type=SystemUserType.ADMIN)
        return next((row.pk for row in rows if name in {row.name, str(row)}), None)

    def hold(self, ids: Collection[UUID]) -> None:
        row_locks.share(SystemUser, (), required=ids)

    def assets_of(self, system_user_id: UUID) -> Iterable[UUID]:
        rows = SystemUserAsset.objects.filter(systemuser_id=system_user_id).order_by()
        return rows.values_list("asset_id", flat=True).distinct()
