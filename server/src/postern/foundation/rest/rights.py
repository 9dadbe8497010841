"""The catalogue of rights that an endpoint can demand, and the permission class that enforces it.

Every view declares `rights`: one right, a tuple of rights of which any suffices, or a mapping from action names
(`list`, `create` …) or HTTP methods (`GET` …) to these. A view, action or method without a declaration is closed: the
request is refused, and a start-up check fails.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from rest_framework.permissions import BasePermission

from postern.foundation.caller.actor import Actor, ActorKind
from postern.foundation.caller.scope import OrgScope

if TYPE_CHECKING:  # at run time this would be an import cycle: `rest_framework.views` imports this module
    from rest_framework.request import Request
    from rest_framework.views import APIView


class Right(StrEnum):
    """Who may call (contract: conventions section 4)."""

    ANYONE = "anyone"
    AUTHENTICATED = "authenticated"
    VALID_USER = "valid_user"
    ORG_MEMBER = "org_member"  # UserCanAnyPermCurrentOrg
    ORG_AUDITOR = "org_auditor"
    ORG_ADMIN = "org_admin"
    SUPER_AUDITOR = "super_auditor"
    SUPER_USER = "super_user"
    TERMINAL = "terminal"  # a registered component with its own credential
    BOOTSTRAP = "bootstrap"  # holders of the bootstrap token


RightsOf = Right | tuple[Right, ...]
Rights = RightsOf | Mapping[str, RightsOf]

#: For resources that only administrators of the organization see and change. Bulk and partial actions follow these.
ORG_ADMIN_ONLY: Final[Mapping[str, RightsOf]] = dict.fromkeys(
    ("list", "retrieve", "create", "update", "destroy"), Right.ORG_ADMIN
)

_TESTS: Final[dict[Right, Callable[[Actor, OrgScope], bool]]] = {
    Right.ANYONE: lambda _actor, _scope: True,
    Right.AUTHENTICATED: lambda actor, _scope: actor.is_user or actor.kind is ActorKind.TERMINAL,
    Right.VALID_USER: lambda actor, _scope: actor.is_valid_user,
    Right.ORG_MEMBER: lambda actor, scope: (
        actor.is_valid_user and (actor.is_super_auditor or actor.is_super_user or scope.org_id in actor.org_ids)
    ),
    Right.ORG_AUDITOR: lambda actor, _scope: actor.is_valid_user and actor.is_org_auditor,
    Right.ORG_ADMIN: lambda actor, _scope: actor.is_valid_user and actor.is_org_admin,
    Right.SUPER_AUDITOR: lambda actor, _scope: actor.is_valid_user and actor.is_super_auditor,
    Right.SUPER_USER: lambda actor, _scope: actor.is_valid_user and actor.is_super_user,
    Right.TERMINAL: lambda actor, _scope: actor.kind is ActorKind.TERMINAL,
    Right.BOOTSTRAP: lambda actor, _scope: actor.kind is ActorKind.BOOTSTRAP,
}


#: Variants of an action use the right of the first of these actions that is declared.
_MORE_GENERAL: Final[dict[str, tuple[str, ...]]] = {
    "partial_update": ("update",),
    "bulk_update": ("update",),
    "partial_bulk_update": ("update",),
    "bulk_destroy": ("destroy",),
    "render_to_json": ("create", "update"),  # an import calls one of these afterwards
}


def holds(right: RightsOf, actor: Actor, scope: OrgScope) -> bool:
    """Whether `actor` has the right (or any of several) in `scope`."""
    wanted = right if isinstance(right, tuple) else (right,)
    return any(_TESTS[sufficient](actor, scope) for sufficient in wanted)


def declared(view: Any, method: str, action: str | None) -> RightsOf | None:
    """The right that `view` declares for an action or method; None when it declares none."""
    rights: Rights | None = getattr(view, "rights", None)
    if rights is None or isinstance(rights, Right | tuple):
        return rights
    if action and action in rights:
        return rights[action]
    for general in _MORE_GENERAL.get(action or "", ()):
        if general in rights:
            return rights[general]
    if method in rights:
        return rights[method]
    if method == "HEAD":
        return declared(view, "GET", action)
    return None


class RightsPermission(BasePermission):
    """Default deny. This is the only default permission class; views do not replace it."""

    def has_permission(self, request: "Request", view: "APIView") -> bool:
        actor: Actor = request.actor  # type: ignore[attr-defined]  # set by PosternView.perform_authentication
        scope: OrgScope = request.org_scope  # type: ignore[attr-defined]  # set by PosternView.perform_authentication
        if request.method == "OPTIONS":
            return any(holds(right, actor, scope) for right in rights_of_view(view).values())
        # answered with 405; callers who are not signed in learn this only from views that are open to anyone
        if request.method not in view.allowed_methods:
            open_view = Right.ANYONE in rights_of_view(view).values()
            return open_view or holds(Right.AUTHENTICATED, actor, scope)
        right = declared(view, request.method or "", getattr(view, "action", None))
        return right is not None and holds(right, actor, scope)


def rights_of_view(view: Any) -> dict[str, RightsOf]:
    """Method → right, for each method that `view` implements and declares, without OPTIONS and HEAD."""
    rights_by_method: dict[str, RightsOf] = {}
    actions: Mapping[str, str] = getattr(view, "action_map", None) or getattr(view, "actions", None) or {}
    if actions:
        pairs = [(method.upper(), action) for method, action in actions.items()]
    else:
        names = getattr(view, "http_method_names", ())
        pairs = [(name.upper(), "") for name in names if hasattr(view, name)]
    for method, action in pairs:
        if method in {"OPTIONS", "HEAD", "TRACE"}:
            continue
        right = declared(view, method, action or None)
        if right is not None:
            rights_by_method[method] = right
    return rights_by_method
