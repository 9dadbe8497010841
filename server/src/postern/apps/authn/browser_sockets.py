"""Who opens a websocket from a browser: our own page (Origin) with the session of a person who may use Postern (K42)."""

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
    """Who is at the browser's end, and where from."""

    user_id: UUID
    login_session_id: UUID
    language: str
    remote_addr: str


def header(scope: Scope, name: bytes) -> str:
    """A header of the handshake; several of one name are joined, as HTTP has it."""
    return ",".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)


def origin_is_ours(scope: Scope, config: Settings) -> bool:
    """Whether the page that opens the socket was served by us: its Origin is the Host that it calls."""
    origin, host = header(scope, b"origin"), header(scope, b"host")
    try:
        parts = urlsplit(origin)
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.netloc.lower() != host.lower():
        return False
    return not config.allowed_hosts or validate_host(name, list(config.allowed_hosts))


def visitor_of(scope: Scope, config: Settings) -> Visitor | None:
    """The person whose browser session the cookies carry; None when nobody who may use Postern is signed in."""
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
    found: WebSignIn | None = authn.web_sign_in(store(cookie.value), ROOT, remote_addr=remote_addr)
    if found is None or found.actor.user_id is None:
        return None
    return Visitor(
        user_id=found.actor.user_id,
        login_session_id=found.login_session_id,
        language=language_of(cookies, found.language),
        remote_addr=remote_addr,
    )


def language_of(cookies: SimpleCookie, own: str) -> str:
    """The language that the console shows now; the person's own when the cookie names none."""
    cookie = cookies.get(settings.LANGUAGE_COOKIE_NAME)
    known = {code for code, _name in settings.LANGUAGES}
    return cookie.value if cookie is not None and cookie.value in known else own
