"""A second factor is set up during a sign-in while that sign-in ends, or is completed in another browser."""

from collections.abc import Callable
from typing import Any

import pyotp
import pytest

from factories.browser import Browser
from factories.soft_authenticator import ORIGIN, SoftKey, enrolled
from postern.apps.authn.models import LoginSession, Passkey, RecoveryCode, TotpDevice
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.sign_in.api import mfa as mfa_api
from postern.apps.authn.sign_in.api import passkeys as passkeys_api
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import MfaLevel, User
from postern.foundation.caller.actor import SYSTEM

API = "/api/v1/authentication/"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def needs_factor(ann: User) -> None:
    PreferenceValue.objects.update_or_create(name="SITE_URL", defaults={"value": ORIGIN})
    User.objects.filter(pk=ann.pk).update(mfa_level=MfaLevel.FORCED)


def app_begun(browser: Browser) -> Callable[[], Any]:
    secret = browser.post(f"{API}otp/enrol/start/").json()["secret"]
    return lambda: browser.post(f"{API}otp/enrol/confirm/", {"code": pyotp.TOTP(secret).now()})


def passkey_begun(browser: Browser) -> Callable[[], Any]:
    request = browser.post(f"{API}passkeys/enrol/start/", format="json").json()
    body = {"credential": SoftKey().make(request), "name": "desk"}
    return lambda: browser.post(f"{API}passkeys/enrol/confirm/", body, format="json")


def owner_sets_one_up(ann: User) -> None:
    enrolled(ann)


def administrator_resets(ann: User) -> None:
    mfa.reset(actor=SYSTEM, user=ann)


def rival_completes(ann: User) -> None:
    """Another browser with the same session has completed the sign-in."""
    ann.pending_sign_ins.update(date_used=ann.date_joined)


@pytest.mark.parametrize("meanwhile", [owner_sets_one_up, administrator_resets, rival_completes])
@pytest.mark.parametrize(
    ("begun", "checked"),
    [(app_begun, (mfa_api, "_read_code")), (passkey_begun, (passkeys_api, "_take"))],
    ids=["app", "passkey"],
)
def test_factor_set_up_during_a_sign_in_is_checked_under_the_lock(
    ann: User,
    monkeypatch: pytest.MonkeyPatch,
    begun: Callable[[Browser], Callable[[], Any]],
    checked: tuple[Any, str],
    meanwhile: Callable[[User], None],
):
    browser = Browser()
    browser.sign_in("ann")
    confirm = begun(browser)
    real = getattr(*checked)

    def then(*values: Any) -> Any:
        """Interrupt the request after its first checks."""
        result = real(*values)
        meanwhile(User.objects.get(pk=ann.pk))
        return result

    monkeypatch.setattr(*checked, then)
    answer = confirm()
    assert (answer.status_code, answer.json()["error"]) == (400, "session_empty")
    own = 1 if meanwhile is owner_sets_one_up else 0
    assert TotpDevice.objects.filter(user=ann, date_confirmed__isnull=False).count() == 0
    assert Passkey.objects.filter(user=ann).count() == own
    assert RecoveryCode.objects.filter(user=ann).count() == 10 * own
    assert not LoginSession.objects.filter(user=ann).exists()
    assert browser.get("/api/v1/users/profile/").status_code == 401


def test_ended_sign_in_begins_no_enrolment(browser: Browser, ann: User, monkeypatch: pytest.MonkeyPatch):
    browser.sign_in("ann")
    real = mfa_api.has_device

    def then(user_id: Any) -> bool:
        mfa.reset(actor=SYSTEM, user=User.objects.get(pk=user_id))
        return real(user_id)

    monkeypatch.setattr(mfa_api, "has_device", then)
    answer = browser.post(f"{API}otp/enrol/start/")
    assert (answer.status_code, answer.json()["error"]) == (400, "session_empty")
    assert not TotpDevice.objects.filter(user=ann).exists()
