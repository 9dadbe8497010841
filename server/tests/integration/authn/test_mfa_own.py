"""A user's own second factor: set-up, change, removal, reset by an administrator, and verification for
sensitive views.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient, APIRequestFactory, force_authenticate

from factories.browser import PASSWORD, Browser
from factories.second_factor import App
from factories.ssh_proof import PROXY_ID
from postern.apps.audits.models import AuditEvent
from postern.apps.authn import facade
from postern.apps.authn.models import BearerToken, LoginSession, RecoveryCode, TotpDevice
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.apps.vault.models import SealedSecret
from postern.contracts.enums import LoginFrom
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
OTP = "/api/v1/authentication/otp/"
VERIFY = f"{OTP}verify/"
START = f"{OTP}enrol/start/"
CONFIRM = f"{OTP}enrol/confirm/"
DISABLE = f"{OTP}disable/"
CODES = f"{OTP}recovery-codes/"
CHALLENGE = "/api/v1/authentication/mfa/challenge/"
PASSWORD_VERIFY = "/api/v1/authentication/password/verify/"
pytestmark = pytest.mark.django_db


@pytest.fixture
def app(ann: User) -> App:
    return App(ann)


@pytest.fixture
def signed_in(browser: Browser, app: App) -> Browser:
    """Ann, signed in with her second factor. Her current code can be used again."""
    browser.sign_in("ann")
    assert browser.post(CHALLENGE, {"code": app.code()}).status_code == 200
    app.forget_used()
    return browser


def prefer(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


# --- setting up ---


def test_set_up_needs_the_password_again_for_five_minutes(browser: Browser, ann: User):
    browser.sign_in("ann")
    refused = browser.post(START)
    assert (refused.status_code, refused.json()["code"]) == (400, "password_verify_required")
    wrong = browser.post(PASSWORD_VERIFY, {"password": "wrong"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "passwd_invalid")
    assert browser.post(START).status_code == 400
    assert browser.post(PASSWORD_VERIFY, {"password": PASSWORD}).status_code == 200
    assert browser.post(START).status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now() - timedelta(seconds=301))
    assert browser.post(START).status_code == 400


def test_wrong_passwords_during_set_up_count_towards_the_lock_out(browser: Browser, ann: User):
    browser.sign_in("ann")
    answers = [browser.post(PASSWORD_VERIFY, {"password": "wrong"}).json() for _ in range(7)]
    assert answers[-1]["error"] == "block_login"
    assert Browser("198.51.100.7").sign_in("ann").json()["error"] == "block_login"


def test_set_up_shows_the_secret_once_and_activates_it_with_a_code(browser: Browser, ann: User):
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    begun = browser.post(START).json()
    assert begun["uri"].startswith("otpauth://totp/Postern:ann?")
    assert f"secret={begun['secret']}" in begun["uri"]
    assert begun["expires_in"] == 600
    rows = begun["qr"]
    assert {len(row) for row in rows} == {len(rows)}
    assert set("".join(rows)) == {"0", "1"}
    assert browser.get(OTP).json()["is_set"] is False
    refused = browser.post(CONFIRM, {"code": "12345"}, HTTP_ACCEPT_LANGUAGE="en")
    assert refused.json()["error"] == "MFA Error, please check"
    done = browser.post(CONFIRM, {"code": pyotp.TOTP(begun["secret"]).now()})
    assert (done.status_code, len(set(done.json()["recovery_codes"]))) == (200, 10)
    setup = browser.get(OTP).json()
    assert (setup["is_set"], setup["level"], setup["forced"], setup["recovery_codes_left"]) == (True, 1, False, 10)
    profile = browser.get(PROFILE).json()
    assert (profile["mfa_enabled"], profile["mfa_level"], profile["mfa_force_enabled"]) == (True, 1, False)
    assert profile["mfa_level_display"]
    assert Browser().sign_in("ann").json()["error"] == "mfa_required"


def test_secret_shown_too_long_ago_cannot_be_confirmed(browser: Browser, ann: User):
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    begun = browser.post(START).json()
    TotpDevice.objects.update(date_created=clock.now() - timedelta(minutes=11))
    assert browser.post(CONFIRM, {"code": pyotp.TOTP(begun["secret"]).now()}).status_code == 400
    assert not TotpDevice.objects.filter(date_confirmed__isnull=False).exists()


def test_secrets_are_stored_encrypted_and_recovery_codes_hashed(app: App):
    secret = app.secret()
    assert secret is not None
    sealed = SealedSecret.objects.get(table="authn_totpdevice")
    assert secret.reveal().encode() not in bytes(sealed.ciphertext)
    stored = set(RecoveryCode.objects.values_list("code_hash", flat=True))
    assert len(stored) == 10
    assert not {code for code in app.recovery if code in stored}


def test_deleting_a_user_deletes_the_encrypted_secret(app: App, ann: User):
    ann.delete()
    assert not SealedSecret.objects.filter(table="authn_totpdevice").exists()


def test_set_up_ends_the_other_sign_ins_and_tokens(browser: Browser, ann: User):
    other = Browser("192.0.2.99")
    other.sign_in("ann")
    token = APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD}).json()["token"]
    browser.sign_in("ann")
    browser.post(PASSWORD_VERIFY, {"password": PASSWORD})
    begun = browser.post(START).json()
    assert browser.post(CONFIRM, {"code": pyotp.TOTP(begun["secret"]).now()}).status_code == 200
    assert browser.get(PROFILE).status_code == 200
    assert other.get(PROFILE).status_code == 401
    assert APIClient(HTTP_AUTHORIZATION=f"Bearer {token}").get(PROFILE).status_code == 401


# --- changing, switching off ---


def test_replacing_the_app_needs_a_code_of_the_present_app(signed_in: Browser, app: App):
    signed_in.post(PASSWORD_VERIFY, {"password": PASSWORD})
    assert signed_in.post(START, {"code": app.wrong()}).status_code == 400
    begun = signed_in.post(START, {"code": app.code()})
    assert begun.status_code == 200
    assert TotpDevice.objects.filter(date_confirmed__isnull=False).count() == 1, "the former one counts until then"
    assert signed_in.post(CONFIRM, {"code": pyotp.TOTP(begun.json()["secret"]).now()}).status_code == 200
    assert TotpDevice.objects.count() == 1
    assert SealedSecret.objects.filter(table="authn_totpdevice").count() == 1


def test_switching_off_needs_a_code_and_deletes_everything(signed_in: Browser, app: App):
    assert signed_in.post(DISABLE, {"code": app.wrong()}).status_code == 400
    assert signed_in.post(DISABLE, {"code": app.code()}).status_code == 200
    assert not TotpDevice.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert not SealedSecret.objects.filter(table="authn_totpdevice").exists()
    assert signed_in.get(PROFILE).json()["mfa_enabled"] is False
    assert Browser().sign_in("ann").json()["next"] == "/ui/"


@pytest.mark.parametrize("how", ["level", "setting"])
def test_mandatory_second_factor_cannot_be_switched_off(signed_in: Browser, app: App, ann: User, how: str):
    if how == "level":
        User.objects.filter(pk=ann.pk).update(mfa_level=2)
    else:
        prefer("SECURITY_MFA_AUTH", 1)
    assert signed_in.get(PROFILE).json()["mfa_force_enabled"] is True
    answer = signed_in.post(DISABLE, {"code": app.code()})
    assert (answer.status_code, answer.json()["code"]) == (400, "mfa_forced")
    assert TotpDevice.objects.exists()


def test_changing_the_level_removes_no_factor(
    signed_in: Browser, make_person: Callable[..., User], client_of: Callable[[User | None], APIClient]
):
    answer = signed_in.patch(PROFILE, {"mfa_level": 0})
    assert (answer.status_code, list(answer.json())) == (400, ["mfa_level"])
    root = make_person("root", role="Admin", mfa_level=1)
    own = client_of(root).patch(f"/api/v1/users/users/{root.pk}/", {"mfa_level": 0})
    assert (own.status_code, list(own.json())) == (400, ["mfa_level"])
    root.refresh_from_db()
    assert root.mfa_level == 1


def test_new_recovery_codes_invalidate_the_old_ones(signed_in: Browser, app: App):
    fresh = signed_in.post(CODES, {"code": app.code()}).json()["recovery_codes"]
    assert not set(fresh) & set(app.recovery)
    other = Browser()
    other.sign_in("ann")
    assert other.post(CHALLENGE, {"code": app.recovery[0], "type": "recovery"}).status_code == 400
    assert other.post(CHALLENGE, {"code": fresh[0], "type": "recovery"}).status_code == 200


def test_every_change_is_audited_without_secrets(signed_in: Browser, app: App):
    signed_in.post(DISABLE, {"code": app.wrong()})
    signed_in.post(CODES, {"code": app.code()})
    app.forget_used()
    signed_in.post(DISABLE, {"code": app.code()})
    events = list(AuditEvent.objects.filter(event__startswith="mfa.").values_list("event", flat=True))
    assert sorted(events) == [
        "mfa.code_refused", "mfa.disabled", "mfa.enabled", "mfa.enrolment_begun", "mfa.recovery_codes_renewed",
    ]  # fmt: skip
    audited = "".join(str(row) for row in AuditEvent.objects.values_list("old", "new", "resource"))
    assert all(code not in audited for code in app.recovery)


# --- an administrator's reset ---


@pytest.mark.parametrize("method", ["get", "post"])
def test_reset_removes_the_app_and_ends_the_sign_ins(
    signed_in: Browser, make_person: Callable[..., User], ann: User, method: str
):
    make_person("root", role="Admin")
    admin = Browser()
    admin.sign_in("root")
    path = f"/api/v1/users/users/{ann.pk}/otp/reset/"
    assert getattr(admin, method)(path, HTTP_X_CSRFTOKEN="").status_code == 403, "without the token (K64)"
    assert TotpDevice.objects.exists()
    answer = getattr(admin, method)(path)
    assert (answer.status_code, answer.json()) == (200, {"msg": "success"})
    assert not TotpDevice.objects.exists()
    assert signed_in.get(PROFILE).status_code == 401
    assert Browser().sign_in("ann").json()["error"] == "mfa_unset"


def test_reset_ends_the_sign_ins_over_ssh(ann: User, as_admin: APIClient):
    app, way = App(ann), {"remote_addr": "192.0.2.10", "proxy_id": PROXY_ID}
    first_factor = facade.check_password(
        username="ann", password=PASSWORD, login_from=LoginFrom.SSH_TERMINAL, **way
    ).second_factor
    assert first_factor is not None
    signed_in = facade.sign_in_with_code(token=first_factor.token, code=app.code(), **way)
    assert signed_in.ticket is not None
    assert facade.ticket_holder(signed_in.ticket, **way).fault is None
    assert as_admin.post(f"/api/v1/users/users/{ann.pk}/otp/reset/").status_code == 200
    assert facade.ticket_holder(signed_in.ticket, **way).fault is not None


def test_reset_of_oneself_or_of_higher_roles_is_refused(make_person: Callable[..., User]):
    root = make_person("root", role="Admin")
    make_person("olaf", org_role="Admin")
    App(root)
    admin, above = Browser(), Browser()
    above.sign_in("olaf")
    assert above.post(f"/api/v1/users/users/{root.pk}/otp/reset/").status_code in (403, 404)
    other = make_person("other", role="Admin")
    admin.sign_in("other")
    own = admin.post(f"/api/v1/users/users/{other.pk}/otp/reset/")
    assert (own.status_code, list(own.json())) == (401, ["error"])
    assert TotpDevice.objects.filter(user=root).exists()


# --- verification: required by the most sensitive views ---


class Vault(PosternView):
    """A view that requires a recent second factor."""

    rights = {"GET": Right.VALID_USER, "POST": Right.VALID_USER}
    needs_fresh_mfa = frozenset({"GET"})

    def get(self, request: Request) -> Response:
        return Response({"secret": "shown"})

    head = get

    def post(self, request: Request) -> Response:
        return Response({})


@pytest.mark.spec("S7-027", "S7-030", "S9-045")
def test_verification_is_valid_for_the_minutes_of_the_setting(signed_in: Browser, app: App):
    LoginSession.objects.update(date_mfa_verified=None)
    stale = signed_in.get(VERIFY)
    assert (stale.status_code, stale.json()["code"]) == (400, "mfa_verify_required")
    assert signed_in.post(VERIFY, {"code": app.code()}).json() == {"ok": "1"}
    assert signed_in.get(VERIFY).json() == {"code": "valid", "msg": "verified"}
    prefer("SECURITY_MFA_VERIFY_TTL", 60)
    LoginSession.objects.update(date_mfa_verified=clock.now() - timedelta(seconds=59))
    assert signed_in.get(VERIFY).status_code == 200
    LoginSession.objects.update(date_mfa_verified=clock.now() - timedelta(seconds=60))
    assert signed_in.get(VERIFY).status_code == 400


def test_setting_switches_the_verification_off(signed_in: Browser):
    LoginSession.objects.update(date_mfa_verified=None)
    prefer("SECURITY_VIEW_AUTH_NEED_MFA", False)
    assert signed_in.get(VERIFY).status_code == 200


@pytest.mark.spec("S5-011", "S5-012")
@pytest.mark.parametrize("code", ["", "12345", "1234567", "wrong!"])
def test_verification_with_a_code_that_is_not_six_digits_is_an_error(signed_in: Browser, code: str):
    answer = signed_in.post(VERIFY, {"code": code}, HTTP_ACCEPT_LANGUAGE="en")
    assert (answer.status_code, answer.json()["error"]) == (400, "MFA Error, please check")


def test_user_without_a_second_factor_gets_a_clear_error(browser: Browser, ann: User):
    browser.sign_in("ann")
    assert browser.get(VERIFY).json()["code"] == "mfa_verify_required"
    answer = browser.post(VERIFY, {"code": "123456"}, HTTP_ACCEPT_LANGUAGE="en")
    assert answer.status_code == 400
    assert "profile page" in answer.json()["error"]


def test_view_requires_a_recent_second_factor(ann: User, app: App):
    def call(method: str, auth: object) -> Response:
        request = getattr(APIRequestFactory(), method)("/")
        force_authenticate(request, user=ann, token=auth)
        answer: Any = Vault.as_view()(request)
        return answer

    session = LoginSession(user=ann, date_mfa_verified=clock.now())
    assert call("get", session).status_code == 200
    session.date_mfa_verified = clock.now() - timedelta(days=1)
    refused = call("get", session)
    assert refused.status_code == 400
    assert refused.data is not None
    assert refused.data["code"] == "mfa_verify_required"
    assert call("head", session).status_code == 400, "it runs the same code and leaves the same traces"
    assert call("get", BearerToken(user=ann)).status_code == 400
    assert call("get", None).status_code == 400
    assert call("post", None).status_code == 200
