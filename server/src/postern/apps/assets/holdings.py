"""What organizations own in this app: assets, nodes, labels and domains.

The root node is created and deleted with its organization.
"""

from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.assets.tree.actions import drop_root, ensure_root
from postern.apps.assets.tree.models import Asset, Domain, Label, Node
from postern.apps.orgs import facade as orgs
from postern.foundation.caller.actor import Actor


def _nodes_below_the_root() -> "QuerySet[Node]":
    rows: QuerySet[Node] = Node.objects.filter(parent__isnull=False)
    return rows


def _name_root(actor: Actor, org_id: UUID, name: str) -> None:
    ensure_root(actor=actor, org_id=org_id, name=name)


def _drop_root(actor: Actor, org_id: UUID) -> None:
    del actor  # the audit log records the deletion of the organization instead
    drop_root(org_id=org_id)


HOLDINGS: Final = (
    orgs.Holding(label=_("Assets"), rows=Asset.objects.all, statistic="assets_amount"),
    orgs.Holding(label=_("Nodes"), rows=Node.objects.all, statistic="nodes_amount", keeps=False),
    orgs.Holding(label=_("Nodes"), rows=_nodes_below_the_root),
    orgs.Holding(label=_("Labels"), rows=Label.objects.all),
    orgs.Holding(label=_("Domains"), rows=Domain.objects.all, statistic="domains_amount"),
)
LIFECYCLE: Final = orgs.Lifecycle(named=_name_root, dissolved=_drop_root)
