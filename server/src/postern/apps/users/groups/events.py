"""Events of groups."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class GroupsChanged:
    """Members of groups changed, or groups were deleted."""

    org_id: UUID
    group_ids: tuple[UUID, ...]
