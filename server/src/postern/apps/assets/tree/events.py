"""Events of assets and of the tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class AssetsChanged:
    """Assets, their placement or the tree of an organization changed. What users may reach may have changed with it."""

    org_id: UUID


@dataclass(frozen=True, slots=True)
class AssetsDeleted:
    """These assets were deleted."""

    org_id: UUID
    asset_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class AssetsPlaced:
    """Assets were added to nodes. `nodes` are the new nodes of each asset, `before` the nodes it was in already."""

    by: Actor
    org_id: UUID
    nodes: Mapping[UUID, frozenset[UUID]]
    before: Mapping[UUID, frozenset[UUID]]


@dataclass(frozen=True, slots=True)
class NodeMoved:
    """A node was moved with its subtree. `entered` are the nodes above it that were not above it before."""

    by: Actor
    org_id: UUID
    node_id: UUID
    entered: frozenset[UUID]
