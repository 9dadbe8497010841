"""The signed cookie of a browser with an open WebAuthn request before a user has signed in.

With a session instead of the cookie, anybody could create any number of session rows. The number of rows of requests
per address is limited, and an answer deletes its row.
"""

from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from rest_framework.response import Response

from postern.apps.authn.passkeys.actions.requests import LIFETIME
from postern.kernel.ids import parse_id

_NAME: Final = "__Host-postern_passkey" if settings.POSTERN.https else "postern_passkey"
_SALT: Final = "postern.passkey-request"
_MOST_CHARS: Final = 256


def of(request: HttpRequest) -> UUID | None:
    """The id of the request in the cookie."""
    try:
        return parse_id(Signer(salt=_SALT).unsign(request.COOKIES.get(_NAME, "")[:_MOST_CHARS]))
    except BadSignature:
        return None


def put(response: Response, request_id: UUID) -> None:
    """Set the cookie. A new request replaces it."""
    response.set_cookie(
        _NAME,
        Signer(salt=_SALT).sign(str(request_id)),
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        secure=settings.POSTERN.https,
        samesite="Strict",
    )


def remove(response: Response) -> None:
    """Delete the cookie of an answered request."""
    response.delete_cookie(_NAME, samesite="Strict")
