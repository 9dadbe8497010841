"""What organizations own in this app: system users, including admin users, and gateways."""

from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.system_users.models import NodeUpkeep, SystemUser, SystemUserType
from postern.foundation.caller.actor import Actor


def _system_users() -> "QuerySet[SystemUser]":
    rows: QuerySet[SystemUser] = SystemUser.objects.exclude(type=SystemUserType.ADMIN)
    return rows


def _admin_users() -> "QuerySet[SystemUser]":
    rows: QuerySet[SystemUser] = SystemUser.objects.filter(type=SystemUserType.ADMIN)
    return rows


HOLDINGS: Final = (
    orgs.Holding(label=_("System users"), rows=_system_users, statistic="system_users_amount"),
    orgs.Holding(label=_("Admin users"), rows=_admin_users, statistic="admin_users_amount"),
    orgs.Holding(label=_("Gateways"), rows=Gateway.objects.all, statistic="gateways_amount"),
)


def _nothing_to_name(_actor: Actor, _org_id: UUID, _name: str) -> None:
    """Nothing here has the name of the organization."""


def _forget_upkeep(_actor: Actor, org_id: UUID) -> None:
    NodeUpkeep.objects.filter(org_id=org_id).delete()


LIFECYCLE: Final = orgs.Lifecycle(named=_nothing_to_name, dissolved=_forget_upkeep)
