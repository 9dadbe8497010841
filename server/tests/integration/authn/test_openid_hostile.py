"""OpenID Connect with a hostile provider or attacker in between: nobody is signed in, and the message says why."""

import base64
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from rest_framework.test import APIClient

from factories.openid import Guest, form_of, save
from peers.openid_stand_in import (
    CLIENT_ID,
    OpenidStandIn,
    rsa_key,
    serving,
    signed,
    signed_with_public_key,
    unsigned,
)
from postern.apps.audits.models import LoginLog
from postern.apps.authn.models import FederatedIdentity, LoginSession, SignInGuard
from postern.apps.users.models import User
from postern.integrations.openid import keys, metadata
from postern.kernel.clock import monotonic_s

pytestmark = pytest.mark.django_db

Alter = Callable[[dict[str, Any]], dict[str, Any]]
SIGNATURE = "not signed with a key of the provider"


@pytest.fixture
def corp(as_admin: APIClient) -> Iterator[OpenidStandIn]:
    with serving(OpenidStandIn()) as running:
        save(as_admin, form_of(running))
        yield running


def refused(answer: Any, words: str) -> None:
    """Assert a refusal with this message, and that nothing was created."""
    assert answer.status_code == 400, answer.content
    assert words in answer.json()["msg"]
    assert not LoginSession.objects.exclude(user__username="admin").exists()
    assert not FederatedIdentity.objects.exists()
    assert not User.objects.filter(username="ann").exists()
    log = LoginLog.objects.order_by("-datetime", "-pk")[0]
    assert (log.status, log.backend) == (False, "openid:corp")


def without(name: str) -> Alter:
    return lambda claims: {key: value for key, value in claims.items() if key != name}


def test_valid_answer_signs_in(corp: OpenidStandIn) -> None:
    """Shows that the refusals below have other causes than the setup."""
    guest = Guest()
    assert guest.walk(corp).status_code == 200
    assert guest.get("/api/v1/users/profile/").json()["username"] == "ann"


@pytest.mark.parametrize(
    "sign",
    [
        lambda claims: signed(claims, rsa_key("foreign")),
        unsigned,
        lambda claims: signed_with_public_key(claims, rsa_key("own")),
        lambda claims: signed(claims, rsa_key("own"), alg="RS512"),
        lambda claims: signed(claims, rsa_key("own"))[:-8] + "AAAAAAAA",
        lambda claims: signed(claims, rsa_key("own"), kid="another"),
        lambda _: "a.b",
        lambda _: "..",
        lambda _: "é.é.é",
        lambda _: "eyJhbGciOiJSUzI1NiJ9." + "A" * 70_000 + ".AAAA",
    ],
    ids=["foreign-key", "none", "HS256", "RS512", "altered", "kid", "two-parts", "empty", "letters", "long"],
)
@pytest.mark.any_database
def test_k49_token_without_a_signature_of_the_provider_is_refused(
    corp: OpenidStandIn, sign: Callable[[dict[str, Any]], str]
) -> None:
    corp.sign = sign
    refused(Guest().walk(corp), SIGNATURE)


@pytest.mark.parametrize(
    ("alter", "words"),
    [
        (lambda claims: {**claims, "iss": f"{claims['iss']}/"}, "wrong or missing iss"),
        (lambda claims: {**claims, "aud": "another"}, "wrong or missing aud"),
        (lambda claims: {**claims, "aud": [CLIENT_ID, "another"]}, "wrong or missing aud"),
        (lambda claims: {**claims, "aud": []}, "wrong or missing aud"),
        (lambda claims: {**claims, "azp": "another"}, "wrong or missing azp"),
        (lambda claims: {**claims, "nonce": "another"}, "wrong or missing nonce"),
        (without("nonce"), "wrong or missing nonce"),
        (without("sub"), "wrong or missing sub"),
        (lambda claims: {**claims, "sub": ""}, "wrong or missing sub"),
        (lambda claims: {**claims, "sub": 7}, "wrong or missing sub"),
        (lambda claims: {**claims, "sub": "s" * 256}, "wrong or missing sub"),
        (lambda claims: {**claims, "sub": "a\x00b"}, "wrong or missing sub"),
        (lambda claims: {**claims, "exp": int(time.time()) - 62}, "has expired"),
        (without("exp"), "wrong or missing exp"),
        (lambda claims: {**claims, "exp": "never"}, "wrong or missing exp"),
        (lambda claims: {**claims, "iat": int(time.time()) + 90}, "comes from the future"),
        (lambda claims: {**claims, "nbf": int(time.time()) + 90}, "comes from the future"),
        (without("iat"), "wrong or missing iat"),
        (without("aud"), "wrong or missing aud"),
        (without("iss"), "wrong or missing iss"),
    ],
)
@pytest.mark.any_database
def test_k49_token_with_invalid_claims_is_refused(corp: OpenidStandIn, alter: Alter, words: str) -> None:
    corp.alter = alter
    refused(Guest().walk(corp), words)


@pytest.mark.parametrize("alter", [
    lambda claims: {**claims, "aud": [CLIENT_ID]},
    lambda claims: {**claims, "azp": CLIENT_ID},
    lambda claims: {**claims, "exp": int(time.time()) - 30},
    lambda claims: {**claims, "iat": int(time.time()) + 30},
])  # fmt: skip
@pytest.mark.any_database
def test_token_with_unusual_valid_claims_is_accepted(corp: OpenidStandIn, alter: Alter) -> None:
    corp.alter = alter
    assert Guest().walk(corp).status_code == 200


def test_short_key_is_refused(corp: OpenidStandIn) -> None:
    weak = rsa.generate_private_key(65537, 1024)  # noqa: S505 - it must be refused
    numbers = weak.public_key().public_numbers()
    modulus = base64.urlsafe_b64encode(numbers.n.to_bytes(128, "big")).decode().rstrip("=")
    corp.keys = [{"kty": "RSA", "kid": "k1", "n": modulus, "e": "AQAB"}]
    refused(Guest().walk(corp), "no key that Postern accepts")


def test_token_without_kid_is_verified_with_each_key(corp: OpenidStandIn) -> None:
    rows = [rsa_key(name).as_dict(private=False) for name in ("foreign", "own")]
    corp.keys = [{"kty": row["kty"], "n": row["n"], "e": row["e"]} for row in rows]
    corp.sign = lambda claims: signed(claims, rsa_key("own"), kid="")
    assert Guest().walk(corp).status_code == 200


def test_keys_are_reloaded_for_an_unknown_kid_at_most_once_a_minute(
    corp: OpenidStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Guest().walk(corp).status_code == 200
    corp.keys = [{**rsa_key("new").as_dict(private=False), "kid": "k2"}]
    corp.sign = lambda claims: signed(claims, rsa_key("new"), kid="k2")
    for _ in range(3):
        assert SIGNATURE in Guest().walk(corp).json()["msg"]
    assert corp.asked.count("jwks") == 1
    monkeypatch.setattr(keys, "monotonic_s", lambda: monotonic_s() + 61)
    assert Guest().walk(corp).status_code == 200
    assert corp.asked.count("jwks") == 2


def test_metadata_are_cached_for_an_hour(corp: OpenidStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        assert Guest().walk(corp).status_code == 200
    assert corp.asked.count("openid-configuration") == 1
    monkeypatch.setattr(metadata, "monotonic_s", lambda: monotonic_s() + 3601)
    assert Guest().walk(corp).status_code == 200
    assert corp.asked.count("openid-configuration") == 2


def test_metadata_with_another_issuer_are_refused(corp: OpenidStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Guest().walk(corp).status_code == 200
    corp.metadata["issuer"] = "https://evil.example"
    monkeypatch.setattr(metadata, "monotonic_s", lambda: monotonic_s() + 3601)
    page = Guest().start()
    assert page.startswith("/core/auth/login/?external=")
    assert "/authorize" not in page


@pytest.mark.parametrize("address", ["https://evil.example/", "", "https://corp.example"])
@pytest.mark.any_database
def test_answer_with_another_issuer_is_refused(corp: OpenidStandIn, address: str) -> None:
    guest = Guest()
    back = corp.come_back(guest.start(), iss=address)
    refused(guest.use(guest.come_back(back)), "came from a provider other than the one that was asked")
    assert "token" not in corp.asked


def test_answer_without_issuer_is_accepted_if_the_metadata_allow_it(corp: OpenidStandIn) -> None:
    corp.names_itself = False
    assert Guest().walk(corp).status_code == 200
    guest = Guest()
    back = corp.come_back(guest.start(), iss="https://evil.example")
    assert "a provider other than the one that was asked" in guest.use(guest.come_back(back)).json()["msg"]


def test_userinfo_about_another_person_is_refused(corp: OpenidStandIn) -> None:
    corp.userinfo_sub = "s-boss"
    refused(Guest().walk(corp), "a person other than the one who signed in")


def test_failing_userinfo_endpoint_signs_nobody_in(corp: OpenidStandIn) -> None:
    """Its claims may be needed by the rules: without them the roles would be removed."""
    corp.manners["userinfo"] = "error"
    refused(Guest().walk(corp), "HTTP status 500")


@pytest.mark.parametrize("name", ["openid-configuration", "token", "jwks", "userinfo"])
@pytest.mark.parametrize("manner", ["redirect", "huge", "html"])
@pytest.mark.any_database
def test_invalid_response_of_an_endpoint_is_refused(corp: OpenidStandIn, name: str, manner: str) -> None:
    corp.manners[name] = manner
    guest = Guest()
    page = guest.start()
    visit = page.partition("external=")[2].partition("&")[0] if page.startswith("/") else ""
    answer = guest.use(visit or guest.come_back(corp.come_back(page)))
    refused(answer, "longer than expected" if manner == "huge" else "not the expected service")
    assert "elsewhere" not in corp.asked


@pytest.mark.parametrize("manner", ["silent", "drip"])
@pytest.mark.parametrize("name", ["openid-configuration", "token"])
@pytest.mark.any_database
def test_wait_for_an_endless_response_is_limited(corp: OpenidStandIn, name: str, manner: str) -> None:
    corp.manners[name] = manner
    guest, began_s = Guest(), monotonic_s()
    page = guest.start()
    visit = page.partition("external=")[2].partition("&")[0] if page.startswith("/") else ""
    answer = guest.use(visit or guest.come_back(corp.come_back(page)))
    assert 4 < monotonic_s() - began_s < 9
    refused(answer, "did not answer within 5 seconds")


def test_k26_state_is_accepted_once_in_its_browser_only(corp: OpenidStandIn) -> None:
    guest, thief = Guest(), Guest()
    back = corp.come_back(guest.start())
    thief.start()
    assert thief.come_back(back) == "none"
    assert SignInGuard.objects.filter(kind="address").exists()  # the wrong state counts as a guess
    visit = guest.come_back(back)
    assert thief.use(visit).json()["error"] == "external_lapsed"
    assert guest.come_back(back) == "none"
    assert guest.use(visit).status_code == 200
    assert guest.use(visit).json()["error"] == "external_lapsed"


def test_used_code_is_refused(corp: OpenidStandIn) -> None:
    first = Guest()
    back = corp.come_back(first.start())
    code = back.partition("code=")[2].partition("&")[0]
    second = Guest()
    other = corp.come_back(second.start())
    assert first.use(first.come_back(back)).status_code == 200
    stolen = other.replace(other.partition("code=")[2].partition("&")[0], code)
    answer = second.use(second.come_back(stolen))
    assert "does not accept the code" in answer.json()["msg"]


def test_k26_pkce_refuses_the_code_of_another_visit(corp: OpenidStandIn) -> None:
    """The thief has the unused code of the victim, but not its verifier."""
    victim, thief = Guest(), Guest()
    theirs = corp.come_back(victim.start())
    own = corp.come_back(thief.start())
    codes = [location.partition("code=")[2].partition("&")[0] for location in (theirs, own)]
    answer = thief.use(thief.come_back(own.replace(codes[1], codes[0])))
    refused(answer, "does not accept the code")


def test_visit_is_refused_at_another_provider(as_admin: APIClient, corp: OpenidStandIn) -> None:
    """The answer of one provider is refused at the address of another."""
    save(as_admin, form_of(corp, name="Other", slug="other"))
    guest = Guest()
    back = corp.come_back(guest.start("corp"))
    assert guest.come_back(back.replace("/corp/", "/other/")) == "none"
    assert "token" not in corp.asked


def test_repeated_parameters_are_ignored(corp: OpenidStandIn) -> None:
    guest = Guest()
    back = corp.come_back(guest.start())
    assert guest.come_back(f"{back}&state=another") == "none"
    assert "were not signed in" in guest.use(guest.come_back(f"{back}&code=another")).json()["msg"]


@pytest.mark.parametrize(
    ("error", "words"), [("access_denied", "You were not signed in at Corp"), ("invalid_scope<b>", "invalid_scope")]
)
@pytest.mark.any_database
def test_error_of_the_provider_is_reported(corp: OpenidStandIn, error: str, words: str) -> None:
    guest = Guest()
    back = corp.come_back(guest.start(), code="", error=error)
    refused(guest.use(guest.come_back(back)), words)


def test_wrong_client_secret_is_reported(corp: OpenidStandIn) -> None:
    corp.client_secret = "another"
    refused(Guest().walk(corp), "refuses the client ID or the client secret")


def test_visit_to_a_company_provider_is_refused(corp: OpenidStandIn) -> None:
    guest = Guest()
    visit = guest.come_back(corp.come_back(guest.start()))
    answer = guest.post("/api/v1/authentication/external/sign-in/", {"id": visit})
    assert answer.status_code in {400, 403}
    assert guest.use(visit).status_code == 200
