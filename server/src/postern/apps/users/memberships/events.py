"""Events of memberships."""

from dataclasses import dataclass
from uuid import UUID

from postern.foundation.caller.actor import SYSTEM, Actor


@dataclass(frozen=True, slots=True)
class MembershipChanged:
    """Roles in an organization were given or removed; `removed`: no role is left.

    `by`: the actor, for the writes that follow.
    """

    user_id: UUID
    org_id: UUID
    removed: bool
    by: Actor = SYSTEM
