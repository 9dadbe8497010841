"""What happened to system users; published after the transaction that did it has committed."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SystemUsersChanged:
    """System users of an organization changed or went away, so that what somebody may use may have changed."""

    org_id: UUID
