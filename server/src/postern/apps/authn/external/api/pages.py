"""Pages below `/core/auth/{provider}/`: redirects to a provider, and the callbacks."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from postern.apps.authn.callers import conditions
from postern.apps.authn.callers.policy import password_was_verified
from postern.apps.authn.credentials.actions.login_sessions import find_by_session
from postern.apps.authn.credentials.models import LoginSession
from postern.apps.authn.errors import console_address
from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.actions.visits import CameBack
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.models import Provider, Purpose
from postern.apps.authn.external.providers import CODE_PARAMETERS, CompanyWay, Way
from postern.apps.authn.sign_in.api.pages import PROFILE_PAGE
from postern.foundation.pages.pages import open_page
from postern.foundation.pages.redirects import HOME, safe_next
from postern.kernel import clock

_LOGIN_PAGE: Final = "/core/auth/login/"
#: Id in the address when the browser has no such visit.
_UNKNOWN: Final = "none"
_MOST_CHARS: Final = 2_000
#: Parameter of a redirect to the address of the settings. It prevents a loop behind a proxy that changes the host.
_SENT_HERE: Final = "here"

_Page = Callable[..., HttpResponse]


def provider_page(view: _Page) -> _Page:
    """Decorate a public page that is never cached. HEAD requests have no effect on visits.

    The provider redirects the browser to the address of the settings (SITE_URL). A browser that uses another address of
    this console has no cookie there, so it is redirected to that address first.
    """

    @open_page
    @never_cache
    @require_safe
    @wraps(view)
    def page(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if request.method == "HEAD":
            return HttpResponseRedirect(_LOGIN_PAGE)
        elsewhere = _other_address(request)
        return view(request, **arguments) if elsewhere is None else HttpResponseRedirect(elsewhere)

    return page


def _other_address(request: HttpRequest) -> str | None:
    """The same page at the address of the settings, if the browser uses another address and was not redirected before."""
    site = urlsplit(console_address())
    if request.path.endswith("/callback/") or _SENT_HERE in request.GET or request.get_host() == site.netloc:
        return None
    query = urlencode({**request.GET.dict(), _SENT_HERE: "1"})
    return f"{site.scheme}://{site.netloc}{request.path}?{query}"


@provider_page
def sign_in_start(request: HttpRequest, provider: Provider) -> HttpResponse:
    """`qr/login/?next=`: redirects to the page of the provider."""
    target = safe_next(request.GET.get("next", ""), HOME)
    if find_by_session(request.session) is not None:
        return HttpResponseRedirect(target)
    return redirect_to_provider(request, way=CompanyWay(provider), purpose=Purpose.SIGN_IN, target=target)


@provider_page
def bind_start(request: HttpRequest, provider: Provider) -> HttpResponse:
    """`qr/bind/?redirect_url=`: redirects a signed-in user, whose password was verified recently, to the provider.

    Links on other sites have no effect (`logout_page` has the same rule).
    """
    login_session = find_by_session(request.session)
    if login_session is None or not login_session.user.is_valid:
        return HttpResponseRedirect(f"{_LOGIN_PAGE}?{urlencode({'next': PROFILE_PAGE})}")
    is_verified = password_was_verified(login_session, now=clock.now())
    if not is_own_navigation(request) or not is_verified or conditions.unmet(login_session.user) is not None:
        return HttpResponseRedirect(_profile(dialog=f"{provider}-bind"))
    target = safe_next(request.GET.get("redirect_url", ""), "")
    return redirect_to_provider(
        request, way=CompanyWay(provider), purpose=Purpose.BIND, target=target, login_session=login_session
    )


def is_own_navigation(request: HttpRequest) -> bool:
    """Whether the request comes from our own page or the address bar, not from a link on another site."""
    origin = request.headers.get("Sec-Fetch-Site", "cross-site" if settings.POSTERN.https else "none")
    return origin in {"same-origin", "none"}


@provider_page
def bind_page(_request: HttpRequest, provider: Provider) -> HttpResponse:
    """`bind/start/`: the dialog of the profile page, which asks for the password first."""
    return HttpResponseRedirect(_profile(dialog=f"{provider}-bind"))


@provider_page
def callback(request: HttpRequest, provider: Provider, purpose: Purpose) -> HttpResponse:
    """`qr/login/callback/` and `qr/bind/callback/`: the provider redirects the browser here. Redirects to the console,
    which uses the visit.
    """
    visit = visits.redeem(
        way=CompanyWay(provider),
        purposes=[purpose],
        back=CameBack(
            state=request.GET.get("state", "")[:_MOST_CHARS],
            code=request.GET.get(CODE_PARAMETERS[provider], "")[:_MOST_CHARS],
        ),
        browser=visit_cookie.of(request),
        remote_addr=request.META.get("REMOTE_ADDR", ""),
    )
    return HttpResponseRedirect(console_page(purpose, visit.pk if visit is not None else None))


def redirect_to_provider(
    request: HttpRequest,
    *,
    way: Way,
    purpose: Purpose,
    target: str,
    login_session: LoginSession | None = None,
    crosses_sites: bool = False,
    **more: str,
) -> HttpResponse:
    """Begin a visit and redirect to the provider. If that is not possible, redirect to the console, which shows the
    reason.

    `crosses_sites`: the browser posts the answer of the provider, which requires a second cookie. `more`: query
    parameters for the console.
    """
    begun = visits.begin(
        way=way,
        purpose=purpose,
        remote_addr=request.META.get("REMOTE_ADDR", ""),
        user_agent=request.headers.get("User-Agent", ""),
        target=target,
        login_session=login_session,
    )
    response = HttpResponseRedirect(begun.page or console_page(purpose, begun.request_id, **more))
    visit_cookie.put(response, begun.browser)
    if begun.page and crosses_sites:
        visit_cookie.put_across(response, begun.browser)
    return response


def console_page(purpose: Purpose, request_id: UUID | None, **more: str) -> str:
    """The address of the console page that uses the visit."""
    visit_id = str(request_id) if request_id is not None else _UNKNOWN
    if purpose == Purpose.BIND:
        return _profile(external=visit_id)
    if purpose == Purpose.CONFIRM:
        return _profile(external=visit_id, by=purpose.value)
    return f"{_LOGIN_PAGE}?{urlencode({'external': visit_id, **more})}"


def _profile(**query: str) -> str:
    return f"{PROFILE_PAGE}?{urlencode({'activeTab': 'info', **query})}"
