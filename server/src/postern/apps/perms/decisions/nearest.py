"""The permission that comes nearest to giving access, and what it lacks, for an explanation of a denial."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.applications.models import Application
from postern.apps.assets.models import Asset
from postern.apps.perms.application_grants.links import SYSTEM_USERS as APPLICATION_SYSTEM_USERS
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.decisions import applications, queries
from postern.apps.perms.decisions.decision import Named
from postern.apps.perms.granting.links import Link
from postern.apps.perms.grants.links import SYSTEM_USERS
from postern.apps.perms.grants.models import AssetPermission
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Actions


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


_WORDS: Final = {
    LackCode.USER: _("It names neither the user %(name)s nor one of their groups."),
    LackCode.ASSET: _("It names neither the asset %(name)s nor a node above it."),
    LackCode.APPLICATION: _("It does not name the application %(name)s."),
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
    asset = Asset.objects.filter(pk=asset_id).first()
    if asset is None:
        return None
    wanted = Lack(LackCode.ASSET, Named(asset.pk, asset.hostname))
    naming = [queries.permissions_naming_user(user_id), queries.permissions_naming_asset(asset_id)]
    rows = AssetPermission.objects.filter(org_id=asset.org_id)
    question = _Question(user_id, system_user_id, at)
    return _nearest(SYSTEM_USERS, rows, naming, wanted, question)


def nearest_application_permission(
    *, user_id: UUID, application_id: UUID, system_user_id: UUID, at: datetime
) -> Nearest | None:
    """As `nearest_permission`, among the application permissions for the type of the application: others cannot name it."""
    application = Application.objects.filter(pk=application_id).first()
    if application is None:
        return None
    wanted = Lack(LackCode.APPLICATION, Named(application.pk, application.name))
    naming = [
        applications.permissions_naming_user(user_id),
        applications.permissions_naming_application(application_id),
    ]
    rows = ApplicationPermission.objects.filter(org_id=application.org_id, type=application.type)
    question = _Question(user_id, system_user_id, at)
    return _nearest(APPLICATION_SYSTEM_USERS, rows, naming, wanted, question)


@dataclass(frozen=True, slots=True)
class _Question:
    """What does not depend on the kind of target."""

    user_id: UUID
    system_user_id: UUID
    at: datetime


def _nearest(
    accounts: Link, rows: QuerySet[Any], naming: list[QuerySet[Any, Any]], target: Lack, question: _Question
) -> Nearest | None:
    """`accounts`: the links to system users. `naming`: ids of the permissions that name the user, and of those that name the target. `target`: the lack of a
    permission that does not name it.
    """
    user = User.objects.filter(pk=question.user_id).first()
    account = SystemUser.objects.filter(pk=question.system_user_id).first()
    if user is None or account is None:
        return None
    by_user, by_target = ({row[f"{accounts.parent}_id"] for row in ids} for ids in naming)
    by_account = set(
        accounts.rows.filter(systemuser=account).order_by().values_list(f"{accounts.parent}_id", flat=True)
    )
    wanted: tuple[tuple[AbstractSet[UUID], Lack], ...] = (
        (by_user, Lack(LackCode.USER, Named(user.pk, user.name))),
        (by_target, target),
        (by_account, Lack(LackCode.SYSTEM_USER, Named(account.pk, account.name))),
    )
    best: Nearest | None = None
    for row in rows.filter(pk__in=by_user | by_target).order_by("name"):
        lacks = [*(lack for named, lack in wanted if row.pk not in named), *_of_itself(row, question.at)]
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
    # An application permission has no actions: it gives all of them.
    if not getattr(row, "actions", Actions.CONNECT) & Actions.CONNECT:
        yield Lack(LackCode.CONNECT)
