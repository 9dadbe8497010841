"""The acting person or component. Every write takes an `Actor`, and so does every read that depends on the person.

An actor is an immutable value created at the edge (request, websocket, task, command line). Code below does not need to
know about sessions, tokens or thread-locals.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from postern.contracts.enums import RoleBits


class ActorKind(StrEnum):
    """The kinds of actors."""

    ANONYMOUS = "anonymous"
    USER = "user"
    SERVICE = "service"  # a service account: a user that is a program
    TERMINAL = "terminal"  # a registered component, with its own credential
    BOOTSTRAP = "bootstrap"  # a component that may register and do nothing else
    SYSTEM = "system"  # Postern itself: tasks, the command line, installation


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person or component with its permission bits **in the scope of the request**.

    `bits` is the union of the role bits (a system administrator has super+admin+audit+use, an organization's auditor
    audit+use, an active user use). A disabled or expired user has no bits at all. `org_ids` are the organizations of
    which the user is a member in any role. `credential` identifies the access key or token of a program that has not
    signed in. `scope_id` is the organization that `bits` apply to; None for actors whose bits do not depend on an
    organization. `epoch` is the user's session epoch when the request was authenticated; ending all of a user's
    sessions changes it.
    """

    kind: ActorKind
    user_id: UUID | None = None
    username: str = ""
    name: str = ""
    bits: RoleBits = RoleBits.NONE
    scope_id: UUID | None = None
    remote_addr: str | None = None
    login_session: str | None = None
    credential: str | None = None
    epoch: int | None = None
    org_ids: frozenset[UUID] = field(default_factory=frozenset)

    @property
    def label(self) -> str:
        """The actor's name in logs: `Name(username)`."""
        if not self.username:
            return self.name or str(self.kind)
        return f"{self.name}({self.username})" if self.name else self.username

    @property
    def is_user(self) -> bool:
        """A person, or a service account."""
        return self.kind in {ActorKind.USER, ActorKind.SERVICE}

    @property
    def is_super_user(self) -> bool:
        """The system administrator (system role Admin)."""
        return self.kind is ActorKind.SYSTEM or RoleBits.SUPER | RoleBits.ADMIN in self.bits

    @property
    def is_super_auditor(self) -> bool:
        """May see everything: the system auditor, or the system administrator."""
        return self.kind is ActorKind.SYSTEM or RoleBits.SUPER | RoleBits.AUDIT in self.bits

    def belongs_to(self, org_id: UUID) -> bool:
        """Whether the user still owns what they made in this organization: they are a member, or the system
        administrator.
        """
        return self.is_super_user or org_id in self.org_ids

    @property
    def is_org_admin(self) -> bool:
        """Administrator of the organization of the request (or of all)."""
        return self.kind is ActorKind.SYSTEM or RoleBits.ADMIN in self.bits

    @property
    def is_org_auditor(self) -> bool:
        """May see the records of the request's organization: its auditors and administrators."""
        return self.kind is ActorKind.SYSTEM or bool(self.bits & (RoleBits.AUDIT | RoleBits.ADMIN))

    @property
    def is_valid_user(self) -> bool:
        """An authenticated user who is active and not expired."""
        return self.is_user and RoleBits.USE in self.bits


#: Postern itself, for tasks, installation and the command line.
SYSTEM = Actor(kind=ActorKind.SYSTEM, name="System")


def anonymous(remote_addr: str | None = None) -> Actor:
    """A caller who has not authenticated."""
    return Actor(kind=ActorKind.ANONYMOUS, name="Anonymous", remote_addr=remote_addr)
