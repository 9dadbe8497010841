"""Who may use the file manager's addresses: our own page, with the sign-in of an allowed user.

The checks are those of the API (K42, K64: a request belongs to the origin and the sign-in of its page, and one that
changes something needs the CSRF token), made here because Django's middleware never sees these requests. Whether the
session is the user's own is known to the proxy that carries it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied

from postern.apps.authn.browser_sockets import Visitor, header, origin_is_ours, visitor_of
from postern.apps.sessions.files.asked import Asked
from postern.apps.sessions.files.refusals import Refused
from postern.apps.sessions.terminals import queries
from postern.contracts.files import FileProblem
from postern.foundation.requests.middleware import ClientAddress

Scope = dict[str, Any]

#: All that the checks read. The body is not theirs.
_READ: Final = frozenset(
    {b"host", b"cookie", b"origin", b"referer", b"x-csrftoken", b"x-forwarded-for", b"accept-language"}
)
#: A page of another site, even of a neighbouring one, may not load a file: each is a transfer in the person's name.
_OWN_PAGES: Final = frozenset({"", "same-origin", "none"})


@dataclass(frozen=True, slots=True)
class Admitted:
    """The user of a request, and the endpoint of the proxy."""

    visitor: Visitor
    endpoint: queries.FilesEndpoint


def language_of(scope: Scope) -> str:
    """The language for the browser's errors, chosen as in the API."""
    return translation.get_language_from_request(_request(scope))


def admit(scope: Scope, asked: Asked) -> Admitted:
    """The user and the proxy of a request. Asks the database. Raises Refused."""
    _require_own_page(scope, asked)
    visitor = visitor_of(scope, settings.POSTERN, counts_as_use=True)
    if visitor is None:
        raise not_signed_in()
    endpoint = queries.files_endpoint_of(asked.terminal_id)
    if endpoint is None:
        text = _("The proxy of this session is not running, or shows no files.")
        raise Refused(404, FileProblem.NO_SESSION, text)
    return Admitted(visitor, endpoint)


def not_signed_in() -> Refused:
    """The refusal of a browser whose sign-in is missing or has ended."""
    return Refused(401, FileProblem.NOT_SIGNED_IN, _("You are not signed in, or your sign-in has ended."))


def _require_own_page(scope: Scope, asked: Asked) -> None:
    request = _request(scope)
    try:
        _with_client_address(request)
    except DisallowedHost:
        raise Refused(400, FileProblem.BAD_REQUEST, _("This server has another name.")) from None
    foreign = Refused(403, FileProblem.NOT_PERMITTED, _("This page may not use files. Load the console again."))
    if header(scope, b"sec-fetch-site") not in _OWN_PAGES:
        raise foreign
    if asked.is_read:
        return
    if not origin_is_ours(scope, settings.POSTERN):
        raise foreign
    try:
        SessionAuthentication().enforce_csrf(request)  # type: ignore[arg-type]  # it only hands it on to Django
    except PermissionDenied:
        raise foreign from None


def _request(scope: Mapping[str, Any]) -> ASGIRequest:
    """Django's view of the request, without its body."""
    headers = [(name, value) for name, value in scope["headers"] if name in _READ]
    return ASGIRequest({**scope, "headers": headers}, BytesIO())


def _with_client_address(request: HttpRequest) -> None:
    """Check the host name, and state the scheme of our own pages, which the check of the CSRF token compares."""
    ClientAddress(lambda _request: HttpResponse())(request)
