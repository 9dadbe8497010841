"""The cookie that binds a visit to its browser.

`SameSite=Lax`: of the requests that another site starts, the browser sends it only with navigations such as the
redirect of the provider. `Strict` would prevent that.

The answer of a SAML provider is a cross-site POST, which lacks this cookie. A second cookie with the same value is sent
across sites: `SameSite=None; Secure` under https. Without https that is not allowed, but browsers send a cookie without
the attribute for two minutes. The second cookie is limited to the SAML paths, and deleted with the answer.
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
    """The value of the visit cookie; empty without the cookie."""
    return request.COOKIES.get(_NAME, "")[:_MOST_CHARS]


def put(response: HttpResponse, browser: Secret) -> None:
    """Set the cookie of the visit."""
    response.set_cookie(
        _NAME,
        browser.reveal(),
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        secure=settings.POSTERN.https,
        samesite="Lax",
    )


def across(request: HttpRequest) -> str:
    """The value of the cross-site cookie; empty without the cookie."""
    return request.COOKIES.get(_ACROSS_NAME, "")[:_MOST_CHARS]


def put_across(response: HttpResponse, browser: Secret) -> None:
    """Set the cross-site cookie, for an answer that the browser posts from another site."""
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
    """Delete the cross-site cookie after the answer."""
    response.delete_cookie(_ACROSS_NAME, path=_ACROSS_PATH, samesite=_ACROSS_SITES)


def remove(response: HttpResponse | Response) -> None:
    """Delete the cookie of a visit that has ended."""
    response.delete_cookie(_NAME, samesite="Lax")
