"""Events of assets and of the tree."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AssetsChanged:
    """Assets, their placement or the tree of an organization changed. What users may reach may have changed with it."""

    org_id: UUID


@dataclass(frozen=True, slots=True)
class AssetsDeleted:
    """These assets were deleted."""

    org_id: UUID
    asset_ids: tuple[UUID, ...]
