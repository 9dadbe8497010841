"""Signing out on both sides: at the provider after Postern, and in Postern after the provider."""

from collections.abc import Iterator
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from redis.exceptions import ConnectionError as RedisGone
from rest_framework.test import APIClient

from factories.openid import PROVIDERS, Guest, form_of, save
from factories.second_factor import App
from peers.openid_stand_in import CLIENT_ID, OpenidStandIn, rsa_key, serving, signed
from postern.apps.authn.models import LoginSession, PendingSignIn
from postern.apps.authn.openid import signing_out
from postern.apps.users.models import User

REPORT = "/core/auth/openid/corp/back-channel-logout/"
OUT = "/api/v1/authentication/sign-out/"
PROFILE = "/api/v1/users/profile/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp(as_admin: APIClient) -> Iterator[OpenidStandIn]:
    claims = {"sub": "s-ann", "preferred_username": "ann", "sid": "one"}
    with serving(OpenidStandIn(claims=claims)) as running:
        save(as_admin, form_of(running, signs_out=True))
        yield running


def signed_in(corp: OpenidStandIn, **claims: Any) -> Guest:
    corp.claims |= claims
    guest = Guest()
    assert guest.walk(corp).status_code == 200
    return guest


def report(token: str, url: str = REPORT) -> Any:
    """Send a report of the provider, without cookies and CSRF token."""
    return APIClient(enforce_csrf_checks=True).post(
        url, f"logout_token={token}", content_type="application/x-www-form-urlencoded"
    )


def is_in(guest: Guest) -> bool:
    return bool(guest.get(PROFILE).status_code == 200)


def test_signing_out_redirects_to_the_provider(corp: OpenidStandIn) -> None:
    guest = signed_in(corp)
    address = urlsplit(guest.post(OUT).json()["next"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{corp.issuer}/logout"
    query = parse_qs(address.query)
    assert query["client_id"] == [CLIENT_ID]
    assert query["post_logout_redirect_uri"][0].endswith("/core/auth/login/")
    assert not is_in(guest)
    guest = signed_in(corp)
    page = guest.get("/core/auth/openid/logout/", HTTP_SEC_FETCH_SITE="same-origin")
    assert page.headers["Location"] == "/core/auth/logout/"
    page = guest.get("/core/auth/logout/", HTTP_SEC_FETCH_SITE="same-origin")
    assert page.headers["Location"].startswith(f"{corp.issuer}/logout?")
    assert not is_in(guest)


def test_signing_out_does_not_redirect_if_the_settings_or_the_provider_do_not_support_it(
    as_admin: APIClient, corp: OpenidStandIn
) -> None:
    assert signed_in(corp).post(OUT).json()["next"]
    row = as_admin.get(PROVIDERS).json()[0]
    as_admin.patch(f"{PROVIDERS}{row['id']}/", {"signs_out": False})
    assert signed_in(corp).post(OUT).json() == {"msg": "ok"}
    with serving(
        OpenidStandIn(metadata={"end_session_endpoint": None}, claims={"sub": "b", "preferred_username": "b"})
    ) as other:
        save(as_admin, form_of(other, name="Two", slug="two", signs_out=True))
        guest = Guest()
        assert guest.walk(other, "two").status_code == 200
        assert guest.post(OUT).json() == {"msg": "ok"}


def test_report_ends_the_session_that_it_names(corp: OpenidStandIn) -> None:
    first, second = signed_in(corp), signed_in(corp, sid="two")
    answer = report(corp.logout_token(sid="one"))
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Cache-Control"].find("no-store") >= 0
    assert (is_in(first), is_in(second)) == (False, True)
    assert LoginSession.objects.get(end_reason="by_provider").date_ended is not None
    assert report(corp.logout_token(sid="two", sub=None)).status_code == 200
    assert not is_in(second)


def test_failed_report_can_be_repeated(corp: OpenidStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    guest, token = signed_in(corp), corp.logout_token(sid="one")
    with monkeypatch.context() as broken:
        broken.setattr(signing_out, "_end", mock.Mock(side_effect=ZeroDivisionError))
        with pytest.raises(ZeroDivisionError):
            report(token)
    assert report(token).status_code == 200
    assert not is_in(guest)


def test_report_about_a_person_ends_all_sign_ins_with_this_provider(corp: OpenidStandIn, as_admin: APIClient) -> None:
    guests = [signed_in(corp), signed_in(corp, sid="two")]
    other = signed_in(corp, sub="s-bob", preferred_username="bob")
    assert report(corp.logout_token(sub="s-ann")).status_code == 200
    assert [is_in(guest) for guest in guests] == [False, False]
    assert is_in(other)
    assert as_admin.get(PROFILE).status_code == 200


def test_sign_in_without_a_session_id_ends_with_any_report_about_the_person(corp: OpenidStandIn) -> None:
    del corp.claims["sid"]
    guest = signed_in(corp)
    assert report(corp.logout_token(sid="whatever")).status_code == 200
    assert not is_in(guest)


def test_report_ends_a_pending_sign_in(corp: OpenidStandIn) -> None:
    signed_in(corp)
    app = App(User.objects.get(username="ann"))
    guest = Guest()
    assert guest.walk(corp).json()["error"] == "mfa_required"
    assert report(corp.logout_token()).status_code == 200
    assert not PendingSignIn.objects.exists()
    answer = guest.post("/api/v1/authentication/mfa/challenge/", {"code": app.code(), "type": "code"})
    assert answer.status_code == 400
    assert not is_in(guest)


def test_report_ends_a_redeemed_visit(corp: OpenidStandIn) -> None:
    signed_in(corp)
    guest = Guest()
    visit = guest.come_back(corp.come_back(guest.start()))
    assert report(corp.logout_token()).status_code == 200
    assert guest.use(visit).json()["error"] == "external_lapsed"


@pytest.mark.parametrize(
    "changes",
    [
        {"events": None},
        {"events": {}},
        {"events": {"http://schemas.openid.net/event/backchannel-logout": "yes"}},
        {"nonce": "n"},
        {"sub": None},
        {"jti": None},
        {"jti": 7},
        {"iat": None},
        {"iat": 1_000_000_000},
        {"iat": 9_000_000_000},
        {"exp": 1_000_000_000},
        {"aud": "another"},
        {"aud": [CLIENT_ID, "another"]},
        {"iss": "https://evil.example"},
        {"sub": 7},
        {"sid": {}},
    ],
)
def test_invalid_report_is_refused(corp: OpenidStandIn, changes: dict[str, Any]) -> None:
    guest = signed_in(corp)
    answer = report(corp.logout_token(**changes))
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert is_in(guest)


def test_id_tokens_and_foreign_signatures_are_refused_as_reports(corp: OpenidStandIn) -> None:
    guest = signed_in(corp)
    claims = {"iss": corp.issuer, "aud": CLIENT_ID, "sub": "s-ann", "jti": "j", "iat": 1}
    for token in (corp.id_token("n"), signed(claims, rsa_key("foreign")), "", "a.b.c", "x" * 100_000):
        assert report(token).status_code == 400
    assert is_in(guest)


def test_report_is_accepted_once(corp: OpenidStandIn) -> None:
    first = signed_in(corp)
    token = corp.logout_token(sub="s-ann")
    assert report(token).status_code == 200
    assert not is_in(first)
    second = signed_in(corp)
    assert report(token).status_code == 400
    assert is_in(second)


def test_report_that_cannot_be_verified_gets_503(corp: OpenidStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = signed_in(corp)

    def fail(*_: object, **__: object) -> bool:
        raise RedisGone

    monkeypatch.setattr(cache, "add", fail)
    assert report(corp.logout_token()).status_code == 503
    assert is_in(guest)


def test_reports_without_a_provider_or_user_have_no_effect(corp: OpenidStandIn) -> None:
    assert report(corp.logout_token(), REPORT.replace("corp", "other")).status_code == 404
    assert APIClient().get(REPORT).status_code == 405
    assert report(corp.logout_token(sub="s-nobody")).status_code == 200
