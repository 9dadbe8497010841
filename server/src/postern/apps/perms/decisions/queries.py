"""Loads the facts about one user, one asset and one system user in one SQL query.

There is no cache and no precomputed table: a change of a permission, a group, the tree or an asset takes effect at its
commit.
"""

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    Exists,
    OuterRef,
    QuerySet,
    Subquery,
    UUIDField,
    Value,
)

from postern.apps.assets.models import Asset, AssetProtocol, Node
from postern.apps.perms.decisions.decision import AssetFacts, Facts, GrantFacts, Named, SystemUserFacts, UserFacts, Via
from postern.apps.perms.decisions.naming import permissions_naming_asset, permissions_naming_user
from postern.apps.perms.decisions.parties import NOBODY, STAND_INS, load_parties
from postern.apps.perms.grants.models import (
    AssetPermission,
    PermissionAsset,
    PermissionSystemUser,
    PermissionUser,
)
from postern.apps.users.models import Membership, User, UserGroup
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation.database.prepared import PreparedQuery

_COLUMNS: Final = (
    "id",
    "name",
    "is_active",
    "date_start",
    "date_expired",
    "actions",
    "names_system_user",
    "user_is_member",
    "by_user",
    "by_group_id",
    "by_group_name",
    "by_asset",
    "by_node_id",
    "by_node_name",
    "user_name",
    "user_active",
    "user_expires",
    "asset_name",
    "asset_active",
    "asset_offers",
    "system_user_name",
    "system_user_protocol",
)


def load_facts(*, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: Protocol) -> Facts:
    """The facts for `decision.evaluate`. One query when a permission names both user and asset, two otherwise."""
    rows = _prepared_grants.rows(
        user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, protocol=protocol.value
    )
    if not rows:
        return _facts_without_grants(user_id, asset_id, system_user_id, protocol)
    first = rows[0]
    user = asset = system_user = None
    if first["user_name"] is not None:
        user = UserFacts(
            id=user_id, name=first["user_name"], is_active=first["user_active"], date_expired=first["user_expires"]
        )
    if first["asset_name"] is not None:
        asset = AssetFacts(
            id=asset_id,
            name=first["asset_name"],
            is_active=first["asset_active"],
            offers_protocol=first["asset_offers"],
        )
    if first["system_user_name"] is not None:
        system_user = SystemUserFacts(
            id=system_user_id, name=first["system_user_name"], protocol=first["system_user_protocol"]
        )
    return Facts(
        protocol=protocol,
        user=user,
        asset=asset,
        system_user=system_user,
        grants=tuple(_grant(row, user_id, asset_id) for row in rows),
    )


def load_facts_of_asset(*, user_id: UUID, asset_id: UUID, protocol: Protocol) -> Facts:
    """The facts for `decision.evaluate` before a system user is chosen. One query more than `load_facts`."""
    facts = load_facts(user_id=user_id, asset_id=asset_id, system_user_id=NOBODY, protocol=protocol)
    system_user_ids = set(
        PermissionSystemUser.objects.filter(
            assetpermission_id__in=[grant.permission.id for grant in facts.grants], systemuser__protocol=protocol.value
        ).values_list("assetpermission_id", flat=True)
    )
    grants = tuple(replace(grant, names_system_user=grant.permission.id in system_user_ids) for grant in facts.grants)
    return replace(facts, any_system_user=True, grants=grants)


def _grants(*, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: str) -> QuerySet[AssetPermission]:
    """Permissions that name both user and asset, how they name them, and the facts about the three objects."""
    this = OuterRef("pk")
    user = User.objects.filter(pk=user_id)
    asset = Asset.objects.filter(pk=asset_id)
    system_user = SystemUser.objects.filter(pk=system_user_id)
    group = UserGroup.objects.filter(
        member_rows__user_id=user_id, asset_permission_rows__assetpermission_id=this
    ).order_by("name")
    # The nearest node has the longest key. Sorting is enough: a child's key sorts after its ancestors' keys.
    node = Node.objects.filter(
        asset_permission_rows__assetpermission_id=this, paths_down__descendant__asset_rows__asset_id=asset_id
    ).order_by("-key")
    rows: QuerySet[AssetPermission] = (
        AssetPermission.objects.filter(pk__in=permissions_naming_user(user_id))
        .filter(pk__in=permissions_naming_asset(asset_id))
        .annotate(
            names_system_user=Exists(
                PermissionSystemUser.objects.filter(assetpermission_id=this, systemuser_id=system_user_id)
            ),
            user_is_member=Exists(Membership.objects.filter(user_id=user_id, org_id=OuterRef("org_id"))),
            by_user=Exists(PermissionUser.objects.filter(assetpermission_id=this, user_id=user_id)),
            by_group_id=Subquery(group.values("pk")[:1], output_field=UUIDField()),
            by_group_name=Subquery(group.values("name")[:1], output_field=CharField()),
            by_asset=Exists(PermissionAsset.objects.filter(assetpermission_id=this, asset_id=asset_id)),
            by_node_id=Subquery(node.values("pk")[:1], output_field=UUIDField()),
            by_node_name=Subquery(node.values("full_value")[:1], output_field=CharField()),
            user_name=Subquery(user.values("name")[:1], output_field=CharField()),
            user_active=Subquery(user.values("is_active")[:1], output_field=BooleanField()),
            user_expires=Subquery(user.values("date_expired")[:1], output_field=DateTimeField()),
            asset_name=Subquery(asset.values("hostname")[:1], output_field=CharField()),
            asset_active=Subquery(asset.values("is_active")[:1], output_field=BooleanField()),
            asset_offers=Exists(AssetProtocol.objects.filter(asset_id=Value(asset_id, UUIDField()), name=protocol)),
            system_user_name=Subquery(system_user.values("name")[:1], output_field=CharField()),
            system_user_protocol=Subquery(system_user.values("protocol")[:1], output_field=CharField()),
        )
        .order_by("name")
    )
    return rows


_prepared_grants: Final = PreparedQuery(_grants, stand_ins=STAND_INS, columns=_COLUMNS)


def _grant(row: dict[str, Any], user_id: UUID, asset_id: UUID) -> GrantFacts:
    group = None if row["by_user"] or row["by_group_id"] is None else Named(row["by_group_id"], row["by_group_name"])
    node = None if row["by_asset"] or row["by_node_id"] is None else Named(row["by_node_id"], row["by_node_name"])
    return GrantFacts(
        permission=Named(row["id"], row["name"]),
        is_active=row["is_active"],
        date_start=row["date_start"],
        date_expired=row["date_expired"],
        actions=row["actions"],
        names_system_user=row["names_system_user"],
        user_is_member=row["user_is_member"],
        via=Via(
            user=Named(user_id, row["user_name"] or "") if row["by_user"] else None,
            user_group=group,
            asset=Named(asset_id, row["asset_name"] or "") if row["by_asset"] else None,
            node=node,
        ),
    )


def _facts_without_grants(user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: Protocol) -> Facts:
    parties = load_parties(user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, protocol=protocol)
    if parties is not None:
        return Facts(
            protocol=protocol,
            user=parties.user,
            asset=parties.asset,
            system_user=parties.system_user,
            grants=(),
            user_is_named=parties.user_is_named,
            asset_is_named=parties.asset_is_named,
        )
    asset = Asset.objects.filter(pk=asset_id).first()
    system_user = SystemUser.objects.filter(pk=system_user_id).first()
    return Facts(
        protocol=protocol,
        user=None,
        asset=asset
        and AssetFacts(
            id=asset.pk,
            name=asset.hostname,
            is_active=asset.is_active,
            offers_protocol=AssetProtocol.objects.filter(asset=asset, name=protocol.value).exists(),
        ),
        system_user=system_user
        and SystemUserFacts(id=system_user.pk, name=system_user.name, protocol=system_user.protocol),
        grants=(),
        user_is_named=False,
        asset_is_named=permissions_naming_asset(asset_id).exists(),
    )


def asset_is_known_to(user_id: UUID, asset_id: UUID) -> bool:
    """Whether any permission, valid or not, names both the user and the asset."""
    return (
        AssetPermission.objects.filter(pk__in=permissions_naming_user(user_id))
        .filter(pk__in=permissions_naming_asset(asset_id))
        .exists()
    )
