"""Loads the facts about a user, an asset and a system user that no permission names together, in one SQL query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import BooleanField, CharField, Exists, QuerySet, Subquery, UUIDField, Value

from postern.apps.assets.models import Asset, AssetProtocol
from postern.apps.perms.decisions.decision import AssetFacts, SystemUserFacts, UserFacts
from postern.apps.perms.decisions.naming import naming_asset, naming_user
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation.database.prepared import PreparedQuery

#: An id that no object has.
NOBODY: Final = UUID("7b1c3c52-58a5-4d0e-9c67-000000000003")

#: Ids that no object has, and a protocol that does not exist.
STAND_INS: Final[Mapping[str, UUID | str]] = {
    "user_id": UUID("7b1c3c52-58a5-4d0e-9c67-000000000001"),
    "asset_id": UUID("7b1c3c52-58a5-4d0e-9c67-000000000002"),
    "system_user_id": NOBODY,
    "protocol": "stand-in",
}
_COLUMNS: Final = (
    "name",
    "is_active",
    "date_expired",
    "asset_name",
    "asset_active",
    "asset_org_id",
    "asset_offers",
    "system_user_name",
    "system_user_protocol",
    "user_direct",
    "user_by_group",
    "asset_direct",
    "asset_by_node",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parties:
    """A user, an asset and a system user of a request that no permission answers. `org_id`: the asset's organization."""

    user: UserFacts
    asset: AssetFacts | None
    org_id: UUID | None
    system_user: SystemUserFacts | None
    user_is_named: bool
    asset_is_named: bool


def load_parties(*, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: Protocol) -> Parties | None:
    """The facts about the three objects in one query; None if there is no such user."""
    rows = _prepared_parties.rows(
        user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, protocol=protocol.value
    )
    if not rows:
        return None
    [row] = rows
    return Parties(
        user=UserFacts(id=user_id, name=row["name"], is_active=row["is_active"], date_expired=row["date_expired"]),
        asset=None
        if row["asset_name"] is None
        else AssetFacts(
            id=asset_id, name=row["asset_name"], is_active=row["asset_active"], offers_protocol=row["asset_offers"]
        ),
        org_id=row["asset_org_id"],
        system_user=None
        if row["system_user_name"] is None
        else SystemUserFacts(id=system_user_id, name=row["system_user_name"], protocol=row["system_user_protocol"]),
        user_is_named=row["user_direct"] or row["user_by_group"],
        asset_is_named=row["asset_direct"] or row["asset_by_node"],
    )


def _parties(*, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: str) -> QuerySet[User]:
    asset, system_user = Asset.objects.filter(pk=asset_id), SystemUser.objects.filter(pk=system_user_id)
    user_direct, user_by_group = naming_user(user_id)
    asset_direct, asset_by_node = naming_asset(asset_id)
    rows: QuerySet[User] = (
        User.objects.filter(pk=user_id)
        .order_by()
        .annotate(
            asset_name=Subquery(asset.values("hostname")[:1], output_field=CharField()),
            asset_active=Subquery(asset.values("is_active")[:1], output_field=BooleanField()),
            asset_org_id=Subquery(asset.values("org_id")[:1], output_field=UUIDField()),
            asset_offers=Exists(AssetProtocol.objects.filter(asset_id=Value(asset_id, UUIDField()), name=protocol)),
            system_user_name=Subquery(system_user.values("name")[:1], output_field=CharField()),
            system_user_protocol=Subquery(system_user.values("protocol")[:1], output_field=CharField()),
            user_direct=Exists(user_direct),
            user_by_group=Exists(user_by_group),
            asset_direct=Exists(asset_direct),
            asset_by_node=Exists(asset_by_node),
        )
    )
    return rows


_prepared_parties: Final = PreparedQuery(_parties, stand_ins=STAND_INS, columns=_COLUMNS)
