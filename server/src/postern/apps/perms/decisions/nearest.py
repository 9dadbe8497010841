"""The permission that comes nearest to giving access, and what it lacks, for an explanation of a denial."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from postern.apps.perms.decisions.decision import Named
from postern.apps.perms.decisions.naming import permissions_naming_asset, permissions_naming_user
from postern.apps.perms.decisions.parties import load_parties
from postern.apps.perms.grants.models import AssetPermission, PermissionSystemUser
from postern.contracts.enums import Actions, Protocol


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


_COLUMNS: Final = ("pk", "name", "is_active", "date_start", "date_expired", "actions", "names_account")
_WORDS: Final = {
    LackCode.USER: _("It includes neither the user %(name)s nor any of their groups."),
    LackCode.ASSET: _("It names neither the asset %(name)s nor a node above it."),
    LackCode.SYSTEM_USER: _("It does not include the system user %(name)s."),
    LackCode.INACTIVE: _("It is switched off."),
    LackCode.NOT_STARTED: _("It has not begun yet."),
    LackCode.EXPIRED: _("It has ended."),
    LackCode.CONNECT: _("It does not include the action connect."),
}


def nearest_permission(
    *, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: Protocol, at: datetime
) -> Nearest | None:
    """The permission of the asset's organization that lacks the fewest conditions; None if none names either of user and
    asset. Four queries.
    """
    parties = load_parties(user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, protocol=protocol)
    if parties is None or parties.asset is None or parties.org_id is None or parties.system_user is None:
        return None
    user, asset, account = parties.user, parties.asset, parties.system_user
    by_user, by_asset = (
        {row["assetpermission_id"] for row in rows}
        for rows in (permissions_naming_user(user_id), permissions_naming_asset(asset_id))
    )
    named = PermissionSystemUser.objects.filter(assetpermission_id=OuterRef("pk"), systemuser_id=system_user_id)
    rows = AssetPermission.objects.filter(pk__in=by_user | by_asset, org_id=parties.org_id).order_by("name")
    best: Nearest | None = None
    for row in rows.annotate(names_account=Exists(named)).values_list(*_COLUMNS, named=True):
        lacks = [
            *([] if row.pk in by_user else [Lack(LackCode.USER, Named(user.id, user.name))]),
            *([] if row.pk in by_asset else [Lack(LackCode.ASSET, Named(asset.id, asset.name))]),
            *([] if row.names_account else [Lack(LackCode.SYSTEM_USER, Named(account.id, account.name))]),
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
