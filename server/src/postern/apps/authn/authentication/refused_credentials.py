"""The response to a refused credential of any kind."""

from typing import NoReturn

from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from postern.apps.authn.authentication import signature_failures


def refuse(request: Request, message: str) -> NoReturn:
    """Answer 401 and count the failure for the address.

    After too many within a minute, answer 429 with the time to wait.
    """
    wait_s = signature_failures.count(request.META.get("REMOTE_ADDR", ""))
    if wait_s is not None:
        raise Throttled(wait_s)
    raise AuthenticationFailed(message)
