"""Pages below `/core/auth/openid/`: to a provider and back, signing out, and the report of a provider.

Without an id in the path (contract) they are about the first provider of the sign-in page.
"""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.actions.visits import CameBack
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.api.pages import moving_page
from postern.apps.authn.federation.api.pages import PURPOSES, led_to_provider, own_page_of
from postern.apps.authn.openid import queries, signing_out
from postern.apps.authn.openid.ways import KIND, OpenidWay
from postern.foundation.pages.pages import open_page
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import Unavailable

_MOST_CHARS: Final = 4_096


@moving_page
def sign_in_start(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`login/?next=`: leads to the page of the provider."""
    return led_to_provider(request, _way(slug))


@moving_page
def callback(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`callback/`: the provider sends the browser back. Our own page does the rest."""
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
    return HttpResponseRedirect(own_page_of(visit, KIND))


_ANSWER: Final = {"state": "state", "code": "code", "sender": "iss", "error": "error"}


def _text(request: HttpRequest, name: str) -> str:
    """Nothing when it is there twice: then it is not clear which one the provider has written."""
    found = request.GET.getlist(name)
    return found[0][:_MOST_CHARS] if len(found) == 1 else ""


def _way(slug: str) -> OpenidWay | None:
    """A provider that is switched off has a way, too: the visit then says so."""
    row = queries.PROVIDERS.by_slug(slug) if slug else queries.PROVIDERS.first_active()
    return OpenidWay(row, is_bare=not slug) if row is not None else None


@open_page
@require_safe
def logout(request: HttpRequest, slug: str = "") -> HttpResponse:
    """`logout/`: the page of all ways in, which also leads to the provider of the sign-in that ends."""
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
