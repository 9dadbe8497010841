"""Signing out on both sides by SAML: at the provider after Postern, and in Postern after the provider."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.core.cache import cache
from lxml import etree
from redis.exceptions import ConnectionError as RedisGone
from rest_framework.test import APIClient

from factories.saml import PROVIDERS, Guest, form_of, save
from peers.saml_stand_in import SAML, SAMLP, Pair, SamlStandIn, deflated, inflated, pair, signed_query
from postern.apps.authn import housekeeping
from postern.apps.authn.models import LoginSession, SamlAnswer
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.saml import certificates, redirects
from postern.kernel import clock

PAGE = "/core/auth/saml/corp/logout/"
OUT = "/api/v1/authentication/sign-out/"
PROFILE = "/api/v1/users/profile/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp(as_admin: APIClient) -> SamlStandIn:
    stand_in = SamlStandIn(person={"name": "s-ann", "attributes": {"uid": ["ann"]}})
    save(as_admin, form_of(stand_in))
    return stand_in


def signed_in(corp: SamlStandIn, **changes: Any) -> Guest:
    guest = Guest()
    assert guest.walk(corp, **changes).status_code == 200
    return guest


def is_in(guest: Guest) -> bool:
    return bool(guest.get(PROFILE).status_code == 200)


def logout_query(
    corp: SamlStandIn, own: str, *sessions: str, by: Pair | None = None, message: str = "_q1", **more: str
) -> str:
    """The query of a logout request of the provider."""
    values = {"name": "s-ann", "issuer": corp.entity_id, **more}
    indexes = "".join(f"<samlp:SessionIndex>{session}</samlp:SessionIndex>" for session in sessions)
    document = f"""<samlp:LogoutRequest xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" ID="{message}" Version="2.0"
 IssueInstant="{datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}" Destination="{own}">
<saml:Issuer>{values["issuer"]}</saml:Issuer><saml:NameID>{values["name"]}</saml:NameID>{indexes}</samlp:LogoutRequest>"""
    return signed_query(by or corp.pair, SAMLRequest=deflated(document.encode()), RelayState="back")


def own_address(admin: APIClient) -> str:
    return str(admin.get(PROVIDERS).json()[0]["logout_url"])


def test_signing_out_redirects_to_the_provider_with_a_signed_request(as_admin: APIClient, corp: SamlStandIn) -> None:
    guest = signed_in(corp, session="one")
    page = guest.post(OUT).json()["next"]
    assert page.startswith(f"{corp.slo_url}?SAMLRequest=")
    own = certificates.from_text(as_admin.get(PROVIDERS).json()[0]["own_certificate"])
    redirects.require_signed(redirects.parameters_of(urlsplit(page).query), "SAMLRequest", own, clock.now())
    request = etree.fromstring(inflated(dict(parse_qsl(urlsplit(page).query))["SAMLRequest"]))
    assert request.findtext(f"{{{SAML}}}NameID") == "s-ann"
    assert request.findtext(f"{{{SAMLP}}}SessionIndex") == "one"
    assert not is_in(guest)
    back = guest.get(PAGE, {"SAMLResponse": "x", "RelayState": "y"})
    assert back.headers["Location"] == "/core/auth/login/"


def test_signing_out_does_not_redirect_without_an_address(as_admin: APIClient, corp: SamlStandIn) -> None:
    row = as_admin.get(PROVIDERS).json()[0]
    assert as_admin.patch(f"{PROVIDERS}{row['id']}/", {"slo_url": ""}).status_code == 200
    assert signed_in(corp).post(OUT).json() == {"msg": "ok"}
    guest = signed_in(corp)
    answer = APIClient().get(f"{PAGE}?{logout_query(corp, own_address(as_admin))}")
    assert answer.headers["Location"] == "/core/auth/login/"
    assert not is_in(guest)


def test_request_ends_the_session_that_it_names(as_admin: APIClient, corp: SamlStandIn) -> None:
    first, second = signed_in(corp, session="one"), signed_in(corp, session="two")
    own = own_address(as_admin)
    answer = APIClient().get(f"{PAGE}?{logout_query(corp, own, 'one')}")
    assert answer.status_code == 302
    assert "no-store" in answer.headers["Cache-Control"]
    query = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))
    assert query["RelayState"] == "back"
    response = etree.fromstring(inflated(query["SAMLResponse"]))
    assert response.get("InResponseTo") == "_q1"
    assert (is_in(first), is_in(second)) == (False, True)
    assert LoginSession.objects.get(end_reason="by_provider").date_ended is not None


def test_request_about_a_person_ends_all_sign_ins_with_this_provider(as_admin: APIClient, corp: SamlStandIn) -> None:
    guests = [signed_in(corp, session="one"), signed_in(corp, session=None)]
    other = signed_in(corp, name="s-bob", attributes={"uid": ["bob"]})
    assert APIClient().get(f"{PAGE}?{logout_query(corp, own_address(as_admin))}").status_code == 302
    assert [is_in(guest) for guest in guests] == [False, False]
    assert is_in(other)
    assert as_admin.get(PROFILE).status_code == 200


def test_request_ends_a_redeemed_visit(as_admin: APIClient, corp: SamlStandIn) -> None:
    guest = Guest()
    signed_in(corp)
    visit = guest.come_back(*corp.come_back(guest.start()))
    assert APIClient().get(f"{PAGE}?{logout_query(corp, own_address(as_admin))}").status_code == 302
    assert guest.use(visit).json()["error"] == "external_lapsed"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"by": pair("foreign")}, "not signed with a certificate"),
        ({"issuer": "https://other.example"}, "the settings name"),
    ],
)
def test_k49_invalid_request_ends_nothing(
    as_admin: APIClient, corp: SamlStandIn, more: dict[str, Any], words: str
) -> None:
    guest = signed_in(corp)
    own = own_address(as_admin)
    answer = APIClient(HTTP_ACCEPT_LANGUAGE="en").get(f"{PAGE}?{logout_query(corp, own, **more)}")
    assert (answer.status_code, words in answer.content.decode()) == (400, True)
    for query in (
        "SAMLRequest=x",
        f"SAMLRequest={deflated(b'<a/>')}",
        logout_query(corp, "https://other.example/logout"),
    ):
        assert APIClient().get(f"{PAGE}?{query}").status_code == 400
    assert APIClient().get("/core/auth/saml/unknown/logout/?SAMLRequest=x").status_code == 404
    assert is_in(guest)


def test_request_is_accepted_once(as_admin: APIClient, corp: SamlStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    query = logout_query(corp, own_address(as_admin))
    signed_in(corp)
    assert APIClient().get(f"{PAGE}?{query}").status_code == 302
    guest = signed_in(corp)
    assert APIClient().get(f"{PAGE}?{query}").status_code == 400
    assert is_in(guest)

    def gone(*_args: Any, **_options: Any) -> bool:
        raise RedisGone

    monkeypatch.setattr(cache, "add", gone)  # it is unknown whether the request was used
    answer = APIClient().get(f"{PAGE}?{logout_query(corp, own_address(as_admin), message='_q2')}")
    assert answer.status_code == 503
    assert is_in(guest)


def test_answers_are_stored_while_their_sign_in_is_open(corp: SamlStandIn) -> None:
    first, second = signed_in(corp), signed_in(corp)
    SamlAnswer.objects.update(date_expired=clock.now() - timedelta(minutes=1))
    housekeeping.forget_old(actor=SYSTEM)
    assert SamlAnswer.objects.count() == 2
    first.post(OUT)
    housekeeping.forget_old(actor=SYSTEM)
    assert SamlAnswer.objects.count() == 1
    assert is_in(second)


def test_user_signs_out_with_the_page(corp: SamlStandIn) -> None:
    guest = signed_in(corp)
    page = guest.get(PAGE, HTTP_SEC_FETCH_SITE="same-origin")
    assert page.headers["Location"] == "/core/auth/logout/"
