"""Events of system users, published after their transaction has committed."""

from dataclasses import dataclass
from uuid import UUID

from postern.foundation.caller.actor import Actor


@dataclass(frozen=True, slots=True)
class SystemUsersChanged:
    """System users of an organization changed or were deleted. What users may use may have changed with them."""

    org_id: UUID


@dataclass(frozen=True, slots=True)
class SystemUserBound:
    """A system user was bound to an asset, a node or a user: exactly one of them is set."""

    by: Actor
    org_id: UUID
    system_user_id: UUID
    asset_id: UUID | None = None
    node_id: UUID | None = None
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class AccountChanged:
    """What the accounts of a system user should be on hosts has changed: a secret, or a property such as the shell."""

    by: Actor
    org_id: UUID
    system_user_id: UUID
