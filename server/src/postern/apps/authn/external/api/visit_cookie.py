"""The cookie that binds a visit to its browser.

`SameSite=Lax`: the browser sends it when the provider sends the user back, which `Strict` would prevent, and on no other
request that another site starts.

A provider of SAML lets the browser post its answer, which is such a request. So a second cookie with the same value crosses
sites: `SameSite=None; Secure` under https. Without https that does not exist, and browsers send a cookie without the
attribute for its first two minutes. It goes to the paths of SAML only, and ends with the answer.
"""

from typing import Final, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from rest_framework.response import Response

from postern.apps.authn.external.actions.visits import LIFETIME
from postern.kernel.secret import Secret

_NAME: Final = "__Host-postern_visit" if settings.POSTERN.https else "postern_visit"
#: `__Secure-`, because a `__Host-` cookie goes to every path.
_ACROSS_NAME: Final = "__Secure-postern_visit_across" if settings.POSTERN.https else "postern_visit_across"
_ACROSS_PATH: Final = "/core/auth/saml/"
_ACROSS_SITES: Final[Literal["None"] | None] = "None" if settings.POSTERN.https else None
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


def across(request: HttpRequest) -> str:
    """The browser's part of the visit, on a request that another site began; empty without the cookie."""
    return request.COOKIES.get(_ACROSS_NAME, "")[:_MOST_CHARS]


def put_across(response: HttpResponse, browser: Secret) -> None:
    """Remember the visit for the answer that another site lets this browser post."""
    response.set_cookie(
        _ACROSS_NAME,
        browser.reveal(),
        max_age=int(LIFETIME.total_seconds()),
        path=_ACROSS_PATH,
        httponly=True,
        secure=settings.POSTERN.https,
        samesite=_ACROSS_SITES,
    )


def remove_across(response: HttpResponse) -> None:
    """Forget it, because an answer ends its visit."""
    response.delete_cookie(_ACROSS_NAME, path=_ACROSS_PATH, samesite=_ACROSS_SITES)


def remove(response: HttpResponse | Response) -> None:
    """Forget the visit, which is over."""
    response.delete_cookie(_NAME, samesite="Lax")
