"""The signed cookie that identifies a known browser: one for each user who signs in with it, hidden from scripts."""

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
#: Limit of such cookies in a shared browser, because request headers have a size limit.
_MAX_COOKIES: Final = 8
_NEW: Final = "postern_new_device"


def visitor_of(request: Request, username: str) -> Visitor:
    """The origin of a request with this name."""
    device = request.COOKIES.get(_name(username), "")
    return Visitor(remote_addr=request.META.get("REMOTE_ADDR", ""), device=device)


def remember(request: HttpRequest, user: User) -> None:
    """Record the browser of a completed sign-in. `DeviceCookieView` adds the cookie to the response."""
    text = places.remember_device(user, request.COOKIES.get(_name(user.username), ""))
    if text is not None:
        setattr(request, _NEW, (_name(user.username), text))


class DeviceCookieView(PosternView):
    """A view that may complete a sign-in with a browser."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        new = getattr(request._request, _NEW, None)  # noqa: SLF001 - where `remember` left it
        if new is not None:
            known = [name for name in request.COOKIES if name.startswith(_PREFIX) and name != new[0]]
            for name in known[: max(len(known) + 1 - _MAX_COOKIES, 0)]:
                answer.delete_cookie(name, samesite="Strict")
            answer.set_cookie(
                new[0],
                new[1],
                max_age=int(places.DEVICE_LIFETIME.total_seconds()),
                httponly=True,
                secure=settings.POSTERN.https,
                samesite="Strict",
            )
        return answer


def _name(username: str) -> str:
    return _PREFIX + token_hash(username_key(username[:512]))[:_NAME_CHARS]
