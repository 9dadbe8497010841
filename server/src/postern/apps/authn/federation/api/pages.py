"""The way of a browser to a provider and back, for all protocols."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from postern.apps.authn.credentials.actions.login_sessions import find_by_session
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
    """To the page of the provider, which sends the browser back to the page `?next=`."""
    target = safe_next(request.GET.get("next", ""), HOME)
    if find_by_session(request.session) is not None:
        return HttpResponseRedirect(target)
    if way is None:
        return HttpResponseRedirect(LOGIN_PAGE)
    return led_away(request, way=way, purpose=Purpose.SIGN_IN, target=target, crosses_sites=crosses_sites, by=way.kind)


def own_page_of(visit: ExternalRequest | None, kind: str) -> str:
    """Our own page that uses the visit with which a browser came back from a provider of this kind."""
    if visit is not None and visit.purpose == Purpose.CONFIRM:
        return own_page(Purpose.CONFIRM, visit.pk)
    return own_page(Purpose.SIGN_IN, visit.pk if visit is not None else None, by=kind)
