"""What happens to invitations."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class InvitationSent:
    """An organization has invited somebody; also published when the invitation names nobody."""

    invitation_id: UUID


@dataclass(frozen=True, slots=True)
class InvitationAccepted:
    """A person has joined an organization by an invitation."""

    invitation_id: UUID
