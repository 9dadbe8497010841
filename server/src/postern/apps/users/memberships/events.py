"""What happens to memberships."""

from dataclasses import dataclass
from uuid import UUID

from postern.foundation.caller.actor import SYSTEM, Actor


@dataclass(frozen=True, slots=True)
class MembershipChanged:
    """Roles in an organization were given or taken; `removed`: no role is left. `by`: who did it, for what goes with it."""

    user_id: UUID
    org_id: UUID
    removed: bool
    by: Actor = SYSTEM
