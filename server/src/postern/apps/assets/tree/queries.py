"""Reads of the assets app: counts of the tree, subtrees, filters."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from postern.apps.assets.platforms.models import PlatformBase
from postern.apps.assets.tree.models import Asset, AssetNode, AssetProtocol, Connectivity, Node, NodePath, TreeVersion
from postern.contracts.enums import Protocol
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.prepared import PreparedQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetBrief:
    """The fields of an asset that other apps need.

    `charset` is utf8 or gbk; `protocols` maps each protocol to its port; `is_windows` is the base of its platform.
    """

    id: UUID
    hostname: str
    ip: str
    org_id: UUID
    platform: str
    charset: str
    is_active: bool
    comment: str
    protocols: Mapping[Protocol, int]
    domain_id: UUID | None = None
    is_windows: bool = False


def unreachable_assets(org_id: UUID | None, most: int) -> int:
    """Number of active assets whose last connection test failed, up to `most`."""
    # In the text of the query, because SQLite uses a partial index only for a condition without parameters.
    failed = RawSQL(f"'{Connectivity.FAILED.value}'", ())  # noqa: S611 - a constant
    rows = Asset.objects.filter(connectivity=failed, is_active=True).order_by()
    return (rows if org_id is None else rows.filter(org_id=org_id))[:most].count()


def briefs(ids: Iterable[UUID]) -> dict[UUID, AssetBrief]:
    """Briefs of the existing assets, by id."""
    rows = Asset.objects.filter(pk__in=set(ids)).select_related("platform").prefetch_related("protocol_rows")
    return {
        row.pk: AssetBrief(
            id=row.pk,
            hostname=row.hostname,
            ip=row.ip,
            org_id=row.org_id,
            platform=row.platform.name,
            charset=row.platform.charset,
            is_active=row.is_active,
            comment=row.comment,
            protocols={Protocol(item.name): item.port for item in row.protocol_rows.all()},
            domain_id=row.domain_id,
            is_windows=row.platform.base == PlatformBase.WINDOWS,
        )
        for row in rows
    }


def domains_of(asset_ids: Iterable[UUID]) -> dict[UUID, UUID | None]:
    """The domain of each existing asset."""
    return dict(Asset.objects.filter(pk__in=set(asset_ids)).order_by().values_list("pk", "domain_id"))


def admin_users_of(asset_ids: Iterable[UUID]) -> dict[UUID, UUID | None]:
    """The admin user of each existing asset."""
    return dict(Asset.objects.filter(pk__in=set(asset_ids)).order_by().values_list("pk", "admin_user_id"))


def below(node_id: UUID) -> QuerySet[Any, Any]:
    """Ids of the node and of all nodes in its subtree."""
    return NodePath.objects.filter(ancestor_id=node_id).values("descendant_id")


def assets_in(node: Node, *, all_below: bool) -> QuerySet[Asset]:
    """Assets directly in the node or, with `all_below`, anywhere in its subtree."""
    return within(Asset.objects.all(), node, all_below=all_below)


def within(assets: QuerySet[Asset], node: Node, *, all_below: bool) -> QuerySet[Asset]:
    """Those of the assets that are directly in the node or, with `all_below`, anywhere in its subtree."""
    if all_below and node.is_root:  # every asset is somewhere below the root of its organization
        return assets.filter(org_id=node.org_id)
    places = AssetNode.objects.filter(node_id__in=below(node.pk)) if all_below else AssetNode.objects.filter(node=node)
    return assets.filter(pk__in=places.values("asset_id"))


def stands_below(node: Node) -> Exists:
    """Condition: the asset of the outer query is in the node's subtree.

    Use it where the outer query is driven by another table.
    """
    below_node = NodePath.objects.filter(descendant_id=OuterRef("node_id"), ancestor=node)
    return Exists(AssetNode.objects.filter(Exists(below_node), asset_id=OuterRef("pk")))


def has_more_below(node: Node, number: int) -> bool:
    """Whether the node's subtree has more than `number` assets. Reads at most `number` + 1 rows."""
    places = AssetNode.objects.filter(node__paths_up__ancestor=node).values("asset_id")
    return places.distinct()[: number + 1].count() > number


def asset_counts(nodes: Iterable[Node]) -> dict[UUID, int]:
    """Number of distinct assets in the subtree of each node, counted now. See also `kept_counts`."""
    below_roots: dict[UUID, UUID] = {}
    others: list[UUID] = []
    for node in nodes:
        if node.is_root:
            below_roots[node.org_id] = node.pk
        else:
            others.append(node.pk)
    return _counts_of_organizations(below_roots) | _counts_below(others)


def _counts_of_organizations(roots: Mapping[UUID, UUID]) -> dict[UUID, int]:
    """Every asset is somewhere below the root of its organization, so its assets are counted without the tree."""
    if not roots:
        return {}
    counted = Asset.objects.filter(org_id__in=roots).order_by().values_list("org_id").annotate(Count("pk"))
    counts = dict(counted)
    return {node_id: counts.get(org_id, 0) for org_id, node_id in roots.items()}


def _counts_below(node_ids: Sequence[UUID]) -> dict[UUID, int]:
    if not node_ids:
        return {}
    counted = (
        NodePath.objects.filter(ancestor__in=node_ids)
        .values("ancestor_id")
        .annotate(count=Count("descendant__asset_rows__asset_id", distinct=True))
        .values_list("ancestor_id", "count")
    )
    return dict(counted)


def speaking(rows: QuerySet[Asset], text: str) -> QuerySet[Asset]:
    """Assets with a protocol whose text form (`ssh/22`) contains `text`, ignoring case. Empty text matches no asset."""
    name, slash, port = text.strip().lower().partition("/")
    if not name and not port:
        return rows.none()
    condition = Q(name__icontains=name)
    if slash:
        # "sh/2" is contained in "ssh/22": the name ends with the left part, the port starts with the right part.
        condition = Q(name__iendswith=name) & Q(port__in=_ports_starting_with(port))
    elif name.isascii() and name.isdigit():
        condition |= Q(port__in=_ports_containing(name))
    return rows.filter(pk__in=AssetProtocol.objects.filter(condition).values("asset_id"))


def _ports_starting_with(prefix: str) -> list[int]:
    used = AssetProtocol.objects.order_by().values_list("port", flat=True).distinct()
    return [port for port in used if str(port).startswith(prefix)]


def _ports_containing(part: str) -> list[int]:
    used = AssetProtocol.objects.order_by().values_list("port", flat=True).distinct()
    return [port for port in used if part in str(port)]


def labelled(rows: QuerySet[Asset], text: str) -> QuerySet[Asset]:
    """Assets with the label `name:value` or `name#value`; a name alone matches any value."""
    for separator in (":", "#"):
        name, found, value = text.partition(separator)
        if found:
            return rows.filter(
                pk__in=Asset.labels.through.objects.filter(label__name=name, label__value=value).values("asset_id")
            )
    return rows.filter(pk__in=Asset.labels.through.objects.filter(label__name=text).values("asset_id"))


#: Tables that `tree_version` covers: every write to them goes through `change_log.begin`.
VERSIONED_TABLES: Final = frozenset(
    {"assets_asset", "assets_assetnode", "assets_assetprotocol", "assets_node", "assets_nodepath"}
)


def tree_version(scope: OrgScope) -> Hashable:
    """A version that changes with every write to the tree and the assets visible in the scope."""
    if scope.is_root:
        return tuple(_versions().tuples())
    return tuple(_version().tuples(org_id=scope.org_id))


@cache
def _version() -> PreparedQuery:
    return PreparedQuery(
        lambda org_id: TreeVersion.objects.filter(org_id=org_id).order_by(),
        stand_ins={"org_id": UUID(int=1)},
        columns=("org_id", "seq"),
    )


@cache
def _versions() -> PreparedQuery:
    return PreparedQuery(lambda: TreeVersion.objects.order_by("org_id"), columns=("org_id", "seq"))
