"""SSO links: another system requests a link for a named user, which signs that user in."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.browser import Browser
from factories.second_factor import App
from factories.signed_request import signed
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import housekeeping
from postern.apps.authn.models import AccessKey, LoginAcl, LoginSession, PendingSignIn, SsoLink
from postern.apps.authn.sso_links.actions import issuing
from postern.apps.orgs.roles import OrgRole
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import Membership, MfaLevel, Source, User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, token_hash

API = "/api/v1/authentication/"
MAKE, LINK = f"{API}sso/login-url/", f"{API}sso/login/"
PROFILE = "/api/v1/users/profile/"
pytestmark = pytest.mark.django_db


def prefer(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


@pytest.fixture(autouse=True)
def switched_on(db: None) -> None:
    prefer("AUTH_SSO", value=True)


@pytest.fixture
def portal(make_person: Callable[..., User]) -> Callable[..., Any]:
    """A program that signs its requests with the access key of a super administrator."""
    admin = make_person("portal", role="Admin")
    browser = Browser("192.0.2.77")
    browser.sign_in("portal")
    LoginSession.objects.filter(user=admin).update(date_mfa_verified=clock.now())
    made = browser.post(f"{API}access-keys/").json()
    numbers = iter(range(10_000))

    def ask(username: str = "ann", **more: Any) -> Any:
        nonce = {"x-nonce": str(next(numbers))}
        head = signed(
            made["id"], made["secret"], MAKE, method="post", headers="(request-target) date x-nonce", more=nonce
        )
        body = {"username": username, **more}
        return APIClient(HTTP_ACCEPT_LANGUAGE="en").post(
            MAKE, body, format="json", HTTP_X_NONCE=nonce["x-nonce"], **head
        )

    return ask


def key_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return dict(parse_qsl(urlsplit(answer.json()["login_url"]).query))["authkey"]


def use(key: str, browser: Browser | None = None, **more: Any) -> Any:
    browser = browser or Browser()
    if "csrftoken" not in browser.cookies:
        browser.get(f"{API}sign-in/")
    return browser.post(LINK, {"key": key, **more}, format="json")


def refused(answer: Any) -> str:
    assert answer.status_code == 400, answer.content
    return str(answer.json()["error"])


def test_link_signs_the_user_in_once_and_redirects_to_its_target(portal: Callable[..., Any], ann: User) -> None:
    answer = portal(next="/ui/assets?search=web#top")
    link = urlsplit(answer.json()["login_url"])
    assert (link.path, dict(parse_qsl(link.query))["next"]) == (LINK, "/ui/assets?search=web#top")
    key = key_of(answer)
    assert SsoLink.objects.get().key_hash == token_hash(key)
    browser = Browser()
    come = use(key, browser)
    assert (come.status_code, come.json()) == (
        200,
        {"next": "/ui/assets?search=web#top", "must_change_password": False},
    )
    assert browser.get(PROFILE).json()["username"] == "ann"
    assert LoginSession.objects.get(user=ann).backend == "sso"
    log = LoginLog.objects.get(username="ann")
    assert (log.status, log.backend) == (True, "sso")
    issued = AuditEvent.objects.get(event="sso_link.issued")
    assert (issued.resource_id, issued.new["next"], issued.user) == (
        str(ann.pk),
        "/ui/assets?search=web#top",
        "Portal(portal)",
    )
    assert key not in str(issued.new)
    assert refused(use(key)) == "sso_link_used"
    assert LoginLog.objects.filter(username="ann", status=False, reason="sso_link_used").count() == 1


def test_opening_the_link_has_no_effect_and_hides_the_key_from_servers(portal: Callable[..., Any], ann: User) -> None:
    key = key_of(portal())
    for client in (APIClient(), Browser()):
        for call in (client.get, client.head):
            answer = call(f"{LINK}?authkey={key}&next=/ui/")
            assert answer.headers["Location"] == f"/core/auth/login/?sso=1#{key}"
            assert (answer.status_code, answer.headers["Referrer-Policy"]) == (302, "no-referrer")
            assert answer.headers["Cache-Control"] == "no-store"
    assert SsoLink.objects.get().date_used is None
    assert use(key).status_code == 200


@pytest.mark.parametrize("key", ["", "x", "%23/../", "a b", "\u202e", "k" * 4_000])
def test_any_key_redirects_to_the_sign_in_page(key: str) -> None:
    answer = APIClient().get(LINK, {"authkey": key, "next": "https://evil.test"})
    location = urlsplit(answer.headers["Location"])
    assert (location.netloc, location.path, location.query) == ("", "/core/auth/login/", "sso=1")


def test_sign_in_page_opens_for_a_link_in_a_signed_in_browser(browser: Browser, ann: User) -> None:
    browser.sign_in("ann")
    assert browser.get("/core/auth/login/").status_code == 302
    assert browser.get("/core/auth/login/?sso=1").status_code == 200


def test_links_are_off_until_an_administrator_switches_them_on(portal: Callable[..., Any], ann: User) -> None:
    key = key_of(portal())
    prefer("AUTH_SSO", value=False)
    answer = portal()
    assert (answer.status_code, answer.json()["code"]) == (400, "sso_auth_closed")
    assert refused(use(key)) == "sso_auth_closed"
    assert SsoLink.objects.get().date_used is None
    PreferenceValue.objects.filter(name="AUTH_SSO").delete()
    assert portal().status_code == 400


def test_only_super_administrators_make_links(
    as_org_admin: APIClient, as_user: APIClient, as_anonymous: APIClient, ann: User
) -> None:
    statuses = [client.post(MAKE, {"username": "ann"}).status_code for client in (as_org_admin, as_user, as_anonymous)]
    assert statuses == [403, 403, 401]
    assert not SsoLink.objects.exists()


@pytest.mark.parametrize("role", ["auditor", "org_admin", "system_auditor", "admin"])
def test_links_for_administrators_and_auditors_are_refused(
    portal: Callable[..., Any], people: dict[str, User], role: str
) -> None:
    answer = portal(people[role].username)
    assert answer.status_code == 400
    assert "administrators and auditors" in answer.json()["username"][0]
    record = AuditEvent.objects.get(event="sso_link.refused")
    assert (record.resource_id, record.new["reason"]) == (str(people[role].pk), "role")
    assert not SsoLink.objects.exists()


def test_link_for_the_maker_is_refused(portal: Callable[..., Any]) -> None:
    assert portal("portal").status_code == 400


def test_links_for_users_of_other_sources_and_disabled_users_are_refused(portal: Callable[..., Any], ann: User) -> None:
    for columns, words in (
        ({"source": Source.LDAP}, "local users only"),
        ({"source": Source.LOCAL, "is_active": False}, "disabled"),
        ({"is_active": True, "date_expired": clock.now() - timedelta(days=1)}, "expired"),
    ):
        User.objects.filter(pk=ann.pk).update(**columns)
        assert words in portal().json()["username"][0]
    assert "no user" in portal("nobody-here").json()["username"][0]


@pytest.mark.parametrize(
    "target",
    [
        "//evil.test",
        "/\\evil.test",
        "\\\\evil.test",
        "https:evil.test",
        "https://evil.test/ui/",
        "javascript:alert(1)",
        "/%2fevil.test",
        "/%252fevil.test",
        "/ui/\t//evil.test",
        "/ui/%0d%0aLocation:x",
        "/ui/..//evil.test",
        "/ui/%2e%2e/api/v1/x",
        "/ui/@evil.test",
        "ui/assets",
        "/api/v1/users/profile/",
        "/core/auth/logout/",
        "/uimposter/",
        "/ui/资产",
        "/ui/\u202e",
        "/ui/" + "a" * 2_000,
    ],
)
def test_k12_link_targets_are_limited_to_pages_of_the_console(
    portal: Callable[..., Any], ann: User, target: str
) -> None:
    answer = portal(next=target)
    assert answer.status_code == 400, target
    assert set(answer.json()) == {"next"}
    assert not SsoLink.objects.exists()


@pytest.mark.parametrize("target", ["/", "/ui/", "/ui/#/assets", "/ui/assets?a=%20b", "/luna/", "/ui"])
def test_pages_of_the_console_are_accepted(portal: Callable[..., Any], ann: User, target: str) -> None:
    assert use(key_of(portal(next=target))).json()["next"] == target


def test_invalid_bodies_get_field_errors(portal: Callable[..., Any], ann: User) -> None:
    assert set(portal("").json()) == {"username"}
    assert set(portal({"a": 1}).json()) == {"username"}
    assert portal(next="").status_code == 200
    assert use("k" * 500).status_code == 400


def test_link_expires_after_the_seconds_of_the_setting(
    portal: Callable[..., Any], ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefer("AUTH_SSO_AUTHKEY_TTL", 60)
    now = clock.now()
    first, second = key_of(portal()), key_of(portal())
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=55))
    assert use(first).status_code == 200
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=65))
    assert refused(use(second)) == "sso_link_used"


def test_another_site_cannot_use_a_link(portal: Callable[..., Any], ann: User) -> None:
    key = key_of(portal())
    assert Browser().post(LINK, {"key": key}, format="json").status_code == 403
    assert SsoLink.objects.get().date_used is None


@pytest.mark.parametrize(
    "change",
    [
        {"session_epoch": 7},
        {"is_active": False},
        {"source": Source.OPENID},
        {"role": "Admin"},
        {"role": "Auditor"},
    ],
    ids=str,
)
def test_link_is_void_after_a_change_of_the_user(portal: Callable[..., Any], ann: User, change: dict[str, Any]) -> None:
    key = key_of(portal())
    User.objects.filter(pk=ann.pk).update(**change)
    assert refused(use(key)) == "sso_link_used"


def test_a_new_password_an_organization_role_and_the_end_of_all_access_void_links(
    portal: Callable[..., Any], as_admin: APIClient, ann: User
) -> None:
    reset, promoted, ended = key_of(portal()), key_of(portal()), ""
    answer = as_admin.put(f"/api/v1/users/users/{ann.pk}/password/reset/")
    assert answer.status_code < 400, answer.content
    assert refused(use(reset)) == "sso_link_used"
    Membership.objects.create(user=ann, org_id=DEFAULT_ORG_ID, role=OrgRole.AUDITOR)
    assert refused(use(promoted)) == "sso_link_used"
    Membership.objects.filter(user=ann, role=OrgRole.AUDITOR).delete()
    ended = key_of(portal())
    answer = as_admin.post(f"/api/v1/users/users/{ann.pk}/access/reset/")
    assert answer.status_code < 400, answer.content
    assert refused(use(ended)) == "sso_link_used"


@pytest.mark.parametrize("lost", ["role", "closed", "epoch", "key_off", "key_deleted"])
def test_links_are_void_when_their_maker_could_no_longer_make_them(
    portal: Callable[..., Any], ann: User, lost: str
) -> None:
    key, maker = key_of(portal()), User.objects.filter(username="portal")
    match lost:
        case "role":
            maker.update(role="User")
        case "closed":
            maker.update(is_active=False)
        case "epoch":
            maker.update(session_epoch=9)
        case "key_off":
            AccessKey.objects.update(is_active=False)
        case "key_deleted":
            AccessKey.objects.all().delete()
    assert refused(use(key)) == "sso_link_used"


def test_link_requires_the_second_factor(portal: Callable[..., Any], ann: User) -> None:
    app, browser = App(ann), Browser()
    answer = use(key_of(portal(next="/ui/sessions")), browser)
    assert answer.json()["error"] == "mfa_required"
    assert browser.get(PROFILE).status_code == 401
    assert PendingSignIn.objects.get().backend == "sso"
    done = browser.post(f"{API}mfa/challenge/", {"code": app.code(), "type": "code"}, format="json")
    assert (done.status_code, done.json()["next"]) == (200, "/ui/sessions")
    log = LoginLog.objects.get(username="ann", status=True)
    assert (log.backend, log.mfa) == ("sso", 1)


def test_link_requires_set_up_of_a_mandatory_second_factor(portal: Callable[..., Any], ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.FORCED)
    browser = Browser()
    assert use(key_of(portal()), browser).json()["error"] == "mfa_unset"
    assert browser.get(PROFILE).status_code == 401


def test_due_password_applies_after_a_link(portal: Callable[..., Any], ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(need_update_password=True)
    browser = Browser()
    assert use(key_of(portal()), browser).json()["must_change_password"] is True
    assert browser.get("/api/v1/users/profile/permissions/").status_code in {403, 404}
    assert browser.get("/api/v1/perms/users/assets/").status_code == 403


def test_login_acls_apply_to_links(portal: Callable[..., Any], as_admin: APIClient, ann: User) -> None:
    body = {"name": "no", "user": str(ann.pk), "priority": 50, "action": "reject", "ip_group": ["*"]}
    made = as_admin.post("/api/v1/acls/login-acls/", body, format="json")
    assert made.status_code == 201, made.content
    assert LoginAcl.objects.exists()
    assert refused(use(key_of(portal()))) == "acl_not_allow"


@pytest.mark.usefixtures("without_waits")
def test_locked_account_is_refused_with_a_link(portal: Callable[..., Any], ann: User) -> None:
    guesser = Browser("192.0.2.200")
    for _ in range(7):
        guesser.sign_in("ann", "wrong")
    assert refused(use(key_of(portal()), Browser("192.0.2.200"))) == "block_login"


def test_guessed_link_keys_count_for_the_address(portal: Callable[..., Any], ann: User) -> None:
    for number in range(60):
        if refused(use(f"guess-{number}", Browser("192.0.2.201"))) == "block_login":
            break
    else:
        pytest.fail("guessing was never stopped")
    assert use(key_of(portal()), Browser("192.0.2.202")).status_code == 200


def test_link_for_another_user_requires_agreement(
    portal: Callable[..., Any], ann: User, make_person: Callable[..., User]
) -> None:
    make_person("bob")
    browser = Browser()
    browser.sign_in("bob")
    key = key_of(portal())
    refusal = use(key, browser)
    assert (refusal.status_code, refusal.json()["code"]) == (409, "sso_other_user")
    assert "Bob(bob)" in refusal.json()["detail"]
    assert "Ann(ann)" in refusal.json()["detail"]
    assert browser.get(PROFILE).json()["username"] == "bob"
    assert use(key, browser, switch=True).status_code == 200
    assert browser.get(PROFILE).json()["username"] == "ann"
    assert not LoginSession.objects.filter(user__username="bob", date_ended__isnull=True).exists()


def test_link_of_the_signed_in_user_is_used_without_a_new_sign_in(portal: Callable[..., Any], ann: User) -> None:
    browser, key = Browser(), key_of(portal(next="/ui/sessions"))
    browser.sign_in("ann")
    assert use(key, browser).json()["next"] == "/ui/sessions"
    assert LoginSession.objects.filter(user=ann).count() == 1
    assert refused(use(key)) == "sso_link_used"


def test_links_are_limited_for_a_user_and_for_a_maker(
    portal: Callable[..., Any], ann: User, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuing, "MOST_OF_USER", 2)
    keys = [key_of(portal()) for _ in range(2)]
    answer = portal()
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (429, "throttled", "60")
    assert use(keys[0]).status_code == 200
    assert portal().status_code == 200
    monkeypatch.setattr(issuing, "MOST_OF_MAKER", 2)
    make_person("bob")
    assert portal("bob").status_code == 429


def test_expired_links_are_deleted_by_the_scheduled_task(portal: Callable[..., Any], ann: User) -> None:
    portal(), portal()
    expired = SsoLink.objects.earliest("date_created")
    SsoLink.objects.filter(pk=expired.pk).update(date_expired=clock.now() - timedelta(seconds=1))
    housekeeping.forget_old(actor=SYSTEM)
    assert SsoLink.objects.count() == 1
    assert not SsoLink.objects.filter(pk=expired.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_one_of_twenty_concurrent_uses_of_a_link_signs_in(portal: Callable[..., Any], ann: User) -> None:
    key = key_of(portal())
    browsers = [Browser() for _ in range(20)]
    for browser in browsers:
        browser.get(f"{API}sign-in/")

    def send(browser: Browser) -> Callable[[], int]:
        return lambda: int(use(key, browser).status_code)

    assert sorted(at_once(*[send(browser) for browser in browsers])) == [200] + [400] * 19
    assert LoginSession.objects.filter(user=ann).count() == 1


@pytest.mark.django_db(transaction=True)
def test_limit_of_links_applies_to_twenty_concurrent_requests(
    portal: Callable[..., Any], ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuing, "MOST_OF_USER", 5)
    assert sorted(at_once(*[lambda: int(portal().status_code)] * 20)) == [200] * 5 + [429] * 15
