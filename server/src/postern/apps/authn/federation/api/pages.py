"""The way of a browser to a provider and back, for all protocols."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.api.pages import led_away, own_page
from postern.apps.authn.external.models import ExternalRequest, Purpose
from postern.apps.authn.federation.ways import FederatedWay
from postern.foundation.pages.redirects import HOME, safe_next

LOGIN_PAGE: Final = "/core/auth/login/"
#: What browsers come back for: a provider knows one address of ours.
PURPOSES: Final = (Purpose.SIGN_IN, Purpose.CONFIRM)


def led_to_provider(
    request: HttpRequest, way: FederatedWay[Any] | None, *, crosses_sites: bool = False
) -> HttpResponse:
    """To the page of the provider, which sends the browser back to the page `?next=`.

    `crosses_sites`: the provider lets the browser post its answer, so a second cookie is needed.
    """
    target = safe_next(request.GET.get("next", ""), HOME)
    if find_by_session(request.session) is not None:
        return HttpResponseRedirect(target)
    if way is None:
        return HttpResponseRedirect(LOGIN_PAGE)
    begun = visits.begin(
        way=way,
        purpose=Purpose.SIGN_IN,
        remote_addr=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", ""),
        target=target,
    )
    response = led_away(begun, own_page(Purpose.SIGN_IN, begun.request_id, by=way.kind))
    if begun.page and crosses_sites:
        visit_cookie.put_across(response, begun.browser)
    return response


def own_page_of(visit: ExternalRequest | None, kind: str) -> str:
    """Our own page that uses the visit with which a browser came back from a provider of this kind."""
    if visit is not None and visit.purpose == Purpose.CONFIRM:
        return own_page(Purpose.CONFIRM, visit.pk)
    return own_page(Purpose.SIGN_IN, visit.pk if visit is not None else None, by=kind)
