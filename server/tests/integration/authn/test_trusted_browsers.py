"""Trusted browsers: off by default, revocable, and no proof of the second factor for sensitive views."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.soft_authenticator import ORIGIN, enrolled
from factories.ssh_proof import PROXY_ID
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade, housekeeping
from postern.apps.authn.models import LoginSession, TrustedBrowser
from postern.apps.orgs.roles import OrgRole
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import User
from postern.contracts.enums import LoginFrom
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT
from postern.kernel import clock

API = "/api/v1/authentication/"
PROFILE = "/api/v1/users/profile/"
BROWSERS = f"{API}trusted-browsers/"
pytestmark = pytest.mark.django_db


def prefer(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


@pytest.fixture
def app(ann: User) -> App:
    prefer("SITE_URL", ORIGIN)
    return App(ann)


@pytest.fixture
def trusting(browser: Browser, app: App) -> Browser:
    """Ann's trusted browser, after signing out."""
    prefer("SECURITY_TRUSTED_BROWSER_DAYS", 7)
    browser.sign_in("ann")
    assert browser.post(f"{API}mfa/challenge/", {"code": app.code(), "trust": True}).status_code == 200
    app.forget_used()
    browser.post(f"{API}sign-out/")
    return browser


def asks(browser: Browser) -> bool:
    """Whether the next sign-in asks for the second factor."""
    body: dict[str, Any] = browser.sign_in("ann").json()
    return body.get("error") == "mfa_required"


def test_trust_is_off_by_default(browser: Browser, app: App):
    browser.sign_in("ann")
    assert browser.post(f"{API}mfa/challenge/", {"code": app.code(), "trust": True}).status_code == 200
    assert not TrustedBrowser.objects.exists()
    assert browser.get("/api/v1/settings/public/").json()["data"]["SECURITY_TRUSTED_BROWSER_DAYS"] == 0


def test_browser_is_not_trusted_without_request(browser: Browser, app: App):
    prefer("SECURITY_TRUSTED_BROWSER_DAYS", 7)
    browser.sign_in("ann")
    browser.post(f"{API}mfa/challenge/", {"code": app.code()})
    assert not TrustedBrowser.objects.exists()


def test_password_alone_signs_in_only_in_the_trusted_browser(trusting: Browser, ann: User):
    assert asks(Browser())
    answer = trusting.sign_in("ann")
    assert answer.json()["next"] == "/ui/"
    assert trusting.get(PROFILE).status_code == 200
    login = LoginLog.objects.latest("datetime")
    assert (login.status, login.mfa) == (True, 2)
    assert AuditEvent.objects.filter(event="browser.trust_used").count() == 1
    cookie = next(one for name, one in trusting.cookies.items() if name.startswith("postern_trust_"))
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Strict", 7 * 86_400)


def test_wrong_password_is_refused_in_a_trusted_browser(trusting: Browser):
    assert trusting.sign_in("ann", "wrong").json()["error"] == "password_failed"


def test_trust_gives_no_access_to_sensitive_views(trusting: Browser, app: App):
    trusting.sign_in("ann")
    refused = trusting.get(f"{API}otp/verify/")
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    assert LoginSession.objects.latest("date_created").date_mfa_verified is None
    assert trusting.post(f"{API}otp/verify/", {"code": app.code()}).status_code == 200


def test_trust_replaces_a_mandatory_second_factor(trusting: Browser):
    prefer("SECURITY_MFA_AUTH", 1)
    trusting.sign_in("ann")
    assert trusting.get(PROFILE).status_code == 200


def test_trust_cookie_is_refused_for_another_user(trusting: Browser, make_person: Callable[..., User]):
    bob = make_person("bob")
    App(bob)
    name, cookie = next((n, c.value) for n, c in trusting.cookies.items() if n.startswith("postern_trust_"))
    trusting.sign_in("bob")
    other = Browser()
    for candidate in (name, next(iter(n for n in trusting.cookies if n.startswith("postern_device_")))):
        other.cookies[candidate] = cookie
    assert other.sign_in("bob").json()["error"] == "mfa_required"


def test_access_keys_require_the_second_factor_in_a_trusted_browser(trusting: Browser, app: App):
    trusting.sign_in("ann")
    refused = trusting.post(f"{API}access-keys/")
    assert (refused.status_code, refused.json()["code"]) == (400, "mfa_verify_required")
    assert trusting.post(f"{API}otp/verify/", {"code": app.code()}).status_code == 200
    assert trusting.post(f"{API}access-keys/").status_code == 201


def test_tokens_and_terminals_ignore_trust(trusting: Browser):
    response = trusting.post(f"{API}auth/", {"username": "ann", "password": PASSWORD})
    assert response.json()["error"] == "mfa_required"
    answer = facade.check_password(
        username="ann",
        password=PASSWORD,
        remote_addr="192.0.2.10",
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )
    assert answer.second_factor is not None


def other_password(user: User) -> None:
    User.objects.filter(pk=user.pk).update(session_epoch=user.session_epoch + 1)


def system_role(user: User) -> None:
    User.objects.filter(pk=user.pk).update(role="Auditor")


def org_role(user: User) -> None:
    memberships.set_org_roles(actor=SYSTEM, scope=DEFAULT, user=user, roles=[OrgRole.ADMIN])


def another_factor(user: User) -> None:
    enrolled(user)


def days_off(user: User) -> None:
    del user
    prefer("SECURITY_TRUSTED_BROWSER_DAYS", 0)


def fewer_days(user: User) -> None:
    TrustedBrowser.objects.filter(user=user).update(date_created=clock.now() - timedelta(days=2))
    prefer("SECURITY_TRUSTED_BROWSER_DAYS", 1)


def days_over(user: User) -> None:
    TrustedBrowser.objects.filter(user=user).update(date_expired=clock.now())


@pytest.mark.parametrize(
    "change", [other_password, system_role, org_role, another_factor, days_off, fewer_days, days_over]
)
def test_trust_ends_after_a_change_of_the_user_or_the_setting(
    trusting: Browser, ann: User, change: Callable[[User], None]
):
    change(User.objects.get(pk=ann.pk))
    assert asks(trusting)


def test_own_password_change_ends_trust(trusting: Browser):
    trusting.sign_in("ann")
    new = "another violet anchor"
    body = {"old_password": PASSWORD, "new_password": new, "new_password_again": new}
    assert trusting.put(f"{PROFILE}password/", body).status_code == 200
    assert trusting.sign_in("ann", new).json()["error"] == "mfa_required"


def test_users_list_and_end_their_own_trust(trusting: Browser, make_person: Callable[..., User]):
    trusting.sign_in("ann")
    rows = trusting.get(BROWSERS).json()
    assert len(rows) == 1
    assert set(rows[0]) >= {"id", "remote_addr", "user_agent", "date_created", "date_last_used", "date_expired"}
    make_person("bob")
    bob = Browser()
    bob.sign_in("bob")
    assert bob.get(BROWSERS).json() == []
    assert bob.delete(f"{BROWSERS}{rows[0]['id']}/").status_code == 404
    assert trusting.delete(f"{BROWSERS}{rows[0]['id']}/").status_code == 204
    assert AuditEvent.objects.filter(event="browser.trust_ended").count() == 1
    assert asks(trusting)


def test_number_of_trusted_browsers_is_limited_to_ten(browser: Browser, app: App):
    prefer("SECURITY_TRUSTED_BROWSER_DAYS", 7)
    for _ in range(11):
        other = Browser()
        other.sign_in("ann")
        assert other.post(f"{API}mfa/challenge/", {"code": app.code(), "trust": True}).status_code == 200
        app.forget_used()
    assert TrustedBrowser.objects.count() == 10


def test_housekeeping_deletes_expired_trust(trusting: Browser):
    TrustedBrowser.objects.update(date_expired=clock.now())
    housekeeping.forget_old(actor=SYSTEM)
    assert not TrustedBrowser.objects.exists()
