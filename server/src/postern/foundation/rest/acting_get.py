"""GETs of the contract that act (ruling): they need the CSRF token that the matching POST needs (K64)."""

import copy

from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request


def enforce_csrf(request: Request) -> None:
    """Ask for `X-CSRFToken` although the method is GET. Calls that carry their own credential (tokens, keys) need none.

    Raises PermissionDenied. Django skips the check for safe methods, so it is shown a copy that is a POST.
    """
    if not isinstance(request.successful_authenticator, SessionAuthentication):
        return
    as_post = copy.copy(request._request)  # noqa: SLF001 - the check belongs to Django's request
    as_post.method = "POST"
    SessionAuthentication().enforce_csrf(as_post)  # type: ignore[arg-type]  # it only hands it on to Django
