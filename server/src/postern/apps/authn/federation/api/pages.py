"""Redirects to a provider and back, for all protocols."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.apps.authn.external.api.pages import console_page, redirect_to_provider
from postern.apps.authn.external.models import ExternalRequest, Purpose
from postern.apps.authn.federation.ways import FederatedWay
from postern.foundation.pages.redirects import HOME, safe_next

LOGIN_PAGE: Final = "/core/auth/login/"
#: Purposes of the one callback address of a provider.
PURPOSES: Final = (Purpose.SIGN_IN, Purpose.CONFIRM)


def redirect_to(request: HttpRequest, way: FederatedWay[Any] | None, *, crosses_sites: bool = False) -> HttpResponse:
    """Redirect to the page of the provider. After the visit the browser goes to the page `?next=`."""
    target = safe_next(request.GET.get("next", ""), HOME)
    if find_by_session(request.session) is not None:
        return HttpResponseRedirect(target)
    if way is None:
        return HttpResponseRedirect(LOGIN_PAGE)
    return redirect_to_provider(
        request, way=way, purpose=Purpose.SIGN_IN, target=target, crosses_sites=crosses_sites, by=way.kind
    )


def console_page_of(visit: ExternalRequest | None, kind: str) -> str:
    """The address of the console page that uses a visit to a provider of this kind."""
    if visit is not None and visit.purpose == Purpose.CONFIRM:
        return console_page(Purpose.CONFIRM, visit.pk)
    return console_page(Purpose.SIGN_IN, visit.pk if visit is not None else None, by=kind)
