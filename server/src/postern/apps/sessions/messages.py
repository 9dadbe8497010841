"""Names of sessions and users in logs, and the actors of a proxy's reports."""

from typing import Any
from uuid import UUID

from postern.contracts.access import UserIdentity
from postern.foundation.caller.actor import Actor, ActorKind


def title(session: Any) -> str:
    """`system user@asset`: the name of a session in logs."""
    return f"{session.system_user}@{session.asset}"


def label(identity: UserIdentity) -> str:
    """`Name(username)`."""
    return f"{identity.name}({identity.username})" if identity.name else identity.username


def kind_of(identity: UserIdentity) -> ActorKind:
    """The kind of actor that the connected user is."""
    return ActorKind.SERVICE if identity.is_service_account else ActorKind.USER


def person(identity: UserIdentity, remote_addr: str, login_session: UUID | None = None) -> Actor:
    """The connected user, as the actor of what a proxy requests for them. Has no rights."""
    return Actor(
        kind=kind_of(identity),
        user_id=identity.id,
        username=identity.username,
        name=identity.name,
        remote_addr=remote_addr or None,
        login_session=str(login_session) if login_session else None,
    )


def owner(session: Any) -> Actor:
    """The owner of the session, as the actor of events in it."""
    return Actor(
        kind=ActorKind(session.actor_kind),
        user_id=session.user_id,
        username=session.username,
        name=session.user.removesuffix(f"({session.username})"),
        remote_addr=session.remote_addr or None,
        login_session=str(session.login_session) if session.login_session else None,
    )


def component(name: str, remote_addr: str | None = None) -> Actor:
    """A proxy as an actor."""
    return Actor(kind=ActorKind.TERMINAL, name=name, remote_addr=remote_addr)
