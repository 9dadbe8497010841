"""Pages below `/core/auth/openid/`: redirects to a provider and back, signing out, and reports of a provider.

Without an id in the path (contract) they use the first provider of the sign-in page.
"""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.actions.visits import CameBack
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.api.pages import provider_page
from postern.apps.authn.federation.api.pages import PURPOSES, console_page_of, redirect_to
from postern.apps.authn.openid import queries, signing_out
from postern.apps.authn.openid.ways import KIND, OpenidWay
from postern.foundation.pages.pages import open_page
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import Unavailable

_MOST_CHARS: Final = 4_096


@provider_page
def sign_in_start(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`login/?next=`: redirects to the page of the provider."""
    return redirect_to(request, _way(slug))


@provider_page
def callback(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`callback/`: the provider redirects the browser here. Redirects to the console, which uses the visit."""
    way = _way(slug)
    visit = None
    if way is not None:
        visit = visits.redeem(
            way=way,
            purposes=PURPOSES,
            back=CameBack(**{name: _text(request, query) for name, query in _ANSWER.items()}),
            browser=visit_cookie.of(request),
            remote_addr=request.META.get("REMOTE_ADDR", ""),
        )
    return HttpResponseRedirect(console_page_of(visit, KIND))


_ANSWER: Final = {"state": "state", "code": "code", "sender": "iss", "error": "error"}


def _text(request: HttpRequest, name: str) -> str:
    """A query parameter; empty when it is repeated, because it is then unclear which value the provider sent."""
    values = request.GET.getlist(name)
    return values[0][:_MOST_CHARS] if len(values) == 1 else ""


def _way(slug: str) -> OpenidWay | None:
    """The `Way` of a provider, also when it is switched off: the visit is then refused with the reason."""
    row = queries.PROVIDERS.by_slug(slug) if slug else queries.PROVIDERS.first_active()
    return OpenidWay(row, is_bare=not slug) if row is not None else None


@open_page
@require_safe
def logout(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`logout/`: the sign-out page of all ways in, which also redirects to the provider of the ended sign-in."""
    del slug
    query = request.META.get("QUERY_STRING", "")
    return HttpResponseRedirect(f"/core/auth/logout/?{query}" if query else "/core/auth/logout/")


@open_page
@csrf_exempt
@never_cache
@require_POST
def back_channel_logout(request: HttpRequest, slug: str) -> HttpResponse:
    """`back-channel-logout/`: the provider reports that a person signed out there. The signed token is the proof."""
    row = queries.PROVIDERS.by_slug(slug)
    if row is None:
        raise Http404
    try:
        signing_out.note_signed_out(row, request.POST.get("logout_token", ""))
    except WebApiFailed as error:
        return JsonResponse({"error": "invalid_request", "error_description": error.message}, status=400)
    except Unavailable as error:
        return JsonResponse({"error": "temporarily_unavailable", "error_description": error.message}, status=503)
    return HttpResponse(status=200)
