"""`/flower/`: passes the pages of the task monitor on to system administrators in a browser.

Paths are passed on unchanged, because Flower knows the prefix. Of its answers only status, type and content are passed on:
no cookies, no cross-origin headers. Nothing of the person's request goes there but path and query.
"""

import logging
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from postern.apps.jobs.task_monitor import actions, pages, policy
from postern.apps.jobs.task_monitor.link import MONITOR, MonitorOff, MonitorSilent, Page
from postern.apps.jobs.task_monitor.places import IS_PAGE, PREFIX
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView

log = logging.getLogger(__name__)

_FORM: Final = "application/x-www-form-urlencoded"
_MAX_QUERY: Final = 16 * 1024
_FILES_KEPT: Final = "private, max-age=3600"


class _MonitorView(PosternView):
    """For browser sessions of system administrators; access keys and tokens do not count."""

    rights = Right.SUPER_USER
    always_root = True

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [
            authenticator
            for authenticator in super().get_authenticators()
            if isinstance(authenticator, SessionAuthentication)
        ]

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Whatever the browser asks for: what Flower answers is passed on, and errors are JSON or pages."""
        del force
        return super().perform_content_negotiation(request, force=True)

    def get_authenticate_header(self, request: Request) -> str:
        """Whoever is not signed in gets 401."""
        del request
        return "Session"

    def handle_exception(self, exc: Exception) -> Any:
        """A person in a browser gets a page, or the sign-in page."""
        answer = super().handle_exception(exc)
        if not _wants_page(self.request):
            return answer
        if isinstance(exc, exceptions.NotAuthenticated):
            return HttpResponseRedirect(f"/core/auth/login/?{urlencode({'next': f'/{PREFIX}/'})}")
        return pages.refused() if isinstance(exc, exceptions.PermissionDenied) else answer

    def pass_on(self, request: Request, *, body: bytes = b"") -> HttpResponseBase:
        """The monitor's answer to this request."""
        query = request.META.get("QUERY_STRING", "")
        if len(query) > _MAX_QUERY:
            raise exceptions.ParseError
        path = quote(request.path, safe="/@:") + (f"?{quote(query, safe='/?@:&=+%;,$!*()[]')}" if query else "")
        is_opened = policy.is_opened_by_person(request._request)  # noqa: SLF001 - the policy knows Django's request
        headers = {"Content-Type": _FORM} if body else {}
        if is_opened:
            headers[IS_PAGE] = "1"
        method = "POST" if body else "GET"
        try:
            answer = MONITOR.value.ask(method, path, body=body, headers=headers, starts=is_opened)
        except MonitorOff:  # a page that was left open refreshes itself
            return pages.silent() if _wants_page(request) else HttpResponse(status=HTTPStatus.SERVICE_UNAVAILABLE)
        except MonitorSilent as silent:
            return pages.starting() if silent.is_starting else pages.silent()
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:  # its own page about it says less, and may tell internals
            log.warning("the task monitor answered %d to %s", answer.status, request.path)
            return pages.failed() if _wants_page(request) else HttpResponse(status=HTTPStatus.SERVICE_UNAVAILABLE)
        return _passed_on(answer)


class MonitorPageView(_MonitorView):
    """`GET /flower/…`: a page, or a file of a page."""

    def get(self, request: Request, rest: str = "") -> HttpResponseBase:
        if policy.is_file(rest):
            response = self.pass_on(request)
            if response.status_code == HTTPStatus.OK:
                response.headers["Cache-Control"] = _FILES_KEPT
            return response
        if not policy.is_page(rest):
            raise Http404
        actions.note_opening(actor=self.actor)
        return self.pass_on(request)


class MonitorTasksView(_MonitorView):
    """`POST /flower/tasks/datatable`: the rows of the list of tasks. It changes nothing."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Flower's script does not know our CSRF token; that it runs in a page of ours is enough, as nothing is changed."""
        if policy.comes_from_own_page(request):
            request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # noqa: SLF001 - Django's switch for one request
        return super().initialize_request(request, *args, **kwargs)

    def post(self, request: Request) -> HttpResponseBase:
        body = request._request.body  # noqa: SLF001 - as it came; Flower reads it
        if len(body) > _MAX_QUERY or not request.content_type.startswith(_FORM):
            raise exceptions.ParseError
        actions.note_opening(actor=self.actor)
        response = self.pass_on(request, body=body)
        if response.status_code == HTTPStatus.BAD_REQUEST:  # Flower's own text about it
            raise exceptions.ParseError
        return response


def _wants_page(request: Any) -> bool:
    return request.method == "GET" and "text/html" in request.META.get("HTTP_ACCEPT", "")


def _passed_on(answer: Page) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status, content_type=answer.content_type)
    response.headers["Content-Security-Policy"] = pages.POLICY
    response.headers["Cache-Control"] = "no-store"
    if answer.location.startswith(f"/{PREFIX}/"):
        response.headers["Location"] = answer.location
    return response
