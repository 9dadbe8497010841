"""The permission that comes nearest to giving access, and what it lacks, for an explanation of a denial."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet, Value
from django.utils.translation import gettext_lazy as _

from postern.apps.applications.models import Application
from postern.apps.perms.application_grants.links import SYSTEM_USERS as APPLICATION_SYSTEM_USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.decisions import applications
from postern.apps.perms.decisions.decision import Named
from postern.apps.perms.decisions.naming import permissions_naming_asset, permissions_naming_user
from postern.apps.perms.decisions.parties import load_parties
from postern.apps.perms.granting.links import Link
from postern.apps.perms.grants.links import SYSTEM_USERS
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions, Protocol


class LackCode(StrEnum):
    """What a permission lacks. Stable: part of the API."""

    USER = "user"
    ASSET = "asset"
    APPLICATION = "application"
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


_COLUMNS: Final = ("pk", "name", "is_active", "date_start", "date_expired", "action_bits", "names_account")
_WORDS: Final = {
    LackCode.USER: _("It includes neither the user %(name)s nor any of their groups."),
    LackCode.ASSET: _("It names neither the asset %(name)s nor a node above it."),
    LackCode.APPLICATION: _("It does not name the application %(name)s."),
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
    wanted = _Wanted(
        user=Named(parties.user.id, parties.user.name),
        target=Lack(LackCode.ASSET, Named(parties.asset.id, parties.asset.name)),
        system_user=Named(parties.system_user.id, parties.system_user.name),
    )
    naming = (permissions_naming_user(user_id), permissions_naming_asset(asset_id))
    rows = AssetPermission.objects.filter(org_id=parties.org_id).annotate(action_bits=F("actions"))
    return _nearest(SYSTEM_USERS, rows, naming, wanted, at)


def nearest_application_permission(
    *, user_id: UUID, application_id: UUID, system_user_id: UUID, at: datetime
) -> Nearest | None:
    """As `nearest_permission`, among the application permissions for the type of the application: others cannot name it.
    Six queries.
    """
    application = Application.objects.filter(pk=application_id).first()
    user = User.objects.filter(pk=user_id).first()
    account = SystemUser.objects.filter(pk=system_user_id).first()
    if application is None or user is None or account is None:
        return None
    wanted = _Wanted(
        user=Named(user.pk, user.name),
        target=Lack(LackCode.APPLICATION, Named(application.pk, application.name)),
        system_user=Named(account.pk, account.name),
    )
    naming = (
        applications.permissions_naming_user(user_id),
        applications.permissions_naming_application(application_id),
    )
    # An application permission has no actions: it gives all of them.
    rows = ApplicationPermission.objects.filter(org_id=application.org_id, type=application.type).annotate(
        action_bits=Value(Actions.ALL.value)
    )
    return _nearest(APPLICATION_SYSTEM_USERS, rows, naming, wanted, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Whom and what a permission would have to name. `target`: what a permission lacks that does not name the
    target.
    """

    user: Named
    target: Lack
    system_user: Named


def _nearest(
    accounts: Link,
    rows: QuerySet[Any],
    naming: tuple[QuerySet[Any, Any], QuerySet[Any, Any]],
    wanted: _Wanted,
    at: datetime,
) -> Nearest | None:
    """`accounts`: the links to system users. `naming`: ids of the permissions that name the user, and of those that name
    the target. `rows` have `action_bits`.
    """
    by_user, by_target = ({row[f"{accounts.parent}_id"] for row in ids} for ids in naming)
    named = accounts.rows_of(OuterRef("pk")).filter(systemuser_id=wanted.system_user.id)
    candidates = rows.filter(pk__in=by_user | by_target).annotate(names_account=Exists(named)).order_by("name")
    best: Nearest | None = None
    for row in candidates.values_list(*_COLUMNS, named=True):
        lacks = [
            *([] if row.pk in by_user else [Lack(LackCode.USER, wanted.user)]),
            *([] if row.pk in by_target else [wanted.target]),
            *([] if row.names_account else [Lack(LackCode.SYSTEM_USER, wanted.system_user)]),
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
    if not row.action_bits & Actions.CONNECT:
        yield Lack(LackCode.CONNECT)
