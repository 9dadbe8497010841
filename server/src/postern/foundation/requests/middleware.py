"""Middleware, from the outside in: security headers, true client address, the client's language and time zone; limits of bodies by route."""

import ipaddress
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from postern.foundation.provided import Provided
from postern.foundation.requests import request_memory
from postern.foundation.settings import Network, Settings

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
    # The one policy of the console: the sanitiser's, for the HTML of site messages.
    "trusted-types dompurify",
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
#: The same as Django keeps headers: by their names in small letters.
_STORED: Final = {name.lower(): (name, value) for name, value in _HEADERS.items()}
#: Where a request carries its number.
REQUEST_ID: Final = "postern.request_id"
_HSTS: Final = "max-age=31536000; includeSubDomains"


class SecurityHeaders:
    """The headers of every answer. A view may set its own Content-Security-Policy."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Made here, never taken from the client: it is what a person reads out and an administrator looks for in the log.
        request_id = request.META[REQUEST_ID] = secrets.token_hex(8)
        with request_memory.of_request():
            response = self.get_response(request)
        headers = response.headers
        headers["X-Request-Id"] = request_id
        kept: dict[str, tuple[str, str]] = headers._store  # noqa: SLF001 - each by itself costs ten times as much: the texts would be looked at anew
        for key, header in _STORED.items():
            kept.setdefault(key, header)
        if settings.POSTERN.https:
            headers.setdefault("Strict-Transport-Security", _HSTS)
        if request.path.startswith("/api/"):
            headers.setdefault("Cache-Control", "no-store")
        return response


class ClientAddress:
    """Sets REMOTE_ADDR to the true client, and refuses names that are not ours (400).

    Only hops that come from a configured proxy may tell an address; the right-most address of X-Forwarded-For that
    is not a proxy of ours counts. Everything else that clients claim about themselves is ignored (K9).
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        config: Settings = settings.POSTERN
        request.get_host()  # raises DisallowedHost: no view needs to ask for the name for it to be checked
        forwarded = request.META.pop("HTTP_X_FORWARDED_FOR", "")
        request.META.pop("HTTP_X_REAL_IP", None)
        request.META.pop("HTTP_FORWARDED", None)
        # Whether people come over https is a setting, not what a header claims; Django's CSRF check compares it with Origin.
        request.META["HTTP_X_FORWARDED_PROTO"] = "https" if config.https else "http"
        request.META["REMOTE_ADDR"] = client_address(
            request.META.get("REMOTE_ADDR", ""), forwarded, config.trusted_proxies
        )
        return self.get_response(request)


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The client's address, from the socket's peer and the text of X-Forwarded-For."""
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
    """Bytes that the bodies of some requests may have, by the beginning of the path, and by the end of a path of the API."""

    beginnings: Mapping[str, int]
    endings: Mapping[str, int]


BODY_LIMITS: Final = Provided[BodyLimits]("the limits of bodies")


def body_limit_bytes(path: str) -> int:
    """How long the body of a request to `path` may be."""
    limits = BODY_LIMITS.value
    special = [limit for beginning, limit in limits.beginnings.items() if path.startswith(beginning)]
    if path.startswith("/api/"):
        special += [limit for end, limit in limits.endings.items() if path.endswith(end)]
    return max([settings.DATA_UPLOAD_MAX_MEMORY_SIZE, *special])


class ClientLanguage:
    """Speaks the language that cookie or Accept-Language ask for. Django's own also looks for one in the path, which we have not."""

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
    """Shows times in the zone that the header X-TZ names; unknown ones are ignored."""

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
