"""What happens to assets and to the tree."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AssetsChanged:
    """Assets, their places or the tree of an organization changed, so that what somebody may reach may have changed."""

    org_id: UUID


@dataclass(frozen=True, slots=True)
class AssetsDeleted:
    """These assets are gone."""

    org_id: UUID
    asset_ids: tuple[UUID, ...]
