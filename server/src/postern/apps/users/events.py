"""What happened to people; published after the transaction that did it has committed."""

from dataclasses import dataclass
from uuid import UUID

from postern.foundation.caller.actor import SYSTEM, Actor


@dataclass(frozen=True, slots=True)
class UserCreated:
    user_id: UUID
    username: str


@dataclass(frozen=True, slots=True)
class UserClosed:
    """The person may no longer act: everything that he has open ends now (K40).

    `cause`: `disabled`, `expired` or `deleted`.
    """

    user_id: UUID
    username: str
    cause: str


@dataclass(frozen=True, slots=True)
class UserExpiryMoved:
    """The end date of an account was set or moved: what the person has open ends at another instant."""

    user_id: UUID


@dataclass(frozen=True, slots=True)
class PasswordChanged:
    """The password was set anew; login sessions and tokens made with the old one are void."""

    user_id: UUID
    username: str
    by_self: bool


@dataclass(frozen=True, slots=True)
class PublicKeysChanged:
    user_id: UUID
    username: str


@dataclass(frozen=True, slots=True)
class MembershipChanged:
    """Roles in an organization were given or taken; `removed`: no role is left. `by`: who did it, for what goes with it."""

    user_id: UUID
    org_id: UUID
    removed: bool
    by: Actor = SYSTEM


@dataclass(frozen=True, slots=True)
class GroupsChanged:
    """Members of groups changed, or groups went away."""

    org_id: UUID
    group_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class InvitationSent:
    """An organization has invited somebody; also published when the invitation names nobody."""

    invitation_id: UUID


@dataclass(frozen=True, slots=True)
class InvitationAccepted:
    """A person has joined an organization by an invitation."""

    invitation_id: UUID
