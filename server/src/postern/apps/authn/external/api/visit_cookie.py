"""The cookie that binds a visit to its browser.

`SameSite=Lax`: the browser sends it when the provider sends the user back, which `Strict` would prevent, and on no other
request that another site starts.
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from rest_framework.response import Response

from postern.apps.authn.external.actions.visits import LIFETIME
from postern.kernel.secret import Secret

_NAME: Final = "__Host-postern_visit" if settings.POSTERN.https else "postern_visit"
_MOST_CHARS: Final = 64


def of(request: HttpRequest) -> str:
    """The browser's part of the visit; empty without the cookie."""
    return request.COOKIES.get(_NAME, "")[:_MOST_CHARS]


def put(response: HttpResponse, browser: Secret) -> None:
    """Remember the visit in this browser."""
    response.set_cookie(
        _NAME,
        browser.reveal(),
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        secure=settings.POSTERN.https,
        samesite="Lax",
    )


def remove(response: HttpResponse | Response) -> None:
    """Forget the visit, which is over."""
    response.delete_cookie(_NAME, samesite="Lax")
