"""The page `/core/auth/confirm/`: redirects a signed-in user to their provider to authenticate again."""

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from postern.apps.authn.confirming.ways import crosses_sites, way_of
from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.apps.authn.external.api.pages import is_own_navigation, provider_page, redirect_to_provider
from postern.apps.authn.external.models import Purpose
from postern.apps.authn.sign_in.api.pages import PROFILE_PAGE
from postern.foundation.pages.redirects import safe_next

_LOGIN_PAGE: Final = "/core/auth/login/"


@provider_page
def confirm_start(request: HttpRequest) -> HttpResponse:
    """`?next=`: the page that required the confirmation. Links on other sites have no effect."""
    login_session = find_by_session(request.session)
    target = safe_next(request.GET.get("next", ""), PROFILE_PAGE)
    if login_session is None or not login_session.user.is_valid:
        return HttpResponseRedirect(f"{_LOGIN_PAGE}?{urlencode({'next': target})}")
    way = way_of(login_session.user, login_session)
    if way is None or not is_own_navigation(request):
        return HttpResponseRedirect(PROFILE_PAGE)
    return redirect_to_provider(
        request,
        way=way,
        purpose=Purpose.CONFIRM,
        target=target,
        login_session=login_session,
        crosses_sites=crosses_sites(way),
    )
