"""The signed cookie of a browser that a user trusts at the second factor: one for each user who signs in with it."""

from typing import Final

from django.conf import settings
from rest_framework.request import Request

from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.authn.known_places import trust
from postern.apps.authn.sign_in.api import device_cookie
from postern.apps.rbac import facade as rbac
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT

_PREFIX: Final = "__Host-postern_trust_" if settings.POSTERN.https else "postern_trust_"


def begin(request: Request, user: User) -> None:
    """Trust this browser, after the user has shown the second factor in it. Does nothing while trust is off."""
    text = trust.begin(
        actor=_actor(request, user),
        user=user,
        remote_addr=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", ""),
    )
    if text is not None:
        name = device_cookie.name_for(_PREFIX, user.username)
        device_cookie.send(request._request, name, text, trust.lifetime())  # noqa: SLF001 - where the view looks for it


def use(request: Request, user: User) -> bool:
    """Use the trust of the user in this browser. Returns whether there is one. Call it in the transaction of the
    sign-in.
    """
    browser = trust.find(user, request.COOKIES.get(device_cookie.name_for(_PREFIX, user.username), ""))
    return browser is not None and trust.use(actor=_actor(request, user), user=user, browser=browser)


def _actor(request: Request, user: User) -> Actor:
    rights = rbac.rights_of(user, ROOT)
    return actor_of_user(user, rights, remote_addr=request.META.get("REMOTE_ADDR"), login_session=None)
