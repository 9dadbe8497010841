"""Builds an `Actor` from an authenticated request, and stops users with an unmet condition."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.request import Request

from postern.apps.authn.callers import conditions
from postern.apps.authn.callers.conditions import Condition
from postern.apps.authn.callers.errors import OrganizationClosed
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.login_acls.deciding import is_admitted
from postern.apps.authn.login_acls.errors import AdmissionEnded
from postern.apps.orgs import facade as orgs
from postern.apps.rbac import facade as rbac
from postern.apps.users import facade as users
from postern.apps.users.accounts.errors import RightsLost, SignInEnded
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor, ActorKind, anonymous
from postern.foundation.caller.scope import DEFAULT, OrgScope
from postern.foundation.rest.relations import rows_by_key
from postern.foundation.rest.rights import Right


def scope_of_request(request: Request) -> OrgScope:
    """The organization that a request names: query `oid`, header X-JMS-ORG, cookie X-JMS-ORG; else the default
    organization.

    Raises UnknownOrganization (404; K68: an unknown organization is never the root). A cookie may be older than a
    change of organizations or memberships, and the client did not choose it for this request. Views with `falls_back`
    (the own profile, the current organization) then use an organization of the user, so that the console can recover.
    Other views do not, because they would read or change objects of an organization that the client did not name.
    """
    naming = orgs.naming_of(request)
    if naming is None:
        return DEFAULT
    if not naming.is_kept or not _view_has(request, "falls_back"):
        return orgs.find_scope(naming.text)
    try:
        scope = orgs.find_scope(naming.text)
    except orgs.UnknownOrganization:
        return _open_scope(request.user)
    return scope if _is_open(request.user, scope) else _open_scope(request.user)


def _is_open(user: object, scope: OrgScope) -> bool:
    if not isinstance(user, User):
        return False
    return rbac.rights_of(user, scope).may_enter(scope, system_role=user.role)


def _open_scope(user: object) -> OrgScope:
    """The default organization if the user may enter it, else the first of their organizations."""
    if not isinstance(user, User) or _is_open(user, DEFAULT):
        return DEFAULT
    memberships = users.org_roles_of(user.pk)
    return OrgScope(memberships[0].org_id) if memberships else DEFAULT


def actor_of_request(request: Request, scope: OrgScope) -> Actor:
    """The caller of `request`, with their permission bits in `scope`.

    Raises AdmissionEnded when a login ACL refuses the user from this address or now, and OrganizationClosed when the
    user does not belong to the organization. Views with `strangers_allowed` (the own profile) admit such users
    without any right in that organization.
    """
    if isinstance(request.auth, Actor):  # the authentication class of components has built the actor already
        return request.auth
    remote_addr = request.META.get("REMOTE_ADDR") or None
    if not isinstance(request.user, User):
        return anonymous(remote_addr)
    if request.auth is not None and not is_admitted(request.user.pk, remote_addr):
        if _view_is_public(request):  # so that another person can sign in with this browser
            request.user, request.auth = AnonymousUser(), None
            return anonymous(remote_addr)
        raise AdmissionEnded
    rights = rbac.rights_of(request.user, scope)
    own_scope = _view_has(request, "always_root") or _view_has(request, "strangers_allowed")
    if not own_scope and orgs.naming_of(request) and not rights.may_enter(scope, system_role=request.user.role):
        raise OrganizationClosed
    return actor_of_user(
        request.user,
        rights,
        remote_addr=remote_addr,
        login_session=_login_session_id(request.auth),
        credential=callers.credential_of(request.auth),
    )


def _view_has(request: Request, mark: str) -> bool:
    view: Any = request.parser_context.get("view") if request.parser_context else None
    return bool(getattr(view, mark, False))


def _view_is_public(request: Request) -> bool:
    view: Any = request.parser_context.get("view") if request.parser_context else None
    return getattr(view, "rights", None) is Right.ANYONE


def require_standing(actor: Actor) -> None:
    """Raise SignInEnded or RightsLost when the sign-in of the caller has ended or their rights were reduced since the
    request began.
    """
    if not actor.is_user or actor.user_id is None:
        return
    user = rows_by_key(User, [actor.user_id], None).get(actor.user_id)
    if user is None or user.session_epoch != actor.epoch:
        raise SignInEnded
    if callers.has_lost_rights(actor, user):
        raise RightsLost


def kind_of(user: User) -> ActorKind:
    """The kind of actor that this user is, as the audit log records it."""
    return ActorKind.SERVICE if user.is_service_account else ActorKind.USER


def actor_of_user(
    user: User,
    rights: rbac.Rights,
    *,
    remote_addr: str | None,
    login_session: str | None,
    credential: str | None = None,
) -> Actor:
    """The user as an actor."""
    return Actor(
        kind=kind_of(user),
        user_id=user.pk,
        username=user.username,
        name=user.name,
        bits=rights.bits,
        scope_id=rights.scope_id,
        remote_addr=remote_addr,
        login_session=login_session,
        credential=credential,
        epoch=user.session_epoch,
        org_ids=rights.org_ids,
    )


def require_conditions(request: Request, actor: Actor) -> None:
    """While the user has an unmet condition, allow only the views that are needed to meet it.

    `open_before_confirmation` marks the views that the first-login page needs. Only browser sessions can use
    them, because only a browser shows the notice. Tokens and access keys cannot.
    """
    del actor
    if not isinstance(request.user, User) or request.auth is None:
        return
    condition = conditions.unmet(request.user)
    view: Any = request.parser_context.get("view") if request.parser_context else None
    helps = isinstance(request.auth, LoginSession) and getattr(view, "open_before_confirmation", False)
    if condition is not None and not (condition is Condition.NOTICE and helps):
        raise conditions.closed(condition)


def _login_session_id(auth: object) -> str | None:
    return str(auth.pk) if isinstance(auth, LoginSession) else None
