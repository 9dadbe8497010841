"""Who calls, in which organization, and what that one is called. The foundation knows no app: `orgs`, `preferences` and `authn`
provide the answers through `CALLERS`.
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
    """What the apps know of callers."""

    #: The DRF authentication classes, in the order in which they are asked.
    authenticators: tuple[type[BaseAuthentication], ...]
    #: Reads `oid`, X-JMS-ORG … (contract: conventions section 3). Raises NotFound for an unknown organization (K68: never a
    #: silent fallback to the root).
    scope: Callable[[Request], OrgScope]
    #: The actor of an authenticated request. Raises NotAllowed when the person has no business in the scope.
    actor: Callable[[Request, OrgScope], Actor]
    #: May raise to stop an authenticated actor everywhere (password must change …); views with `gates_apply = False` excepted.
    gate: Callable[[Request, Actor], None]
    #: Raises when the actor's sign-in has ended, or when they hold less than they did when the request began.
    standing: Callable[[Actor], None]
    #: The name of an organization, empty when there is none.
    org_name: Callable[[UUID], str]
    #: What administrators call the root organization; empty: as usual.
    root_org_name: Callable[[], str]


CALLERS: Final = Provided[Callers]("who calls")


def authenticators() -> list[BaseAuthentication]:
    """The authentication classes, as instances."""
    return [one() for one in CALLERS.value.authenticators]


def resolve_scope(request: Request) -> OrgScope:
    """The organization in which `request` wants to act."""
    return CALLERS.value.scope(request)


def resolve_actor(request: Request, scope: OrgScope) -> Actor:
    """Who makes `request`; anonymous when the authentication classes found nobody."""
    if not request.user.is_authenticated:
        return anonymous(request.META.get("REMOTE_ADDR") or None)
    return CALLERS.value.actor(request, scope)


def pass_gates(request: Request, actor: Actor) -> None:
    """Raise when a rule stops this actor everywhere."""
    CALLERS.value.gate(request, actor)


def require_standing(actor: Actor) -> None:
    """Raise when the actor may no longer do what they could when the request began. To be asked where the write begins."""
    CALLERS.value.standing(actor)


def org_name(org_id: UUID) -> str:
    """The name of an organization for people; empty when there is none."""
    return CALLERS.value.org_name(org_id)


def root_org_name() -> str:
    """What the root organization, which is stored nowhere, is called."""
    return CALLERS.value.root_org_name() or "GLOBAL"
