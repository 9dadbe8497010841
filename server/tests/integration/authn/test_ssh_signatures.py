"""Signatures of SSH sign-ins: each is accepted once while its key exists, and wrong signatures count as guesses."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from factories.ssh_proof import PROXY_ID, SecurityKey, make_key, signed_request
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade
from postern.apps.authn.models import SignInGuard, UsedSignature
from postern.apps.authn.signatures import ssh_proofs
from postern.apps.authn.tasks import forget_old_sign_ins
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import User
from postern.contracts.access import SignInAnswer
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

pytestmark = pytest.mark.django_db
KEY, LINE = make_key()
OTHER_KEY, OTHER_LINE = make_key()
STRANGER = "203.0.113.77"


@pytest.fixture(autouse=True)
def holder(ann: User) -> User:
    User.objects.filter(pk=ann.pk).update(public_key=LINE)
    return ann


def show(
    signed: bytes, signature: bytes, *, username: str = "ann", attempt: str = "1", at: str = STRANGER
) -> SignInAnswer:
    return facade.sign_in_with_public_key(
        username=username,
        proof=facade.read_proof(signed, signature),
        attempt=attempt,
        remote_addr=at,
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )


def wrong(username: str = "ann") -> SignInAnswer:
    """Send a request that names KEY, signed with another key."""
    return show(*signed_request(OTHER_KEY, username, named_key=KEY), username=username)


def code_of(answer: SignInAnswer) -> DenialCode | None:
    return answer.denial.code if answer.denial is not None else None


@pytest.mark.parametrize("username", ["ann", "nobody"])
def test_wrong_signatures_lock_existing_and_unknown_names(username: str):
    codes = [code_of(wrong(username)) for _ in range(8)]
    assert codes == [DenialCode.BAD_CREDENTIALS] * 6 + [DenialCode.LOCKED] * 2
    assert code_of(show(*signed_request(KEY, username), username=username)) is DenialCode.LOCKED
    assert SignInGuard.objects.get(kind="address").failures == 7
    assert AuditEvent.objects.filter(event="sign_in.locked").count() == (username == "ann")


def test_valid_signature_with_an_unknown_key_does_not_count():
    for _ in range(9):
        assert code_of(show(*signed_request(OTHER_KEY, "ann"))) is DenialCode.BAD_CREDENTIALS
    assert show(*signed_request(KEY, "ann")).user is not None
    assert not SignInGuard.objects.exists()


@pytest.mark.parametrize("named_key", [KEY, OTHER_KEY, None], ids=["forged", "own key", "offer"])
def test_unknown_name_runs_the_same_statements(named_key: Any):
    def statements(username: str) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            if named_key is None:
                assert not facade.public_key_acceptable(username=username, public_key=OTHER_LINE)
            else:
                show(
                    *signed_request(OTHER_KEY, username, named_key=named_key),
                    username=username,
                    at=f"203.0.113.{len(username)}",
                )
        return [re.sub(r"'[^']*'|[0-9]+|NULL", "?", query["sql"]) for query in captured.captured_queries]

    statements("warm-up")  # settings and compiled queries
    assert statements("ann") == statements("nobody")


def test_repeated_signature_does_not_count():
    request = signed_request(KEY, "ann")
    assert show(*request).user is not None
    for number in range(9):
        assert code_of(show(*request, attempt=f"another {number}")) is DenialCode.BAD_CREDENTIALS
    assert not SignInGuard.objects.exists()


def test_sign_in_stores_one_row():
    assert show(*signed_request(KEY, "ann")).user is not None
    assert UsedSignature.objects.count() == 1


@pytest.mark.parametrize("days", [91, 200, 1000])
def test_recorded_signature_is_refused_while_its_key_exists(monkeypatch: pytest.MonkeyPatch, days: int):
    request = signed_request(KEY, "ann")
    assert show(*request).user is not None
    start = clock.now()
    for passed in range(0, days, 45):
        monkeypatch.setattr(clock, "now", lambda passed=passed: start + timedelta(days=passed))
        forget_old_sign_ins()
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(days=days))
    forget_old_sign_ins()
    assert code_of(show(*request, attempt="later")) is DenialCode.BAD_CREDENTIALS


def test_signature_is_deleted_after_its_key(ann: User, monkeypatch: pytest.MonkeyPatch):
    assert show(*signed_request(KEY, "ann")).user is not None
    User.objects.filter(pk=ann.pk).update(public_key="")
    forget_old_sign_ins()
    assert UsedSignature.objects.count() == 1
    later = clock.now() + ssh_proofs.REMEMBERED + timedelta(days=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    forget_old_sign_ins()
    assert not UsedSignature.objects.exists()


@pytest.mark.parametrize("kind", list(SecurityKey.KINDS))
def test_security_keys_need_their_pin_only_if_the_setting_requires_it(holder: User, kind: str):
    key = SecurityKey(kind)
    User.objects.filter(pk=holder.pk).update(public_key=f"{LINE}\n{key.line}")

    def answer(flags: int, attempt: str) -> SignInAnswer:
        return show(*key.signed_request("ann", flags=flags), attempt=attempt)

    assert answer(1, "1").user is not None
    PreferenceValue.objects.update_or_create(name="SECURITY_SSH_KEY_PIN", defaults={"value": True})
    refused = answer(1, "2")
    assert refused.denial is not None
    assert "verify-required" in refused.denial.message
    assert refused.denial.code is DenialCode.METHOD_DISABLED, "so the front says it"
    assert LoginLog.objects.latest("datetime").reason == "key_without_pin"
    assert answer(5, "3").user is not None
    assert answer(4, "4").user is None  # the PIN does not replace the touch
    assert show(*signed_request(KEY, "ann"), attempt="5").user is not None  # other keys have no PIN
