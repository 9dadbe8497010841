"""Middleware for security headers, client address, language and time zone; and body limits by route."""

import ipaddress
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from postern.foundation.configuration.environ import Network
from postern.foundation.provided import Provided
from postern.foundation.requests import request_memory
from postern.foundation.settings import Settings

GetResponse = Callable[[HttpRequest], HttpResponse]

_CSP_DIRECTIVES: Final = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    # The console's only policies: the sanitizer's, for the HTML of site messages, and one that gives the address of the
    # worker of the sign-in page.
    "trusted-types dompurify puzzle",
)
_CSP: Final = "; ".join(_CSP_DIRECTIVES)
_HEADERS: Final = {
    "Content-Security-Policy": _CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
}
#: The headers in the form of Django's internal store: keyed by lower-case name.
_STORED: Final = {name.lower(): (name, value) for name, value in _HEADERS.items()}
#: Key in `request.META` of the request's number.
REQUEST_ID: Final = "postern.request_id"
_HSTS: Final = "max-age=31536000; includeSubDomains"


class SecurityHeaders:
    """Sets the security headers of every answer. A view may set its own Content-Security-Policy."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Generated here, never taken from the client: users quote it, and administrators search the log for it.
        request_id = request.META[REQUEST_ID] = secrets.token_hex(8)
        with request_memory.of_request():
            response = self.get_response(request)
        headers = response.headers
        headers["X-Request-Id"] = request_id
        stored_headers: dict[str, tuple[str, str]] = headers._store  # noqa: SLF001 - ten times faster than setting each header
        for key, header in _STORED.items():
            stored_headers.setdefault(key, header)
        if settings.POSTERN.https:
            headers.setdefault("Strict-Transport-Security", _HSTS)
        if request.path.startswith("/api/"):
            headers.setdefault("Cache-Control", "no-store")
        return response


class ClientAddress:
    """Sets REMOTE_ADDR to the client's address, and refuses unknown host names with 400.

    X-Forwarded-For is used only if the peer is a configured proxy; its right-most address that is not such a proxy
    counts. Other headers in which clients claim an address are ignored (K9: the client address comes from the socket or
    a named proxy).
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        config: Settings = settings.POSTERN
        request.get_host()  # raises DisallowedHost, so that no view has to check the name
        forwarded = request.META.pop("HTTP_X_FORWARDED_FOR", "")
        request.META.pop("HTTP_X_REAL_IP", None)
        request.META.pop("HTTP_FORWARDED", None)
        # Whether users come over https is a setting, not a header. Django's CSRF check compares it with Origin.
        request.META["HTTP_X_FORWARDED_PROTO"] = "https" if config.https else "http"
        request.META["REMOTE_ADDR"] = client_address(
            request.META.get("REMOTE_ADDR", ""), forwarded, config.trusted_proxies
        )
        return self.get_response(request)


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The client's address, from the peer of the socket and the value of X-Forwarded-For."""
    hops = [peer, *(part.strip() for part in reversed(forwarded.split(",")) if part.strip())]
    client = peer
    for hop in hops:
        try:
            address = ipaddress.ip_address(hop)
        except ValueError:
            return client
        client = hop
        if not any(address in network for network in trusted):
            return client
    return client


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """Maximum body sizes in bytes, by the beginning of the path, and by the end of an API path."""

    beginnings: Mapping[str, int]
    endings: Mapping[str, int]


BODY_LIMITS: Final = Provided[BodyLimits]("the limits of bodies")


def body_limit_bytes(path: str) -> int:
    """The maximum body size of a request to `path`, in bytes."""
    limits = BODY_LIMITS.value
    special = [limit for beginning, limit in limits.beginnings.items() if path.startswith(beginning)]
    if path.startswith("/api/"):
        special += [limit for end, limit in limits.endings.items() if path.endswith(end)]
    return max([settings.BODY_MAX_BYTES, *special])


class ClientLanguage:
    """Activates the language of the cookie or Accept-Language. Unlike Django's middleware it ignores the path."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        translation.activate(translation.get_language_from_request(request))
        request.LANGUAGE_CODE = translation.get_language()
        response = self.get_response(request)
        varies = response.headers.get("Vary", "")
        if "accept-language" not in varies.lower():
            response.headers["Vary"] = f"{varies}, Accept-Language" if varies else "Accept-Language"
        response.headers.setdefault("Content-Language", translation.get_language() or "")
        return response


class ClientTimeZone:
    """Activates the time zone of the header X-TZ; unknown zones are ignored."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = request.headers.get("X-TZ", "")
        try:
            zone = ZoneInfo(name) if name and len(name) < 64 else None
        except (KeyError, ValueError, OSError):
            zone = None
        with timezone.override(zone):
            return self.get_response(request)
