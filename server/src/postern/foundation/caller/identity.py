"""The caller of a request, its organization, and the organization's name.

The foundation imports no app: `orgs`, `preferences` and `authn` provide the functions through `CALLERS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from postern.foundation.caller.actor import Actor, anonymous
from postern.foundation.caller.scope import OrgScope
from postern.foundation.provided import Provided


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Functions of the apps that identify callers."""

    #: The DRF authentication classes, in the order in which they are tried.
    authenticators: tuple[type[BaseAuthentication], ...]
    #: Reads `oid`, X-JMS-ORG … (contract: conventions section 3). Raises NotFound for an unknown organization, and
    #: never falls back to the root organization.
    scope: Callable[[Request], OrgScope]
    #: Maps an authenticated request to its actor. Raises NotAllowed when the person may not act in the scope.
    actor: Callable[[Request, OrgScope], Actor]
    #: Raises to stop an authenticated actor in all views (for example until the password is changed), except in views
    #: with `gates_apply = False`.
    gate: Callable[[Request, Actor], None]
    #: Raises when the actor's sign-in has ended, or when the actor has fewer rights than at the beginning of the
    #: request.
    standing: Callable[[Actor], None]
    #: Returns the name of an organization; empty for an unknown id.
    org_name: Callable[[UUID], str]
    #: Returns the administrators' name for the root organization; empty for the default name.
    root_org_name: Callable[[], str]


CALLERS: Final = Provided[Callers]("who calls")


def authenticators() -> list[BaseAuthentication]:
    """Instances of the authentication classes."""
    return [authenticator_class() for authenticator_class in CALLERS.value.authenticators]


def resolve_scope(request: Request) -> OrgScope:
    """The organization that `request` asks for."""
    return CALLERS.value.scope(request)


def resolve_actor(request: Request, scope: OrgScope) -> Actor:
    """The actor of `request`; anonymous when no authentication class recognized the caller."""
    if not request.user.is_authenticated:
        return anonymous(request.META.get("REMOTE_ADDR") or None)
    return CALLERS.value.actor(request, scope)


def pass_gates(request: Request, actor: Actor) -> None:
    """Raise when a rule stops this actor in all views."""
    CALLERS.value.gate(request, actor)


def require_standing(actor: Actor) -> None:
    """Raise when the actor has lost rights since the request began. Call it at the beginning of a write."""
    CALLERS.value.standing(actor)


def org_name(org_id: UUID) -> str:
    """The display name of an organization; empty for an unknown id."""
    return CALLERS.value.org_name(org_id)


def root_org_name() -> str:
    """The name of the root organization, which has no row in the database."""
    return CALLERS.value.root_org_name() or "GLOBAL"
