"""How a request whose credential is refused is answered, whatever kind of credential that is."""

from typing import NoReturn

from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from postern.apps.authn.authentication import signature_failures


def refuse(request: Request, message: str) -> NoReturn:
    """Answer 401, and count it for the address; beyond too many within a minute 429, which says how long to wait."""
    wait_s = signature_failures.count(request.META.get("REMOTE_ADDR", ""))
    if wait_s is not None:
        raise Throttled(wait_s)
    raise AuthenticationFailed(message)
