"""Authentication of browsers outside Django's views, such as websockets: our own page (Origin) with the session of an
allowed user (K42: a websocket belongs to the origin and the sign-in of its page).
"""

from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.http.request import validate_host

from postern.apps.authn import facade as authn
from postern.apps.authn.facade import WebSignIn
from postern.foundation.caller.scope import ROOT
from postern.foundation.requests.middleware import client_address
from postern.foundation.settings import Settings

Scope = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Visitor:
    """The user of a browser, and their address."""

    user_id: UUID
    login_session_id: UUID
    language: str
    remote_addr: str


def header(scope: Scope, name: bytes) -> str:
    """A header of the handshake; several headers of the same name are joined with commas, as in HTTP."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def origin_is_ours(scope: Scope, config: Settings) -> bool:
    """Whether our server delivered the page that opens the socket: its Origin must equal the Host of the request."""
    origin, host = header(scope, b"origin"), header(scope, b"host")
    try:
        parts = urlsplit(origin)
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.netloc.lower() != host.lower():
        return False
    return not config.allowed_hosts or validate_host(name, list(config.allowed_hosts))


def visitor_of(scope: Scope, config: Settings, *, counts_as_use: bool = False) -> Visitor | None:
    """The user of the browser session in the cookies; None when no allowed user is signed in.

    `counts_as_use`: see `authn.facade.web_sign_in`.
    """
    try:
        cookies = SimpleCookie(header(scope, b"cookie"))
    except CookieError:
        return None
    cookie = cookies.get(settings.SESSION_COOKIE_NAME)
    if cookie is None:
        return None
    store = import_module(settings.SESSION_ENGINE).SessionStore
    peer = (scope.get("client") or ("", 0))[0]
    remote_addr = client_address(peer or "", header(scope, b"x-forwarded-for"), config.trusted_proxies)
    visitor_sign_in: WebSignIn | None = authn.web_sign_in(
        store(cookie.value), ROOT, remote_addr=remote_addr, counts_as_use=counts_as_use
    )
    if visitor_sign_in is None or visitor_sign_in.actor.user_id is None:
        return None
    return Visitor(
        user_id=visitor_sign_in.actor.user_id,
        login_session_id=visitor_sign_in.login_session_id,
        language=language_of(cookies, visitor_sign_in.language),
        remote_addr=remote_addr,
    )


def language_of(cookies: SimpleCookie, own: str) -> str:
    """The language of the console from its cookie; otherwise the user's own language."""
    cookie = cookies.get(settings.LANGUAGE_COOKIE_NAME)
    codes = {code for code, _name in settings.LANGUAGES}
    return cookie.value if cookie is not None and cookie.value in codes else own
