"""Pages below `/core/auth/saml/<id>/`: redirects to a provider and back, our metadata, and messages about signing out."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from postern.apps.authn.external.actions import visits
from postern.apps.authn.external.actions.visits import CameBack
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.external.api.pages import provider_page
from postern.apps.authn.federation.api.pages import LOGIN_PAGE, PURPOSES, console_page_of, redirect_to
from postern.apps.authn.saml import addresses, queries, signing_out
from postern.apps.authn.saml.models import NameFormat, SamlProvider
from postern.apps.authn.saml.ways import KIND, SamlWay
from postern.foundation.pages.pages import open_page
from postern.integrations.saml import metadata
from postern.integrations.saml.metadata import Own
from postern.integrations.saml.names import MOST_BYTES
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import Unavailable

_LOGOUT_PAGE: Final = "/core/auth/logout/"
_MOST_STATE_CHARS: Final = 256
_SEE_OTHER: Final = 303


@provider_page
def sign_in_start(request: HttpRequest, slug: str) -> HttpResponse:
    """`login/?next=`: redirects to the page of the provider."""
    row = queries.PROVIDERS.by_slug(slug)
    return redirect_to(request, SamlWay(row) if row is not None else None, crosses_sites=True)


@open_page
@csrf_exempt
@never_cache
@require_POST
def acs(request: HttpRequest, slug: str) -> HttpResponse:
    """`acs/`: the browser posts the answer of the provider here. Redirects to the console, which uses the visit.

    A cross-site cookie binds the answer to its browser. The status is 303, so that the browser loads the console by
    GET, with its other cookies.
    """
    row = queries.PROVIDERS.by_slug(slug)
    visit = None
    if row is not None:
        visit = visits.redeem(
            way=SamlWay(row),
            purposes=PURPOSES,
            back=CameBack(
                state=_field(request, "RelayState", _MOST_STATE_CHARS),
                code=_field(request, "SAMLResponse", 2 * MOST_BYTES),
            ),
            browser=visit_cookie.across(request),
            remote_addr=request.META.get("REMOTE_ADDR", ""),
            counts_guesses=False,
        )
    response = HttpResponseRedirect(console_page_of(visit, KIND))
    response.status_code = _SEE_OTHER
    if visit is not None:  # without a visit, another site may have caused the request
        visit_cookie.remove_across(response)
    return response


def _field(request: HttpRequest, name: str, most_chars: int) -> str:
    """A field of the form; empty when it is repeated or too long."""
    values = request.POST.getlist(name)
    return values[0] if len(values) == 1 and len(values[0]) <= most_chars else ""


@open_page
@require_safe
def own_metadata(request: HttpRequest, slug: str) -> HttpResponse:
    """`metadata/`: the metadata of Postern for the provider. They contain no secrets."""
    del request
    row = _row(slug)
    own = Own(
        entity_id=addresses.entity_id(slug),
        acs=addresses.acs(slug),
        logout=addresses.logout(slug),
        certificate=row.own_certificate,
        signs_requests=row.signs_requests,
        name_format=NameFormat(row.name_format).urn,
        encryption_certificate=row.encryption_certificate if row.decrypts else "",
    )
    response = HttpResponse(metadata.own_document(own), content_type="application/samlmetadata+xml")
    response["Content-Disposition"] = f'attachment; filename="postern-{slug}.xml"'
    return response


@open_page
@never_cache
@require_safe
def logout(request: HttpRequest, slug: str) -> HttpResponse:
    """`logout/`: a logout request of the provider, its response to our request, or a user who signs out."""
    query = request.META.get("QUERY_STRING", "")
    if "SAMLRequest" in request.GET and request.method == "GET":
        return _signed_out_there(_row(slug), query)
    if "SAMLResponse" in request.GET:  # the sign-in in Postern has ended already, so the answer does not matter
        return HttpResponseRedirect(LOGIN_PAGE)
    return HttpResponseRedirect(f"{_LOGOUT_PAGE}?{query}" if query else _LOGOUT_PAGE)


def _signed_out_there(row: SamlProvider, query: str) -> HttpResponse:
    try:
        return HttpResponseRedirect(signing_out.take_request(row, query) or LOGIN_PAGE)
    except WebApiFailed as error:
        return _plain(error.message, 400)
    except Unavailable as error:
        return _plain(error.message, 503)


def _plain(message: str, status: int) -> HttpResponse:
    return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")


def _row(slug: str) -> SamlProvider:
    row = queries.PROVIDERS.by_slug(slug)
    if row is None:
        raise Http404
    return row
