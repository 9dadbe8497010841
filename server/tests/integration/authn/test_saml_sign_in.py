"""Sign-in with SAML: creation of users, rights from attributes, refusals, and single use of answers."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import reload
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.test import override_settings
from lxml import etree
from rest_framework.test import APIClient

from factories.external import SITE, visit_of
from factories.saml import ACROSS, PROVIDERS, Guest, form_of, save
from factories.second_factor import App
from peers.saml_cases import CASES, EVIL
from peers.saml_stand_in import SamlStandIn, encoded, pair
from postern.apps.audits.models import LoginLog
from postern.apps.authn.external.api import visit_cookie
from postern.apps.authn.models import FederatedIdentity, LoginSession, SamlAnswer, SignInGuard
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.saml import certificates, redirects
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp(as_admin: APIClient) -> SamlStandIn:
    attributes = {"uid": ["ann"], "displayName": ["Ann Li"], "email": ["Ann@Corp.example"], "groups": ["staff"]}
    stand_in = SamlStandIn(person={"name": "s-ann", "attributes": attributes})
    save(as_admin, form_of(stand_in))
    return stand_in


def ann() -> User:
    user: User = User.objects.get(username="ann")
    return user


def change(admin: APIClient, **values: Any) -> None:
    row = admin.get(PROVIDERS).json()[0]
    answer = admin.patch(f"{PROVIDERS}{row['id']}/", values)
    assert answer.status_code == 200, answer.content


def refused(answer: Any, words: str) -> None:
    """Assert a refusal with this message, and that nothing was created."""
    assert answer.status_code == 400, answer.content
    assert words in answer.json()["msg"]
    assert not LoginSession.objects.exclude(user__username="admin").exists()
    assert not FederatedIdentity.objects.exists()
    log = LoginLog.objects.order_by("-datetime", "-pk")[0]
    assert (log.status, log.backend) == (False, "saml:corp")


def test_first_sign_in_creates_the_user(corp: SamlStandIn) -> None:
    guest = Guest()
    answer = guest.walk(corp)
    assert answer.json() == {"next": "/ui/", "must_change_password": False}
    assert guest.get("/api/v1/users/profile/").json()["username"] == "ann"
    user = ann()
    facts = (user.source, user.role, user.name, user.email, user.has_usable_password())
    assert facts == ("saml", "User", "Ann Li", "ann@corp.example", False)
    assert Membership.objects.get(user=user).org_id == DEFAULT_ORG_ID
    identity = FederatedIdentity.objects.get(user=user)
    assert (identity.issuer, identity.subject, identity.source) == (corp.entity_id, "s-ann", "saml")
    assert LoginSession.objects.get(user=user).backend == "saml:corp"
    log = LoginLog.objects.get(username="ann")
    assert (log.status, log.backend) == (True, "saml:corp")
    assert Guest().walk(corp).status_code == 200
    assert User.objects.filter(source="saml").count() == 1


@pytest.mark.parametrize("parts", [("assertion",), ("response",), ("assertion", "response")])
def test_signed_assertion_or_signed_response_is_accepted(corp: SamlStandIn, parts: tuple[str, ...]) -> None:
    corp.parts = parts
    assert Guest().walk(corp, name="s-ann").status_code == 200


ENCRYPTION: Final = ".//{*}KeyDescriptor[@use='encryption']"


def certificate_of_metadata() -> str:
    """The encryption certificate in our metadata."""
    root = etree.fromstring(APIClient().get("/core/auth/saml/corp/metadata/").content)
    text = root.findtext(f"{ENCRYPTION}//{{*}}X509Certificate") or ""
    return f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"


@pytest.mark.parametrize("parts", [("assertion",), ("response",), ("assertion", "response")])
def test_assertion_encrypted_for_the_key_of_our_metadata_is_accepted(
    as_admin: APIClient, corp: SamlStandIn, parts: tuple[str, ...]
) -> None:
    change(as_admin, decrypts=True)
    corp.parts, corp.encrypted_for = parts, certificate_of_metadata()
    assert Guest().walk(corp).status_code == 200
    assert ann().email == "ann@corp.example"


def test_encrypted_assertions_are_accepted_only_while_switched_on(as_admin: APIClient, corp: SamlStandIn) -> None:
    change(as_admin, decrypts=True)
    corp.encrypted_for = certificate_of_metadata()
    change(as_admin, decrypts=False)
    metadata = etree.fromstring(APIClient().get("/core/auth/saml/corp/metadata/").content)
    assert metadata.find(ENCRYPTION) is None
    refused(Guest().walk(corp), "decrypting them is switched off here")
    change(as_admin, decrypts=True)
    corp.encrypted_for = pair("foreign").pem
    refused(Guest().walk(corp), "could not be decrypted")
    corp.encrypted_for = ""
    assert Guest().walk(corp).status_code == 200, "those that are not encrypted are taken, too"


def test_k26_encrypted_assertion_is_accepted_once(as_admin: APIClient, corp: SamlStandIn) -> None:
    change(as_admin, decrypts=True)
    corp.encrypted_for = certificate_of_metadata()
    assert Guest().walk(corp, assertion_id="_one").status_code == 200
    second = Guest().walk(corp, assertion_id="_one")
    assert second.status_code == 400
    assert "was used before" in second.json()["msg"]


def test_next_page_is_on_this_site(corp: SamlStandIn) -> None:
    for target, landed in (("/ui/assets", "/ui/assets"), ("https://evil.example/", "/ui/")):
        guest = Guest()
        path, form = corp.come_back(guest.start(next=target))
        assert guest.use(guest.come_back(path, form)).json()["next"] == landed


def test_rules_give_roles_and_groups(as_admin: APIClient, corp: SamlStandIn) -> None:
    dba = UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name="dba")
    claim = "http://schemas.xmlsoap.org/claims/Group"  # names of attributes have dots
    rules = [
        {"claim": claim, "value": "dba", "group": str(dba.pk)},
        {"claim": claim, "value": "auditors", "role": "Auditor"},
    ]
    change(as_admin, rules=rules)
    corp.person["attributes"][claim] = ["dba", "auditors"]
    assert Guest().walk(corp).status_code == 200
    assert ann().role == "Auditor"
    assert UserGroupMember.objects.filter(user=ann(), usergroup=dba).exists()
    corp.person["attributes"][claim] = ["others"]
    assert Guest().walk(corp).status_code == 200
    assert ann().role == "User"
    assert not UserGroupMember.objects.filter(user=ann()).exists()


def test_attribute_can_identify_people(as_admin: APIClient, corp: SamlStandIn) -> None:
    change(as_admin, subject_claim="employee")
    transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
    refused(Guest().walk(corp, name_format=transient), "did not send exactly one value of the attribute employee")
    corp.person["attributes"]["employee"] = ["7", "8"]
    refused(Guest().walk(corp, name_format=transient), "did not send exactly one value of the attribute employee")
    corp.person["attributes"]["employee"] = ["7"]
    for name in ("_x", "_y"):
        assert Guest().walk(corp, name=name, name_format=transient).status_code == 200
    assert FederatedIdentity.objects.get().subject == "7"
    assert User.objects.filter(source="saml").count() == 1


def test_transient_name_is_refused(corp: SamlStandIn) -> None:
    transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
    refused(Guest().walk(corp, name_format=transient), "another name at each sign-in")


@pytest.mark.parametrize("source", ["local", "ldap", "openid", "saml"])
def test_account_of_another_source_is_never_taken_over(
    corp: SamlStandIn, make_person: Callable[..., User], source: str
) -> None:
    User.objects.filter(pk=make_person("ann").pk).update(source=source)
    assert Guest().walk(corp).json()["error"] == "user_not_exist"
    assert not FederatedIdentity.objects.exists()


def test_identities_of_two_providers_are_separate(as_admin: APIClient, corp: SamlStandIn) -> None:
    other = SamlStandIn(entity_id="https://two.example", sso_url="https://two.example/sso?a", name="two")
    other.person = {"name": "s-ann", "attributes": {"uid": ["ann"]}}
    save(as_admin, form_of(other, name="Two", slug="two"))
    assert Guest().walk(corp).status_code == 200
    assert "belongs to another account" in Guest().walk(other, "two").json()["msg"]
    # The answer of one provider is refused at the address of the other.
    guest = Guest()
    _path, form = corp.come_back(guest.start())
    assert guest.come_back("/core/auth/saml/two/acs/", form) == "none"


def test_certificate_can_be_replaced_without_interruption(as_admin: APIClient, corp: SamlStandIn) -> None:
    change(as_admin, certificates=pair("next").pem + corp.pair.pem)
    assert Guest().walk(corp).status_code == 200
    corp.name = "next"
    assert Guest().walk(corp).status_code == 200
    change(as_admin, certificates=pair("idp").pem)
    answer = Guest().walk(corp)
    assert "not signed with a certificate that is stored" in answer.json()["msg"]


def test_name_is_requested_in_the_configured_format(as_admin: APIClient, corp: SamlStandIn) -> None:
    policy = "{urn:oasis:names:tc:SAML:2.0:protocol}NameIDPolicy"
    policies = [corp.asked(Guest().start())[0].find(policy)]
    change(as_admin, name_format="persistent")
    policies.append(corp.asked(Guest().start())[0].find(policy))
    formats = [element.get("Format") for element in policies if element is not None]
    assert formats == [None, "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"]


def test_requests_are_signed_if_configured(as_admin: APIClient, corp: SamlStandIn) -> None:
    assert "Signature=" not in Guest().start()
    change(as_admin, signs_requests=True)
    guest = Guest()
    page = guest.start()
    own = certificates.from_text(as_admin.get(PROVIDERS).json()[0]["own_certificate"])
    redirects.require_signed(redirects.parameters_of(urlsplit(page).query), "SAMLRequest", own, clock.now())
    assert guest.use(guest.come_back(*corp.come_back(page))).status_code == 200


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "Responder", "inner_status": "AuthnFailed"}, "refused the sign-in with the status AuthnFailed"),
        ({"issuer": "https://other.example"}, "the settings name https://idp.example/entity"),
        ({"audience": "https://other.example"}, "Register the entity ID http"),
        ({"audience": None}, "does not say for whom it is"),
        ({"recipient": "https://other.example"}, "Register http"),
        ({"destination": "https://other.example"}, "Register http"),
        ({"request_id": "_another"}, "Start on the sign-in page of Postern"),
        ({"not_after_s": -100}, "has expired already"),
        ({"confirmed_until_s": -100}, "has expired already"),
        ({"not_before_s": 100}, "comes from the future"),
        ({"attributes": {}}, "did not tell your username (uid)"),
        ({"attributes": {"uid": ["a", "b"]}}, "did not tell your username (uid)"),
        ({"attributes": {"uid": ["a b"]}}, "cannot be stored"),
    ],
)
@pytest.mark.any_database
def test_k49_each_refusal_says_what_to_change(corp: SamlStandIn, changes: dict[str, Any], words: str) -> None:
    refused(Guest().walk(corp, **changes), words)
    assert not User.objects.filter(source="saml").exists()


@pytest.mark.parametrize("case", [case for case in CASES if case.code], ids=lambda case: case.name)
@pytest.mark.any_database
def test_k49_invalid_answers_sign_nobody_in(corp: SamlStandIn, case: Any) -> None:
    guest = Guest()
    path, form = corp.come_back(guest.start())
    answer = guest.use(guest.come_back(path, {**form, "SAMLResponse": case.make()}))
    assert answer.status_code == 400
    assert not LoginSession.objects.exclude(user__username="admin").exists()
    assert not User.objects.filter(username=EVIL).exists()


def test_k26_answer_is_accepted_once_in_one_browser(corp: SamlStandIn) -> None:
    guest, thief = Guest(), Guest("192.0.2.66")
    path, form = corp.come_back(guest.start())
    assert thief.come_back(path, form) == "none"  # without a cookie
    thief.start()
    assert thief.come_back(path, form) == "none"  # with the cookie of another visit
    assert not SignInGuard.objects.exists()  # any site can cause such a post
    visit = guest.come_back(path, form)
    assert thief.use(visit).json()["error"] == "external_lapsed"
    assert guest.use(visit).status_code == 200
    assert guest.use(visit).status_code == 400
    assert guest.come_back(path, form) == "none"


def test_k26_assertion_is_accepted_once(corp: SamlStandIn) -> None:
    """Independently of the visit, an assertion ID is accepted once."""
    assert Guest().walk(corp, assertion_id="_same").status_code == 200
    answer = Guest().walk(corp, assertion_id="_same")
    assert "was used before" in answer.json()["msg"]
    assert SamlAnswer.objects.count() == 1


def test_unsolicited_answer_is_refused(corp: SamlStandIn) -> None:
    """Sign-ins that begin at the provider are not bound to a browser."""
    guest = Guest()
    page = guest.start()
    request, query = corp.asked(page)
    unsolicited = replace(corp.answer_to(request), request_id=None)
    form = {"SAMLResponse": encoded(unsolicited.signed(corp.pair, "assertion")), "RelayState": query["RelayState"]}
    path = urlsplit(unsolicited.acs).path
    refused(guest.use(guest.come_back(path, form)), "Start on the sign-in page of Postern")
    assert Guest().come_back(path, {"SAMLResponse": form["SAMLResponse"]}) == "none"


def test_cross_site_cookie_has_a_short_life_and_a_narrow_path(corp: SamlStandIn) -> None:
    guest = Guest()
    page = guest.start()
    cookie = guest.cookies[ACROSS]
    assert (cookie["path"], cookie["max-age"], cookie["httponly"]) == ("/core/auth/saml/", 600, True)
    assert guest.cookies["postern_visit"]["samesite"] == "Lax"
    guest.come_back(*corp.come_back(page))
    assert guest.cookies[ACROSS].value == ""


def test_k46_cross_site_cookie_is_secure_under_https() -> None:
    """Name and attributes are set when the module is imported."""
    try:
        with override_settings(POSTERN=replace(settings.POSTERN, https=True)):
            reload(visit_cookie)
            response = HttpResponse()
            visit_cookie.put_across(response, Secret("browser"))
            cookie = response.cookies["__Secure-postern_visit_across"]
            assert (cookie["samesite"], cookie["secure"], cookie["httponly"]) == ("None", True, True)
            visit_cookie.remove_across(response)
            removed = response.cookies["__Secure-postern_visit_across"]
            left = (removed.value, removed["samesite"], removed["secure"], removed["path"])
            assert left == ("", "None", True, "/core/auth/saml/")
    finally:
        reload(visit_cookie)


def test_malformed_posts_are_refused(corp: SamlStandIn) -> None:
    guest = Guest()
    path, form = corp.come_back(guest.start())
    for body in ({}, {"RelayState": "x" * 10_000}, {**form, "RelayState": ["a", "b"]}, {"SAMLResponse": "%%%"}):
        assert guest.come_back(path, body) == "none"
    assert guest.get(path, HTTP_HOST=SITE).status_code == 405
    assert guest.come_back("/core/auth/saml/unknown/acs/", form) == "none"
    refused(guest.use(guest.come_back(path, {**form, "SAMLResponse": "%%%"})), "not a SAML document")


def test_disabled_provider_signs_nobody_in(as_admin: APIClient, corp: SamlStandIn) -> None:
    guest = Guest()
    path, form = corp.come_back(guest.start())
    change(as_admin, is_active=False)
    refused(guest.use(guest.come_back(path, form)), "Sign-in with Corp is switched off")
    location = Guest().start()
    assert location.startswith("/core/auth/login/?external=")


@pytest.mark.parametrize("is_back", [False, True], ids=["at once", "after the visit"])
def test_disabled_way_signs_nobody_in(corp: SamlStandIn, is_back: bool) -> None:
    guest, off = Guest(), {"SECURITY_SIGN_IN_WAYS": ["password", "openid"]}
    if is_back:
        visit = guest.come_back(*corp.come_back(guest.start()))
        change_settings(actor=SYSTEM, changes=off)
        answer = guest.use(visit)
    else:
        change_settings(actor=SYSTEM, changes=off)
        answer = guest.use(visit_of(guest.start()))
    assert answer.status_code == 400
    assert not User.objects.filter(username="ann").exists()


def test_second_factor_follows_the_sign_in(corp: SamlStandIn) -> None:
    assert Guest().walk(corp).status_code == 200
    app = App(ann())
    guest = Guest()
    assert guest.walk(corp).json()["error"] == "mfa_required"
    assert guest.get("/api/v1/users/profile/").status_code == 401
    code = {"code": app.code(), "type": "code"}
    assert guest.post("/api/v1/authentication/mfa/challenge/", code).status_code == 200
    log = LoginLog.objects.filter(username="ann").order_by("-datetime", "-pk")[0]
    assert (log.backend, log.mfa) == ("saml:corp", 1)


@pytest.mark.django_db(transaction=True)
def test_one_of_twenty_concurrent_uses_of_an_assertion_signs_in(corp: SamlStandIn) -> None:
    guests = [Guest() for _ in range(20)]
    posts = [corp.come_back(guest.start(), assertion_id="_same") for guest in guests]
    for guest in guests:
        guest.get("/api/v1/authentication/sign-in/")

    def walk(number: int) -> int:
        try:
            return int(guests[number].use(guests[number].come_back(*posts[number])).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(walk, range(20)))
    assert sorted(codes) == [200] + [400] * 19
    assert SamlAnswer.objects.count() == 1


def test_metadata_and_requests_contain_the_same_addresses(corp: SamlStandIn) -> None:
    answer = APIClient().get("/core/auth/saml/corp/metadata/")
    assert answer.headers["Content-Type"] == "application/samlmetadata+xml"
    root = etree.fromstring(answer.content)
    request, _query = corp.asked(Guest().start())
    assert root.get("entityID") == request.findtext("{urn:oasis:names:tc:SAML:2.0:assertion}Issuer")
    service = root.find(".//{urn:oasis:names:tc:SAML:2.0:metadata}AssertionConsumerService")
    assert service is not None
    assert service.get("Location") == request.get("AssertionConsumerServiceURL")
    assert APIClient().get("/core/auth/saml/unknown/metadata/").status_code == 404
    assert dict(parse_qsl(urlsplit(Guest().start()).query))["RelayState"].isalnum()
