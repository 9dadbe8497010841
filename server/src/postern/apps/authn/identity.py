"""From an authenticated request to an `Actor`, and the gate of people whose password must change."""

from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from postern.apps.authn.errors import PasswordMustChange
from postern.apps.authn.models import AccessKey, BearerToken, LoginSession
from postern.apps.authn.policy import password_is_due
from postern.apps.rbac import facade as rbac
from postern.apps.users.models import User
from postern.foundation.actor import Actor, ActorKind, anonymous
from postern.foundation.scope import OrgScope
from postern.kernel import clock
from postern.kernel.errors import NotAllowed

_ORG_NAMES: Final = ("oid",)
_ORG_HEADER: Final = "X-JMS-ORG"


def actor_of_request(request: Request, scope: OrgScope) -> Actor:
    """Who makes `request`, with his bits in `scope`.

    Raises NotAllowed when the request names an organization in which the person has no business (K68). Views marked
    `strangers_allowed` (the own profile) let him in all the same, without any right of that organization, so that a
    console can recover from an organization that its user has left.
    """
    if isinstance(request.auth, Actor):  # components: their authentication class has made the actor
        return request.auth
    remote_addr = request.META.get("REMOTE_ADDR") or None
    if not isinstance(request.user, User):
        return anonymous(remote_addr)
    rights = rbac.rights_of(request.user, scope)
    view: Any = request.parser_context.get("view") if request.parser_context else None
    own_scope = getattr(view, "always_root", False) or getattr(view, "strangers_allowed", False)
    if not own_scope and _names_organization(request) and not rights.may_enter(scope, system_role=request.user.role):
        raise NotAllowed(_("You do not belong to this organization."))
    return actor_of_user(
        request.user,
        rights,
        remote_addr=remote_addr,
        login_session=_login_session_id(request.auth),
        credential=_credential(request.auth),
    )


def actor_of_user(
    user: User,
    rights: rbac.Rights,
    *,
    remote_addr: str | None,
    login_session: str | None,
    credential: str | None = None,
) -> Actor:
    """The person as an actor."""
    return Actor(
        kind=ActorKind.USER,
        user_id=user.pk,
        username=user.username,
        name=user.name,
        bits=rights.bits,
        remote_addr=remote_addr,
        login_session=login_session,
        credential=credential,
        org_ids=rights.org_ids,
    )


def require_password_in_order(request: Request, actor: Actor) -> None:
    """The gate: until the password is changed nothing is open but profile, password change and sign-out.

    Access keys are credentials of their own, but they may not outlive what their owner may do (K51): they are gated too.
    """
    del actor
    if isinstance(request.user, User) and request.auth is not None and password_is_due(request.user, now=clock.now()):
        raise PasswordMustChange


def _names_organization(request: Request) -> bool:
    return bool(
        any(request.query_params.get(name) for name in _ORG_NAMES)
        or request.headers.get(_ORG_HEADER)
        or request.COOKIES.get(_ORG_HEADER)
    )


def _credential(auth: object) -> str | None:
    """Which key or token was shown, for the log: its id, never its secret."""
    match auth:
        case AccessKey():
            return f"access_key:{auth.pk}"
        case BearerToken():
            return f"token:{auth.pk}"
        case _:
            return None


def _login_session_id(auth: object) -> str | None:
    return str(auth.pk) if isinstance(auth, LoginSession) else None
