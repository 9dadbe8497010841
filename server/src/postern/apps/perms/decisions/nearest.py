"""The permission that comes nearest to giving access, and what it lacks, for an explanation of a denial."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Asset
from postern.apps.perms.decisions.decision import Named
from postern.apps.perms.decisions.queries import permissions_naming_asset, permissions_naming_user
from postern.apps.perms.grants.models import AssetPermission, PermissionSystemUser
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions


class LackCode(StrEnum):
    """What a permission lacks. Stable: part of the API."""

    USER = "user"
    ASSET = "asset"
    SYSTEM_USER = "system_user"
    INACTIVE = "inactive"
    NOT_STARTED = "not_started"
    EXPIRED = "expired"
    CONNECT = "connect"


@dataclass(frozen=True, slots=True)
class Lack:
    """One condition that does not hold, and the object that would have to be added."""

    code: LackCode
    wanted: Named | None = None

    @property
    def message(self) -> str:
        """The lack as a sentence, in the language of the reader."""
        return str(_WORDS[self.code]) % {"name": self.wanted.name if self.wanted else ""}


@dataclass(frozen=True, slots=True)
class Nearest:
    """A permission, and everything that it lacks."""

    permission: Named
    lacks: tuple[Lack, ...]


_WORDS: Final = {
    LackCode.USER: _("It includes neither the user %(name)s nor any of their groups."),
    LackCode.ASSET: _("It names neither the asset %(name)s nor a node above it."),
    LackCode.SYSTEM_USER: _("It does not include the system user %(name)s."),
    LackCode.INACTIVE: _("It is switched off."),
    LackCode.NOT_STARTED: _("It has not begun yet."),
    LackCode.EXPIRED: _("It has ended."),
    LackCode.CONNECT: _("It does not include the action connect."),
}


def nearest_permission(*, user_id: UUID, asset_id: UUID, system_user_id: UUID, at: datetime) -> Nearest | None:
    """The permission of the asset's organization that lacks the fewest conditions; None if none names either of user and
    asset. Seven queries.
    """
    user, asset = User.objects.filter(pk=user_id).first(), Asset.objects.filter(pk=asset_id).first()
    account = SystemUser.objects.filter(pk=system_user_id).first()
    if user is None or asset is None or account is None:
        return None
    by_user, by_asset = (
        {row["assetpermission_id"] for row in rows}
        for rows in (permissions_naming_user(user_id), permissions_naming_asset(asset_id))
    )
    named = PermissionSystemUser.objects.filter(systemuser=account).order_by()
    by_account = set(named.values_list("assetpermission_id", flat=True))
    best: Nearest | None = None
    for row in AssetPermission.objects.filter(pk__in=by_user | by_asset, org_id=asset.org_id).order_by("name"):
        lacks = [
            *([] if row.pk in by_user else [Lack(LackCode.USER, Named(user.pk, user.name))]),
            *([] if row.pk in by_asset else [Lack(LackCode.ASSET, Named(asset.pk, asset.hostname))]),
            *([] if row.pk in by_account else [Lack(LackCode.SYSTEM_USER, Named(account.pk, account.name))]),
            *_of_itself(row, at),
        ]
        if best is None or len(lacks) < len(best.lacks):
            best = Nearest(Named(row.pk, row.name), tuple(lacks))
    return best


def _of_itself(row: Any, at: datetime) -> Iterator[Lack]:
    if not row.is_active:
        yield Lack(LackCode.INACTIVE)
    if at < row.date_start:
        yield Lack(LackCode.NOT_STARTED)
    if at >= row.date_expired:
        yield Lack(LackCode.EXPIRED)
    if not row.actions & Actions.CONNECT:
        yield Lack(LackCode.CONNECT)
