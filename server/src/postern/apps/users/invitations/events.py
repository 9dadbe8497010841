"""Events of invitations."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class InvitationSent:
    """An organization has invited a user; also published when the name is unknown."""

    invitation_id: UUID


@dataclass(frozen=True, slots=True)
class InvitationAccepted:
    """A user has joined an organization by an invitation."""

    invitation_id: UUID
