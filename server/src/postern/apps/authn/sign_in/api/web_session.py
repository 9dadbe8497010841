"""The browser session of a sign-in: each sign-in gets a new session key, and no data of an earlier user."""

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils.translation import get_language
from rest_framework.request import Request

from postern.apps.authn.credentials.actions.login_sessions import SESSION_ENTRY, SignInOrigin, open_login_session
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.sign_in.actions.sign_in import MfaState, Proof, signed_in
from postern.apps.authn.sign_in.api import device_cookie
from postern.apps.users.models import Language, User


def origin_of(request: Request) -> SignInOrigin:
    """The origin of a request, for the login log."""
    return SignInOrigin(
        remote_addr=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", "")[:254],
        language=_language(request),
    )


def _language(request: Request) -> str:
    """The language of the cookie or the browser; "" without either, because the installation's language is not the
    user's choice.
    """
    active = get_language() or ""
    requested = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") + request.headers.get("Accept-Language", "")
    is_requested = active.partition("-")[0] in requested.lower()
    return active if is_requested and active in Language.values else ""


@transaction.atomic
def sign_in(request: HttpRequest, proof: Proof, origin: SignInOrigin) -> User:
    """Sign the user in on this browser and record it in the login log, in one transaction."""
    mfa = MfaState.SHOWN if origin.mfa else MfaState.OFF
    user = signed_in(proof, mfa=MfaState.UNKNOWN if origin.by_trust else mfa)
    start(request, user, replace(origin, provider_session=proof.provider_session))
    return user


def start(request: HttpRequest, user: User, origin: SignInOrigin) -> LoginSession:
    """Open a login session of `user` on this browser.

    The session is flushed first: its key changes (no fixation), and no data of an earlier user remains (K27: an
    unfinished sign-in belongs to one person). The browser session ends when the browser is closed; the login session
    has its own expiry.
    """
    login_session = open_login_session(user=user, origin=origin)
    session: Any = request.session
    session.flush()
    session[SESSION_ENTRY] = str(login_session.pk)
    session.set_expiry(0)
    rotate_token(request)
    device_cookie.remember(request, user)
    # Save it in the transaction of the sign-in, so that the middleware has nothing to write.
    session.save()
    return login_session


def renew_key(request: HttpRequest) -> None:
    """Change the key of the session after a security-relevant change (a password)."""
    session: Any = request.session
    session.cycle_key()
    rotate_token(request)


def forget(request: HttpRequest) -> None:
    """Delete the session."""
    session: Any = request.session
    session.flush()
