"""The signed cookie that identifies a known browser: one for each user who signs in with it, hidden from scripts."""

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.users.models import User, username_key
from postern.foundation.rest.views import PosternView
from postern.kernel.ids import token_hash

_PREFIX: Final = "__Host-postern_device_" if settings.POSTERN.https else "postern_device_"
_NAME_CHARS: Final = 16
#: Maximum number of cookies of one kind in a shared browser, because request headers have a size limit.
_MAX_COOKIES: Final = 8
_NEW: Final = "postern_new_cookies"


def visitor_of(request: Request, username: str) -> Visitor:
    """The origin of a request, with the device cookie of this username."""
    device = request.COOKIES.get(_name(username), "")
    return Visitor(remote_addr=request.META.get("REMOTE_ADDR", ""), device=device)


def remember(request: HttpRequest, user: User) -> None:
    """Record the browser of a completed sign-in. `DeviceCookieView` adds the cookie to the response."""
    text = places.remember_device(user, request.COOKIES.get(_name(user.username), ""))
    if text is not None:
        send(request, _name(user.username), text, places.DEVICE_LIFETIME)


def send(request: HttpRequest, name: str, text: str, lifetime: timedelta) -> None:
    """Queue a cookie for `DeviceCookieView` to add to the response: HttpOnly, sent to this site only."""
    setattr(request, _NEW, [*getattr(request, _NEW, []), (name, text, lifetime)])


class DeviceCookieView(PosternView):
    """A view that may complete a sign-in with a browser."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, text, lifetime in getattr(request._request, _NEW, []):  # noqa: SLF001 - where `send` left it
            prefix = name[:-_NAME_CHARS]
            others = [other for other in request.COOKIES if other.startswith(prefix) and other != name]
            for other in others[: max(len(others) + 1 - _MAX_COOKIES, 0)]:
                answer.delete_cookie(other, samesite="Strict")
            answer.set_cookie(
                name,
                text,
                max_age=int(lifetime.total_seconds()),
                httponly=True,
                secure=settings.POSTERN.https,
                samesite="Strict",
            )
        return answer


def name_for(prefix: str, username: str) -> str:
    """The name of a user's cookie. It does not reveal the username."""
    return prefix + token_hash(username_key(username[:512]))[:_NAME_CHARS]


def _name(username: str) -> str:
    return name_for(_PREFIX, username)
