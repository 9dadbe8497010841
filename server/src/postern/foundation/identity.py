"""Hooks through which the apps tell the foundation who calls, in which organization, and what that one is called.

The foundation imports no app, so `orgs` and `authn` register their functions here in `AppConfig.ready`:

- `register_scope_resolver(f)`: `f(request) -> OrgScope` reads `oid`, X-JMS-ORG … (contract: conventions section 3) and
  raises `NotFound` for an unknown organization (K68: never a silent fallback to the root).
- `register_actor_resolver(f)`: `f(request, scope) -> Actor` for an authenticated DRF request; it raises `NotAllowed` when
  the person has no business in the scope.
- `register_authenticators(C, …)`: the DRF authentication classes, in the order in which they are asked.
- `register_gate(f)`: `f(request, actor)` may raise to stop an authenticated actor everywhere (password must change …). Views
  with `gates_apply = False` are not gated.
- `register_standing(f)`: `f(actor)` raises when the actor's sign-in has ended, or when they hold less than they did when the
  request began.
- `register_org_names(f)`: `f() -> {org_id: name}`.
- `register_root_org_name(f)`: `f() -> str`, what administrators call the root organization; empty: as usual.
"""

from collections.abc import Callable, Mapping
from uuid import UUID

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from postern.foundation.actor import Actor, anonymous
from postern.foundation.scope import DEFAULT, OrgScope

ScopeResolver = Callable[[Request], OrgScope]
ActorResolver = Callable[[Request, OrgScope], Actor]
Gate = Callable[[Request, Actor], None]
Standing = Callable[[Actor], None]
OrgNames = Callable[[], Mapping[UUID, str]]


class _Hooks:
    scope: ScopeResolver | None = None
    actor: ActorResolver | None = None
    standing: Standing | None = None
    org_names: OrgNames | None = None
    root_org_name: Callable[[], str] | None = None
    gates: list[Gate] = []
    authenticators: tuple[type[BaseAuthentication], ...] = ()


def register_authenticators(*classes: type[BaseAuthentication]) -> None:
    _Hooks.authenticators = classes


def authenticators() -> list[BaseAuthentication]:
    """The registered authentication classes, as instances."""
    return [one() for one in _Hooks.authenticators]


def register_scope_resolver(resolver: ScopeResolver) -> None:
    _Hooks.scope = staticmethod(resolver)


def register_actor_resolver(resolver: ActorResolver) -> None:
    _Hooks.actor = staticmethod(resolver)


def register_standing(standing: Standing) -> None:
    _Hooks.standing = staticmethod(standing)


def register_org_names(names: OrgNames) -> None:
    _Hooks.org_names = staticmethod(names)


def register_root_org_name(name: Callable[[], str]) -> None:
    _Hooks.root_org_name = staticmethod(name)


def register_gate(gate: Gate) -> None:
    if gate not in _Hooks.gates:
        _Hooks.gates.append(gate)


def resolve_scope(request: Request) -> OrgScope:
    """The organization in which `request` wants to act."""
    return _Hooks.scope(request) if _Hooks.scope else DEFAULT


def resolve_actor(request: Request, scope: OrgScope) -> Actor:
    """Who makes `request`; anonymous when the authentication classes found nobody."""
    remote_addr = request.META.get("REMOTE_ADDR") or None
    if not request.user.is_authenticated or _Hooks.actor is None:
        return anonymous(remote_addr)
    return _Hooks.actor(request, scope)


def pass_gates(request: Request, actor: Actor) -> None:
    """Raise when a registered rule stops this actor everywhere."""
    for gate in _Hooks.gates:
        gate(request, actor)


def require_standing(actor: Actor) -> None:
    """Raise when the actor may no longer do what they could when the request began. To be asked where the write begins."""
    if _Hooks.standing is not None:
        _Hooks.standing(actor)


def org_name(org_id: UUID) -> str:
    """The name of an organization for people; empty when there is none."""
    return _Hooks.org_names().get(org_id, "") if _Hooks.org_names else ""


def root_org_name() -> str:
    """What the root organization, which is stored nowhere, is called."""
    return (_Hooks.root_org_name() if _Hooks.root_org_name else "") or "GLOBAL"
