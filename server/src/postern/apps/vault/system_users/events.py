"""Events of system users, published after their transaction has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SystemUsersChanged:
    """System users of an organization changed or were deleted. What users may use may have changed with them."""

    org_id: UUID
