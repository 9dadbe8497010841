"""Conditions such as a changed password or a second factor hold on each way in (K51: restrictions hold for every
credential).
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import translation
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.proxy_client import ADDRESS, Proxy, World
from factories.signed_request import signed
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from postern.apps.authn import facade as authn
from postern.apps.preferences.models import PreferenceValue
from postern.apps.sessions.models import Session
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import LoginFrom
from postern.foundation.caller.scope import ROOT
from postern.kernel import clock

pytestmark = pytest.mark.django_db

SITE = "https://bastion.example.test"
LIST = "/api/v1/authentication/login-sessions/"
PROFILE = "/api/v1/users/profile/"
TOKEN = "/api/v1/authentication/connection-token/"
KEY, KEY_LINE = make_key()
AT_A_PROXY: dict[str, Any] = {
    "username": "uma",
    "remote_addr": "192.0.2.9",
    "login_from": LoginFrom.SSH_TERMINAL,
    "proxy_id": PROXY_ID,
}


@pytest.fixture(autouse=True)
def site_url(db: None) -> None:
    PreferenceValue.objects.update_or_create(name="SITE_URL", defaults={"value": SITE})


@pytest.fixture
def uma(world: World) -> User:
    world.user.set_password(PASSWORD)
    world.user.public_key = KEY_LINE
    world.user.language = "en"
    world.user.save()
    return world.user


def _never_confirmed(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_first_login=True)


def _password_marked(user: User) -> None:
    User.objects.filter(pk=user.pk).update(need_update_password=True)


def _password_expired(user: User) -> None:
    PreferenceValue.objects.update_or_create(name="SECURITY_PASSWORD_EXPIRATION_TIME", defaults={"value": 30})
    User.objects.filter(pk=user.pk).update(date_password_last_updated=clock.now() - timedelta(days=31))


def _second_factor_missing(user: User) -> None:
    User.objects.filter(pk=user.pk).update(mfa_level=2)


CONDITIONS: dict[str, tuple[Callable[[User], None], str]] = {
    "notice": (_never_confirmed, "notice_unconfirmed"),
    "password marked": (_password_marked, "password_must_change"),
    "password expired": (_password_expired, "password_must_change"),
    "second factor": (_second_factor_missing, "mfa_unset"),
}


class Ways:
    """Everything that Uma obtained while her account met all conditions.

    Each method tries one way in and returns the refusal code, or None when access was given.
    """

    def __init__(self, proxy: Proxy, world: World) -> None:
        self.proxy, self.world = proxy, world
        proxy.beat()
        self.browser = Browser()
        assert self.browser.sign_in("uma").status_code == 200
        self.access_key = self.browser.post("/api/v1/authentication/access-keys/").json()
        answer = APIClient().post("/api/v1/authentication/auth/", {"username": "uma", "password": PASSWORD})
        self.bearer = answer.json()["token"]
        self.connection = self._issue().json()["token"]
        self.opening = self.proxy.authorize(world.user, "web-1").grant
        self.message = ""

    def _issue(self) -> Any:
        return self.browser.post(
            TOKEN, {"asset": str(self.world.asset.pk), "system_user": str(self.world.system_user.pk)}
        )

    def _denied(self, answer: Any) -> str | None:
        if answer.denial is None:
            return None
        self.message = answer.denial.message
        return str(answer.denial.code)

    def _refused(self, answer: Any) -> str | None:
        if answer.status_code < 300:
            return None
        assert answer.status_code in {400, 401, 403}, answer.content
        body = answer.json()
        self.message = body.get("msg") or body.get("detail") or ""
        return str(body.get("code") or body.get("error"))

    def ssh_password(self) -> str | None:
        return self._denied(authn.check_password(password=PASSWORD, **AT_A_PROXY))

    def ssh_key(self) -> str | None:
        proof = authn.read_proof(*signed_request(KEY, "uma"))
        return self._denied(authn.sign_in_with_public_key(attempt="1", proof=proof, **AT_A_PROXY))

    def session_of_an_open_ssh_connection(self) -> str | None:
        return self._denied(self.proxy.authorize(self.world.user, "web-1"))

    def credential_of_an_opening_session(self) -> str | None:
        assert self.opening is not None
        return self._denied(self.proxy.credential(self.opening.session_id))

    def new_bearer_token(self) -> str | None:
        return self._refused(
            APIClient().post("/api/v1/authentication/auth/", {"username": "uma", "password": PASSWORD})
        )

    def bearer_request(self) -> str | None:
        client = APIClient(HTTP_AUTHORIZATION=f"Bearer {self.bearer}", enforce_csrf_checks=True)
        assert client.get(PROFILE).status_code == client.get(LIST).status_code
        return self._refused(client.get(LIST))

    def bearer_confirms_nothing(self) -> str | None:
        client = APIClient(HTTP_AUTHORIZATION=f"Bearer {self.bearer}", enforce_csrf_checks=True)
        return self._refused(client.patch(PROFILE, {"is_first_login": False}))

    def access_key_request(self) -> str | None:
        return self._refused(APIClient().get(LIST, **signed(self.access_key["id"], self.access_key["secret"], LIST)))

    def new_connection_token(self) -> str | None:
        return self._refused(self._issue())

    def connection_token(self) -> str | None:
        return self._denied(self.proxy.redeem(self.connection, self.world.user))

    def browser_session(self) -> str | None:
        return self._refused(self.browser.get(LIST))

    def websocket(self) -> str | None:
        return "closed" if authn.web_sign_in(self.browser.session, ROOT, remote_addr=None) is None else None


WAYS = (
    "ssh_password",
    "ssh_key",
    "session_of_an_open_ssh_connection",
    "credential_of_an_opening_session",
    "new_bearer_token",
    "bearer_request",
    "bearer_confirms_nothing",
    "access_key_request",
    "new_connection_token",
    "connection_token",
    "browser_session",
    "websocket",
)

#: These end by themselves when a second factor becomes mandatory, because they were made without one.
_VOID_WITHOUT_SECOND_FACTOR = {
    "bearer_request",
    "bearer_confirms_nothing",
    "browser_session",
    "new_connection_token",
    "connection_token",
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.any_database
def test_k51_unmet_condition_closes_every_way_in(proxy: Proxy, world: World, uma: User, way: str, condition: str):
    ways = Ways(proxy, world)
    if way != "bearer_confirms_nothing":  # confirming is allowed while the account meets all conditions
        assert getattr(ways, way)() is None or way == "connection_token"
        ways = Ways(proxy, world)
    break_it, code = CONDITIONS[condition]
    break_it(uma)
    before = Session.objects.count()
    with translation.override("en"):
        answer = getattr(ways, way)()
    assert answer is not None
    assert Session.objects.count() == before
    if way == "websocket":
        return
    if condition == "second factor" and way in _VOID_WITHOUT_SECOND_FACTOR:
        assert answer in {"authentication_failed", "not_authenticated", "mfa_unset", "token_expired"}
        return
    assert answer == {"new_bearer_token": {"password_must_change": "password_expired"}.get(code, code)}.get(way, code)
    if code != "password_must_change" or "ssh" in way:
        assert SITE in ways.message  # the message names the address of the console


def test_completing_the_first_sign_in_in_the_console_opens_the_other_ways_in(proxy: Proxy, world: World, uma: User):
    _never_confirmed(uma)
    browser = Browser()
    assert browser.sign_in("uma").status_code == 200
    for path in (
        PROFILE,
        "/api/v1/orgs/orgs/current/",
        "/api/v1/users/profile/public-key/",
        "/api/v1/authentication/otp/",
    ):
        assert browser.get(path).status_code == 200, path
    assert browser.get(LIST).json()["code"] == "notice_unconfirmed"
    denied = authn.check_password(password=PASSWORD, **AT_A_PROXY).denial
    assert denied is not None
    assert SITE in denied.message
    assert browser.patch(PROFILE, {"is_first_login": False}).status_code == 200
    assert browser.get(LIST).status_code == 200
    assert authn.check_password(password=PASSWORD, **AT_A_PROXY).user is not None
    assert proxy.authorize(uma, "web-1").grant is not None


def test_watching_requires_the_conditions_too(
    proxy: Proxy, world: World, active: Session, make_user: Callable[..., User]
):
    watcher = make_user("vera", role="Auditor")
    client = APIClient()
    client.force_authenticate(watcher)
    answer = client.post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/")
    assert answer.status_code == 201, answer.content
    _never_confirmed(watcher)
    request = access.RedeemToken(token=answer.json()["token"], user_id=watcher.pk, remote_addr="192.0.2.7")
    redeemed = proxy.ask(access.REDEEM_TOKEN, request, access.AuthorizeAnswer)
    assert redeemed.watch is None
    assert redeemed.denial is not None
    assert redeemed.denial.code == "notice_unconfirmed"


def test_k40_ssh_connection_signed_in_before_a_reset_opens_no_further_session(
    proxy: Proxy, world: World, uma: User, as_admin: APIClient
):
    at_this_proxy = AT_A_PROXY | {"proxy_id": proxy.id, "remote_addr": ADDRESS}
    ticket = authn.check_password(password=PASSWORD, **at_this_proxy).ticket
    assert proxy.authorize(uma, "web-1", ticket=ticket).grant is not None
    assert as_admin.post(f"/api/v1/users/users/{uma.pk}/access/reset/?oid=root").status_code == 200
    denial = proxy.authorize(uma, "web-1", ticket=ticket).denial
    assert denial is not None
    assert denial.code == "sign_in_ended"
