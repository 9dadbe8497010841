"""A code from the console signs its user in over SSH: once, for two minutes, as far as the browser behind it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from rest_framework.test import APIClient

from factories.browser import PASSWORD
from factories.openid import Guest, form_of, save
from factories.proxy_client import Proxy
from factories.second_factor import App
from factories.soft_authenticator import ORIGIN, enrolled
from peers.openid_stand_in import OpenidStandIn, serving
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import holdings, housekeeping
from postern.apps.authn.credentials.actions.login_sessions import end_all
from postern.apps.authn.models import LoginEnd, LoginSession, ProxySignIn, SignInGuard, SshCode
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import MfaLevel, User
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

CODES = "/api/v1/authentication/ssh-codes/"
SIGN_IN = "/api/v1/authentication/sign-in/"
ADDRESS = "192.0.2.9"
Show = Callable[..., access.SignInAnswer]


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann", language="en")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def browser(ann: User) -> APIClient:
    return signed_in("ann")


@pytest.fixture
def show(proxy: Proxy) -> Show:
    """What the proxy asks when somebody enters a text as the password."""

    def ask(text: str, username: str = "ann", **more: Any) -> access.SignInAnswer:
        values: dict[str, Any] = {"remote_addr": ADDRESS, "login_from": LoginFrom.SSH_TERMINAL, **more}
        request = access.SignInPassword(username=username, password=text, **values)
        return proxy.ask(access.SIGN_IN_PASSWORD, request, access.SignInAnswer)

    return ask


def signed_in(username: str) -> APIClient:
    client = APIClient()
    answer = client.post(SIGN_IN, {"username": username, "password": PASSWORD}, format="json")
    assert answer.status_code == 200
    return client


def code_from(client: APIClient) -> str:
    answer = client.post(CODES)
    assert answer.status_code == 201, answer.json()
    return str(answer.json()["code"])


def denial(answer: access.SignInAnswer) -> DenialCode | None:
    return answer.denial.code if answer.denial is not None else None


def set_to(**changes: Any) -> None:
    change_settings(actor=SYSTEM, changes=changes)


def test_a_code_signs_its_user_in_once(browser: APIClient, ann: User, show: Show) -> None:
    code = code_from(browser)
    answer = show(code)
    assert answer.user is not None
    assert answer.user.id == ann.pk
    row = LoginLog.objects.latest("datetime")
    assert (row.username, row.status, row.backend) == ("ann", True, "ssh_code")
    assert denial(show(code)) is DenialCode.BAD_CREDENTIALS
    assert code not in str(list(SshCode.objects.values())), "only its hash is stored"
    assert AuditEvent.objects.get(event="ssh_code.issued").actor_id == ann.pk


@pytest.mark.parametrize("typed", [str.upper, lambda code: f" {code} ", lambda code: code.replace("-", "")])
def test_a_code_may_be_typed_by_hand(browser: APIClient, show: Show, typed: Callable[[str], str]) -> None:
    assert show(typed(code_from(browser))).user is not None


def test_a_lost_answer_is_repeated(browser: APIClient, show: Show, proxy: Proxy) -> None:
    code, attempt = code_from(browser), "a" * 2 * access.ATTEMPT_BYTES
    first, again = show(code, attempt=attempt), show(code, attempt=attempt)
    assert first.user == again.user is not None
    assert ProxySignIn.objects.count() == 1
    assert proxy_sign_ins.find(again.ticket, proxy_id=proxy.id, remote_addr=ADDRESS).fault is None
    assert denial(show(code, attempt="b" * 2 * access.ATTEMPT_BYTES)) is DenialCode.BAD_CREDENTIALS


def test_a_code_of_somebody_else_signs_nobody_in(
    browser: APIClient, show: Show, make_user: Callable[..., User]
) -> None:
    make_user("bob")
    code = code_from(browser)
    for name in ("bob", "nobody"):
        assert denial(show(code, name)) is DenialCode.BAD_CREDENTIALS
    assert show(code).user is not None, "it was not used up"


def test_a_code_ends_after_two_minutes_and_with_the_next(
    browser: APIClient, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = code_from(browser), code_from(browser)
    assert denial(show(first)) is DenialCode.BAD_CREDENTIALS
    then = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: then)
    assert denial(show(second)) is DenialCode.BAD_CREDENTIALS
    housekeeping.forget_old(actor=SYSTEM)
    assert not SshCode.objects.exists()


def test_a_code_ends_with_the_browser_that_got_it(browser: APIClient, show: Show) -> None:
    code = code_from(browser)
    assert browser.post("/api/v1/authentication/sign-out/").status_code == 200
    assert denial(show(code)) is DenialCode.BAD_CREDENTIALS


@pytest.mark.parametrize("end", ["password", "disabled", "ended"])
def test_a_code_ends_with_what_ends_the_browser(browser: APIClient, ann: User, show: Show, end: str) -> None:
    code = code_from(browser)
    if end == "password":
        User.objects.filter(pk=ann.pk).update(session_epoch=ann.session_epoch + 1)
    elif end == "disabled":
        User.objects.filter(pk=ann.pk).update(is_active=False)
    else:
        end_all(user_id=ann.pk, reason=LoginEnd.ENDED_BY_ADMIN)
    assert denial(show(code)) is DenialCode.BAD_CREDENTIALS
    assert not ProxySignIn.objects.exists()


@pytest.mark.usefixtures("without_waits")
def test_wrong_codes_count_as_wrong_passwords(browser: APIClient, show: Show) -> None:
    for number in range(7):
        show(f"ssh-00000-0000{number}")
    assert max(SignInGuard.objects.values_list("failures", flat=True)) == 7
    assert denial(show(code_from(browser))) is DenialCode.LOCKED, "not even a right one while the account is locked"


def test_the_factor_of_the_browser_counts_over_ssh(ann: User, show: Show) -> None:
    app = App(ann)
    client = APIClient()
    assert (
        client.post(SIGN_IN, {"username": "ann", "password": PASSWORD}, format="json").json()["error"] == "mfa_required"
    )
    assert client.post("/api/v1/authentication/mfa/challenge/", {"code": app.code()}, format="json").status_code == 200
    assert show(code_from(client)).user is not None
    assert ProxySignIn.objects.get().mfa


def test_a_browser_that_showed_no_factor_leaves_it_due_over_ssh(ann: User, show: Show) -> None:
    """The second factor was switched on after this browser had signed in."""
    App(ann)
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.DISABLED)
    code = code_from(signed_in("ann"))
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.ENABLED)
    answer = show(code)
    assert answer.user is None
    assert answer.second_factor is not None


def test_a_trusted_browser_shows_the_factor_before_it_gets_a_code(browser: APIClient) -> None:
    LoginSession.objects.update(mfa=True, date_mfa_verified=None)
    answer = browser.post(CODES)
    assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required")
    assert not SshCode.objects.exists()


def test_tokens_and_strangers_get_no_code(ann: User, client_of: Callable[[User | None], APIClient]) -> None:
    assert client_of(None).post(CODES).status_code == 401
    issued = APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD}, format="json")
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {issued.json()['token']}")
    assert client.post(CODES).status_code == 403
    assert not SshCode.objects.exists()


def test_switched_off_codes_are_neither_given_nor_taken(browser: APIClient, show: Show) -> None:
    code = code_from(browser)
    set_to(TERMINAL_CODE_AUTH=False)
    assert browser.post(CODES).status_code == 403
    assert denial(show(code)) is DenialCode.BAD_CREDENTIALS
    set_to(TERMINAL_PASSWORD_AUTH=False)
    assert denial(show(code)) is DenialCode.METHOD_DISABLED
    set_to(TERMINAL_CODE_AUTH=True)
    assert denial(show(PASSWORD)) is DenialCode.METHOD_DISABLED
    assert show(code).user is not None


def test_codes_remain_where_no_password_signs_in(browser: APIClient, show: Show, proxy: Proxy) -> None:
    code = code_from(browser)
    set_to(SECURITY_SIGN_IN_WAYS=["openid"])
    assert (proxy.beat().settings.password_auth, proxy.beat().settings.code_auth) == (False, True)
    assert denial(show(PASSWORD)) is not None
    assert show(code).user is not None


def test_a_user_of_a_provider_reaches_ssh_until_they_sign_out_there(
    as_admin: APIClient, show: Show, proxy: Proxy
) -> None:
    with serving(OpenidStandIn(claims={"sub": "s-kim", "preferred_username": "kim", "sid": "one"})) as corp:
        save(as_admin, form_of(corp, signs_out=True))
        guest = Guest()
        assert guest.walk(corp).status_code == 200
        User.objects.filter(username="kim").update(is_first_login=False)
        code = guest.post(CODES).json()["code"]
        ticket = show(code, "kim").ticket
        assert proxy_sign_ins.find(ticket, proxy_id=proxy.id, remote_addr=ADDRESS).fault is None
        waiting = guest.post(CODES).json()["code"]
        report = f"logout_token={corp.logout_token(sid='one')}"
        form = "application/x-www-form-urlencoded"
        answer = APIClient().post("/core/auth/openid/corp/back-channel-logout/", report, content_type=form)
        assert answer.status_code == 200
        assert proxy_sign_ins.find(ticket, proxy_id=proxy.id, remote_addr=ADDRESS).fault is not None
        assert denial(show(waiting, "kim")) is DenialCode.BAD_CREDENTIALS


def test_reset_of_the_second_factor_ends_a_sign_in_by_code(
    browser: APIClient, ann: User, show: Show, proxy: Proxy
) -> None:
    ticket = show(code_from(browser)).ticket
    holdings.reset_second_factor(SYSTEM, ann)
    assert proxy_sign_ins.find(ticket, proxy_id=proxy.id, remote_addr=ADDRESS).fault is not None


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite has one lock for everything")
def test_twenty_clients_at_once_redeem_a_code_once(browser: APIClient, show: Show) -> None:
    code = code_from(browser)

    def try_it(number: int) -> bool:
        try:
            return show(code, attempt=f"{number:0{2 * access.ATTEMPT_BYTES}d}").user is not None
        finally:
            connections.close_all()

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(try_it, range(20))) == 1
    assert connection.vendor != "sqlite"


def test_a_user_whose_only_factor_is_a_passkey_is_sent_to_the_codes(ann: User, show: Show) -> None:
    set_to(SITE_URL=ORIGIN)
    enrolled(ann)
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.ENABLED)
    answer = show(PASSWORD)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.MFA_UNSET
    assert answer.denial.message == (
        "SSH cannot ask for your passkey. Sign in to the console in a browser, get a code for SSH from your profile, "
        f"and enter it as the password: {ORIGIN}"
    )
    set_to(TERMINAL_CODE_AUTH=False)
    without_codes = show(PASSWORD)
    assert without_codes.denial is not None
    assert "no authenticator app is set up" in without_codes.denial.message
    assert denial(show("wrong")) is DenialCode.BAD_CREDENTIALS


def test_a_proxy_is_told_the_address_of_the_console(proxy: Proxy) -> None:
    set_to(SITE_URL="https://bastion.example.test")
    assert proxy.beat().settings.console_url == "https://bastion.example.test"
