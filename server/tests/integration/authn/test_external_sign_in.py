"""Sign-in with WeCom, DingTalk and FeiShu with stand-ins of the services, and its refusals."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.external import BIND, NAMES, SIGN_IN, SITE, Visitor, running_services, set_up, through_provider, visit_of
from factories.second_factor import App
from peers.company_apps import Service, Somebody
from postern.apps.audits.models import LoginLog
from postern.apps.authn import housekeeping
from postern.apps.authn.external.actions import visits
from postern.apps.authn.models import (
    ExternalAccount,
    ExternalRequest,
    KnownPlace,
    LoginAcl,
    LoginSession,
    SignInGuard,
)
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
CHALLENGE = "/api/v1/authentication/mfa/challenge/"
LOGIN_PAGE = "/core/auth/login/?external="

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    with running_services() as running:
        set_up(as_admin, running)
        yield running


@pytest.fixture
def visitor(services: dict[str, Service]) -> Visitor:
    return Visitor()


@pytest.fixture
def bound(ann: User, services: dict[str, Service]) -> User:
    """Ann, with bound accounts at all three providers."""
    for name, service in services.items():
        person = service.person
        ExternalAccount.objects.create(
            user=ann, provider=name, tenant=person.tenant, subject=person.subject, name=person.name
        )
    return ann


def last_log() -> LoginLog:
    log: LoginLog = LoginLog.objects.order_by("-datetime", "-pk")[0]
    return log


@pytest.mark.parametrize("name", NAMES)
def test_bound_account_signs_its_user_in(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str
) -> None:
    page = visitor.start(name, next="")
    cookie = visitor.cookies["postern_visit"]
    assert (cookie["samesite"], cookie["httponly"]) == ("Lax", True)
    location = visitor.come_back(through_provider(services[name], page))
    assert location.startswith(LOGIN_PAGE)
    assert visitor.get(PROFILE).status_code == 401  # the callback alone signs nobody in
    answer = visitor.use(visit_of(location))
    assert answer.status_code == 200, answer.content
    assert answer.json() == {"next": "/ui/", "must_change_password": False}
    assert visitor.get(PROFILE).json()["username"] == "ann"
    assert LoginSession.objects.get(user=bound).backend == name
    log = last_log()
    assert (log.username, log.backend, log.status, log.mfa) == ("ann", name, True, 0)
    assert ExternalAccount.objects.get(user=bound, provider=name).date_last_used is not None
    assert KnownPlace.objects.filter(user=bound).count() == 2


def test_directory_user_signs_in_with_a_provider_only_while_synchronisation_is_on(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    def came() -> tuple[int, str]:
        location = visitor.come_back(through_provider(services["wecom"], visitor.start("wecom", next="")))
        answer = visitor.use(visit_of(location))
        return answer.status_code, answer.json().get("error", "")

    User.objects.filter(pk=bound.pk).update(source="ldap")
    assert came() == (400, "external_failed")
    for name in ("AUTH_LDAP", "AUTH_LDAP_SYNC"):
        PreferenceValue.objects.update_or_create(name=name, defaults={"value": True})
    assert came() == (200, "")


def test_login_acl_applies_to_sign_ins_with_a_provider(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    LoginAcl.objects.create(user=bound, name="elsewhere", action="allow", ip_group=["203.0.113.0/24"])
    location = visitor.come_back(through_provider(services["wecom"], visitor.start("wecom", next="")))
    answer = visitor.use(visit_of(location))
    assert (answer.status_code, answer.json()["error"]) == (400, "acl_not_allow")
    assert not LoginSession.objects.filter(user=bound).exists()
    assert last_log().reason == "acl_not_allow"


@pytest.mark.parametrize("name", NAMES)
def test_sign_in_redirects_to_the_requested_page(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str
) -> None:
    for requested, expected in (
        ("/ui/assets", "/ui/assets"),
        ("https://evil.example/", "/ui/"),
        ("//evil.example", "/ui/"),
    ):
        browser = Visitor()
        answer = browser.get(f"/core/auth/{name}/qr/login/", {"next": requested}, HTTP_HOST=SITE)
        back = browser.come_back(through_provider(services[name], answer.headers["Location"]))
        assert browser.use(visit_of(back)).json()["next"] == expected


def test_browser_at_another_address_is_redirected_to_the_address_of_the_settings(
    visitor: Visitor, services: dict[str, Service]
) -> None:
    answer = visitor.get("/core/auth/wecom/qr/login/", {"next": "/ui/assets"}, HTTP_HOST="testserver")
    location = answer.headers["Location"]
    assert location == f"http://{SITE}/core/auth/wecom/qr/login/?next=%2Fui%2Fassets&here=1"
    assert not ExternalRequest.objects.exists()
    # no redirect loop behind a proxy that changes the host
    answer = visitor.get(location.removeprefix(f"http://{SITE}"), HTTP_HOST="testserver")
    assert answer.headers["Location"].startswith(services["wecom"].base)


def test_wecom_browser_gets_a_page_without_a_qr_code(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    agent = "Mozilla/5.0 (Linux) wxwork/4.1.22 MicroMessenger/7.0.1"
    page = visitor.start("wecom", HTTP_USER_AGENT=agent)
    assert "/connect/oauth2/authorize?" in page
    visit = visit_of(visitor.come_back(through_provider(services["wecom"], page)))
    assert visitor.use(visit).status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_unbound_person_gets_no_user(visitor: Visitor, services: dict[str, Service], ann: User, name: str) -> None:
    users = User.objects.count()
    User.objects.filter(pk=ann.pk).update(email="boss@corp.example", phone="+8613800000000")
    answer = visitor.sign_in_by(name, services[name])
    assert answer.status_code == 400
    assert answer.json()["error"] == "external_not_bound"
    assert visitor.get(PROFILE).status_code == 401
    assert User.objects.count() == users
    log = last_log()
    assert (log.username, log.backend, log.status, log.reason) == (
        services[name].person.subject.lower(),
        name,
        False,
        "external_not_bound",
    )


@pytest.mark.parametrize("name", NAMES)
def test_people_of_other_companies_are_refused(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str
) -> None:
    subject = services[name].person.subject
    services[name].person = Somebody("corp-2", subject, is_stranger=True)
    answer = visitor.sign_in_by(name, services[name])
    assert (answer.status_code, answer.json()["error"]) == (400, "external_failed")


@pytest.mark.parametrize("name", NAMES)
def test_state_is_accepted_once(visitor: Visitor, services: dict[str, Service], bound: User, name: str) -> None:
    back = through_provider(services[name], visitor.start(name))
    visit = visit_of(visitor.come_back(back))
    calls = len(services[name].asked)
    assert visit_of(visitor.come_back(back)) == "none"
    assert len(services[name].asked) == calls  # the provider is not queried again
    assert visitor.use(visit).status_code == 200
    other = Visitor()
    other.cookies["postern_visit"] = visitor.cookies["postern_visit"].value
    assert other.use(visit).json()["error"] == "external_lapsed"
    assert other.get(PROFILE).status_code == 401


@pytest.mark.parametrize("name", NAMES)
def test_state_is_refused_in_another_browser(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str
) -> None:
    back = through_provider(services[name], visitor.start(name))
    thief = Visitor("198.51.100.7")
    assert visit_of(thief.come_back(back)) == "none"
    thief.start(name)  # with its own cookie
    assert visit_of(thief.come_back(back)) == "none"
    visit = visit_of(visitor.come_back(back))  # the visit of the owner is still valid
    assert thief.use(visit).json()["error"] == "external_lapsed"
    assert visitor.use(visit).status_code == 200


def test_guessed_states_count_for_the_address(visitor: Visitor, services: dict[str, Service]) -> None:
    visitor.come_back("/core/auth/wecom/qr/login/callback/?code=a&state=0")
    assert not SignInGuard.objects.exists()  # an image on another site can cause this request
    visitor.start("wecom")
    for number in range(3):
        assert visit_of(visitor.come_back(f"/core/auth/wecom/qr/login/callback/?code=a&state={number}")) == "none"
    assert SignInGuard.objects.get(kind="address").failures == 3


def test_state_of_one_provider_is_refused_at_another(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    back = through_provider(services["wecom"], visitor.start("wecom"))
    assert visit_of(visitor.come_back(back.replace("/wecom/", "/feishu/"))) == "none"
    assert services["feishu"].asked == []


def test_state_of_one_purpose_is_refused_for_another(visitor: Visitor, services: dict[str, Service], ann: User) -> None:
    back = through_provider(services["wecom"], visitor.start("wecom"))
    assert visit_of(visitor.come_back(back.replace("/login/", "/bind/"))) == "none"
    visit = visitor.walk("wecom", services["wecom"])
    visitor.sign_in("ann")
    assert visitor.use(visit, BIND).json()["error"] == "external_lapsed"
    assert not ExternalAccount.objects.exists()


def test_visit_expires_after_ten_minutes(visitor: Visitor, services: dict[str, Service], bound: User) -> None:
    back = through_provider(services["wecom"], visitor.start("wecom"))
    ExternalRequest.objects.update(date_expired=clock.now() - timedelta(seconds=1))
    assert visit_of(visitor.come_back(back)) == "none"
    visit = visitor.walk("wecom", services["wecom"])
    ExternalRequest.objects.update(date_expired=clock.now() - timedelta(seconds=1))
    assert visitor.use(visit).json()["error"] == "external_lapsed"
    assert not SignInGuard.objects.filter(failures__gt=0).exists()  # an expired visit does not count as a guess
    housekeeping.forget_old(actor=SYSTEM)
    assert not ExternalRequest.objects.exists()


@pytest.mark.parametrize("state", ["", "x" * 5_000, "%00", "状态", "a&state=b"])
def test_invalid_states_are_refused(visitor: Visitor, services: dict[str, Service], state: str) -> None:
    visitor.start("dingtalk")
    for code in ("", "x" * 5_000, "%00"):
        location = visitor.come_back(f"/core/auth/dingtalk/qr/login/callback/?authCode={code}&state={state}")
        assert visit_of(location) == "none"


@pytest.mark.parametrize("visit", ["", "none", "x" * 64, "00000000-0000-0000-0000-000000000001", "\x00"])
def test_invalid_visit_ids_are_refused(visitor: Visitor, visit: str) -> None:
    assert visitor.use(visit).status_code == 400


def test_sign_in_with_a_provider_requires_the_csrf_token(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    visit = visitor.walk("wecom", services["wecom"])
    assert visitor.post(SIGN_IN, {"id": visit}).status_code == 403
    assert visitor.use(visit).status_code == 200


def test_visit_of_a_killed_process_is_refused_and_can_be_repeated(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    visit = visitor.walk("wecom", services["wecom"])
    ExternalRequest.objects.update(tenant="", subject="", name="")
    answer = visitor.use(visit)
    assert answer.json()["error"] == "external_lapsed"
    assert answer.json()["msg"]


def test_missing_consent_is_reported(visitor: Visitor, services: dict[str, Service], bound: User) -> None:
    back = through_provider(services["feishu"], visitor.start("feishu")).replace("code=", "error=access_denied&x=")
    answer = visitor.use(visit_of(visitor.come_back(back)))
    assert (answer.status_code, answer.json()["error"]) == (400, "external_failed")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("manner", ["html", "redirect", "huge", "lost"])
def test_failing_provider_signs_nobody_in(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str, manner: str
) -> None:
    services[name].manner = manner
    answer = visitor.sign_in_by(name, services[name])
    assert (answer.status_code, answer.json()["error"]) == (400, "external_failed")
    assert "127.0.0.1" in answer.json()["msg"]
    assert last_log().status is False


def test_wait_for_a_silent_provider_is_limited(
    visitor: Visitor, services: dict[str, Service], bound: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postern.apps.authn.external.providers.LIMIT_S", 0.5)
    services["wecom"].manner = "silent"
    started = clock.monotonic_s()
    assert visitor.sign_in_by("wecom", services["wecom"]).status_code == 400
    assert clock.monotonic_s() - started < 3


@pytest.mark.django_db(transaction=True)
def test_twenty_concurrent_requests_use_a_visit_once(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    back = through_provider(services["feishu"], visitor.start("feishu"))
    visitor.get("/api/v1/authentication/sign-in/")
    cookies = {name: visitor.cookies[name].value for name in ("postern_visit", "csrftoken")}

    def twin() -> Visitor:
        browser = Visitor()
        for name, value in cookies.items():
            browser.cookies[name] = value
        return browser

    def call_back(_number: int) -> str:
        try:
            return visit_of(twin().come_back(back))
        finally:
            connection.close()

    def use(visit: str) -> int:
        try:
            status: int = twin().use(visit).status_code
        finally:
            connection.close()
        return status

    with ThreadPoolExecutor(10) as pool:
        visits = [visit for visit in pool.map(call_back, range(20)) if visit != "none"]
        assert len(visits) == 1
        statuses = list(pool.map(use, visits * 20))
    assert statuses.count(200) == 1
    assert LoginSession.objects.filter(user=bound).count() == 1
    assert len(services["feishu"].calls_to("/oauth/token")) == 1


@pytest.mark.parametrize("name", NAMES)
def test_sign_in_with_a_provider_requires_the_code_of_mfa_users(
    visitor: Visitor, services: dict[str, Service], bound: User, name: str
) -> None:
    app = App(bound)
    answer = visitor.sign_in_by(name, services[name])
    assert (answer.status_code, answer.json()["error"]) == (200, "mfa_required")
    assert visitor.get(PROFILE).status_code == 401
    assert visitor.post(CHALLENGE, {"code": app.wrong()}).status_code == 400
    done = visitor.post(CHALLENGE, {"code": app.code()})
    assert done.status_code == 200, done.content
    assert done.json()["next"] == "/ui/"
    session = LoginSession.objects.get(user=bound)
    assert (session.backend, session.mfa) == (name, True)
    log = last_log()
    assert (log.backend, log.status, log.mfa) == (name, True, 1)


def test_user_with_mandatory_mfa_sets_it_up_first(visitor: Visitor, services: dict[str, Service], bound: User) -> None:
    PreferenceValue.objects.update_or_create(name="SECURITY_MFA_AUTH", defaults={"value": 1})
    assert visitor.sign_in_by("wecom", services["wecom"]).json()["error"] == "mfa_unset"
    assert visitor.get(PROFILE).status_code == 401


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        ({"is_active": False}, "user_inactive"),
        ({"date_expired": clock.now() - timedelta(days=1)}, "user_expired"),
    ],
)
def test_k51_disabled_and_expired_accounts_are_refused(
    visitor: Visitor, services: dict[str, Service], bound: User, change: dict[str, Any], slug: str
) -> None:
    User.objects.filter(pk=bound.pk).update(**change)
    answer = visitor.sign_in_by("wecom", services["wecom"])
    assert (answer.status_code, answer.json()["error"]) == (400, slug)
    assert (last_log().username, last_log().reason) == ("ann", slug)


def test_locked_account_is_refused_from_unknown_places(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    stranger = Visitor("198.51.100.7")
    for _ in range(8):
        stranger.sign_in("ann", "wrong")
    assert visitor.sign_in_by("wecom", services["wecom"]).json()["error"] == "block_login"
    assert visitor.get(PROFILE).status_code == 401


def test_due_password_must_be_changed_after_the_sign_in(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    User.objects.filter(pk=bound.pk).update(need_update_password=True)
    assert visitor.sign_in_by("wecom", services["wecom"]).json()["must_change_password"] is True
    assert visitor.get("/api/v1/authentication/access-keys/").status_code == 403


@pytest.mark.parametrize("name", NAMES)
def test_disabled_company_provider_signs_nobody_in(
    visitor: Visitor, as_admin: APIClient, services: dict[str, Service], bound: User, name: str
) -> None:
    visit = visitor.walk(name, services[name])
    off = {f"AUTH_{name.upper()}": False}
    assert as_admin.patch(f"/api/v1/settings/setting/?category={name}", off).status_code == 200
    assert visitor.use(visit).json()["error"] == "external_failed"
    calls = len(services[name].asked)
    location = visitor.start(name)
    assert location.startswith(LOGIN_PAGE)
    answer = visitor.use(visit_of(location))
    assert answer.json()["error"] == "external_failed"
    assert len(services[name].asked) == calls


def test_account_unbound_during_the_visit_signs_nobody_in(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    visit = visitor.walk("wecom", services["wecom"])
    ExternalAccount.objects.filter(provider="wecom").delete()
    assert visitor.use(visit).json()["error"] == "external_not_bound"


def test_number_of_visits_per_address_is_limited(
    visitor: Visitor, services: dict[str, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "MOST_OF_ADDRESS", 5)
    for _ in range(8):
        Visitor().start("wecom")
    Visitor("198.51.100.7").start("wecom")
    assert ExternalRequest.objects.count() == 6


def test_stored_rows_do_not_suffice_to_finish_a_visit(
    visitor: Visitor, services: dict[str, Service], bound: User
) -> None:
    page = visitor.start("feishu")
    state = page.split("state=")[1].split("&")[0]
    assert len(state) == 64
    assert state.isalnum()
    row = ExternalRequest.objects.values().get()
    row_text = str(row)
    assert state not in row_text
    assert visitor.cookies["postern_visit"].value not in row_text


def test_signed_in_user_is_redirected_at_once(visitor: Visitor, services: dict[str, Service], ann: User) -> None:
    visitor.sign_in("ann")
    assert visitor.start("wecom") == "/ui/"
    assert not ExternalRequest.objects.exists()


def test_new_sign_in_ends_the_earlier_sign_in_of_the_browser(
    visitor: Visitor, services: dict[str, Service], bound: User, make_person: Callable[..., User]
) -> None:
    bob = make_person("bob")
    visit = visitor.walk("wecom", services["wecom"])
    visitor.sign_in("bob")
    assert visitor.use(visit).status_code == 200
    assert visitor.get(PROFILE).json()["username"] == "ann"
    assert LoginSession.objects.get(user=bob).date_ended is not None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "url_verification", "token": "v-token", "challenge": "c-1"}, 200),
        ({"type": "url_verification", "token": "wrong", "challenge": "c-1"}, 403),
        ({"type": "url_verification", "challenge": "c-1"}, 403),
        ({"type": "url_verification", "token": ["v-token"], "challenge": "c-1"}, 403),
        ({"type": "url_verification", "token": "v-token", "challenge": {"a": 1}}, 403),
        ({"type": "event_callback", "token": "v-token", "challenge": "c-1"}, 403),
        ({"encrypt": "abc"}, 403),
        ([], 403),
    ],
)
def test_feishu_challenge_is_returned_only_for_the_right_token(
    services: dict[str, Service], body: Any, status: int
) -> None:
    answer = APIClient().post("/api/v1/authentication/feishu/event/subscription/callback/", body)
    assert answer.status_code == status
    assert ("c-1" in answer.content.decode()) is (status == 200)


def test_feishu_challenge_is_refused_without_a_verification_token(db: None) -> None:
    body = {"type": "url_verification", "token": "", "challenge": "c-1"}
    assert APIClient().post("/api/v1/authentication/feishu/event/subscription/callback/", body).status_code == 403
