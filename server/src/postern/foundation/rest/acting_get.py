"""CSRF check for GET routes of the API contract that change something. They need the token that the matching POST
needs.
"""

import copy

from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request


def enforce_csrf(request: Request) -> None:
    """Require `X-CSRFToken` although the method is GET. Calls authenticated by a token or an access key need none.

    Raises PermissionDenied. Django skips the CSRF check for safe methods, so the check gets a copy of the request whose
    method is POST.
    """
    if not isinstance(request.successful_authenticator, SessionAuthentication):
        return
    as_post = copy.copy(request._request)  # noqa: SLF001 - the check belongs to Django's request
    as_post.method = "POST"
    SessionAuthentication().enforce_csrf(as_post)  # type: ignore[arg-type]  # it only hands it on to Django
