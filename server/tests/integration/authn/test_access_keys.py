"""Access keys: owner, secret, state and limit; and the rules for signatures."""

import base64
import hashlib
from datetime import timedelta
from itertools import count
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.second_factor import App
from factories.signed_request import PROFILE, signed
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.authentication import signature_failures
from postern.apps.authn.credentials.actions.tokens import MAX_ACCESS_KEYS
from postern.apps.authn.models import AccessKey
from postern.apps.users.models import User
from postern.kernel import clock

KEYS = "/api/v1/authentication/access-keys/"
pytestmark = pytest.mark.django_db


@pytest.mark.spec("S7-034", "S3-016")
def test_access_key_is_created_without_a_body_and_returns_four_fields(browser: Browser, ann: User):
    browser.sign_in("ann")
    answer = browser.post(KEYS)
    assert answer.status_code == 201
    body = answer.json()
    assert {"id", "secret", "is_active", "date_created"} <= set(body)
    assert UUID(body["id"]).version == 4
    assert UUID(body["secret"]).version == 4
    assert body["is_active"] is True
    assert body["date_created"]


@pytest.mark.spec("S7-033", "S3-017")
def test_k69_secret_is_shown_once_and_masked_afterwards(browser: Browser, key: dict[str, str]):
    assert len(key["secret"]) == 36
    listed = browser.get(KEYS).json()
    assert [(row["id"], row["secret"], row["is_active"]) for row in listed] == [(key["id"], "******", True)]
    paged = browser.get(KEYS, {"limit": "15", "offset": "0"}).json()
    assert (paged["count"], paged["results"][0]["id"]) == (1, key["id"])
    assert browser.get(f"{KEYS}{key['id']}/").json()["secret"] == "******"
    changed = browser.patch(f"{KEYS}{key['id']}/", {"is_active": False}).json()
    assert (changed["is_active"], changed["secret"]) == (False, "******")
    assert key["secret"] not in str(browser.options(KEYS).json())


@pytest.mark.spec("S7-035", "S4-023")
def test_access_key_is_switched_off_and_on_again(browser: Browser, key: dict[str, str]):
    seconds = count()

    def works() -> bool:  # a different date each time, because a repeated signature is refused
        at = clock.now() + timedelta(seconds=next(seconds))
        return APIClient().get(PROFILE, **signed(key["id"], key["secret"], at=at)).status_code == 200

    path = f"{KEYS}{key['id']}/"
    assert works()
    assert browser.patch(path, {"is_active": False}).json()["is_active"] is False
    assert not works()
    assert browser.put(path, {"is_active": True}).json()["is_active"] is True
    assert works()


@pytest.mark.spec("S7-036")
def test_access_key_is_deleted_permanently(browser: Browser, key: dict[str, str]):
    assert browser.delete(f"{KEYS}{key['id']}/").status_code == 204
    assert browser.get(KEYS).json() == []
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 401


def test_number_of_access_keys_of_a_user_is_limited(browser: Browser, ann: User):
    browser.sign_in("ann")
    for _ in range(MAX_ACCESS_KEYS):
        assert browser.post(KEYS).status_code == 201
    refused = browser.post(KEYS)
    assert (refused.status_code, refused.json()["code"]) == (400, "too_many_access_keys")
    assert AccessKey.objects.count() == MAX_ACCESS_KEYS


def test_access_keys_are_audited_without_their_secrets(browser: Browser, key: dict[str, str]):
    browser.patch(f"{KEYS}{key['id']}/", {"is_active": False})
    browser.delete(f"{KEYS}{key['id']}/")
    rows = AuditEvent.objects.filter(event__startswith="accesskey.")
    assert sorted(rows.values_list("event", flat=True)) == [
        "accesskey.created", "accesskey.deleted", "accesskey.updated",
    ]  # fmt: skip
    assert key["secret"] not in str(list(rows.values()))


def test_access_key_secret_is_not_in_the_database(key: dict[str, str]):
    row = AccessKey.objects.get()
    assert key["secret"].encode() not in bytes(row.nonce)
    assert bytes(row.nonce) not in key["secret"].encode()


def test_access_key_signs_a_request(key: dict[str, str]):
    answer = APIClient().get(PROFILE, **signed(key["id"], key["secret"]))
    assert answer.status_code == 200
    assert answer.json()["username"] == "ann"
    assert AccessKey.objects.get().date_last_used is not None


def test_k69_signature_works_once_for_its_request_within_five_minutes(key: dict[str, str]):
    headers = signed(key["id"], key["secret"])
    assert APIClient().get(PROFILE, **headers).status_code == 200
    assert APIClient().get(PROFILE, **headers).status_code == 401, "used again"
    other = signed(key["id"], key["secret"], at=clock.now() - timedelta(seconds=1))
    assert APIClient().get("/api/v1/authentication/access-keys/", **other).status_code == 401, "another request"
    for minutes in (-6, 6):
        late = signed(key["id"], key["secret"], at=clock.now() + timedelta(minutes=minutes))
        assert APIClient().get(PROFILE, **late).status_code == 401, "out of time"
    bare = signed(key["id"], key["secret"], headers="date")
    assert APIClient().get(PROFILE, **bare).status_code == 401, "covers no request"
    assert APIClient().get(PROFILE, **signed(key["id"], str(uuid4()))).status_code == 401, "wrong secret"


def test_signed_nonce_allows_equal_requests_in_the_same_second(key: dict[str, str]):
    at = clock.now()
    for nonce in ("a", "b"):
        headers = signed(
            key["id"], key["secret"], at=at, headers="(request-target) date x-nonce", more={"x-nonce": nonce}
        )
        assert APIClient().get(PROFILE, HTTP_X_NONCE=nonce, **headers).status_code == 200
        assert APIClient().get(PROFILE, HTTP_X_NONCE=nonce, **headers).status_code == 401
        assert APIClient().get(PROFILE, HTTP_X_NONCE="c", **headers).status_code == 401


def test_signed_digest_covers_the_body(key: dict[str, str]):
    def send(body: bytes, sent: bytes) -> int:
        digest = "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode()
        headers = signed(
            key["id"], key["secret"], method="patch", headers="(request-target) date digest", more={"digest": digest}
        )
        answer = APIClient().patch(PROFILE, sent, content_type="application/json", HTTP_DIGEST=digest, **headers)
        return int(answer.status_code)

    assert send(b'{"phone": "1"}', b'{"phone": "2"}') == 401
    assert send(b'{"phone": "1"}', b'{"phone": "1"}') == 200


def test_failing_signatures_are_throttled_and_a_valid_one_is_not(key: dict[str, str]):
    good = APIClient(REMOTE_ADDR="192.0.2.50").get(PROFILE, **signed(key["id"], key["secret"]))
    assert good.status_code == 200
    answers = [
        APIClient(REMOTE_ADDR="192.0.2.50").get(PROFILE, **signed(str(uuid4()), str(uuid4())))
        for _ in range(signature_failures.LIMIT + 1)
    ]
    assert {answer.status_code for answer in answers[:-1]} == {401}
    assert answers[-1].status_code == 429
    assert int(answers[-1]["Retry-After"]) > 0
    for number in range(10):
        Browser(f"203.0.113.{number}").sign_in("ann", "wrong")
    later = signed(key["id"], key["secret"], at=clock.now() + timedelta(seconds=2))
    known = APIClient(REMOTE_ADDR="192.0.2.50").get(PROFILE, **later)
    assert known.status_code == 200, "strangers do not stop a program at its known address"


@pytest.mark.parametrize("scheme", ["Sign 1:2", "Token abc"])
def test_withdrawn_signature_schemes_are_refused_with_a_hint(key: dict[str, str], scheme: str):
    answer = APIClient(HTTP_AUTHORIZATION=scheme, HTTP_ACCEPT_LANGUAGE="en").get(PROFILE)
    assert answer.status_code == 401
    assert "scheme Signature" in answer.json()["detail"]


def test_k51_access_key_of_a_user_without_the_mandatory_second_factor_is_refused(key: dict[str, str], ann: User):
    User.objects.filter(pk=ann.pk).update(mfa_level=2)
    refused = APIClient().get(PROFILE, **signed(key["id"], key["secret"]))
    assert (refused.status_code, refused.json()["code"]) == (403, "mfa_unset")
    App(ann)
    later = signed(key["id"], key["secret"], at=clock.now() + timedelta(seconds=2))
    assert APIClient().get(PROFILE, **later).status_code == 200


def test_access_key_never_counts_as_a_fresh_second_factor(key: dict[str, str], ann: User):
    app, path = App(ann), "/api/v1/authentication/otp/verify/"
    assert APIClient().get(path, **signed(key["id"], key["secret"], path)).status_code == 400
    posted = signed(key["id"], key["secret"], path, method="post")
    assert APIClient().post(path, {"code": app.code()}, **posted).status_code == 400


def test_k69_inactive_key_is_refused_at_once(browser: Browser, key: dict[str, str]):
    browser.patch(f"{KEYS}{key['id']}/", {"is_active": False})
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 401
