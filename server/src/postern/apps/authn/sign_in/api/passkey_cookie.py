"""The signed cookie of a browser that was asked for a passkey before anybody signed in.

A session in its place would be a row that any stranger can make, any number of times. The call itself is a row too,
of which an address has a limited number; it is used up by one answer.
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
    """The call that this browser was asked with."""
    try:
        return parse_id(Signer(salt=_SALT).unsign(request.COOKIES.get(_NAME, "")[:_MOST_CHARS]))
    except BadSignature:
        return None


def put(response: Response, request_id: UUID) -> None:
    """Remember the call in this browser. A new call replaces it."""
    response.set_cookie(
        _NAME,
        Signer(salt=_SALT).sign(str(request_id)),
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        secure=settings.POSTERN.https,
        samesite="Strict",
    )


def remove(response: Response) -> None:
    """Forget the call, which was answered."""
    response.delete_cookie(_NAME, samesite="Strict")
