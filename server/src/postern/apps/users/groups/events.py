"""What happens to groups."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class GroupsChanged:
    """Members of groups changed, or groups went away."""

    org_id: UUID
    group_ids: tuple[UUID, ...]
